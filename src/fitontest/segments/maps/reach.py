"""How far the logits of scores reach: those of scores of exactly 0 or 1 are cut at a size that a map holds."""

from typing import Any

import numpy as np

from fitontest.maps.base import finite_number
from fitontest.maps.expressions import Expression
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray


def read_reach(value: Any) -> float | None:
    """Return the size at which logits are cut, None where they are not, or refuse it."""
    if value is None:
        return None
    if not finite_number(value, "reach") > 0.0:
        raise ValueError(f"reach must be a positive number or None, got {brief(value)}")
    return float(value)


def cut_logits(logits: FloatArray, reach: float | None) -> FloatArray:
    """Return the logits within [-reach, reach].

    Parameters
    ----------
    logits : array of shape (n,)
    reach : float or None
        None: the logits as they are.
    """
    return logits if reach is None else np.clip(logits, -reach, reach)


def cut_expression(x: Expression, reach: float | None) -> Expression:
    """Return the same of an expression of the logit."""
    return x if reach is None else x.clip(-reach, reach)
