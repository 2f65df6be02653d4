"""How files of text and their scores are written, as far as a user says it."""

import codecs
from dataclasses import dataclass, field
from typing import Any

from fitontest.data.files.file_error import FileError
from fitontest.data.files.unpacked import MOST_UNPACKED
from fitontest.data.written import PLAIN, Written
from fitontest.results.checks import brief, check_flag

REWRITING = frozenset(("unicode-escape", "raw-unicode-escape", "idna", "punycode"))  # no files are in them
THOUSANDS = (",", ".", " ", "'", "_", "\u00a0", "\u202f")
OF_CSV = ("sep", "encoding", "decimal", "thousands", "header")


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
    thousands : str, optional
        The character between groups of three digits, such as a comma; by default there is none.
    header : bool, optional
        Whether the first line has the names of the columns; without one they are called "1", "2", ...
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
    thousands: str | None = field(default=None, repr=False)
    header: bool | None = field(default=None, repr=False)
    written: Written = field(default=PLAIN, repr=False)

    def __post_init__(self) -> None:
        if self.sep == "\\t":  # as a shell passes it
            object.__setattr__(self, "sep", "\t")
        if self.sep is not None and (len(self.sep) != 1 or self.sep in '"\\\r\n\0'):
            rule = "must be one character, no quote, backslash or newline"
            raise FileError("sep", f"{rule}, got {brief(self.sep)}")
        if self.decimal not in (None, ".", ","):
            raise FileError("decimal", f"must be '.' or ',', got {brief(self.decimal)}")
        if self.thousands is not None and (self.thousands not in THOUSANDS or self.thousands == self.point):
            rule = f"must be one of {', '.join(map(repr, THOUSANDS[:5]))} and not the decimal separator"
            raise FileError("thousands", f"{rule}, got {brief(self.thousands)}")
        if self.header is not None:
            check_flag(self.header, "header")
        if self.encoding is not None:
            try:
                if codecs.lookup(self.encoding).name.replace("_", "-") in REWRITING:
                    raise LookupError("it is one of Python's source or of internet names")
                "".encode(self.encoding)
            except (LookupError, ValueError) as error:  # unknown, no encoding of text, or with a NUL
                found = f"{brief(self.encoding)}: {error}"
                raise FileError("encoding", f"must be a text encoding, got {found}") from error

    @property
    def point(self) -> str:
        """The decimal separator."""
        return self.decimal or "."

    @property
    def has_header(self) -> bool:
        """Whether the first line has the names of the columns."""
        return self.header is not False

    @property
    def first_line(self) -> str:
        """How lines are counted, for messages."""
        return "the header is line 1" if self.has_header else "lines counted from 1"

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
        for name in OF_CSV:
            if getattr(self, name) is not None:
                raise FileError(name, f"must be left out with {kind}, got {getattr(self, name)!r}")


STANDARD = Layout()
