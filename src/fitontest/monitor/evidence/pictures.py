"""The pictures of a monitor on a page, as SVG with a text for readers who do not see them."""

from typing import Any

BATCHES = (
    "After each batch: evidence against calibration, the level and slope that all batches leave open, and what "
    "the mean error was at least in some batch."
)


def pictures_of(evidence: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Return the values after each batch, and the calibration before and since the onset, each with what it shows.

    Parameters
    ----------
    evidence : MonitorEvidence
        Of at least one batch.
    prefix : str, default=""
        Before the identifiers in the pictures.
    """
    from fitontest.displays.inline import svg_of

    batches = evidence.diagram(panels="batches")
    pictures = [(svg_of(batches, f"{prefix}batches", BATCHES), BATCHES)]
    if evidence.samples():
        calibration = evidence.diagram(panels="calibration")
        text = f"Calibration curves: {', '.join(reversed([*calibration.diagrams.diagrams]))}."
        pictures.append((svg_of(calibration, f"{prefix}calibration", text), text))
    return pictures
