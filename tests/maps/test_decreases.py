"""Where maps decrease, on maps for which it is known."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.maps.binned import BinnedMap
from fitontest.maps.decreases import find_decreases
from fitontest.maps.logistic import LogisticMap
from fitontest.maps.logit_knots import LogitKnotsMap
from fitontest.maps.steps import StepsMap


@pytest.mark.parametrize(
    "increasing",
    [
        fot.maps.IdentityMap(),
        fot.maps.KnotsMap([0.2, 0.6], [0.1, 0.1]),
        LogisticMap(2.0, -1.0, "logit", 1e-16),
        LogitKnotsMap([[-3.0, 0.0, 3.0]], [[-1.0, -1.0, 4.0]]),
        BinnedMap(fot.partitions.Partition([0.3]), [0.1, 0.8], [0.0, 0.0]),
        BinnedMap(
            fot.partitions.Partition([0.5]), [0.7, 0.5], [1.0, 1.0]
        ),  # decreases only above 1, where it is clipped
    ],
    ids=lambda fitted: fitted.kind,
)
def test_a_map_that_never_decreases(increasing):
    assert find_decreases(increasing) == []


def test_a_polygon_decreases_between_its_knots():
    x = [0.0, 0.1234567, 0.2, 0.7, 0.70001, 1.0]
    fitted = fot.maps.KnotsMap(x, [0.0, 0.5, 0.3, 0.6, 0.59, 1.0])  # the second fall is narrower than the grid
    assert find_decreases(fitted) == [(x[1], x[2]), (x[3], x[4])]


def test_a_map_decreases_everywhere():
    ((start, stop),) = find_decreases(LogisticMap(-1.0, 0.0, "logit", 1e-6))  # constant where scores are clipped
    assert [start, 1 - stop] == pytest.approx([1e-6, 1e-6], rel=0.1)
    assert find_decreases(fot.maps.KnotsMap([0, 1], [0.9, 0.1])) == [(pytest.approx(0, abs=1e-12), 1.0)]


@pytest.mark.parametrize("closed", ["left", "right"])
def test_bins_decrease_at_their_edges(closed):
    fitted = BinnedMap(fot.partitions.Partition([0.2, 0.34567], closed), [0.1, 0.6, 0.5], [0.0, 0.0, 0.0])
    ((start, stop),) = find_decreases(fitted)
    assert start <= 0.34567 <= stop
    assert stop - start < 1e-15
    assert fitted([start, stop]).tolist() == [0.6, 0.5]


def test_steps_decrease_at_their_jumps():
    ((start, stop),) = find_decreases(StepsMap([0.25, 0.5], [0.2, 0.4, 0.3], [0.2, 0.4]))
    assert start == 0.5
    assert stop == np.nextafter(0.5, 1)


def test_next_to_an_end():
    """Scores of rare events stand closer together than any grid of equal steps."""
    fitted = LogitKnotsMap([[-20.0, -15.0, -12.0, 20.0]], [[-12.0, -8.0, -9.0, 20.0]])
    ((start, stop),) = find_decreases(fitted)
    assert np.log([start, stop]) == pytest.approx([-15.0, -12.0], abs=1e-3)
