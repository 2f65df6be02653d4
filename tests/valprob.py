"""What packages for clinical validation, mostly of R, answer for the data sets of tests/reference/valprob.json."""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.published import figures

SETS: dict[str, dict[str, Any]] = figures("valprob")["sets"]


class Rows(NamedTuple):
    """One data set: its name, labels, scores, and the thresholds of its net benefits."""

    name: str
    y: np.ndarray
    p: np.ndarray
    t: np.ndarray


@cache
def rows_of(name: str) -> Rows:
    """Return the rows of a data set."""
    data = SETS[name]
    y, p = np.array([*map(int, data["y"])]), np.array(data["p"], dtype=np.float64)
    return Rows(name, y, p, np.array(data["expected"]["net_benefit"]["threshold"]))


def answer(name: str, key: str) -> Any:
    """Return the stored answer for a data set, such as "loess.ICI", or None where it has none."""
    stored: Any = SETS[name]["expected"]
    for part in key.split(".", 1):
        stored = stored.get(part) if isinstance(stored, dict) else None
    return stored


def keys(stored: dict[str, Any], above: str = "") -> Iterator[str]:
    """Yield the keys of answers, nested ones behind their parents and a dot."""
    for key, value in stored.items():
        if isinstance(value, dict):
            yield from keys(value, f"{above}{key}.")
        else:
            yield above + key


EVERY_KEY = {key for data in SETS.values() for key in keys(data["expected"])}


def assert_ours_is_the_answer(
    key: str, ours: Callable[[Rows], Any], tolerance: float, left_out: Collection[str] = ()
) -> None:
    """Assert that a function of the rows gives the stored answers of all data sets that have one, but for some.

    Answers may differ by the tolerance, of answers beyond 1 relatively.
    """
    compared = 0
    for name in sorted(SETS.keys() - left_out):
        if (theirs := answer(name, key)) is not None:
            assert_alike(ours(rows_of(name)), theirs, tolerance, name)
            compared += 1
    assert compared >= 4


def assert_alike(ours: Any, theirs: Any, tolerance: float, name: str) -> None:
    """Assert that a number or an array is a stored one, where that has values."""
    value, stored = (np.asarray(a, dtype=np.float64) for a in (ours, theirs))
    has_value = ~np.isnan(stored)  # curves have none at scores of 0 and 1 that the method leaves out
    assert value.shape == stored.shape, name
    assert value[has_value] == pytest.approx(stored[has_value], rel=tolerance, abs=tolerance), name
