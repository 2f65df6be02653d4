"""Tables in plain text: aligned for people, the first column to the left and numbers to the right, or as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return header, rule and rows, aligned.

    Examples
    --------
    >>> print(text_table(["name", "value"], [["a", "1.0"], ["bcdef", "10.0"]]))
    name   value
    -----  -----
    a        1.0
    bcdef   10.0
    """
    body = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]
    return "\n".join(_line(row, widths) for row in (header, ["-" * width for width in widths], *body))


def short(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits, zeros kept, without a point at its end.

    Examples
    --------
    >>> short(0.05), short(100.0)
    ('0.0500', '100')
    """
    return f"{value:#.{digits}g}".rstrip(".")


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = row
    cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
    return "  ".join(cells).rstrip()


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return records that share their keys as CSV with a header; what does not exist is an empty cell.

    Examples
    --------
    >>> print(csv_text([{"name": "a", "value": 0.5}, {"name": "b", "value": None}]))
    name,value
    a,0.5
    b,
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")
