"""What the tests of docs/theory.md share: the words of the page, data, and the check that a point is the best one."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.pages import ROOT

Array = NDArray[np.float64]
THEORY = " ".join((ROOT / "docs" / "theory.md").read_text(encoding="utf-8").split())
CLOSE = 1e-9  # of a prediction
BEATEN = 1e-7  # relative, by which no other optimiser may be better


def stated(*formulas: str) -> None:
    """Assert that the page has these formulas, which the test then writes in numpy."""
    for formula in formulas:
        assert formula in THEORY, f"docs/theory.md no longer says {formula}: change this test with it"


def assert_minimal(objective: Callable[[Array], float], theta: Array, starts: list[Array], step: float = 1e-3) -> None:
    """No other optimiser finds a smaller value, and every parameter that is moved makes it larger."""
    at, found = np.asarray(theta, dtype=float), objective(np.asarray(theta, dtype=float))
    for start in [at, *starts]:
        other = minimize(objective, start, method="BFGS", options={"maxiter": 300}).fun
        assert found <= other + BEATEN * abs(other)
    for k in range(at.size):
        for sign in (-1.0, 1.0):
            moved = at.copy()
            moved[k] += sign * step
            assert objective(moved) > found, (k, sign)


def sigma(z: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-z)))


def logit(p: Array) -> Array:
    return np.asarray(np.log(p) - np.log1p(-p))


def ell(t: Array, z: Array) -> Array:
    """The log loss of the logit z for a label, or a mean label, t."""
    return np.asarray(np.logaddexp(0.0, z) - t * z)


def softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


class Rows(NamedTuple):
    """Scores in increasing order, labels and weights."""

    p: Array
    y: Array
    w: Array


def rows(n: int = 240, *, weighted: bool = False, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    p = np.sort(rng.beta(1.0, 1.5, n))
    y = (rng.random(n) < 0.1 + 0.8 * p**1.7).astype(float)
    return Rows(p, y, rng.integers(1, 4, n).astype(float) if weighted else np.ones(n))


class ClassData(NamedTuple):
    P: Array
    y: NDArray[np.intp]
    w: Array


def class_data(*, weighted: bool = False, n: int = 240) -> ClassData:
    rng = np.random.default_rng(2)
    P = rng.dirichlet([1.0, 0.7, 1.4], n)
    true = softmax(np.log(P) @ np.array([[0.7, 0.1, 0.0], [0.2, 0.9, 0.1], [0.0, 0.1, 1.3]]) + [0.3, 0.0, -0.4])
    y = (rng.random((n, 1)) > true.cumsum(axis=1)).sum(axis=1)
    return ClassData(P, y, rng.integers(1, 4, n).astype(float) if weighted else np.ones(n))


def class_loss(z: Array, data: ClassData) -> float:
    """The weighted mean of -ln softmax(z)_y."""
    return float(data.w @ -np.log(softmax(z)[np.arange(data.y.size), data.y]) / data.w.sum())
