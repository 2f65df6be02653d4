"""The documentation is true: its examples run and print what is shown, its links lead somewhere, no name is missing."""

import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlparse

import click
import matplotlib.pyplot as plt
import pytest

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.few_draws import quick_bands  # noqa: F401 - a fixture of this module
from tests.integrations.test_recipes import HEADINGS as RECIPES
from tests.pages import PAGES, README, ROOT, assert_alike, blocks, outputs, prose, words
from tests.releases import NUMBERS_OF_PAGES

EVERYWHERE = [*PAGES, README]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WITH_CODE = [page for page in PAGES if any(block.kind == "python" for block in blocks(page)) and page.stem != "moving"]
REFERENCE = sorted((ROOT / "docs" / "api").glob("*.md"))
FACES = sorted(path.parent.name for path in (ROOT / "src" / "fitontest").glob("*/__init__.pyi"))
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)")


def name_of(page: Path) -> str:
    return page.stem


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    for shown, printed in outputs(page, RECIPES):
        if NUMBERS_OF_PAGES:
            assert_alike(shown.body, printed)
        else:
            assert words(shown.body) == words(printed)
    plt.close("all")


def test_the_comparison_of_outputs_sees_what_differs():
    assert_alike("error 0.0500  n = 1,000", "error  0.0501 n = 1,000")
    for other in ("error 0.0600 n = 1,000", "loss 0.0500 n = 1,000", "error 0.0500 n = 1,200"):
        with pytest.raises(AssertionError):
            assert_alike("error 0.0500 n = 1,000", other)


def test_every_shown_output_follows_an_example():
    for page in PAGES:
        kinds = [block.kind for block in blocks(page)]
        for before, kind in pairwise(kinds):
            assert kind != "text" or before == "python", page.name


def test_every_public_name_is_in_the_reference():
    reference = "\n".join(page.read_text(encoding="utf-8") for page in [*PAGES, *REFERENCE])
    listed = re.findall(r"^   (?:\w+\.)?(\w+)$", reference, re.MULTILINE)
    addresses = ("norms", "distances", "bin_losses")
    rooms = [import_module(f"fitontest.{room}") for room in (*FACES, *addresses)]
    same = {"make", "names", "register", "registry", "unregister"}  # in every room, and in one table
    public = {*fot.__all__, *(name for room in rooms for name in room.__all__)} - same
    public -= {*FACES, *addresses}
    assert not public - set(listed), "put these names below the heading Reference of a page, or into a page of docs/api"
    assert len(listed) == len(set(listed))


def test_tables_list_every_family_and_measure():
    families = (ROOT / "docs" / "families.md").read_text(encoding="utf-8")
    several = (ROOT / "docs" / "several_classes.md").read_text(encoding="utf-8")
    measures = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert not [name for name in fot.families.names("two") if f"| `{name}`" not in families]
    both = {"identity"}
    assert not [name for name in set(fot.families.names("any")) - both if f"| `{name}`" not in several]
    every = {*fot.measures.names("two"), *fot.measures.names("any")}
    assert not [name for name in every if not re.search(rf"^\|[^|]*`{name}`", measures, re.MULTILINE)]


@pytest.mark.parametrize("page", EVERYWHERE, ids=name_of)
def test_names_of_the_package_exist(page):
    for room, name in set(re.findall(r"\bfot\.(?:([a-z_]+)\.)?([A-Za-z_]\w*)", page.read_text(encoding="utf-8"))):
        assert hasattr(getattr(fot, room) if room else fot, name), (room, name)


def test_one_page_says_that_rows_must_be_independent():
    said = "Rows must be independent"
    pages = [page.stem for page in [*EVERYWHERE, *NOTEBOOKS] if said in page.read_text(encoding="utf-8")]
    assert pages == ["groups"]


@pytest.mark.parametrize("page", EVERYWHERE, ids=name_of)
def test_links_lead_somewhere(page):
    for target in LINK.findall(prose(page)):
        if "://" in target:
            address = urlparse(target)
            assert address.scheme == "https", target
            assert "." in address.netloc, target
        else:
            path, _, heading = target.partition("#")
            other = page.parent / path if path else page
            assert other.exists(), target
            assert not heading or heading in headings(other), target


def headings(page: Path) -> list[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    found = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found]


def test_every_page_is_in_one_table_of_contents():
    listed = [
        entry
        for page in PAGES
        for block in blocks(page)
        if block.kind == "{toctree}"
        for entry in block.body.split()
        if not entry.startswith(":") and not entry.isdigit()
    ]
    pages = [page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in [*PAGES, *REFERENCE]]
    pages.remove("index")
    notebooks = [f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert sorted(listed) == sorted(pages + notebooks)


@pytest.mark.parametrize("page", EVERYWHERE, ids=name_of)
def test_scripts_that_are_named_exist(page):
    for script in set(re.findall(r"benchmarks/(\w+\.py)", page.read_text(encoding="utf-8"))):
        assert (ROOT / "benchmarks" / script).exists(), script


@pytest.mark.parametrize("page", EVERYWHERE, ids=name_of)
def test_commands_have_the_options_that_are_shown(page):
    shown = "\n".join(block.body for block in blocks(page) if block.kind == "bash")
    for line in shown.replace("\\\n", " ").splitlines():
        found = re.search(r"\bfitontest (\w+)(.*)", line.partition("  #")[0])
        if found:
            command = main.get_command(click.Context(main), found[1])
            assert command, line
            options = {name for parameter in command.params for name in parameter.opts}
            assert set(re.findall(r"(?<=\s)(-[a-z]|--[a-z][a-z-]*)\b", found[2])) <= options, line
