"""LaTeX of a printed section: paragraphs, and a table that needs no package."""

import re
from collections.abc import Sequence

from fitontest.results.text import visible

_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # in the first cell it would be an argument of the end of the row above, as the star would
    "]": "{]}",
    "*": "{*}",
} | {sign: f"\\{sign}" for sign in "{}$&#_%"}
_ACTIVE = re.compile(r"(?<![\w-])-(?=\.?\d)|-(?=-)|[" + re.escape("".join(_SIGNS)) + "]")
END_OF_ROW = r" \\"
TEXTS = r"p{0.6\linewidth}"  # a column of texts, which are wrapped


def escaped(text: str) -> str:
    r"""Return a text so that LaTeX prints it: no sign acts, numbers have a minus, and two hyphens are no dash.

    Examples
    --------
    >>> print(escaped("50 % of x_1 & -0.5 to [0, 1) --all"))
    50 \% of x\_1 \& $-$0.5 to {[}0, 1) -{}-all
    """
    return _ACTIVE.sub(_shown, visible(text))


def _shown(found: re.Match[str]) -> str:
    if found[0] != "-":
        return _SIGNS[found[0]]
    return "-{}" if found.string[found.end()] == "-" else "$-$"


def as_latex(
    title: str, header: Sequence[str], body: Sequence[Sequence[str]], notes: str, lead: str = "", *, left: int = 1
) -> str:
    r"""Return a section as LaTeX: its lead as paragraphs, and a table with the title as caption and the notes below.

    Examples
    --------
    >>> print(as_latex("Errors", ["family", "error"], [["a_1", "-0.5"]], "of 2 rows"))
    \begin{table}[htbp]
    \caption{Errors}
    \begin{tabular}{lr}
    \hline
    family & error \\
    \hline
    a\_1 & $-$0.5 \\
    \hline
    \end{tabular}
    <BLANKLINE>
    {\footnotesize of 2 rows\par}
    \end{table}
    """
    if not header and not body:
        return "\n\n".join(part for part in (_paragraphs(title), _paragraphs(lead), _paragraphs(notes)) if part)
    count = len(header or body[0])
    columns = "l" * left + "r" * (count - left) if left == 1 or left < count else "l" * (count - 1) + TEXTS
    rows = [_row(cells) for cells in body]
    head = [_row(header), r"\hline"] if header else []
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", *head, *rows, r"\hline", r"\end{tabular}"]
    caption = [rf"\caption{{{escaped(' '.join(title.splitlines()).rstrip(':'))}}}"] if title else []
    below = ["", rf"{{\footnotesize {_paragraphs(notes)}\par}}"] if notes else []
    table = "\n".join([r"\begin{table}[htbp]", *caption, *lines, *below, r"\end{table}"])
    return f"{_paragraphs(lead)}\n\n{table}" if lead else table


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escaped, cells)) + END_OF_ROW


def _paragraphs(text: str) -> str:
    return "\n\n".join(escaped(line) for line in text.splitlines())
