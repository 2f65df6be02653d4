"""The reliability diagrams of several classes, each against the rest, side by side."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fitontest.data.predictions import NAMES, Predictions, Names
from fitontest.data.sample import Sample
from fitontest.displays.canvas import SomeFigure, Where, empty_figure
from fitontest.displays.panels import panels
from fitontest.displays.scales import ScaleName
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.measures.plug_in_error import PlugInError
from fitontest.typing import ArrayInput

if TYPE_CHECKING:
    from fitontest.displays.reliability import ReliabilityDisplay

MOST_CLASSES = 16  # beyond which panels are too small, and too many, to be compared


def by_class(
    display: type["ReliabilityDisplay"],
    scores: Predictions,
    measure: Callable[[Sample], PlugInError],
    band: dict[str, Any],
    *,
    scale: ScaleName,
    limits: ArrayInput = None,
    name: str | None = None,
) -> SmallMultiples:
    """Return the diagrams of every class, as yet to be drawn; `band` holds options of `add_band`."""
    check_few(len(scores.classes), scores.names)
    measured = [
        (f"class {label}", measure(sample).under("classwise"), sample) for label, sample in scores.one_vs_rest()
    ]
    several = panels(display, measured, scale, limits, title=name, name=name)
    if band["draws"]:
        for title, _, sample in measured:
            several.displays[title].add_band(sample, **band)
    return several


def figure_of_classes(ax: Where, *, plain: bool) -> SomeFigure:
    """Return where the diagrams of the classes are drawn, or refuse axes, and options of a single diagram."""
    if not plain:
        raise ValueError("color, fill, legend and ref_line must be left out with reduction='classwise'")
    return (
        None if ax is None else empty_figure(ax, "ax", "a Figure or a SubFigure with reduction='classwise', not axes,")
    )


def check_few(n_classes: int, names: Names = NAMES) -> None:
    """Raise ValueError for more classes than can be drawn."""
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"{names.y_prob} must have at most {MOST_CLASSES} columns to be drawn with {names.reduction}='classwise', "
            f"got {n_classes}; draw single classes without a reduction, with {names.y_true} == label and the "
            f"column of that class, or see the table of calibration_error"
        )
