"""Tables in plain text: aligned for people, the first column to the left and numbers to the right, or as CSV."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

# control characters, line and paragraph separators, marks that change the direction of a text, halves of pairs
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # the last four are wide forms of the first four
NOISE = 1e-14  # errors and differences below it are rounding of numbers of size one
LEAST_P = 1e-300  # p-values below it may be 0 by the range of numbers alone
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-6, 1e12  # numbers between them are printed without a power of ten
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def visible(text: str, kept: str = "") -> str:
    r"""Return a text with characters that act on a terminal or a page, and are not seen, as escapes.

    Names come from files. An escape sequence in one could change what a terminal shows, and a mark that turns the
    direction of a text could change the order of the numbers beside it. Characters of `kept` stay.

    Examples
    --------
    >>> print(visible("north\x1b[31m"), visible("\u202etxt.exe"), visible("a\nb", kept="\n"))
    north\x1b[31m \u202etxt.exe a
    b
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] in kept else found[0].encode("unicode_escape").decode(), text)


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return header, rule and rows, aligned.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequences of str
    left : int, default=1
        Columns that are aligned to the left.

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
    return "\n".join(_line(row, widths, left) for row in (header, ["-" * width for width in widths], *body))


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows without a header, aligned.

    Examples
    --------
    >>> print(aligned([["a", "1.0"], ["bcdef", "10.0"]]))
    a       1.0
    bcdef  10.0
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def short(value: float, digits: int = 3) -> str:
    """Return a number as people read it: with some significant digits, thousands separated, an exact zero as "0".

    Whole digits are never cut off, and a power of ten stands only where the plain number is longer than a dozen
    characters.

    Parameters
    ----------
    value : float
    digits : int, default=3
        Significant digits; standard errors and p-values have two.

    Examples
    --------
    >>> short(0.05), short(100.0), short(-0.0), short(1234.4), short(0.00004567), short(1.2e-12)
    ('0.0500', '100', '0', '1,234', '0.0000457', '1.20e-12')
    """
    if value == 0:
        return "0"
    size = abs(value)
    if 10**digits - 0.5 <= size < LARGEST_PLAIN:
        return f"{value:,.0f}"
    if not SMALLEST_PLAIN <= size < LARGEST_PLAIN:
        return f"{value:#.{digits}g}".rstrip(".")
    return f"{value:.{_decimals(size, digits)}f}"


def p_in_words(p_value: float) -> str:
    """Return a p-value as texts have it; one that is too small for a number of its own is never 0.

    Examples
    --------
    >>> p_in_words(0.0204), p_in_words(0.0)
    ('p = 0.020', 'p < 1e-300')
    """
    return f"p {'<' if p_value < LEAST_P else '='} {p_alone(p_value).removeprefix('< ')}"


def p_alone(p_value: float) -> str:
    """Return a p-value as tables have it under its name, in the same way.

    Examples
    --------
    >>> p_alone(0.0204), p_alone(0.0)
    ('0.020', '< 1e-300')
    """
    return "< 1e-300" if p_value < LEAST_P else short(p_value, 2)


def key_in_words(key: Any) -> str:
    """Return what a segment is called: its value, or those of several columns.

    Examples
    --------
    >>> key_in_words("north"), key_in_words(("north", 2026))
    ('north', 'north, 2026')
    """
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def signed(value: float, digits: int = 3) -> str:
    """Return a difference as `short` prints it, with its sign; a zero, but for rounding, has none.

    Examples
    --------
    >>> signed(0.012), signed(-0.012), signed(0.1 + 0.2 - 0.3)
    ('+0.0120', '-0.0120', '0')
    """
    value = without_noise(value)
    return f"{'+' * (value > 0)}{short(value, digits)}"


def without_noise(value: float) -> float:
    """Return an error or a difference, 0 where it is rounding alone; p-values may be as small, and are none."""
    return 0.0 if abs(value) < NOISE else value


def count(number: float) -> str:
    """Return a number of rows, bins or draws, thousands separated; a sum of weights need not be whole.

    Examples
    --------
    >>> count(24000), count(12.0), count(1234.5)
    ('24,000', '12', '1,234.5')
    """
    is_whole = float(number).is_integer() or abs(number) >= 1e5  # six digits without a power of ten
    return f"{number:,.0f}" if is_whole else f"{float(number):,.6g}"


def same_decimals(values: Sequence[float], digits: int = 3) -> list[str]:
    """Return numbers with one number of decimals: some significant digits of the largest, one at least of each.

    Examples
    --------
    >>> same_decimals([0.5, 0.0125]), same_decimals([0.5, 0.00004]), same_decimals([0.0, 0.5])
    (['0.500', '0.013'], ['0.50000', '0.00004'], ['0', '0.500'])
    """
    values = [without_noise(value) for value in values]
    sizes = [abs(value) for value in values if value != 0]
    if not sizes or not all(SMALLEST_PLAIN <= size < LARGEST_PLAIN for size in sizes):  # not a number is neither
        return [short(value, digits) for value in values]
    decimals = max(_decimals(max(sizes), digits), _decimals(min(sizes), 1))
    return [f"{value:,.{decimals}f}" if value != 0 else "0" for value in values]


def _decimals(size: float, digits: int) -> int:
    """Return how many decimals show some significant digits of a positive number, after rounding."""
    exponent = int(f"{size:.{digits - 1}e}".partition("e")[2])
    return max(digits - 1 - exponent, 0)


def sentence(text: str) -> str:
    """Return words as a sentence: with a capital letter, and a full stop unless they end with one or with a question.

    Examples
    --------
    >>> sentence("slope 0.32"), sentence("Scores too high."), sentence("are they predictions?")
    ('Slope 0.32.', 'Scores too high.', 'Are they predictions?')
    """
    return f"{capital(text)}{'' if text.endswith(('.', '?')) else '.'}"


def capital(text: str) -> str:
    """Return a text with a capital letter."""
    return text[0].upper() + text[1:]


def percent(share: float, digits: int = 2) -> str:
    """Return a share in percent, of two significant digits; 100 % is said of all alone.

    Examples
    --------
    >>> percent(0.0162), percent(0.315), percent(0.999), percent(1.0)
    ('1.6 %', '32 %', 'more than 99 %', '100 %')
    """
    if 0.995 <= share < 1.0:
        return "more than 99 %"
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


def _line(row: Sequence[str], widths: Sequence[int], left: int = 1) -> str:
    sides = (str.ljust if place < left else str.rjust for place in range(len(row)))
    return "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return records that share their keys as CSV with a header; what does not exist is an empty cell.

    A name that a spreadsheet would take for a formula, as it begins with one of = + - @, a tab or a newline and is no
    number, has a single quote before it.

    Examples
    --------
    >>> print(csv_text([{"name": "a", "value": 0.5}, {"name": "b", "value": None}]))
    name,value
    a,0.5
    b,
    >>> print(csv_text([{"name": "=1+1", "value": -0.5}]))
    name,value
    '=1+1,-0.5
    """
    lines = [list(rows[0]), *([row[name] for name in rows[0]] for row in rows)]
    return "\n".join(",".join(map(_csv_cell, line)) for line in lines)


def _csv_cell(value: Any) -> str:
    """Return a value as a cell, in quotes where it must be: also around a lone carriage return."""
    text = "" if value is None else str(_no_formula(value))
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text


def _no_formula(value: Any) -> Any:
    """Return a text that no spreadsheet runs; numbers are none."""
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
