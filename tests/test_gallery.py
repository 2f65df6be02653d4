"""The gallery has every kind of picture: its scripts are listed, say what they show, and draw in their last paragraph.

The scripts are run where the documentation is built.
"""

import ast
import re

import pytest

import fitontest as fot
from tests.pages import ROOT

GALLERY = ROOT / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
DRAWN_BY = {  # displays that are made by a method of a result, and what it is of
    "ComparisonDisplay": r"compare_calibrators\(.*?\.plot\(",
    "CurveDisplay": r"decision_curve\(.*?\.plot\(",
    "MonitorDisplay": r"Monitor\(.*?evidence\.plot\(",
}


def test_each_script_is_listed_once():
    listed = [name for block in re.findall(r"```\{thumbnails\}\n(.*?)```", PAGE, re.DOTALL) for name in block.split()]
    assert sorted(listed) == [path.stem for path in SCRIPTS]
    assert len(SCRIPTS) >= 28


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_says_what_it_shows_and_its_last_paragraph_draws(path):
    source = path.read_text(encoding="utf-8")
    module = ast.parse(source)
    title, _, text = (ast.get_docstring(module) or "").partition("\n\n")
    assert title
    assert text.endswith((".", "?"))
    drawing = source.strip().rpartition("\n\n")[2]
    last = module.body[-1]
    assert source.splitlines()[last.lineno - 1] in drawing  # no blank line divides the last statement
    assert re.search(r"\.plot\w*\(|Display\.from_\w+\(", drawing)
    assert not re.search(r"\b(evaluate|compare_\w+|find_segments|validate|decision_curve)\(", drawing)  # done once


@pytest.mark.parametrize("name", [name for name in fot.__all__ if name.endswith("Display")])
def test_every_display_is_in_the_gallery(name):
    drawn = DRAWN_BY.get(name, rf"fot\.{name}\.from_")
    assert any(re.search(drawn, path.read_text(encoding="utf-8"), re.DOTALL) for path in SCRIPTS), name


@pytest.mark.parametrize("mode", ["simultaneous", "consistency", "new group", "logit", "confidence", "classwise"])
def test_modes_of_diagrams_are_in_the_gallery(mode):
    assert f'"{mode}"' in CODE
