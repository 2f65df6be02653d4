"""CSV and TSV files: their separator, their header, and which line of the file a row is.

The first line is the header, unless a user says otherwise. A cell may stand in double quotes; within them a quote is
doubled (or, in files that are no CSV otherwise, as some databases write them, has a backslash before it), and
separators and newlines are text. Blank lines count as lines and not as rows. Nothing else is guessed: a row of too many
or too few cells is refused.

DuckDB reads the cells, after the csv module has counted them: DuckDB would take an empty cell too many without a word.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from fitontest.data.files.file_error import FileError
from fitontest.data.files.layout import Layout
from fitontest.data.files.plain_text import PIECE, plain_text
from fitontest.data.files.sql import text_in_sql
from fitontest.results.checks import brief, meant

SEPARATORS = (",", "\t", ";", "|")  # tried in the header where none is given
SEARCHED = 20  # rows in which a header is looked for, for a message
LONGEST = 2**31 - 1  # letters in a cell: the texts that were scored may stand beside their scores
LINE, BUFFER = 1 << 21, 1 << 25  # bytes for which DuckDB makes room, of a row and of rows
BYTES = 8  # of a letter at most, where it is a quote that is doubled
_ESCAPED = re.compile(r"\\[\",;\t|]")
_NEWLINE = re.compile(r"\r\n|\r|\n")


class MalformedError(FileError):
    """The text is no CSV of this dialect; it may be one of another."""


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose separator and header are known.

    Attributes
    ----------
    path : Path
        What messages call it.
    text : Path
        Its text in UTF-8, as `plain_text` gives it.
    layout : Layout
    sep : str
    header : list of str
        The names of the columns, which may be empty or equal.
    lines : int
        Of the header.
    escaped : bool
        Whether quotes within cells have a backslash before them, and are not doubled.
    """

    path: Path
    text: Path
    layout: Layout
    sep: str
    header: list[str]
    lines: int
    escaped: bool = False

    def rows(self, taken: list[str] | None = None) -> Iterator[tuple[int, list[str]]]:
        """Yield every row with the line on which it begins.

        Parameters
        ----------
        taken : list of str, optional
            Which holds the lines of the row that was yielded last.

        Raises
        ------
        MalformedError
            A row of too many or too few cells; quotes that are not closed, or closed within a cell.
        """
        width, blank, line = len(self.header), list[int](), 0
        with _reading(self.text, self.sep, self.escaped, taken) as reader:
            try:
                if self.lines:
                    next(reader)
                line = reader.line_num
                if taken is not None:
                    del taken[:line]
                for row in reader:
                    if len(row) == width:
                        if blank:  # of a single column they are missing cells, if they are not the end of the file
                            yield from ((one, [""]) for one in blank)
                            blank.clear()
                        yield line + 1, row
                    elif not row and width == 1:
                        blank.append(line + 1)
                    elif row:
                        raise MalformedError(
                            "path",
                            f"must have {width} cells in every row, as many as its "
                            f"{'header' if self.lines else 'first row'}, got {self.path} with {len(row)} at line "
                            f"{line + 1} ({self.layout.first_line}; cells are separated by {self.sep!r})",
                        )
                    line = reader.line_num
                    if taken is not None:
                        taken.clear()
            except csv.Error as error:
                raise self._malformed(line + 1, error) from error

    def _malformed(self, line: int, reason: object) -> MalformedError:
        found = f"a row that begins at line {line} ({self.layout.first_line}) and is malformed: {reason}"
        return MalformedError("path", f"must be readable as CSV, got {self.path} with {found}")

    def in_sql(self) -> tuple[str, int]:
        """Return the rows as DuckDB reads them, to stand behind FROM, and their number.

        They have columns of texts "c0", "c1", ... An empty cell is NULL, one that stands in quotes is an empty text.

        Raises
        ------
        MalformedError
            As `rows`.
        """
        is_plain = not (self.escaped or self._has_returns())
        source = self if is_plain else replace(self, text=self._rewritten(), lines=0, escaped=False)
        n, longest = 0, 0
        for _, row in source.rows():
            n, longest = n + 1, max(longest, len("".join(row)))
        longest = max(LINE, BYTES * longest + 3 * len(self.header))
        columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(self.header)))
        return (
            f"(SELECT * FROM read_csv({text_in_sql(source.text)}, auto_detect=false, header=false, "
            f"skip={int(source.lines > 0)}, columns={{{columns}}}, delim={text_in_sql(self.sep)}, quote='\"', "
            f"escape='\"', nullstr='', allow_quoted_nulls=false, comment='', new_line='\\n', max_line_size={longest}, "
            f"buffer_size={max(BUFFER, 2 * longest)}) LIMIT {n})"
        ), n

    def _has_returns(self) -> bool:
        with self.text.open("rb") as text:
            return any(b"\r" in piece for piece in iter(lambda: text.read(PIECE), b""))

    def _rewritten(self) -> Path:
        """Write the rows with a line feed behind each, and with doubled quotes, and return the file.

        DuckDB takes no other newline if quotes hold one, and backslashes within quotes alone.
        """
        copy, taken = self.text.with_name("rewritten"), list[str]()
        cells = _quoted_cells(self.sep)
        with copy.open("w", encoding="utf-8", newline="") as target:
            writer = csv.writer(target, delimiter=self.sep, lineterminator="\n")
            for line, row in self.rows(taken):
                raw = "".join(taken).rstrip("\r\n")
                if not self.escaped:
                    target.write(f"{raw}\n")
                elif cells.fullmatch(raw):  # which the csv module does not read strictly
                    writer.writerow(row)
                else:
                    raise self._malformed(line, f"{self.sep!r} expected after '\"'")
        return copy

    def find(self, argument: str, column: str) -> int:
        """Return the position of a column, or refuse a name that is absent or occurs twice.

        Blanks around a name in the header are no part of it, unless the name that is looked for has them.
        """
        places = [place for place, name in enumerate(self.header) if name == column]
        places = places or [place for place, name in enumerate(self.header) if name.strip() == column]
        if len(places) > 1:
            found = f"got {column!r}, {len(places)} times in its header"
            raise FileError(argument, f"must be one column of {self.path}, {found}")
        if not places:
            found = f"got {column!r}; its columns are {brief(self.header)}{meant(column, self.header)}"
            raise FileError(argument, f"must be a column of {self.path}, {found}", self._remedy())
        return places[0]

    def line_of(self, row: int, argument: str, column: str) -> int:
        """Return the line of the cell of a column in a row, counted from 0."""
        line, cells = next(islice(self.rows(), row, None))
        return line + sum(len(_NEWLINE.findall(cell)) for cell in cells[: self.find(argument, column)])

    def _remedy(self) -> tuple[str, str] | None:
        """Return the argument that may help where a column is missing, and what to say of it."""
        if any("\0" in name for name in self.header):
            return "encoding", f"must be that of the file, which does not look like text in {self.layout.codec}"
        if self.layout.has_header and any(map(_is_number, self.header)):
            return "header", "False says that the first line has no names; columns are then called '1', '2', ..."
        if len(self.header) > 1:
            return None
        return "sep", f"{self.sep!r} does not occur in it" if self.layout.sep else "names another separator"


@contextmanager
def opened_csv(
    path: Path, layout: Layout, wanted: Mapping[str, str], *, escaped: bool = False, lines: float = float("inf")
) -> Iterator[CsvFile]:
    """Give a file with its separator: the given one, or the first with which the header has the wanted columns.

    Parameters
    ----------
    path : Path
    layout : Layout
    wanted : dict of str to str
        The columns, by what the caller calls them.
    escaped : bool, default=False
        Whether quotes within cells have a backslash before them.
    lines : float
        After so many lines the text may end.

    Raises
    ------
    FileError
        What `plain_text` refuses; a column that is missing, or there twice.
    """
    with plain_text(path, layout, lines) as text:
        yield _with_separator(path, text, layout, wanted, escaped)


def has_escaped_quotes(path: Path, layout: Layout) -> bool:
    """Return whether a backslash stands before any quote or separator."""
    with plain_text(path, layout) as text, text.open(encoding="utf-8", newline="") as lines:
        return any(_ESCAPED.search(line) for line in lines)


def _with_separator(path: Path, text: Path, layout: Layout, wanted: Mapping[str, str], escaped: bool) -> CsvFile:
    first = "\t" if ".tsv" in path.name.lower()[-8:] else ","
    seps = (layout.sep,) if layout.sep else dict.fromkeys((first, *SEPARATORS))
    files, error = list[CsvFile](), None
    for sep in seps:
        try:
            files.append(CsvFile(path, text, layout, sep, *_header(path, text, layout, sep, escaped), escaped))
        except MalformedError as one:  # with another separator quotes may stand next to it
            error = error or one
    if error and not files:
        raise error
    fitting = [file for file in files if all(_has(file.header, name) for name in wanted.values())]
    if not fitting:
        _refuse_lines_before(path, text, seps, set(wanted.values()))
    file = fitting[0] if fitting else max(files, key=lambda file: len(file.header))
    for argument, column in wanted.items():
        file.find(argument, column)
    return file


def _has(header: list[str], name: str) -> bool:
    return name in header or any(one.strip() == name for one in header)


def _header(path: Path, text: Path, layout: Layout, sep: str, escaped: bool) -> tuple[list[str], int]:
    """Return the names of the columns, and the lines that they take."""
    with _reading(text, sep, escaped) as reader:
        try:
            row: list[str] = next(reader, [])
        except csv.Error as error:
            raise MalformedError(
                "path", f"must begin with its header, got {path} with a malformed first row: {error}"
            ) from error
        if not row:
            raise FileError("path", f"must begin with its header, got {path} with a blank first line")
        return (row, reader.line_num) if layout.has_header else ([str(place + 1) for place in range(len(row))], 0)


def _refuse_lines_before(path: Path, text: Path, seps: Any, names: set[str]) -> None:
    """Raise FileError where the wanted columns are the cells of a line further down."""
    with text.open(encoding="utf-8", newline="") as lines:
        rows = list(islice(lines, SEARCHED))
    for sep in seps:
        with suppress(csv.Error):
            for line, row in enumerate(csv.reader(rows, delimiter=sep)):
                if names <= set(row):
                    before = f"{line} line{'' if line == 1 else 's'}"
                    raise FileError("path", f"must begin with its header, got {path} with {before} before it")


@contextmanager
def _reading(text: Path, sep: str, escaped: bool, taken: list[str] | None = None) -> Iterator[Any]:
    """Give a strict reader of the rows of a text, which appends the lines that it takes to a list."""
    how: dict[str, Any] = {"escapechar": "\\", "doublequote": False} if escaped else {}
    limit = csv.field_size_limit(LONGEST)  # of all readers of the process, so it is given back
    try:
        with text.open(encoding="utf-8", newline="") as lines:
            seen = lines if taken is None else (taken.append(line) or line for line in lines)  # type: ignore[func-returns-value]
            yield csv.reader(seen, delimiter=sep, strict=True, **how)
    finally:
        csv.field_size_limit(limit)


def _quoted_cells(sep: str) -> re.Pattern[str]:
    """Return the pattern of a row whose quotes begin and end cells, or have backslashes before them."""
    sep = re.escape(sep)
    cell = rf'(?:"(?:[^"\\]|\\.)*"|(?:[^"\\{sep}]|\\.)(?:[^\\{sep}]|\\.)*|)'
    return re.compile(f"{cell}(?:{sep}{cell})*", re.DOTALL)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
