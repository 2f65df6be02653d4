"""The walk of cumulated residuals: its numbers, its band, and what its bracket marks."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.curve import SIZE
from fitontest.displays.walk import POINTS, walk_display
from tests.displays.figures import blank, pixels, plain
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


def bracket_of(display):
    return display.artists_[display.panels[0].lines[2].name]["line"].get_ydata()


def test_the_line_is_the_walk_and_the_bracket_is_the_error():
    y, p = noisy(300, ties=2, power=1.6)
    expected = fot.measure(y, p, "ecce")
    display = expected.plot(plain(), name="raw $x$")
    x, height = display.ax_.lines[1].get_data()
    points, where = np.unique(p, return_inverse=True)
    steps = np.bincount(where, y - p) / y.size
    np.testing.assert_allclose(height, np.append(0, np.cumsum(steps)), atol=1e-12)
    np.testing.assert_allclose(x, np.append(0, np.cumsum(np.bincount(where)) / y.size), atol=1e-12)
    assert np.ptp(bracket_of(display)) == pytest.approx(expected.value, rel=1e-12)
    (band,) = display.rows("band")
    assert band["high"] == pytest.approx(np.sort(expected.null.values)[950])
    assert display.title == (
        f"raw $x$: ECCE {expected.quoted:.3f} (95 % CI {expected.interval.low:.3f} to {expected.interval.high:.3f})"
    )
    frame = display.to_frame(part="walk")
    np.testing.assert_allclose(frame["cumulated"], height, atol=1e-15)
    np.testing.assert_array_equal(frame["score"][1:], points)


def test_the_point_farthest_from_0_is_marked_for_ks():
    y, p = noisy(300, power=1.6)
    error = fot.measure(y, p, "ks")
    display = error.plot(plain())
    assert sorted({*np.abs(bracket_of(display)).tolist()}) == pytest.approx([0.0, error.value])
    (record,) = display.to_frame(part="range").to_dict("records")
    assert max(abs(record["low"]), abs(record["high"])) == pytest.approx(error.value)


@pytest.mark.exhaustive
def test_a_long_walk_keeps_its_extremes():
    rng = np.random.default_rng(0)
    p = rng.random(30_000)
    display = fot.measure(rng.random(30_000) < p**1.2, p, "ecce").plot(plain())
    height = display.ax_.lines[1].get_ydata()
    walk = display.to_frame(part="walk")["cumulated"]
    assert height.size <= 2 * POINTS + 2
    assert (height.min(), height.max()) == (walk.min(), walk.max())
    assert len(walk) == 30_001


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_all_labels_are_inside_and_apart(style):
    y, p = noisy(400, power=2)
    with plt.style.context(style):
        figure = blank(SIZE)
        display = fot.measure(y, p / 1000, "ecce").plot(figure, name="model")  # numbers as wide as they come
        figure.draw_without_rendering()
        numbers = [text.get_window_extent() for text in display.ax_.get_xticklabels()]
        assert not any(one.overlaps(other) for one, other in pairwise(numbers))
        for box in [*numbers, display.ax_.xaxis.label.get_window_extent(), display.ax_.get_tightbbox()]:
            assert figure.bbox.x0 - 1 <= box.x0
            assert box.x1 <= figure.bbox.x1 + 1
            assert figure.bbox.y0 - 1 <= box.y0
            assert box.y1 <= figure.bbox.y1 + 1
        assert pixels(figure)[..., :3].std() > 0.05


def test_the_file_is_the_same_every_time(tmp_path):
    error = fot.measure(*noisy(100), "ecce")
    first, second = (error.plot(plain()).save(tmp_path / f"{k}.svg").read_bytes() for k in range(2))
    assert first == second


def test_certain_scores_have_no_band():
    with pytest.warns(fot.CalibrationWarning, match="contradicted by their labels"):
        error = fot.measure([0, 1, 1], [0.0, 1.0, 0.0], "ecce")
    display = error.plot(plain())
    assert list(display.parts()) == ["walk", "range"]
    assert "grey" not in display.second


def test_refusals():
    y, p = noisy(30)
    with pytest.raises(ValueError, match="sample must be the one on which error was measured"):
        walk_display(fot.measure(y, p, "ecce"), fot.ScoreSample(y[1:], p[1:]))
    with pytest.raises(ValueError, match="level must be"):
        fot.measure(y, p, "ecce").plot(plain(), level=0.3)
