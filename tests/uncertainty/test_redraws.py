"""Redrawn labels: their distribution, and the same random numbers under every truth."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data import entries as data_entries
from fitontest.data import score_redraws as redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.dependence import redraws_of

SEED = (0, 0)
SLOW_OR_BY_ROW = ("probabilistic_kendall_tau", "proper_error")  # of true probabilities by row; of many fits


def test_rows_have_labels_of_their_own_under_common_numbers():
    p = np.linspace(0.05, 0.95, 40)
    made = ScoreRedraws.of(fot.ScoreSample(np.arange(40) % 2, p))
    low, high = made.draw([p, np.minimum(1.2 * p, 1)], range(4000), SEED)
    assert low.shape == (40, 4000)
    assert np.all(low <= high)  # a larger truth has the positives of the smaller one, and more
    np.testing.assert_allclose(low.mean(axis=1), p, atol=5 * np.sqrt(0.25 / 4000))
    assert abs(np.corrcoef(low[:2])[0, 1]) < 0.08


def test_whole_weights_are_rows_with_labels_of_their_own():
    made = ScoreRedraws.of(fot.ScoreSample([0, 1, 1], [0.2, 0.2, 0.7], [3, 1, 6]))
    assert made.entries.n.tolist() == [4, 6]
    counts = next(made.draw([made.entries.p], range(20_000), SEED))
    mean, variance = counts.mean(axis=1), counts.var(axis=1)
    np.testing.assert_allclose(mean, [4 * 0.2, 6 * 0.7], atol=0.05)
    np.testing.assert_allclose(variance, [4 * 0.2 * 0.8, 6 * 0.7 * 0.3], atol=0.05)


def test_other_weights_have_one_label_a_row():
    made = ScoreRedraws.of(fot.ScoreSample([0, 1], [0.2, 0.7], [0.5, 2.5]))
    assert made.entries.n.tolist() == [1, 1]
    assert made.entries.w.tolist() == [0.5, 2.5]


def test_counts_of_several_truths_come_from_the_same_rows():
    """Among n rows with one number u each, the counts under two truths have the covariance n min(a, b) - n a b."""
    made = ScoreRedraws.of(fot.ScoreSample([0, 1], [0.3, 0.6], [20, 30], weights="counts"))
    second, third = np.array([0.5, 0.4]), np.array([0.9, 0.1])
    counts = list(made.draw([made.entries.p, second, third, np.array([1.0, 0.0])], range(40_000), SEED))
    first, n = made.entries.p, made.entries.n
    for truth, count in zip((first, second, third), counts, strict=False):
        np.testing.assert_allclose(count.mean(axis=1), n * truth, rtol=0.01)
        np.testing.assert_allclose(count.var(axis=1), n * truth * (1 - truth), rtol=0.04)
    for k in range(2):
        covariance = np.cov(counts[0][k], counts[2][k])[0, 1]
        assert covariance == pytest.approx(n[k] * (min(first[k], third[k]) - first[k] * third[k]), rel=0.1)
    assert np.all(counts[3] == [[20], [0]])


def test_counts_that_are_kept_change_none_of_those_drawn_after_them():
    def made():
        return ScoreRedraws.of(fot.ScoreSample([0, 1], [0.3, 0.6], [20, 30], weights="counts"))

    p, others = np.array([0.3, 0.6]), [np.array([0.5, 0.4]), np.array([0.2, 0.9])]
    alone = [np.concatenate([*made().draw([p, c], range(30), SEED)]) for c in others]
    kept = made()
    for c, counts in zip(others, alone, strict=True):
        np.testing.assert_array_equal(np.concatenate([*kept.draw([p, c], range(30), SEED)]), counts)
        np.testing.assert_array_equal(next(kept.draw([p, c], range(30), SEED, known=1)), counts[2:])
    first = next(kept.draw([p.copy()], range(30), SEED))
    np.testing.assert_array_equal(first, alone[0][:2])
    assert next(kept.draw([p], range(20), SEED)).shape == (2, 20)
    assert not np.array_equal(next(kept.draw([p], range(30), (0, 1))), first)
    assert first is next(kept.draw([p], range(30), SEED))


def test_no_more_counts_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(redraws, "MOST_KEPT", 100)
    made = ScoreRedraws.of(fot.ScoreSample([0, 1], [0.3, 0.6], [20, 30], weights="counts"))
    first, second = (next(made.draw([made.points], range(start, start + 30), SEED)) for start in (0, 30))
    assert first is next(made.draw([made.points], range(30), SEED))
    again = next(made.draw([made.points], range(30, 60), SEED))
    assert again is not second
    np.testing.assert_array_equal(again, second)


def test_blocks_are_the_columns_of_a_seed(monkeypatch):
    monkeypatch.setattr(redraws, "BLOCK", 10)
    made = ScoreRedraws.of(fot.ScoreSample([0, 1, 1], [0.2, 0.4, 0.7]))
    blocks = made.blocks(40)
    assert [len(block) for block in blocks] == [8] * 5
    truth = [made.entries.p]
    first, second = (next(made.draw(truth, block, SEED)) for block in blocks[:2])
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(next(made.draw(truth, blocks[1], SEED)), second)
    assert not np.array_equal(next(made.draw(truth, blocks[1], (1, 0))), second)


def test_many_rows_are_pooled(monkeypatch):
    monkeypatch.setattr(data_entries, "MOST_ROWS", 500)
    monkeypatch.setattr(data_entries, "NODES", 50)
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    y = rng.random(1000) < p
    made = ScoreRedraws.of(fot.ScoreSample(y, p))
    points, labels = made.observed
    entries = points.entries
    assert len(entries) == 50
    assert points is made
    assert entries.n.sum() == 1000
    assert labels.sum() == y.sum()
    assert entries.p @ entries.w == pytest.approx(p.sum())
    assert np.all(np.diff(entries.p) > 0)


def sample_of(kind, weights):
    rng = np.random.default_rng(3)
    w = {"rows": None, "counts": rng.integers(1, 4, 60), "importances": rng.lognormal(size=60)}[weights]
    if kind == "two":
        p = rng.random(60).round(2)
        return fot.ScoreSample(rng.random(60) < p, p, w)
    P = rng.dirichlet([1, 1, 1], 60)
    return fot.read(rng.integers(0, 3, 60), P, sample_weight=w, reduction="canonical")


@pytest.mark.parametrize("weights", ["rows", "counts", "importances"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in ("two", "any") for name in fot.measures.names(kind) if name not in SLOW_OR_BY_ROW],
)
def test_values_of_many_labellings_are_those_of_each_by_itself(kind, name, weights):
    sample = sample_of(kind, weights)
    settings = (
        {"family": "isotonic"} if name in ("plug_in", "eci") else {}
    )  # a spline draws folds, by entries or by rows
    redraws, measure = redraws_of(sample), fot.measures.make(name, **settings)
    labels = next(redraws.draw([redraws.points], range(3), SEED))
    with without_warnings():
        try:
            each = [measure.estimate(labelled).value for labelled in redraws.samples(labels)]
        except ValueError as error:
            pytest.skip(f"refused: {error}")
        np.testing.assert_allclose(measure.values(redraws, labels), each, rtol=1e-7, atol=1e-12)


def test_a_measure_without_settings_asks_the_sample_for_its_kind():
    sample = sample_of("any", "rows")
    pairs = {"canonical": fot.measures.PlugIn(), "canonical_kernel": fot.measures.KernelError()}
    for name, measure in pairs.items():
        with without_warnings():
            named, plain = fot.measures.make(name).estimate(sample), measure.estimate(sample)
        assert (plain.value, plain.measure.name) == (named.value, named.measure.name)
        assert plain.measure.classes == "any"
        assert measure.classes == "two"
        assert plain.n_classes == 3
    assert fot.measures.PlugIn("vector").classes == "any"
    assert fot.measures.PlugIn().estimate(sample_of("two", "rows")).family == "spline"
    with pytest.raises(ValueError, match="debias must be False for the probabilities of all classes"):
        fot.measures.PlugIn("vector", debias=True)
    with pytest.raises(ValueError, match="loss must be 'bias' for the probabilities of all classes, got 'rejection'"):
        fot.measures.Binned("rejection", distance="cityblock")
    with pytest.raises(ValueError, match="n_bins must be left at 10 for the probabilities of all classes"):
        fot.measures.Binned(n_bins=4, distance="cityblock")


def test_the_ways_of_truths_start_at_the_points():
    for kind in ("two", "any"):
        redraws = redraws_of(sample_of(kind, "counts"))
        g = redraws.moved(redraws.points)
        assert np.abs(g - redraws.points).max() > 1e-3  # a direction that goes nowhere is shifted
        np.testing.assert_allclose(redraws.truth(g, 0.0), redraws.points, rtol=0, atol=1e-15)
        np.testing.assert_allclose(redraws.truth(g, 1.0), g, rtol=0, atol=1e-15)


def test_intervals_of_other_data_see_other_labels():
    """One seed and one number of rows would make one unlucky stream for all of them."""
    p = np.linspace(0.05, 0.95, 40)
    few, many = (ScoreRedraws.of(fot.ScoreSample(np.arange(40) % k == 0, p)) for k in (4, 2))
    assert few.chain_stream != many.chain_stream
    weighted = ScoreRedraws.of(fot.ScoreSample([0, 1, 1], [0.2, 0.2, 0.7], [3, 1, 6]))
    repeated = ScoreRedraws.of(fot.ScoreSample(*np.repeat([[0, 1, 1], [0.2, 0.2, 0.7]], [3, 1, 6], axis=1)))
    assert weighted.chain_stream == repeated.chain_stream
