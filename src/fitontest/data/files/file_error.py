"""What is wrong with a file, or with what is said of how it is written."""

from collections.abc import Mapping
from typing import Any


class FileError(ValueError):
    """A file, or an argument that says how it is written, is refused.

    The message names arguments as Python calls them. A program that calls them otherwise, as a command line does its
    options, says the same by `called`.

    Parameters
    ----------
    argument : str
        The argument that is refused: ``"path"``, ``"sep"``, or what the caller calls a column.
    problem : str
        What it must be, and what was found.
    remedy : tuple of two str, optional
        An argument that may help, and what it does.

    Examples
    --------
    >>> error = FileError("path", "must be text in utf-8, got a.csv", ("encoding", "names its encoding"))
    >>> print(error)
    path must be text in utf-8, got a.csv; encoding names its encoding
    >>> error.called({"path": "FILE", "encoding": "--encoding"})
    'FILE must be text in utf-8, got a.csv; --encoding names its encoding'
    """

    def __init__(self, argument: str, problem: str, remedy: tuple[str, str] | None = None) -> None:
        self.argument, self.problem, self.remedy = argument, problem, remedy
        super().__init__(self.called({}))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor."""
        return type(self), (self.argument, self.problem, self.remedy)

    def called(self, names: Mapping[str, str]) -> str:
        """Return the message with other names of the arguments."""
        sentences = [(self.argument, self.problem), *([self.remedy] if self.remedy else [])]
        return "; ".join(f"{names.get(argument, argument)} {text}" for argument, text in sentences)
