"""The two pages of examples of CalibrationErrors.jl, done again: every number that the first one prints.

"Classification of penguin species" fits a normal distribution of bill and flipper length to each of three species and
judges the posterior probabilities on 100 other rows. Its numbers are those of Julia 1.10; ours differ by rounding. The
block estimator draws its blocks here, where the page takes neighbouring rows: its figure is the mean over these pairs.

"Distribution of calibration error estimates" prints no number besides the true error of its model, pi (m - 1) / m: it
shows histograms of random draws. What they show is tested.

Neither page has a test or a p-value: those are another package's (CalibrationTests.jl).
"""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import multivariate_normal

import fitontest as fot
from tests.published import figures

pytestmark = pytest.mark.multiplies

PAGE = figures("penguins")
PRINTED = PAGE["printed"]


def posterior(x, y, fitted):
    """Return the probabilities of the classes of all rows under a normal distribution of each class of fitted rows."""
    joint = np.empty((y.size, 3))
    for k in range(3):
        own = x[fitted & (y == k)]
        joint[:, k] = len(own) * multivariate_normal(own.mean(axis=0), np.cov(own.T)).pdf(x)
    return joint / joint.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def penguins():
    """Return labels and probabilities of the rows judged, and the median distance of the others."""
    y, fitted = (np.array([*map(int, PAGE[name])]) for name in ("species", "fitted"))
    x = np.column_stack([PAGE["bill_length_mm"], PAGE["flipper_length_mm"]])
    p = posterior(x, y, fitted == 1)
    return y[fitted == 0], p[fitted == 0], np.sqrt(np.median(pdist(p[fitted == 1], "sqeuclidean")))


def kl_divergence(p, q):
    """Return sum_k q_k ln(q_k / p_k), 0 where q_k = 0."""
    return np.where(q > 0, q * np.log(np.where(q > 0, q, 1) / p), 0).sum(axis=1)


def kernel_error(y, p, scale, estimator="unbiased", kernel="rbf"):
    """Return the squared kernel calibration error."""
    measure = fot.measures.KernelError(kernel, estimator, scale)
    [error] = fot.evaluate(y, p, measures=[measure], reduction="canonical", labels=range(p.shape[1]))
    return float(error)


def test_the_predictions_are_those_of_the_page(penguins):
    y, p, _ = penguins
    assert y.size == 100
    assert np.log(p[np.arange(100), y]).mean() == pytest.approx(PRINTED["log_likelihood"], abs=1e-12)
    assert -((p - np.eye(3)[y]) ** 2).sum(axis=1).mean() == pytest.approx(PRINTED["brier_score"], abs=1e-12)


@pytest.mark.parametrize("distance", [kl_divergence, "squared_euclidean"])
@pytest.mark.parametrize(
    "partition", [fot.partitions.UniformGrid(10), fot.partitions.MedianVariance(5)], ids=["grid", "halving"]
)
def test_ece(penguins, partition, distance):
    y, p, _ = penguins
    name = "uniform_grid" if isinstance(partition, fot.partitions.UniformGrid) else "median_variance"
    printed = PRINTED["ece"][name][getattr(distance, "__name__", distance)]
    error = fot.gce(y, p, reduction="canonical", partition=partition, distance=distance)
    assert float(error) == pytest.approx(printed, rel=1e-11)


def test_kernel_calibration_error(penguins):
    y, p, scale = penguins
    for estimator in ("biased", "unbiased"):
        assert kernel_error(y, p, scale, estimator) == pytest.approx(PRINTED["skce"][estimator], abs=1e-14)
    pairs = [kernel_error(y[i : i + 2], p[i : i + 2], scale) for i in range(0, 100, 2)]
    assert np.mean(pairs) == pytest.approx(PRINTED["skce"]["blocks_of_two"], rel=1e-11)


def draw(rng, m, pi, n=250):
    """Return labels and predictions: with probability pi a label is the first class, otherwise drawn from p."""
    p = rng.dirichlet(np.full(m, 0.1), n)
    drawn = np.minimum((rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1), m - 1)
    return np.where(rng.random(n) < pi, 0, drawn), p


MANY_CELLS = "ignore:.*cells of 250 rows"  # which the page shows to be useless


@pytest.mark.filterwarnings(MANY_CELLS)
@pytest.mark.parametrize("m", [2, 10, 100])
def test_distribution_of_the_estimates(m):
    rng = np.random.default_rng(m)
    partitions = (fot.partitions.UniformGrid(10), fot.partitions.MedianVariance(10))
    found = {"calibrated": [], "half": []}
    unbiased = []
    for _ in range(15):
        for name, pi in (("calibrated", 0.0), ("half", 0.5)):
            y, p = draw(rng, m, pi)
            errors = [fot.gce(y, p, reduction="canonical", partition=one, labels=range(m)) for one in partitions]
            found[name].append([*map(float, errors)])
            if pi == 0.0:
                unbiased.append(kernel_error(y, p, np.median(pdist(p, "cityblock")) / 2, kernel="exponential"))
    # of calibrated predictions the kernel error is 0 in the mean, and an ECE is not: cells of few rows raise it
    assert abs(np.mean(unbiased)) < 4 * np.std(unbiased, ddof=1) / np.sqrt(len(unbiased))
    assert np.mean(found["calibrated"], axis=0).min() > 0.02
    # so it does for miscalibrated ones where there are many classes, a grid more than halving
    grid, halving = np.mean(found["half"], axis=0) - 0.5 * (m - 1) / m
    if m == 2:
        assert max(abs(grid), abs(halving)) < 0.02
    else:
        assert grid > halving + 0.05 > 0.07


@pytest.mark.filterwarnings(MANY_CELLS)
@pytest.mark.parametrize("m", [2, 10, 100])
def test_where_all_labels_are_the_first_class_every_partition_gives_the_true_error(m):
    y, p = draw(np.random.default_rng(m), m, 1.0)
    for partition in (fot.partitions.UniformGrid(10), fot.partitions.MedianVariance(10)):
        error = fot.gce(y, p, reduction="canonical", partition=partition, labels=range(m))
        assert float(error) == pytest.approx((1 - p[:, 0]).mean(), abs=1e-13)
