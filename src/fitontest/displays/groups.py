"""The curves of groups, shrunk towards the map that they share: all in one panel, some in panels of their own."""

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.data.known_groups import rho_in_words
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display, check_measured
from fitontest.displays.canvas import SomeFigure, get_figure, style_axes
from fitontest.displays.class_choice import ClassChoice, choose_largest, read_class_choice
from fitontest.displays.headline import name_axes
from fitontest.displays.palette import FILL, GAP, get_background, get_foreground, get_line_color, is_dark
from fitontest.displays.reliability_artists import draw_diagonal
from fitontest.displays.scales import ScaleName, choose_scale, extend_to_values, name_scale
from fitontest.measures.estimate import Estimate
from fitontest.results.frames import Records, records
from fitontest.results.text import count, visible
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.group_maps import group_maps
from fitontest.uncertainty.new_group import rho_at, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 20  # by default
MOST_CURVES = 300  # of the panel of all groups; more are one dark cloud
POINTS = 101
LEVEL = 0.9
TICKS = (0.0, 0.5, 1.0)
COLUMNS = 6
PANEL = 1.85  # inches, the side of a small panel, of which no box is locked: layouts would then need several drawings
TITLE_HEIGHT = 0.25
LEGEND_LINE = 0.19
LETTERS = 24  # of the name of a group in its title
ROWS_PER_POINT, MOST_POINTS = 8, 5  # points of a group: shares of positives in parts of equal size
LEAST_MARK, MOST_MARK = 9.0, 40.0  # square points


@dataclass(frozen=True, eq=False)
class Curve:
    """What the panel of a group shows.

    Attributes
    ----------
    name : str
        Of the group.
    number : int
        As in `RowGroups`.
    n : int
        Rows.
    shrunk : float
        By how much its curve is shrunk towards the shared map.
    y, lower, upper : arrays of shape (M,)
        The curve at the scores of the display, and between which values its labels leave it.
    ends : (float, float)
        Its lowest and highest score.
    points : Records
        Of parts of its rows the mean score, the share of positives and the rows.
    """

    name: str
    number: int
    n: int
    shrunk: float
    y: FloatArray
    lower: FloatArray
    upper: FloatArray
    ends: tuple[float, float]
    points: Records


class GroupsDisplay(Display):
    """Calibration curves of groups, such as hospitals, each shrunk towards the map that they share.

    The first panel has the curves of all groups about the shared map, and where 90 % of the curves of groups lie by how
    alike labels of a group are (rho). The others have a group each: its curve, between which values its labels leave it
    (90 %, with the shared map and rho held fixed), and the shares of positives in parts of its rows. Curves are dotted
    beyond the scores of the group. Panels go from scores that are too low, compared with the other groups, to scores
    that are too high.

    A curve is the shared map, moved by as much as the labels of the group say (empirical Bayes, see
    `fitontest.uncertainty.group_maps`). By how much it is shrunk stands above the panel: by 100 % means that the curve
    is the shared map, of a group whose labels tell nothing.

    Made by ``Evaluation.plot_groups``.

    Parameters
    ----------
    error : Estimate
        With the map that groups share.
    sample : ScoreSample
        The rows it was measured on, with groups.
    groups : int or array-like of ids, default=20
        How many groups have a panel, or which. Of more groups than the number those whose curves lie farthest from the
        shared map, on average over all rows.
    largest : bool, default=False
        Whether these are the groups with the most rows instead.
    scale : {"auto", "probability", "logit"}, default="auto"
        Of both axes, see `ReliabilityDisplay`.

    Attributes
    ----------
    maps : GroupMaps
        The curves of all groups.
    curves : list of Curve
        Of the groups that have a panel, in the order drawn.
    title : str
        Which groups have a panel.
    axes_ : dict of str to matplotlib Axes
        After `plot`: the panel "all groups", and those of groups by their names.
    figure_, legend_
        After `plot`.
    """

    def __init__(
        self,
        error: Estimate,
        sample: ScoreSample,
        *,
        groups: ClassChoice = MOST_PANELS,
        largest: bool = False,
        scale: ScaleName = "auto",
    ) -> None:
        check_measured(error, sample)
        if error.map is None:
            raise ValueError(f"error must be one that calibration_error returns, with a map to draw; got {error!r}")
        self.error, self.maps = error, group_maps(error.map, sample)
        self.scale = choose_scale(name_scale(scale, [sample]), sample)
        self.x = np.clip(self.scale.grid(POINTS), *sample.distinct.p[[0, -1]])
        shared = error.map.split_atoms()[0].evaluate(self.x)
        self.shared = np.clip(shared, 0.0, 1.0)
        self.band = spread(shared, rho_at(self.x, sample, self.maps.dependence), LEVEL)
        self.title, chosen = self._choose(groups, largest=largest)
        self.curves = self._curves_of(chosen)
        self.all = self._select_all()
        self.y_scale = extend_to_values(self.scale, np.concatenate([self.shared, *(each.y for each in self.curves)]))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        rows, columns = self._grid_shape()
        legend = LEGEND_LINE * (3 if columns > 3 else 6)
        return PANEL * columns + 0.4, (PANEL + TITLE_HEIGHT) * rows + legend + 0.8

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``groups`` has a record for every group: its rows, by how much its curve is shrunk, and the mean difference of
        the curve from the shared map, signed and absolute. ``shared`` holds the shared map and the band of 90 % of the
        groups. ``curves`` holds the curves of the panels, ``points`` their points.
        """
        maps = self.maps
        signed, absolute = maps.offsets
        named = [str(name) for name in maps.groups.ids.tolist()]
        return {
            "groups": records(group=named, n=maps.groups.rows, shrunk=maps.shrunk, offset=signed, distance=absolute),
            "shared": records(x=self.x, y=self.shared, lower=self.band[0], upper=self.band[1]),
            "curves": [
                {"group": each.name, **record}
                for each in self.curves
                for record in records(x=self.x, y=each.y, lower=each.lower, upper=each.upper)
            ],
            "points": [{"group": each.name, **point} for each in self.curves for point in each.points],
        }

    def plot(self, figure: SomeFigure = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty figure to draw in. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.figure_ = get_figure(figure, self.size)
        rows, columns = self._grid_shape()
        grid = self.figure_.add_gridspec(rows, columns)
        first = self.figure_.add_subplot(grid[:2, :2])
        self._frame(first)
        self._draw_all(first)
        self.axes_: dict[str, Axes] = {"all groups": first}
        places = [(row, column) for row in range(rows) for column in range(columns) if row >= 2 or column >= 2]
        for each, (row, column) in zip(self.curves, places, strict=False):
            ax = self.figure_.add_subplot(grid[row, column])
            self._frame(ax)
            self._draw_group(ax, each)
            if column not in (0, 2) or (column == 2 and row >= 2):
                ax.tick_params(labelleft=False)
            if (row + 1, column) in places[: len(self.curves)]:
                ax.tick_params(labelbottom=False)
            self.axes_[each.name] = ax
        self.figure_.suptitle(textwrap.fill(self.title, 11 * columns), fontsize="large", parse_math=False)
        self.legend_ = self._draw_legend()
        return self

    def _summarise(self) -> str:
        return f"{len(self.maps.groups)} groups, {len(self.curves)} with a panel"

    def _choose(self, groups: ClassChoice, *, largest: bool) -> tuple[str, IntArray]:
        """Return the title, and the numbers of the groups that have a panel, from the highest curve to the lowest."""
        maps = self.maps
        ids = maps.groups.ids.tolist()
        signed, absolute = maps.offsets
        choice = read_class_choice(groups, ids, "groups")
        total = f"{len(ids):,} groups"
        if isinstance(choice, list):
            said = f"{len(choice)} of {total}"
        elif choice >= len(ids):
            choice, said = [*range(len(ids))], total
        else:
            values: list[float] = (maps.groups.weights if largest else absolute).tolist()
            rule = "with the most rows" if largest else "whose curves lie farthest from the shared map"
            choice, said = choose_largest(values, choice), f"the {choice} of {total} {rule}"
        chosen = np.array(choice, dtype=np.intp)
        return said, chosen[np.argsort(-signed[chosen], kind="stable")]

    def _curves_of(self, chosen: IntArray) -> list[Curve]:
        maps, rows = self.maps, self.maps.sample.rows
        groups, x = maps.groups, self.x
        y, (lower, upper) = maps.curves(chosen, x), maps.bounds(chosen, x, LEVEL)
        curves = []
        for place, number in enumerate(chosen.tolist()):
            own = np.flatnonzero(groups.code == number)
            p, label, w = rows.p[own], rows.y[own], rows.w[own]
            curves.append(
                Curve(
                    str(groups.ids[number]), number, int(groups.rows[number]), float(maps.shrunk[number]),
                    y[place], lower[place], upper[place], (float(p[0]), float(p[-1])), _points(p, label, w),
                )
            )  # fmt: skip
        return curves

    def _select_all(self) -> FloatArray:
        """Return the curves of the first panel: of all groups, or of as many as can be told apart, by their rows."""
        sizes: list[float] = self.maps.groups.weights.tolist()
        chosen = [*range(len(sizes))] if len(sizes) <= MOST_CURVES else choose_largest(sizes, MOST_CURVES)
        return self.maps.curves(np.array(chosen, dtype=np.intp), self.x)

    def _grid_shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns, of which the first panel takes two each."""
        panels = len(self.curves)
        columns = min(COLUMNS, 2 + -(-panels // 2))
        return max(2, -(-(panels + 4) // columns)), columns

    def _frame(self, ax: "Axes") -> None:
        style_axes(ax)
        self.scale.apply(ax, "x")
        self.y_scale.apply(ax, "y")
        if self.scale.name == "probability":  # ticks that depend on the size of the axes make layouts converge slowly
            ax.set(xticks=TICKS, yticks=TICKS)
        draw_diagonal(ax, self.scale).set_linewidth(0.8)

    def _draw_all(self, ax: "Axes") -> None:
        from matplotlib.collections import LineCollection

        shown = len(self.all)
        opacity = float(np.clip(12.0 / shown, 0.12, 0.6)) + (0.15 if is_dark(ax) else 0.0)
        lines = LineCollection([np.column_stack((self.x, y)) for y in self.all], colors=[GAP], alpha=opacity)
        lines.set_linewidth(0.9)
        ax.add_collection(lines, autolim=False)
        color = get_line_color(ax, FILL)
        ax.fill_between(
            self.x, *self.band, facecolor="none", edgecolor=color, linewidth=1.1, linestyle=(0, (4.0, 2.0)), zorder=3.0
        )  # fmt: skip
        ax.plot(self.x, self.shared, color=color, linewidth=2.0, zorder=3.2)
        known = self.maps.dependence
        several = f"the {count(shown)} largest of {count(known.groups)} groups" if shown < known.groups else (
            f"all {count(known.groups)} groups"
        )  # fmt: skip
        ax.set_title(f"{several}, {rho_in_words(known)}", fontsize="small")
        x_label, y_label = name_axes(None, self.error.reduction)
        ax.set_xlabel(x_label, fontsize="small")
        ax.set_ylabel(y_label, fontsize="small")
        ax.tick_params(labelsize="small")

    def _draw_group(self, ax: "Axes", each: Curve) -> None:
        color = get_line_color(ax, GAP)
        inside = (self.x >= each.ends[0]) & (self.x <= each.ends[1])
        ax.fill_between(self.x, each.lower, each.upper, color=color, alpha=0.22, linewidth=0, zorder=2.0)
        ax.plot(self.x, self.shared, color=get_line_color(ax, FILL), linewidth=1.1, zorder=2.6)
        ax.plot(self.x, each.y, color=color, linewidth=1.0, linestyle=":", zorder=2.8)
        ax.plot(self.x, np.where(inside, each.y, np.nan), color=color, linewidth=1.6, zorder=3.0)
        w = np.array([point["weight"] for point in each.points])
        ax.scatter(
            np.clip([point["x"] for point in each.points], *self.scale.visible),
            np.clip([point["y"] for point in each.points], *self.y_scale.visible),
            s=LEAST_MARK + (MOST_MARK - LEAST_MARK) * w / max(w.max(), 1.0) * 0.5,
            color=get_background(ax), edgecolor=get_foreground(ax), linewidths=0.8, zorder=3.3, clip_on=False,
        )  # fmt: skip
        name = visible(f"group {each.name}" if each.name.isdigit() else each.name)
        short_name = name if len(name) <= LETTERS else name[: LETTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"
        said = f"n = {each.n:,}, shrunk by {100 * each.shrunk:.0f} %"
        ax.set_title(f"{short_name}\n{said}", fontsize="x-small", parse_math=False, pad=3)
        ax.tick_params(labelsize="x-small")

    def _draw_legend(self) -> Any:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        ax = next(iter(self.axes_.values()))
        colors: Any = get_line_color(ax, FILL), get_line_color(ax, GAP)
        shared, own = colors
        dot = {"markerfacecolor": get_background(ax), "markeredgecolor": get_foreground(ax), "linestyle": "none"}
        family = self.error.measure.name
        marks = {
            f"map that all groups share ({family}, n = {self.error.n:,})": Line2D([], [], color=shared, linewidth=2.0),
            "curve of a group, shrunk; dotted beyond its scores": Line2D([], [], color=own, linewidth=1.6),
            f"{100 * LEVEL:g} % of the curves of groups, by rho": Patch(
                facecolor="none", edgecolor=shared, linestyle=(0, (4.0, 2.0))
            ),
            f"its labels leave it here, {100 * LEVEL:g} %": Patch(facecolor=own, alpha=0.22),
            "share of positives in a part of its rows": Line2D([], [], marker="o", markersize=5, **dot),
            "shrunk by 40 %: the shared map weighs 40 %, its labels 60 %": Line2D([], [], linestyle="none"),
        }
        wide = self._grid_shape()[1] > 3
        return self.figure_.legend(
            [*marks.values()], [*marks], loc="outside lower center", ncols=2 if wide else 1, fontsize="small",
            frameon=False,
        )  # fmt: skip


def _points(p: FloatArray, y: FloatArray, w: FloatArray) -> Records:
    """Return mean score, share of positives and weight of parts of rows in the order of their scores."""
    parts = int(np.clip(p.size // ROWS_PER_POINT, 1, MOST_POINTS))
    points = []
    for part in np.array_split(np.arange(p.size), parts):
        total = float(w[part].sum())
        points.append({"x": float(w[part] @ p[part]) / total, "y": float(w[part] @ y[part]) / total, "weight": total})
    return points
