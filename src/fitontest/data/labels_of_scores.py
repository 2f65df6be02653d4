"""A sample with labels drawn from its own scores: what calibrated scores would look like."""

import numpy as np

from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.dependence import Dependence, SharedNumbers
from fitontest.data.entries import entries_of_rows
from fitontest.data.ordering import Rows
from fitontest.data.parts import countable
from fitontest.data.row_groups import GROUP, RowGroups
from fitontest.data.sample import taken
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import Weights


def redrawn(sample: ScoreSample, rng: np.random.RandomState, dependence: Dependence | None = None) -> ScoreSample:
    """Return the sample with labels drawn as Bernoulli(p).

    Whole weights are rows, each with a label of its own; a row of any other weight gets one label. Rows with facts stay
    as they were given, each twice: with the weight of its negatives and with that of its positives. With `dependence`
    labels of one group depend on each other as much.
    """
    if dependence is not None and sample.groups is not None:
        return _redrawn_together(sample.present, sample.groups, rng, dependence)
    if sample.facts:
        return _redrawn_in_place(sample, rng)
    if sample.aggregated and not sample.whole:
        return _redrawn_entries(sample, rng)
    if not sample.whole:
        rows = sample.rows
        y = (rng.random_sample(len(rows)) < rows.p).astype(np.float64)
        order = np.lexsort((rows.w, y, rows.p))
        return ScoreSample.of_rows(Rows.of(rows.p[order], y[order], rows.w[order], whole=False), whole=False)
    distinct = sample.distinct
    if distinct.w.max() == 1.0:  # no ties: a row each, and a faster draw
        y = (rng.random_sample(len(distinct)) < distinct.p).astype(np.float64)
        return ScoreSample.of_rows(
            Rows.of(distinct.p, y, np.broadcast_to(np.float64(1.0), y.shape), whole=True), whole=True
        )
    count = distinct.w.astype(np.int64)
    positive = rng.binomial(count, distinct.p)
    pair = np.stack((count - positive, positive), axis=1).ravel()
    p, y = np.repeat(distinct.p, 2), np.tile([0.0, 1.0], len(distinct))
    if sample.unit:
        p, y = np.repeat(p, pair), np.repeat(y, pair)
        return ScoreSample.of_rows(Rows.of(p, y, np.broadcast_to(np.float64(1.0), p.shape), whole=True), whole=True)
    present = pair > 0
    p, y, pair = p[present], y[present], pair[present]
    w = pair.astype(np.float64)
    if sample.aggregated:
        return sample_of_rows(Rows(p, y, w, pair, w), whole=True)
    return ScoreSample.of_rows(Rows.of(p, y, w, whole=True), whole=True)


def _redrawn_in_place(sample: ScoreSample, rng: np.random.RandomState) -> ScoreSample:
    p, w = sample.p, sample.w
    share = rng.binomial(w.astype(np.int64), p) if sample.whole else w * (rng.random_sample(p.size) < p)
    both = np.asarray(np.stack((w - share, share), axis=1).ravel(), dtype=np.float64)
    drawn = ScoreSample(np.tile([0, 1], p.size), np.repeat(p, 2), Weights(both, sample.whole))
    return drawn.with_facts(**taken(sample.facts, np.repeat(np.arange(p.size), 2)))


def _redrawn_together(
    sample: ScoreSample, groups: RowGroups, rng: np.random.RandomState, dependence: Dependence
) -> ScoreSample:
    """Return the sorted rows, each twice, with labels that depend on each other within groups."""
    rows, key = sample.rows, f"shared numbers of {dependence}"
    n = np.rint(rows.w).astype(np.intp) if sample.whole else countable(rows, whole=False)
    if key not in sample.memory:
        sample.memory[key] = SharedNumbers.of(groups.code, rows.p, rows.w, n, dependence)
    shared, given = sample.memory[key], rows.p
    if shared is not None:
        given = shared.given(rows.p, shared.draw(1, [int(rng.randint(2**31 - 1))]))[:, 0]
    positive = rng.binomial(n, given)
    if shared is not None:  # the scores themselves are as symmetric as mirrored rows
        positive = shared.with_mirrors(positive, positive, n)
    count = np.stack((n - positive, positive), axis=1).ravel()
    present = np.flatnonzero(count)
    at, y = present // 2, (present % 2).astype(np.float64)
    w, share = (rows.w / n)[at] * count[present], count[present] / n[at]
    order = np.lexsort((groups.code[at], w, y, rows.p[at]))
    at, share = at[order], share[order]
    behind = np.maximum(np.rint(rows.n[at] * share).astype(np.intp), 1) if not rows.single else rows.n[at]
    w2 = w[order] if sample.whole else rows.w2[at] * share
    drawn = Rows(rows.p[at], y[order], w[order], behind, w2)
    facts = {**taken(sample.facts, at), GROUP: groups.code[at]}  # numbers, which are found faster than ids
    return sample_of_rows(drawn, whole=sample.whole, facts=facts)


def _redrawn_entries(sample: ScoreSample, rng: np.random.RandomState) -> ScoreSample:
    """Return entries of many rows with as many positives as rows of equal weight and probability p would have."""
    entries = entries_of_rows(sample)
    return entries.sample(rng.binomial(entries.n, entries.p))
