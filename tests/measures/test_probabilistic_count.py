"""The probabilistic count: the worked values of the paper, and what holds of every sample."""

import numpy as np
import pytest
from hypothesis import given

import fitontest as fot
from tests.strategies import WHOLE_WEIGHTS, samples


def count(w):
    """Return the count of as many scores as there are weights, each of its own."""
    return (
        fot.measures.ProbabilisticCount()
        .estimate(fot.ScoreSample(np.zeros(len(w)), np.linspace(0, 1, len(w)), w))
        .value
    )


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.2] * 5, 5),
        ([1 / 4, 1 / 4, 1 / 2], 8 / 3),
        ([1 / 3] * 2 + [1 / 30] * 10, 30 / 7),
        ([1 / 3] + [1 / 30] * 20, 7.5),
    ],
)
def test_values_of_the_paper(weights, expected):
    assert count(weights) == pytest.approx(expected, rel=1e-12)


def test_the_value_of_the_paper_whose_shares_do_not_add_up():
    """The shares of its figure 3 add up to 21/20: 1 / sum of squares is 4.0868 of them, which it prints as 4.08."""
    shares = np.array([1 / 4] * 3 + [19 / 80] + [1 / 80] * 5)
    assert shares.sum() == pytest.approx(21 / 20)
    assert count(shares) / shares.sum() ** 2 == pytest.approx(4.0868, abs=5e-5)
    assert count([1 / 4] * 3 + [19 / 80] + [1 / 400] * 5) == pytest.approx(4.0994, abs=5e-5)  # shares that do


@given(samples())
def test_bounds(data):
    y, p, w = data
    found = fot.measures.ProbabilisticCount().estimate(fot.ScoreSample(y, p, w))
    assert found.n_values == np.unique(p[w > 0]).size
    assert 1 - 1e-12 <= found.value <= found.n_values * (1 + 1e-12)
    assert 1 / found.value == pytest.approx(np.mean(_shares(p, w)), rel=1e-9)


def _shares(p, w):
    """Return, for rows drawn by weight, the share of the weight that has the same score."""
    rows = [w[p == score].sum() / w.sum() for score in p]
    return np.array(rows) * w / w.sum() * p.size


@given(samples(weights=WHOLE_WEIGHTS))
def test_a_weight_is_a_repetition(data):
    y, p, w = data
    again = fot.ScoreSample(np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int)))
    measure = fot.measures.ProbabilisticCount()
    assert measure.estimate(fot.ScoreSample(y, p, w)).value == pytest.approx(measure.estimate(again).value, rel=1e-12)


def test_counts_are_printed_as_counts():
    measure = fot.measures.ProbabilisticCount()
    assert [measure.printed(value) for value in (2.6667, 87.3, 123456.2)] == ["2.67", "87.3", "123,456"]
    assert fot.measures.make("probabilistic_count").unit == "count"


def test_counts_are_never_printed_as_powers_of_ten():
    count = fot.measures.ProbabilisticCount()
    assert [count.printed(value) for value in (2.6667, 999.4, 999.7, 1234.5)] == ["2.67", "999", "1,000", "1,234"]
    assert count.printed(150.4, 2) == "150"
