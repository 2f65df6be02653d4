"""The error of a map at the rows that it was fitted to."""

import numpy as np
import pytest
from scipy.special import expit, logit

import fitontest as fot
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.uncertainty.fitted_map import FittedMap, Refits, errors_where

DECILES = np.arange(1, 11) / 11


def tilted(n, seed=0, scores=None):
    """Return labels, scores and true probabilities."""
    rng = np.random.default_rng(seed)
    p = rng.choice(DECILES, n) if scores is None else scores(rng, n)
    c = expit(0.7 * logit(p) + 0.3)
    return (rng.random(n) < c).astype(int), p, c


def uncertainty(y, p, family, level=0.95, **columns):
    """Return what is known of the error of a family that is fitted to the rows."""
    sample = fot.read(y, p, **columns)
    fitted = fot.families.make(family) if isinstance(family, str) else family
    return FittedMap(sample, fitted.fit_sample(sample), fot.Spline(), 0).uncertainty(level)


def test_a_map_of_the_mean_labels_has_the_noise_of_these_means():
    """Whose mean is known: sum_k w_k sqrt(2 c_k (1 - c_k) / (pi n_k))."""
    y, p, _ = tilted(4000)
    n = np.array([(p == value).sum() for value in DECILES])
    rate = np.array([y[p == value].mean() for value in DECILES])
    expected = np.sqrt(2 / np.pi * rate * (1 - rate) / n) @ n / n.sum()
    found = uncertainty(y, p, "spline")
    assert found.debiased == pytest.approx(expected, rel=0.15)
    assert found.interval.low < expected < found.interval.high


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", ["spline", "platt", fot.families.Stacking(["platt", "isotonic"])])
def test_the_interval_holds_the_true_error_of_few_scores(family):
    """Of held-out predictions as one sample it held it in 4 of 16 sets of deciles."""
    held = 0
    for seed in range(10):
        y, p, c = tilted(1500, seed)
        found = uncertainty(y, p, family)
        fitted = family if isinstance(family, fot.families.Stacking) else fot.families.make(family).fit(p, y)
        held += found.interval.low <= np.mean(np.abs(fitted.predict(p) - c)) <= found.interval.high
    assert held >= 9


def test_an_error_that_the_family_cannot_remove_is_found():
    rng = np.random.default_rng(3)
    p = rng.random(3000)
    c = p + 0.1 * np.sin(2 * np.pi * p)
    y = (rng.random(3000) < c).astype(int)
    found, true = uncertainty(y, p, "platt"), np.mean(np.abs(fot.families.make("platt").fit(p, y).predict(p) - c))
    assert found.interval.low <= true <= found.interval.high
    assert found.interval.low > 0.4 * true


def test_refits_are_fits():
    y, p, _ = tilted(200, scores=lambda rng, n: rng.random(n))
    mixture = fot.families.Stacking(["platt", "isotonic"]).fit(p, y)
    redraws = ScoreRedraws.of(fot.read(y, p))
    labels = next(redraws.draw([redraws.points], range(3), (0, 0)))
    found = Refits(mixture).at(redraws.entries, labels)
    for k in range(3):
        each = [fot.families.make(name).fit(redraws.points, labels[:, k]) for name in ("platt", "isotonic")]
        expected = sum(weight * one.predict(redraws.points) for weight, one in zip(mixture.weights_, each, strict=True))
        assert found[:, k] == pytest.approx(expected, abs=1e-9)


@pytest.mark.exhaustive
def test_rows_may_come_in_any_order_and_weights_count_them():
    y, p, _ = tilted(400)
    rng = np.random.default_rng(2)
    w = rng.integers(1, 4, 400)
    order = rng.permutation(400)
    one, other = uncertainty(y, p, "isotonic"), uncertainty(y[order], p[order], "isotonic")
    assert (one.debiased, one.interval) == (other.debiased, other.interval)
    counted = uncertainty(y, p, "platt", sample_weight=w)
    written = uncertainty(np.repeat(y, w), np.repeat(p, w), "platt")
    assert counted.debiased == pytest.approx(written.debiased, rel=0.3)
    scaled = uncertainty(y, p, "platt", sample_weight=0.3 * w + 0.1)
    assert 0 <= scaled.interval.low < scaled.debiased < scaled.interval.high


def test_a_wider_level_has_a_wider_interval():
    y, p, _ = tilted(500)
    narrow, wide = (uncertainty(y, p, "platt", level).interval for level in (0.8, 0.99))
    assert wide.low <= narrow.low
    assert wide.high > narrow.high


@pytest.mark.exhaustive
def test_where_a_spline_does_not_fit_there_is_no_interval():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = (rng.random(4000) < np.clip(p + 0.3 * np.sign(np.sin(60 * p)), 0, 1)).astype(int)
    found = uncertainty(y, p, "platt")
    assert found.interval is None
    assert found.interval_reason.startswith("a spline does not fit (p = 0.0")


def test_of_few_groups_nothing_is_said():
    y, p, _ = tilted(300)
    found = uncertainty(y, p, "platt", groups=np.arange(300) % 5)
    assert (found.debiased, found.interval) == (None, None)
    assert "10 groups" in found.interval_reason
    many = uncertainty(y, p, "platt", groups=np.arange(300) % 50)
    assert 0 <= many.interval.low < many.debiased < many.interval.high


def test_the_smallest_data():
    found = uncertainty([0, 1, 1, 0], [0.2, 0.2, 0.9, 0.9], "platt")
    assert 0.0 <= found.debiased <= 1.0
    assert found.interval is None
    assert found.interval_reason == "only 2 rows are of the smaller class"


def test_errors_lie_where_what_is_seen_is_what_was_observed():
    errors = np.repeat(np.array([[0.0], [0.1], [0.3]]), 2, axis=1)
    seen = np.array([[0.5, 0.0], [0.4, 1.0], [2.0, 2.0]])
    assert errors_where(0.4, seen, errors) == pytest.approx([0.0, 0.04])
    assert errors_where(1.25, seen, errors) == pytest.approx([0.2, 0.15])
    assert errors_where(9.0, seen, errors) == pytest.approx([0.3, 0.3])
