"""The frame of a reliability diagram: axes with their scale and labels, a histogram below, one legend."""

import re
from typing import TYPE_CHECKING, Any

from fitontest.displays.canvas import tidy
from fitontest.displays.companions import HISTOGRAM, SIZES, add_companion, companions, label_below
from fitontest.displays.reliability_artists import (
    BAND_LABEL,
    DIAGONAL,
    GAP_LABEL,
    KNOT_LABEL,
    MEAN_LABEL,
    gap_in_the_legend,
)
from fitontest.displays.scales import Scale, scale_to

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT, DEPTH = 0.2, 0.24  # of the histogram, and of its foot below the main axes, which are 1 high
SHARED = (GAP_LABEL, KNOT_LABEL, MEAN_LABEL, BAND_LABEL)  # marks that mean the same in every diagram


def prepare(main: "Axes", scale: Scale, counts: str, labels: tuple[str, str]) -> Any:
    """Give fresh axes their scale and labels (of x, of y), and return those of a histogram of `counts` below."""
    below = add_companion(main, HISTOGRAM, "below", size=HEIGHT, gap=DEPTH - HEIGHT)
    tidy(main)
    main.set_box_aspect(1)
    scale.apply(main)
    label_below(main, below, DEPTH, labels[0])
    main.set_ylabel(labels[1])
    below.set_ylabel(counts)
    return below


def histogram_of(main: "Axes") -> Any:
    """Return the histogram of the diagram that the axes hold, or None where they hold none."""
    found = companions(main)
    if SIZES in found:
        raise ValueError("ax must not hold a test-based diagram, whose x axis is not one of probabilities")
    return found.get(HISTOGRAM)


def join(main: "Axes", scale: Scale) -> None:
    """Make room on axes that hold another diagram."""
    name = "logit" if main.get_xscale() == "logit" else "probability"
    if name != scale.name:
        raise ValueError(f"scale must be that of the diagram on the axes, {name!r}; got {scale.name!r}")
    lower, upper = main.get_xlim()
    scale_to(name, (min(lower, scale.lower), max(upper, scale.upper))).apply(main)


def has_diagonal(main: "Axes") -> bool:
    """Tell whether the diagonal has been drawn."""
    return any(line.get_label() == DIAGONAL for line in main.lines)


def legend_entries(main: "Axes") -> list[tuple[str, Any]]:
    """Return the texts and the artists to explain, in the order drawn; what several diagrams share is told once."""
    found: list[tuple[str, Any]] = []
    for artist in main.get_children():
        text = str(artist.get_label())
        told = text.startswith(SHARED) and any(text == one for one, _ in found)
        if _explained(artist, text) and not told:
            found.append((text, gap_in_the_legend(main) if text == GAP_LABEL else artist))
    return found


def _explained(artist: Any, text: str) -> bool:
    """Tell whether an artist has a label, and not one that matplotlib or a companion made up."""
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D

    made_up = not text or text == DIAGONAL or re.fullmatch(r"_child\d+", text)
    return isinstance(artist, Line2D | Collection) and not made_up


def draw_legend(main: "Axes") -> Any:
    """Draw the legend where it hides least of the maps."""
    texts, handles = zip(*legend_entries(main), strict=True)
    legend = main.legend(handles, ["?"] * len(texts), loc="best", fontsize="small", framealpha=0.85, edgecolor="none")
    for written, text in zip(legend.get_texts(), texts, strict=True):  # a label that begins with _ would be left out
        written.set_text(text)
    return legend
