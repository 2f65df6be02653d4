"""The frame of a reliability diagram: axes with their scale and labels, a histogram below, one legend."""

from typing import TYPE_CHECKING, Any

from fitontest.displays.canvas import add_companion, align_labels, tidy
from fitontest.displays.reliability_artists import GAP_LABEL, gap_in_the_legend
from fitontest.displays.scales import Scale, scale_to
from fitontest.typing import Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def prepare(main: "Axes", scale: Scale, counts: str, pos_label: Label | None) -> Any:
    """Give fresh axes their scale and labels, and return the axes of the histogram below; `counts` names its bars."""
    below = add_companion(main, "below", size=0.2, gap=0.04)
    tidy(main)
    main.set_box_aspect(1)
    scale.apply(main)
    of_class = "" if pos_label is None else f" of {pos_label}"
    below.set_xlabel(f"Predicted probability{of_class}")
    main.set_ylabel(f"Observed frequency{of_class}")
    below.set_ylabel(counts)
    align_labels(main, below, scale)
    return below


def join(main: "Axes", scale: Scale) -> None:
    """Make room on axes that hold another diagram."""
    name = "logit" if main.get_xscale() == "logit" else "probability"
    if name != scale.name:
        raise ValueError(f"scale must be that of the diagram on the axes, {name!r}; got {scale.name!r}")
    lower, upper = main.get_xlim()
    scale_to(name, (min(lower, scale.lower), max(upper, scale.upper))).apply(main)


def legend_entries(main: "Axes") -> dict[str, Any]:
    """Return the artists to explain by their texts; what several diagrams share is told once."""
    handles, labels = main.get_legend_handles_labels()
    found: dict[str, Any] = dict(zip(labels, handles, strict=True))
    if GAP_LABEL in found:
        found[GAP_LABEL] = gap_in_the_legend()
    return found


def draw_legend(main: "Axes") -> Any:
    """Draw the legend where it hides least of the maps."""
    entries = legend_entries(main)
    return main.legend([*entries.values()], [*entries], loc="best", fontsize="small", framealpha=0.85, edgecolor="none")
