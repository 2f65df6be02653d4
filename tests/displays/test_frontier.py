"""The picture of loss against readability: its marks are the numbers, and no name lies on another."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from fitontest.displays.frontier import FrontierDisplay
from tests.displays.figures import blank, pixels

pytestmark = pytest.mark.multiplies


def rows_of(losses, counts, frontier=()):
    named = zip(losses, counts, strict=True)
    return [
        {
            "family": f"family number {k}",
            "loss": float(loss),
            "probabilistic_count": float(count),
            "frontier": k in frontier,
            "chosen": k == 1,
        }
        for k, (loss, count) in enumerate(named)
    ]


CASES = {
    "spread": (np.linspace(0.3, 0.5, 6), [3000, 40, 12, 9, 3, 1]),
    "all alike": (np.full(14, 0.4), np.full(14, 1000)),
    "in a corner": ([0.5, *np.full(11, 0.3)], [2, *np.linspace(2990, 3000, 11)]),
    "one": ([0.3, 0.3], [1, 1]),
}


@pytest.mark.parametrize("case", CASES)
def test_names_do_not_overlap(case):
    display = FrontierDisplay(rows_of(*CASES[case]), loss="log loss")
    figure = blank(display.size)
    display.plot(figure)
    figure.draw_without_rendering()
    boxes = [name.get_window_extent() for name in display.names_]
    texts = [super(type(name), name).get_window_extent() for name in display.names_]  # without the lines
    assert not any(one.overlaps(other) for one, other in combinations(texts, 2))
    for box in [*boxes, display.ax_.xaxis.label.get_window_extent(), display.ax_.yaxis.label.get_window_extent()]:
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1
    heights = [text.y0 for text in texts]
    losses = CASES[case][0]
    for one, other in combinations(range(len(losses)), 2):
        if losses[one] != losses[other]:
            assert (heights[one] < heights[other]) == (losses[one] < losses[other])
    assert pixels(figure)[..., :3].std() > 0.02


def test_the_marks_are_the_numbers():
    rows = rows_of([0.30, 0.31, 0.32, 0.35], [900, 12, 100, 3], frontier=(0, 1, 3))
    display = FrontierDisplay(rows, loss="log loss").plot(blank((7, 4)))
    line, *marks = display.ax_.lines
    assert line.get_xydata().tolist() == [[3, 0.35], [12, 0.31], [900, 0.30]]  # the frontier, without what is dominated
    assert [mark.get_xydata()[0].tolist() for mark in marks] == [
        [row["probabilistic_count"], row["loss"]] for row in rows
    ]
    filled = [mark.get_markerfacecolor() == mark.get_color() for mark in marks]
    assert filled == [name.get_fontweight() == "bold" for name in display.names_] == [True, True, False, True]
    assert [mark.get_marker() for mark in marks] == ["o", "*", "o", "o"]
    assert display.to_frame()["loss"].tolist() == [0.30, 0.31, 0.32, 0.35]
    assert display.ax_.get_ylabel() == "Log loss"


def test_refusals_and_files(tmp_path):
    with pytest.raises(ValueError, match="rows must hold at least one calibrator, got none"):
        FrontierDisplay([], loss="log loss")
    display = FrontierDisplay(rows_of([0.3, 0.4], [4, 2]), loss="log loss")
    assert display.save(tmp_path / "a.svg").stat().st_size < 60_000
    assert "family number 0" in repr(display)


def test_the_chosen_one_is_named_so_where_its_mark_may_be_hidden():
    display = FrontierDisplay(rows_of(*CASES["in a corner"]), loss="log loss").plot(blank((7, 4)))
    assert [name.get_text() for name in display.names_][:3] == [
        "family number 0", "family number 1 (chosen)", "family number 2"
    ]  # fmt: skip
    assert "bold, filled" in display.ax_.get_xlabel()


def counts_written(counts):
    """Return the drawn tick labels of the axis of counts, from left to right."""
    display = FrontierDisplay(rows_of(np.linspace(0.3, 0.4, len(counts)), counts), loss="log loss")
    figure = blank(display.size)
    display.plot(figure)
    figure.draw_without_rendering()
    low, high = display.ax_.get_xlim()
    return [label for label in display.ax_.get_xticklabels() if low <= label.get_position()[0] <= high]


def test_large_counts_are_plain_numbers_that_do_not_overlap():
    labels = counts_written([3, 200, 3e6])
    assert [label.get_text() for label in labels] == ["1", "10", "100", "1k", "10k", "100k", "1M"]
    boxes = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("least", [1, 3, 12, 70, 5e5])
def test_over_one_decade_there_are_more_than_two_labels(least):
    labels = counts_written([least, 10 * least])
    assert len(labels) > 2
    assert not any("e" in label.get_text() for label in labels)
    boxes = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
