"""Markdown of a printed section: paragraphs, and a table with pipes."""

import re
from collections.abc import Callable, Sequence

from fitontest.results.text import visible

_ACTIVE = re.compile(r"[\\`*_\[\]<>|~&$#]")
_AT_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")  # of a line, which would make a list or a heading of it


def escaped(text: str) -> str:
    r"""Return a text so that Markdown shows it as it is.

    Examples
    --------
    >>> print(escaped("x_1 | 2 * 3 < [0, 1)"))
    x\_1 \| 2 \* 3 \< \[0, 1)
    """
    return _ACTIVE.sub(r"\\\g<0>", visible(text))


def as_markdown(
    title: str, header: Sequence[str], body: Sequence[Sequence[str]], notes: str, lead: str = "", *, left: int = 1
) -> str:
    r"""Return a section as Markdown, what is missing leaving no trace.

    Examples
    --------
    >>> print(as_markdown("Errors", ["family", "error"], [["a|b", "-0.5"]], "2. of 2 rows"))
    Errors
    <BLANKLINE>
    | family | error |
    | :--- | ---: |
    | a\|b | -0.5 |
    <BLANKLINE>
    2\. of 2 rows
    """
    lines = [_row(cells) for cells in body]
    if lines or header:
        columns = len(header or body[0])
        lines = [_row(header or [""] * columns), _row([*[":---"] * left, *["---:"] * (columns - left)], str), *lines]
    parts = (_paragraphs(title), _paragraphs(lead), "\n".join(lines), _paragraphs(notes))
    return "\n\n".join(part for part in parts if part)


def _row(cells: Sequence[str], shown: Callable[[str], str] = escaped) -> str:
    return f"| {' | '.join(map(shown, cells))} |"


def _paragraphs(text: str) -> str:
    return "\n\n".join(_no_list(escaped(line)) for line in text.splitlines())


def _no_list(line: str) -> str:
    """Return a line that begins neither a list nor a heading."""
    return _AT_START.sub(
        lambda found: f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}", line
    )
