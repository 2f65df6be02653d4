"""Public calls that two versions of the package are timed at; imported late, by processes of either version."""

import time
import warnings
from functools import cache
from typing import Any

import numpy as np

CALLS = {  # a name, the rows, and the pairs that are timed
    "calibration_error": (1_000, 200),
    "calibration_error, 1e5": (100_000, 30),
    "calibration_error, 1e7": (10_000_000, 3),
    "evaluate": (10_000, 5),
    "compare_calibrators": (10_000, 5),
    "canonical": (10_000, 7),
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

    n = CALLS[name][0]
    y, p = matrix(n) if name == "canonical" else column(n)
    families = ["platt", "beta", "isotonic", "spline"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        if name == "evaluate":
            fot.evaluate(y, p, families=families)
        elif name == "compare_calibrators":
            fot.compare_calibrators(y, p, families=families)
        elif name == "canonical":
            fot.calibration_error(y, p, reduction="canonical", family="temperature")
        else:
            fot.calibration_error(y, p)
        return time.perf_counter() - start
