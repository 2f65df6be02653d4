"""Null and interval of errors of whole distributions: the law of the labels drawn, and what the inversion promises."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.simplex_redraws import SimplexRedraws, drawn_codes, relabelled
from fitontest.data.simplex_sample import Labelling
from fitontest.data.weights import Weights
from fitontest.uncertainty.chain import Redrawn
from fitontest.uncertainty.dependence import redraws_of
from fitontest.uncertainty.goodness_of_fit import fit_at_points
from tests.measures.test_simplex_ece import canonical, drawn


def data_of(y, P, w=None):
    return fot.read(y, P, sample_weight=w, reduction="canonical", labels=list(range(P.shape[1])))


def test_labels_are_drawn_from_the_rows():
    p = np.array([[0.2, 0.0, 0.5, 0.3, 0.0]])
    rng = np.random.default_rng(0)
    codes = drawn_codes(np.cumsum(np.repeat(p, 20_000, axis=0), axis=1), rng.random(20_000))
    shares = np.bincount(codes, minlength=5) / 20_000
    assert shares[[1, 4]].tolist() == [0, 0]  # what is impossible is not drawn
    np.testing.assert_allclose(shares, p[0], atol=4 * np.sqrt(0.25 / 20_000))
    ends = np.cumsum([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], axis=1)
    for u in (0.0, 0.5, np.nextafter(1, 0)):
        assert drawn_codes(ends, np.array([u, u])).tolist() == [0, 2]


def test_the_same_numbers_serve_all_truths():
    y, P = drawn(200, 3)
    redraws = SimplexRedraws.of(data_of(y, P))
    a, b = redraws.values(fot.measures.make("simplex_ece"), [P, P], 6, (5, 0))
    np.testing.assert_array_equal(a, b)
    assert np.unique(a).size == 6


def test_calibrated_predictions_have_uniform_p_values():
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(40):
        P = rng.dirichlet([1, 1, 1], 150)
        y = drawn_codes(np.cumsum(P, axis=1), rng.random(150))
        null = canonical(fot.gce, y, P, null_draws=39, random_state=seed).null
        p_values.append(null.p_value)
    assert 0.35 < np.mean(p_values) < 0.65
    assert np.mean(np.array(p_values) <= 0.2) < 0.42


def test_the_null_does_not_depend_on_the_order_of_rows_and_whole_weights_are_rows():
    y, P = drawn(120, 3)
    rng = np.random.default_rng(1)
    w, order = rng.integers(0, 3, 120), rng.permutation(120)
    null = canonical(fot.gce, y, P, sample_weight=w, null_draws=5).null.values
    again = canonical(fot.gce, y[order], P[order], sample_weight=w[order], null_draws=5).null.values
    np.testing.assert_allclose(again, null, rtol=0, atol=1e-14)
    repeated = canonical(fot.gce, np.repeat(y, w), np.repeat(P, w, axis=0), null_draws=5).null.values
    np.testing.assert_allclose(repeated, null, rtol=0, atol=1e-14)


def test_cells_given_row_by_row_follow_the_rows_of_the_null():
    y, P = drawn(120, 3)
    w = np.random.default_rng(1).integers(0, 3, 120)
    cells = (P[:, 0] > 0.4).astype(int)

    class Halves:
        n_cells = 2

        def partition(self, P, w):
            return self

        def locate(self, P):
            return (P[:, 0] > 0.4).astype(int)

    by_row = canonical(fot.gce, y, P, partition=cells, sample_weight=w, null_draws=4).null.values
    by_rule = canonical(fot.gce, y, P, partition=Halves(), sample_weight=w, null_draws=4).null.values
    np.testing.assert_allclose(by_row, by_rule, rtol=0, atol=1e-14)


def test_the_chain_stays_on_the_simplex():
    P = drawn(50, 4)[1]
    g = np.roll(P, 1, axis=1)
    data = data_of(np.zeros(50, dtype=int), P)
    redraws = SimplexRedraws(data, data)
    for t in (0, 0.5, 1, 3):
        c = redraws.truth(g, t)
        assert c.min() >= 0
        np.testing.assert_allclose(c.sum(axis=1), 1, rtol=0, atol=1e-12)
        if t <= 1:
            np.testing.assert_allclose(c, P + t * (g - P), rtol=0, atol=1e-12)


@pytest.mark.exhaustive
def test_the_interval():
    y, P = drawn(400, 3)
    found = canonical(fot.gce, y, P, interval="always", level=0.9, draws=20, null_draws=30)
    assert 0 <= found.interval.low <= found.debiased <= found.interval.high
    assert found.debiased < float(found)  # label noise in cells of ten rows adds much
    assert found.interval.level == 0.9
    assert found.null.values.size == 30
    assert "(90 % CI)" in str(found)
    twice = canonical(fot.gce, y, P, interval="always", level=0.9, draws=20, null_draws=30, distance="cityblock")
    assert twice.debiased == pytest.approx(2 * found.debiased, abs=1e-12)
    assert twice.interval.high == pytest.approx(2 * found.interval.high, abs=1e-12)


def test_errors_without_an_interval_say_why():
    y, P = drawn(200, 3)
    for function, settings, reason in (
        (fot.calibration_error, {}, "held the true one in 90 %"),
        (fot.calibration_error, {"family": fot.maps.MulticlassIdentityMap()}, "a map that is given is not fitted"),
        (fot.gce, {"partition": fot.partitions.UniformGrid(2)}, "coverage is known for median_variance"),
        (fot.gce, {"norm": "max"}, "coverage is known for median_variance"),
        (fot.gce, {"distance": "squared_euclidean"}, "coverage is known for median_variance"),
    ):
        found = canonical(function, y, P, interval="always", null_draws=3, **settings)
        assert found.interval is found.debiased is None
        assert reason in found.interval_reason
        assert found.interval_reason in " ".join(str(found).split())
        assert found.null.values.size == 3
    kernel = fot.measures.make("canonical_kernel")
    (found,) = fot.evaluate(y, P, measures=[kernel], reduction="canonical", interval="always", null_draws=3)
    assert "under given probabilities is not defined" in found.interval_reason


def test_the_inversion_is_there_for_those_who_measure_its_coverage():
    y, P = drawn(200, 3)
    redraws = SimplexRedraws.of(data_of(y, P))
    g = redraws.moved(fit_at_points("vector", redraws))
    ends = Redrawn(fot.measures.PlugIn("vector"), redraws, 0).chain(g, 15, 0.95)
    assert 0 <= ends.low <= ends.value <= ends.high < 1


def test_numbers_of_labels_have_the_law_of_each_truth_and_move_little():
    y, P = drawn(6, 3)
    w = Weights(np.array([1.0, 2.0, 7.0, 40.0, 1.0, 300.0]), counts=True)
    redraws = SimplexRedraws.of(data_of(y, P, w))
    data = redraws.sample
    assert redraws.several.size == 4
    truths = [data.p, redraws.truth(np.roll(data.p, 1, axis=1), 0.3)]
    first, second = redraws._counts(truths, 4000, np.random.default_rng(0))
    n = data.w[redraws.several]
    for counts, truth in zip((first, second), truths, strict=True):
        assert (counts.sum(axis=2) == n).all()
        p = truth[redraws.several]
        mean, variance = n[:, None] * p, n[:, None] * p * (1 - p)
        assert (np.abs(counts.mean(axis=0) - mean) < 4.5 * np.sqrt(variance / 4000) + 1e-12).all()
        np.testing.assert_allclose(counts.var(axis=0), variance, rtol=0.15, atol=0.02)
    moved = np.abs(second - first).sum(axis=2) / 2
    expected = n * np.abs(truths[1] - truths[0])[redraws.several].sum(axis=1) / 2
    np.testing.assert_allclose(moved.mean(axis=0), expected, rtol=0.2)


MEASURES = [
    fot.measures.make("simplex_ece", partition=fot.partitions.MedianVariance(5)),
    fot.measures.KernelError(),
    fot.measures.KernelError(estimator="biased"),
    fot.measures.KernelError(estimator="block", block_size=20),
    fot.measures.PlugIn("temperature"),
]


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_labelling_of_entries_is_one_of_their_rows(measure):
    y, P = drawn(60, 3)
    w = np.random.default_rng(1).integers(1, 4, 60)
    data = data_of(y, P, w).in_order()
    counts = [np.random.default_rng(seed).multinomial(data.w.astype(int), data.p) for seed in range(2)]
    labellings = [Labelling(*np.nonzero(one), one[one > 0].astype(float)) for one in counts]
    rows = np.repeat(np.arange(60), data.w.astype(int))
    codes = [np.concatenate([np.repeat(np.arange(3), row) for row in one]) for one in counts]
    expected = [measure.estimate(data_of(code, data.p[rows])).value for code in codes]
    if getattr(measure, "estimator", "") == "block":  # blocks are drawn of the rows in their order
        expected = [measure.estimate(relabelled(data, one)).value for one in labellings]
    values = measure.values(SimplexRedraws(data, data), labellings)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"interval": "always", "level": 0.9, "draws": 15}], ids=["null", "interval"])
def test_the_null_does_not_take_memory_for_the_rows_that_weights_stand_for(settings):
    y, P = drawn(40, 3)
    w = Weights(np.random.default_rng(1).integers(1, 10**8, 40).astype(float), counts=True)  # 2e9 rows
    found = canonical(fot.gce, y, P, sample_weight=w, null_draws=8, **settings)
    assert found.null.values.max() < 1e-3 < float(found)
    assert found.n == 40
    assert sum(row["n"] for row in found.evidence.rows()) == w.w.sum()


def test_equal_rows_in_cells_of_their_own_stay_apart():
    P = np.repeat([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], 6, axis=0)
    y, cells = np.arange(12) % 3, np.arange(12) % 2
    measure = fot.measures.make("simplex_ece", partition=cells)
    redraws = redraws_of(measure.bind(data_of(y, P)))
    assert redraws.sample.w.tolist() == [3, 3, 3, 3]
    assert redraws.sample.facts["cell"].tolist() == [0, 1, 0, 1]
    assert len(SimplexRedraws.of(data_of(y, P)).sample) == 2
    values = redraws.values(measure, [redraws.points], 3, (0, 0))[0]
    assert np.unique(values).size > 1


def test_the_table_names_the_family_by_which_an_interval_was_widened():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 300)
    y = drawn_codes(np.cumsum(P, axis=1), rng.random(300))
    table = canonical(
        fot.evaluate, y, P, measures=["simplex_ece"], interval="always", level=0.9, draws=15, null_draws=20
    )
    interval = replace(table["simplex_ece"].interval, widened_by="vector")
    widened = replace(table, estimates=(table["simplex_ece"].with_uncertainty(interval=interval),))
    assert "widened to hold that of the family vector." in str(widened)
