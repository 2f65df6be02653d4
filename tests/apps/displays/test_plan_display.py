"""The picture of a planned evaluation: its numbers, its panels at any width, and that nothing is hidden."""

from functools import cache

import pytest

import fitontest as fot
from fitontest.apps.displays.plan import PlanDisplay
from tests.displays.figures import blank, pixels

FAMILIES = ["isotonic", "platt"]


@cache
def plan():
    return fot.apps.plan_evaluation(
        n=[100, 200, 400], errors=[0, 0.1, 0.15], families=FAMILIES, draws=20, width=0.2, power=0.5
    )


@pytest.mark.exhaustive
def test_the_lines_are_the_least_favourable_numbers():
    display = plan().plot(blank((9.0, 3.6)))
    assert len(display.axes_) == 3
    rows = plan().rows()
    widths = [max(row["width"] for row in rows if (row["family"], row["n"]) == ("platt", n)) for n in (100, 200, 400)]
    (line,) = [line for line in display.axes_[0].lines if line.get_label() == "platt"]
    assert list(line.get_xdata()[:3]) == [100, 200, 400]
    assert list(line.get_ydata()[:3]) == pytest.approx([width / 2 for width in widths])
    (line,) = [line for line in display.axes_[1].lines if line.get_label() == "platt"]
    powers = [row["power"] for row in rows if (row["family"], row["n"], row["error"]) == ("platt", 100, 0.1)]
    assert line.get_ydata()[0] == min(powers)
    frame = display.to_frame(part="power")
    assert frame.query("family == 'platt' and error == 0.1")["power"].tolist() == list(line.get_ydata())


def test_the_answer_is_marked_and_named():
    display = plan().plot(blank((9.0, 3.6)))
    (text,) = display.axes_[0].texts
    best = min((row for row in display.rows("needed") if row["requirement"] == "width"), key=lambda row: row["n"])
    assert f"{best['n']:,} rows\nby {best['family']}" in text.get_text()
    rings = [line for line in display.axes_[0].lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    assert all(line.get_ydata()[0] == 0.1 for line in rings)
    assert best["relation"] != "about" or best["n"] in [line.get_xdata()[0] for line in rings]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("size", "columns"), [((12.0, 4.0), 3), ((4.0, 10.0), 1)])
def test_panels_fit_the_figure(size, columns):
    display = plan().plot(blank(size))
    figure = display.figure_
    figure.draw_without_rendering()
    lefts = {round(ax.get_position().x0, 2) for ax in display.axes_}
    assert len(lefts) == columns
    boxes = [ax.get_tightbbox() for ax in display.axes_]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert not any(box.overlaps(display.legend_.get_window_extent()) for box in boxes)
    assert pixels(figure)[..., :3].std() > 0.05


@pytest.mark.exhaustive
def test_the_file_is_the_same_every_time(tmp_path):
    first = plan().diagram().save(tmp_path / "a.svg").read_bytes()
    assert first == plan().diagram().save(tmp_path / "b.svg").read_bytes()
    assert "isotonic" in repr(plan().diagram())


def test_a_plan_without_a_wish_and_one_with_nothing_to_draw():
    quick = fot.apps.plan_evaluation(n=[60, 120], errors=[0], families=["platt"], draws=20)
    display = quick.plot(blank())
    assert (len(display.axes_), display.rows("needed"), list(display.axes_[0].texts)) == (1, [], [])
    with pytest.raises(ValueError, match="rows must hold a width or a power"):
        PlanDisplay(fot.apps.plan_evaluation(n=[50], errors=[0], families=["identity"], draws=20).rows(), needed=[])
