"""k nearest neighbours against the definition in exact arithmetic, and what follows from it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.families import knn
from tests.strategies import WHOLE_WEIGHTS, as_counts, noisy, samples

KS = st.integers(1, 12)


class Definition:
    """The neighbours of a score, and their mean label, by sorting exact distances."""

    def __init__(self, y, p, w, k):
        whole = np.all(w == np.floor(w))
        kept = w > 0
        self.y, self.w = y[kept], [Fraction(v) for v in w[kept]]
        self.p = [Fraction(v) for v in p[kept]]
        total, k = sum(self.w), Fraction(k)
        self.threshold = min(k, total) if whole else min(k / len(self.w), Fraction(1)) * total
        if not whole and k < len(self.w):
            self.threshold -= total / 10**12

    def neighbours(self, q):
        distances = [abs(p - q) for p in self.p]
        for radius in sorted(set(distances)):
            ball = {i for i, distance in enumerate(distances) if distance <= radius}
            if sum(self.w[i] for i in ball) >= self.threshold:
                return ball
        raise AssertionError("all rows hold the threshold")

    def mean(self, rows):
        return float(sum(self.w[i] * int(self.y[i]) for i in rows) / sum(self.w[i] for i in rows))

    def at(self, q):
        return self.mean(self.neighbours(Fraction(q)))

    def at_jump(self, x):
        """Return the mean over the neighbours at all midpoints that round to x, unless x is one of the two scores."""
        scores = sorted(set(self.p))
        pairs = [(a, b) for i, a in enumerate(scores) for b in scores[i + 1 :]]
        rounded = [(a, b) for a, b in pairs if (float(a) + float(b)) / 2 == x and float(a) != x != float(b)]
        balls = [self.neighbours((a + b) / 2) for a, b in rounded if self.changes(a, b)]
        return self.mean(set().union(*balls)) if balls else self.at(x)

    def changes(self, a, b):
        """Return whether neighbours change between two scores: both are as far as the farthest neighbour there."""
        return a in [self.p[i] for i in self.neighbours((a + b) / 2)]


def assert_is_the_definition(y, p, w, k, at=()):
    c, definition = fot.families.KNN(k).fit(p, y, as_counts(w)).map_, Definition(y, p, w, k)
    jumps = set(c.x.tolist())
    near = [q for x in jumps for q in np.nextafter(x, [0.0, 1.0])]
    for q in {0.0, 1.0, *p.tolist(), *near, *at} - jumps:
        assert c(q) == pytest.approx(definition.at(q), abs=1e-12), q
    for x in jumps:
        assert c(x) == pytest.approx(definition.at_jump(x), abs=1e-12), x


@given(data=samples(max_size=20), k=KS, at=st.lists(st.floats(0, 1), max_size=10))
def test_it_is_the_definition(data, k, at):
    assert_is_the_definition(*data, k, at)


ULP = 2.0**-53
NEIGHBOURING = st.integers(0, 8).map(lambda i: 1 - i * ULP) | st.integers(0, 8).map(lambda i: i * 5e-324)
TIED = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@given(
    rows=st.lists(
        st.tuples(NEIGHBOURING | TIED, st.integers(0, 1), WHOLE_WEIGHTS.filter(bool)), min_size=1, max_size=16
    ),
    k=KS,
)
@example(rows=[(1 - ULP, 0, 17.0), (1.0, 1, 3.0)], k=2)
@example(rows=[(0.0, 1, 1.0), (5e-324, 0, 1.0), (1e-323, 1, 1.0)], k=1)
@example(rows=[(0.0, 0, 1.0), (5e-324, 0, 1.0), (1e-323, 1, 1.0), (1.5e-323, 0, 1.0)], k=1)
def test_it_is_the_definition_for_ties_and_neighbouring_floats(rows, k):
    p, y, w = map(np.array, zip(*rows, strict=True))
    assert_is_the_definition(y, p, w, k, at=(5e-324, 1 - ULP))


def test_it_is_the_definition_where_light_rows_follow_heavy_ones():
    y, p = noisy(30, ties=2)
    w = np.where(p < 0.4, 1e6, 0.37)
    for k in (1, 3, 17):
        assert_is_the_definition(y, p, w, k)


def test_light_rows_far_above_heavy_ones_keep_their_digits():
    p, y, w = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), np.array([1, 1, 1, 0, 1]), np.array([3e15, 3.0, 1.0, 1.0, 1.0])
    assert_is_the_definition(y, p, w, 1)
    w = np.array([0.1, 0.1, 1e-6, 1e-7, 3e-7])
    assert_is_the_definition(y, p, w, 1)


def test_one_neighbour_is_the_nearest_label():
    c = fot.families.KNN(1).fit([0.0, 0.5, 1.0], [1, 0, 1]).map_
    assert c == fot.maps.StepsMap([0.25, 0.75], [1, 0, 1], [0.5, 0.5])


def test_ties_of_distance_count_whole():
    family = fot.families.KNN(2).fit([0.0, 0.25, 0.5, 1.0], [0, 0, 1, 1])
    assert family.predict([0.25]) == pytest.approx([1 / 3])  # its own row, and both rows 1/4 from it
    tied = fot.families.KNN(2).fit([0.5] * 4 + [0.75], [0, 1, 1, 1, 0])
    assert tied.predict([0.5]).tolist() == [0.75]
    assert tied.predict([1.0]) == pytest.approx([0.6])  # the row at 3/4 and all four at 1/2


def test_heavy_enough_windows_grow_by_several_groups():
    """From the heavy row on, one row after the other joins before the heavy one leaves."""
    p, w = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), np.array([3.0, 1.0, 1.0, 1.0, 1.0])
    c = fot.families.KNN(3).fit(p, [1, 0, 0, 0, 0], w).map_
    assert c.x.tolist() == [0.125, 0.25, 0.375, 0.625]
    np.testing.assert_allclose(c.c, [1, 3 / 4, 3 / 5, 0, 0])
    np.testing.assert_allclose(c.at, [3 / 4, 3 / 5, 1 / 2, 0])


@pytest.mark.parametrize("k", [60, 61, 10**400])
def test_from_the_number_of_rows_on_it_is_the_base_rate(k):
    y, p = noisy(60, ties=1)
    c = fot.families.KNN(k).fit(p, y).map_
    assert c == fot.maps.StepsMap([], [y.mean()], [])
    c = fot.families.KNN(k).fit(p, y, np.full(60, 0.1)).map_
    assert c.x.size == 0
    assert c(0.5) == pytest.approx(y.mean(), abs=1e-15)


@pytest.mark.parametrize("value", [0, 1])
def test_one_row_and_one_class(value):
    assert fot.families.KNN().fit([0.3], [value]).map_ == fot.maps.StepsMap([], [value], [])
    y, p = np.full(60, value), noisy(60, ties=1)[1]
    for w in (None, np.linspace(0, 3, 60)):
        c = fot.families.KNN(3).fit(p, y, w).map_
        assert set(c.c) | set(c.at) == {value}


def test_scores_of_zero_and_one():
    c = fot.families.KNN(2).fit([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]).map_
    assert c == fot.maps.StepsMap([0.5], [1 / 3, 1], [3 / 5])


def test_a_midpoint_of_neighbouring_floats_is_no_tie():
    p = np.repeat([np.nextafter(1, 0), 1.0], 5)
    np.testing.assert_array_equal(fot.families.KNN(5).fit(p, p == 1).predict(p), p == 1)


@given(data=samples(weights=WHOLE_WEIGHTS), k=KS)
def test_whole_weights_are_repetition(data, k):
    y, p, w = data
    times = w.astype(int)
    weighted, repeated = (
        fot.families.KNN(k).fit(p, y, w),
        fot.families.KNN(k).fit(np.repeat(p, times), np.repeat(y, times)),
    )
    assert weighted.map_ == repeated.map_
    assert weighted.n_parameters_ == repeated.n_parameters_


@given(data=samples(weights=st.floats(1e-3, 1e3).filter(lambda w: w % 1)), k=KS, factor=st.floats(1e-6, 1e6))
def test_the_scale_of_other_weights_does_not_matter(data, k, factor):
    y, p, w = data
    if np.all((factor * w) % 1 == 0):
        factor = 1.0
    a, b = (fot.families.KNN(k).fit(p, y, weights).map_ for weights in (w, factor * w))
    np.testing.assert_array_equal(a.x, b.x)
    np.testing.assert_allclose(a.c, b.c, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a.at, b.at, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1e-9])
def test_equal_weights_that_are_not_whole_count_rows(weight):
    y, p = noisy(500, ties=2)
    for k in (1, 7, 50, 499):
        a, b = fot.families.KNN(k).fit(p, y).map_, fot.families.KNN(k).fit(p, y, np.full(500, weight)).map_
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_allclose(a.c, b.c, rtol=0, atol=1e-12)


@given(data=samples(), k=KS, seed=st.integers(0, 9))
def test_row_order_does_not_matter_bit_by_bit(data, k, seed):
    y, p, w = data
    order = np.random.default_rng(seed).permutation(y.size)
    assert fot.families.KNN(k).fit(p, y, w).map_ == fot.families.KNN(k).fit(p[order], y[order], w[order]).map_


@given(data=samples(), k=KS)
def test_the_map_survives_json_bit_by_bit(data, k):
    c = fot.families.KNN(k).fit(data[1], data[0], data[2]).map_
    again = fot.CalibrationMap.from_json(c.to_json())
    for name in ("x", "c", "at"):
        assert getattr(again, name).tobytes() == getattr(c, name).tobytes()


def test_float32_scores():
    y, p = noisy(300)
    single = p.astype(np.float32)
    assert fot.families.KNN().fit(single, y).map_ == fot.families.KNN().fit(single.astype(float), y).map_


def area_under(values):
    """Return the integral over [0, 1] of the share of the values that are at most eps."""
    steps = np.sort(values)
    shares = np.arange(steps.size + 1) / steps.size
    return float(np.diff(np.concatenate(([0.0], steps, [1.0]))) @ shares)


@given(data=samples(weights=st.just(1.0), max_size=12), k=KS)
def test_the_error_is_one_minus_the_area_under_the_validity_curve(data, k):
    """Theorem: AUC_V = 1 - mean |f - E[y | f]|, with the neighbours' mean for E[y | f] (Torabian and Urner)."""
    y, p, w = data
    definition, jumps = Definition(y, p, w, k), fot.families.KNN(k).fit(p, y).map_.x
    means = [definition.at_jump(q) if q in jumps else definition.at(q) for q in p]
    error = fot.measures.PlugIn(fot.families.KNN(k)).estimate(fot.ScoreSample(y, p))
    assert float(error) == pytest.approx(1 - area_under(np.abs(p - means)), abs=1e-12)


def test_the_error_of_the_default_is_one_minus_the_area_under_the_validity_curve():
    y, p = noisy(400)
    curve = area_under(np.abs(p - [y[np.argsort(np.abs(p - q))[:10]].mean() for q in p]))
    assert float(fot.measures.PlugIn("knn").estimate(fot.ScoreSample(y, p))) == pytest.approx(1 - curve, abs=1e-12)


def test_the_number_of_parameters_is_the_number_of_neighbourhoods():
    y, p = noisy(50)
    assert fot.families.KNN(10).fit(p, y).n_parameters_ == 5
    assert fot.families.KNN(10).fit(p, y, np.full(50, 2)).n_parameters_ == 10
    assert fot.families.KNN(10).fit(p, y, np.full(50, 0.3)).n_parameters_ == 5
    assert fot.families.KNN(100).fit(p, y).n_parameters_ == 1
    assert not hasattr(fot.families.KNN().fit(p, y), "partition_")


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "10", None, np.nan])
def test_refusals(k):
    with pytest.raises(ValueError, match="k must be a whole number, at least 1, got"):
        fot.families.KNN(k).fit([0.1, 0.2], [0, 1])


def test_many_rows_take_no_loop_over_them():
    y, p = noisy(200_000)
    c = fot.families.KNN(5000).fit(p, y).map_
    assert np.abs(c(np.linspace(0.1, 0.9, 9)) - np.linspace(0.1, 0.9, 9) ** 1.4).max() < 0.03


@pytest.mark.parametrize(
    "w", [None, np.tile([1.0, 3.0], 100), np.linspace(0.1, 2, 200)], ids=["unit", "counts", "other"]
)
@pytest.mark.parametrize("digits", [1, 2, 16])
def test_the_size_of_the_blocks_does_not_matter(digits, w, monkeypatch):
    y, p = noisy(200)
    sample = fot.ScoreSample(y, np.round(p, digits), w)
    whole = [
        (fot.families.KNN(k).fit_sample(sample).map_, fot.families.KNN(k).group_means(sample)) for k in (1, 4, 150)
    ]
    monkeypatch.setattr(knn, "BLOCK", 3)
    for k, (c, means) in zip((1, 4, 150), whole, strict=True):
        assert fot.families.KNN(k).fit_sample(sample).map_ == c
        np.testing.assert_array_equal(fot.families.KNN(k).group_means(sample), means)
        np.testing.assert_array_equal(c(sample.distinct.p), means)


def test_a_midpoint_that_is_one_of_its_scores_among_many_that_are_not():
    """One pair of neighbouring floats: the jump between them is at a score, and all others are half-way."""
    low = np.nextafter(0.5, 0)
    p, y = np.array([0.1, low, 0.5, 0.9]), np.array([0, 0, 1, 1])
    assert (low + 0.5) / 2 in (low, 0.5)
    for k in (1, 2, 3):
        assert_is_the_definition(y, p, np.ones(4), k)
