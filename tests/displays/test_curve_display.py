"""The display of lines: what it leaves room for where no layout does."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.scaling import Scaling
from tests.displays.figures import blank, plain
from tests.strategies import noisy


def test_titles_do_not_cover_the_axes_above():
    y, p = noisy(200, power=2)
    figure = plain((6, 9))
    above, below = figure.subplots(2, 1)
    fot.measure(y, p, "ecce").plot(above)
    display = fot.displays.validity_curves(y, {"a model": p, "another": p**2}, null_draws=2).plot(below)
    figure.draw_without_rendering()
    assert display.ax_._left_title.get_window_extent().y1 < above.xaxis.label.get_window_extent().y0


def ends_of_names(y, figure):
    lines = [
        Line(f"line {k}", np.array([0.0, 1.0]), np.array([0.0, end]), named_beside=True) for k, end in enumerate(y)
    ]
    axes = Scaling("", (0.0, 1.0))
    display = CurveDisplay([Panel(lines, axes)], axes, {}, title="Lines", kind="Lines").plot(figure)
    display.figure_.draw_without_rendering()
    boxes = {text.get_text(): text.get_window_extent() for text in display.ax_.texts if "line" in text.get_text()}
    return [boxes[f"line {k}"] for k in range(len(y))], display


@pytest.mark.parametrize("heights", [(0.5, 0.5, 0.5), (0.99, 0.98, 0.1), (0.02, 0.01, 0.03)])
@pytest.mark.parametrize("figure", [blank, plain])
def test_names_beside_the_axes_are_apart_and_in_the_order_of_the_lines(heights, figure):
    boxes, display = ends_of_names(heights, figure((5, 4)))
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert sorted(range(3), key=lambda k: boxes[k].y0) == sorted(range(3), key=lambda k: heights[k])
    assert all(box.x1 <= display.figure_.bbox.x1 + 1 for box in boxes)
