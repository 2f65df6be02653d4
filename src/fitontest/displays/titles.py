"""The texts of a diagram: title and second line, the labels of the axes, and the key in a free corner."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.companions import keep_on_figure, keep_title_on_figure
from fitontest.displays.palette import get_muted, get_opaque_background
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import quote_with
from fitontest.results.text import count, visible
from fitontest.results.typing import FloatArray, Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONFIDENCE_LABELS = ("Confidence (highest predicted probability)", "Accuracy (observed frequency)")
TITLE, SECOND, KEY = 1.2, 0.9, 0.75  # sizes of letters by those of the figure, of a diagram that stands alone
PANEL_TITLE, PANEL_SECOND, PANEL_KEY = 0.95, 0.72, 0.68  # of a panel
EM = 0.63  # width of a bold letter by its size, on average
PLAIN_EM = 0.55  # of another
SIDE_ROOM = 0.62  # inches of a place that axes do not have
LINE = 1.45  # height of a line by the size of its letters
MOST_COVERED = 2  # marks that a key may stand over
BELOW_LABEL = 22.0  # points from the histogram to a key below the label
BETWEEN = 5.0  # points between axes, second line and title
CORNERS = {  # of the axes: where the key stands, and which part of the axes it covers
    "lower right": ((0.985, 0.02), (0.42, 1.0), (0.0, 0.2)),
    "upper left": ((0.015, 0.98), (0.0, 0.58), (0.8, 1.0)),
}


def without_formulas(text: str) -> str:
    """Return a text of the user's as matplotlib must get it to draw it as it is: dollars do not begin a formula."""
    return visible(text).replace("$", r"\$")


def name_axes(pos_label: Label | None, reduction: str | None = None) -> tuple[str, str]:
    """Return the labels of the axis of scores and of that of observed frequencies."""
    if reduction == "confidence":
        return CONFIDENCE_LABELS
    if reduction == "classwise":
        of_class = " of the class"
    else:
        usual = pos_label is None or pos_label in (1, "1")
        of_class = "" if usual else f" (positive: {without_formulas(str(pos_label))})"
    return f"Predicted probability{of_class}", f"Observed frequency{of_class}"


def value_in_words(error: Estimate) -> str:
    """Return the value of an error that texts quote, with its interval where there is one."""
    if error.measure.unit != "fraction":
        return error.measure.printed(error.quoted)
    return quote_with(error.interval, error.quoted)


def name_error(error: Estimate) -> str:
    """Return the name of a plug-in error. That of a family that shifts bins is the ECE."""
    norm = "" if error.norm == "l1" else f" ({error.norm})"
    return "ECE" if error.shifts_by_gap and error.norm == "l1" else f"calibration error{norm}"


def name_family(error: Estimate) -> str:
    """Return the family of a map, with the number of its bins or segments."""
    if error.n_bins is None:
        return error.measure.name
    piece = "segment" if error.estimator is not None and error.estimator.has_knots else "bin"
    return f"{error.measure.name}, {error.n_bins:,} {piece}{'' if error.n_bins == 1 else 's'}"


def rows_in_words(error: Estimate) -> str:
    """Return how many rows there are, what their weights count, and how many groups they belong to."""
    groups = error.groups
    within = "" if groups is None or groups.sizes.are_single else f" in {count(groups.sizes.groups)} groups"
    weighting = "" if error.weighting is None else f" ({error.weighting.brief})"
    return f"n = {error.n:,}{within}{weighting}"


def write_title(
    ax: "Axes", title: str, second: str, *, small: bool = False, inches: float | None = None, raised: float = 0.0
) -> tuple[Any, Any]:
    """Write a bold title and a grey line below it, from the left end of the axes, in lines that are not cut off.

    Parameters
    ----------
    ax : matplotlib Axes
    title, second : str
    small : bool, default=False
        Whether the letters are those of a panel.
    inches : float, optional
        How wide the lines may be.
    raised : float, default=0
        Points between the axes and the texts.
    """
    sizes = letters_of(PANEL_TITLE, PANEL_SECOND) if small else letters_of(TITLE, SECOND)
    inches = _measure_width(ax) if inches is None else inches
    lines = _wrap(second, inches, sizes[1] * PLAIN_EM)
    above = BETWEEN + raised + (LINE * sizes[1] * len(lines) + 2.0 if lines else 0.0)
    heading = _wrap(title, inches, sizes[0] * EM)
    bold = "\n".join(heading)
    keep_title_on_figure(ax, above + LINE * sizes[0] * len(heading))
    written = ax.set_title(bold, loc="left", fontsize=sizes[0], fontweight="bold", pad=above, parse_math=False)
    line = ax.annotate(
        "\n".join(lines), (0.0, 1.0), xycoords="axes fraction", xytext=(0.0, BETWEEN + raised),
        textcoords="offset points",
        fontsize=sizes[1], color=get_muted(ax), va="bottom", parse_math=False, annotation_clip=False,
    )  # fmt: skip
    return written, line


def letters_of(*sizes: float) -> list[float]:
    """Return sizes of letters in points, of multiples of the size that the figure's texts have."""
    from matplotlib import rcParams

    return [float(rcParams["font.size"]) * size for size in sizes]


def _wrap(text: str, inches: float, points: float) -> list[str]:
    shown = [visible(line) for line in text.split("\n")] if text else []
    return [part for line in shown for part in textwrap.wrap(line, max(12, int(72 * inches / points)))]


def _measure_width(ax: "Axes") -> float:
    """Return about how many inches wide a text may be that begins at the left end of the axes."""
    cell, figure = ax.get_subplotspec(), ax.get_figure(root=True)
    box = ax.get_position(original=True)
    place: Any = ax.figure
    if cell is None:
        return float(box.width * place.bbox.width / figure.dpi)  # type: ignore[union-attr]
    share = len(cell.colspan) / cell.get_gridspec().ncols
    return float(share * place.bbox.width / figure.dpi - SIDE_ROOM)  # type: ignore[union-attr]


def write_key(ax: "Axes", below: Any, lines: Sequence[str], drawn: FloatArray, *, small: bool = False) -> Any:
    """Write grey lines in the corner of the axes that fewer of the marks drawn are in, or below where both are full.

    Parameters
    ----------
    ax : matplotlib Axes
    below : matplotlib Axes
        Those of the histogram.
    lines : sequence of str
    drawn : array of shape (M, 2)
        Places of marks, as fractions of the axes.
    small : bool, default=False
        Whether the letters are those of a panel.
    """
    if not lines:
        return None
    covered = {one: _count_within(drawn, *CORNERS[one][1:]) for one in CORNERS}
    name = min(covered, key=lambda one: covered[one])
    (size,) = letters_of(PANEL_KEY if small else KEY)
    if covered[name] > MOST_COVERED:
        written = below.annotate(
            "\n".join(lines), (0.0, 0.0), xycoords="axes fraction", xytext=(0.0, -BELOW_LABEL),
            textcoords="offset points", fontsize=size, color=get_muted(ax), va="top", parse_math=False,
        )  # fmt: skip
        keep_on_figure(ax, written)
        return written
    (x, y), _, _ = CORNERS[name]
    right = name == "lower right"
    return ax.text(
        x, y, "\n".join(lines), transform=ax.transAxes, fontsize=size, color=get_muted(ax),
        ha="right" if right else "left", va="bottom" if right else "top", parse_math=False, linespacing=1.35, zorder=6,
        bbox={"facecolor": get_opaque_background(ax), "alpha": 0.7, "linewidth": 0, "pad": 1.0},
    )  # fmt: skip


def _count_within(drawn: FloatArray, across: tuple[float, float], up: tuple[float, float]) -> int:
    x, y = drawn.T
    return int(np.sum((x >= across[0]) & (x <= across[1]) & (y >= up[0]) & (y <= up[1])))
