"""Holm's adjusted p-values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fitontest.numerics.significance.holm import holm_adjusted


def test_by_hand():
    """Sorted .005, .01, .03, .04 times 4, 3, 2, 1 are .02, .03, .06, .04; the last may not be below the one before."""
    assert holm_adjusted(np.array([0.01, 0.04, 0.03, 0.005])).round(12).tolist() == [0.03, 0.06, 0.06, 0.02]
    assert holm_adjusted(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]
    assert holm_adjusted(np.array([0.2])).tolist() == [0.2]
    assert holm_adjusted(np.array([])).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_rejections_are_those_of_the_stepwise_procedure(p_values, alpha):
    """Reject the smallest while p_(k) (m - k + 1) <= alpha, and stop at the first that is larger."""
    p_values = np.array(p_values)
    rejected = np.zeros(p_values.size, dtype=bool)
    for k, at in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[at] * (p_values.size - k) > alpha:
            break
        rejected[at] = True
    assert np.array_equal(holm_adjusted(p_values) <= alpha, rejected)
