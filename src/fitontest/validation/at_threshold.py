"""The calibrated probability at a threshold: what the risk is of those whose score is just that, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.interval import Interval
from fitontest.measures.plug_in import SCORES, PlugIn
from fitontest.numerics.random import one_seed
from fitontest.typing import ArrayInput, RandomState
from fitontest.uncertainty.bands import confidence_bands
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups
from fitontest.validation.thresholds import read_thresholds

DRAWS = 200
OUTSIDE = "no score is as low as this one, or none as high: the rows do not tell"


@dataclass(frozen=True)
class AtThreshold:
    """The calibrated probability of the score that a threshold is.

    Attributes
    ----------
    threshold : float
    probability : float or None
        c_hat(t); None outside the range of the scores.
    interval : Interval or None
        For the true probability.
    reason : str
        Why there is no probability or no interval, or "".
    """

    threshold: float
    probability: float | None
    interval: Interval | None
    reason: str = ""


def probabilities_at(
    sample: ScoreSample,
    thresholds: ArrayInput,
    *,
    family: Any = SCORES,
    level: float = 0.95,
    random_state: RandomState = 0,
) -> Sequence[AtThreshold]:
    """Return the calibrated probability at each threshold, with the confidence interval of the true one there.

    The interval is the confidence band of the true map at x = t (`fitontest.uncertainty.bands.confidence_bands`), which
    holds it at each threshold by itself.

    Parameters
    ----------
    sample : ScoreSample
    thresholds : float or array-like of shape (T,)
        As `read_thresholds` takes them.
    family : str or Family, default="spline"
        Of the calibration map.
    level : float in (0, 1), default=0.95
    random_state : int, RandomState or None, default=0

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> (at,) = probabilities_at(fot.read(rng.random(2000) < p**2, p), 0.5)
    >>> at.threshold, bool(at.interval.low < 0.25 < at.interval.high)
    (0.5, True)
    """
    wanted, seed = read_thresholds(thresholds), one_seed(random_state)
    estimate = PlugIn(family).seeded(seed).estimate(sample)
    low, high = sample.distinct.p[[0, -1]]
    inside = wanted[(wanted >= low) & (wanted <= high)]
    reason = reason_of_groups(dependence_of(sample))
    ends: dict[float, Interval] = {}
    if inside.size and not reason:
        band = confidence_bands(estimate, sample, inside, DRAWS, level, seed)[0]
        at = np.searchsorted(band.x, inside)
        ends = {
            float(t): Interval(float(band.lower[k]), float(band.upper[k]), level)
            for t, k in zip(inside, at, strict=True)
        }
    found = []
    for t in wanted.tolist():
        if not low <= t <= high:
            found.append(AtThreshold(t, None, None, OUTSIDE))
            continue
        probability = float(np.clip(estimate.map.evaluate(np.array([t])), 0.0, 1.0)[0])
        found.append(AtThreshold(t, probability, ends.get(t), reason))
    return found
