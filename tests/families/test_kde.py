"""Kernel density estimation against the double sum, KDEpy, and where the densities are 0."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.maps.binned import constant
from tests.labellings import fit_predict_many
from tests.strategies import as_counts, noisy, samples

pytestmark = pytest.mark.multiplies

# KDEpy 1.1.12: pi f1 / f, each NaiveKDE(bw=h, kernel="triweight") fitted to the scores, their mirror images at 0 and
# those at 1, with h = std(p) 60^(-1/5); p and y as in `golden`, at five of the scores and at two places between
AT = [0.034442, 0.214782, 0.45085, 0.686918, 0.978714]
VALUES = [0.019990835125680357, 0.25461544741901415, 0.7126936340412883, 0.962165261348071, 1.0]
BETWEEN, VALUES_BETWEEN = [0.3, 0.55], [0.41946671860287393, 0.8469251091261861]
BANDWIDTH = 0.12422257064368848


def golden():
    """Return (y, p) without ties, in no order."""
    i = np.arange(1, 31)
    p = np.round((i * 0.6180339887498949) % 1.0, 6)
    return ((i * i * 7) % 31 < 31 * p).astype(int), p


def double_sum(at, y, p, w, h):
    """Return the share of the positives and the density of both classes, as the definition has them."""
    distances = (at[:, None] - p, at[:, None] + p, (1 - at)[:, None] + (1 - p))
    kernels = sum(np.maximum((1 - d / (3 * h)) * (1 + d / (3 * h)), 0.0) ** 3 for d in distances)
    density = kernels @ w
    return kernels @ (w * y) / np.where(density > 0, density, np.nan), density


def test_it_is_kdepy():
    y, p = golden()
    family = fot.families.KDE().fit(p, y)
    assert family.bandwidth_ == pytest.approx(BANDWIDTH, abs=1e-15)
    np.testing.assert_allclose(family.predict(AT), VALUES, rtol=0, atol=1e-12)
    np.testing.assert_allclose(family.predict(BETWEEN), VALUES_BETWEEN, rtol=0, atol=1e-4)


@pytest.mark.parametrize("n", [2, 3, 10, 200, 600])
@pytest.mark.parametrize("power", [1, 6, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_double_sum(n, power, weighted):
    """At the scores up to rounding; between them nearly, unless the density is tiny."""
    rng = np.random.default_rng(n)
    p = rng.random(n) ** power
    y, w = rng.random(n) < p, rng.random(n) ** 6 + 1e-6 if weighted else np.ones(n)
    family = fot.families.KDE().fit(p, y, w)
    np.testing.assert_allclose(family.predict(p), double_sum(p, y, p, w, family.bandwidth_)[0], rtol=0, atol=1e-10)
    at = rng.random(1000)
    expected, density = double_sum(at, y, p, w, family.bandwidth_)
    dense = density > 0.01 * w.mean()
    assert np.abs(family.predict(at) - expected)[dense].max(initial=0.0) < 1e-3


@given(data=samples(), bandwidth=st.sampled_from([None, 1 / 3, 0.1, 0.01, 1e-4]))
@example(data=(np.array([0, 1, 1]), np.array([0.0, 0.5, 1.0]), np.array([1.0, 1e-30, 1.0])), bandwidth=None)
@example(data=(np.array([0, 1, 1]), np.array([0.2, 0.5, 0.8]), np.array([1e12, 1.0, 1e12])), bandwidth=0.11)
def test_it_is_the_double_sum_at_any_data(data, bandwidth):
    y, p, w = data
    family = fot.families.KDE(bandwidth).fit(p, y, as_counts(w))
    at, h = np.unique(p[w > 0]), family.bandwidth_
    if at.size == 1:
        assert family.map_ == constant(float(w @ y / w.sum()))
        return
    if h < 1e-12:  # differences of scores far from 0 have no digits left in the double sum
        return
    np.testing.assert_allclose(family.predict(at), double_sum(at, y, p, w, h)[0], rtol=0, atol=1e-9)
    assert fot.CalibrationMap.from_json(family.map_.to_json()) == family.map_
    assert family.n_parameters_ >= 1 - 1e-9


def test_a_cluster_at_the_end_of_the_reach_of_a_row():
    """Its sums of powers lose the digits of what its kernels are there, 1e-9 of its weight."""
    p = np.append(np.linspace(0.1999, 0.2, 3000), 0.499)
    y = np.append(np.ones(3000), 0)
    at = np.array([0.499])
    expected = double_sum(at, y, p, np.ones(3001), 0.1)[0]
    assert fot.families.KDE(0.1).fit(p, y).predict(at)[0] == pytest.approx(expected[0], rel=1e-9)
    assert expected[0] < 1e-3


def test_where_both_densities_are_0_it_is_the_identity():
    family = fot.families.KDE(0.02).fit([0.2, 0.2, 0.7], [0, 1, 1])
    at = np.array([0.0, 0.1, 0.14, 0.26, 0.4, 0.64, 0.76, 0.9, 1.0])
    np.testing.assert_allclose(family.predict(at), at, rtol=0, atol=1e-12)
    assert family.predict([0.15, 0.2, 0.25, 0.7]).tolist() == [0.5, 0.5, 0.5, 1.0]


def test_the_densities_are_reflected():
    """Rows at 0 and 1 count twice there, as much as others do whose kernels do not reach the ends."""
    family = fot.families.KDE(0.1).fit([0.0, 0.15, 1.0, 0.85], [1, 0, 0, 1])
    k = (1 - 0.25) ** 3
    m = 2 * k + 0.0
    assert family.predict([0.0])[0] == pytest.approx(2 / (2 + m))
    assert family.predict([1.0])[0] == pytest.approx(m / (2 + m))


@pytest.mark.parametrize("w", [[2, 1, 3], [0.2, 0.1, 0.3]])
def test_the_default_bandwidth_counts_whole_weights_as_rows(w):
    p, y = np.array([0.2, 0.5, 0.9]), [0, 1, 1]
    n = 6 if w[0] == 2 else 36 / 14
    spread = np.std(np.repeat(p, [2, 1, 3]))
    assert fot.families.KDE().fit(p, y, w).bandwidth_ == pytest.approx(spread * (2 * n) ** -0.2)
    assert fot.families.KDE().fit([0, 1], [0, 1]).bandwidth_ == pytest.approx(
        1 / 3
    )  # 0.379 is too wide to reflect once


def test_the_degrees_of_freedom_are_the_trace_of_the_smoother():
    y, p = noisy(60, ties=1)
    family = fot.families.KDE().fit(p, y)
    each = [double_sum(p[i : i + 1], np.arange(60) == i, p, np.ones(60), family.bandwidth_)[0][0] for i in range(60)]
    assert family.n_parameters_ == pytest.approx(sum(each))
    assert fot.families.KDE().fit([0.3], [1]).n_parameters_ == 1


@pytest.mark.parametrize("spread", [5e-324, 1e-300, 1e-12])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_narrow_scores(spread, start):
    p = np.arange(20) * spread if start == 0.0 else 1 - np.arange(20) * max(spread, 2.0**-53)
    y = np.arange(20) < 10
    expected = fot.families.KDE().fit(np.arange(20) / 400, y).predict(np.arange(20) / 400)
    np.testing.assert_allclose(fot.families.KDE().fit(p, y).predict(p), expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("bandwidth", [0, -1, 0.34, np.nan, np.inf, True, "scott"])
def test_refusals(bandwidth):
    with pytest.raises(ValueError, match=r"bandwidth must be None or a number in \[1e-12, 1/3\], got"):
        fot.families.KDE(bandwidth).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=r"bandwidth must be None or a number in \[1e-12, 1/3\], got"):
        fit_predict_many(fot.families.KDE(bandwidth), [0.1, 0.2], [[0], [1]])


def test_many_rows_take_no_double_sum():
    y, p = noisy(100_000)
    at = np.linspace(0.1, 0.9, 9)
    assert np.abs(fot.families.KDE().fit(p, y).predict(at) - at**1.4).max() < 0.02
