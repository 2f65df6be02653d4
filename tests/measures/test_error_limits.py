"""Limits of errors at a resolution: computed by hand, and above the error that they are a limit of."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.measures.error_limits import RESOLUTION, RESOLUTIONS, ErrorLimits, check_resolution
from fitontest.measures.pair_windows import PairWindows
from fitontest.uncertainty.ladder import Ladder

BY_SCALE = {0: 0.05, 1: 0.01, 2: 0.006, 4: 0.005, 8: 0.0025, 16: 0.0016, 32: 0.0009, 64: 0.0004}


def limits(rows=1000.0, spread=0.0, scales=BY_SCALE):
    """Return limits with one square for each scale, so that a limit tells which scale it is of."""
    return ErrorLimits(tuple(map(float, scales)), tuple(scales.values()), (spread,) * len(scales), rows)


def test_by_hand():
    """n = 1,000, J = 40: s is the largest power of 2 up to 12.5."""
    limit = ErrorLimits((4.0, 8.0, 16.0), (0.5, 0.0025, 0.0001), (0.5, 0.001, 0.0), 1000.0).at(40)
    assert limit.value == pytest.approx(np.sqrt(0.0025 + 1.6448536269514722 * 0.001), rel=1e-12)
    assert limit.share == 0.016
    assert limit.resolution == 40.0
    assert limit.level == 0.95
    at_99 = ErrorLimits((8.0,), (0.0025,), (0.001,), 1000.0).at(40, 0.99)
    assert at_99.value == pytest.approx(np.sqrt(0.0025 + 2.3263478740408408 * 0.001), rel=1e-12)
    of_ten_groups = ErrorLimits((8.0,), (0.0025,), (0.001,), 1000.0, degrees=9.0).at(40)
    assert of_ten_groups.value == pytest.approx(np.sqrt(0.0025 + 1.8331129326562374 * 0.001), rel=1e-12)
    assert json.loads(json.dumps(limit.to_dict())) == {
        "value": limit.value,
        "share": 0.016,
        "resolution": 40.0,
        "level": 0.95,
        "square": 0.0025,
        "noise": pytest.approx(0.0016448536269514722),
    }


@pytest.mark.parametrize(
    ("rows", "resolution", "scale"),
    [
        (1000, 20, 16),
        (1000, 40, 8),
        (1280, 40, 16),
        (1279, 40, 8),
        (160, 40, 2),
        (159, 40, 1),
        (80, 40, 1),
        (79, 40, 1),
        (10, 20, 1),
        (10, 1e9, 1),
    ],
)
def test_the_scale_is_the_largest_power_of_two_up_to_half_the_share_of_the_rows(rows, resolution, scale):
    limit = limits(float(rows)).at(resolution)
    assert limit.value == pytest.approx(np.sqrt(BY_SCALE[scale]))
    assert limit.share == pytest.approx(2 * scale / rows)


def test_of_skipped_scales_the_one_below_has_their_windows():
    grid = limits(scales={0: 0.05, 32: 0.0009, 64: 0.0004})  # windows of 1 to 16 ranks are single scores
    assert grid.at(40).value == pytest.approx(np.sqrt(0.05))
    assert grid.at(40).share == 0.016
    one = limits(scales={0: 0.05})
    assert one.at(20).value == pytest.approx(np.sqrt(0.05))
    late = limits(scales={16: 0.0016, 32: 0.0009})
    assert late.at(400).value == pytest.approx(np.sqrt(0.0016))


def test_a_share_of_all_rows_at_most():
    assert limits(1.0, scales={0: 0.05}).at(40).share == 1.0


def test_negative_squares_are_no_error():
    assert limits(spread=0.0, scales={1: -0.01}).at(40).value == 0.0
    repelled = limits(spread=0.001, scales={1: -0.5}).at(40).value  # no better than one deviation below 0
    assert repelled == pytest.approx(limits(spread=0.001, scales={1: -0.001}).at(40).value)
    assert limits(spread=0.001, scales={1: -0.001}).at(40).value == pytest.approx(np.sqrt(0.000645), rel=1e-3)


@given(level=st.floats(0.5, 0.999), more=st.floats(0, 0.0009), spread=st.floats(0, 0.1))
def test_more_confidence_gives_a_larger_limit(level, more, spread):
    made = limits(spread=spread)
    assert made.at(20, level).value <= made.at(20, level + more).value


@given(
    resolutions=st.tuples(st.floats(20, 1e4), st.floats(20, 1e4)),
    squares=st.lists(st.floats(-0.01, 0.1), min_size=8, max_size=8),
)
def test_a_finer_resolution_has_a_larger_limit(resolutions, squares):
    """An error that persists over many rows persists over fewer too, whatever the statistics happen to be."""
    made = limits(spread=0.001, scales=dict(zip(BY_SCALE, squares, strict=True)))
    coarse, fine = (made.at(resolution) for resolution in sorted(resolutions))
    assert fine.share <= coarse.share
    assert fine.value >= coarse.value


def test_a_limit_is_at_least_that_of_a_coarser_resolution():
    lucky = ErrorLimits((8.0, 16.0), (-0.001, 0.0016), (0.0005, 0.0005), 1000.0)
    assert lucky.at(40).value == lucky.at(20).value
    assert (lucky.at(40).share, lucky.at(20).share) == (0.016, 0.032)
    assert lucky.at(40).square == 0.0016


def test_limits_are_those_of_the_root_of_the_mean_square():
    """An error at a tenth of the rows: the limit holds its root mean square, and so its mean too."""
    rng = np.random.default_rng(0)
    p = np.linspace(0.2, 0.8, 4000)
    d = np.where(np.arange(4000) % 2000 < 200, 0.15, 0.0)
    windows = PairWindows.of(p, np.ones(4000), np.ones(4000))
    spreads = windows.deviations(p + d, d)
    values = []
    for _ in range(60):
        squares = windows.statistics((rng.random((4000, 1)) < (p + d)[:, None]), p)[:, 0]
        values.append(ErrorLimits(tuple(windows.scales), tuple(squares), tuple(spreads), windows.rows).at(20).value)
    assert np.mean(np.array(values) >= np.sqrt(np.mean(d**2))) > 0.85
    assert min(values) > np.mean(np.abs(d))
    assert np.mean(values) < 2 * np.sqrt(np.mean(d**2))


@pytest.mark.parametrize("resolution", [19.99, 0, -20, float("inf"), float("nan"), "40", None, True])
def test_refusals(resolution):
    for use in (check_resolution, limits().at):
        with pytest.raises(ValueError, match="resolution must be a number of at least 20") as refusal:
            use(resolution)
        assert repr(resolution) in str(refusal.value)


def test_resolutions_of_tables():
    assert RESOLUTIONS == (20, 40)
    assert limits().at() == limits().at(RESOLUTION)
    assert check_resolution(20) == 20.0
    assert isinstance(check_resolution(np.int64(20)), float)


def test_limits_of_groups_have_their_degrees_of_freedom():
    rng = np.random.default_rng(0)
    p, group = rng.random(600), np.repeat(np.arange(12), 50)
    y = rng.random(600) < p
    for groups, degrees in ((None, np.inf), (np.arange(600), np.inf), (group, 11.0)):
        assert Ladder.of(fot.read(y, p, groups=groups), 0).limits.degrees == pytest.approx(degrees)
