"""Debiased errors and their intervals: a measure inverted against redrawn labels.

Labels are redrawn from a chain of truths, c_t(p) = p + t (g(p) - p) with t >= 0, between calibrated predictions and
beyond a direction g that was fitted to the real labels; of whole distributions clipped at 0 and divided by the sums of
the rows, with g of the family ``vector``. Each time everything is fitted and chosen anew. The true errors under which
the observed one is ordinary are the interval (`fitontest.uncertainty.inversion`). It is one of the error of these
predictions, not of a population they may stand for.
"""

from typing import Any, Literal, TypeAlias

import numpy as np

from fitontest.data.kinds import Data
from fitontest.data.ordering import Rows
from fitontest.data.redraws import Redraws
from fitontest.data.row_groups import GROUP
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family
from fitontest.families.registry import family_name
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import DISTRIBUTIONS, SCORES
from fitontest.numerics.norms import L1, is_order_statistic
from fitontest.numerics.random import one_seed
from fitontest.numerics.simplex_distances import find_distance
from fitontest.numerics.threads import one_blas_thread
from fitontest.partitions.simplex.median_variance import MedianVariance
from fitontest.results.checks import check_level, is_real
from fitontest.results.typing import FloatArray, RandomState
from fitontest.uncertainty.chain import DRAWS, DebiasedInterval, Redrawn, known_fit
from fitontest.uncertainty.dependence import bound_to, redraws_of, with_dependence
from fitontest.uncertainty.goodness_of_fit import fit_at_points
from fitontest.uncertainty.ladder import Ladder
from fitontest.uncertainty.null import check_draws, with_null
from fitontest.uncertainty.seminorm import with_seminorm
from fitontest.uncertainty.shared_refits import SharedRefits

NULL_DRAWS = 200  # from calibrated scores, for the p-value
LEAST_DRAWS = 15
FEW_VALUES = 20  # that labels of a few rows give, of which a standard deviation tells little: the p-value decides of 0
NORMS = ("l1", "l2", "squared")  # that an interval can be of
MEASURED = (
    "along truths towards the family vector the 95 % interval of plug-in errors held the true one in 90 % of 100 "
    "simulated sets of 3 classes and in 85 % of 10; the ECE on the simplex has one, which held it in 94 % and 97 %"
)
NO_PLACES_OF_LEVELS = (  # of waves half of the 95 % intervals held the true median, and the true maximum
    "a spline does not fit, and levels of neighbouring rows tell how large errors are, not how they are distributed; "
    "norm='l1' has an interval"
)
UNMEASURED = "coverage is known for median_variance by default, total_variation or cityblock, and the norm l1 alone"

Asked: TypeAlias = Literal["auto", "always"] | None  # whether there is an interval
INTERVALS: tuple[str, ...] = ("auto", "always")
Direction: TypeAlias = Literal["smooth", "own"] | Family | CalibrationMap


def with_interval(
    estimate: Estimate,
    sample: Any,
    level: float,
    *,
    direction: Direction = "smooth",
    draws: int = DRAWS,
    null_draws: int = NULL_DRAWS,
    random_state: RandomState = 0,
    shared: SharedRefits | None = None,
) -> Estimate:
    """Return the estimate with its debiased value, its interval, and its null.

    Parameters
    ----------
    estimate : Estimate
        Of the sample.
    sample : ScoreSample or SimplexSample
    level : float in (0, 1)
    direction : {"smooth", "own"}, Family or CalibrationMap, default="smooth"
        Where the truths of scores lie. "smooth": towards a logistic spline (`Spline`), for an interval of the true
        error; where a test finds that the labels are rougher, towards an isotonic map or the means of neighbouring
        rows (`fitontest.uncertainty.ladder`), whose interval the family's own is widened to hold. Where the family sees
        15 % more or less of the error than there is, the relation of the two hangs on the shape of the spline, and the
        interval is widened to hold that of the spline; so is that of a family in whose place the spline is refitted,
        since its own errors may be smaller. "own": towards the map of the measure's own
        family, for one of the family's own target, which is smaller where the family cannot follow the truth. Or
        towards a family's map, or a map.
    draws : int, default=50
        Labellings from each of five truths.
    null_draws : int, default=200
        Labellings from calibrated predictions.
    random_state : int, RandomState or None, default=0
    shared : SharedRefits, optional
        Measures of the sample that are refitted together, this one among them.
    """
    check_level(level)
    check_direction(direction)
    check_draws(draws, "draws", LEAST_DRAWS)
    check_draws(null_draws, "null_draws", 1)
    measure, seed = estimate.measure, one_seed(random_state)
    if measure.is_seminorm:
        return with_seminorm(estimate, sample, level, null_draws, seed)
    of_classes = sample.has_distributions
    reason = reason_of_classes(measure) if of_classes else reason_against(measure, direction)
    if measure.held_fixed == "map" and not of_classes:  # nothing is fitted: there is no noise to take off
        return estimate.with_uncertainty(interval_reason=reason)
    estimate, too_few = with_dependence(estimate, sample)
    if too_few:
        return estimate.with_uncertainty(interval_reason=too_few)
    bound = bound_to(measure, sample)
    if set(bound.facts) - {GROUP} or not measure.uses_labels:  # entries of several rows of scores keep no facts
        return with_null(estimate, sample, null_draws, seed).with_uncertainty(interval_reason=reason)
    with one_blas_thread():  # many small products: threads would wait for each other
        redraws = redraws_of(bound)
        redrawn = Redrawn(measure, redraws, seed, shared, known_fit(estimate, sample, redraws))
        null = redrawn.compare_with_calibrated(null_draws)
        estimate = estimate.with_uncertainty(null=null, interval_reason=reason)
        if reason:
            return estimate
        ladder = None if of_classes or direction != "smooth" else Ladder.of(sample, seed)
        if ladder is not None and is_order_statistic(measure.total) and ladder.rung == "levels":
            return estimate.with_uncertainty(interval_reason=NO_PLACES_OF_LEVELS)
        g = _direction(direction, estimate, redrawn.redraws) if ladder is None else ladder.direction
        own = redrawn.chain(g, draws, level)
        bounds = None
        if ladder is not None and ladder.rung != "levels":  # far below the error where only levels of near rows fit
            bounds = measure.exact_bounds(sample, ladder.entries, ladder.direction, level)
        if own is None and bounds is not None:  # labels beside the threshold tell, where redrawn ones do not vary
            ends = bounds.least, bounds.most
            exact = ErrorInterval(*ends, level, target=_target(direction), draws=draws, seed=seed, cut=True)
            return estimate.with_uncertainty(interval=exact)
        if own is None:
            reason = "the error is the same for all simulated labels"
            if is_order_statistic(measure.total) and redrawn.goes_nowhere(g):
                reason = f"the {measure.total} of the distances is 0 on the whole way to the fitted map"
            return estimate.with_uncertainty(interval_reason=reason)
        found, widened_by = own, None
        if direction == "smooth":
            found, widened_by = widen(own, redrawn, g, ladder, draws, level)
    low, high = (found.low, found.high) if bounds is None else bounds.around(found.low, found.high)
    if found is own and null.p_value > 1.0 - level and np.unique(null.values).size <= FEW_VALUES:
        low = 0.0
    interval = ErrorInterval(
        low,
        high,
        level,
        target=_target(direction),
        draws=draws,
        seed=seed,
        stand_in=None if redrawn.stand_in is None else family_name(redrawn.stand_in),
        widened_by=widened_by,
        replaced=widened_by not in (None, SCORES, DISTRIBUTIONS) and redrawn.is_smooth,
        fit_p_value=None if ladder is None or ladder.smooth_fit is None else ladder.smooth_fit.p_value,
        roughness=None if ladder is None else ladder.roughness,
        cut=(low, high) != (found.low, found.high),
    )
    bounded = redrawn.measure.total is not None and not is_order_statistic(redrawn.measure.total)
    limits = ladder.limits if ladder is not None and bounded else None
    return estimate.with_uncertainty(debiased=found.value, interval=interval, limits=limits)


def with_own_interval(estimate: Estimate, level: float) -> Estimate:
    """Return the estimate with the interval that the measure has a formula for, or with the reason why it has none."""
    check_level(level)
    interval = estimate.evidence.interval_at(level)
    reason = "" if interval is not None else estimate.evidence.interval_reason
    return estimate.with_uncertainty(interval=interval, interval_reason=reason)


def widen(
    own: DebiasedInterval, redrawn: Redrawn, g: FloatArray, ladder: Ladder | None, draws: int, level: float
) -> tuple[DebiasedInterval, str | None]:
    """Return value and ends that hold those of the family of the direction, where needed, and whose they hold."""
    if redrawn.measure.total is None:
        return own, None
    by: str = DISTRIBUTIONS if ladder is None else ladder.rung
    fits = by in (SCORES, DISTRIBUTIONS)
    # what is redrawn of a family with a stand-in is the errors of another, beside which its own may be smaller
    if fits and redrawn.stand_in is None and (redrawn.is_smooth or not own.misread):
        return own, None
    if ladder is None:
        wider = redrawn.smooth.chain(g, draws, level)
    else:
        wider = ladder.interval(redrawn.measure.total, draws, level)
    if wider is not None and not fits and redrawn.is_smooth:
        return wider, by  # the spline is known not to fit: nothing of its own is left
    if wider is None or (wider.low >= own.low and wider.high <= own.high):
        return own, None
    return DebiasedInterval(own.value, min(own.low, wider.low), max(own.high, wider.high), own.misread), by


def with_shared_null(estimate: Estimate, sample: Data, draws: int, random_state: RandomState = 0) -> Estimate:
    """Return the estimate with the null that `with_interval` gives it, where the interval itself is not wanted.

    All draws are fitted together, several times as fast as one by one.
    """
    check_draws(draws, "null_draws", 1)
    if estimate.measure.is_seminorm:
        return with_seminorm(estimate, sample, None, draws, one_seed(random_state))
    estimate, too_few = with_dependence(estimate, sample)
    if too_few:
        return estimate
    with one_blas_thread():
        redrawn = Redrawn(estimate.measure, redraws_of(bound_to(estimate.measure, sample)), one_seed(random_state))
        return estimate.with_uncertainty(null=redrawn.compare_with_calibrated(draws))


def reason_against(measure: Measure, direction: Direction = "smooth") -> str:
    """Return why a measure has no interval, or ""."""
    if reason := reason_of_settings(measure, direction):
        return reason
    probe = ScoreSample.of_rows(Rows.of(np.array([0.5]), np.array([1.0]), np.array([1.0]), whole=True), whole=True)
    if measure.target(probe, np.array([0.5])) is None:
        return f"what {measure.name} would be under given probabilities is not defined"
    return ""


def reason_of_settings(measure: Measure, direction: Direction = "smooth") -> str:
    """Return why a measure of such settings has no interval, as far as they tell, or ""."""
    if measure.held_fixed == "map":
        return "a map that is given is not fitted to the labels"
    if getattr(measure, "debias", False):
        return "the value is debiased already"
    if isinstance(direction, str) and direction == "own" and measure.fitting is None:
        return "it fits no family whose own target there could be"
    if measure.total is not None and measure.total.name not in NORMS:
        if measure.fitting is None:
            return f"the norm {measure.total.name} is not one of {', '.join(NORMS)}"
        if not is_order_statistic(measure.total):
            return f"the norm {measure.total.name} is not one of {', '.join(NORMS)}, max or a quantile"
    if measure.greater_is_better:
        return "it is no error"
    return ""


def reason_of_classes(measure: Any) -> str:
    """Return why a measure of whole distributions has no interval, or ""."""
    if measure.held_fixed == "map":
        return "a map that is given is not fitted to the labels"
    if measure.fitting is not None:
        return MEASURED
    if not measure.of_bins:
        return f"what {measure.name} would be under given probabilities is not defined"
    distance = measure.between in (find_distance("total_variation"), find_distance("cityblock"))
    return "" if measure.rule == MedianVariance() and distance and measure.total is L1 else UNMEASURED


def _direction(direction: Direction, estimate: Estimate, redraws: Redraws) -> FloatArray:
    """Return g at the points, of a direction that is a map, a family, the measure's own, or that of distributions."""
    chosen: Any = direction
    if isinstance(direction, str):
        chosen = estimate.estimator if direction == "own" else None
    default = redraws.sample.either(SCORES, DISTRIBUTIONS)
    return redraws.moved(fit_at_points(default if chosen is None else chosen, redraws))


def _target(direction: Direction) -> str:
    if isinstance(direction, str):
        return "the family's own" if direction == "own" else "true error"
    return f"towards {family_name(direction)}"


def check_interval(interval: object) -> None:
    """Raise ValueError unless an interval is asked for by a word, or None."""
    if not (interval is None or (isinstance(interval, str) and interval in INTERVALS)):
        words = ", ".join(map(repr, INTERVALS))
        rule = f"interval must be {words} or None"
        hint = "; write level= for its level, such as level=0.95" if is_real(interval) else ""
        raise ValueError(f"{rule}, got {interval!r}{hint}")


def check_direction(direction: object) -> None:
    """Raise ValueError unless `direction` is one of the words, a Family or a CalibrationMap."""
    word = isinstance(direction, str) and direction in ("smooth", "own")
    if not (word or isinstance(direction, Family | CalibrationMap)):
        raise ValueError(f"direction must be 'smooth', 'own', a Family or a CalibrationMap, got {direction!r}")
