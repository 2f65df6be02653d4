"""The part of a report on the stream that a model is monitored in: the evidence so far, batch by batch.

The rows that a report judges are one set; those of a stream came in batches, and a monitor keeps none of them. What the
part says is of the stream, not of the rows that the verdict is of.
"""

from typing import Any

from fitontest.apps.reporting.advice import RECALIBRATE, Step
from fitontest.apps.reporting.figures import Picture
from fitontest.monitor.evidence.evidence import MonitorEvidence
from fitontest.results.checks import brief
from fitontest.results.quoting import in_decimals

HEADING = "Monitoring"
TITLES = "after each batch", "calibration"  # of the tabs


def read_monitor(monitor: Any) -> MonitorEvidence | None:
    """Return the evidence of a monitor, or refuse one without batches and what is none."""
    if monitor is None:
        return None
    evidence = getattr(monitor, "evidence", monitor)
    if not isinstance(evidence, MonitorEvidence):
        raise ValueError(f"monitor must be a Monitor, its evidence or None, got {brief(monitor)}")
    if not evidence.records:
        raise ValueError("monitor must have at least one batch, got none")
    return evidence


def monitoring_sentence(evidence: MonitorEvidence | None) -> str:
    """Return what the stream says, "" without one."""
    return "" if evidence is None else f"In the stream that is monitored: {evidence.headline}"


def advise_on_stream(evidence: MonitorEvidence | None) -> list[Step]:
    """Return what to do about a drift in the stream, or nothing."""
    known = None if evidence is None or not evidence.alarm else evidence.direction
    if evidence is None or known is None or known.ratio is None or not evidence.shown_onset:
        return []
    text = f"In the stream that is monitored O:E is {in_decimals([known.ratio], 'ratio')[0]} since batch {known.batch}."
    return [Step(RECALIBRATE, f"Drift: recalibrate on rows from batch {known.batch} on", (text,))]


def monitoring_pictures(evidence: MonitorEvidence) -> list[Picture]:
    """Return the values after each batch, and the calibration before and since the onset."""
    drawn = evidence.pictures("monitor-")
    return [
        Picture(f"monitor-{k}", title, text, svg)
        for k, (title, (svg, text)) in enumerate(zip(TITLES, drawn, strict=False), start=1)
    ]
