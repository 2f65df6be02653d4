"""The printed numbers of Tables 1 to 14 of the TCE paper, and ours beside them in Markdown."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from report import markdown

FIGURES = Path(__file__).parents[1] / "tests" / "reference" / "tce_tables.json"
UNITS = ("the errors", "TCE in points")  # that differences are told in


@dataclass(frozen=True)
class Row:
    """A printed row: what names it, and its cells by column, as they stand in the paper."""

    label: tuple[str, ...]
    printed: dict[str, str]


@dataclass(frozen=True)
class Ours:
    """Our values of a row by column, what is to be said of it, and whether its cells can equal the printed ones.

    `reasons` says by column why a value differs from the printed one.
    """

    values: dict[str, float] = field(default_factory=dict)
    note: str = ""
    comparable: bool = True
    reasons: dict[str, str] = field(default_factory=dict)


def rows_of(table: int) -> list[Row]:
    """Return the printed rows of a table, in the order of the paper."""
    found = json.loads(FIGURES.read_text(encoding="utf-8"))[str(table)]
    return [Row(tuple(row["row"]), dict(zip(found["columns"], row["printed"], strict=True))) for row in found["rows"]]


def as_printed(value: float, printed: str) -> str:
    """Return a value with as many digits as a printed one, and its sign of percent."""
    digits, percent = len(printed.rstrip("%").partition(".")[2]), "%" * printed.endswith("%")
    return f"{value:.{digits}f}{percent}"


def is_equal(value: float, printed: str) -> bool:
    """Return whether a value is equal to a printed one in every digit of it."""
    return as_printed(value, printed) == printed


def side_by_side(names: Sequence[str], rows: Sequence[Row], ours: Sequence[Ours]) -> str:
    """Return a table in Markdown: ours, and behind a slash what was published; bold where a digit differs."""
    with_notes = any(one.note for one in ours)
    lines = []
    for row, one in zip(rows, ours, strict=True):
        cells = (_cell(one, column, printed) for column, printed in row.printed.items())
        lines.append([*row.label, *cells, *[one.note] * with_notes])
    return markdown([*names, *rows[0].printed, *["note"] * with_notes], lines)


def tally(rows: Sequence[Row], ours: Sequence[Ours]) -> str:
    """Return in one sentence how many cells are equal, and the largest differences of those that are not."""
    cells = [
        (one.values[column], printed, column, one.reasons.get(column, ""))
        for row, one in zip(rows, ours, strict=True)
        if one.comparable
        for column, printed in row.printed.items()
        if column in one.values
    ]
    every = sum(len(row.printed) for row in rows)
    if not cells:
        return f"None of the {every} cells is of the paper's data."
    equal = sum(is_equal(value, printed) for value, printed, *_ in cells)
    words = f"{equal} of {len(cells)} cells are equal in every printed digit."
    if len(cells) < every:
        words = f"Of {every} cells {len(cells)} are of the paper's data: {equal} are equal in every printed digit."
    gaps: dict[str, dict[str, list[float]]] = {}
    for value, printed, column, reason in cells:
        if not is_equal(value, printed):
            of_unit = gaps.setdefault(reason, {}).setdefault(UNITS[column.startswith("TCE")], [])
            of_unit.append(abs(value - float(printed.rstrip("%"))))
    return " ".join([words, *(_largest(reason, gaps[reason]) for reason in sorted(gaps))])


def _largest(reason: str, gaps: dict[str, list[float]]) -> str:
    """Return in one sentence how many cells differ for a reason, and by how much at most."""
    number = sum(map(len, gaps.values()))
    most = ", ".join(f"{max(gaps[unit]):.4f} ({unit})" for unit in UNITS if unit in gaps)
    return f"{number} differ{'s' * (number == 1)}{f' ({reason})' if reason else ''}, by at most {most}."


def _cell(one: Ours, column: str, printed: str) -> str:
    if column not in one.values:
        return f"- / {printed}"
    both = f"{as_printed(one.values[column], printed)} / {printed}"
    return f"**{both}**" if one.comparable and not is_equal(one.values[column], printed) else both
