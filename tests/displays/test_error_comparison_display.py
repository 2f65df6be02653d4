"""The picture of two models' calibration errors: its numbers, and that nothing lies on top of anything else."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.error_comparison import SIZE, ErrorComparisonDisplay
from tests.displays.figures import blank, pixels


@cache
def compared(power=1.6, **options):
    """Return a comparison, which is made once for all tests."""
    rng = np.random.default_rng(0)
    c = rng.random(400)
    return fot.compare_errors(rng.random(400) < c, c**power, c, family=fot.Slope1(5), **options)


def test_the_marks_are_the_numbers():
    comparison = compared(names=("forest", "trees"), level=0.9)
    display = comparison.plot(blank(SIZE))
    upper, lower = display.axes_
    assert [label.get_text() for label in upper.get_yticklabels()] == ["forest", "trees"]
    drawn = {}
    for ax, part in ((upper, "gains"), (lower, "difference")):
        marks = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
        bars = [segment[:, 0] for lines in ax.collections for segment in lines.get_segments()]
        drawn[part] = [(x, *bar) for (x, _), bar in zip(marks, bars, strict=True)]
        assert [y for _, y in marks] == list(range(len(marks)))
        low, high = ax.get_xlim()
        assert low < min(0, *(each[1] for each in drawn[part]))
        assert high > max(0, *(each[2] for each in drawn[part]))
        assert any(line.get_xdata() == [0.0, 0.0] for line in ax.lines)  # the line at 0
    expected = [(gain.mean, gain.interval.low, gain.interval.high) for gain in comparison.gains.values()]
    assert drawn["gains"] == [pytest.approx(each, rel=1e-12) for each in expected]
    interval = comparison.interval
    assert drawn["difference"] == [pytest.approx((comparison.difference, interval.low, interval.high), rel=1e-12)]
    assert "90 % intervals" in upper.get_xlabel()
    assert lower.get_title(loc="right") == f"p-value {comparison.p_value:#.2g}"
    frame = display.to_frame(part="difference")
    assert (frame["gain"].item(), frame["p_value"].item()) == (comparison.difference, comparison.p_value)


LONG = ("a random forest of 500 trees", "a logistic regression")


@pytest.mark.parametrize("comparison", [{"names": LONG}, {"power": 1.0003, "loss": "log_loss"}, {"power": 1}], ids=str)
def test_nothing_overlaps(comparison):
    display = compared(**comparison).plot(blank(SIZE))
    figure = display.figure_
    figure.draw_without_rendering()
    upper, lower = (ax.get_tightbbox() for ax in display.axes_)
    assert lower.y1 < upper.y0
    for ax in display.axes_:
        offset, label = (part.get_window_extent() for part in (ax.xaxis.get_offset_text(), ax.xaxis.label))
        assert not ax.xaxis.get_offset_text().get_text() or label.x1 < offset.x0
        assert figure.bbox.x0 <= label.x0
        assert label.x1 <= figure.bbox.x1
        ticks = [text.get_window_extent() for text in ax.get_xticklabels() if text.get_text()]
        inside = [box for box in ticks if ax.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1 + 1]
        assert len(inside) > 1
        assert all(one.x1 < other.x0 for one, other in pairwise(inside))
    assert pixels(figure)[..., :3].std() > 0.05


def test_the_file_is_the_same_every_time(tmp_path):
    first = compared().diagram().save(tmp_path / "a.svg").read_bytes()
    assert first == compared().diagram().save(tmp_path / "b.svg").read_bytes()
    assert len(first) < 60_000
    assert "p1" in repr(compared().diagram())


def test_refusals():
    with pytest.raises(ValueError, match="rows must be those of two models and of their difference, got 1"):
        ErrorComparisonDisplay(compared().rows()[:1], loss="Brier score", compared="error", level=0.95)
    figure = blank()
    figure.add_subplot()
    with pytest.raises(ValueError, match="figure must be a figure without axes"):
        compared().plot(figure)
