"""Tables in plain text: aligned for people, the first column to the left and numbers to the right, or as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
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


def percent(share: float, digits: int = 2) -> str:
    """Return a share in percent, of two significant digits; all are 100 %.

    Examples
    --------
    >>> percent(0.0162), percent(0.315), percent(1.0)
    ('1.6 %', '32 %', '100 %')
    """
    return f"{100.0 * share:.0f} %" if share >= 0.095 else f"{100.0 * share:.{digits}g} %"


def distinct(values: Sequence[float], digits: int = 6) -> list[str]:
    """Return increasing numbers, such as the borders of bins, with some significant digits.

    Neighbours that these do not tell apart have as many digits as it takes.

    Examples
    --------
    >>> distinct([0.0, 1 / 3, 0.5, 0.5 + 1e-9, 1.0])
    ['0', '0.333333', '0.500000000', '0.500000001', '1']
    """
    needed = [digits] * len(values)
    for k, (low, high) in enumerate(pairwise(values)):
        apart = next((d for d in range(digits, 18) if low < high and f"{low:.{d}g}" != f"{high:.{d}g}"), digits)
        needed[k : k + 2] = [max(needed[k], apart), max(needed[k + 1], apart)]
    return [f"{value:#.{d}g}" if d > digits else f"{value:.{d}g}" for value, d in zip(values, needed, strict=True)]


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
