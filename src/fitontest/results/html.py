"""Fragments of HTML: a titled table with notes, styled by nothing but its own tags."""

from collections.abc import Sequence
from html import escape

from fitontest.results.text import visible

NEWLINE = "\n"


def as_html(title: str, header: Sequence[str], body: Sequence[Sequence[str]], notes: str, lead: str = "") -> str:
    """Return a section as HTML; what is missing leaves no trace.

    Examples
    --------
    >>> as_html("Errors", ["family"], [["a < b"]], "")
    '<p>Errors</p><table><thead><tr><th>family</th></tr></thead><tbody><tr><td>a &lt; b</td></tr></tbody></table>'
    """
    table = ""
    if header or body:
        head = f"<thead>{_row(header, 'th')}</thead>" if header else ""
        table = f"<table>{head}<tbody>{''.join(_row(cells, 'td') for cells in body)}</tbody></table>"
    return f"{_paragraph(title)}{_paragraph(lead)}{table}{_paragraph(notes)}"


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(visible(text))}</{tag}>' for text in cells)}</tr>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(visible(text, NEWLINE)).replace(NEWLINE, '<br>')}</p>" if text else ""
