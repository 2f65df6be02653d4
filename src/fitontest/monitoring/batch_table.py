"""The table of a monitor: a row for each batch, of long streams the last ones with those of onset and alarm."""

from collections.abc import Sequence
from typing import Any

from fitontest.monitoring.wording import e_in_words, ends_in_words, rounded_down
from fitontest.results.frames import Records
from fitontest.results.text import LEAST_P, count, short

LAST = 12  # batches of a long stream that are printed
HEADER = ["batch", "n", "events", "O:E", "E", "p", "level", "slope", "error >=", ""]
ONSET, ALARM = "onset", "alarm"


def table_of(rows: Records, onset: int | None, alarm: int | None) -> tuple[list[str], list[list[str]]]:
    """Return header and lines of a table of batches.

    Parameters
    ----------
    rows : list of dict
        As `MonitorEvidence.rows` returns them, of all rows together.
    onset, alarm : int or None
        The places of their batches.
    """
    timed = any(row["time"] is not None for row in rows)
    lines: list[list[str]] = []
    for before, k in _printed(len(rows), [k for k in (onset, alarm) if k is not None]):
        if before:
            lines.append([f"... {before} batch{'es' * (before > 1)}", *[""] * (len(HEADER) - 1 + timed)])
        marks = [mark for mark, place in ((ONSET, onset), (ALARM, alarm)) if place == k]
        lines.append(_line(rows[k], marks, timed=timed))
    return [HEADER[0], *(["time"] if timed else []), *HEADER[1:]], lines


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


def _line(row: dict[str, Any], marks: list[str], *, timed: bool) -> list[str]:
    ratio = short(row["events"] / row["expected"], 2) if row["expected"] else "-"
    level, slope = (ends_in_words(_ends(row, name)) for name in ("level", "slope"))
    return [
        row["batch"],
        *([row["time"] or "-"] if timed else []),
        count(row["n"]),
        count(row["events"]),
        ratio,
        "infinite" if row["refuted"] else e_in_words(row["log_e"]),
        "< 1e-300" if row["p_value"] < LEAST_P else short(row["p_value"], 2),
        level,
        slope,
        rounded_down(row["error_low"]),
        ", ".join(marks),
    ]


def _ends(row: dict[str, Any], name: str) -> tuple[float | None, float | None] | None:
    return (row[f"{name}_low"], row[f"{name}_high"]) if row["line_agrees"] else None
