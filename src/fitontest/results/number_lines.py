"""Numbers with intervals and remarks, a line each, as short prints have them."""

from collections.abc import Sequence
from dataclasses import dataclass

from fitontest.results.quoting import Kind, confidence, in_decimals


@dataclass(frozen=True)
class NumberLine:
    """A number under its name, with its interval and a remark.

    Attributes
    ----------
    label : str
    value : float or None
        None: there is none, and the remark says why.
    ends : tuple of float, or None
        The interval.
    level : float
        Of the interval.
    kind : {"error", "score", "ratio", "slope", "benefit"}
        Of the statistic, whose decimals are used.
    remark : str
        What the number means, or "".
    beside : str
        What stands within the brackets of the interval, or "".
    """

    label: str
    value: float | None
    ends: tuple[float, float] | None = None
    level: float = 0.95
    kind: Kind = "error"
    remark: str = ""
    beside: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is an error whose interval begins at 0, so that the interval alone is quoted."""
        return self.kind == "error" and self.ends is not None and self.ends[0] <= 0.0

    @property
    def texts(self) -> list[str]:
        """The value, where it is quoted, and the ends of the interval."""
        values = [] if self.value is None or self.is_open else [self.value]
        return in_decimals([*values, *(self.ends or ())], self.kind)


def number_lines(lines: Sequence[NumberLine]) -> list[list[str]]:
    """Return lines as two cells each, name and number, with the same places for values and intervals.

    The level of the intervals stands beside the first of each level alone.

    Examples
    --------
    >>> lines = [NumberLine("Error", 0.0704, (0.0617, 0.0791)), NumberLine("O:E", 1.316, (1.26, 1.37), kind="ratio")]
    >>> number_lines(lines)
    [['Error', '0.070  (95 % CI 0.062 to 0.079)'], ['O:E', '1.32   (1.26 to 1.37)         ']]
    """
    width = max((len(line.texts[0]) for line in lines if line.value is not None and not line.is_open), default=0)
    texts = [_number(line, width, is_first=line.level not in _before(lines, k)) for k, line in enumerate(lines)]
    widest = max((len(text) for line, text in zip(lines, texts, strict=True) if line.remark), default=0)
    cells = [
        "   ".join(filter(None, (text.ljust(widest) if line.remark and text else text, line.remark)))
        for line, text in zip(lines, texts, strict=True)
    ]
    longest = max(map(len, cells), default=0)  # tables put numbers to the right
    return [[line.label, cell.ljust(longest)] for line, cell in zip(lines, cells, strict=True)]


def _before(lines: Sequence[NumberLine], place: int) -> set[float]:
    """Return the levels of the intervals above a line."""
    return {line.level for line in lines[:place] if line.ends is not None}


def _number(line: NumberLine, width: int, *, is_first: bool) -> str:
    """Return a number with its interval; `is_first`: of its level, which is said."""
    if line.value is None:
        return ""
    texts = line.texts
    if line.is_open:
        brackets = ", ".join(filter(None, (confidence(line.level), line.beside)))
        return f"{texts[0]} to {texts[1]} ({brackets})"
    if line.ends is None:
        return texts[0]
    level = confidence(line.level) if is_first else ""
    within = ", ".join(filter(None, (f"{level} {texts[1]} to {texts[2]}".strip(), line.beside)))
    return f"{texts[0].ljust(width)}  ({within})"
