"""HTML: a titled table with notes, styled by nothing but its own tags, and a page that needs no other file."""

from collections.abc import Sequence
from html import escape

from fitontest.results.text import visible

NEWLINE = "\n"


def as_html(
    title: str, header: Sequence[str], body: Sequence[Sequence[str]], notes: str, lead: str = "", *, left: int = 1
) -> str:
    """Return a section as HTML; what is missing leaves no trace.

    Examples
    --------
    >>> as_html("Errors", ["family"], [["a < b"]], "")
    '<p>Errors</p><table><thead><tr><th>family</th></tr></thead><tbody><tr><td>a &lt; b</td></tr></tbody></table>'
    """
    table = ""
    if header or body:
        head = f"<thead>{_row(header, 'th', left)}</thead>" if header else ""
        table = f"<table>{head}<tbody>{''.join(_row(cells, 'td', left) for cells in body)}</tbody></table>"
    return f"{_paragraph(title)}{_paragraph(lead)}{table}{_paragraph(notes)}"


def _row(cells: Sequence[str], tag: str, left: int) -> str:
    """Return a row, whose first cell a page aligns to the left by itself."""
    ways = [' style="text-align:left;white-space:normal"' if 0 < k < left else "" for k in range(len(cells))]
    shown = (f"<{tag}{way}>{escape(visible(text))}</{tag}>" for way, text in zip(ways, cells, strict=True))
    return f"<tr>{''.join(shown)}</tr>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(visible(text, NEWLINE)).replace(NEWLINE, '<br>')}</p>" if text else ""


STYLE = """
:root { --back: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --text: #e6eaef; --soft: #a9b4c0; --line: #3b444f; }
  @media screen { figure svg { filter: invert(.91) hue-rotate(180deg); } }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.1rem 1.4rem; max-width: 84rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { font-size: 1.3rem; line-height: 1.25; margin: 0 0 .8rem; overflow-wrap: anywhere; }
.pictures { display: grid; gap: 1.4rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
section { overflow-x: auto; margin-bottom: 1.2rem; }
p { max-width: 62rem; margin: .45rem 0; overflow-wrap: anywhere; }
table + p { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .3rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom-width: 2px; white-space: normal; vertical-align: bottom; }
figure { margin: 0 0 1rem; }
figure svg { background: #ffffff; border-radius: .3rem; width: 100%; max-width: 38rem; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .2rem; }
@media print { .pictures { grid-template-columns: 1fr 1fr; } tr, figure { break-inside: avoid; } }
"""


def as_page(title: str, sections: Sequence[str], pictures: Sequence[tuple[str, str]] = ()) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        The heading.
    sections : sequence of str
        Fragments of HTML.
    pictures : sequence of tuple of str
        An ``<svg>`` element and the text below it, each.

    Examples
    --------
    >>> page = as_page("a < b", ["<p>text</p>"])
    >>> page.startswith("<!DOCTYPE html>"), "<h1>a &lt; b</h1>" in page, "<section><p>text</p></section>" in page
    (True, True, True)
    """
    heading = escape(visible(title))
    figures = "\n".join(
        f"<figure>{svg}<figcaption>{escape(visible(text))}</figcaption></figure>" for svg, text in pictures
    )
    parts = "\n".join(f"<section>{part}</section>" for part in sections)
    below = f'\n<div class="pictures">\n{figures}\n</div>' if pictures else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<title>{heading}</title>\n<link rel="icon" href="data:,">\n<style>{STYLE}</style>\n</head>\n<body>\n'
        f"<h1>{heading}</h1>\n<main>\n{parts}{below}\n</main>\n</body>\n</html>\n"
    )
