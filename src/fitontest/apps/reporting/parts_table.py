"""The table of parts of the rows, such as segments, classes and periods: rows, O:E, and the calibration error."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.ratio_dots import LEVEL, ratio_dot
from fitontest.measures.estimate import Estimate
from fitontest.results.quoting import confidence, without_level
from fitontest.results.table import Section
from fitontest.results.text import p_alone
from fitontest.uncertainty.event_ratio import Rarer


@dataclass(frozen=True)
class Part:
    """A row of the table.

    Attributes
    ----------
    name : str
    sample : ScoreSample
    estimate : Estimate or None
        The calibration error; None where it was not measured.
    p_value : float or None
        Adjusted for the number of parts; None where there is none.
    """

    name: str
    sample: ScoreSample
    estimate: Estimate | None = None
    p_value: float | None = None


def table_of_parts(kind: str, parts: Iterable[Part], of: Rarer, lead: str = "", notes: str = "") -> Section:
    """Return the table, with the columns of which something is known.

    Parameters
    ----------
    kind : str
        What parts are called.
    parts : iterable of Part
    of : {"events", "non-events"}
        Which label is counted.
    lead, notes : str
        Above and below.
    """
    given = list(parts)
    known = [part.estimate for part in given if part.estimate is not None]
    level = next((one.interval.level for one in known if one.interval is not None), None)
    error = "calibration error" if level is None else f"calibration error ({confidence(level)})"
    lines: list[dict[str, Any]] = []
    for part in given:
        dot = ratio_dot(part.name, part.sample, LEVEL, of)
        line: dict[str, Any] = {kind: part.name, **({} if dot is None else dot.columns)}
        if known:
            line[error] = "-" if part.estimate is None else _quote(part.estimate)
        if any(one.p_value is not None for one in given):
            line["Holm p"] = "-" if part.p_value is None else p_alone(part.p_value)
        lines.append(line)
    heads = [list(line) for line in lines]
    header = max(heads, key=len, default=[])
    return Section("", header, [[line.get(head, "-") for head in header] for line in lines], notes, lead)


def _quote(estimate: Estimate) -> str:
    text = estimate.in_words
    return text if estimate.interval is None else without_level(text, estimate.interval.level)
