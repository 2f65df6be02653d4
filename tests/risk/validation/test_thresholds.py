"""Thresholds: what is read, and what is refused with its place; and thresholds of costs."""

import numpy as np
import pytest

from fitontest.risk.validation.thresholds import read_thresholds, threshold_of_cost


def test_what_is_read():
    np.testing.assert_array_equal(read_thresholds(), np.arange(1, 100) / 100)
    for values in ([0.1, 0.2], (0.1, 0.2), np.array([0.1, 0.2])):
        np.testing.assert_array_equal(read_thresholds(values), [0.1, 0.2])
    np.testing.assert_array_equal(read_thresholds(0.25), [0.25])
    np.testing.assert_array_equal(read_thresholds(np.float32(0.25)), [0.25])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "thresholds must hold at least one number, got none"),
        (1, r"thresholds must be a number in \[0, 1\), got 1: at 1 nobody is treated"),
        ([0.1, 1], r"thresholds \(number 2\) must be a number in \[0, 1\), got 1"),
        ([0.1, float("nan")], r"thresholds \(number 2\) must be a number in \[0, 1\), got nan"),
        ([-0.1, 0.5], r"thresholds \(number 1\) must be a number in \[0, 1\), got -0.1"),
        ([0.1, "0.2"], r"thresholds \(number 2\) must be a number in \[0, 1\), got '0.2'"),
        ("0.2", "thresholds must be numbers, got '0.2'"),
        ([0.2, 0.2], "thresholds must increase, got 0.2 after 0.2, number 2"),
        ([0.3, 0.2, 0.4], "thresholds must increase, got 0.2 after 0.3, number 2"),
        (np.ones((2, 2)) / 2, "thresholds must be a number or a column of them"),
        (True, "thresholds must be a number or a column of them"),
    ],
)
def test_what_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        read_thresholds(values)


def test_costs():
    assert threshold_of_cost(1) == 0.5
    assert threshold_of_cost(0.25) == pytest.approx(0.2)
    for t in (0.01, 0.3, 0.9):
        assert threshold_of_cost(t / (1 - t)) == pytest.approx(t)
    for cost in (0, -1, float("inf"), float("nan"), "1", None):
        with pytest.raises(ValueError, match="cost must be a finite number above 0, got"):
            threshold_of_cost(cost)
