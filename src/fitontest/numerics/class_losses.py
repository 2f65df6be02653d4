"""Proper losses of distributions over K classes, row by row.

Log loss is -ln q_y with q_y clipped to [1e-6, 1 - 1e-6], in nats. The Brier score is the sum over the classes of
(q_k - [y = k])^2, which for two classes is twice that of the positive one alone.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fitontest.checks import choose
from fitontest.numerics.losses import LOG_LOSS_EPS
from fitontest.typing import FloatArray, IntArray

ClassLoss: TypeAlias = Callable[[IntArray, FloatArray], FloatArray]


def log_loss(codes: IntArray, q: FloatArray) -> FloatArray:
    """Return -ln q_y of each row."""
    own = np.take_along_axis(q, codes[:, None], axis=1)[:, 0]
    return np.asarray(-np.log(np.clip(own, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS)))


def brier(codes: IntArray, q: FloatArray) -> FloatArray:
    """Return sum_k (q_k - [y = k])^2 of each row."""
    own = np.take_along_axis(q, codes[:, None], axis=1)[:, 0]
    return np.asarray(np.einsum("ik,ik->i", q, q) - 2.0 * own + 1.0)


CLASS_LOSSES: dict[str, ClassLoss] = {"log_loss": log_loss, "brier": brier}


def find_class_loss(name: object, argument: str = "loss") -> ClassLoss:
    """Return the loss called `name`."""
    return CLASS_LOSSES[choose(name, CLASS_LOSSES, argument)]
