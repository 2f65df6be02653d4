"""The table of a monitor: a row for each batch, of long streams the last ones with those of onset and alarm."""

from collections.abc import Sequence
from typing import Any

from fitontest.monitor.evidence.numbers import e_in_words, ends_in_words, rounded_down
from fitontest.results.frames import Records
from fitontest.results.quoting import in_decimals
from fitontest.results.text import count, p_alone
from fitontest.uncertainty.event_ratio import EventRatio

LAST = 12  # batches of a long stream that are printed
RATIO = "O:E"
HEADER = ["batch", "time", "n", "events", RATIO, "E", "p", "level", "slope", "error >=", ""]
#: Columns that are left out where no record has the value: of several classes, and without times.
OPTIONAL = {"time": "time", "events": "events", RATIO: "expected"}
ONSET, ALARM = "onset", "alarm"


def table_of(
    rows: Records, ratios: Sequence[EventRatio | None], onset: int | None, alarm: int | None
) -> tuple[list[str], list[list[str]]]:
    """Return header and lines of a table of batches.

    Parameters
    ----------
    rows : list of dict
        As `MonitorEvidence.rows` returns them, of all rows together.
    ratios : sequence of EventRatio or None
        Of each of them.
    onset, alarm : int or None
        The places of their batches.
    """
    without = {name for name, key in OPTIONAL.items() if all(row[key] is None for row in rows)}
    header = [name for name in HEADER if name not in without]
    lines: list[list[str]] = []
    for before, k in _printed(len(rows), [k for k in (onset, alarm) if k is not None]):
        if before:
            lines.append([f"... {before} batch{'es' * (before > 1)}", *[""] * (len(header) - 1)])
        marks = [mark for mark, place in ((ONSET, onset), (ALARM, alarm)) if place == k]
        line = {**_line(rows[k]), RATIO: ratio_in_words(ratios[k]), "": ", ".join(marks)}
        lines.append([line[name] for name in header])
    return [name_of_ratio(ratios) if name == RATIO else name for name in header], lines


def name_of_ratio(ratios: Sequence[EventRatio | None]) -> str:
    """Return what a column of ratios of one label is called."""
    return next((ratio.title for ratio in ratios if ratio is not None), RATIO)


def ratio_in_words(ratio: EventRatio | None, *, with_interval: bool = False) -> str:
    """Return a ratio with two decimals, where asked for with its interval.

    Examples
    --------
    >>> from fitontest.measures.interval import Interval
    >>> ratio_in_words(EventRatio(1.3, Interval(1.21, 1.394, 0.95), "events"), with_interval=True)
    '1.30 (1.21 to 1.39)'
    """
    if ratio is None:
        return "-"
    ends = ratio.interval if with_interval else None
    numbers = in_decimals([ratio.value, *([] if ends is None else [ends.low, ends.high])], "ratio")
    return numbers[0] if ends is None else f"{numbers[0]} ({numbers[1]} to {numbers[2]})"


def _printed(batches: int, marked: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places that are printed, each with the number of batches left out before it."""
    kept = range(batches) if batches <= LAST + 1 else sorted({*marked, *range(batches - LAST, batches)})
    lines, following = [], 0
    for k in kept:
        if k - following == 1:  # a line that says so would be no shorter
            lines.append((0, following))
            following = k
        lines.append((k - following, k))
        following = k + 1
    return lines


def _line(row: dict[str, Any]) -> dict[str, str]:
    """Return what is printed of a batch, by column."""
    return {
        "batch": row["batch"],
        "time": row["time"] or "-",
        "n": count(row["n"]),
        "events": "-" if row["events"] is None else count(row["events"]),
        "E": "infinite" if row["refuted"] else e_in_words(row["log_e"]),
        "p": p_alone(row["p_value"]),
        "level": ends_in_words(_ends(row, "level")),
        "slope": ends_in_words(_ends(row, "slope")),
        "error >=": rounded_down(row["error_low"]),
    }


def _ends(row: dict[str, Any], name: str) -> tuple[float | None, float | None] | None:
    return (row[f"{name}_low"], row[f"{name}_high"]) if row["line_agrees"] else None
