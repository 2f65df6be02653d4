"""Public calls that two versions of the package are timed at; imported late, by processes of either version."""

import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

FOUR = ["platt", "beta", "isotonic", "spline"]

# a name, the rows, the pairs that are timed, and what is called with the package, labels and scores
CALLS: dict[str, tuple[int, int, Callable[[Any, Any, Any], object]]] = {
    "ece": (1_000, 200, lambda fot, y, p: fot.ece(y, p)),
    "gce": (1_000_000, 10, lambda fot, y, p: fot.gce(y, p, n_bins=10)),
    "calibration_error": (1_000, 200, lambda fot, y, p: fot.calibration_error(y, p)),
    "calibration_error, 1e5": (100_000, 30, lambda fot, y, p: fot.calibration_error(y, p)),
    "calibration_error, 1e7": (10_000_000, 3, lambda fot, y, p: fot.calibration_error(y, p)),
    "spline": (1_000_000, 10, lambda fot, y, p: fot.Spline().fit(p, y)),
    "interval of the spline": (1_000, 15, lambda fot, y, p: fot.calibration_error(y, p, interval="always")),
    "interval of the spline, 1e4": (10_000, 10, lambda fot, y, p: fot.calibration_error(y, p, interval="always")),
    "evaluate": (10_000, 5, lambda fot, y, p: fot.evaluate(y, p, families=FOUR)),
    "evaluate, all families": (10_000, 3, lambda fot, y, p: str(fot.evaluate(y, p, families="all"))),
    "evaluate cells, all families": (
        1_000_000,
        1,
        lambda fot, y, p: str(fot.evaluate(fot.Cells.of(y, p), families="all")),
    ),
    "compare_calibrators": (10_000, 5, lambda fot, y, p: fot.compare_calibrators(y, p, families=FOUR)),
    "canonical": (
        10_000,
        7,
        lambda fot, y, p: fot.calibration_error(y, p, reduction="canonical", family="temperature"),
    ),
}


@cache
def column(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 1.0, n)
    return (rng.random(n) < p**1.2).astype(np.int64), p


@cache
def matrix(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.full(10, 0.5), n)
    return (P.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1), P


def seconds(name: str) -> float:
    """Return how long one call takes."""
    import fitontest as fot

    n, _, call = CALLS[name]
    y, p = matrix(n) if name == "canonical" else column(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        call(fot, y, p)
        return time.perf_counter() - start
