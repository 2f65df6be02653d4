"""The options of diagrams: where they are drawn, on which scale, and what stands beside the data."""

from typing import Annotated, Literal, TypedDict

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
    scale : {"auto", "probability", "logit", "ratio"}, default="auto"
        What the axes are: probabilities, their logits, or, of reliability diagrams, observed over expected events
        against the score on logarithmic axes.
    limits : (float, float), optional
        Ends of the axis of predictions.
    name : str, optional
        Name of the scores in the legend or the title.
    ax : matplotlib Axes, Figure or SubFigure, optional
        Place of the diagram. By default a new pyplot figure is made.
    color : matplotlib colour, optional
        Colour of the curve, by default from a palette for colour-blind readers.
    legend : bool, default=True
        Whether the marks are explained.
    ref_line : bool, default=True
        Whether the diagonal is drawn.
    """

    scale: Annotated[ScaleName | Literal["ratio"], "auto"]
    limits: ArrayInput
    name: str | None
    ax: AxesOrFigure
    color: Color | None
    legend: Annotated[bool, True]
    ref_line: Annotated[bool, True]


@take_descriptions(Options)
@take_descriptions(Drawing)
class DrawingOptions(Drawing, Options, total=False):
    """How labels and scores are read, how labels are redrawn, and how the diagram is drawn."""
