"""The picture of a comparison: its numbers, its marks, and that nothing lies on top of anything else."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.comparison import ComparisonDisplay
from tests.displays.figures import blank, pixels
from tests.strategies import noisy

FAMILIES = ["platt", "beta", "isotonic", fot.Flat(3)]


@cache
def compared(*, tested=False, evaluators=("slope1", "isotonic")):
    """Return a comparison, which is made once for all tests."""
    y, p = noisy(400, ties=3)
    test = noisy(300, seed=3) if tested else None
    return fot.compare_calibrators(y, p, families=FAMILIES, rule="one_se", cv=5, evaluators=evaluators, test=test)


def marks_of(ax):
    """Return the marks, without the caps of the error bars and the entries of the legend."""
    return [line for line in ax.lines if len(line.get_xdata()) == 1 and line.get_marker() in ("o", "s")]


@pytest.mark.parametrize("tested", [False, True])
def test_the_marks_are_the_numbers(tested):
    comparison = compared(tested=tested)
    display = comparison.plot(blank((9, 4)))
    left, right = display.axes_
    assert [label.get_text() for label in left.get_yticklabels()] == [one.name for one in comparison]
    bold = [label.get_text() for label in left.get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == [comparison.chosen]
    drawn = sorted(float(mark.get_xdata()[0]) for mark in marks_of(left))
    gaps = [one.held_out.to_best.mean for one in comparison]
    gaps += [one.test.to_best.mean for one in comparison] if tested else []
    beyond = len(left.texts)
    assert drawn == pytest.approx(sorted(gaps)[: len(gaps) - beyond])
    assert all(float(text.get_text().split()[0]) == pytest.approx(sorted(gaps)[-1], rel=0.1) for text in left.texts[:1])
    errors = display.to_frame(part="errors")
    for line, name in zip(right.lines, ("slope1", "isotonic"), strict=True):
        values = errors.loc[errors["evaluator"] == name, "error"].to_numpy()
        assert set(np.round(line.get_xdata(), 12)) <= set(np.round(values, 12))
    assert [line.get_label() for line in right.lines] == ["slope1", "isotonic"]


@pytest.mark.exhaustive
def test_the_chosen_one_is_filled():
    comparison = compared()
    left = comparison.plot(blank((9, 4))).axes_[0]
    marks = [mark for mark in marks_of(left) if mark.get_markerfacecolor() == mark.get_color()]
    filled = [float(mark.get_xdata()[0]) for mark in marks]
    assert filled == [pytest.approx(comparison[comparison.chosen].held_out.to_best.mean)]


@pytest.mark.exhaustive
def test_what_is_far_away_is_an_arrow():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = rng.random(3000) < p
    sharp = 1 / (1 + np.exp(-20 * np.log(p / (1 - p))))
    comparison = fot.compare_calibrators(y, sharp, families=FAMILIES, rule="one_se", cv=5, evaluators=["slope1"])
    left, right = comparison.plot(blank((9, 4))).axes_
    for ax, value in (
        (left, comparison["identity"].held_out.to_best.mean),
        (right, comparison["identity"].errors["slope1"]),
    ):
        texts = [text for text in ax.texts if text.get_text().endswith("\N{RIGHTWARDS ARROW}")]
        assert [float(text.get_text().split()[0]) for text in texts] == [pytest.approx(value, rel=0.05)]
        assert [text.xy[1] for text in texts] == [len(comparison) - 1]
        assert value > ax.get_xlim()[1]


def test_error_bars_beyond_the_axis_end_in_an_arrowhead():
    rows = [
        {"family": f"{k}", "score": 0.3 + gap, "to_best": gap, "to_best_se": se, "chosen": k == 0}
        for k, (gap, se) in enumerate([(0, 0), (0.010, 0.004), (0.012, 0.2), (0.013, 0.005), (0.02, 0.003)])
    ]
    (ax,) = ComparisonDisplay(rows, loss="log loss").plot(blank((6, 4))).axes_
    lower, upper = ax.get_xlim()
    assert (lower, upper) == pytest.approx((-1.06 * 0.023, 1.18 * 0.023))  # one bar does not squeeze all others
    heads = {line.get_marker(): line.get_xydata().tolist() for line in ax.lines if line.get_marker() in ("<", ">")}
    assert heads == {"<": [[lower, 2]], ">": [[upper, 2]]}


def test_nothing_overlaps():
    display = compared(tested=True).plot(blank((9, 4)))
    display.figure_.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in display.axes_]
    assert boxes[0].x1 < boxes[1].x0
    for which in (lambda ax: ax.xaxis.label, lambda ax: ax.get_legend()):
        left, right = (which(ax).get_window_extent() for ax in display.axes_)
        assert left.x1 < right.x0
    for ax in display.axes_:
        words = [ax.xaxis.label.get_window_extent(), ax.get_legend().get_window_extent()]
        assert all(display.figure_.bbox.x0 <= box.x0 and box.x1 <= display.figure_.bbox.x1 for box in words)
        labels = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
        inside = [box for box in labels if ax.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1 + 1]
        assert all(one.x1 < other.x0 for one, other in pairwise(inside))
    assert pixels(display.figure_)[..., :3].std() > 0.05


def test_without_evaluators_there_is_one_panel():
    display = compared(evaluators=()).plot(blank((6, 4)))
    assert len(display.axes_) == 1
    assert list(display.parts()) == ["held_out"]


def test_the_table_and_the_file(tmp_path):
    comparison = compared(tested=True)
    display = comparison.diagram()
    assert list(display.parts()) == ["held_out", "test", "errors"]
    frame = display.to_frame(part="held_out")
    assert frame["score"].tolist() == [one.held_out.score for one in comparison]
    first = display.save(tmp_path / "a.svg").read_bytes()
    assert first == comparison.diagram().save(tmp_path / "b.svg").read_bytes()
    assert len(first) < 100_000
    assert "platt" in repr(display)


def test_refusals():
    with pytest.raises(ValueError, match="rows must hold at least one calibrator"):
        ComparisonDisplay([], loss="log loss")
    figure = blank()
    figure.add_subplot()
    with pytest.raises(ValueError, match="figure must be a figure without axes"):
        compared(evaluators=()).plot(figure)
