"""Calibrators of several classes compared: maps of whole distributions, on rows that they were not fitted to.

Losses are sums over the classes. Folds hold out equal rows together, and are not stratified, as those of two classes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from sklearn.base import clone

from fitontest.checks import choose
from fitontest.comparison.calibrators import RULES_OF_FAMILIES
from fitontest.comparison.candidates import find_identity
from fitontest.comparison.comparison import Comparison
from fitontest.comparison.decomposition import Parts
from fitontest.comparison.held_out import CandidateResult
from fitontest.comparison.pairing import rank_results
from fitontest.data.predictions import Predictions
from fitontest.data.repeated_rows import Repeats
from fitontest.data.simplex_sample import SimplexSample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.families.identity import Identity
from fitontest.families.listed import names_by_settings, read_families
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.one_vs_rest import class_family_name, read_for_classes
from fitontest.families.registry import family_name, registered_class
from fitontest.families.registry import names as family_names
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.losses import find_loss
from fitontest.numerics.norms import l1
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.progress import track
from fitontest.typing import FloatArray, IntArray, RandomState, RowLoss

DECOMPOSITION = "vector"  # penalised, so that it gains little from rows that it is fitted to
FOLDED = "{name}, confidence", "{name}, class-wise"  # what is measured of the calibrated predictions


@dataclass(frozen=True, eq=False)
class ClassOptions:
    """The checked options of a comparison of several classes; families given by name are made."""

    candidates: dict[str, MulticlassFamily]
    cv: int
    repeats: int
    scoring: str
    rule: str
    evaluators: dict[str, Family]
    decomposition: MulticlassFamily
    random_state: RandomState

    @classmethod
    def of(
        cls,
        families: Iterable[object] | None,
        cv: int,
        repeats: int,
        scoring: str,
        rule: str,
        evaluators: Iterable[str | Family],
        decomposition: object,
        random_state: RandomState,
    ) -> "ClassOptions":
        """Check the options and make the families."""
        repeated_folds(2, cv, repeats, 0)  # raises where cv or repeats are not valid
        seed = one_seed(random_state)
        return cls(
            _read_candidates(families, seed),
            cv,
            repeats,
            choose(scoring, ("log_loss", "brier"), "scoring"),
            _read_rule(rule),
            read_families(evaluators, "evaluators", seed),
            read_for_classes(DECOMPOSITION if decomposition is None else decomposition, seed),
            random_state,
        )

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return find_identity(self.candidates)


def compare_class_candidates(
    data: SimplexSample, options: ClassOptions, test: SimplexSample | None = None, labels: str = "y_true"
) -> Comparison:
    """Return the comparison on checked distributions; `labels` is what the caller calls the labels."""
    data = data.in_order()
    counts = np.bincount(data.codes, minlength=data.n_classes)
    if np.count_nonzero(counts) < 2:
        raise ValueError(f"{labels} must have rows of two classes or more, got {data.n} rows of one")
    Repeats.of(data.confidence).warn()
    evaluation = _Evaluation.of(data, None if test is None else test.in_order(), options)
    results = {
        name: evaluation.evaluate(options.candidates[name]) for name in track(list(options.candidates), "families")
    }
    ranked = rank_results(results, data, evaluation.test, options.do_nothing)
    return Comparison(
        calibrators=tuple(ranked),
        chosen=RULES_OF_FAMILIES[options.rule](ranked, options.do_nothing),
        scoring=options.scoring,
        rule=options.rule,
        decomposition=family_name(options.decomposition),
        cv=min(options.cv, data.n),
        repeats=options.repeats,
        n=data.n,
        base_rate=None,
        n_smaller_class=int(counts[counts > 0].min()),
        backwards=_is_mixed_up(data),
        n_test=None if evaluation.test is None else evaluation.test.n,
        do_nothing=options.do_nothing,
        n_classes=data.n_classes,
        weighting=data.weighting,
    )


def _is_mixed_up(data: SimplexSample) -> bool:
    """Return whether labels are less probable than by chance, as with columns in another order than the classes."""
    own = data.p[np.arange(len(data)), data.codes]
    return float(data.w @ own) / data.total < 1.0 / data.n_classes


def list_class_calibrators() -> list[str]:
    """Return the names of the registered families of several classes that are meant for deployment."""
    return [name for name in family_names("any") if registered_class(name).calibrator]


def _read_rule(rule: str) -> str:
    """Return the rule of the choice, or refuse it; mixtures are of maps of two classes."""
    if rule == "stack":
        raise ValueError(
            "rule must be 'one_se' or 'best' with reduction='canonical', got 'stack': mixtures are of maps of two "
            "classes, and families=[..., 'stacking'] fits one to each class against the rest"
        )
    return choose(rule, RULES_OF_FAMILIES, "rule")


def _read_candidates(families: Iterable[object] | None, seed: RandomState) -> dict[str, MulticlassFamily]:
    """Return unfitted families of several classes by name, after the identity unless that was given."""
    listed = list_class_calibrators() if families is None else families
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ValueError(f"families must be a list of names of families or of families, got {listed!r}")
    made = [read_for_classes(family, seed) for family in listed]
    if not any(isinstance(family, Identity) for family in made):
        made.insert(0, Identity())
    settings = [str(family) for family in made]
    twice = [text for text in settings if settings.count(text) > 1]
    if twice:
        raise ValueError(f"families must differ from one another, got {twice[0]} twice")
    return dict(zip(names_by_settings([class_family_name(family) for family in made], settings), made, strict=True))


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """Held-out rows and the measures computed on them, the same for every candidate."""

    data: SimplexSample
    test: SimplexSample | None
    folds: list[list[IntArray]]
    loss: RowLoss
    evaluators: Mapping[str, Family]
    decomposition: MulticlassFamily

    @classmethod
    def of(cls, data: SimplexSample, test: SimplexSample | None, options: ClassOptions) -> "_Evaluation":
        data, folds = data.present.in_repeated_folds(options.cv, options.repeats, options.random_state)
        if not folds[0]:
            raise ValueError(f"y_prob must have rows that differ, got {data.n} rows of one kind")
        loss = find_loss(options.scoring)
        return cls(data, test, folds, loss, options.evaluators, options.decomposition)

    def evaluate(self, family: MulticlassFamily) -> CandidateResult:
        """Return the result of one candidate, and leave it fitted to all rows."""
        predictions = [self._held_out(family, folds) for folds in self.folds]
        losses = np.mean([self.loss(self.data.codes, q) for q in predictions], axis=0)
        start = perf_counter()
        family.fit_rows(self.data)
        seconds = perf_counter() - start
        judged, test_losses = self.data if self.test is None else self.test, None
        fitted = family.map_.on_simplex(judged.p)
        if self.test is not None:
            predictions = [fitted]
            test_losses = self.loss(judged.codes, fitted)
        each = [judged.rescored(q) for q in predictions]
        certain = np.any((fitted == 0.0) | (fitted == 1.0), axis=1)
        return CandidateResult(
            family=family,
            fit_seconds=seconds,
            losses=np.asarray(losses),
            test_losses=test_losses,
            parts=self._decompose(each),
            errors=self._measure_errors(each),
            quality=None,
            certain=l1(certain.astype(np.float64), judged.w),
        )

    def _held_out(self, family: MulticlassFamily, folds: list[IntArray]) -> FloatArray:
        """Return predictions of shape (n, K), each row's by a map that was fitted without its fold."""
        predictions = np.empty(self.data.p.shape)
        with without_warnings():  # the fit to all rows warns of the same data
            for held_out in folds:
                fitted = np.ones(len(self.data), dtype=bool)
                fitted[held_out] = False
                c_hat = clone(family).fit_rows(self.data.take(fitted)).map_
                predictions[held_out] = c_hat.on_simplex(self.data.p[held_out])
        return predictions

    def _decompose(self, calibrated: list[SimplexSample]) -> Parts:
        """Return the parts of the loss, their means over the repeats."""
        gains, after = [], []
        for one in calibrated:
            with without_warnings():
                again = clone(self.decomposition).fit_rows(one.present).map_.on_simplex(one.p)
            before, refined = (float(one.w @ self.loss(one.codes, q)) / one.total for q in (one.p, again))
            gains.append(before - refined)
            after.append(refined)
        return Parts(float(np.mean(gains)), float(np.mean(after)))

    def _measure_errors(self, calibrated: list[SimplexSample]) -> dict[str, float]:
        """Return the errors of confidences and of the classes by each evaluator, their means over the repeats."""
        found: dict[str, float] = {}
        with without_warnings():
            for name, family in self.evaluators.items():
                measure = PlugIn(family)
                pairs = [_errors_of(measure, one) for one in calibrated]
                for what, values in zip(FOLDED, zip(*pairs, strict=True), strict=True):
                    found[what.format(name=name)] = float(np.mean(values))
        return found


def _errors_of(measure: PlugIn, one: SimplexSample) -> tuple[float, float]:
    """Return the error of the confidences, and the mean error over the classes."""
    predictions = Predictions(one.classes, one.codes, one.p, one.weights, one.names)
    each = [float(measure.estimate(sample)) for _, sample in predictions.one_vs_rest()]
    return float(measure.estimate(predictions.confidence())), float(np.mean(each))
