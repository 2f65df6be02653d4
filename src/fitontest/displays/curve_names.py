"""Names beside curves: each where neither a curve nor another name is in its way."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.results.text import visible
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER, LINE = 6.9, 13.0  # points of a letter, and of the height of a name
OFFSET = 4.0  # points between curve and name
PLACES = 60  # along each curve, at which its name may stand
INSIDE = 0.98  # of the axes, that names stay within
OUTWARD = 0.02  # how much a place is worse for being at an end of the curve
TAKEN = 1000.0  # how much worse for another name than for a point of a curve
NEAR = 0.1  # of the axes, from which on another curve is not mistaken for the own one


def name_curves(
    main: "Axes", names: Sequence[str], courses: Sequence[FloatArray], colors: Sequence[Any],
    others: Sequence[FloatArray] = (),
) -> dict[str, Any]:  # fmt: skip
    """Write the name of each curve beside it, and return the texts by name; a curve that is not seen has none.

    Parameters
    ----------
    main : matplotlib Axes
    names : sequence of str
    courses : sequence of arrays of shape (M, 2)
        Points of each curve, as fractions of the axes.
    colors : sequence of matplotlib colours
    others : sequence of arrays of shape (M, 2), optional
        Points of lines that names should not cover either.
    """
    figure: Any = main.get_figure(root=True)
    box: Any = main.get_window_extent()
    across, up = (72.0 * side / figure.dpi for side in (box.width, box.height))
    points = np.concatenate([*courses, *others, np.empty((0, 2))])
    taken: list[tuple[float, float, float, float]] = []
    written: dict[str, Any] = {}
    for name, course, color in zip(names, courses, colors, strict=True):
        if not len(course):
            continue
        width, height = LETTER * len(visible(name)) / across, LINE / up
        rest = [one for one in courses if one is not course and len(one)]
        best = min(
            (
                (
                    _cost(corner, width, height, points, taken) + _ambiguity(place, rest) + OUTWARD * abs(t - 0.5),
                    place,
                    side,
                )
                for t, place in _sampled(course)
                for side, corner in _corners(place, width, height, OFFSET / across, OFFSET / up)
            ),
            key=lambda one: one[0],
        )
        _, (x, y), (right, above) = best
        corner = dict(_corners((x, y), width, height, OFFSET / across, OFFSET / up))[(right, above)]
        taken.append((*corner, corner[0] + width, corner[1] + height))
        written[name] = main.annotate(
            visible(name), (x, y), xycoords="axes fraction", xytext=(OFFSET * right, OFFSET * above),
            textcoords="offset points", ha="left" if right > 0 else "right", va="bottom" if above > 0 else "top",
            color=color, fontweight="bold", parse_math=False, zorder=6,
        )  # fmt: skip
    return written


def _sampled(course: FloatArray) -> list[tuple[float, tuple[float, float]]]:
    """Return places along a curve, each with how far along it lies."""
    kept = np.unique(np.linspace(0, len(course) - 1, PLACES).astype(int)).tolist()
    return [(k / max(len(course) - 1, 1), (float(course[k, 0]), float(course[k, 1]))) for k in kept]


def _corners(
    place: tuple[float, float], width: float, height: float, dx: float, dy: float
) -> list[tuple[tuple[int, int], tuple[float, float]]]:
    """Return the lower left corners of a name on each of four sides of a place."""
    x, y = place
    return [
        ((right, above), (x + dx if right > 0 else x - dx - width, y + dy if above > 0 else y - dy - height))
        for right in (1, -1)
        for above in (1, -1)
    ]


def _cost(
    corner: tuple[float, float], width: float, height: float, points: FloatArray, taken: Sequence[tuple[float, ...]]
) -> float:
    """Return how many points a name would cover; other names, and what is beyond the axes, count as many."""
    left, low = corner
    right, high = left + width, low + height
    outside = left < 1.0 - INSIDE or right > INSIDE or low < 1.0 - INSIDE or high > INSIDE
    overlaps = sum(left < one[2] and right > one[0] and low < one[3] and high > one[1] for one in taken)
    x, y = points.T
    covered = np.sum((x > left) & (x < right) & (y > low) & (y < high))
    return float(covered) + TAKEN * (outside + overlaps)


def _ambiguity(place: tuple[float, float], rest: Sequence[FloatArray]) -> float:
    """Return how near the nearest other curve is, from 0 where it is far to 1."""
    nearest = min((float(np.hypot(*(course - place).T).min()) for course in rest), default=NEAR)
    return 1.0 - min(nearest, NEAR) / NEAR
