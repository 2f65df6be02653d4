"""What the four papers print, beside what we get: the page docs/reproduced.md, from the tables of the other pages.

Usage: ``python benchmarks/reproduced.py [--check]``.

Every row is counted from a table of docs/measurements/, which the script that is named beside it has printed: cells of
the form "ours / published" are compared in the digits that are printed. ``--check`` writes nothing, and says whether
the page is that of the tables.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from report import markdown

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "reproduced.md"
PAIR = re.compile(r"^\**([-+]?[\d.,]+)\s*/\s*([-+]?[\d.,]+)\**$")
HEAD = """# Every table of the papers

What the four papers print that this package goes back to, beside what it gets, with the script that prints both.
`python benchmarks/reproduced.py` makes this page from the tables of the [measurements](measurements.md); each links to its own.

*Equal* counts the numbers that are the same in every printed digit; *mean, ours and published*, is over all numbers of the tables that
have both. Where data are other than the paper's, the numbers cannot be equal, and what can be compared is the order of the methods.
"""


@dataclass(frozen=True)
class Entry:
    """Some tables of a paper, and where ours stand.

    Attributes
    ----------
    names : str
        Of the tables or figures, as the paper numbers them.
    what : str
        What they show.
    script : str
        Which prints ours.
    page : str
        The page under docs/ that quotes it.
    titles : tuple of str
        The text that stands above each table of the page; none where it has no pairs to count.
    said : str
        What is to be said of the numbers beside the counts.
    """

    names: str
    what: str
    script: str
    page: str
    titles: tuple[str, ...] = ()
    said: str = ""

    def row(self) -> list[str]:
        """Return its row of the page."""
        pairs = np.array([pair for title in self.titles for pair in pairs_below(self.page, title)])
        equal, means = "", ""
        if len(pairs):
            equal = f"{int((pairs[:, 0] == pairs[:, 1]).sum())} of {len(pairs)}"
            means = f"{pairs[:, 0].mean():.4g} / {pairs[:, 1].mean():.4g}"
        return [self.names, self.what, equal, means, self.said, f"`{self.script}`", f"[page]({self.page})"]


@dataclass(frozen=True)
class Paper:
    """A paper: its tables, and what of it could not be had."""

    title: str
    link: str
    entries: tuple[Entry, ...]
    left: tuple[str, ...]

    def section(self) -> str:
        """Return its part of the page."""
        header = ["paper's", "what", "equal", "mean, ours / published", "notes", "script", "ours"]
        left = "\n".join(f"* {one}" for one in self.left)
        table = markdown(header, [entry.row() for entry in self.entries])
        return f"## {self.title}\n\n[{self.link}]({self.link})\n\n{table}\n\nWhat could not be had, or is not here:\n\n{left}"


def pairs_below(page: str, title: str) -> Iterator[tuple[float, float]]:
    """Yield the pairs of numbers, ours and published, of the first table below a text; ranks are left out."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if text.count(title) != 1:
        raise ValueError(f"{page} must have {title!r} once, got {text.count(title)} times")
    below = text.split(title, 1)[1].splitlines()
    start = next(i for i, line in enumerate(below) if line.startswith("|"))
    header, _, *rows = takewhile(lambda line: line.startswith("|"), below[start:])
    kept = [i for i, name in enumerate(header.split("|")) if "rank" not in name and name.strip() != "mean"]
    for row in rows:
        cells = row.split("|")
        for i in kept:
            if found := PAIR.match(cells[i].strip()):
                yield float(found[1].replace(",", "")), float(found[2].replace(",", ""))
