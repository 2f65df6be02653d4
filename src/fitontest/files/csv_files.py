"""CSV and TSV files: their layout, their cells, and which line of the file a row is.

The first line is the header. A cell may stand in double quotes; within them a quote is doubled (or, in files that are
no CSV otherwise, as some databases write them, has a backslash before it), and separators and newlines are text. Blank
lines count as lines and not as rows. Nothing else is guessed: a row of too many or too few cells is refused, and so are
bytes that the encoding has no meaning for.
"""

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from fitontest.checks import brief, meant
from fitontest.data.written import PLAIN, Written
from fitontest.files.file_error import FileError
from fitontest.files.unpacked import MOST_UNPACKED, LimitedGzip

T = TypeVar("T")

MISSING = frozenset(("", "NA", "N/A", "null", "NULL"))
BOOLEANS = {"true": True, "t": True, "yes": True, "y": True, "false": False, "f": False, "no": False, "n": False}
_PAIRS = ({"true", "false"}, {"t", "f"}, {"yes", "no"}, {"y", "n"})  # letters of two pairs are names of classes
SEPARATORS = (",", "\t", ";", "|")  # tried in the header where none is given
REWRITING = frozenset(("unicode-escape", "raw-unicode-escape", "idna", "punycode"))  # no files are in them
SEARCHED = 20  # rows in which a header is looked for, for a message
LONGEST = 2**31 - 1  # letters in a cell: the texts that were scored may stand beside their scores
BLOCK = 1 << 16  # rows whose cells are in memory as texts

# what is a number in all languages: float() would take 1_000 and the digits of other scripts too
_NUMBER = re.compile(
    r"[ \t-\r]*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)[ \t-\r]*"
)
_NEWLINE = re.compile(r"\r\n|\r|\n")


class MalformedError(FileError):
    """The text is no CSV of this dialect; it may be one of another."""


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written, as far as a user says it.

    Parameters
    ----------
    sep : str, optional
        The character between cells. By default the first of comma, tab, semicolon and bar (in a TSV file, tab first)
        with which the header has the columns that are wanted.
    encoding : str, optional
        A text encoding that Python knows; by default UTF-8.
    decimal : {".", ","}, optional
        The decimal separator of numbers; by default the point.
    max_unpacked : int, default=4 GiB
        Bytes to which a compressed file, Parquet too, may unpack.
    written : Written
        How the scores are written, in files of every format.

    Raises
    ------
    FileError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> Layout(sep=";", decimal=",")
    Layout(sep=';', encoding=None, decimal=',')
    """

    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    max_unpacked: int = field(default=MOST_UNPACKED, repr=False)
    written: Written = field(default=PLAIN, repr=False)

    def __post_init__(self) -> None:
        if self.sep == "\\t":  # as a shell passes it
            object.__setattr__(self, "sep", "\t")
        if self.sep is not None and (len(self.sep) != 1 or self.sep in '"\\\r\n\0'):
            rule = "must be one character, no quote, backslash or newline"
            raise FileError("sep", f"{rule}, got {brief(self.sep)}")
        if self.decimal not in (None, ".", ","):
            raise FileError("decimal", f"must be '.' or ',', got {brief(self.decimal)}")
        if self.encoding is not None:
            try:
                if codecs.lookup(self.encoding).name.replace("_", "-") in REWRITING:
                    raise LookupError("it is one of Python's source or of internet names")
                "".encode(self.encoding)
            except (LookupError, ValueError) as error:  # unknown, no encoding of text, or with a NUL
                found = f"{brief(self.encoding)}: {error}"
                raise FileError("encoding", f"must be a text encoding, got {found}") from error

    @property
    def options(self) -> dict[str, Any]:
        """What is said, as `fitontest.read` takes it."""
        own = {name: value for name, value in vars(self).items() if name != "written"}
        return {**own, **vars(self.written)}

    @property
    def codec(self) -> str:
        """The encoding; a mark at the beginning, with which some programs sign UTF-8, is no text."""
        name = codecs.lookup(self.encoding or "utf-8").name
        return "utf-8-sig" if name == "utf-8" else name

    def refuse_for(self, kind: str) -> None:
        """Raise FileError for arguments that say something of a file that is no CSV."""
        for name in ("sep", "encoding", "decimal"):
            if getattr(self, name) is not None:
                raise FileError(name, f"must be left out with {kind}, got {getattr(self, name)!r}")


STANDARD = Layout()


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose separator and header are known.

    Attributes
    ----------
    path : Path
    layout : Layout
    sep : str
    header : list of str
        The names of the columns, which may be empty or equal.
    escaped : bool
        Whether quotes within cells have a backslash before them, and are not doubled.
    """

    path: Path
    layout: Layout
    sep: str
    header: list[str]
    escaped: bool = False

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield every row with the line on which it begins.

        Raises
        ------
        MalformedError
            A row of too many or too few cells; quotes that are not closed, or closed within a cell.
        """
        with _text(self.path, self.layout) as text:
            yield from self._rows(text)

    def texts(self) -> Iterator[tuple[list[str], str]]:
        """Yield the cells of every row, and its text without the newline at its end."""
        with _text(self.path, self.layout) as text:
            lines = _Lines(text)
            for _, row in self._rows(lines):
                yield row, lines.taken

    def is_quoted(self, text: str) -> list[bool]:
        """Return for each cell of the text of a row whether it stands in quotes.

        Raises
        ------
        csv.Error
            A cell that goes on behind its quotes.
        """
        cell, quoted, at = self._cell, [], 0
        while at <= len(text):
            quoted.append(text.startswith('"', at))
            at = cell.match(text, at).end()  # type: ignore[union-attr]  # the pattern also matches nothing
            if text[at : at + 1] not in ("", self.sep):
                raise csv.Error(f"{self.sep!r} expected after '\"'")
            at += 1
        return quoted

    @cached_property
    def _cell(self) -> re.Pattern[str]:
        sep = re.escape(self.sep)
        bodies = (r'(?:[^"\\]|\\.)*', rf"(?:[^\\{sep}]|\\.)*") if self.escaped else (r'(?:[^"]|"")*', rf"[^{sep}]*")
        return re.compile(rf'"{bodies[0]}"|{bodies[1]}', re.DOTALL)

    def _rows(self, text: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        lines = _Lines(text) if self.escaped and not isinstance(text, _Lines) else text
        reader = _reader(lines, self.sep, self.escaped)
        line, width = 0, len(self.header)
        blank: list[int] = []
        try:
            next(reader, None)
            if isinstance(lines, _Lines):
                lines.finish()  # the header is no row
            line = reader.line_num
            for row in reader:
                if isinstance(lines, _Lines):
                    lines.finish()
                    if self.escaped and row:  # which the csv module does not read strictly
                        self.is_quoted(lines.taken)
                if not row and width == 1:  # a missing cell, if it is not the end of the file
                    blank.append(line + 1)
                elif len(row) == width:
                    yield from ((one, [""]) for one in blank)
                    blank.clear()
                    yield line + 1, row
                elif row:
                    raise MalformedError(
                        "path",
                        f"must have {width} cells in every row, as many as its header, got {self.path} with "
                        f"{len(row)} at line {line + 1} (the header is line 1; cells are separated by {self.sep!r})",
                    )
                line = reader.line_num
        except csv.Error as error:
            raise MalformedError(
                "path",
                f"must be readable as CSV, got {self.path} with a row that begins at line {line + 1} (the header "
                f"is line 1) and is malformed: {error}",
            ) from error

    def find(self, argument: str, column: str) -> int:
        """Return the position of a column, or refuse a name that is absent or occurs twice."""
        count = self.header.count(column)
        if count > 1:
            raise FileError(argument, f"must be one column of {self.path}, got {column!r}, {count} times in its header")
        if not count:
            found = f"got {column!r}; its columns are {brief(self.header)}{meant(column, self.header)}"
            raise FileError(argument, f"must be a column of {self.path}, {found}", self._remedy())
        return self.header.index(column)

    def _remedy(self) -> tuple[str, str] | None:
        """Return the argument that may help where a column is missing, and what to say of it."""
        if any("\0" in name for name in self.header):
            return "encoding", f"must be that of the file, which does not look like text in {self.layout.codec}"
        if len(self.header) > 1:
            return None
        return "sep", f"{self.sep!r} does not occur in it" if self.layout.sep else "names another separator"


def read_csv(path: Path, layout: Layout, wanted: Mapping[str, str], numbers: set[str]) -> dict[str, NDArray[Any]]:
    """Return the wanted columns, by what the caller calls them; those of `numbers` as far as they are numbers.

    A column of numbers with cells that are none comes as an array of objects: numbers, texts, and None for cells
    without an entry. Any other column is one of whole numbers, numbers, booleans or texts.
    """
    return either(path, layout, wanted, lambda file: _read(file, wanted, numbers))


def line_of(path: Path, layout: Layout, wanted: Mapping[str, str], name: str, row: int) -> int:
    """Return the line of the cell of one of the wanted columns in a row, counted from 0."""

    def find(file: CsvFile) -> int:
        line, cells = next(islice(file.rows(), row, None))
        before = cells[: file.find(name, wanted[name])]
        return line + sum(len(_NEWLINE.findall(cell)) for cell in before)

    return either(path, layout, wanted, find)


def either(path: Path, layout: Layout, wanted: Mapping[str, str], use: Callable[[CsvFile], T]) -> T:
    """Return what the use of a file gives: with quotes doubled, or else with backslashes before them."""
    try:
        return use(_opened(path, layout, wanted, escaped=False))
    except MalformedError as error:
        try:
            return use(_opened(path, layout, wanted, escaped=True))
        except MalformedError:
            raise error from None


def _opened(path: Path, layout: Layout, wanted: Mapping[str, str], *, escaped: bool) -> CsvFile:
    """Return the file with its separator: the given one, or the first with which the header has the wanted columns."""
    first = "\t" if ".tsv" in path.name.lower()[-7:] else ","
    seps = (layout.sep,) if layout.sep else dict.fromkeys((first, *SEPARATORS))
    headers, error = {}, None
    for sep in seps:
        try:
            headers[sep] = _first_row(path, layout, sep, escaped)
        except MalformedError as one:  # with another separator quotes may stand next to it
            error = error or one
    if error and not headers:
        raise error
    names = set(wanted.values())
    fitting = [sep for sep, header in headers.items() if names <= set(header)]
    if not fitting:
        _refuse_lines_before(path, layout, seps, names)
    sep = fitting[0] if fitting else max(headers, key=lambda sep: len(headers[sep]))
    file = CsvFile(path, layout, sep, headers[sep], escaped)
    for argument, column in wanted.items():
        file.find(argument, column)
    return file


def _first_row(path: Path, layout: Layout, sep: str, escaped: bool) -> list[str]:
    if path.stat().st_size == 0:
        raise FileError("path", f"must not be empty, got {path} of 0 bytes")
    with _text(path, layout) as text:
        try:
            row: list[str] = next(_reader(text, sep, escaped))
            if row:
                return row
            raise FileError("path", f"must begin with its header, got {path} with a blank first line")
        except StopIteration:
            raise FileError("path", f"must not be empty, got {path} without text") from None
        except csv.Error as error:
            raise MalformedError(
                "path", f"must begin with its header, got {path} with a malformed first row: {error}"
            ) from error


def _refuse_lines_before(path: Path, layout: Layout, seps: Any, names: set[str]) -> None:
    """Raise FileError where the wanted columns are the cells of a line further down."""
    for sep in seps:
        with _text(path, layout) as text:
            rows = list(islice(text, SEARCHED))
        with suppress(csv.Error):
            for line, row in enumerate(csv.reader(rows, delimiter=sep)):
                if names <= set(row):
                    lines = f"{line} line{'' if line == 1 else 's'}"
                    raise FileError("path", f"must begin with its header, got {path} with {lines} before it")


def _read(file: CsvFile, wanted: Mapping[str, str], numbers: set[str]) -> dict[str, NDArray[Any]]:
    at = {name: file.find(name, column) for name, column in wanted.items()}
    columns: dict[str, _Numbers | _Labels] = {
        name: _Numbers(file.layout.decimal == ",") if name in numbers else _Labels(file.layout.decimal == ",")
        for name in wanted
    }
    rows = (row for _, row in file.rows())
    while block := list(islice(rows, BLOCK)):
        for name, column in columns.items():
            position = at[name]
            column.add([row[position] for row in block])
    return {name: column.array() for name, column in columns.items()}


class _Numbers:
    """A column of numbers that grows by blocks of cells."""

    def __init__(self, comma: bool) -> None:
        self._comma, self._blocks = comma, [np.empty(0)]

    def add(self, cells: list[str]) -> None:
        numbers = _floats(cells, self._comma)
        if numbers is None:
            mixed = np.empty(len(cells), dtype=object)
            mixed[:] = [None if cell in MISSING else _number(cell, self._comma) for cell in cells]
            self._blocks.append(mixed)
        else:
            self._blocks.append(np.array(numbers))

    def array(self) -> NDArray[Any]:
        return np.concatenate(self._blocks)


class _Labels:
    """A column of labels that grows by blocks of cells; it holds each distinct text once."""

    def __init__(self, comma: bool) -> None:
        self._comma = comma
        self._codes: dict[str, int] = {}
        self._blocks = [np.empty(0, dtype=np.intp)]

    def add(self, cells: list[str]) -> None:
        codes = self._codes
        self._blocks.append(np.array([codes.setdefault(cell, len(codes)) for cell in cells], dtype=np.intp))

    def array(self) -> NDArray[Any]:
        return _typed(list(self._codes), self._comma)[np.concatenate(self._blocks)]


def _typed(texts: list[str], comma: bool) -> NDArray[Any]:
    """Return distinct texts as whole numbers, numbers, booleans or texts, whatever all of them are."""
    numbers = _floats(texts, comma)
    if numbers is not None:
        try:
            return np.array([int(text) for text in texts], dtype=np.int64)
        except (ValueError, OverflowError):
            return np.array(numbers)
    spelt = {text.lower() for text in texts}
    if any(spelt <= pair for pair in _PAIRS):
        return np.array([BOOLEANS[text.lower()] for text in texts])
    labels = np.empty(len(texts), dtype=object)
    labels[:] = [None if text in MISSING else text for text in texts]
    return labels


def _floats(cells: list[str], comma: bool) -> list[float] | None:
    """Return the cells as numbers, or None where one of them is none."""
    together = "".join(cells)
    if together.isascii() and "_" not in together and not (comma and ("." in together or "," in together)):
        try:
            return list(map(float, cells))
        except ValueError:
            return None
    numbers = [_number(cell, comma) for cell in cells]
    return None if any(isinstance(number, str) for number in numbers) else numbers  # type: ignore[return-value]


def _number(cell: str, comma: bool) -> float | str:
    """Return the cell as a number, or as it is."""
    text = cell.translate(_SWAPPED) if comma else cell
    return float(text) if _NUMBER.fullmatch(text) else cell


_SWAPPED = str.maketrans(",.", ".,")


class _Lines:
    """The lines of a text, of which it keeps those of the last row."""

    def __init__(self, text: Iterator[str]) -> None:
        self._text = text
        self._lines: list[str] = []
        self.taken = ""

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._text)
        self._lines.append(line)
        return line

    def finish(self) -> None:
        """Take the lines since the last row for one row, without the newline at its end."""
        self.taken = "".join(self._lines).rstrip("\r\n")
        self._lines.clear()


def _reader(lines: Iterator[str], sep: str, escaped: bool) -> Any:
    how: dict[str, Any] = {"escapechar": "\\", "doublequote": False} if escaped else {}
    return csv.reader(lines, delimiter=sep, strict=True, **how)


@contextmanager
def _text(path: Path, layout: Layout) -> Iterator[TextIO]:
    """Give the text of a file; what cannot be unpacked or decoded in the block is a FileError."""
    limit = csv.field_size_limit(LONGEST)  # of all readers of the process, so it is given back
    try:
        with _bytes(path, layout) as raw:
            yield TextIOWrapper(raw, encoding=layout.codec, newline="")
    except UnicodeError as error:
        where = _undecodable(path, layout)
        raise FileError(
            "path",
            f"must be text in {layout.encoding or 'utf-8'}, got {path} with {where}",
            ("encoding", "names its encoding, such as latin-1, cp1252 or utf-16"),
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileError("path", f"must be readable as gzip, got {path}: {error}") from error
    finally:
        csv.field_size_limit(limit)


def _bytes(path: Path, layout: Layout) -> BinaryIO:
    """Return the file to read bytes from, unpacked by its ending."""
    if path.name.lower().endswith(".gz"):
        return LimitedGzip(path, layout.max_unpacked)  # type: ignore[return-value]  # it is one but for its type
    return path.open("rb")


def _undecodable(path: Path, layout: Layout) -> str:
    """Return the first byte that is no text, and its line."""
    decoder, line = codecs.getincrementaldecoder(layout.codec)(), 1
    with _bytes(path, layout) as raw:
        try:
            for piece in raw:
                line += decoder.decode(piece).count("\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            return f"the byte 0x{error.object[error.start]:02x} at line {line} (the header is line 1)"
        except UnicodeError as error:  # as where a byte order mark is wanting
            return str(error)
    return "bytes that do not belong to it"
