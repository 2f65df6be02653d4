"""Debiased errors and their intervals: a measure inverted against redrawn labels.

Labels are redrawn from a chain of truths, c_t(p) = p + t (g(p) - p) with t >= 0, between calibrated scores and beyond a
direction g that was fitted to the real labels. Each time everything is fitted and chosen anew. The true errors under
which the observed one is ordinary are the interval (`fitontest.uncertainty.inversion`). It is one of the error of these
scores, not of a population they may stand for.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal, TypeAlias

import numpy as np

from fitontest.checks import is_real
from fitontest.data.entries import Entries
from fitontest.data.ordering import Rows
from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family, family_name, read_family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.base import ErrorInterval, Estimate, Measure
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.norms import Norm
from fitontest.numerics.random import one_seed
from fitontest.numerics.threads import one_blas_thread
from fitontest.progress import track
from fitontest.typing import FloatArray, IntArray, RandomState
from fitontest.uncertainty.inversion import chain_lengths, chain_of_truths, growing, invert, misreads
from fitontest.uncertainty.null import check_draws, with_null
from fitontest.uncertainty.redraws import Redraws

DRAWS = 50  # from each truth
NULL_DRAWS = 200  # from calibrated scores, for the p-value
LEAST_DRAWS = 15
NORMS = ("l1", "l2", "squared")  # that an interval can be of
STILL = 1e-6  # mean distance of a direction that goes nowhere
SHIFT = 0.1  # of the logit, instead
CHAIN, NULL = 0, 1  # the two streams of random numbers
SMOOTH = "spline"  # the family of the direction "smooth"

Direction: TypeAlias = Literal["smooth", "own"] | Family | CalibrationMap


def with_interval(
    estimate: Estimate,
    sample: Sample,
    level: float,
    *,
    direction: Direction = "smooth",
    draws: int = DRAWS,
    null_draws: int = NULL_DRAWS,
    random_state: RandomState = 0,
) -> Estimate:
    """Return the estimate with its debiased value, its interval, and its null.

    Parameters
    ----------
    estimate : Estimate
        Of the sample.
    sample : Sample
    level : float in (0, 1)
    direction : {"smooth", "own"}, Family or CalibrationMap, default="smooth"
        Where the truths lie. "smooth": towards a logistic spline (`Spline`), for an interval of the true error. Where
        the family sees 15 % more or less of it than there is, the relation of the two hangs on the shape of the
        spline, and the interval is widened to hold that of the spline. "own": towards the map of the measure's own
        family, for one of the family's own target, which is smaller where the family cannot follow the truth. Or
        towards a family's map, or a map.
    draws : int, default=50
        Labellings from each of five truths.
    null_draws : int, default=200
        Labellings from calibrated scores.
    random_state : int, RandomState or None, default=0
    """
    check_interval(level)
    check_direction(direction)
    check_draws(draws, "draws", LEAST_DRAWS)
    check_draws(null_draws, "null_draws", 1)
    measure, seed = estimate.measure, one_seed(random_state)
    reason = reason_against(measure, direction)
    if measure.held_fixed == "map":  # nothing is fitted: there is no noise to take off
        return replace(estimate, interval_reason=reason)
    if measure.by_row or not measure.uses_labels:  # what is known of the rows is lost where they are sorted
        return replace(with_null(estimate, sample, null_draws, seed), interval_reason=reason)
    with one_blas_thread():  # many small products: threads would wait for each other
        redrawn = _Redrawn(measure, Redraws.of(sample), seed)
        null = redrawn.compare_with_calibrated(null_draws)
        estimate = replace(estimate, null=null, interval_reason=reason)
        if reason:
            return estimate
        g = _direction(direction, estimate, redrawn.redraws)
        found = redrawn.chain(g, draws, level)
        if found is None:
            return replace(estimate, interval_reason="the error of redrawn labels does not vary")
        smooth = redrawn.smooth() if direction == "smooth" and found.misread else None
        wider = None if smooth is None else smooth.chain(g, draws, level)
    low, high = (found.low, found.high) if wider is None else (min(found.low, wider.low), max(found.high, wider.high))
    interval = ErrorInterval(
        low,
        high,
        level,
        target=_target(direction),
        draws=draws,
        stand_in=None if redrawn.stand_in is None else family_name(redrawn.stand_in),
        widened_by=None if (low, high) == (found.low, found.high) else SMOOTH,
    )
    return replace(estimate, debiased=found.value, interval=interval)


def with_shared_null(estimate: Estimate, sample: Sample, draws: int, random_state: RandomState = 0) -> Estimate:
    """Return the estimate with the null that `with_interval` gives it, where the interval itself is not wanted.

    All draws are fitted together, several times as fast as one by one.
    """
    check_draws(draws, "null_draws", 1)
    with one_blas_thread():
        redrawn = _Redrawn(estimate.measure, Redraws.of(sample), one_seed(random_state))
        return replace(estimate, null=redrawn.compare_with_calibrated(draws))


def reason_against(measure: Measure, direction: Direction = "smooth") -> str:
    """Return why a measure has no interval, or ""."""
    if measure.held_fixed == "map":
        return "a map that is given is not fitted to the labels"
    if getattr(measure, "debias", False):
        return "the value is debiased already"
    if isinstance(direction, str) and direction == "own" and not isinstance(measure, PlugIn):
        return "it fits no family whose own target there could be"
    norm = getattr(measure, "total", None)
    if isinstance(norm, Norm) and norm.name not in NORMS:
        return f"the norm {norm.name} is not one of {', '.join(NORMS)}"
    if measure.greater_is_better:
        return "it is no error"
    probe = Sample.of_rows(Rows.of(np.array([0.5]), np.array([1.0]), np.array([1.0]), whole=True))
    if measure.by_row or measure.target(probe, np.array([0.5])) is None:
        return f"what {measure.name} would be under given probabilities is not defined"
    return ""


@dataclass(frozen=True)
class _Found:
    """The debiased value, the ends of the interval, and whether the family sees much more or less than the error."""

    value: float
    low: float
    high: float
    misread: bool


@dataclass(frozen=True, eq=False)
class _Redrawn:
    """A measure under redrawn labels of one sample."""

    measure: Measure
    redraws: Redraws
    seed: int

    @cached_property
    def stand_in(self) -> Family | None:
        """The family that is refitted in place of the measure's own, which would take too long."""
        return read_family(self.measure.family).stand_in() if isinstance(self.measure, PlugIn) else None

    @cached_property
    def refitted(self) -> Measure:
        """The measure of redrawn labels."""
        if self.stand_in is None or not isinstance(self.measure, PlugIn):
            return self.measure
        return self.measure.changed(family=self.stand_in)

    @cached_property
    def observed(self) -> float:
        """The measure of the real labels, computed as it is of redrawn ones."""
        return float(self._values(self.measure, *self.redraws.observed)[0])

    def compare_with_calibrated(self, draws: int) -> IfCalibrated:
        """Return the values for labels drawn from the scores."""
        observed, measure = self.observed, self.measure
        values = self._redrawn([self.redraws.entries.p], draws, NULL)[0]
        return IfCalibrated(
            observed, values, measure.refits, measure.greater_is_better, measure.held_fixed, measure.two_sided
        )

    def smooth(self) -> "_Redrawn | None":
        """Return the same with the family of the direction, which follows the truths, or None if it is that already."""
        norm = getattr(self.measure, "total", None)
        fitted = read_family(self.refitted.family) if isinstance(self.refitted, PlugIn) else None
        if not isinstance(norm, Norm) or str(fitted) == str(read_family(SMOOTH)):
            return None
        return _Redrawn(PlugIn(SMOOTH, norm=norm), self.redraws, self.seed)

    def chain(self, g: FloatArray, draws: int, level: float) -> _Found | None:
        """Return the debiased value and the ends of the interval, from truths on the way to g and beyond."""
        transform, back = (_signed_root, np.square) if self.measure.squared else (_unchanged, _unchanged)
        p = self.redraws.entries.p
        observed = float(transform(np.array(self.observed)))
        at_calibration = transform(self._redrawn([p], draws, CHAIN)[0])
        whole_way = float(transform(np.array(self._target(g))))
        scale = max(observed, float(np.median(at_calibration)), whole_way)  # the family may see little of the error
        if not (scale > 0 and whole_way > 0):
            return None

        def error_at(length: float) -> float:
            return float(transform(np.array(self._target(chain_of_truths(p, g, [length])[0]))))

        lengths = chain_lengths(scale, whole_way, error_at)
        truths = chain_of_truths(p, g, lengths)
        errors = np.array([error_at(length) for length in lengths])
        kept = growing(errors)
        others = self._redrawn([truths[k] for k in kept], draws, CHAIN, known=1)
        values = np.array([at_calibration, *map(transform, others)])
        found = invert(observed, errors[kept], values, level)
        if found is None:
            return None
        most = self._target((p < 0.5).astype(np.float64))  # no error of these scores is larger
        low, value, high = (min(float(back(np.array(end))), most) for end in (found.low, found.estimate, found.high))
        return _Found(value, low, high, misreads(errors[kept], values, scale))

    def _redrawn(self, truths: list[FloatArray], draws: int, stream: int, known: int = 0) -> list[FloatArray]:
        """Return the values under each truth but the first `known`; all truths see the same random numbers."""
        values: list[list[FloatArray]] = [[] for _ in truths[known:]]
        for block in track(self.redraws.blocks(draws), "draws"):
            labellings = islice(self.redraws.draw(truths, block, (self.seed, stream)), known, None)
            for each, labels in zip(values, labellings, strict=True):
                each.append(self._refitted(labels))
        return [np.concatenate(each) for each in values]

    def _target(self, c: FloatArray) -> float:
        entries = self.redraws.entries
        sample = Sample.of_rows(Rows.of(entries.p, np.zeros(len(entries)), entries.w, whole=entries.whole))
        value = self.measure.target(sample, c)
        return 0.0 if value is None else value

    def _refitted(self, positives: IntArray) -> FloatArray:
        return self._values(self.refitted, self.redraws.entries, positives)

    @staticmethod
    def _values(measure: Measure, entries: Entries, positives: IntArray) -> FloatArray:
        with without_warnings():  # of the real labels the user has been warned
            return measure.estimates_of(entries, positives)


def _direction(direction: Direction, estimate: Estimate, redraws: Redraws) -> FloatArray:
    """Return g at the entries."""
    entries, labels = redraws.observed
    p = redraws.entries.p
    if isinstance(direction, CalibrationMap):
        g = direction.evaluate(p)
    else:  # fitted to sorted rows: not even a rounding tells in which order they came
        family = direction if isinstance(direction, Family) else estimate.estimator if direction == "own" else None
        with without_warnings():
            g = read_family(family or SMOOTH).fit_map(entries.sample(labels[:, 0])).evaluate(p)
    g = np.clip(g, 0.0, 1.0)
    w = redraws.entries.w
    if float(w @ np.abs(g - p)) < STILL * float(w.sum()):
        return sigmoid(logit(p, 1e-16) + SHIFT)
    return g


def _target(direction: Direction) -> str:
    if isinstance(direction, str):
        return "the family's own" if direction == "own" else "true error"
    return f"towards {family_name(direction) if isinstance(direction, Family) else direction.kind}"


def _unchanged(values: FloatArray) -> FloatArray:
    return values


def _signed_root(values: FloatArray) -> FloatArray:
    return np.sign(values) * np.sqrt(np.abs(values))


def check_interval(level: object) -> None:
    """Raise ValueError unless `level` is a number in (0, 1)."""
    if not (is_real(level) and 0 < level < 1):
        raise ValueError(f"interval must be None or a level in (0, 1) such as 0.95, got {level!r}")


def check_direction(direction: object) -> None:
    """Raise ValueError unless `direction` is one of the words, a Family or a CalibrationMap."""
    word = isinstance(direction, str) and direction in ("smooth", "own")
    if not (word or isinstance(direction, Family | CalibrationMap)):
        raise ValueError(f"direction must be 'smooth', 'own', a Family or a CalibrationMap, got {direction!r}")
