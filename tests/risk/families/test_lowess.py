"""Lowess against R's numbers, against its algorithm row by row, and what weights, ties and few rows mean to it."""

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from fitontest.data.entries import labelled_entries
from tests.families.valprob import assert_agrees, sets
from tests.labellings import fit_predict_many
from tests.strategies import WHOLE_WEIGHTS, aggregated, as_counts, noisy, samples


def cleveland(p, y, span, delta):
    """Return the fitted value of each sorted row by the algorithm of 1979, row by row, ties and all."""
    n, span_of_p = p.size, p[-1] - p[0]
    r, c = max(2, min(n, int(span * n + 1e-7))), np.zeros(n)
    if n < 2:
        return y.astype(float)
    left, last, i = 0, -1, 0
    while last < n - 1:
        while left + r < n and p[i] - p[left] > p[left + r] - p[i]:
            left += 1
        h = max(p[i] - p[left], p[left + r - 1] - p[i])
        d = np.abs(p - p[i])
        w = np.where(d <= 0.001 * h, 1.0, (1 - (np.minimum(d, h) / (h or 1.0)) ** 3) ** 3)
        w[(d > 0.999 * h) | (np.arange(n) < left)] = 0
        w /= w.sum()
        a = w @ p
        spread = w @ (p - a) ** 2
        if h > 0 and np.sqrt(spread) > 0.001 * span_of_p:
            w *= 1 + (p[i] - a) * (p - a) / spread
        c[i] = w @ y
        if last < i - 1:
            alpha = (p[last + 1 : i] - p[last]) / (p[i] - p[last])
            c[last + 1 : i] = alpha * c[i] + (1 - alpha) * c[last]
        last, cut, i = i, p[i] + delta * span_of_p, i + 1
        while i < n and p[i] <= cut:
            if p[i] == p[last]:
                c[i], last = c[last], i
            i += 1
        i = max(last + 1, i - 1)
    return c


@pytest.mark.parametrize("name", sets())
@pytest.mark.parametrize(("key", "delta"), [("lowess_iter0", 0.01), ("lowess_iter0_delta0", 0.0)])
def test_it_is_what_r_computes(name, key, delta):
    y, p, expected = sets()[name]
    if key == "lowess_iter0_delta0" and p.size > 2000:  # a line for each of 3,000 scores
        return
    assert_agrees(fot.risk.Lowess(delta=delta).fit(p, y).predict(p), p, expected, key, 1e-12)


@pytest.mark.parametrize("name", ["breast_lr", "sim_overfit"])
def test_its_error_is_that_of_val_prob(name):
    y, p, expected = sets()[name]
    error = fot.calibration_error(y, p, family="lowess", interval=None)
    assert float(error) == pytest.approx(expected["val_prob"]["Eavg"], abs=1e-12)


@given(samples(weights=WHOLE_WEIGHTS, max_size=25))
@settings(max_examples=40)
def test_it_is_the_algorithm_of_1979(data):
    y, p, w = data
    order = np.argsort(np.repeat(p, w.astype(int)), kind="stable")
    rows, labels = np.repeat(p, w.astype(int))[order], np.repeat(y, w.astype(int))[order]
    for span, delta in ((2 / 3, 0.01), (0.3, 0.0), (1.0, 0.2)):
        family = fot.risk.Lowess(span, delta).fit(p, y, as_counts(w))
        expected = cleveland(rows, labels, span, delta)
        if rows[-1] - rows[0] < 1e-290:  # the rows' squares are rounded to 0 in the plain formula
            continue
        np.testing.assert_allclose(family.predict(rows), expected, rtol=0, atol=1e-9)


def test_rows_of_one_label_have_it_exactly():
    p = np.array([0.0, 0.25, 1.0])
    for weights in ((0.001953125, 19.0, 1.0), (64.9592559, 0.001, 960.0)):
        for label in (0, 1):
            assert np.all(fot.risk.Lowess(0.5).fit(p, np.full(3, label), np.array(weights)).predict(p) == label)


@given(samples(max_size=25))
@settings(max_examples=20)
def test_weights_one_class_and_labellings_at_once(data):
    y, p, w = data
    family = fot.risk.Lowess(0.5).fit(p, y, w)
    np.testing.assert_allclose(fot.risk.Lowess(0.5).fit(p, np.ones_like(y), w).predict(p), 1.0, rtol=0, atol=1e-12)
    if np.any(w != np.floor(w)):
        again = fot.risk.Lowess(0.5).fit(p, y, 0.37 * w)
        np.testing.assert_allclose(family.predict(p), again.predict(p), rtol=0, atol=1e-8)
    many = fit_predict_many(fot.risk.Lowess(0.5), p, np.stack((y, 1 - y), axis=1), w)
    np.testing.assert_allclose(many.sum(axis=1), 1.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(many[:, 0], family.predict(p), rtol=0, atol=1e-8)


def test_equal_importances_are_rows():
    y, p = noisy(150, ties=2)
    expected = fot.risk.Lowess().fit(p, y).predict(p)
    np.testing.assert_allclose(fot.risk.Lowess().fit(p, y, np.full(150, 0.37)).predict(p), expected, rtol=0, atol=1e-12)


def test_cells_are_rows():
    y, p = noisy(400, ties=2)
    expected = fot.risk.Lowess().fit(p, y).predict(p)
    np.testing.assert_allclose(fot.risk.Lowess().fit_map(aggregated(y, p))(p), expected, rtol=0, atol=1e-12)


def test_most_rows_at_one_score_have_their_mean_label_there():
    p = np.concatenate((np.linspace(0, 0.9, 10), np.full(40, 1.0)))
    y = np.arange(50) % 4 == 0
    family = fot.risk.Lowess(0.5).fit(p, y)
    assert family.predict([1.0])[0] == pytest.approx(y[10:].mean(), abs=1e-15)


def test_it_leaves_the_unit_interval_where_it_is_measured_and_nowhere_else():
    y, p, _ = sets()["sim_small_rounded"]
    family = fot.risk.Lowess().fit(p, y)
    assert family.predict(p).min() < 0
    assert family.transform(p).min() == 0
    assert family.map_.unbounded
    assert family.map_.leaves_unit_interval
    assert fot.CalibrationMap.from_json(family.map_.to_json()) == family.map_
    assert "greatest" in family.map_.to_sql("p")
    outside = family.predict([0.0, p.min(), p.max(), 1.0])
    assert outside[0] == outside[1]
    assert outside[2] == outside[3]


def test_degrees_of_freedom_are_the_trace_of_the_smoother():
    y, p = noisy(60, ties=2)
    each = fit_predict_many(fot.risk.Lowess(), p, np.eye(60, dtype=int))
    assert fot.risk.Lowess().fit(p, y).degrees_of_freedom_ == pytest.approx(np.trace(each), abs=1e-12)
    assert fot.risk.Lowess().fit(p, y).n_parameters_ == pytest.approx(np.trace(each), abs=1e-12)
    assert fot.risk.Lowess().fit([0.3, 0.3], [0, 1]).n_parameters_ == 1


def test_many_scores_are_fitted_in_blocks(monkeypatch):
    y, p = noisy(300)
    expected = fot.risk.Lowess(delta=0).fit(p, y).predict(p)
    labels = np.stack((y, 1 - y), axis=1)
    many = fit_predict_many(fot.risk.Lowess(delta=0), p, labels)
    monkeypatch.setattr("fitontest.risk.families.lowess.BLOCK", 1000)
    monkeypatch.setattr("fitontest.risk.families.local_regression.MOST_KEPT", 1000)
    np.testing.assert_allclose(fot.risk.Lowess(delta=0).fit(p, y).predict(p), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(fit_predict_many(fot.risk.Lowess(delta=0), p, labels), many, rtol=0, atol=1e-13)


def test_fits_to_the_same_scores_share_their_work():
    y, p = noisy(200)
    entries, positives = labelled_entries(fot.ScoreSample(y, p))
    fits = fot.risk.Lowess().fit_many(entries, positives[:, None])
    at = np.linspace(0, 1, 11)
    assert fits.shared
    np.testing.assert_allclose(fits.at(at)[:, 0], fot.risk.Lowess().fit(p, y).predict(at), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"span": 0}, r"span must be a number in \(0, 1\], got 0"),
        ({"span": 1.5}, r"span must be a number in \(0, 1\], got 1.5"),
        ({"span": "wide"}, r"span must be a number in \(0, 1\], got 'wide'"),
        ({"delta": -0.1}, r"delta must be a share of the range of the scores in \[0, 1\], got -0.1"),
        ({"delta": np.nan}, r"delta must be a share .*, got nan"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.risk.Lowess(**settings).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=message):
        fit_predict_many(fot.risk.Lowess(**settings), [0.1, 0.2], [[0], [1]])
