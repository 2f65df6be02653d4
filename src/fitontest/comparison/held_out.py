"""The evaluation of one candidate on rows that it was not fitted to: out of fold, or on a test set.

Folds are not stratified. Stratified folds give the fitted and the held-out rows the same share of positives. That
would hide the error of fitting this share, which is the main error of a calibrator that is fitted to few rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from fitontest.comparison.decomposition import Parts, decompose
from fitontest.comparison.interpretability import Interpretability, measure_interpretability
from fitontest.comparison.known_truth import Quality, measure_quality
from fitontest.data.ordering import Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import Held, held_warnings, warn_user, without_warnings
from fitontest.families.base import Family
from fitontest.families.stacking import Stacking
from fitontest.maps.base import CalibrationMap
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import l1
from fitontest.typing import FloatArray, IntArray, RowLoss


@dataclass(frozen=True, eq=False)
class CandidateResult:
    """The result of one candidate, before it is compared with the others.

    Attributes
    ----------
    family : Family
        Fitted to all rows.
    fit_seconds : float
        Time of that fit.
    losses : array
        The loss of each sorted row out of fold.
    test_losses : array or None
        The loss of each sorted row of the test set, if there is one.
    parts, errors, quality, certain, interpretability
        As in `Calibrator`.
    """

    family: Any
    fit_seconds: float
    losses: FloatArray
    test_losses: FloatArray | None
    parts: Parts
    errors: dict[str, float]
    quality: Quality | None
    certain: float
    interpretability: Interpretability | None = None


@dataclass(frozen=True, eq=False)
class HeldOutEvaluation:
    """Held-out rows and the measures computed on them, the same for every candidate.

    Attributes
    ----------
    sample : ScoreSample
        The rows to fit to, which are also predicted out of fold.
    test : ScoreSample or None
        Other rows.
    folds : list of lists of int arrays
        The positions of the rows of each fold, for each repeat of the cross-validation.
    loss : callable
        ``loss(y, q)``, the loss of each row.
    evaluators : mapping of str to Family
        Families that estimate the calibration error.
    decomposition : Family
        Family under which the loss is decomposed.
    truth : array or None
        The true probability at each of `rows`.
    interpretability : bool
        Whether it is measured too.
    known : list of tuples of Family and array
        Predictions out of fold that were made already.
    said : list of pairs of str and type
        Warnings that were given already.
    """

    sample: ScoreSample
    test: ScoreSample | None
    folds: list[list[IntArray]]
    loss: RowLoss
    evaluators: Mapping[str, Family]
    decomposition: Family
    truth: FloatArray | None
    interpretability: bool = False
    known: list[tuple[Family, FloatArray]] = field(default_factory=list)
    said: list[Held] = field(default_factory=list)

    @property
    def rows(self) -> Rows:
        """The sorted rows on which errors and parts are measured: the test set, if there is one, else the sample."""
        return self.sample.rows if self.test is None else self.test.rows

    def evaluate(self, family: Family) -> CandidateResult:
        """Return the result of one candidate, and leave it fitted to all rows."""
        predictions = self._stack(family) if isinstance(family, Stacking) else self._predict(family)
        predictions = np.clip(predictions, 0.0, 1.0)  # only bins of slope 1 have values outside
        losses = self._average_losses(self.sample.rows, predictions)
        start = perf_counter()
        self._fit(family)
        fit_seconds = perf_counter() - start
        rows, test_losses = self.rows, None
        q = predict(family.map_, rows.p)
        if self.test is not None:
            predictions = q[None, :]
            test_losses = self._average_losses(rows, predictions)
        judged = self.sample if self.test is None else self.test
        samples = [judged.rescored(each) for each in predictions]
        return CandidateResult(
            family=family,
            fit_seconds=fit_seconds,
            losses=losses,
            test_losses=test_losses,
            parts=self._decompose(samples),
            errors=self._measure_errors(samples),
            quality=None if self.truth is None else measure_quality(q, self.truth, rows.w),
            certain=l1(((q == 0) | (q == 1)).astype(np.float64), rows.w),
            interpretability=self._measure_interpretability(judged.rescored(q), samples),
        )

    def _fit(self, family: Family) -> None:
        """Fit a family to all rows, and warn of what has not been said yet, as of the members of a mixture."""
        with held_warnings() as held:
            family.fit_sample(self.sample.merged)
        for warning in held:
            if warning not in self.said:
                self.said.append(warning)
                warn_user(*warning)

    def _predict(self, family: Family) -> FloatArray:
        """Return the predictions out of fold, shape (repeats, n); they are remembered for mixtures of families."""
        for other, predictions in self.known:
            if have_same_settings(family, other):
                return predictions
        predictions = predict_out_of_fold(family, self.sample, self.folds)
        self.known.append((clone(family), predictions))
        return predictions

    def _stack(self, stacking: Stacking) -> FloatArray:
        """Return predictions of the mixture out of fold: each fold's with weights that were chosen without it.

        The members' predictions are those of the comparison. Those of the other folds, by which the weights are chosen,
        are made by members that were fitted to the rows of this one: only its own predictions do not know them.
        """
        members = np.stack([self._predict(member) for member in stacking.make_members().values()], axis=-1)
        predictions = np.empty(members.shape[:2])
        for mixed, each, folds in zip(predictions, members, self.folds, strict=True):
            for held_out in folds:
                others = np.ones(len(self.sample.rows), dtype=bool)
                others[held_out] = False
                mixed[held_out] = each[held_out] @ stacking.weigh(each[others], self.sample.take(others))
        return predictions

    def _average_losses(self, rows: Rows, predictions: FloatArray) -> FloatArray:
        """Return the loss of each row, its mean over the repeats of a cross-validation."""
        return np.asarray(np.mean([self.loss(rows.y, q) for q in predictions], axis=0))

    def _decompose(self, samples: list[ScoreSample]) -> Parts:
        """Return the parts of the loss, their means over the repeats."""
        parts = [decompose(sample, self.decomposition, self.loss) for sample in samples]
        return Parts(
            float(np.mean([part.calibration for part in parts])), float(np.mean([part.refinement for part in parts]))
        )

    def _measure_interpretability(self, fitted: ScoreSample, held_out: list[ScoreSample]) -> Interpretability | None:
        """Return how readable and how valid the calibrated scores are, where that is wanted."""
        if not self.interpretability:
            return None
        with without_warnings():
            return measure_interpretability(fitted, held_out)

    def _measure_errors(self, samples: list[ScoreSample]) -> dict[str, float]:
        """Return the calibration error by each evaluator, its mean over the repeats."""
        with without_warnings():
            return {
                name: float(np.mean([float(PlugIn(family).estimate(sample)) for sample in samples]))
                for name, family in self.evaluators.items()
            }


def have_same_settings(family: BaseEstimator, other: BaseEstimator) -> bool:
    """Return whether two estimators are of one class, with equal parameters; generators are equal to themselves."""
    if type(family) is not type(other):
        return False
    mine, others = family.get_params(deep=False), other.get_params(deep=False)
    return mine.keys() == others.keys() and all(_same(mine[name], others[name]) for name in mine)


def _same(value: object, other: object) -> bool:
    if isinstance(value, BaseEstimator) and isinstance(other, BaseEstimator):
        return have_same_settings(value, other)
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return type(value) is type(other) and bool(np.array_equal(value, other))  # type: ignore[arg-type]
    return value is other or (type(value) is type(other) and bool(value == other))


def predict_out_of_fold(family: Family, sample: ScoreSample, repeats: list[list[IntArray]]) -> FloatArray:
    """Return predictions of shape (repeats, n), each row's by a map fitted without the rows of its fold.

    Warnings of these fits are suppressed: the fit to all rows warns of the same data.
    """
    return np.stack([family.hold_out(sample, folds) for folds in repeats])


def predict(fitted: CalibrationMap, p: FloatArray) -> FloatArray:
    """Return c_hat(p) clipped to [0, 1]; only bins of slope 1 have values outside it."""
    return np.clip(fitted.evaluate(p), 0.0, 1.0)
