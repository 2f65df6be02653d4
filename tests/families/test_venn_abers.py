"""Venn-Abers against two isotonic fits per score, against the package venn-abers, and what follows from it."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

# venn-abers 1.5.4: VennAbers().fit(stack((1 - p, p)), y).predict_proba(stack((1 - at, at))), p and y as in `golden`
AT = np.array([0.0, 0.05, 0.2, 0.35, 0.5, 0.64, 0.8, 0.9, 1.0])
MERGED = [1 / 9, 0.125, 0.2, 0.5714285714285715, 2 / 3, 0.8, 0.9090909090909091, 0.9333333333333333, 0.9375]
P0 = [0.0, 0.0, 0.0, 0.5, 0.6, 0.75, 0.9, 0.9285714285714286, 0.9333333333333333]
P1 = [0.125, 0.14285714285714285, 0.25, 2 / 3, 0.8, 1.0, 1.0, 1.0, 1.0]


def golden():
    """Return (y, p) with ties, in no order."""
    i = np.arange(1, 31)
    p = np.round((i * 0.6180339887498949) % 1.0, 6)
    return ((i * i * 7) % 31 < 31 * p).astype(int), np.round(p, 1)


def added(y, p, w, q, label, extra):
    """Return the isotonic value at q of the data with one more row."""
    fit = IsotonicRegression(y_min=0, y_max=1).fit(np.append(p, q), np.append(y, label), np.append(w, extra))
    return fit.predict([q])[0]


def test_it_is_the_package():
    y, p = golden()
    family = fot.families.VennAbers().fit(p, y)
    low, high = family.predict_interval(AT)
    np.testing.assert_allclose(family.predict(AT), MERGED, rtol=0, atol=1e-12)
    np.testing.assert_allclose(low, P0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(high, P1, rtol=0, atol=1e-12)


@pytest.mark.exhaustive
@given(data=samples(max_size=20), others=st.lists(st.floats(0, 1), max_size=4))
def test_it_is_two_isotonic_fits_with_the_score_added(data, others):
    y, p, w = data
    p = np.round(p, 9)  # scikit-learn takes scores that are closer than a machine epsilon for equal
    kept = w > 0
    extra = 1.0 if np.all(w == np.floor(w)) else w.sum() / kept.sum()
    family = fot.families.VennAbers().fit(p, y, w)
    for q in {0.0, 1.0, *p.tolist(), *np.round(others, 9).tolist()}:
        p0, p1 = (added(y[kept], p[kept], w[kept], q, label, extra) for label in (0, 1))
        low, high = family.predict_interval([q])
        assert low[0] == pytest.approx(p0, abs=1e-11)
        assert high[0] == pytest.approx(p1, abs=1e-11)
        assert family.predict([q])[0] == pytest.approx(p1 / (1 - p0 + p1), abs=1e-11)


@given(data=samples())
def test_the_map_rises_and_lies_between_both(data):
    family = fot.families.VennAbers().fit(data[1], data[0], data[2])
    at = np.unique(np.concatenate((data[1], np.linspace(0, 1, 51))))
    values, (low, high) = family.predict(at), family.predict_interval(at)
    assert np.all(np.diff(values) >= -1e-15)
    assert np.all((low < values) & (values < high))
    assert fot.CalibrationMap.from_json(family.map_.to_json()) == family.map_


@given(data=samples(weights=WHOLE_WEIGHTS))
def test_whole_weights_are_repetition(data):
    y, p, w = data
    times = w.astype(int)
    repeated = fot.families.VennAbers().fit(np.repeat(p, times), np.repeat(y, times))
    weighted = fot.families.VennAbers().fit(p, y, w)
    assert weighted.map_ == repeated.map_
    assert weighted.lower_ == repeated.lower_
    assert weighted.upper_ == repeated.upper_


def test_one_class_keeps_a_row_of_the_other():
    """n positive rows of one score: p0 = n / (n + 1), p1 = 1."""
    family = fot.families.VennAbers().fit(np.full(9, 0.4), np.ones(9))
    assert family.predict([0.4])[0] == pytest.approx(10 / 11)
    assert family.predict([0.3])[0] == 0.5  # nothing is known below all scores but that p1 is 1


def test_the_interval_is_narrow_where_there_are_many_rows():
    y, p = noisy(5000)
    low, high = fot.families.VennAbers().fit(p, y).predict_interval(np.linspace(0.2, 0.8, 20))
    assert (high - low).max() < 0.05
    few_low, few_high = fot.families.VennAbers().fit(p[:50], y[:50]).predict_interval(np.linspace(0.2, 0.8, 20))
    assert (few_high - few_low).mean() > 2 * (high - low).mean()


def test_many_rows_take_no_loop_over_pairs():
    """The package takes time that grows with the square of the number of scores: minutes for these."""
    y, p = noisy(200_000)
    started = time.perf_counter()
    family = fot.families.VennAbers().fit(p, y)
    assert time.perf_counter() - started < 5.0  # 0.1 s as a rule
    assert np.abs(family.predict(np.linspace(0.1, 0.9, 9)) - np.linspace(0.1, 0.9, 9) ** 1.4).max() < 0.03
    assert family.n_parameters_ == 2 * fot.Isotonic().fit(p, y).n_bins_ - 1
