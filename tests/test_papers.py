"""The papers beside the code say what is so: citation, security, recipe, workflow, forms, and promises of a release."""

import json
import re
import tomllib
from runpy import run_path

import pytest
import yaml

import fitontest as fot
from fitontest.families.registry import registry as families
from fitontest.maps.stored import MAX_BYTES
from fitontest.measures.measure import registry as measures
from fitontest.partitions.rule import registry as partitions
from tests.pages import ROOT
from tests.test_docs import LINK, headings

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOW = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
RECIPE = (ROOT / "conda/recipe.yaml").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
RELEASE = (ROOT / "docs/release.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
AT_THE_ROOT = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "conda/README.md")]
FORMS = sorted((ROOT / ".github").rglob("*.yml"))
MINOR = ".".join(fot.__version__.split(".")[:2])
IS_RELEASE = "dev" not in fot.__version__


def dois(text: str) -> set[str]:
    return set(re.findall(r"10\.\d{4,}/[\w.-]*\w", text))


def rows_below(header: str) -> list[list[str]]:
    """Return the rows of a table of the page of releases."""
    table = RELEASE.partition(f"\n{header}\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[1:]]


def test_the_workflow_runs_what_decides():
    assert re.findall(r"- run: (.+)", WORKFLOW) == [
        "bash .ci/run",
        "python .ci/packages --only ${{ matrix.versions }} --tests",
    ]
    kinds = re.search(r'"--only", choices=\((.+)\)', (ROOT / ".ci/packages").read_text(encoding="utf-8"))
    assert kinds
    assert set(re.findall(r"versions: (\w+)\}", WORKFLOW)) == set(re.findall(r'"(\w+)"', kinds[1]))


def test_the_workflow_has_the_pythons_of_the_classifiers():
    named = "Programming Language :: Python :: "
    pythons = [one.removeprefix(named) for one in PROJECT["classifiers"] if one.startswith(named)]
    assert set(re.findall(r'python(?:-version)?: "([\d.]+)"', WORKFLOW)) == set(pythons)
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert pythons[0] == lowest
    assert f'{{python: "{lowest}", versions: lowest}}' in WORKFLOW
    assert f'python-version: "{lowest}"' in WORKFLOW


def test_the_recipe_is_what_pyproject_says():
    write = run_path(str(ROOT / "conda/write_recipe.py"), run_name="write_recipe")
    assert write["recipe"]() == RECIPE, "run python conda/write_recipe.py"
    assert f"\n  version: {fot.__version__}\n" in RECIPE
    listed = set(re.findall(r"^    - ([\w-]+) >=", RECIPE, re.MULTILINE))
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    names = {re.split(r"[><=\[; ]", one)[0] for one in asked} - {"fitontest"}
    assert {write["IN_CONDA"].get(name, name) for name in names} <= listed


def test_the_citation_is_of_this_package_and_of_papers_that_the_pages_name():
    assert CITATION.startswith("cff-version: 1.2.0\n")
    for line in (f"title: {PROJECT['name']}", "type: software", f"license: {PROJECT['license']}"):
        assert f"\n{line}\n" in CITATION
    assert f"\nauthors:\n  - name: {PROJECT['authors'][0]['name']}\n" in CITATION
    assert re.findall(r"^  - (\w[\w ]+)$", CITATION, re.MULTILINE) == PROJECT["keywords"]
    pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("theory.md", "reproduced.md"))
    assert len(dois(CITATION)) == CITATION.count("doi: ") == 4
    for doi in dois(CITATION):
        assert doi in pages or doi.replace("10.48550/arXiv.", "arxiv.org/abs/") in pages
    assert dois(" ".join(PROJECT["urls"].values())) <= dois(CITATION)


def test_nothing_is_addressed_that_is_not_there():
    """There is no public address yet: every link of the metadata is a paper, and no paper names a person or a host."""
    assert all(url.startswith("https://doi.org/") for url in PROJECT["urls"].values())
    papers = [*AT_THE_ROOT, ROOT / "CITATION.cff", ROOT / "docs/support.md", ROOT / "docs/release.md", *FORMS]
    for path in papers:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"[\w.]+@[\w-]+\.\w+", text), path
        assert "github.com/" not in text, path


def test_the_workflow_and_the_forms_are_yaml():
    assert len(FORMS) == 5
    for path in [*FORMS, ROOT / "CITATION.cff", ROOT / "conda/recipe.yaml"]:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.parent.name == "ISSUE_TEMPLATE" and path.stem != "config":
            assert {"name", "description", "body"} <= set(held)
            asked = [part["id"] for part in held["body"] if part["type"] != "markdown"]
            assert len(asked) == len(set(asked)) > 0


@pytest.mark.parametrize("page", AT_THE_ROOT, ids=lambda path: path.name)
def test_links_of_the_papers_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, heading = target.partition("#")
        if "://" not in target:
            assert (page.parent / path).exists(), target
            assert not heading or heading in headings(page.parent / path), target


def test_files_that_the_papers_name_exist():
    templates = sorted((ROOT / ".github").rglob("*.*"))
    for page in [*AT_THE_ROOT, *templates, ROOT / "docs/release.md", ROOT / "docs/support.md"]:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"(?<![\w/.])((?:docs|tests|benchmarks|conda|\.github|\.ci|src)/[\w./-]*\w)", text):
            assert (ROOT / name).exists(), (page.name, name)


def test_contributing_names_files_and_entry_points_that_are_there():
    rooms = {path.name for path in (ROOT / "src/fitontest").iterdir() if path.is_dir()}
    for name in re.findall(r"`(\w+)/([\w/]+\.pyi?)`", CONTRIBUTING):
        path = "/".join(name)
        assert (ROOT / "src/fitontest" / path if name[0] in rooms else ROOT / path).exists(), path
    groups = {shelf.group for one in (families, measures, partitions) for shelf in one._shelves if shelf.group}
    assert set(re.findall(r"`(fitontest\.\w+)`", CONTRIBUTING)) == groups


def test_security_says_which_limit_the_reader_has():
    assert f"text above {MAX_BYTES:,} bytes is refused" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_group_of_the_reference_is_stable_or_provisional():
    listed = re.findall(r"^\| \[(.+?)\]\((.+?)[#)]", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.MULTILINE)
    groups = {group: (ROOT / "docs" / page).read_text(encoding="utf-8") for group, page in listed}
    table = rows_below("| group of the reference | status | but |")
    assert [group for group, _, _ in table] == [*groups]
    for group, status, but in table:
        assert status in ("stable", "provisional")
        assert set(re.findall(r"`(\w+)`", but)) <= set(
            re.findall(r"^   (?:\w+\.)?(\w+)$", groups[group], re.MULTILINE)
        ), group


def test_the_switcher_lists_what_exists():
    listed = json.loads((ROOT / "docs/_static/switcher.json").read_text(encoding="utf-8"))
    versions = [one["version"] for one in listed]
    assert len(set(versions)) == len(versions)
    assert (MINOR if IS_RELEASE else "dev") in versions
    released = re.findall(r"^## \[(\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    for one in listed:
        assert one["version"] in {*released, "dev"}
        assert one["name"]
    assert not without_address(listed)


def without_address(listed: list[dict[str, str]]) -> list[str]:
    """Return the versions that cannot be switched to; the only one, if it is "dev", need have no address."""
    if [(one["version"], one["url"]) for one in listed] == [("dev", "")]:
        return []
    return [one["version"] for one in listed if not re.fullmatch(r"https://.+/", one["url"])]


def test_the_development_version_has_an_address_once_another_is_listed():
    here, there, released = (
        {"version": version, "url": url}
        for version, url in (("dev", ""), ("dev", "https://x.org/dev/"), ("0.2", "https://x.org/0.2/"))
    )
    for listed in ([here], [there], [there, released], [released]):
        assert not without_address(listed)
    assert without_address([here, released]) == ["dev"]
    assert without_address([there, released | {"url": ""}]) == ["0.2"]
    assert without_address([there | {"url": "https://x.org/dev"}]) == ["dev"]


def test_the_source_distribution_holds_what_tests_read():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    held = {*hatch["build"]["targets"]["sdist"]["include"], "/pyproject.toml"}
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    read = {name for text in texts for name in re.findall(r'\bROOT / "([^"/]+)', text)}
    assert {".ci", ".github", "docs", "CITATION.cff"} <= read
    assert {f"/{name}" for name in read} | {f"/{page.relative_to(ROOT).parts[0]}" for page in AT_THE_ROOT} <= held


def test_the_changelog_begins_with_this_version():
    top = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert top
    assert top[1].startswith(f"[{fot.__version__}]" if IS_RELEASE else f"Unreleased ({MINOR})")


def test_golden_maps_are_of_versions_since_0_2():
    folders = sorted(path.name for path in (ROOT / "tests/golden").glob("maps_*"))
    assert folders[0] == "maps_0_2"
    assert "every map written by 0.2 and later" in RELEASE
