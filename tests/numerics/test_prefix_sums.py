"""Prefix sums against exact fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fitontest.numerics.prefix_sums import PrefixSums

VALUES = st.integers(0, 5).map(float) | st.floats(1e-12, 1e12) | st.just(0.0)


@given(values=st.lists(VALUES, min_size=1, max_size=60).map(np.array))
def test_every_run_is_as_exact_as_if_it_were_summed_alone(values):
    sums = PrefixSums.of(values)
    start, stop = np.triu_indices(values.size + 1)
    exact = [Fraction(0)]
    for value in values:
        exact.append(exact[-1] + Fraction(value))
    expected = [float(exact[b] - exact[a]) for a, b in zip(start, stop, strict=True)]
    np.testing.assert_allclose(sums.between(start, stop), expected, rtol=1e-14, atol=1e-28 * values.sum())
    np.testing.assert_allclose(sums.rounded(), [float(value) for value in exact], rtol=1e-15)


def test_whole_numbers_are_summed_exactly():
    values = np.random.default_rng(0).integers(0, 100, 1000).astype(float)
    sums = PrefixSums.of(values)
    assert not sums.remainder.any()
    assert sums.rounded()[-1] == values.sum()


def test_columns_are_summed_each_by_itself():
    values = np.random.default_rng(0).lognormal(sigma=9, size=(50, 3))
    start, stop = np.array([0, 10, 30]), np.array([50, 11, 40])
    sums = PrefixSums.of(values)
    assert sums.remainder.any()
    for column, alone in zip(sums.between(start, stop).T, values.T, strict=True):
        np.testing.assert_array_equal(column, PrefixSums.of(alone).between(start, stop))
    whole = np.floor(values)
    np.testing.assert_array_equal(PrefixSums.of(whole, exact=True).head, PrefixSums.of(whole).head)
