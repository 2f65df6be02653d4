"""The table of a monitor: a row for each batch, of long streams the last ones with those of onset and alarm."""

from collections.abc import Sequence
from typing import Any

from fitontest.monitor.evidence.numbers import e_in_words, ends_in_words, rounded_down
from fitontest.results.frames import Records
from fitontest.results.text import count, p_alone, short

LAST = 12  # batches of a long stream that are printed
HEADER = ["batch", "time", "n", "events", "O:E", "E", "p", "level", "slope", "error >=", ""]
#: Columns that are left out where no record has the value: of several classes, and without times.
OPTIONAL = {"time": "time", "events": "events", "O:E": "expected"}
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
    without = {name for name, key in OPTIONAL.items() if all(row[key] is None for row in rows)}
    header = [name for name in HEADER if name not in without]
    lines: list[list[str]] = []
    for before, k in _printed(len(rows), [k for k in (onset, alarm) if k is not None]):
        if before:
            lines.append([f"... {before} batch{'es' * (before > 1)}", *[""] * (len(header) - 1)])
        marks = [mark for mark, place in ((ONSET, onset), (ALARM, alarm)) if place == k]
        line = {**_line(rows[k]), "": ", ".join(marks)}
        lines.append([line[name] for name in header])
    return header, lines


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
        "O:E": short(row["events"] / row["expected"], 2) if row["expected"] else "-",
        "E": "infinite" if row["refuted"] else e_in_words(row["log_e"]),
        "p": p_alone(row["p_value"]),
        "level": ends_in_words(_ends(row, "level")),
        "slope": ends_in_words(_ends(row, "slope")),
        "error >=": rounded_down(row["error_low"]),
    }


def _ends(row: dict[str, Any], name: str) -> tuple[float | None, float | None] | None:
    return (row[f"{name}_low"], row[f"{name}_high"]) if row["line_agrees"] else None
