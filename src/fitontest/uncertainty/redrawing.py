"""Which uncertainty of an estimate is wanted, and the estimate with it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from fitontest.data.kinds import Data
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.measure import names as measure_names
from fitontest.numerics.random import check_seed, one_seed
from fitontest.results.checks import check_level
from fitontest.results.typing import RandomState
from fitontest.uncertainty.chain import DRAWS
from fitontest.uncertainty.intervals import (
    LEAST_DRAWS,
    NULL_DRAWS,
    Asked,
    Direction,
    check_direction,
    check_interval,
    with_interval,
    with_own_interval,
    with_shared_null,
)
from fitontest.uncertainty.null import check_draws, check_null_draws, draws_of, with_null
from fitontest.uncertainty.shared_refits import SharedRefits

DEFAULT_LEVEL = 0.95
MOST_JUDGED = 20  # classes, each against the rest, that have intervals unasked: of more these take long
MAXIMUM_DRAWS = 1000  # of the labels of all segments together, however many these are
NO_CLASSES = "of a mean over classes only a null is known; each class has an interval of its own"


@dataclass(frozen=True)
class Redrawing:
    """How often labels are redrawn, from what, and for which interval.

    Parameters
    ----------
    null_draws : int or "auto", default=0
        Labellings drawn from the scores. "auto": what the measure needs. With an interval there are at least some: 0
        and "auto" mean 200 then.
    interval : {"auto", "always"} or None, default=None
        Whether there is an interval, see `fitontest.uncertainty.options.Redraws`.
    level : float in [0.5, 1), default=0.95
        Of the interval.
    direction : {"smooth", "own"}, Family or CalibrationMap, default="smooth"
    draws : int, default=50
        Labellings from each of five truths, for the interval.
    random_state : int, RandomState or None, default=0
    """

    null_draws: int | Literal["auto"] = 0
    interval: Asked = None
    level: float = DEFAULT_LEVEL
    direction: Direction = "smooth"
    draws: int = DRAWS
    random_state: RandomState = 0

    def __post_init__(self) -> None:
        check_seed(self.random_state)  # refuses what is no seed, before anything is fitted
        check_null_draws(self.null_draws)
        check_interval(self.interval)
        check_level(self.level)
        check_direction(self.direction)
        check_draws(self.draws, "draws", LEAST_DRAWS)

    @classmethod
    def at(cls, level: float | None, **settings: Any) -> "Redrawing":
        """Return what makes an interval of a level wherever there can be one; of the level None none."""
        if level is None:
            return cls(**settings)
        return cls(interval="always", level=level, **settings)

    def of(self, measure: Measure, rows: int, classes: int = 1, most: int = 1) -> "Redrawing":
        """Return what "auto" means for a measure and the rows of all classes together, `most` of which are judged."""
        interval = self.interval
        if interval == "auto":
            interval = "always" if classes <= most and has_quick_interval(measure) else None
        draws = draws_of(measure, self.null_draws, rows, classes)
        is_settled = interval == self.interval and draws == self.null_draws
        return self if is_settled else replace(self, interval=interval, null_draws=draws)

    def of_maximum(self) -> tuple[float, int, int]:
        """Return level, draws and seed where labels of all segments are drawn together."""
        draws = self.null_draws if not isinstance(self.null_draws, str) and self.null_draws else MAXIMUM_DRAWS
        return self.level, int(draws), one_seed(self.random_state)


def has_quick_interval(measure: Measure) -> bool:
    """Return whether an interval of a measure takes no more than a moment."""
    if measure.has_own_interval or measure.is_seminorm:
        return True
    return measure.fitting is not None and bool(measure.fitting.is_quick)


def estimate_of(
    measure: Measure,
    sample: Data,
    reduction: str | None = None,
    redrawing: Redrawing | None = None,
    shared: SharedRefits | None = None,
) -> Estimate:
    """Return the estimate of a checked sample, with the reduction that made it, its null and its interval.

    `shared` holds measures of the sample that are refitted together, this one among them.
    """
    of_classes = sample.has_distributions
    reduction = sample.reduction if of_classes else reduction
    measure = measure.for_sample(sample)
    _check_serves(measure, reduction, of_classes=of_classes)
    wanted = (Redrawing() if redrawing is None else redrawing).of(measure, sample.n, len(sample.classes or [0]))
    level = None if wanted.interval is None else wanted.level
    estimate = measure.estimate(sample)
    if not isinstance(estimate, Estimate):
        raise TypeError(f"{type(measure).__name__}.estimate must return an Estimate, got {estimate!r}")
    if level is not None and measure.has_own_interval:
        estimate = with_own_interval(estimate, float(level))
    elif level is not None:
        estimate = with_interval(
            estimate,
            sample,
            float(level),
            direction=wanted.direction,
            draws=wanted.draws,
            null_draws=int(wanted.null_draws) or NULL_DRAWS,
            random_state=wanted.random_state,
            shared=shared,
        )
    # of a map and of a formula the draws asked for, and no more
    if level is None or measure.has_own_interval or (measure.held_fixed == "map" and not of_classes):
        drawn = with_shared_null if measure.is_seminorm and wanted.null_draws else with_null
        estimate = drawn(estimate, sample, int(wanted.null_draws), wanted.random_state)
    return estimate if reduction is None else replace(estimate, reduction=reduction)


def estimates_of(
    measures: Iterable[Measure], sample: Data, reduction: str | None = None, redrawing: Redrawing | None = None
) -> list[Estimate]:
    """Return the estimates of several measures of one sample, exactly those of `estimate_of` one by one.

    A family is refitted to the redrawn labels once for all measures of its map (`Measure.takes_fits`): for their nulls,
    and for the intervals of those that have the same `chain_measure`.

    Parameters
    ----------
    measures : iterable of Measure
    sample : ScoreSample or SimplexSample
    reduction : str, optional
    redrawing : Redrawing, optional
        The same for all.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> sample = fot.read(rng.random(500) < p**2, p)
    >>> measures = [fot.measures.PlugIn("platt", norm) for norm in ("l1", "q50", "q90", "max")]
    >>> [round(one.debiased, 2) for one in estimates_of(measures, sample, redrawing=Redrawing.at(0.95))]
    [0.16, 0.18, 0.27, 0.28]
    """
    listed = [measure.for_sample(sample) for measure in measures]
    shared = SharedRefits.of(listed)
    return [estimate_of(measure, sample, reduction, redrawing, shared) for measure in listed]


def _check_serves(measure: Measure, reduction: str | None, *, of_classes: bool) -> None:
    """Raise ValueError unless the measure takes what the reduction makes of the predictions."""
    if of_classes and measure.classes == "two":
        names = ", ".join(measure_names("any"))
        raise ValueError(
            f"measure must be one of all classes at once with reduction='canonical', {names}; got {measure.name!r}, "
            "which is of two classes"
        )
    if not of_classes and measure.classes == "any":
        raise ValueError(
            f"reduction must be 'canonical' for {measure.name}, which takes the probabilities of all classes, "
            f"got {reduction!r}"
        )
