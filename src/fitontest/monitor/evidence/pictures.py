"""The pictures of a monitor on a page, as SVG with a text for readers who do not see them."""

from typing import Any

from fitontest.measures.plug_in import PlugIn
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

FAMILY = "spline"  # of the maps that are drawn


def pictures_of(evidence: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Return the batches, and the calibration before and since the onset, each with what it shows.

    Parameters
    ----------
    evidence : MonitorEvidence
        Of at least one batch.
    prefix : str, default=""
        Before the identifiers in the pictures.
    """
    from fitontest.displays.inline import svg_of

    batches = evidence.diagram()
    pictures = [(svg_of(batches, f"{prefix}batches", batches.text), batches.text)]
    if samples := evidence.samples():
        text = f"Calibration curves: {', '.join(reversed([*samples]))}."
        pictures.append((svg_of(_curves_of(samples), f"{prefix}calibration", text), text))
    return pictures


def _curves_of(samples: Any) -> Any:
    """Return the reliability diagrams of samples, on the same axes."""
    from fitontest.displays.reliability import ReliabilityDisplay

    with without_warnings():
        measured = [
            (name, estimate_of(PlugIn(FAMILY), sample, sample.reduction, Redrawing(interval=None)), sample)
            for name, sample in samples.items()
        ]
        return ReliabilityDisplay.side_by_side(measured, "probability", overlaid=True)
