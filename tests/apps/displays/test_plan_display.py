"""The picture of a planned evaluation: its numbers, its panels, and that nothing is hidden."""

from functools import cache

import pytest

import fitontest as fot
from tests.displays.figures import blank, pixels

FAMILIES = ["isotonic", "platt"]


@cache
def plan():
    return fot.apps.plan_evaluation(
        n=[100, 200, 400], errors=[0, 0.1, 0.15], families=FAMILIES, draws=20, width=0.2, power=0.5
    )


@pytest.mark.exhaustive
def test_the_lines_are_the_least_favourable_numbers():
    display = plan().plot(blank((6.6, 8.0)))
    assert len(display.axes_) == 3
    rows = plan().rows()
    widths = [max(row["width"] for row in rows if (row["family"], row["n"]) == ("platt", n)) for n in (100, 200, 400)]
    line = display.artists_["platt"]["line"]
    assert list(line.get_xdata()[:3]) == [100, 200, 400]
    assert list(line.get_ydata()[:3]) == pytest.approx([width / 2 for width in widths])
    line = display.axes_[1].lines[FAMILIES.index("platt")]
    powers = [row["power"] for row in rows if (row["family"], row["n"], row["error"]) == ("platt", 100, 0.1)]
    assert line.get_ydata()[0] == min(powers)
    frame = display.to_frame(part="power")
    assert frame.query("family == 'platt' and error == 0.1")["power"].tolist() == list(line.get_ydata())


def test_the_answer_is_the_title_and_is_marked():
    display = plan().plot(blank((6.6, 8.0)))
    best = min((row for row in display.rows("needed") if row["requirement"] == "width"), key=lambda row: row["n"])
    assert display.title.lower().startswith(f"{best['n']:,} rows")
    assert "an error of 0.15" in display.second
    rings = [line for line in display.ax_.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    about = [row["n"] for row in display.rows("needed") if (row["requirement"], row["relation"]) == ("width", "about")]
    assert [line.get_xdata()[0] for line in rings] == about
    assert all(line.get_ydata()[0] == 0.1 for line in rings)
    names = {text.get_text() for text in display.ax_.texts}
    assert {*FAMILIES, "wanted"} <= names


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [(9.0, 8.0), (4.0, 9.0)])
def test_panels_fit_the_figure(size):
    display = plan().plot(blank(size))
    figure = display.figure_
    figure.draw_without_rendering()
    boxes = [ax.get_window_extent() for ax in display.axes_]
    assert len({round(box.x0) for box in boxes}) == 1
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    whole = [ax.get_tightbbox() for ax in display.axes_]
    assert all(box.x0 >= figure.bbox.x0 - 1 and box.y0 >= figure.bbox.y0 - 1 for box in whole)
    assert pixels(figure)[..., :3].std() > 0.05


@pytest.mark.exhaustive
def test_the_file_is_the_same_every_time(tmp_path):
    first = plan().diagram().save(tmp_path / "a.svg").read_bytes()
    assert first == plan().diagram().save(tmp_path / "b.svg").read_bytes()
    assert "isotonic" in repr(plan().diagram())


def test_a_plan_without_a_wish_and_one_with_nothing_to_draw():
    quick = fot.apps.plan_evaluation(n=[60, 120], errors=[0], families=["platt", "identity"], draws=20)
    display = quick.plot(blank())
    assert (len(display.axes_), display.rows("needed")) == (1, [])
    assert {*display.artists_} == {"platt"}
    with pytest.raises(ValueError, match="rows must hold a width or a power"):
        fot.apps.plan_evaluation(n=[50], errors=[0], families=["identity"], draws=20).diagram()
