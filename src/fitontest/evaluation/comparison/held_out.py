"""The evaluation of one candidate on rows that it was not fitted to: out of fold, or on a test set.

Folds are not stratified. Stratified folds give the fitted and the held-out rows the same share of positives. That
would hide the error of fitting this share, which is the main error of a calibrator that is fitted to few rows.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from fitontest.data.sample import Sample
from fitontest.evaluation.comparison.candidates import is_mixture, of_one_class
from fitontest.evaluation.comparison.decomposition import decompose
from fitontest.evaluation.comparison.fitted_maps import OF_SEVERAL_MAPS, FittedMaps, mean_estimate
from fitontest.evaluation.comparison.interpretability import Interpretability, measure_interpretability
from fitontest.evaluation.comparison.judging import columns_by_labelling, joined_columns, labellings_of, views_of
from fitontest.evaluation.comparison.known_truth import mean_given_rows, measure_quality
from fitontest.evaluation.comparison.options import Options
from fitontest.evaluation.comparison.with_features import ComparedRows, WorstSegment
from fitontest.families.reading import fit_estimator
from fitontest.measures.estimate import Estimate
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import l1
from fitontest.numerics.random import one_seed
from fitontest.results.exceptions import Held, held_warnings, warn_user, without_warnings
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class CandidateResult:
    """The result of one candidate, before it is compared with the others.

    Attributes
    ----------
    losses : array
        The loss of each row out of fold.
    test_losses : array or None
        The loss of each row of the test set, if there is one.
    calibrated : Sample
        The rows that are judged, with its predictions in place of the scores: those of the test set, if there is one,
        else out of fold, of the first repeat.
    numbers : dict
        What a `Calibrator` has of it: the fitted family, with its numbers by themselves.
    """

    losses: FloatArray
    test_losses: FloatArray | None
    calibrated: Sample
    numbers: dict[str, Any]


@dataclass(frozen=True, eq=False)
class HeldOutEvaluation:
    """Held-out rows and the measures computed on them, the same for every candidate.

    Attributes
    ----------
    sample : Sample
        The rows to fit to, which are also predicted out of fold.
    test : Sample or None
        Other rows.
    folds : list of lists of int arrays
        The positions of the rows of each fold, for each repeat of the cross-validation.
    truth : array or None
        The true probability at each row of the test set, if there is one, else of the sample.
    options : Options
        The loss, the families that estimate errors and decompose the loss, and how members of mixtures are read.
    features, test_features : ComparedRows or None
        Of the rows to fit to, and of the test set.
    known : list of tuples of family and array
        Predictions out of fold that were made already.
    said : list of pairs of str and type
        Warnings that were given already.
    """

    sample: Sample
    test: Sample | None
    folds: list[list[IntArray]]
    truth: FloatArray | None
    options: Options
    features: ComparedRows | None = None
    test_features: ComparedRows | None = None
    known: list[tuple[Any, FloatArray]] = field(default_factory=list)
    said: list[Held] = field(default_factory=list)

    @property
    def judged(self) -> Sample:
        """The rows on which errors and parts are measured: the test set, if there is one, else the sample."""
        return self.sample if self.test is None else self.test

    @cached_property
    def _given(self) -> Any:
        """The rows with their scores, without the folds that were drawn, as other functions read them."""
        return self.sample.rescored(self.sample.present.p)

    def evaluate(self, family: Any) -> CandidateResult:
        """Return the result of one candidate, and leave it fitted to all rows."""
        mixed = is_mixture(family) and not family.takes_features
        predictions = self._stack(family) if mixed else self._predict(family)
        predictions = np.clip(predictions, 0.0, 1.0)  # only bins of slope 1 have values outside
        losses = self._average_losses(self.sample.present, predictions)
        start = perf_counter()
        self._fit(family)
        fit_seconds = perf_counter() - start
        judged, test_losses = self.judged, None
        q = self._predict_judged(family)
        if self.test is not None:
            predictions = q[None]
            test_losses = self._average_losses(judged.present, predictions)
        if self.test is None and not (family.takes_features or of_one_class(family).does_nothing):
            predictions = np.stack([self._join_ties(each) for each in predictions])
        samples = [judged.rescored(each) for each in predictions]
        certain = ((q == 0) | (q == 1)).reshape(len(q), -1).any(axis=1)
        told = losses if test_losses is None else test_losses
        numbers = {
            "family": family,
            "fit_seconds": fit_seconds,
            "parts": decompose(samples, self.options.decomposing, self.options.scoring, l1(told, judged.present.w)),
            "errors": self._measure_errors(family, samples),
            "quality": None if self.truth is None else measure_quality(judged, q, self.truth),
            "certain": l1(certain.astype(np.float64), judged.present.w),
            "interpretability": self._measure_interpretability(judged.rescored(q), samples),
            "worst_segment": self._find_worst_segment(samples[0]),
        }
        return CandidateResult(losses, test_losses, samples[0], numbers)

    def _fit(self, family: Any) -> None:
        """Fit a family to all rows, and warn of what has not been said yet, as of the members of a mixture."""
        with held_warnings() as held:
            if family.takes_features:
                self._features.fit(family)
            else:
                fit_estimator(family, self.sample)
        for warning in held:
            if warning not in self.said:
                self.said.append(warning)
                warn_user(*warning)

    @property
    def _features(self) -> ComparedRows:
        assert self.features is not None  # families that take features are refused without any
        return self.features

    @property
    def _judged_features(self) -> ComparedRows | None:
        return self.features if self.test is None else self.test_features

    def _predict_judged(self, family: Any) -> FloatArray:
        """Return what the map of a fitted family makes of the rows on which errors are measured."""
        if not family.takes_features:
            return self.judged.present.predict(family.map_)
        features = self._judged_features
        assert features is not None
        return features.predict(family, self.judged)

    def _find_worst_segment(self, sample: Sample) -> WorstSegment | None:
        """Return the segment in which predictions are most wrong, where rows have features."""
        features = self._judged_features
        if features is None:
            return None
        return features.worst_segment(sample, one_seed(self.options.random_state))

    def worst_if_calibrated(self, sample: Sample) -> tuple[float, float] | None:
        """Return what the worst segment and the multicalibration error of calibrated predictions are, on average."""
        features = self._judged_features
        if features is None:
            return None
        return features.worst_if_calibrated(sample, one_seed(self.options.random_state))

    def _predict(self, family: Any) -> FloatArray:
        """Return the predictions out of fold, of each repeat; they are remembered for mixtures of families."""
        for other, predictions in self.known:
            if have_same_settings(family, other):
                return predictions
        predictions = np.stack([self._hold_out(family, folds) for folds in self.folds])
        self.known.append((clone(family), predictions))
        return predictions

    def _hold_out(self, family: Any, folds: list[IntArray]) -> FloatArray:
        if not family.takes_features:
            return self.sample.hold_out(family, folds)
        with without_warnings():
            return self._features.hold_out(family, self.sample, folds)

    def _stack(self, family: Any) -> FloatArray:
        """Return predictions of the mixture out of fold: each fold's with weights that were chosen without it.

        The members' predictions are those of the comparison. Those of the other folds, by which the weights are chosen,
        are made by members that were fitted to the rows of this one: only its own predictions do not know them.
        """
        mixture = of_one_class(family)
        members = np.stack([self._predict(member) for member in self.options.kind.adapted_members(mixture)], axis=-1)
        return np.stack([self._mix(mixture, *pair) for pair in zip(members, self.folds, strict=True)])

    def _mix(self, mixture: Any, members: FloatArray, folds: list[IntArray]) -> FloatArray:
        """Return the mixtures of the members' predictions, shape (n, ..., J), in one repeat."""
        sample = self.sample
        mixed = []
        for values, labels in zip(columns_by_labelling(sample, members), labellings_of(sample), strict=True):
            column = np.empty(values.shape[:-1])
            for held_out in folds:
                others = np.ones(len(labels), dtype=bool)
                others[held_out] = False
                part = sample.take(others)
                weights = mixture.weigh(values[others], labels[others], part.present.w / part.row_weight)
                column[held_out] = values[held_out] @ weights
            mixed.append(column)
        return joined_columns(mixed)

    def _average_losses(self, sample: Sample, predictions: FloatArray) -> FloatArray:
        """Return the loss of each row, its mean over the repeats of a cross-validation."""
        return np.asarray(np.mean([sample.losses(self.options.scoring, q) for q in predictions], axis=0))

    def _join_ties(self, predictions: FloatArray) -> FloatArray:
        """Return held-out predictions of which those of one score are their mean.

        The maps of the folds make several of one score, whose order is chance.
        """
        rows: Any = self.sample.present
        pairs = zip(*(columns_by_labelling(rows, values) for values in (rows.p, predictions)), strict=True)
        return joined_columns([mean_given_rows(p, q, rows.w) for p, q in pairs])

    def _measure_interpretability(self, fitted: Sample, held_out: list[Sample]) -> Interpretability | None:
        """Return how readable and how valid the calibrated scores are, where that is wanted."""
        if not self.options.interpretability:
            return None
        with without_warnings():
            return measure_interpretability(fitted, held_out)

    def _measure_errors(self, family: Any, samples: list[Sample]) -> dict[str, Estimate]:
        """Return the calibration errors by each evaluator, their means over the repeats."""
        views = [views_of(sample) for sample in samples]
        seed = one_seed(self.options.random_state)
        errors = {}
        for name, evaluator in self.options.estimators.items():
            maps = None if self.test is not None else FittedMaps.of(self._given, family, seed)
            for what in views[0]:
                with without_warnings():
                    raw = mean_estimate(PlugIn(evaluator), [view[what] for view in views])
                if self.test is None and maps is None:
                    raw = raw.with_uncertainty(interval_reason=OF_SEVERAL_MAPS)
                errors[f"{name}{what}"] = raw if maps is None else replace(raw, known=None, origin=maps)
        return errors


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
