"""Pseudo-real tables: rows drawn from a model of a real table, whose true probabilities of the classes are known.

Features are drawn from a Gaussian copula for each class, with the table's own marginal distributions; labels from a
gradient-boosted model of the classes given the features, fitted to the table. The boosted model is the truth: a row of
features has the probabilities that it says.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

Array = NDArray[np.float64]

TABLES = ("bank_marketing", "pendigits_mc", "shuttle", "taiwan_credit")
CLASSIFIERS = ("logistic regression", "random forest", "neural network")
TRAIN = 10_000
LEAST_SHARE = 0.01  # of a class: boosting of classes with ten rows diverges, and with it the truth of all others
CHUNK = 50_000  # rows that are drawn, scored and forgotten at a time


@dataclass(frozen=True)
class Copula:
    """A Gaussian copula with empirical marginal distributions: what one class's features are drawn from.

    Attributes
    ----------
    ordered : array of shape (m, d)
        Each feature's values in order.
    mixing : array of shape (d, d)
        Independent normal variables times this have the correlations of the features' normal scores.
    """

    ordered: Array
    mixing: Array

    @classmethod
    def of(cls, x: Array, rng: np.random.Generator) -> "Copula":
        """Fit to rows; ties get their ranks in random order, as a latent variable below the value would have them."""
        shuffled = rng.permuted(np.arange(x.shape[0])[:, None].repeat(x.shape[1], axis=1), axis=0)
        order = np.lexsort((shuffled, x), axis=0)
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(x.shape[0])[:, None], axis=0)
        scores = ndtri((ranks + 0.5) / x.shape[0])
        scores /= np.maximum(scores.std(axis=0), 1e-12)  # a class of one row has no spread, and no correlations
        values, vectors = np.linalg.eigh(scores.T @ scores / x.shape[0])
        return cls(np.take_along_axis(x, order, axis=0), (vectors * np.sqrt(np.maximum(values, 0.0))).T)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw n rows."""
        uniform = ndtr(rng.standard_normal((n, self.mixing.shape[0])) @ self.mixing)
        rows = np.minimum((uniform * self.ordered.shape[0]).astype(np.int64), self.ordered.shape[0] - 1)
        return np.take_along_axis(self.ordered, rows, axis=0)


@dataclass(frozen=True)
class Rows:
    """Rows of a pseudo-real table: features, true probabilities of the classes, and labels drawn from them."""

    x: Array
    truth: Array
    y: NDArray[np.int64]


@dataclass(frozen=True)
class Generator:
    """A model of a real table that gives any number of labelled rows."""

    shares: Array
    copulas: tuple[Copula, ...]
    labels: HistGradientBoostingClassifier

    @classmethod
    def of(cls, x: Array, y: NDArray[np.int64], seed: int) -> "Generator":
        """Fit to the rows of a table, whose classes are 0 to K - 1."""
        rng = np.random.default_rng(seed)
        shares = np.bincount(y) / y.size
        copulas = tuple(Copula.of(x[y == k], rng) for k in range(shares.size))
        boosted = HistGradientBoostingClassifier(early_stopping=True, learning_rate=0.05, random_state=seed)
        return cls(shares, copulas, boosted.fit(x, y))

    def draw(self, n: int, rng: np.random.Generator) -> Rows:
        """Draw rows: a class, features given the class, and the label anew from the model of labels."""
        kinds = rng.choice(self.shares.size, size=n, p=self.shares)
        x = np.empty((n, self.copulas[0].ordered.shape[1]))
        for k, copula in enumerate(self.copulas):
            x[kinds == k] = copula.draw(int(np.sum(kinds == k)), rng)
        truth = self.labels.predict_proba(x)
        below = np.cumsum(truth, axis=1) < rng.random(n)[:, None]
        return Rows(x, truth, np.minimum(below.sum(axis=1), truth.shape[1] - 1))


def table(path: Path) -> tuple[Array, NDArray[np.int64]]:
    """Return features and labels 0 to K - 1 of a file, without the rows of classes that are rarer than 1 %."""
    with np.load(path, allow_pickle=False) as found:
        x, y = found["X"].astype(np.float64), found["y"].astype(np.int64)
    kept = np.isin(y, np.flatnonzero(np.bincount(y) >= LEAST_SHARE * y.size))
    return x[kept], np.unique(y[kept], return_inverse=True)[1]


def classifier(name: str, seed: int) -> ClassifierMixin:
    """Return a classifier of a kind, not yet fitted."""
    kinds = {
        "logistic regression": LogisticRegression(max_iter=2000),
        "random forest": RandomForestClassifier(200, max_features="sqrt", random_state=seed),
        "neural network": MLPClassifier((64, 64), max_iter=60, random_state=seed),
    }
    return make_pipeline(StandardScaler(), kinds[name])


@dataclass(frozen=True)
class Scored:
    """Rows as calibration sees them: probabilities of a classifier, true probabilities, and labels."""

    scores: Array
    truth: Array
    y: NDArray[np.int64]

    def __getitem__(self, rows: slice) -> "Scored":
        return Scored(self.scores[rows], self.truth[rows], self.y[rows])


def fitted(name: str, generator: Generator, seed: int) -> ClassifierMixin:
    """Return a classifier trained on its first rows of a pseudo-real table, the same for all kinds."""
    rows = generator.draw(TRAIN, np.random.default_rng([seed, 0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the network stops after 60 passes, as it is told
        return classifier(name, seed).fit(rows.x, rows.y)


def scored(model: ClassifierMixin, generator: Generator, n: int, stream: list[int]) -> Scored:
    """Return the scores of n fresh rows; rows are drawn a chunk at a time, so that features need no memory."""
    rng = np.random.default_rng(stream)
    parts = [_chunk(model, generator.draw(size, rng)) for size in _sizes(n)]
    return Scored(*(np.concatenate([getattr(part, key) for part in parts]) for key in ("scores", "truth", "y")))


def _chunk(model: ClassifierMixin, rows: Rows) -> Scored:
    return Scored(model.predict_proba(rows.x), rows.truth, rows.y)


def _sizes(n: int) -> Iterator[int]:
    for start in range(0, n, CHUNK):
        yield min(CHUNK, n - start)
