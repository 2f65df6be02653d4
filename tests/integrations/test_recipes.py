"""The recipes of docs/integrations.md run as they stand, and print what the page shows.

Each runs with a stand-in of its package (`stand_ins`), and with the package itself where it is installed: the page
shows what both print.
"""

import re
import warnings
from importlib.util import find_spec
from itertools import pairwise
from typing import NamedTuple

import matplotlib.pyplot as plt
import pytest

import fitontest as fot
from tests.integrations import stand_ins
from tests.pages import ROOT, Block, assert_alike, blocks, run

PAGE = ROOT / "docs" / "integrations.md"
LINES_OF_A_BLOCK = 40  # of them about 20 are the recipe, the others data and imports
HEADINGS = {
    "mlflow": "MLflow",
    "skore": "skore",
    "evidently": "evidently",
    "evaluate": "Hugging Face evaluate",
    "ignite": "PyTorch Ignite",
    "lm_eval": "lm-evaluation-harness",
}


class Part(NamedTuple):
    """A block of a recipe, and what is shown below it."""

    code: str
    shown: str | None


def recipe(package: str) -> list[Part]:
    """Return the blocks that need a package, each with the output that follows it."""
    follows = pairwise([*blocks(PAGE), Block("", "", None)])
    return [
        Part(one.body, after.body if after.kind == "text" else None) for one, after in follows if one.needs == package
    ]


def follow(package: str, unexpected: str) -> None:
    """Run a recipe, and compare what it prints with the page."""
    names: dict[str, object] = {"__name__": "recipe"}
    for part in recipe(package):
        with warnings.catch_warnings():
            warnings.simplefilter(unexpected)
            warnings.simplefilter("ignore", fot.CalibrationWarning)
            printed = run(part.code, names)
        if part.shown is not None:
            assert_alike(part.shown, printed)
    plt.close("all")


@pytest.mark.exhaustive
@pytest.mark.parametrize("package", HEADINGS)
def test_a_recipe_prints_what_the_page_shows_with_a_stand_in(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stand_ins.install(package, monkeypatch)
    follow(package, "error")


@pytest.mark.parametrize("package", HEADINGS)
def test_a_recipe_prints_what_the_page_shows_with_the_package(package, tmp_path, monkeypatch):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    follow(package, "ignore")  # warnings of other packages are not ours


def test_every_recipe_has_a_stand_in_and_shows_what_it_prints():
    assert {block.needs for block in blocks(PAGE)} == {None, *HEADINGS}
    for package in HEADINGS:
        assert recipe(package)[-1].shown
        for part in recipe(package):
            assert len(part.code.splitlines()) <= LINES_OF_A_BLOCK


def test_the_page_names_the_versions_that_the_stand_ins_follow():
    rows = re.findall(r"^\| \[(.+?)\]\(#.+?\) \| .+ \| ([\d.]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == {HEADINGS[package]: stand_ins.load(package).VERSION for package in HEADINGS}
