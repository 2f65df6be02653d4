"""Thresholds at which risks decide: read from numbers, or from what both mistakes cost."""

from itertools import pairwise
from typing import Any

import numpy as np

from fitontest.results.checks import brief, is_real
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.risk.measures.threshold import check_threshold

DEFAULT = np.arange(1, 100) / 100.0  # .01 to .99


def read_thresholds(thresholds: ArrayInput = None) -> FloatArray:
    """Return thresholds as an array, .01 to .99 by .01 where there are none.

    Parameters
    ----------
    thresholds : float or array-like of shape (T,), optional
        Numbers in [0, 1), each larger than the one before; from 0 on everybody is treated.

    Raises
    ------
    ValueError
        No threshold; one that is no number in [0, 1); thresholds that do not increase, with the place.

    Examples
    --------
    >>> read_thresholds([0.1, 0.2]), read_thresholds().size
    (array([0.1, 0.2]), 99)
    """
    if thresholds is None:
        return DEFAULT.copy()
    listed = _listed(thresholds)
    if not listed:
        raise ValueError("thresholds must hold at least one number, got none")
    values = [check_threshold(each, _place(k, len(listed))) for k, each in enumerate(listed)]
    for k, (before, after) in enumerate(pairwise(values)):
        if after <= before:
            raise ValueError(f"thresholds must increase, got {after:g} after {before:g}, number {k + 2}")
    return np.array(values)


def _listed(thresholds: Any) -> list[Any]:
    """Return the thresholds as a list, of one number too."""
    if isinstance(thresholds, str):
        raise ValueError(f"thresholds must be numbers, got {thresholds!r}")
    if is_real(thresholds):
        return [thresholds]
    array = thresholds if isinstance(thresholds, list | tuple) else np.asarray(thresholds)
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise ValueError(f"thresholds must be a number or a column of them, got {brief(thresholds)}")
    return list(array)


def _place(k: int, size: int) -> str:
    return "thresholds" if size == 1 else f"thresholds (number {k + 1})"


def threshold_of_cost(cost: float) -> float:
    """Return the threshold from which on treating pays, for what a false positive costs: cost / (1 + cost).

    Parameters
    ----------
    cost : float
        The harm of treating a negative in units of the benefit of treating a positive, above 0: with 0.25, treating
        four negatives costs as much as treating one positive gains.

    Raises
    ------
    ValueError
        A cost that is no finite number above 0.

    Examples
    --------
    >>> threshold_of_cost(0.25)
    0.2
    """
    if not (is_real(cost) and 0.0 < cost < np.inf):
        raise ValueError(f"cost must be a finite number above 0, got {brief(cost)}")
    return check_threshold(float(cost) / (1.0 + float(cost)), "the threshold of cost")
