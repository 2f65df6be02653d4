"""Small classification problems that overlap, so that no family is told of separable labels."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

NAMES = np.array(["ash", "birch", "cedar", "dogwood"])


def problem(n=240, classes=2, seed=0):
    """Return (X, y): blobs of four features, with labels 0, 1, ... in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    centres = rng.normal(size=(classes, 4))
    return centres[y] + 1.6 * rng.normal(size=(n, 4)), y


def weights(n, seed=1):
    """Return whole weights from 0 to 3."""
    return np.random.default_rng(seed).integers(0, 4, n).astype(float)


class Margin(ClassifierMixin, BaseEstimator):
    """A classifier of two classes that only has decision values: a multiple of the first feature."""

    def __init__(self, factor=1.0, shift=0.0):
        self.factor = factor
        self.shift = shift

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def decision_function(self, X):
        return self.factor * np.asarray(X)[:, 0] + self.shift


class Recorder(GaussianNB):
    """Remembers what its fit was given."""

    def fit(self, X, y, sample_weight=None, tag=None, per_row=None):
        self.seen_ = {"X": X, "y": y, "sample_weight": sample_weight, "tag": tag, "per_row": per_row}
        return super().fit(X, y, sample_weight)
