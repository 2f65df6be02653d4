"""Facts are columns that stay with their rows, whatever is done to the rows."""

import pickle

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.counted_sample import CountedSample, count_rows, sample_of_rows
from fitontest.data.sample import Sample
from fitontest.data.score_sample import as_importances
from fitontest.data.simplex_redraws import pool_equal_rows
from fitontest.data.simplex_sample import SimplexSample
from tests.strategies import aggregated, noisy

N = 120
RNG = np.random.default_rng(0)
W = RNG.integers(0, 4, N).astype(float)
P = RNG.dirichlet([1, 1, 1], N)
CODES = np.arange(N) % 3
LABELS, SCORES = noisy(N)
SCORES = np.round(SCORES * 8) / 8  # ties, and 1 - p is exact


def scores(w=W):
    """Rows of which the fact tells score, label and weight."""
    sample = fot.ScoreSample(LABELS, SCORES, w)
    return sample.with_facts(row=np.column_stack((SCORES, LABELS, np.ones(N) if w is None else w)))


def distributions(w=W):
    sample = fot.read(CODES, P, sample_weight=w, reduction="canonical")
    return sample.with_facts(row=np.column_stack((P, CODES, np.ones(N) if w is None else w)))


def is_true(sample):
    """Return whether the facts are those of the rows that they stand beside, and whether there are any."""
    if isinstance(sample, SimplexSample):
        columns = np.column_stack((sample.p, sample.codes, sample.w))
    else:
        columns = np.column_stack((sample.p, sample.y, sample.w))
    return sample.facts.keys() == {"row"} and np.array_equal(sample.facts["row"], columns)


@pytest.mark.parametrize("w", [None, W, W + 0.5], ids=["unit", "counts", "importances"])
@pytest.mark.parametrize("make", [scores, distributions])
def test_facts_follow_their_rows(make, w):
    sample = make(w)
    present = sample.present
    chosen = np.arange(0, present.w.size, 3)
    halves, folds = present.in_folds(4, 0)
    others = [sample, present, present.take(chosen), sample.select(np.arange(N)[::-1]), halves.take(folds[1])]
    assert all(isinstance(one, Sample) and is_true(one) for one in others)
    assert present.w.min() > 0
    assert present.n == sample.n
    assert present.total == sample.total
    assert sample.keep_facts("row").facts.keys() == {"row"}
    assert not sample.keep_facts().facts


def test_facts_follow_other_predictions():
    sample = scores()
    moved = sample.rescored(1.0 - sample.rows.p)
    np.testing.assert_array_equal(moved.facts["row"][:, 0], 1.0 - moved.p)
    np.testing.assert_array_equal(moved.present.facts["row"][:, 0], 1.0 - moved.rows.p)
    whole = distributions().present
    assert whole.rescored(whole.p[:, ::-1]).facts is whole.facts
    np.testing.assert_array_equal(distributions().confidence.facts["row"], distributions().facts["row"])
    np.testing.assert_array_equal(distributions().against_rest(1).facts["row"], distributions().facts["row"])
    assert as_importances(scores()).facts.keys() == {"row"}


def test_facts_of_entries_that_stand_for_many_rows():
    entries = aggregated(LABELS, SCORES)
    marked = entries.with_facts(row=np.column_stack((entries.p, entries.y)))
    parts, folds = marked.in_folds(4, 0)
    for sample in (marked, marked.take(np.arange(3)), parts, parts.take(folds[0])):
        np.testing.assert_array_equal(sample.facts["row"], np.column_stack((sample.p, sample.y)))
    moved = marked.rescored(1.0 - marked.p)
    np.testing.assert_array_equal(moved.facts["row"][:, 0], 1.0 - moved.p)
    assert parts.merged is parts  # facts may tell the parts of an entry apart
    assert len(parts.keep_facts().merged.rows) == len(entries.rows)


def test_counted_rows_keep_their_facts():
    counted = count_rows(scores())
    assert isinstance(counted, CountedSample)
    assert is_true(counted)
    assert counted.n == W.sum()
    assert count_rows(distributions()).facts.keys() == {"row"}


def test_samples_of_single_rows_are_no_counted_samples():
    sample = fot.ScoreSample(LABELS, SCORES)
    single = sample_of_rows(sample.rows, whole=True)
    assert not isinstance(single, CountedSample)
    assert (single.n, single.unit, single.is_sorted, single.aggregated) == (N, True, True, False)


def test_equal_distributions_with_other_facts_are_not_pooled():
    rows = fot.read([0, 1] * 6, [[0.2, 0.8], [0.6, 0.4]] * 6, reduction="canonical")
    assert pool_equal_rows(rows.in_order()).w.tolist() == [6, 6]
    apart = pool_equal_rows(rows.with_facts(group=np.array(["a", "b", "b"] * 4)).in_order())
    assert apart.w.tolist() == [2, 4, 2, 4]
    assert apart.facts["group"].tolist() == ["a", "b", "a", "b"]


def test_facts_have_an_entry_for_each_row():
    with pytest.raises(ValueError, match="rows and group must have the same number of rows"):
        scores().with_facts(group=np.zeros(3))


@pytest.mark.parametrize(
    "sample", [scores(), distributions(), aggregated(LABELS, SCORES)], ids=lambda one: repr(one)[:9]
)
def test_samples_are_pickled_with_their_facts(sample):
    assert sample.present.n == sample.n
    again = pickle.loads(pickle.dumps(sample))
    assert again.facts.keys() == sample.facts.keys()
    assert (again.n, again.total, again.whole, again.unit) == (sample.n, sample.total, sample.whole, sample.unit)
    np.testing.assert_array_equal(again.p, sample.p)
