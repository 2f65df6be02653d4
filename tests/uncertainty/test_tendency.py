"""In which direction scores are wrong: the slope and the residual with their intervals."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtri

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.tendency import tendency_of

Z = ndtri(0.975)


def drawn(n, slope=1.0, shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    p = sigmoid(rng.normal(0, 1.5, n))
    return (rng.random(n) < sigmoid(slope * logit(p, 1e-16) + shift)).astype(float), p


def half(interval):
    return (interval.high - interval.low) / 2


def test_the_residual_is_the_difference_of_the_means_with_its_standard_error():
    y, p = drawn(400)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 400)
    found = tendency_of(fot.Sample(y, p, w))
    r = y - p
    residual = np.average(r, weights=w)
    assert found.residual == pytest.approx(residual)
    se = np.sqrt(np.sum((w * (r - residual)) ** 2)) / w.sum()
    assert half(found.residual_interval) == pytest.approx(Z * se)
    assert found.residual_interval.level == 0.95


def test_the_slope_and_its_sandwich_error_are_those_of_the_likelihood():
    """Maximised by a general optimiser, with derivatives by differences."""
    y, p = drawn(400, slope=0.7, shift=0.4)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 400)
    x = np.column_stack((logit(p, 1e-16), np.ones(p.size)))

    def losses(beta):
        z = x @ beta
        return w * (np.logaddexp(0, z) - y * z)

    best = minimize(lambda beta: losses(beta).sum(), [1.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x
    step = 1e-4 * np.eye(2)
    gradients = np.column_stack([(losses(best + h) - losses(best - h)) / 2e-4 for h in step])
    curvature = np.array(
        [
            [
                (losses(best + h + k) - losses(best + h - k) - losses(best - h + k) + losses(best - h - k)).sum() / 4e-8
                for k in step
            ]
            for h in step
        ]
    )
    inverse = np.linalg.inv(curvature)
    se = np.sqrt((inverse @ (gradients.T @ gradients) @ inverse)[0, 0])
    found = tendency_of(fot.Sample(y, p, w), 0.9)
    assert found.slope == pytest.approx(best[0], rel=1e-4)
    assert half(found.slope_interval) == pytest.approx(ndtri(0.95) * se, rel=1e-3)


def test_the_intervals_are_as_wide_as_a_bootstrap_says():
    y, p = drawn(600, slope=0.8)
    rng, slopes, residuals = np.random.default_rng(2), [], []
    for _ in range(300):
        rows = rng.integers(0, 600, 600)
        one = tendency_of(fot.Sample(y[rows], p[rows]))
        slopes.append(one.slope)
        residuals.append(one.residual)
    found = tendency_of(fot.Sample(y, p))
    assert half(found.slope_interval) == pytest.approx(Z * np.std(slopes), rel=0.15)
    assert half(found.residual_interval) == pytest.approx(Z * np.std(residuals), rel=0.15)


def test_a_whole_weight_is_the_same_row_repeated():
    """Its copies are one observation: the same estimates, and an error that is not smaller."""
    y, p = drawn(200)
    w = np.random.default_rng(3).integers(1, 4, 200)
    weighted = tendency_of(fot.Sample(y, p, w))
    repeated = tendency_of(fot.Sample(np.repeat(y, w), np.repeat(p, w)))
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-6)
    assert weighted.residual == pytest.approx(repeated.residual)
    assert half(weighted.slope_interval) > half(repeated.slope_interval)


def test_cells_tell_what_their_rows_tell():
    y, p = drawn(500)
    p = p.round(2)
    rows, cells = tendency_of(fot.Sample(y, p)), tendency_of(fot.Cells.of(y, p).sample())
    assert cells.slope == pytest.approx(rows.slope, rel=1e-4)
    assert half(cells.slope_interval) == pytest.approx(half(rows.slope_interval), rel=1e-4)
    assert half(cells.residual_interval) == pytest.approx(half(rows.residual_interval), rel=1e-6)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([1], [0.3]),
        (np.ones(50), np.linspace(0.1, 0.9, 50)),
        (np.repeat([0, 1], 9), np.linspace(0.1, 0.9, 18)),  # fewer than ten of a class
        (np.repeat([0, 1], 30), np.linspace(0.1, 0.9, 60)),  # a threshold separates them
        (np.tile([0, 1], 30), np.full(60, 0.4)),  # one score
    ],
    ids=["one row", "one class", "few rows", "separated", "one score"],
)
def test_there_is_no_slope_where_a_line_means_nothing(y, p):
    found = tendency_of(fot.Sample(y, p))
    assert found.slope is None
    assert found.slope_interval is None
    assert found.residual == pytest.approx(np.mean(y) - np.mean(p))
    assert found.to_dict()["slope_interval"] is None


def test_words_say_only_what_is_sure():
    assert tendency_of(fot.Sample(*drawn(2000, slope=0.6))).words == ["too bold"]
    assert tendency_of(fot.Sample(*drawn(2000, slope=1.6))).words == ["too timid"]
    assert tendency_of(fot.Sample(*drawn(2000, shift=-0.5))).words == ["too high"]
    assert tendency_of(fot.Sample(*drawn(2000, shift=0.5))).words == ["too low"]
    assert tendency_of(fot.Sample(*drawn(2000))).words == []
    assert tendency_of(fot.Sample(*drawn(40, slope=0.8))).words == []


def test_few_events_have_an_exact_interval():
    found = tendency_of(fot.Sample(np.zeros(200), np.full(200, 0.05))).residual_interval
    assert found.low == pytest.approx(-0.05)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 200) - 0.05)
    weighted = tendency_of(fot.Sample([0.0], [0.05], [200])).residual_interval
    assert (weighted.low, weighted.high) == pytest.approx((found.low, found.high))


def test_decisions_have_no_slope():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.5).astype(int)
    h = np.where(rng.random(500) < 0.8, y, 1 - y).astype(float)
    assert tendency_of(fot.Sample(y, h)).slope is None
