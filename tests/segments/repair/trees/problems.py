"""Problems in which a base score is wrong in different ways in different regions of the feature space."""

import numpy as np


def regions(n=600, seed=0):
    """Return (X, y, scores): of positive x_0 the score is right but low, of negative x_0 the wrong way round."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    z = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-2 * np.where(X[:, 0] > 0, z + 1, -z)))).astype(int)
    return X, y, 1 / (1 + np.exp(-z))


def blobs(n=300, classes=3, seed=0):
    """Return (X, y, P): overlapping blobs, and scores of all classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, 2)) + 1.5 * np.stack([np.cos(y), np.sin(y)], axis=1)
    P = rng.dirichlet(np.ones(classes), n) + 0.6 * np.eye(classes)[y]
    return X, y, P / P.sum(axis=1, keepdims=True)
