"""A result with all its columns and notes, where it prints itself in a few lines."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fitontest.results.frames import Records
from fitontest.results.table import Section, Table


@dataclass(frozen=True, eq=False, repr=False)
class Detailed(Table):
    """The full table of a result: it prints sections of its own, and has the records of the result.

    Attributes
    ----------
    result : Table
    parts : tuple of Section
        What is printed.

    Examples
    --------
    >>> class Best(Table):
    ...     def rows(self):
    ...         return [{"name": "a", "value": 0.25}]
    >>> detailed = Detailed(Best(), (Section("All of them", ["name", "value"], [["a", "0.250"], ["b", "0.500"]]),))
    >>> print(detailed)
    All of them
    name  value
    ----  -----
    a     0.250
    b     0.500
    >>> detailed.rows()
    [{'name': 'a', 'value': 0.25}]
    """

    result: Table
    parts: tuple[Section, ...]

    def rows(self) -> Records:
        """Return the records of the result."""
        return self.result.rows()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values."""
        return self.result.to_dict()

    def sections(self) -> list[Section]:
        """Return the sections."""
        return list(self.parts)


def explanation(result: Table, paragraphs: Iterable[str]) -> Table:
    """Return the words and columns of a result in plain sentences, with the same records.

    Parameters
    ----------
    result : Table
    paragraphs : iterable of str
        Each is said once; empty ones are left out.
    """
    return Detailed(result, (Section(notes="\n".join(dict.fromkeys(filter(None, paragraphs)))),))
