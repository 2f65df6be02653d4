"""The squared kernel calibration error: against the double sum, against published numbers, and at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.datasets import Derivate
from fitontest.truth import true_error
from tests.published import figures
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

pytestmark = pytest.mark.multiplies

KERNELS = ["exponential", "rbf"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def skce(y, p, w=None, **settings):
    return fot.measures.KernelError(**settings).estimate(fot.ScoreSample(y, p, w)).value


def by_pairs(y, p, w, kernel, length_scale, *, different=False):
    """Return the mean of h over all pairs of rows, or of different ones, as a matrix."""
    distance, e = np.abs(np.subtract.outer(p, p)), y - p
    if kernel == "rbf":
        labels = np.exp(-0.5 * (np.subtract.outer([0, 1], [0, 1]) / length_scale) ** 2)
        of_row = np.stack([-e, e], axis=1)  # the label's indicators less the probabilities of the classes
        h = np.exp(-0.5 * (distance / length_scale) ** 2) * (of_row @ labels @ of_row.T)
    else:
        h = 2.0 * np.exp(-distance / length_scale) * np.outer(e, e)
    pairs = np.outer(w, w)
    if different:
        np.fill_diagonal(pairs, 0.0)
    return float((pairs * h).sum() / pairs.sum())


@every_kernel
@settings(max_examples=30)
@given(data=samples(min_size=2), length_scale=st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 30.0]))
def test_the_double_sum(kernel, data, length_scale):
    y, p, w = data
    options = {"kernel": kernel, "length_scale": length_scale}
    rounding = 1e-12 + 1e-15 / length_scale  # of scores, which a short scale enlarges
    biased = skce(y, p, w, estimator="biased", **options)
    assert biased == pytest.approx(by_pairs(y, p, w, **options), abs=rounding)
    assert -1e-15 <= biased <= 2
    ones = np.ones(y.size)
    unbiased = skce(y, p, **options)
    assert unbiased == pytest.approx(by_pairs(y, p, ones, different=True, **options), abs=rounding)
    weights = w + 0.25  # not whole, and none is 0
    expected = by_pairs(y, p, weights, different=True, **options)
    assert skce(y, p, weights, **options) == pytest.approx(expected, abs=10 * rounding)


@every_kernel
@settings(max_examples=30)
@given(data=samples(weights=WHOLE_WEIGHTS))
def test_whole_weights_are_rows(kernel, data):
    y, p, w = data
    k = w.astype(int)
    if k.sum() < 2:
        return
    repeated = np.repeat(y, k), np.repeat(p, k)
    for estimator in ("biased", "unbiased"):
        options = {"kernel": kernel, "estimator": estimator}
        assert skce(y, p, w, **options) == pytest.approx(skce(*repeated, **options), abs=1e-12)


def test_light_rows_beside_a_heavy_one():
    y, p, w = [1, 0, 1], [0.3, 0.6, 0.6], [1e16 + 0.0, 0.5, 0.5]
    e = np.subtract(y, p)
    expected = 2 * np.exp(-0.3) * e[0] * (e[1] + e[2]) / 2  # pairs without the heavy row weigh nothing
    assert skce(y, p, w) == pytest.approx(expected, abs=1e-12)


@every_kernel
def test_blocks(kernel):
    y, p = noisy(1001, ties=2)
    everything = skce(y, p, kernel=kernel)
    options = {"kernel": kernel, "estimator": "block"}
    one_block = skce(y, p, block_size=1001, **options)
    assert one_block == everything
    assert skce(y, p, block_size=1000, **options) == everything  # a last block of one row joins the other
    values = [skce(y, p, block_size=50, random_state=seed, **options) for seed in range(100)]
    assert len(set(values)) == 100
    assert np.mean(values) == pytest.approx(everything, abs=4 * np.std(values) / 10)
    assert skce(y, p, **options) == skce(y, p, **options)


@every_kernel
def test_blocks_of_whole_weights_are_blocks_of_rows(kernel):
    y, p = noisy(60)
    w = np.random.RandomState(0).randint(0, 4, 60)
    for seed in range(5):
        options = {"kernel": kernel, "estimator": "block", "block_size": 10, "random_state": seed}
        assert skce(y, p, w, **options) == pytest.approx(skce(np.repeat(y, w), np.repeat(p, w), **options), abs=1e-12)


def test_blocks_are_averaged_by_their_pairs():
    y, p = noisy(7)
    seed = np.random.RandomState(3).permutation(7)
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    parts = [seed[:3], seed[3:]]  # the last would be of one row
    sums = [by_pairs(y[b], p[b], np.ones(b.size), "exponential", 1.0, different=True) for b in parts]
    pairs = [b.size * (b.size - 1) for b in parts]
    assert skce(y, p, estimator="block", block_size=3, random_state=3) == pytest.approx(np.average(sums, weights=pairs))


def test_the_unbiased_one_is_0_on_average_for_calibrated_scores():
    p = np.random.default_rng(0).random(200)
    draws = np.random.default_rng(1).random((400, 200)) < p
    for kernel in KERNELS:
        values = [skce(y, p, kernel=kernel) for y in draws]
        assert min(values) < 0
        assert abs(np.mean(values)) < 4 * np.std(values) / 20
        assert np.mean([skce(y, p, kernel=kernel, estimator="biased") for y in draws[:20]]) > 0


@every_kernel
def test_the_target(kernel):
    y, p = noisy(300, ties=2)
    w = np.random.default_rng(0).integers(0, 3, 300)
    c, measure = p**1.4, fot.measures.KernelError(kernel)
    assert measure.target(fot.ScoreSample(y, p, w), c) == pytest.approx(by_pairs(c, p, w, kernel, 1.0), abs=1e-14)
    labels = fot.measures.KernelError(kernel, "biased")
    sample = fot.ScoreSample(y, p, w)
    assert labels.target(sample, y.astype(float)) == pytest.approx(labels.estimate(sample).value, abs=1e-14)


def test_table_26():
    """Two fifteenths of the data sets behind one entry of the row KCE; benchmarks/kernel_study.py takes them all."""
    distances = []
    for seed in range(2):
        for error in np.arange(0, 0.10001, 0.005):
            y, p, c = Derivate("stairs", round(float(error), 3)).draw_as_published(1000, seed)
            distances.append(abs(skce(y, p, kernel="rbf") - true_error(p, c, distance="brier")))
    assert 1000 * np.mean(distances) == pytest.approx(4.2502, abs=1e-4)  # of all three sizes 4.1148
    assert 1000 * np.mean(distances) == pytest.approx(figures("synthetic_tables")["26"]["KCE"]["stairs"], abs=0.2)


@pytest.mark.parametrize("estimator", ["unbiased", "block"])
def test_one_row_has_no_pair(estimator):
    with pytest.raises(ValueError, match=f"for fewer than two rows, got '{estimator}' for 1"):
        skce([1], [0.3], estimator=estimator)
    assert skce([1], [0.3], estimator="biased") == pytest.approx(2 * 0.7**2)
    assert skce([1], [0.3], [2], estimator=estimator) == pytest.approx(2 * 0.7**2)  # the row twice
    with pytest.raises(ValueError, match="estimator must be 'biased'"):
        skce([1], [0.3], [2.5], estimator=estimator)  # a row that was drawn once


def test_many_distinct_scores_need_blocks():
    y, p = noisy(20_001)
    with pytest.raises(ValueError, match="estimator must be 'block' for the rbf kernel of more than 20000 distinct"):
        skce(y, p, kernel="rbf")
    assert np.isfinite(skce(y, p, kernel="rbf", estimator="block"))
    assert np.isfinite(skce(y, np.round(p, 3), kernel="rbf"))
    assert np.isfinite(skce(y, p))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "laplace"}, "kernel must be one of 'exponential', 'rbf'"),
        ({"estimator": "linear"}, "estimator must be one of 'unbiased', 'biased', 'block'"),
        ({"length_scale": 0}, "length_scale must be a finite number, at least 1e-06; got 0"),
        ({"length_scale": np.inf}, "length_scale must be a finite number"),
        ({"length_scale": "1"}, "length_scale must be a finite number"),
        ({"block_size": 1}, "block_size must be a whole number from 2 to 20000; got 1"),
        ({"block_size": 2.0}, "block_size must be a whole number"),
        ({"random_state": "x"}, "random_state must be a whole number"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.measures.KernelError(**settings)
