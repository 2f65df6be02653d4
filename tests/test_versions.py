"""The page of supported versions says what pyproject.toml demands, and names places that are there."""

import re
import tomllib

import pytest

from tests.pages import ROOT

PAGE = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
FRAMES = ("pandas", "polars", "pyarrow", "dask")  # of the extras of developers, what users' frames are of
ROW = re.compile(r"^\| `([\w-]+)` \| ([\d.]+) \| (.+) \|$", re.MULTILINE)
PLACE = re.compile(r"`(\w+)` in `([\w/.]+)`")


def demanded():
    """Return the lowest version of each package that pyproject.toml demands of users, by its name."""
    found = [re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", one) for extra in EXTRAS.values() for one in extra]
    developers = {one[1]: one[2] for one in found if one}
    users = [*PROJECT["dependencies"], *EXTRAS["report"], *EXTRAS["cli"]]
    named = dict(one.split(">=") for one in users if not one.startswith("fitontest"))
    return named | {name: developers[name] for name in FRAMES}


def test_the_table_is_that_of_pyproject():
    listed = {name: lowest for name, lowest, _ in ROW.findall(PAGE)}
    assert listed == demanded()


def test_python_is_that_of_pyproject():
    (lowest,) = re.findall(r"Python (\d\.\d+) and newer", PAGE)
    assert PROJECT["requires-python"] == f">={lowest}"


@pytest.mark.parametrize(("name", "file"), PLACE.findall(PAGE))
def test_places_are_there(name, file):
    source = (ROOT / "src" / "fitontest" / file).read_text(encoding="utf-8")
    assert re.search(rf"^(def {name}\(|{name} = )", source, re.MULTILINE)
