"""One fitted classifier with the fitted families of its classes: scores in, calibrated probabilities out.

Of two classes the second has a family and the first gets the rest. Of more classes each has a family of its own,
fitted to that class against the rest, and the rows are divided by their sums.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fitontest.classifier.rows import take_part
from fitontest.classifier.scores import Reading, positions, respond
from fitontest.data.sample import Sample
from fitontest.families.base import Family
from fitontest.typing import FloatArray, IntArray, Label

NAMES = ("y", "the scores of the estimator", "sample_weight")


@dataclass(frozen=True, eq=False)
class CalibratedPair:
    """A fitted classifier and, by class, the families fitted to its scores.

    Attributes
    ----------
    estimator : estimator
        The fitted classifier.
    families_ : dict
        From a class to its fitted `Family`: of two classes only the second, of more every class that the estimator
        was fitted to. An estimator fitted to one class gives it probability 1, and nothing is calibrated.
    classes_ : array of shape (K,)
        All classes, in the order of the columns; a class that the estimator was not fitted to has probability 0.
    reading : Reading
        How the responses of the estimator become scores.
    columns : array of int or None
        The columns of X that the estimator takes, where X holds similarities to all the training rows.
    """

    estimator: Any
    families_: dict[Label, Family]
    classes_: NDArray[Any]
    reading: Reading
    columns: IntArray | None = None

    def scores(self, X: Any) -> FloatArray:
        """Return the scores of the estimator, shape (n, K), before calibration."""
        X = X if self.columns is None else take_part(X, None, self.columns)
        return self.reading.scores(respond(self.estimator, X, self.reading.method, self.classes_))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the calibrated probabilities, shape (n, K); the rows add up to 1."""
        proba = self.scores(X)
        for k, label in enumerate(self.classes_.tolist()):
            if label in self.families_:
                proba[:, k] = self.families_[label].transform(proba[:, k])
        if self.classes_.size == 2:
            proba[:, 0] = 1.0 - proba[:, 1]
            return proba
        total = proba.sum(axis=1, keepdims=True)
        known = np.isin(np.arange(self.classes_.size), positions(self.estimator, self.classes_))
        even = np.broadcast_to(known / known.sum(), proba.shape).copy()  # for rows to which no family leaves anything
        return np.asarray(np.divide(proba, total, out=even, where=total > 0))


@dataclass(frozen=True, eq=False)
class Calibration:
    """The rows to calibrate on: responses of the estimator, the positions of the classes, weights."""

    raw: FloatArray
    codes: IntArray
    w: FloatArray | None

    def occurring(self, n_classes: int) -> IntArray:
        """Return the classes with rows of positive weight."""
        return np.flatnonzero(np.bincount(self.codes, self.w, n_classes))


def fit_pair(
    family: Family, estimator: Any, rows: Calibration, classes: NDArray[Any], method: str, columns: IntArray | None
) -> CalibratedPair:
    """Fit a clone of the family for each class that needs one."""
    reading = Reading.of(method, rows.raw, rows.w)
    scores = reading.scores(rows.raw)
    known = positions(estimator, classes)
    wanted = [1] if classes.size == 2 else sorted(known.tolist())
    families: dict[Label, Family] = {}
    for k in wanted if known.size > 1 else []:
        sample = Sample(rows.codes == k, scores[:, k], rows.w, names=NAMES)
        families[classes[k : k + 1].tolist()[0]] = clone(family).fit_sample(sample)
    return CalibratedPair(estimator, families, classes, reading, columns)
