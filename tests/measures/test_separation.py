"""An infinite slope: how often labels are separated, by listing all labels, and the interval that follows."""

from itertools import product

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.cox import line_of, why_no_line
from fitontest.measures.separation import Separation
from fitontest.numerics.intercepts import intercept_at
from fitontest.numerics.links import sigmoid


def separated_in_all(z, slope, share):
    """Return the probability of labels that a threshold separates, positives above, of all there can be."""
    c = sigmoid(intercept_at(slope * z, np.ones(z.size), share) + slope * z)
    total = 0.0
    for labels in product((0, 1), repeat=z.size):
        y = np.array(labels)
        negatives, positives = z[y == 0], z[y == 1]
        if not (negatives.size and positives.size) or negatives.max() <= positives.min():
            total += np.prod(np.where(y == 1, c, 1 - c))
    return total


@pytest.mark.parametrize("z", [[-2.0, -1.0, 0.5, 1.0, 3.0], [-1.0, 0.0, 0.0, 0.5, 2.0], [0.0, 0.0, 0.0, 1.0, 1.0]])
def test_the_probability_is_that_of_all_labels(z):
    z = np.array(z)
    y = np.array([0, 0, 1, 1, 1])
    for slope in (0.3, 1.0, 4.0):
        one = Separation.of(fot.read(y, sigmoid(z)))
        tail = separated_in_all(z, slope, 0.6)
        low, high = one.interval(1.0 - 2.0 * tail)
        assert (low, high) == (pytest.approx(slope, rel=1e-6), np.inf)
    assert one.p_value == pytest.approx(min(1.0, 2.0 * separated_in_all(z, 1.0, 0.6)))


def test_the_other_way_round_it_is_mirrored():
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(40))
    y = (p > 0.4).astype(int)
    up, down = (Separation.of(fot.read(labels, p)) for labels in (y, 1 - y))
    low, _ = up.interval(0.95)
    assert down.interval(0.95) == (-np.inf, pytest.approx(-low))
    assert down.p_value < up.p_value


def test_rows_that_are_mixed_are_not_separated():
    assert Separation.of(fot.read([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])) is None


def test_counts_repeat_rows_importances_are_rows_and_groups_count_once():
    rng = np.random.default_rng(1)
    p = np.sort(rng.random(30))
    y = (p > 0.5).astype(int)
    n = rng.integers(1, 4, 30)
    repeated = Separation.of(fot.read(np.repeat(y, n), np.repeat(p, n))).interval(0.95)
    assert Separation.of(fot.read(y, p, sample_weight=n, weights="counts")).interval(0.95) == pytest.approx(repeated)
    plain = Separation.of(fot.read(y, p)).interval(0.95)
    assert Separation.of(fot.read(y, p, sample_weight=rng.random(30) + 0.1)).interval(0.95) == pytest.approx(plain)
    by_group = Separation.of(fot.read(y, p, groups=np.arange(30) // 2)).interval(0.95)
    assert by_group[0] < plain[0]


def test_a_slope_without_a_value_says_between_which_it_lies():
    p = np.linspace(0.1, 0.9, 60)
    sample = fot.read((p > 0.5).astype(int), p)
    assert line_of(sample) is None
    low, _ = Separation.of(sample).interval(0.95)
    assert f"it is infinite (95 % CI {low:.3g}" in why_no_line(sample)
