"""The debiased errors: the closed form by quadrature, the square without bias, repetition."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom
from scipy.stats import norm as normal

import fitontest as fot
from tests.strategies import noisy


def debiased(y, p, norm, n_bins=6, w=None):
    return float(fot.calibration_error(y, p, family=fot.Slope1(n_bins), norm=norm, debias=True, sample_weight=w))


def table_of(y, p, n_bins=6):
    return fot.Slope1(n_bins).fit(p, y).bin_table_


def test_the_absolute_error_is_the_integral():
    y, p = noisy(150, seed=2)
    table, expected = table_of(y, p, 3), 0.0
    for n, pbar, ybar in zip(table.n, table.mean_p, table.mean_y, strict=True):
        d, s = abs(ybar - pbar), np.sqrt(ybar * (1 - ybar) / n)
        assert s > 0
        ends = (ybar - 12 * s, pbar, ybar + 12 * s)  # |pbar - r| has a kink at pbar

        def density(r, pbar=pbar, ybar=ybar, s=s):
            return abs(pbar - r) * normal.pdf(r, ybar, s)

        noise = sum(quad(density, low, high)[0] for low, high in itertools.pairwise(ends))
        expected += n / 150 * (2 * d - noise)
    assert debiased(y, p, "l1", 3) == pytest.approx(expected, abs=1e-12)


def test_the_squared_error_by_hand():
    y, p = noisy(150, seed=2)
    t = table_of(y, p)
    expected = np.sum(t.n / 150 * ((t.mean_y - t.mean_p) ** 2 - t.mean_y * (1 - t.mean_y) / (t.n - 1)))
    assert debiased(y, p, "squared") == pytest.approx(expected, abs=1e-14)
    assert debiased(y, p, "l2") == pytest.approx(np.sqrt(max(0, expected)), abs=1e-14)


def test_labels_without_noise_need_no_correction():
    p = np.linspace(0.1, 0.9, 20)
    for y in (np.ones(20), np.zeros(20)):
        for norm in ("l1", "squared", "l2"):
            plain = float(fot.calibration_error(y, p, family=fot.Slope1(4), norm=norm))
            assert debiased(y, p, norm, 4) == pytest.approx(plain, abs=1e-15)


def test_a_bin_of_one_row_is_not_corrected():
    p, y = np.array([0.2, 0.7, 0.9]), np.array([1, 0, 1])
    for norm in ("l1", "squared"):
        plain = float(fot.calibration_error(y, p, family=fot.Slope1(3), norm=norm))
        assert debiased(y, p, norm, 3) == pytest.approx(plain, abs=1e-15)


def test_the_square_is_unbiased_for_one_probability_per_bin():
    """Scores take one value per bin, calibrated: over all label outcomes the debiased square averages to zero.

    It is a sum over bins, so that the outcomes of one bin after the other give the expectation.
    """
    scores, n = (0.2, 0.5, 0.8), 20
    p = np.repeat(scores, n)

    def expectation(error):
        none, total = error(np.zeros(p.size, dtype=int)), 0.0
        for b, score in enumerate(scores):
            each = [error((np.arange(p.size) - b * n < k) & (np.arange(p.size) >= b * n)) for k in range(n + 1)]
            total += binom.pmf(range(n + 1), n, score) @ (np.array(each) - none)
        return none + total

    assert expectation(lambda y: debiased(y, p, "squared", 3)) == pytest.approx(0.0, abs=1e-14)
    balanced = np.concatenate([np.arange(n) < round(n * score) for score in scores])
    assert debiased(balanced, p, "squared", 3) < 0  # and it is not clipped
    plain = expectation(lambda y: float(fot.calibration_error(y, p, family=fot.Slope1(3), norm="squared")))
    assert plain == pytest.approx(np.mean([score * (1 - score) / n for score in scores]), abs=1e-14)


def test_debiasing_lowers_the_error_of_calibrated_scores():
    rng = np.random.default_rng(1)
    p = rng.random(500)
    pairs = []
    for _ in range(60):
        y = (rng.random(500) < p).astype(int)
        pairs.append((debiased(y, p, "l1", 15), float(fot.calibration_error(y, p, family=fot.Slope1(15)))))
    corrected, plain = np.mean(pairs, axis=0)
    # for a true gap of 0 and noise s, 2 E|N(0, s)| - E|N(0, s sqrt 2)| = (2 - sqrt 2) E|N(0, s)|
    assert corrected == pytest.approx((2 - np.sqrt(2)) * plain, rel=0.1)


def test_weights_are_repetition():
    y, p = noisy(80, ties=1)
    w = np.random.default_rng(0).integers(0, 4, 80)
    for norm in ("l1", "squared", "l2"):
        assert debiased(y, p, norm, 5, w) == pytest.approx(
            debiased(np.repeat(y, w), np.repeat(p, w), norm, 5), abs=1e-12
        )
