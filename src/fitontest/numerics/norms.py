"""Norms: how many distances, each with a share of the data, become one number.

With distances g_i >= 0 and weights w_i of sum W: l1 is sum w g / W, squared is sum w g^2 / W, l2 its square root,
max the largest g_i of positive weight.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fitontest.checks import choose
from fitontest.typing import FloatArray

Norm: TypeAlias = Callable[[FloatArray, FloatArray], float]


def l1(g: FloatArray, w: FloatArray) -> float:
    """Return the weighted mean of the distances."""
    return float(w @ g / w.sum())


def squared(g: FloatArray, w: FloatArray) -> float:
    """Return the weighted mean of the squared distances (no root)."""
    return l1(g * g, w)


def l2(g: FloatArray, w: FloatArray) -> float:
    """Return the weighted root mean square of the distances."""
    return float(np.sqrt(squared(g, w)))


def maximum(g: FloatArray, w: FloatArray) -> float:
    """Return the largest distance that has positive weight."""
    return float(g[w > 0].max())


NORMS: dict[str, Norm] = {"l1": l1, "l2": l2, "squared": squared, "max": maximum}


def find_norm(name: str) -> Norm:
    """Return the norm called `name`."""
    return NORMS[choose(name, NORMS, "norm")]
