"""What a measure would be if the scores were calibrated: labels redrawn from the scores themselves.

The labels are redrawn as Bernoulli(p) and the measure is estimated again, with everything that it fits fitted anew.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from fitontest.checks import is_whole
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.entries import Entries
from fitontest.data.ordering import Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import Weights
from fitontest.exceptions import without_warnings
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.measures.notes import AUTO_CLASSES, AUTO_DRAWS, AUTO_ROWS
from fitontest.numerics.random import check_seed, generator
from fitontest.progress import track
from fitontest.typing import RandomState


def with_null(estimate: Estimate, sample: ScoreSample, draws: int, random_state: RandomState) -> Estimate:
    """Return the estimate with its null distribution: the measure's values for labels drawn from the scores.

    Parameters
    ----------
    estimate : Estimate
        Of the sample.
    sample : ScoreSample
    draws : int
        0 leaves the estimate as it is, and so does a measure that does not use the labels.
    random_state : int, RandomState or None
    """
    check_draws(draws)
    check_seed(random_state)
    if draws == 0 or not estimate.measure.uses_labels:
        return estimate
    rng = generator(random_state)
    measure, values = estimate.measure, np.empty(draws)
    redraw = redrawn_in_place if measure.by_row else redrawn
    of_draws = measure.of_repeated_rows(2) if measure.by_row else measure
    for draw in track(range(draws), "draws"):
        drawn = redraw(sample, rng)
        with without_warnings():  # of the real labels the user has been warned
            values[draw] = of_draws.estimate(drawn).value
    null = IfCalibrated(
        estimate.value, values, measure.refits, measure.greater_is_better, measure.held_fixed, measure.two_sided
    )
    return replace(estimate, null=null)


def redrawn(sample: ScoreSample, rng: np.random.RandomState) -> ScoreSample:
    """Return the sample with labels drawn as Bernoulli(p).

    Whole weights are rows, each with a label of its own; a row of any other weight gets one label.
    """
    if sample.aggregated and not sample.whole:
        return _redrawn_entries(sample, rng)
    if not sample.whole:
        rows = sample.rows
        y = (rng.random_sample(len(rows)) < rows.p).astype(np.float64)
        order = np.lexsort((rows.w, y, rows.p))
        return ScoreSample.of_rows(Rows.of(rows.p[order], y[order], rows.w[order], whole=False), whole=False)
    groups = sample.groups
    if groups.w.max() == 1.0:  # no ties: a row each, and a faster draw
        y = (rng.random_sample(len(groups)) < groups.p).astype(np.float64)
        return ScoreSample.of_rows(
            Rows.of(groups.p, y, np.broadcast_to(np.float64(1.0), y.shape), whole=True), whole=True
        )
    count = groups.w.astype(np.int64)
    positive = rng.binomial(count, groups.p)
    pair = np.stack((count - positive, positive), axis=1).ravel()
    p, y = np.repeat(groups.p, 2), np.tile([0.0, 1.0], len(groups))
    if sample.unit:
        p, y = np.repeat(p, pair), np.repeat(y, pair)
        return ScoreSample.of_rows(Rows.of(p, y, np.broadcast_to(np.float64(1.0), p.shape), whole=True), whole=True)
    present = pair > 0
    p, y, pair = p[present], y[present], pair[present]
    w = pair.astype(np.float64)
    if sample.aggregated:
        return sample_of_rows(Rows(p, y, w, pair, w), whole=True)
    return ScoreSample.of_rows(Rows.of(p, y, w, whole=True), whole=True)


def redrawn_in_place(sample: ScoreSample, rng: np.random.RandomState) -> ScoreSample:
    """Return the same with two rows for each, in the given order: the weight of its negatives and of its positives."""
    p, w = sample.p, sample.w
    share = rng.binomial(w.astype(np.int64), p) if sample.whole else w * (rng.random_sample(p.size) < p)
    both = np.asarray(np.stack((w - share, share), axis=1).ravel(), dtype=np.float64)
    return ScoreSample(np.tile([0, 1], p.size), np.repeat(p, 2), Weights(both, sample.whole))


def _redrawn_entries(sample: ScoreSample, rng: np.random.RandomState) -> ScoreSample:
    """Return entries of many rows with as many positives as rows of equal weight and probability p would have."""
    entries = Entries.of_rows(sample)
    return entries.sample(rng.binomial(entries.n, entries.p))


def draws_of(measure: Measure, null_draws: int | Literal["auto"], rows: int, classes: int = 1) -> int:
    """Return the number of draws: what "auto" means for a measure and the rows of all classes together."""
    if isinstance(null_draws, str) and null_draws == "auto":
        return AUTO_DRAWS if measure.needs_null and rows <= AUTO_ROWS and classes <= AUTO_CLASSES else 0
    return null_draws


def check_null_draws(draws: object) -> None:
    """Raise ValueError unless `draws` is "auto" or a whole number, at least 0."""
    if not (isinstance(draws, str) and draws == "auto"):
        check_draws(draws, "null_draws", or_else=", or 'auto'")


def check_draws(draws: object, name: str = "null_draws", least: int = 0, or_else: str = "") -> None:
    """Raise ValueError unless `draws` is a whole number, at least `least`."""
    if not is_whole(draws) or draws < least:
        raise ValueError(f"{name} must be a whole number, at least {least}{or_else}; got {draws!r}")
