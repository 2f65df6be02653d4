"""P-values of the kernel error: the sister package's examples, all signs by brute force, bounds, and error rates."""

from itertools import product

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.kernel_tests import of_signs


def measured(y, p, w=None, groups=None, **settings):
    read = fot.read(y, p, sample_weight=w, groups=groups, reduction="canonical" if np.ndim(p) == 2 else None)
    return fot.measures.make("canonical_kernel" if np.ndim(p) == 2 else "kernel", **settings).estimate(read)


def sisters():
    """Return the data of the tests of pycalibration, whose kernel is exp(-3 |p - q|_2), and the length of ours."""
    rng = np.random.default_rng(1234)
    P = rng.dirichlet((1, 1), 500)
    return P, {"consistent": 1 - (rng.random(500) < P[:, 0]), "only two": np.r_[np.ones(499, dtype=int), 1]}


SCALE = 1 / (3 * np.sqrt(2))  # of two classes |p - q|_2 is sqrt 2 times the total variation


def test_the_example_of_the_sister_package():
    """README of pycalibration: unbiased SKCE, exponential kernel of scores, white kernel of labels."""
    rng = np.random.default_rng(1234)
    p = rng.random(100)
    assert measured(rng.choice([True, False], 100), p).value == pytest.approx(0.03320398246523166, rel=1e-12)


@pytest.mark.parametrize(("estimator", "block_size"), [("unbiased", 100), ("biased", 100), ("block", 2), ("block", 10)])
def test_the_tests_of_the_sister_package(estimator, block_size):
    """Its tests ask for these p-values: of calibrated labels large ones, of labels of one class hardly any."""
    P, labels = sisters()
    settings = {"estimator": estimator, "block_size": block_size, "length_scale": SCALE}
    p = P[:, 1]
    consistent, wrong = (measured(labels[name], p, test="asymptotic", **settings).evidence for name in labels)
    assert consistent.asymptotic_p_value > (0.4 if estimator == "block" else 0.7)
    assert wrong.asymptotic_p_value < (1e-6 if estimator == "block" else 1 / 1000)
    consistent, wrong = (measured(labels[name], p, test="distribution_free", **settings).evidence for name in labels)
    assert consistent.p_value_bound >= 0.7
    assert wrong.p_value_bound <= (1e-6 if estimator == "biased" else 0.4)


@pytest.mark.parametrize("kernel", ["exponential", "rbf"])
def test_of_few_rows_the_law_is_that_of_all_signs(monkeypatch, kernel):
    monkeypatch.setattr("fitontest.measures.kernel.MOST_SKEWED", np.inf)  # brute force is for few rows alone
    rng = np.random.default_rng(0)
    n, K = 9, 3
    P, y, w = rng.dirichlet(np.ones(K), n), rng.integers(0, K, n), rng.random(n) + 0.2
    y[:K] = range(K)
    r = w[:, None] * (np.eye(K)[y] - P)
    distance = (
        np.abs(P[:, None] - P[None]).sum(-1) / 2
        if kernel == "exponential"
        else ((P[:, None] - P[None]) ** 2).sum(-1) / 2
    )
    h = np.exp(-distance) * (r @ r.T)
    np.fill_diagonal(h, 0.0)
    signs = np.array(list(product([-1.0, 1.0], repeat=n)))
    drawn = np.einsum("bi,ij,bj->b", signs, h, signs)
    exact = np.mean(drawn >= h.sum() * (1 - 1e-12))
    found = measured(y, P, w, kernel=kernel, test="asymptotic").evidence.asymptotic_p_value
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 1000) + 0.001)
    assert measured(y, P, w, kernel=kernel, estimator="biased", test="asymptotic").evidence.asymptotic_p_value == found


@pytest.mark.parametrize("estimator", ["unbiased", "biased", "block"])
@pytest.mark.parametrize("test", ["asymptotic", "distribution_free"])
def test_scores_are_distributions_over_two_classes(estimator, test):
    """Both have f = 2 for the exponential kernel, and signs are drawn for rows in the order of their scores."""
    rng = np.random.default_rng(3)
    p = np.sort(rng.random(60))
    y = (rng.random(60) < p**1.5).astype(int)
    settings = {"estimator": estimator, "block_size": 60, "test": test}
    one, other = measured(y, p, **settings), measured(y, np.column_stack([1 - p, p]), **settings)
    assert one.value == pytest.approx(other.value, rel=1e-9)
    for name in ("asymptotic_p_value", "p_value_bound"):
        a, b = getattr(one.evidence, name), getattr(other.evidence, name)
        assert (a is None) == (b is None)
        assert a is None or a == pytest.approx(b, abs=0.06 if test == "asymptotic" else 1e-9)


def test_bounds_are_the_formulas():
    rng = np.random.default_rng(4)
    p = rng.random(101)
    y = rng.random(101) < p * 0.3
    unbiased = measured(y, p, test="distribution_free")
    assert unbiased.evidence.p_value_bound == pytest.approx(np.exp(-50 * (unbiased.value / 2) ** 2 / 2))
    biased = measured(y, p, estimator="biased", test="distribution_free")
    assert biased.evidence.p_value_bound == pytest.approx(np.exp(-((np.sqrt(101 * biased.value / 2) - 1) ** 2) / 2))
    rbf = measured(y, p, kernel="rbf", test="distribution_free")
    bound = 2 * (1 - np.exp(-0.5))
    assert rbf.evidence.p_value_bound == pytest.approx(np.exp(-50 * (rbf.value / bound) ** 2 / 2))
    w = rng.random(101)
    weighted = measured(y, p, w, estimator="biased", test="distribution_free")
    rows = w.sum() ** 2 / (w**2).sum()
    assert weighted.evidence.p_value_bound == pytest.approx(
        np.exp(-((np.sqrt(rows * weighted.value / 2) - 1) ** 2) / 2)
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(("estimator", "block_size"), [("unbiased", 100), ("block", 10)])
def test_calibrated_predictions_are_rejected_as_often_as_the_level_says(estimator, block_size):
    rng, found, bounds = np.random.default_rng(11), [], []
    for _ in range(200):
        P = rng.dirichlet((1.0, 2.0, 0.5), 80)
        y = (rng.random((80, 1)) > np.cumsum(P, axis=1)).sum(axis=1).clip(0, 2)
        settings = {"estimator": estimator, "block_size": block_size}
        sample = fot.read(y, P, labels=[0, 1, 2], reduction="canonical")
        of = {
            name: fot.measures.make("canonical_kernel", test=name, **settings).estimate(sample).evidence
            for name in ("asymptotic", "distribution_free")
        }
        found.append(of["asymptotic"].asymptotic_p_value)
        bounds.append(of["distribution_free"].p_value_bound)
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
    assert np.mean(np.array(found) <= 0.5) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(200))
    assert np.mean(np.array(bounds) <= 0.05) <= 0.05


def test_counts_are_rows_and_groups_have_no_such_p_value():
    rng = np.random.default_rng(6)
    p, w = rng.random(40), rng.integers(1, 4, 40)
    y = rng.random(40) < p
    repeated = np.repeat(y, w), np.repeat(p, w)
    biased = {"estimator": "biased", "test": "distribution_free"}
    for settings in ({"test": "distribution_free"}, {"test": "asymptotic"}, biased):
        counted, listed = measured(y, p, w, **settings).evidence, measured(*repeated, **settings).evidence
        assert counted.record() == pytest.approx(listed.record())
        pairs = measured(y, p, groups=np.arange(40) // 2, **settings).evidence
        assert (pairs.asymptotic_p_value, pairs.p_value_bound) == (None, None)


def test_printed_and_as_data():
    rng = np.random.default_rng(8)
    p = rng.random(50)
    y = rng.random(50) < p
    error = measured(y, p, test="asymptotic")
    assert "test asymptotic" in str(error)
    assert f"by the law of many rows: p = {error.evidence.asymptotic_p_value:.2f}"[:30] in str(error)
    assert "whatever the law, at most: p = " in str(measured(y, p, test="distribution_free"))
    assert error.to_dict()["asymptotic_p_value"] == error.evidence.asymptotic_p_value
    assert of_signs(1.0, np.array([0.0, 2.0, 1.0])) == 0.75


def test_refusals():
    p, y = [0.1, 0.4, 0.6], [0, 1, 1]
    with pytest.raises(
        ValueError, match="test must be one of 'redraws', 'asymptotic', 'distribution_free'; got 'exact'"
    ):
        fot.measures.make("kernel", test="exact")
    with pytest.raises(ValueError, match="test='distribution_free' must have weights that count rows, unless"):
        _ = measured(y, p, [0.5, 1.0, 0.7], test="distribution_free").evidence.p_value_bound


def rejected(draw, runs=120, level=0.05, **settings):
    """Return in how many of the sets of calibrated labels the test rejects, and in how many it has no p-value."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng([seed, 77])
        p = draw(rng)
        error = measured((rng.random(p.size) < p).astype(int), p, test="asymptotic", **settings)
        found.append(error.evidence.asymptotic_p_value)
    given = [p for p in found if p is not None]
    return sum(p <= level for p in given), len(found) - len(given)


def test_rare_labels_have_no_p_value_by_the_law_of_many_rows():
    hits, silent = rejected(lambda rng: rng.beta(1, 49, 200), runs=20)
    assert (hits, silent) == (0, 20)
    y, p = np.zeros(200, dtype=int), np.full(200, 0.02)
    y[0] = 1
    error = measured(y, p, test="asymptotic")
    assert error.evidence.why_none.startswith("positive or negative labels are too few")
    assert "no p-value: positive or negative labels are too few" in str(error)
    scaled = measured(y, p, np.full(200, 0.01), test="asymptotic")
    assert scaled.evidence.why_none == error.evidence.why_none


@pytest.mark.parametrize("block_size", [100, 40])
def test_few_blocks_reject_no_more_often_than_they_should(block_size):
    """Of two blocks the normal law rejects at 1 % four times too often."""
    hits, silent = rejected(lambda rng: rng.random(200), estimator="block", block_size=block_size, level=0.01)
    assert silent == 0
    assert hits <= 5  # of 120: five or more with a chance of .01 at the level


def test_a_missing_p_value_is_explained():
    rng = np.random.default_rng(0)
    p = rng.random(60)
    y = (rng.random(60) < p).astype(int)
    one = measured(y, p, estimator="block", test="asymptotic")
    assert (one.evidence.asymptotic_p_value, one.evidence.why_none) == (None, "a single block has no spread")
    grouped = measured(y, p, groups=np.arange(60) // 2, test="asymptotic")
    assert "no p-value: rows belong to groups" in str(grouped)


def test_signs_of_the_rbf_kernel_are_those_of_all_pairs():
    """Of two columns residuals and distances are sqrt 2 times those of one."""
    rng = np.random.default_rng(3)
    p = rng.random(80)
    y = (rng.random(80) < p).astype(int)
    two = measured(y, np.column_stack([1 - p, p]), kernel="rbf", test="asymptotic")
    wide = measured(y, p, kernel="rbf", length_scale=1 / np.sqrt(2), test="asymptotic")
    assert wide.evidence.asymptotic_p_value == pytest.approx(two.evidence.asymptotic_p_value, abs=0.06)
    many = measured(np.arange(20_001) % 2, np.full(20_001, 0.5), kernel="rbf", test="asymptotic")
    with pytest.raises(ValueError, match="rbf kernel of more than 20,000 rows, got 20,001"):
        _ = many.evidence.asymptotic_p_value
