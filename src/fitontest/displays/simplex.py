"""The diagram of three classes: a triangle of predictions with arrows to what they should have been."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes
from fitontest.displays.palette import FILL, GAP, get_foreground
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.estimate import Estimate, json_ready
from fitontest.results.frames import Records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (5.0, 4.8)  # inches
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
STEPS = 12  # of the grid of arrows along an edge
MOST_POINTS = 2_000  # rows that are drawn
RULES = (0.25, 0.5, 0.75)  # probabilities at which lines stand
LARGEST = 90.0  # area of the dot of the heaviest cell, in square points


class SimplexDisplay(Display):
    """Triangle of the predicted probabilities of three classes, with arrows to the calibrated ones.

    A corner is certainty of its class, and the pale lines are where a class has the probability 1/4, 1/2 and 3/4. Of a
    family or map arrows lead from points p on a grid to g(p), in the parts of the triangle that hold predictions; of an
    ECE on the simplex they lead from the mean prediction of each cell to its mean label, with dots as large as the
    cells are heavy. Grey dots are the predictions.

    Made by ``plot`` of the error.

    Parameters
    ----------
    error : Estimate
        Of three classes, as `calibration_error` or `gce` returns it with ``reduction="canonical"``.
    data : SimplexSample
        The predictions it was measured on.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, and Figure or SubFigure
        Set by `plot`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 300)
    >>> y = [rng.choice(3, p=p**2 / sum(p**2)) for p in P]
    >>> error = fot.calibration_error(y, P, family="temperature", reduction="canonical", interval=None)
    >>> display = error.plot(Figure())
    >>> display
    SimplexDisplay(canonical calibration error 0.141, family temperature, distance total_variation)
    >>> display.to_frame(part="arrows").columns.tolist()
    ['p_0', 'p_1', 'p_2', 'g_0', 'g_1', 'g_2', 'weight']
    """

    ax_: "Axes"

    def __init__(self, error: Estimate, data: SimplexSample) -> None:
        if not isinstance(getattr(getattr(error, "evidence", None), "map", None), MulticlassMap):
            raise ValueError(f"error must be an Estimate of several classes that has a map, got {error!r}")
        if data.n_classes != 3:
            raise ValueError(f"y_prob must have three columns for a triangle, got {data.n_classes}")
        self.error, self.data = error, data

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return SIZE

    def _summarise(self) -> str:
        measure = self.error.measure
        return f"{measure.title} {measure.printed(self.error.value)}, {measure.in_words()}"

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the ends of the arrows, with the weight behind each, and the predictions."""
        p, g, weight = self._arrows()
        ends = [*(f"p_{k}" for k in range(3)), *(f"g_{k}" for k in range(3))]
        arrows = [
            {**dict(zip(ends, row, strict=True)), "weight": w}
            for row, w in zip(np.hstack([p, g]).tolist(), weight.tolist(), strict=True)
        ]
        rows = self._points()
        points = [
            {"p_0": a, "p_1": b, "p_2": c, "class": json_ready(self.data.classes[code])}
            for (a, b, c), code in zip(self.data.p[rows].tolist(), self.data.codes[rows].tolist(), strict=True)
        ]
        return {"arrows": arrows, "predictions": points}

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Axes, or an empty figure. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.ax_ = get_axes(ax, self.size)
        self.figure_ = self.ax_.figure
        _draw_triangle(self.ax_, [str(label) for label in self.data.classes])
        x, y = _flat(self.data.p[self._points()]).T
        self.ax_.scatter(x, y, s=5, color=get_foreground(self.ax_), alpha=0.15, linewidths=0, zorder=1)
        p, g, weight = self._arrows()
        start, end = _flat(p), _flat(g)
        if hasattr(self.error.evidence, "cells"):
            area = LARGEST * weight / weight.max()
            self.ax_.scatter(start[:, 0], start[:, 1], s=area, color=FILL, alpha=0.5, linewidths=0, zorder=2)
        self.ax_.quiver(
            *start.T, *(end - start).T, angles="xy", scale_units="xy", scale=1, color=GAP, width=0.005, zorder=3
        )
        measure = self.error.measure
        self.ax_.set_title(
            f"{measure.title[0].upper()}{measure.title[1:]} {measure.printed(self.error.value)}\n"
            f"{measure.in_words()}, n = {self.error.n:,}",
            fontsize="medium",
            loc="left",
        )
        return self

    def _points(self) -> Any:
        """Return which predictions are drawn: all, or as many as there is room for, evenly chosen."""
        rows = np.flatnonzero(self.data.w > 0)
        return rows[:: -(-rows.size // MOST_POINTS)]

    def _arrows(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the starts and ends of the arrows on the simplex, and the weight behind each."""
        evidence: Any = self.error.evidence
        if hasattr(evidence, "cells"):
            return evidence.table.mean_p, evidence.table.mean_y, evidence.table.w
        near = np.rint(self.data.p * STEPS)  # the point of the grid that is nearest, if it is on the simplex
        near[:, 2] = STEPS - near[:, 0] - near[:, 1]
        near[near[:, 2] < 0, 1] -= 1
        near[:, 2] = np.maximum(near[:, 2], 0)
        grid, place = np.unique(near, axis=0, return_inverse=True)
        weight = np.bincount(place.reshape(-1), self.data.w, grid.shape[0]).astype(np.float64)
        held = weight > 0
        p = (grid[held] + 1.0 / 3.0) / (STEPS + 1)  # inside: on the edges a map has the limits that clipping sets
        return p, np.asarray(evidence.map.evaluate(p)), weight[held]


def _flat(p: FloatArray) -> FloatArray:
    """Return the points of the plane, shape (m, 2), for points of the simplex."""
    return np.asarray(p @ CORNERS)


def _draw_triangle(ax: "Axes", labels: list[str]) -> None:
    """Draw the triangle, the lines of equal probability with their numbers, and the names of the corners."""
    color = get_foreground(ax)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=color, linewidth=0.9, zorder=2)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for value in RULES:
            ends = np.zeros((2, 3))
            ends[:, k] = value
            ends[0, i] = ends[1, j] = 1 - value
            line = _flat(ends)
            ax.plot(*line.T, color=color, alpha=0.2, linewidth=0.6, zorder=0)
            out = (CORNERS[k] + CORNERS[i]) / 2 - CORNERS.mean(axis=0)  # out of the triangle
            x, y = line[0] + 0.13 * out
            ax.text(x, y, f"{value:g}", fontsize="x-small", ha="center", va="center", color=color, alpha=0.7)
    places = (("right", "top"), ("left", "top"), ("center", "bottom"))
    for corner, label, (ha, va) in zip(CORNERS, labels, places, strict=True):
        x, y = corner + 0.05 * (corner - CORNERS.mean(axis=0))
        ax.text(x, y, label, ha=ha, va=va, color=color)
    ax.set_xlim(-0.1, 1.1)
    ax.set_ylim(-0.1, np.sqrt(0.75) + 0.09)
