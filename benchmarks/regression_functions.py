"""Features whose regression function is known, for the studies of trees: a smooth problem and one that is less so."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit


@dataclass(frozen=True)
class Problem:
    """Features drawn evenly from a cube, and the probability of a positive label at each point of it."""

    features: int
    regression: Callable[[np.ndarray], np.ndarray]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return features, labels, and the values of the regression function."""
        X = rng.uniform(-1.0, 1.0, (n, self.features))
        eta = self.regression(X)
        return X, (rng.random(n) < eta).astype(np.intp), eta


def smooth(X: np.ndarray) -> np.ndarray:
    """Return a logistic function of the sum of two features."""
    return np.asarray(expit(3.0 * (X[:, 0] + X[:, 1])))


def rough(X: np.ndarray) -> np.ndarray:
    """Return a logistic function of a wave, a product, a step and a line in five features."""
    wave, product, step = np.sin(np.pi * X[:, 0]), X[:, 1] * X[:, 2], np.where(X[:, 3] > 0.3, 1.0, -1.0)
    return np.asarray(expit(2.0 * wave + 3.0 * product + step + X[:, 4]))


PROBLEMS = {"simple": Problem(2, smooth), "complex": Problem(5, rough)}
