"""The calibrated probability at a threshold: what the risk is of those whose score is just that, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.maps.base import CalibrationMap
from fitontest.measures.interval import Interval
from fitontest.measures.plug_in import SCORES, PlugIn
from fitontest.numerics.random import one_seed
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.typing import ArrayInput, FloatArray, RandomState
from fitontest.risk.validation.thresholds import read_thresholds
from fitontest.uncertainty.bands import confidence_bands
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups
from fitontest.uncertainty.effective_rows import effective_rows

DRAWS = 200
LEAST_OTHERS = 0.1  # share of the rows that tell of scores between those that many rows share
FEW_VALUES = "scores are a few values, and this is none of them"
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
    holds it at each threshold by itself. Of a score that many rows share, and of which the family makes a level of its
    own, it is the exact interval of the share of positives of these rows.

    Parameters
    ----------
    sample : ScoreSample
    thresholds : float or array-like of shape (T,)
        As `read_thresholds` takes them.
    family : str or Family, default="spline"
        Of the calibration map.
    level : float in [0.5, 1), default=0.95
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
    curve, atoms = estimate.map.split_atoms()
    between = _range_of_others(sample, atoms)
    reason = reason_of_groups(dependence_of(sample))
    smooth = [t for t in wanted.tolist() if t not in atoms and between is not None and between[0] <= t <= between[1]]
    ends: dict[float, Interval] = {}
    if smooth and not reason:
        band = confidence_bands(estimate, sample, np.array(smooth), DRAWS, level, seed)[0]
        at = np.searchsorted(band.x, smooth)
        ends = {t: Interval(float(band.lower[k]), float(band.upper[k]), level) for t, k in zip(smooth, at, strict=True)}
    found = []
    for t in wanted.tolist():
        if t in atoms:
            interval = None if reason else _share_at(sample, t, level)
            found.append(AtThreshold(t, _value(estimate.map, t), interval, reason))
        elif t in smooth:
            found.append(AtThreshold(t, _value(curve, t), ends.get(t), reason))
        else:
            found.append(AtThreshold(t, None, None, FEW_VALUES if atoms.size else OUTSIDE))
    return found


def _value(c_hat: CalibrationMap, t: float) -> float:
    """Return the calibrated probability of one score."""
    return float(np.clip(c_hat.evaluate(np.array([t])), 0.0, 1.0)[0])


def _range_of_others(sample: ScoreSample, atoms: FloatArray) -> tuple[float, float] | None:
    """Return between which scores the rows lie that share theirs with few others, or None of too few such rows.

    Scores of exactly 0 and 1 are no neighbours of any other: they tell nothing of what lies beside them.
    """
    p, w = sample.distinct.p, sample.distinct.w
    others = ~np.isin(p, atoms) & (p > 0.0) & (p < 1.0)
    if float(w[others].sum()) < LEAST_OTHERS * float(w.sum()):
        return None
    return float(p[others][0]), float(p[others][-1])


def _share_at(sample: ScoreSample, t: float, level: float) -> Interval:
    """Return the exact interval of the share of positives among the rows of one score."""
    rows = sample.rows
    at = slice(int(np.searchsorted(rows.p, t)), int(np.searchsorted(rows.p, t, side="right")))
    n, w = effective_rows(sample, at), rows.w[at]
    share = float(w @ rows.y[at]) / float(w.sum())
    return Interval(*share_interval(n * share, n, level), level)
