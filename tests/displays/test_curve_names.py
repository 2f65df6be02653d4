"""Names beside curves: each beside its own, on no other curve and on no other name."""

import numpy as np
import pytest

from fitontest.displays.curve_names import name_curves
from tests.displays.figures import plain

T = np.linspace(0.0, 1.0, 201)


def course(y):
    return np.column_stack((T, y))


def placed(courses, others=()):
    """Return the names drawn, and their boxes as fractions of the axes."""
    figure = plain((6, 4))
    ax = figure.add_subplot()
    texts = name_curves(ax, [f"model {k}" for k in range(len(courses))], courses, ["k"] * len(courses), others)
    figure.draw_without_rendering()
    return texts, [text.get_window_extent().transformed(ax.transAxes.inverted()) for text in texts.values()]


@pytest.mark.parametrize("falling", [False, True])
def test_names_are_on_no_curve_and_on_no_other_name(falling):
    rise = 1.0 - T if falling else T
    courses = [course(0.1 + 0.8 * rise**power) for power in (0.5, 1.0, 2.0)]
    line = course(np.full(T.size, 0.5))
    texts, boxes = placed(courses, [line])
    assert list(texts) == ["model 0", "model 1", "model 2"]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert not any(box.contains(*point) for box in boxes for each in (*courses, line) for point in each)
    assert all(box.x0 >= 0.0 and box.x1 <= 1.0 and box.y0 >= 0.0 and box.y1 <= 1.0 for box in boxes)


def test_each_name_is_nearest_to_its_own_curve():
    courses = [course(0.2 + 0.6 * T), course(0.3 + 0.6 * T - 0.5 * T**4)]
    _, boxes = placed(courses)
    for k, box in enumerate(boxes):
        centre = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
        apart = [np.hypot(*(each - centre).T).min() for each in courses]
        assert int(np.argmin(apart)) == k


def test_a_curve_that_is_not_seen_has_no_name():
    texts, _ = placed([course(0.5 * T), np.empty((0, 2))])
    assert list(texts) == ["model 0"]
