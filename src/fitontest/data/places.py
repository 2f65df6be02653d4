"""Where a refused value stands, in the words of all messages: rows, columns and lines are counted from 1."""

from typing import Any

import numpy as np


class BadValueError(ValueError):
    """One value of an argument is refused: the message says which rule it breaks and where it stands.

    It keeps the number of the row, so that a reader of files can say the line instead.

    Parameters
    ----------
    name : str
        What the caller calls the argument.
    rule : str
        What its values must be or do.
    got : str
        The value, as the message quotes it.
    index : int
        Position of the value in the flattened array.
    shape : tuple of int
        Shape of the array.
    note : str, optional
        What else there is to say, such as how many values are refused.

    Examples
    --------
    >>> print(BadValueError("y_prob", "lie in [0, 1]", "1.5", 2, (5,), such(3)))
    y_prob must lie in [0, 1], got 1.5 at row 3 (rows counted from 1; 3 such values)
    >>> print(BadValueError("p", "be finite", "nan", 3, (4, 2)))
    p must be finite, got nan at row 2, column 2 (rows and columns counted from 1)
    """

    def __init__(self, name: str, rule: str, got: str, index: int, shape: tuple[int, ...], note: str = "") -> None:
        self.name, self.rule, self.got, self.index, self.shape, self.note = name, rule, got, index, shape, note
        super().__init__(self.at(*_place(index, shape)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor."""
        return type(self), (self.name, self.rule, self.got, self.index, self.shape, self.note)

    def at(self, where: str, counting: str) -> str:
        """Return the message with a place and how it is counted; a place of no words is left out."""
        return f"{self.name} {self.problem(where, counting)}"

    def problem(self, where: str, counting: str) -> str:
        """Return the message without the name that it begins with."""
        remarks = "; ".join(filter(None, (counting, self.note)))
        place = f" at {where}" if where else ""
        return f"must {self.rule}, got {self.got}{place}{f' ({remarks})' if remarks else ''}"

    @property
    def row(self) -> int:
        """The row, counted from 0."""
        return int(np.unravel_index(self.index, self.shape)[0]) if self.shape else 0


def such(count: Any, noun: str = "value") -> str:
    """Return how many values are refused.

    Examples
    --------
    >>> such(1), such(2)
    ('1 such value', '2 such values')
    """
    return f"{count} such {noun}{'' if count == 1 else 's'}"


def _place(index: int, shape: tuple[int, ...]) -> tuple[str, str]:
    """Return where an entry of a flattened array is, and how that is counted."""
    at = [int(one) + 1 for one in np.unravel_index(index, shape)] if shape else []
    if not at:
        return "", ""
    if len(at) == 1 or (len(at) == 2 and shape[1] == 1):
        return f"row {at[0]}", "rows counted from 1"
    if len(at) == 2:
        return f"row {at[0]}, column {at[1]}", "rows and columns counted from 1"
    return f"entry {tuple(at)}", "entries counted from 1"
