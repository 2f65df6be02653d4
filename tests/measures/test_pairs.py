"""The pair statistic as a measure: its value and evidence, and what is printed and kept of it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from fitontest.data import entries as data_entries
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.measures.pair_windows import PairWindows
from fitontest.measures.pairs import NO_PAIR, NO_SPREAD, EntryPairs, PairStatistic
from tests.strategies import WEIGHTS, WHOLE_WEIGHTS, aggregated, noisy, samples


def pairs(y, p, w=None):
    return PairStatistic().estimate(fot.ScoreSample(y, p, w))


def waves(n=2000, seed=0, ties=None):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if ties is None else rng.random(n).round(ties)
    return (rng.random(n) < p + 0.1 * np.sin(16 * np.pi * p)).astype(int), p


def test_the_value_is_the_largest_of_the_standardised_statistics():
    y, p = waves(500)
    order = np.argsort(p)
    windows = PairWindows.of(p[order], np.ones(500), np.ones(500))
    squares = windows.statistics(y[order, None], p[order])[:, 0]
    spreads = windows.deviations(p[order])
    estimate = pairs(y, p)
    assert estimate.value == pytest.approx((squares / spreads).max(), rel=1e-12)
    evidence, largest = estimate.evidence, int(np.argmax(squares / spreads))
    np.testing.assert_allclose(evidence.squares, squares, rtol=1e-12)
    np.testing.assert_allclose(evidence.spreads, spreads, rtol=1e-12)
    assert evidence.near_rows == 2 * windows.scales[largest]
    assert evidence.root == pytest.approx(np.sqrt(squares[largest]))
    assert evidence.total_rows == 500


def test_it_sees_waves_that_smooth_maps_do_not():
    y, p = waves()
    assert pairs(y, p).value > 3
    calibrated = np.random.default_rng(1).random(2000) < p
    assert pairs(calibrated, p).value < 3
    assert pairs(y, p).evidence.root == pytest.approx(0.1 / np.sqrt(2), abs=0.02)


def test_values_of_calibrated_scores_have_mean_0_and_spread_1_at_each_scale():
    y, p = waves(300, ties=1)
    redraws = ScoreRedraws.of(fot.ScoreSample(y, p))
    entries = redraws.entries
    labels = (np.random.default_rng(2).random((300, 4000)) < entries.p[:, None]).astype(int)
    values = EntryPairs.of(entries).standardised(labels)
    assert values.shape[0] >= 2
    np.testing.assert_allclose(values.mean(axis=1), 0.0, atol=4.5 / np.sqrt(4000))
    np.testing.assert_allclose(values.std(axis=1), 1.0, atol=0.06)
    assert np.array_equal(values.max(axis=0), PairStatistic().values(redraws, labels))


@settings(max_examples=40)
@given(data=samples(weights=WHOLE_WEIGHTS))
def test_whole_weights_are_rows(data):
    y, p, w = data
    k = w.astype(int)
    weighted, repeated = pairs(y, p, w), pairs(np.repeat(y, k), np.repeat(p, k))
    assert weighted.value == pytest.approx(repeated.value, rel=1e-6, abs=1e-7)
    np.testing.assert_array_equal(weighted.evidence.reach, repeated.evidence.reach)
    np.testing.assert_allclose(weighted.evidence.squares, repeated.evidence.squares, rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(data=samples(weights=WEIGHTS.filter(lambda weight: weight > 0)))
def test_the_order_of_the_rows_does_not_matter(data):
    y, p, w = data
    order = np.random.default_rng(y.size).permutation(y.size)
    one, other = pairs(y, p, w), pairs(y[order], p[order], w[order])
    np.testing.assert_array_equal(one.evidence.reach, other.evidence.reach)
    np.testing.assert_allclose(one.evidence.squares, other.evidence.squares, rtol=0, atol=1e-9)


def test_the_scale_of_importances_means_nothing():
    y, p = waves(400, ties=2)
    w = np.random.default_rng(3).lognormal(size=400)
    for factor in (0.1, 1000.0):
        assert pairs(y, p, factor * w).value == pytest.approx(pairs(y, p, w).value, rel=1e-9)
    assert pairs(y, p, w).evidence.total_rows == pytest.approx(w.sum() ** 2 / (w @ w))
    assert pairs(y, p, np.full(400, 0.1)).value == pytest.approx(pairs(y, p).value, rel=1e-9)


def test_cells_are_their_rows():
    y, p = waves(600, ties=2)
    rows, counted = pairs(y, p), PairStatistic().estimate(aggregated(y, p))
    assert counted.value == pytest.approx(rows.value, rel=1e-9)
    assert counted.n == rows.n == 600
    table = [{**row} for row in counted.evidence.rows()]
    for found, expected in zip(table, rows.evidence.rows(), strict=True):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_many_labellings_at_once_are_single_estimates():
    y, p = waves(200, ties=2)
    for w in (None, np.random.default_rng(0).integers(1, 4, 200), np.random.default_rng(0).lognormal(size=200)):
        redraws = ScoreRedraws.of(fot.ScoreSample(y, p, w))
        values = PairStatistic().values(*redraws.observed)
        assert values == pytest.approx([pairs(y, p, w).value], rel=1e-9)
        labels = next(redraws.draw([redraws.entries.p], range(3), (0, 0)))
        expected = [PairStatistic().estimate(redraws.entries.sample(column)).value for column in labels.T]
        np.testing.assert_allclose(PairStatistic().values(redraws, labels), expected, rtol=1e-7)


def test_neighbouring_scores_of_many_rows_are_pooled(monkeypatch):
    y, p = waves(4000)
    exact = pairs(y, p)
    monkeypatch.setattr(data_entries, "MOST_ROWS", 1000)
    monkeypatch.setattr(data_entries, "NODES", 500)
    pooled = pairs(y, p)
    assert pooled.evidence.total_rows == 4000
    assert pooled.evidence.reach[0] == 0  # the rows of a node
    wide = {row["near_rows"]: row["square"] for row in pooled.evidence.rows() if row["near_rows"] >= 128}
    expected = {row["near_rows"]: row["square"] for row in exact.evidence.rows() if row["near_rows"] >= 128}
    assert wide == pytest.approx(expected, rel=0.1, abs=1e-4)


def test_the_table():
    estimate = pairs(*waves(500, ties=2))
    text = str(estimate)
    assert text.startswith(f"pair statistic {estimate.value:.2f}: n = 500")
    (section,) = estimate.sections()
    assert section.header == ["near rows", "share of rows", "T", "root", "T / s.d."]
    rows = estimate.rows()
    assert [line[0] for line in section.body] == ["same score", *(f"{row['near_rows']:,.0f}" for row in rows[1:])]
    assert section.body[0][1] == "-"
    assert section.body[1][1] == f"{100 * rows[1]['share']:.2g} %"
    assert section.body[-1][1] == "13 %"
    root = np.sign(rows[0]["square"]) * np.sqrt(abs(rows[0]["square"]))
    assert rows[0]["root"] == pytest.approx(root)
    assert rows[1]["share"] == rows[1]["near_rows"] / 500


def test_json():
    estimate = pairs(*waves(500))
    kept = json.loads(estimate.to_json())
    assert kept["measure"] == "pairs"
    assert kept["unit"] == "standard deviations"
    assert kept["value"] == estimate.value
    assert kept["root"] == estimate.evidence.root
    assert kept["near_rows"] == estimate.evidence.near_rows
    assert kept["scales"] == estimate.evidence.rows()
    assert estimate.record()["root"] == estimate.evidence.root


def test_it_is_a_measure_of_tables():
    y, p = waves(2000)
    table = fot.evaluate(y, p, measures=["pairs", "ece"], null_draws=40)
    assert table["pairs"].value == pairs(y, p).value
    assert table["pairs"].null.values.size == 40
    assert table["pairs"].null.p_value <= 0.1


@pytest.mark.parametrize("y", [[0, 1, 1, 0], [1, 1, 0, 0]])
def test_scores_of_0_and_1_alone_have_no_scale(y):
    estimate = pairs(y, [0.0, 1.0, 1.0, 0.0])
    assert estimate.value == 0.0
    assert NO_SPREAD in estimate.note
    assert NO_SPREAD in " ".join(str(estimate).split())
    assert not estimate.evidence.spreads.any()


def test_one_row_has_no_pairs():
    for p in (0.3, 1.0):
        estimate = pairs([1], [p])
        assert estimate.value == 0.0
        assert estimate.n == 1
        assert estimate.evidence.rows()[0]["square"] == 0.0
        assert (NO_PAIR in estimate.note) == (p == 0.3)
        assert (NO_SPREAD in estimate.note) == (p == 1.0)


def test_two_rows_are_a_pair():
    estimate = pairs([1, 1], [0.5, 0.8])
    assert estimate.evidence.squares.tolist() == pytest.approx([0.5 * 0.2])
    assert estimate.value == pytest.approx(0.1 / np.sqrt(0.25 * 0.16))
    assert NO_PAIR not in (estimate.note or "")
    assert estimate.sections()[0].body[0][1] == "100 %"


def test_labels_of_one_class():
    _, p = noisy(300)
    estimate = pairs(np.ones(300, dtype=int), p)
    assert estimate.value > 5
    assert np.isfinite(estimate.evidence.squares).all()
    largest = estimate.evidence.reach[estimate.evidence.largest]
    assert largest >= 8  # errors of one sign show most in wide windows


def test_a_negative_statistic_has_the_root_0():
    p = np.linspace(0.4, 0.6, 40)
    evidence = pairs(np.arange(40) % 2, p).evidence
    assert evidence.squares[0] < 0
    assert evidence.rows()[0]["root"] < 0
    if evidence.squares[evidence.largest] <= 0:
        assert evidence.root == 0.0
    assert pairs([0, 1], [0.5, 0.5]).evidence.root == 0.0


def test_pooled_scores_are_not_called_equal(monkeypatch):
    """Beyond so many rows neighbouring scores are one unit, whose rows share no score."""
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = rng.random(2000) < p
    monkeypatch.setattr(data_entries, "MOST_ROWS", 1000)
    monkeypatch.setattr(data_entries, "NODES", 100)
    evidence = PairStatistic().estimate(fot.ScoreSample(y, p)).evidence
    assert evidence.rows()[0]["near_rows"] == pytest.approx(20, rel=0.1)
    assert "same score" not in str(evidence.section())
