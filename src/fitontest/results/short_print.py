"""Prints of at most eight lines: what is always said, as much of the rest as fits, and where more is."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

from fitontest.results.table import WIDTH, Section

MORE = "More: .table(), .explain(), .plot()"
NO_PICTURE = "More: .table(), .explain()"
MOST_LINES = 8


def short_print(
    lead: Sequence[str],
    body: Sequence[Sequence[str]] = (),
    said: Sequence[str] = (),
    further: Sequence[str] = (),
    more: str = MORE,
    header: Sequence[str] = (),
) -> Section:
    """Return a print of at most eight lines: lines of cells that do not fit are left out, the last first.

    Parameters
    ----------
    lead : sequence of str
        What is said first, a paragraph each.
    body : sequence of sequences of str
        Lines of cells.
    said : sequence of str
        What is said below these in any case.
    further : sequence of str
        What is said where there is room for it, the first of it first.
    more : str, default="More: .table(), .explain(), .plot()"
        Where the rest is.
    header : sequence of str, default=()
        Of the lines of cells.

    Examples
    --------
    >>> print(short_print(["Found."], [["a", "1"], ["b", "10"]], further=["short", "long " * 200, "c"]))
    Found.
    a   1
    b  10
    short
    c
    More: .table(), .explain(), .plot()
    """
    lead, said = [line for line in lead if line], [line for line in said if line]
    room = MOST_LINES - 2 * bool(header) - height([*lead, *said, more])
    body = body[: max(room, 0)]
    further = that_fit(further, room - len(body))
    return Section(header=header, lead="\n".join(lead), body=body, notes="\n".join([*said, *further, more]))


def height(lines: Iterable[str]) -> int:
    """Return how many lines are printed, of at most the width of a print.

    Parameters
    ----------
    lines : iterable of str
        A paragraph each.
    """
    return sum(len(wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)) for line in lines)


def that_fit(lines: Sequence[str], room: int) -> list[str]:
    """Return those of the paragraphs that there is room for; the first of them come first.

    Parameters
    ----------
    lines : sequence of str
    room : int
        In printed lines.
    """
    chosen: list[str] = []
    for line in lines:
        if line and height([*chosen, line]) <= room:
            chosen.append(line)
    return chosen
