"""Simulated problems: published draws bit by bit, true maps that are inverses, labels that follow them."""

import hashlib
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import fitontest as fot
from fitontest.datasets import SHAPES, Confidence, Derivate, Gaussian, Planted, Problem, Rare, Sharp
from fitontest.truth import true_error
from tests.published import figures, predictions

pytestmark = pytest.mark.multiplies

PROBLEMS = {
    **{shape: Derivate(shape, error=0.1) for shape in SHAPES},
    "barely": Derivate("beta1", error=0.001),
    "calibrated derivate": Derivate("stairs", error=0),
    "whole": Derivate("square", error=1 / 6),
    "gaussian": Gaussian(),
    "gaussian, shifted": Gaussian(0.01, 0.02),
    "gaussian, no positives": Gaussian(0.01, 0),
    "sharp": Sharp(),
    "rare": Rare(),
    "confidence": Confidence(),
    "planted": Planted(lambda rng, n: rng.beta(0.5, 2, n), lambda p: p**2),
}
every = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
EVERY_ERROR = np.arange(0, 0.10001, 0.005)


@every
def test_a_draw_is_labels_scores_and_truth(problem):
    y, p, c = problem.draw(2000, random_state=3)
    assert (y.dtype, p.dtype, c.dtype) == (np.intp, np.float64, np.float64)
    assert y.shape == p.shape == c.shape == (2000,)
    assert set(y) <= {0, 1}
    for column in (p, c):
        assert column.min() >= 0
        assert column.max() <= 1


@every
def test_truth_at_the_scores_is_the_truth_drawn(problem):
    _, p, c = problem.draw(5000, random_state=0)
    np.testing.assert_allclose(problem.truth(p), c, atol=1e-12)


@every
def test_truth_is_total(problem):
    c = problem.truth([0.0, 1e-300, 0.5, 1 - 2**-53, 1.0])
    assert np.all((c >= 0) & (c <= 1))
    assert problem.truth([]).shape == (0,)


@every
def test_labels_follow_the_truth(problem):
    """The labels in ten bins of equal counts are as many as the true probabilities say."""
    y, p, c = problem.draw(100_000, random_state=1)
    for rows in np.array_split(np.argsort(p), 10):
        expected, spread = c[rows].sum(), np.sqrt((c[rows] * (1 - c[rows])).sum())
        assert abs(y[rows].sum() - expected) <= 4.5 * spread


@every
def test_seeds_repeat_and_generators_go_on(problem):
    first, again = problem.draw(50, random_state=7), problem.draw(50, random_state=7)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    rng = np.random.default_rng(7)
    assert np.array_equal(problem.draw(50, rng).p, first.p)
    assert not np.array_equal(problem.draw(50, rng).p, first.p)
    assert problem.draw(5, None).p.size == 5


@every
def test_rows_are_independent_draws(problem):
    """The first half of the rows is distributed as the second: they are not sorted."""
    _, p, _ = problem.draw(2000, random_state=5)
    above = int((p[:1000] > p[1000:]).sum())
    ties = int((p[:1000] == p[1000:]).sum())
    assert binomtest(above, 1000 - ties).pvalue > 1e-4


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].tolist()
    Derivate().draw(10)
    Derivate().draw_as_published(10, 0)
    assert np.random.get_state()[1].tolist() == before


# ------------------------------------------------------------------------------------------------------- derivates


EXACT = ["square", "sqrt", "stairs"]  # powers of the beta maps differ between processors, in their last bits


@pytest.mark.parametrize("shape", SHAPES)
def test_amounts_are_the_published_ones(shape):
    assert [Derivate(shape, error).amount for error in EVERY_ERROR] == figures("derivate_amounts")[shape]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("error", [0.05, 0.1])
def test_published_draws_are_the_authors(shape, error):
    """Against the stored arrays, where the folder beside the checkout is there."""
    from tests.published import BESIDE

    stored = list((BESIDE / "synthetic").glob(f"data_{shape}_ce{error:g}_n*_s0.npz"))
    if not stored:
        pytest.skip("the authors' sets are not beside the checkout")
    for path in stored:
        n = int(path.stem.split("_n")[1].split("_")[0])
        drawn = Derivate(shape, error).draw_as_published(n, 0)
        with np.load(path) as theirs:
            assert np.array_equal(drawn.y, theirs["y"]), path.name
            assert np.array_equal(drawn.c, theirs["c"]), path.name
            np.testing.assert_array_max_ulp(drawn.p, theirs["p"], 0 if shape in EXACT else 4)


@pytest.mark.parametrize("shape", EXACT)
def test_published_draws_have_the_hashes_of_the_authors_sets(shape):
    """The SHA-256 of y (as bytes), p and c of the sets of 1,000 rows, error .10, seed 0."""
    drawn = Derivate(shape, 0.1).draw_as_published(1000, 0)
    digest = hashlib.sha256(drawn.y.astype(np.int8).tobytes() + drawn.p.tobytes() + drawn.c.tobytes()).hexdigest()
    assert digest == figures("derivate_amounts")["sha256"][shape]


def test_short_integers_are_sizes_and_seeds():
    for kind in (np.int16, np.int32):
        assert np.array_equal(Derivate().draw_as_published(kind(50), kind(3)).p, Derivate().draw_as_published(50, 3).p)


def test_published_draws_share_labels_and_are_sorted():
    square, stairs = (Derivate(shape, 0.05).draw_as_published(1000, 2) for shape in ("square", "stairs"))
    assert np.array_equal(square.c, stairs.c)
    assert np.array_equal(square.y, stairs.y)
    assert np.all(np.diff(square.p) > 0)


@given(st.sampled_from(sorted(SHAPES)), st.floats(0, 0.1))
def test_any_error_is_met(shape, error):
    c = (np.arange(20_000) + 0.5) / 20_000
    assert true_error(Derivate(shape, error).scores(c), c) == pytest.approx(error, abs=2e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_increasing_from_0_to_1(shape):
    f = SHAPES[shape](np.linspace(0, 1, 10_001))
    assert np.all(np.diff(f) >= -1e-15)
    assert f[[0, -1]] == pytest.approx([0, 1], abs=1e-15)


# -------------------------------------------------------------------------------------------------------- gaussian


def test_equal_prevalences_are_calibrated():
    _, p, c = Gaussian(0.3, 0.3).draw(1000)
    np.testing.assert_allclose(p, c, rtol=1e-12)


def test_gaussian_truth_is_the_posterior():
    problem = Gaussian(0.2, 0.7, mean=1.5, sd=0.8)
    x = np.linspace(-3, 3, 41)
    density = [np.exp(-((x - sign * 1.5) ** 2) / (2 * 0.8**2)) for sign in (1, -1)]
    p, c = (rate * density[0] / (rate * density[0] + (1 - rate) * density[1]) for rate in (0.2, 0.7))
    np.testing.assert_allclose(problem.truth(p), c, rtol=1e-9)


def test_gaussian_errors_are_those_of_the_published_simulation():
    """The stored sets come from regressions fitted to 14,000 rows, so the figures agree within the noise of those."""
    for test_rate, name in ((0.5, "gda_50_50_n6000"), (0.4, "gda_50_40_n6000")):
        y, p = predictions(name, f"gda/{name}.npz")
        draws = [Gaussian(0.5, test_rate).draw(6000, seed) for seed in range(20)]
        for statistic in (np.mean, np.std):
            ours = [statistic(draw.p) for draw in draws]
            assert abs(statistic(p) - np.mean(ours)) < 4 * np.std(ours) + 0.02
        errors = [float(fot.gce(draw.y, draw.p)) for draw in draws]
        assert abs(float(fot.gce(y, p)) - np.mean(errors)) < 4 * np.std(errors)
        tces = [float(fot.tce(draw.y, draw.p, null_draws=0)) for draw in draws]
        assert min(tces) - 5 < float(fot.tce(y, p, null_draws=0)) < max(tces) + 5


def test_gaussian_with_extreme_prevalences_is_finite():
    for train, test in ((1e-9, 0.5), (1 - 1e-9, 1e-12), (1e-9, 1.0)):
        y, _, c = Gaussian(train, test).draw(2000)
        assert np.isfinite(c).all()
        assert y.mean() == pytest.approx(c.mean(), abs=0.05)


# --------------------------------------------------------------------------------------------------------- planted


def test_a_planted_map_cannot_reach_the_scores():
    fixed = np.linspace(0.1, 0.9, 5)
    squaring = Planted(lambda rng, n: fixed, lambda p: np.square(p, out=p))
    _, p, c = squaring.draw(5)
    np.testing.assert_array_equal(p, np.linspace(0.1, 0.9, 5))
    np.testing.assert_array_equal(fixed, p)
    np.testing.assert_allclose(c, p**2)
    _, p, c = Planted(lambda rng, n: fixed, lambda p: p).draw(5)
    assert not np.shares_memory(p, c)
    assert not np.shares_memory(p, fixed)


@pytest.mark.parametrize("bad", [[np.nan], [1.27] * 5, [0.5]])
def test_what_a_subclass_draws_is_checked(bad):
    class Careless(Problem):
        def scores_and_truth(self, n, rng):
            return rng.random(n), np.array(bad)

        def truth(self, p):
            return p

    with pytest.raises(ValueError, match=r"c must|must return n = 5"):
        Careless().draw(5)


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name != "planted"])
def test_problems_pickle(name):
    again = pickle.loads(pickle.dumps(PROBLEMS[name]))
    assert again == PROBLEMS[name]
    assert np.array_equal(again.draw(20).p, PROBLEMS[name].draw(20).p)


# -------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Derivate("circle"), "shape must be one of"),
        (lambda: Derivate("square", 0.2), "error must be a number from 0 to 0.166667"),
        (lambda: Derivate("square", -0.1), "error must be"),
        (lambda: Derivate("square", float("nan")), "error must be"),
        (lambda: Gaussian(0, 0.5), "train_rate must be"),
        (lambda: Gaussian(0.5, 1.5), "test_rate must be"),
        (lambda: Gaussian(sd=0), "sd must be"),
        (lambda: Gaussian(mean=np.inf), "mean must be"),
        (lambda: Sharp().draw(0), "n must be a whole number of rows"),
        (lambda: Sharp().draw(2.0), "n must be"),
        (lambda: Sharp().draw(5, random_state=-1), "random_state must be"),
        (lambda: Sharp().draw(5, random_state=np.random.RandomState(0)), "random_state must be"),
        (lambda: Sharp().truth([1.5]), r"p must lie in \[0, 1\]"),
        (lambda: Derivate().draw_as_published(0, 0), "n must be"),
        (lambda: Derivate().draw_as_published(10, -1), "seed must be"),
        (lambda: Planted(lambda rng, n: rng.random(n - 1), lambda p: p).draw(5), "must return n = 5 scores, got 4"),
        (lambda: Planted(lambda rng, n: rng.random(n), lambda p: p + 1).draw(5), r"map\(p\) must lie in \[0, 1\]"),
        (lambda: Planted(lambda rng, n: rng.random(n), lambda p: p[1:]).truth([0.1, 0.2]), "same number of rows"),
        (lambda: Planted(lambda rng, n: rng.random(n), 0.5), "map must be a function; got 0.5"),
        (lambda: Planted([0.1], lambda p: p), "sampler must be a function"),
        (lambda: Planted(lambda rng, n: rng.random(n), fot.Platt()), "of a fitted family pass map_"),
        (lambda: Derivate().scores([2.0]), r"c must lie in \[0, 1\]"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
