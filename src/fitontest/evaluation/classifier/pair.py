"""One fitted classifier with the fitted families of its classes: scores in, calibrated probabilities out.

Of two classes the second has a family and the first gets the rest. Of more classes each has a family of its own,
fitted to that class against the rest, and the rows are divided by their sums; or one family of several classes, or a
tree that sees the features of the rows too, is fitted to all of them.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fitontest.data.columns import Names
from fitontest.data.row_groups import GROUP, coded_ids
from fitontest.data.sample import NO_FACTS, Facts
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex import on_simplex
from fitontest.data.simplex_sample import SimplexSample
from fitontest.data.weights import Weights
from fitontest.evaluation.classifier.chosen import AUTO, Chosen
from fitontest.evaluation.classifier.rows import take_part
from fitontest.evaluation.classifier.scores import Reading, positions, respond
from fitontest.families.base import Family, read_family
from fitontest.families.feature_calibrator import FeatureCalibrator
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import FamilyBase, registered_class, seeded
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.results.typing import BoolArray, FloatArray, IntArray, Label, RandomState

#: A family of two classes or of several, or a calibrator that sees the features.
AnyFamily: TypeAlias = Family | MulticlassFamily | FeatureCalibrator
NAMES = Names("y", "the scores of the estimator")


def read_any_family(family: object, random_state: RandomState) -> AnyFamily | Chosen:
    """Return an unfitted family of two classes, of several or of features, or what chooses one."""
    if isinstance(family, str) and family == AUTO:
        return Chosen(random_state)
    if isinstance(family, str):
        return seeded(registered_class(family)(), random_state)
    return clone(family) if isinstance(family, FamilyBase) else read_family(family)  # which says what it may be


@dataclass(frozen=True, eq=False)
class CalibratedPair:
    """A fitted classifier and, by class, the families fitted to its scores.

    Attributes
    ----------
    estimator : estimator
        The fitted classifier.
    families_ : dict
        From a class to its fitted `Family`: of two classes only the second, of more every class that the estimator
        was fitted to. An estimator fitted to one class gives it probability 1, and nothing is calibrated. Empty where
        there is a `family_`.
    classes_ : array of shape (K,)
        All classes, in the order of the columns; a class that the estimator was not fitted to has probability 0.
    reading : Reading
        How the responses of the estimator become scores.
    columns : array of int or None
        The columns of X that the estimator takes, where X holds similarities to all the training rows.
    family_ : MulticlassFamily, FeatureCalibrator or None
        The family of several classes or the tree, fitted to the classes that the estimator was fitted to.
    """

    estimator: Any
    families_: dict[Label, Family]
    classes_: NDArray[Any]
    reading: Reading
    columns: IntArray | None = None
    family_: Any = None

    def scores(self, X: Any) -> FloatArray:
        """Return the scores of the estimator, shape (n, K), before calibration."""
        return self.reading.scores(self._respond(X))

    def _respond(self, X: Any) -> FloatArray:
        X = X if self.columns is None else take_part(X, None, self.columns)
        return respond(self.estimator, X, self.reading.method, self.classes_)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the calibrated probabilities, shape (n, K); the rows add up to 1."""
        if self.family_ is not None:
            raw = self._respond(X)
            columns = positions(self.estimator, self.classes_)
            probabilities = np.zeros(raw.shape)
            if self.family_.takes_features:
                logits = _logits(self.reading.scores(raw)[:, np.sort(columns)])
                probabilities[:, np.sort(columns)] = self.family_.evaluate_logits(X, logits)
                return probabilities
            scores, c_hat = _together(self.reading, raw[:, columns]), self.family_.map_
            probabilities[:, columns] = c_hat.evaluate_log(scores) if self.reading.logs else c_hat.on_simplex(scores)
            return probabilities
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
    """The rows to calibrate on: responses of the estimator, the positions of the classes, weights.

    Their features are the given rows of X, and are taken only for a calibrator that sees them.
    """

    raw: FloatArray
    codes: IntArray
    w: FloatArray | None
    X: Any
    rows: IntArray
    counts: bool = True
    groups: NDArray[Any] | None = None

    @property
    def present(self) -> BoolArray:
        """Which rows have a positive weight."""
        return np.ones(self.codes.size, dtype=bool) if self.w is None else self.w > 0

    def weights(self, rows: Any = slice(None)) -> Weights | None:
        """Return the weights of the rows, or of a part of them."""
        return None if self.w is None else Weights(self.w[rows], self.counts)

    def facts(self, rows: Any = slice(None)) -> Facts:
        """Return the groups of the rows, or of a part of them; none of a single group, which no fold could hold out."""
        if self.groups is None:
            return NO_FACTS
        ids = self.groups[rows]
        return NO_FACTS if len(coded_ids(ids[self.present[rows]])[0]) < 2 else {GROUP: ids}

    def occurring(self, n_classes: int) -> IntArray:
        """Return the classes with rows of positive weight."""
        return np.flatnonzero(np.bincount(self.codes, self.w, n_classes))


def fit_pair(
    family: Any, estimator: Any, rows: Calibration, classes: NDArray[Any], method: str, columns: IntArray | None
) -> CalibratedPair:
    """Fit a clone of the family for each class that needs one, or one of several classes to all of them."""
    pair = CalibratedPair(estimator, {}, classes, Reading.of(method, rows.raw, rows.w), columns)
    known = positions(estimator, classes)
    if family.takes_features:
        return _fit_features(pair, family, rows, np.sort(known))
    if family.takes_classes and (classes.size > 2 or not family.takes_column):
        return pair if known.size < 2 else _fit_together(pair, family, rows, known)
    scores = pair.reading.scores(rows.raw)
    columns_to_fit = [1] if classes.size == 2 else sorted(known.tolist())
    for k in columns_to_fit if known.size > 1 else []:
        sample = ScoreSample(rows.codes == k, scores[:, k], rows.weights(), names=NAMES)
        sample = sample.with_facts(**rows.facts())
        pair.families_[classes[k : k + 1].tolist()[0]] = clone(family).fit_sample(sample)
    return pair


def _fit_together(pair: CalibratedPair, family: MulticlassFamily, rows: Calibration, known: IntArray) -> CalibratedPair:
    """Fit a clone of the family to the classes that the estimator knows, and to the rows of these classes."""
    classes = pair.classes_
    reading = Reading(pair.reading.method, np.ones(classes.size), together=True)
    pair = replace(pair, reading=reading)
    place = np.full(classes.size, -1, dtype=np.intp)
    place[known] = np.arange(known.size)
    fitted = rows.present & (place[rows.codes] >= 0)
    if not fitted.any():
        return pair
    scores = _together(reading, rows.raw[np.ix_(fitted, known)])
    labels = classes[known].tolist()
    sample = SimplexSample(scores, place[rows.codes[fitted]], labels, rows.weights(fitted), logs=reading.logs)
    return replace(pair, family_=clone(family).fit_sample(sample.with_facts(**rows.facts(fitted))))


def _fit_features(
    pair: CalibratedPair, family: FeatureCalibrator, rows: Calibration, known: IntArray
) -> CalibratedPair:
    """Fit a clone of the calibrator to scores and features of the rows of the classes that the estimator knows."""
    if pair.columns is not None:
        raise ValueError(f"family must not need features where X holds similarities of rows, got {family}")
    fitted = np.flatnonzero(np.isin(rows.codes, known) & rows.present)
    if known.size < 2 or fitted.size == 0:
        return pair
    logits = _logits(pair.reading.scores(rows.raw[fitted])[:, known])
    X = take_part(rows.X, rows.rows[fitted], None)
    codes = np.searchsorted(known, rows.codes[fitted])
    classes = pair.classes_[known]
    weights, groups = rows.weights(fitted), rows.facts(fitted).get(GROUP)
    return replace(pair, family_=clone(family).fit_coded(X, codes, classes, weights, logits, groups))


def _logits(scores: FloatArray) -> FloatArray:
    """Return the logits of the second of two classes, or of each class, as a tree takes them."""
    return logit(scores[:, 1:] if scores.shape[1] == 2 else scores, LOGIT_EPS)


def _together(reading: Reading, raw: FloatArray) -> FloatArray:
    """Return the scores of all classes as points of the simplex, or the logarithms of such points."""
    if reading.logs:
        return reading.log_scores(raw)
    return on_simplex(reading.scores(raw), f"{reading.method} of the estimator")
