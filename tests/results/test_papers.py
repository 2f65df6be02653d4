"""Tables for papers: what LaTeX and Markdown make of a cell is the cell, whatever signs are in it."""

import re
import shutil
import subprocess
from html import unescape

import pytest

import fitontest as fot
from fitontest.results.latex import as_latex
from fitontest.results.latex import escaped as latex
from fitontest.results.markdown import as_markdown
from fitontest.results.markdown import escaped as markdown
from fitontest.results.table import Section, Table
from tests.strategies import noisy

PRINTABLE = "".join(map(chr, range(32, 127)))
NASTY = [
    PRINTABLE,
    "[0, 0.2)",
    "*starred*",
    r"\input{x}",
    "50 % of $x_1^2$ & more",
    "a|b",
    "`code` --all",
    "~/x",
    "<b>bold</b> &amp;",
]
SHOWN = {  # what LaTeX prints of a command
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciigrave{}": "`",
    "$-$": "-",
    "-{}": "-",
    "{[}": "[",
    "{]}": "]",
    "{*}": "*",
    **{f"\\{sign}": sign for sign in "{}$&#_%"},
}
COMMAND = re.compile("|".join(map(re.escape, SHOWN)))


class Two(Table):
    """A table of nasty texts, and one of prose."""

    def rows(self):
        return [{"name": text, "value": -0.5} for text in NASTY]

    def sections(self):
        body = [[text, "-0.5"] for text in NASTY]
        return [
            Section("Title: 5 %\nand more:", ["name", "a_b"], body, "first | note\n- second"),
            Section(lead="# prose"),
        ]


@pytest.mark.parametrize("text", NASTY)
def test_latex_prints_the_text(text):
    assert COMMAND.sub(lambda found: SHOWN[found[0]], latex(text)) == text
    left = COMMAND.sub("", latex(text))
    assert not set(left) & set("\\{}$&#_%~^<>|`[]*")
    assert "--" not in left


def test_numbers_have_a_minus_and_words_a_hyphen():
    assert (
        latex("-0.5 (-1 to .2), log-loss, 1e-07, Hartung-Knapp")
        == "$-$0.5 ($-$1 to .2), log-loss, 1e-07, Hartung-Knapp"
    )


@pytest.mark.parametrize("text", NASTY)
def test_markdown_shows_the_text_in_a_table_and_in_a_paragraph(text):
    html = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    page = html.render(as_markdown("", ["name", "value"], [[text, "1"]], text))
    cell = re.search(r"<td[^>]*>(.*?)</td>", page, re.DOTALL)[1]
    paragraph = re.search(r"<p>(.*)</p>", page, re.DOTALL)[1]
    assert unescape(cell) == text.strip()
    assert unescape(paragraph) == text.strip()
    assert "\n" not in markdown("a\nb")


@pytest.mark.parametrize("line", ["- a", "+ a", "1. a", "12) a", "# a", "> a", "=== a"])
def test_a_note_begins_no_list_and_no_heading(line):
    html = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    page = html.render(as_markdown("above", [], [], line))
    assert page == f"<p>above</p>\n<p>{line.replace('>', '&gt;')}</p>\n"


def test_a_table_has_its_title_head_rows_and_notes():
    tex = Two().to_latex()
    assert r"\caption{Title: 5 \% and more}" in tex
    assert r"\begin{tabular}{lr}" in tex
    assert tex.count(r" \\") == len(NASTY) + 1
    assert "first \\textbar{} note\n\n- second" in tex
    assert tex.endswith("\n\n\\# prose")
    lines = Two().to_markdown().splitlines()
    assert lines[0] == "Title: 5 %"
    assert "| name | a\\_b |" in lines
    assert "| :--- | ---: |" in lines


def test_columns_of_texts_are_to_the_left_and_the_last_one_is_wrapped():
    section = Section("", ["item", "topic", "what"], [["1", "a", "word " * 40]], left=3)
    assert "ll" + r"p{0.6\linewidth}" in as_latex(*section.parts, left=section.left)
    assert "| :--- | :--- | :--- |" in as_markdown(*section.parts, left=section.left)
    printed = str(section).splitlines()
    assert max(map(len, printed)) <= 118
    assert " ".join(" ".join(printed[2:]).split()) == f"1 a {('word ' * 40).strip()}"


@pytest.mark.exhaustive
def test_every_result_has_both_without_a_library():
    y, p = noisy(300)
    for result in (
        fot.ece(y, p),
        fot.evaluate(y, p, families=["platt"]),
        fot.evaluate(y, p, families=["platt"]).table(),
        fot.risk.decision_curve(y, p, thresholds=[0.2, 0.4]),
    ):
        assert isinstance(result, Table)
        cells = [cell for part in result.sections() for row in part.body for cell in row]
        assert all(latex(cell) in result.to_latex() for cell in cells)
        assert all(markdown(cell) in result.to_markdown() for cell in cells)


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_latex_compiles(tmp_path):
    page = tmp_path / "page.tex"
    page.write_text(f"\\documentclass{{article}}\\begin{{document}}\n{Two().to_latex()}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", page.name]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-2000:]
