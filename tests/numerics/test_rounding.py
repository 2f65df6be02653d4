"""What is zero but for rounding, and what is not."""

import numpy as np
import pytest

from fitontest.numerics.rounding import is_rounding, rounded_sums, without_rounding


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_rounding_is_relative(scale):
    p = np.random.default_rng(0).random(1000) * scale
    assert is_rounding(p.sum() - p[::-1].cumsum()[-1], 2 * p.sum())
    assert without_rounding(1e-3 * scale, 2.0 * scale) == 1e-3 * scale


def test_single_precision_is_rounding():
    p = np.random.default_rng(0).random(1000).astype(np.float32)
    other = (1 - p).astype(np.float32)
    away = p.astype(float) + other.astype(float) - 1
    assert away.any()
    assert is_rounding(away, np.full(1000, 2.0)).all()


def test_sums_of_groups_lose_nothing_else():
    rng = np.random.default_rng(0)
    values, group = rng.normal(size=100), rng.integers(0, 7, 100)
    np.testing.assert_array_equal(rounded_sums(values, group), np.bincount(group, values))
    both = np.concatenate((values, -values))
    assert not rounded_sums(both, np.tile(np.arange(100), 2)).any()
