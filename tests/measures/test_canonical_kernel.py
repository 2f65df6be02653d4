"""The kernel error of several classes: against loops, of two classes, weights, blocks, refusals."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.simplex_redraws import SimplexRedraws
from fitontest.data.simplex_sample import Labelling
from tests.measures.test_simplex_ece import drawn


def value(y, P, w=None, **settings):
    data = fot.read(y, P, sample_weight=w, reduction="canonical", labels=list(range(P.shape[1])))
    return fot.measures.make("canonical_kernel", **settings).estimate(data).value


def pairs(y, P, kernel, scale):
    """Return h of each pair, by loops."""
    residual = np.eye(P.shape[1])[y] - P
    h = np.empty((len(y), len(y)))
    for i in range(len(y)):
        for j in range(len(y)):
            difference = P[i] - P[j]
            tv = np.abs(difference).sum() / 2
            exponent = tv / scale if kernel == "exponential" else difference @ difference / 2 / scale**2
            h[i, j] = np.exp(-exponent) * (residual[i] @ residual[j])
    return h


@pytest.mark.parametrize("kernel", ["exponential", "rbf"])
def test_against_loops(kernel):
    y, P = drawn(40, 4)
    h = pairs(y, P, kernel, 0.5)
    settings = {"kernel": kernel, "length_scale": 0.5}
    assert value(y, P, estimator="biased", **settings) == pytest.approx(h.mean(), abs=1e-14)
    off = (h.sum() - np.trace(h)) / (40 * 39)
    assert value(y, P, **settings) == pytest.approx(off, abs=1e-14)
    w = np.random.default_rng(0).random(40)
    weighted = (w @ h @ w - (w * w) @ np.diag(h)) / (w.sum() ** 2 - w @ w)
    assert value(y, P, w, **settings) == pytest.approx(weighted, abs=1e-14)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_two_classes_are_the_two_class_error(estimator):
    y, P = drawn(80, 2)
    two = fot.measures.KernelError(estimator=estimator, length_scale=0.3).estimate(fot.ScoreSample(y, P[:, 1])).value
    assert value(y, P, estimator=estimator, length_scale=0.3) == pytest.approx(two, abs=1e-14)


def test_blocks():
    y, P = drawn(205, 3)
    found = value(y, P, estimator="block", block_size=20)
    assert found == value(y, P, estimator="block", block_size=20)
    order = np.random.default_rng(1).permutation(205)
    assert value(y[order], P[order], estimator="block", block_size=20) == pytest.approx(found, abs=1e-15)
    assert value(y, P, estimator="block", block_size=300) == value(y, P)
    assert found != value(y, P, estimator="block", block_size=20, random_state=1)
    many = [value(y, P, estimator="block", block_size=20, random_state=seed) for seed in range(60)]
    error = np.std(many, ddof=1) / np.sqrt(60)
    assert np.mean(many) == pytest.approx(value(y, P), abs=3 * error)


@pytest.mark.parametrize("estimator", ["biased", "unbiased", "block"])
def test_whole_weights_repeat_rows(estimator):
    y, P = drawn(90, 3)
    w = np.random.default_rng(1).integers(0, 3, 90)
    settings = {"estimator": estimator, "block_size": 17}
    repeated = value(np.repeat(y, w), np.repeat(P, w, axis=0), **settings)
    assert value(y, P, w, **settings) == pytest.approx(repeated, abs=1e-14)


def test_several_labellings_at_once_are_those_one_by_one():
    y, P = drawn(60, 3)
    data = fot.read(y, P, reduction="canonical")
    labellings = np.random.default_rng(0).integers(0, 3, (5, 60))
    for settings in ({}, {"estimator": "biased"}, {"estimator": "block", "block_size": 13}):
        measure = fot.measures.make("canonical_kernel", **settings)
        each = [measure.estimate(replace(data, codes=codes)).value for codes in labellings]
        labels = [Labelling(np.arange(60), codes, data.w) for codes in labellings]
        np.testing.assert_allclose(measure.values(SimplexRedraws(data, data), labels), each, rtol=0, atol=1e-15)


def test_refusals(monkeypatch):
    for settings, message in (
        ({"kernel": "linear"}, "kernel must be one of"),
        ({"estimator": "all"}, "estimator must be one of"),
        ({"length_scale": 0}, "length_scale must be a finite number"),
        ({"block_size": 1}, "block_size must be a whole number"),
    ):
        with pytest.raises(ValueError, match=message):
            fot.measures.make("canonical_kernel", **settings)
    with pytest.raises(ValueError, match="estimator must be 'biased' for fewer than two rows, got 'unbiased' for 1"):
        value(np.array([0]), np.array([[0.2, 0.8]]))
    y, P = np.zeros(20_001, dtype=int), np.full((20_001, 2), 0.5)
    with pytest.raises(ValueError, match="must be 'block' for more than 20000 rows, got 'unbiased' for 20001"):
        value(y, P)
    assert np.isfinite(value(y, P, estimator="block", block_size=10))
