"""Intervals of errors that are seminorms of the residuals, such as the ECCE: no calibration map is fitted for them.

With true probabilities c and any seminorm N of the cumulated residuals, |N(y - p) - N(c - p)| <= N(y - c). The noise on
the right has nearly the law that calibrated labels have, N(y* - p) with y* drawn from p, where their variances agree.
Labels of rare events that are more frequent than their scores vary more: noise is larger there by the root of

    sum w^2 (y - p)^2 / sum w^2 p (1 - p),    whose numerator is sum w^2 (c (1 - c) + (c - p)^2) on average,

and never smaller than calibrated. Its upper point at the level is what the error of the real labels may be off by, on
either side.
"""

from typing import Any

import numpy as np

from fitontest.data.redraws import NULL
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cumulative import CumulativeError
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import ErrorInterval
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.squares import squared_residuals
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.dependence import score_redraws, with_dependence
from fitontest.uncertainty.null import compare_with

DRAWS = 1000  # at least: each is a sum
MOST_ROWS = 100_000  # beyond, sums of labels are drawn as normal numbers
NODES = 20_000  # of a walk of so many rows
BLOCK = 4_000_000  # steps that are drawn together
CERTAIN = "scores are all 0 or 1, so that no label is drawn"


def with_seminorm(estimate: Estimate, sample: Any, level: float | None, null_draws: int, seed: int) -> Estimate:
    """Return the estimate with its null, and with a level its debiased value and its interval.

    Parameters
    ----------
    estimate : Estimate
        Of a `CumulativeError`.
    sample : ScoreSample
    level : float in (0, 1) or None
    null_draws : int
        At least; with a level as many as its upper point needs.
    seed : int
    """
    measure: Any = estimate.measure
    estimate, too_few = with_dependence(estimate, sample)
    if too_few:
        return estimate if level is None else estimate.with_uncertainty(interval_reason=too_few)
    if estimate.evidence.standard_deviation == 0.0:  # type: ignore[attr-defined]
        return estimate if level is None else estimate.with_uncertainty(interval_reason=CERTAIN)
    draws = null_draws if level is None else max(null_draws, draws_for(level))
    noise = drawn_noise(measure, sample, draws, seed)
    if level is None:
        return estimate.with_uncertainty(null=compare_with(noise, measure, estimate.value))
    reach = upper_point(noise, 1.0 - level)
    return told_by_noise(estimate, noise, reach, noise_of(sample), level, seed, measure.ceiling(sample))


def told_by_noise(
    estimate: Estimate, calibrated: FloatArray, reach: float, noise: float, level: float, seed: int, most: float = 1.0
) -> Estimate:
    """Return the estimate with the null, the debiased value and the interval that noise of a size tells.

    Parameters
    ----------
    estimate : Estimate
    calibrated : array of shape (B,)
        The error of labels drawn from the scores.
    reach : float
        How far it reaches at the level.
    noise : float
        How much larger the noise of the labels is.
    level : float
    seed : int
        Of the draws.
    most : float, default=1
        The largest error that there can be.
    """
    low, high = max(estimate.value - reach * noise, 0.0), min(estimate.value + reach * noise, most)
    debiased = float(np.sqrt(max(estimate.value**2 - noise**2 * float(np.mean(calibrated**2)), 0.0)))
    return estimate.with_uncertainty(
        null=compare_with(calibrated, estimate.measure, estimate.value),
        debiased=float(np.clip(debiased, low, high)),
        interval=ErrorInterval(low, high, level, target="true error", draws=calibrated.size, seed=seed),
    )


def noise_of(sample: ScoreSample) -> float:
    """Return how much larger the noise of the labels is than that of calibrated ones, at least 1.

    Parameters
    ----------
    sample : ScoreSample
        With a score that is neither 0 nor 1.
    """
    if sample.whole:
        cells = sample.distinct
        p, w2, positive = cells.p, cells.w2, cells.wy / cells.w
    else:
        p, w2, positive = sample.rows.p, sample.rows.w2, sample.rows.y
    expected = float(w2 @ (p * (1.0 - p)))
    return float(np.sqrt(max(1.0, float(squared_residuals(p, w2, positive).sum()) / expected)))


def draws_for(level: float) -> int:
    """Return how many sets of labels are drawn at least: so many that their upper point at the level is one of them.

    Parameters
    ----------
    level : float in (0, 1)

    Examples
    --------
    >>> draws_for(0.95), draws_for(0.9999)
    (1000, 10000)
    """
    return max(DRAWS, int(np.ceil(1.0 / (1.0 - level) - 1e-6)))


def drawn_noise(measure: CumulativeError, sample: ScoreSample, draws: int, seed: int) -> FloatArray:
    """Return the error for labels drawn from the scores, shape (draws,).

    Of independent rows with whole weights how many of each distinct score are positive is drawn, and of more than
    100,000 rows sums of residuals, as normal numbers.

    Parameters
    ----------
    measure : CumulativeError
    sample : ScoreSample
    draws, seed : int
    """
    if sample.groups is None and min(sample.effective_rows, sample.n) > MOST_ROWS:
        return _normal_noise(measure, sample, draws, seed)
    if sample.groups is None and sample.whole:
        return _counted_noise(measure, sample, draws, seed)
    redraws = score_redraws(sample)
    return redraws.values(measure, [redraws.points], draws, (seed, NULL))[0]


def _counted_noise(measure: CumulativeError, sample: ScoreSample, draws: int, seed: int) -> FloatArray:
    distinct = sample.distinct
    n, expected = distinct.w.astype(np.int64), distinct.w * distinct.p
    rng = np.random.default_rng([seed, NULL])
    return np.concatenate(
        [
            measure.sizes((rng.binomial(n, distinct.p, (size, len(distinct))) - expected) / sample.total)
            for size in _sizes_of_blocks(draws, len(distinct))
        ]
    )


def _normal_noise(measure: CumulativeError, sample: ScoreSample, draws: int, seed: int) -> FloatArray:
    """Return the error for walks of normal steps, each of the distinct scores that hold a 20,000th of the variance."""
    distinct = sample.distinct
    variances = distinct.w2 * distinct.p * (1.0 - distinct.p)
    first = cell_starts(equal_mass_cells(variances, NODES))
    spread = np.sqrt(np.add.reduceat(variances, first)) / sample.total
    rng = np.random.default_rng([seed, NULL])
    return np.concatenate(
        [
            measure.sizes(rng.standard_normal((size, spread.size)) * spread)
            for size in _sizes_of_blocks(draws, spread.size)
        ]
    )


def _sizes_of_blocks(draws: int, steps: int) -> list[int]:
    """Return how many walks of so many steps are drawn together, one block after the other."""
    each = max(1, BLOCK // steps)
    return [min(each, draws - start) for start in range(0, draws, each)]


def upper_point(values: FloatArray, share: float) -> float:
    """Return the number that a new value exceeds with a probability of at most `share`: an order statistic.

    Parameters
    ----------
    values : array of shape (B,)
        At least 1 / share of them.
    share : float in (0, 1)

    Examples
    --------
    >>> upper_point(np.arange(1.0, 20.0), 0.1)
    18.0
    """
    place = int(np.ceil((values.size + 1) * (1.0 - share) - 1e-9))
    return float(np.sort(values)[min(place, values.size) - 1])
