"""The dot plot of segments: its numbers, what is filled, before and after, and that nothing is cut off."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.segments import LONGEST, Dot, Dots, SegmentsDisplay
from tests.displays.figures import blank, pixels, plain

pytestmark = pytest.mark.multiplies


def dots(count=3, name="segment", shift=0.0):
    return Dots(
        [
            Dot(f"{name} {k}", 0.1 * k + shift, 0.1 * k - 0.05, 0.1 * k + 0.05, -0.02, 0.02, k > 0, 100 + k)
            for k in range(count)
        ],
        "error",
    )


def test_dots_are_the_numbers_and_filled_where_they_stand_out():
    display = SegmentsDisplay(dots()).plot(plain())
    frame = display.to_frame(part="before")
    assert frame["segment"].tolist() == ["segment 0", "segment 1", "segment 2"]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        "segment 0  (100)",
        "segment 1  (101)",
        "segment 2  (102)",
    ]
    drawn = {
        float(line.get_xdata()[0]): line.get_markerfacecolor() for line in display.ax_.lines if line.get_marker() == "o"
    }
    assert list(drawn) == pytest.approx([0.0, 0.1, 0.2])
    faces = list(drawn.values())
    assert faces[0] == display.ax_.get_facecolor()  # a ring: it does not stand out
    assert faces[1] == faces[2] != faces[0]
    low, high = display.ax_.get_ylim()
    assert low > high  # the first is on top


def test_the_same_segments_after_stand_below_each():
    before, after = dots(3), dots(3, shift=-0.02)
    after.each.pop(1)
    display = SegmentsDisplay(before, after).plot(plain())
    assert display.to_frame(part="after")["segment"].tolist() == ["segment 0", "segment 2"]
    heights = [float(line.get_ydata()[0]) for line in display.ax_.lines if line.get_marker() == "o"]
    assert heights == pytest.approx([-0.2, 0.2, 0.8, 1.8, 2.2])
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["before", "after", "does not stand out", "if calibrated"]


def test_the_rest_of_many_is_counted():
    display = SegmentsDisplay(dots(40)).plot(plain())
    assert len(display.before) == 25
    assert display.ax_.get_xlabel().endswith("15 more are not drawn")
    assert len(SegmentsDisplay(dots(40), most=2).before) == 2


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize("count", [1, 25])
def test_nothing_is_cut_off_or_on_top_of_each_other(style, count):
    with plt.style.context(style):
        display = SegmentsDisplay(dots(count, "a $formula$ of " + "many words " * 9), dots(count))
        figure = blank(display.size)
        display.plot(figure)
        figure.draw_without_rendering()
        labels = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
        for box in [*labels, display.ax_.xaxis.label.get_window_extent(), display.ax_.get_legend().get_window_extent()]:
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1 + 1
            assert figure.bbox.y0 <= box.y0
            assert box.y1 <= figure.bbox.y1 + 1
        for upper, lower in pairwise(labels):
            assert upper.y0 >= lower.y1 - 1
        assert all(len(label.get_text()) <= LONGEST + 12 for label in display.ax_.get_yticklabels())
        assert pixels(figure)[..., :3].std() > 0.02


def test_intervals_of_named_and_of_found_segments():
    rng = np.random.default_rng(0)
    p, site = rng.random(1500), rng.choice(["a", "b"], 1500)
    y = (rng.random(1500) < np.where(site == "b", p**1.7, p)).astype(int)
    named = fot.evaluate(y, p, by=site, adjust="max", against="scores")
    drawn = named.plot(figure=plain()).to_frame(part="before").set_index("segment")
    estimate = named.estimates["ecce"]["b"]
    assert drawn.loc["b", ["low", "high"]].tolist() == [estimate.interval.low, estimate.interval.high]
    found = fot.segments.find_segments(y, p, {"site": site}, against="scores", draws=79)
    (before,) = found.plot(plain()).to_frame(part="before").to_dict("records")[:1]
    inside = site == "b"
    q, labels = p[inside], y[inside]
    residual, error = np.mean(labels - q), np.sqrt(np.sum(q * (1 - q))) / inside.sum()
    noise = max(1.0, np.sqrt(np.sum((labels - q) ** 2) / np.sum(q * (1 - q))))
    assert before["value"] == pytest.approx(residual, rel=1e-9)
    assert before["high"] == pytest.approx(residual + noise * found.critical * error, rel=1e-9)
    assert before["null_high"] == pytest.approx(1.645 * error, rel=1e-9)


def test_refusals():
    with pytest.raises(ValueError, match="before must have segments to draw, got none"):
        SegmentsDisplay(Dots([], ""))
    with pytest.raises(ValueError, match="most must be a whole number, at least 1; got 0"):
        SegmentsDisplay(dots(), most=0)
