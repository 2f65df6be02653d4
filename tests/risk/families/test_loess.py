"""Loess against R's numbers, against its formulas row by row, and what weights, ties and few rows mean to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone

import fitontest as fot
from tests.families.valprob import assert_agrees, sets
from tests.labellings import fit_predict_many
from tests.strategies import WHOLE_WEIGHTS, aggregated, as_counts, noisy, samples

pytestmark = pytest.mark.multiplies


def cuts(x, few):
    """Return the vertices of sorted rows x as the k-d tree of R's loess makes them, row by row."""
    margin = 0.005 * (x[-1] - x[0])
    found = [x[0] - margin, x[-1] + margin]

    def cut(first, last, low, high):  # rows from first to last, counted from 1
        if last - first + 1 <= few:
            return
        middle, offset = (first + last) // 2, 0
        row = middle
        while first <= middle + offset < last:
            if x[middle + offset - 1] != x[middle + offset]:
                row = middle + offset
                break
            offset = -offset if offset > 0 else 1 - offset
        at = x[row - 1]
        if at in (low, high):
            return
        found.append(at)
        cut(first, row, low, at)
        cut(row + 1, last, at, high)

    cut(1, x.size, *found)
    return np.unique(found)


def least_squares(x, y, at, q, degree):
    """Return value and slope at a place of the weighted polynomial, by numpy's least squares."""
    d = np.abs(x - at)
    h = np.sort(d)[q - 1]
    kept = d < h
    if not kept.any():
        return y[d <= h].mean(), 0.0
    root = np.sqrt((1 - (d[kept] / h) ** 3) ** 3)
    powers = ((x[kept] - at) / h)[:, None] ** np.arange(degree + 1)
    assert np.linalg.cond(root[:, None] * powers) < 1e6, "few scores"
    theta = np.linalg.lstsq(root[:, None] * powers, root * y[kept], rcond=None)[0]
    return theta[0], theta[1] / h


def brute_force(x, y, span, degree):
    """Return the calibrated values of sorted rows."""
    q = max(degree + 1, int(span * x.size + 1e-5))
    v = cuts(x, int(x.size * (span * 0.2)))
    values, slopes = np.transpose([least_squares(x, y, at, q, degree) for at in v])
    j = np.clip(np.searchsorted(v, x, side="right") - 1, 0, v.size - 2)
    width = v[j + 1] - v[j]
    t = (x - v[j]) / width
    ends = values[j] * (1 - t) ** 2 * (1 + 2 * t) + values[j + 1] * t**2 * (3 - 2 * t)
    return ends + width * (slopes[j] * t * (1 - t) ** 2 - slopes[j + 1] * t**2 * (1 - t))


SETTINGS = {
    "loess": fot.risk.Loess(),
    "loess_direct": fot.risk.Loess(surface="direct"),
    "loess_degree1": fot.risk.Loess(degree=1),
}


@pytest.mark.parametrize("name", sets())
@pytest.mark.parametrize("key", SETTINGS)
def test_it_is_what_r_computes(name, key):
    y, p, expected = sets()[name]
    if key == "loess_direct" and np.unique(p).size > 600:  # a parabola for each: seconds
        return
    c = clone(SETTINGS[key]).fit(p, y).predict(p)
    assert_agrees(c, p, expected, key, 1e-12)


def test_its_error_is_the_integrated_calibration_index():
    y, p, expected = sets()["sim_overfit"]
    error = fot.calibration_error(y, p, family="loess", interval="always")
    assert float(error) == pytest.approx(expected["loess"]["ICI"], abs=1e-12)
    assert error.interval.low < error.debiased < error.interval.high


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("span", "degree"), [(0.75, 2), (0.5, 1), (1.0, 2), (0.4, 2)])
def test_it_is_its_formulas(seed, span, degree):
    y, p = noisy(70 + 13 * seed, seed, ties=2 if seed % 2 else None)
    order = np.argsort(p, kind="stable")
    expected = brute_force(p[order], y[order].astype(float), span, degree)
    found = fot.risk.Loess(span, degree).fit(p, y).predict(p[order])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_scores_nearer_than_any_slope_can_be_computed_are_level():
    p = np.array([0.0, 0.0, 2.2e-313, 1.0])
    for family in (fot.risk.Loess(), fot.risk.Loess(0.4, 1), fot.risk.Loess(surface="direct")):
        found = family.fit(p, [0, 1, 1, 0]).predict(p)
        assert np.isfinite(found).all()


@pytest.mark.exhaustive
@given(samples(weights=WHOLE_WEIGHTS, max_size=25))
@settings(max_examples=20)
def test_copies_are_rows_and_constant_labels_stay(data):
    y, p, w = data
    counts = w.astype(int)
    for family in (fot.risk.Loess(), fot.risk.Loess(0.4, 1), fot.risk.Loess(surface="direct")):
        weighted = family.fit(p, y, as_counts(w)).predict(p)
        np.testing.assert_allclose(
            family.fit(np.repeat(p, counts), np.repeat(y, counts)).predict(p), weighted, atol=1e-7
        )
        np.testing.assert_allclose(family.fit(p, np.ones_like(y), as_counts(w)).predict(p[w > 0]), 1.0, atol=1e-9)


@given(samples(weights=WHOLE_WEIGHTS, max_size=25))
@settings(max_examples=50)
def test_the_cells_are_cut_as_row_by_row(data):
    from fitontest.families.nearest_rows import ScoresOfRows
    from fitontest.risk.families.loess import vertices

    y, p, w = data
    rows = np.sort(np.repeat(p, w.astype(int)))
    if rows[0] == rows[-1]:
        return
    scores = ScoresOfRows.of(fot.ScoreSample(y, p, as_counts(w)))
    for share in (0.15, 0.02, 0.3):
        np.testing.assert_array_equal(vertices(scores, share), cuts(rows, int(rows.size * share)))


@pytest.mark.parametrize("family", SETTINGS.values(), ids=SETTINGS)
def test_importances(family):
    y, p = noisy(150, ties=2)
    w = np.random.default_rng(2).lognormal(size=150)
    expected = family.fit(p, y).predict(p)
    np.testing.assert_allclose(family.fit(p, y, np.full(150, 0.37)).predict(p), expected, rtol=0, atol=1e-12)
    weighted = family.fit(p, y, w).predict(p)
    np.testing.assert_allclose(family.fit(p, y, 1e-7 * w).predict(p), weighted, rtol=0, atol=1e-11)
    halves = np.concatenate((w, w)) / 2  # twice as many rows of half the weight: more rows, but the same shares
    assert np.abs(family.fit(np.tile(p, 2), np.tile(y, 2), halves).predict(p) - weighted).max() < 0.05


def test_cells_are_rows():
    y, p = noisy(400, ties=2)
    expected = fot.risk.Loess().fit(p, y).predict(p)
    np.testing.assert_allclose(fot.risk.Loess().fit_map(aggregated(y, p))(p), expected, rtol=0, atol=1e-12)


def test_most_rows_at_one_score():
    """R refuses it: no row is nearer than h = 0."""
    p = np.concatenate((np.linspace(0, 0.9, 10), np.full(40, 1.0)))
    y = np.arange(50) % 4 == 0
    for family in SETTINGS.values():
        assert family.fit(p, y).predict([1.0])[0] == pytest.approx(y[10:].mean(), abs=1e-12)
    below = fot.risk.Loess(0.5).fit(np.concatenate((np.full(40, 0.2), np.linspace(0.3, 1, 10))), y)
    assert np.abs(below.predict(np.linspace(0, 1, 101))).max() < 2


def test_it_leaves_the_unit_interval_where_it_is_measured_and_nowhere_else():
    y, p, _ = sets()["sim_small_rounded"]
    family = fot.risk.Loess().fit(p, y)
    assert family.predict(p).min() < 0
    assert family.transform(p).min() == 0
    assert family.map_.leaves_unit_interval
    assert fot.CalibrationMap.from_json(family.map_.to_json()) == family.map_
    outside = family.predict([0.0, p.min(), p.max(), 1.0])
    assert outside[0] == outside[1]
    assert outside[2] == outside[3]
    assert 8 <= family.map_.x.size <= 12
    assert isinstance(fot.risk.Loess(surface="direct").fit(p, y).map_, fot.maps.KnotsMap)


def test_the_map_is_smooth():
    y, p = noisy(300)
    c = fot.risk.Loess().fit(p, y).map_
    at = c.x[1:-1]
    step = 1e-7
    slopes = (c(at) - c(at - step)) / step, (c(at + step) - c(at)) / step
    np.testing.assert_allclose(*slopes, rtol=0, atol=1e-4)


def test_degrees_of_freedom_are_the_trace_of_the_smoother():
    y, p = noisy(60, ties=2)
    for family in SETTINGS.values():
        each = fit_predict_many(family, p, np.eye(60, dtype=int))
        assert family.fit(p, y).degrees_of_freedom_ == pytest.approx(np.trace(each), abs=1e-11)
    assert fot.risk.Loess().fit([0.3, 0.3], [0, 1]).n_parameters_ == 1


def test_large_matrices_are_not_kept(monkeypatch):
    y, p = noisy(100)
    labels = np.stack((y, 1 - y), axis=1)
    many = fit_predict_many(fot.risk.Loess(), p, labels)
    monkeypatch.setattr("fitontest.risk.families.local_regression.MOST_KEPT", 100)
    np.testing.assert_allclose(fit_predict_many(fot.risk.Loess(), p, labels), many, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"span": 0}, r"span must be a number in \(0, 1\], got 0"),
        ({"span": 2}, r"span must be a number in \(0, 1\], got 2"),
        ({"degree": 3}, "degree must be 1 or 2, got 3"),
        ({"degree": True}, "degree must be 1 or 2, got True"),
        ({"surface": "exact"}, "surface must be one of .*got 'exact'"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.risk.Loess(**settings).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=message):
        fit_predict_many(fot.risk.Loess(**settings), [0.1, 0.2], [[0], [1]])
