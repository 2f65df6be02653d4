"""The options of diagrams: where they are drawn, on which scale, and what stands beside the data."""

from typing import Annotated, TypedDict

from fitontest.displays.canvas import AxesOrFigure
from fitontest.displays.palette import Color
from fitontest.displays.scales import ScaleName
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput
from fitontest.uncertainty.options import Options


class Drawing(TypedDict, total=False):
    """How a diagram is drawn.

    Parameters
    ----------
    scale : {"auto", "probability", "logit"}, default="auto"
        Scale of the axis of predictions.
    limits : (float, float), optional
        Ends of the axis of predictions.
    name : str, optional
        Name of the scores in the legend or the title.
    ax : matplotlib Axes, Figure or SubFigure, optional
        Place of the diagram. By default a new pyplot figure is made.
    color : matplotlib colour, optional
        Colour of the curve. By default each diagram on the axes has its own, from a palette for colour-blind readers.
    fill : bool, optional
        Whether areas are filled and bars outlined. By default only the first diagram on the axes is filled.
    legend : bool, default=True
        Whether a legend is drawn.
    ref_line : bool, default=True
        Whether the diagonal is drawn. It is never drawn twice on the same axes.
    """

    scale: Annotated[ScaleName, "auto"]
    limits: ArrayInput
    name: str | None
    ax: AxesOrFigure
    color: Color | None
    fill: bool | None
    legend: Annotated[bool, True]
    ref_line: Annotated[bool, True]


@take_descriptions(Options)
@take_descriptions(Drawing)
class DrawingOptions(Drawing, Options, total=False):
    """How labels and scores are read, how labels are redrawn, and how the diagram is drawn."""
