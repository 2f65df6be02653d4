"""A table: what every result is. Define the records, and text, frames, JSON and HTML follow.

A result is a list of plain records with the same keys. `rows` returns them; everything else is derived from them, and
`sections` may be overridden where people should see something else than every record with every key: a title, chosen
columns, notes.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

from fitontest.results.checks import choose
from fitontest.results.frames import Backend, Records, to_frame
from fitontest.results.html import as_html, as_page
from fitontest.results.latex import as_latex
from fitontest.results.markdown import as_markdown
from fitontest.results.text import aligned, short, text_table, visible
from fitontest.results.writing import write_text

WIDTH = 118  # of a printed line of notes
PAGES = (".html", ".htm")  # endings of the names of pages


@dataclass(frozen=True)
class Section:
    """A part of a printed result, any part of which may be missing.

    Attributes
    ----------
    title : str
        What stands above the table.
    header : sequence of str
        Of a table without one the rows alone are printed.
    body : sequence of sequences of str
        One cell per column of the header.
    notes : str
        What stands below the table: a paragraph on each line, which is wrapped where it is printed.
    lead : str
        What stands between title and table, such as what the table comes to, in the same form.
    left : int
        Columns that are aligned to the left: 1 of numbers under their names; where all are, the last one holds texts,
        which are wrapped.
    """

    title: str = ""
    header: Sequence[str] = ()
    body: Sequence[Sequence[str]] = ()
    notes: str = ""
    lead: str = ""
    left: int = 1

    @property
    def parts(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], str, str]:
        """All but how columns are aligned."""
        return self.title, self.header, self.body, self.notes, self.lead

    def __str__(self) -> str:
        header, *body = [[visible(text) for text in row] for row in (self.header, *self.body)]
        if 1 < self.left == len(header):
            body = _folded(header, body)
        table = text_table(header, body, self.left) if header else aligned(body)
        parts = (visible(self.title, "\n"), _wrapped(self.lead), table, _wrapped(self.notes))
        return "\n".join(part for part in parts if part)


def _folded(header: Sequence[str], body: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows whose last cells are wrapped to the width that is printed, in as many rows as it takes."""
    room = WIDTH - sum(max(map(len, column)) + 2 for column in list(zip(header, *body, strict=True))[:-1])
    rows = []
    for *others, last in body:
        for k, part in enumerate(wrap(last, room) or [""]):
            rows.append([*(others if k == 0 else [""] * len(others)), part])
    return rows


def _wrapped(paragraphs: str) -> str:
    """Return paragraphs, one on each line, in lines of at most the width that is printed."""
    lines = (fill(line, WIDTH, break_long_words=False, break_on_hyphens=False) for line in paragraphs.splitlines())
    return visible("\n".join(lines), "\n")


class Table(ABC):
    """Base of all results: records, and their forms for people and programs.

    Examples
    --------
    >>> class Squares(Table):
    ...     def rows(self):
    ...         return [{"x": x, "square": x * x / 4} for x in (1, 3)]
    >>> print(Squares())
    x  square
    -  ------
    1   0.250
    3    2.25
    >>> Squares().to_json()
    '{"rows": [{"x": 1, "square": 0.25}, {"x": 3, "square": 2.25}]}'
    """

    @abstractmethod
    def rows(self) -> Records:
        """Return the records, which share their keys: what frames and JSON hold. What does not exist is None."""

    def sections(self) -> list[Section]:
        """Return what is printed; by default every record with every key."""
        rows = self.rows()
        header = list(rows[0]) if rows else []
        return [Section(header=header, body=[[cell(value) for value in row.values()] for row in rows])]

    def table(self) -> "Table":
        """Return the result at length, with all columns and notes, where it prints itself in a few lines; else itself.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        return self

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per record.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the frame.
        """
        return to_frame(self.rows(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values."""
        return {"rows": self.rows()}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as strict JSON, numbers at full precision.

        Parameters
        ----------
        indent : int, optional
            Spaces by which each level is indented; by default all is on one line.

        Raises
        ------
        ValueError
            A number that is not finite.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_html(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """Return the result as a page of HTML that needs no other file.

        Parameters
        ----------
        path : str or Path, optional
            A file that the page is written to as well, whose name ends in .html.
        title : str, optional
            The heading; by default what the result is called.

        Raises
        ------
        ValueError
            Another ending of the name.
        """
        if path is not None:
            choose(Path(path).suffix.lower(), PAGES, "the ending of path")
        page = as_page(type(self).__name__ if title is None else title, self.table()._fragments(), self._pictures())
        if path is not None:
            write_text(Path(path), page)
        return page

    def to_latex(self) -> str:
        """Return the printed sections as LaTeX, whose tables need no package."""
        return "\n\n".join(as_latex(*part.parts, left=part.left) for part in self.sections())

    def to_markdown(self) -> str:
        """Return the printed sections as Markdown, with tables of pipes."""
        return "\n\n".join(as_markdown(*part.parts, left=part.left) for part in self.sections())

    def _pictures(self) -> Sequence[tuple[str, str]]:
        """Return the pictures of a page, each an ``<svg>`` element and a text; by default there are none."""
        return ()

    def _fragments(self) -> list[str]:
        """Return the printed sections as HTML; every text is escaped."""
        return [as_html(*part.parts, left=part.left) for part in self.sections()]

    def _repr_html_(self) -> str:
        """Return the printed sections as HTML, for notebooks."""
        return "".join(self._fragments())

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.sections()))

    def __repr__(self) -> str:
        return str(self)


def cell(value: Any) -> str:
    """Return a value as it is printed in a table: numbers with three significant digits, None as a dash."""
    if value is None:
        return "-"
    return short(value) if isinstance(value, float) else str(value)
