"""The calls of other packages and ours, which the documentation sets side by side, give the same answers.

Packages of Python are called, where they install. What packages of R answer is in tests/reference/valprob.json: rows of
those tables name a key of that file, and hold for all of its data sets but those that they name.
"""

import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pytest

import fitontest as fot
from tests.pages import ROOT, blocks, run
from tests.releases import SKLEARN
from tests.valprob import SETS, assert_ours_is_the_answer

pytestmark = pytest.mark.multiplies

PAGE = ROOT / "docs" / "moving.md"
ROW = re.compile(r"^\| `(?P<theirs>.+?)` \| `(?P<ours>.+?)` \| (?P<agreement>.+?) \|$")
STORED_ROW = re.compile(
    r"^\| `(?P<theirs>[^|]+?)` \| `(?P<key>[^|`]+)` \| `(?P<ours>[^|]+?)` \| (?P<agreement>[^|]+?) \|$"
)
MODULES = {"uncertainty-calibration": "calibration", "scikit-learn": "sklearn"}


class Pair(NamedTuple):
    """Two calls whose answers differ by no more than the page says."""

    package: str
    theirs: str
    ours: str
    tolerance: float


class StoredPair(NamedTuple):
    """A stored answer and our call, which differ by no more than the page says, but for some data sets."""

    package: str
    key: str
    ours: str
    tolerance: float
    left_out: frozenset[str]


def pairs() -> Iterator[Pair | StoredPair]:
    """Yield the rows of the tables of the page."""
    package = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package = line.removeprefix("## ")
        elif stored := STORED_ROW.match(line):
            left_out = re.search(r"; not ([\w, ]+)$", stored["agreement"])
            names = frozenset(left_out[1].split(", ")) if left_out else frozenset()
            assert names <= SETS.keys(), line
            yield StoredPair(package, stored["key"], stored["ours"], tolerance(stored["agreement"]), names)
        elif found := ROW.match(line):
            yield Pair(package, found["theirs"], found["ours"], tolerance(found["agreement"]))


def tolerance(agreement: str) -> float:
    """Return how far the answers of a row may differ."""
    stated = re.match(r"exact|to ([0-9.]+e-\d+)", agreement)
    assert stated, agreement
    return float(stated[1] or 1e-12)


PAIRS = [pair for pair in pairs() if isinstance(pair, Pair)]
STORED_PAIRS = [pair for pair in pairs() if isinstance(pair, StoredPair)]


@cache
def names_of(module: str) -> dict[str, Any]:
    """Return the names that the page defines for a package: the data, and its imports."""
    names: dict[str, Any] = {}
    python = [block for block in blocks(PAGE) if block.kind == "python"]
    wanted = python[:1] + [block for block in python[1:] if (block.needs or "sklearn") == module]
    assert len(wanted) == 2
    for block in wanted:
        run(block.body, names)
    return names


@pytest.mark.filterwarnings("ignore")  # of theirs
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.package}: {pair.theirs}"[:80])
def test_the_two_calls_agree_as_the_page_says(pair):
    module = MODULES.get(pair.package, pair.package)
    pytest.importorskip(module, exc_type=ImportError)
    if 'method="temperature"' in pair.theirs and SKLEARN < (1, 8):
        pytest.skip("scikit-learn scales temperatures since 1.8")
    names = names_of(module)
    theirs = np.asarray(eval(pair.theirs, names), dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = np.asarray(eval(pair.ours, names), dtype=np.float64)
    plt.close("all")
    assert ours.shape == theirs.shape
    assert ours == pytest.approx(theirs, rel=0, abs=pair.tolerance)


@pytest.mark.parametrize("pair", STORED_PAIRS, ids=lambda pair: f"{pair.package}: {pair.key}: {pair.ours}"[:80])
def test_our_call_gives_the_stored_answer(pair):
    def ours(rows):
        return eval(pair.ours, {"fot": fot, "np": np, **rows._asdict()})

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_ours_is_the_answer(pair.key, ours, pair.tolerance, pair.left_out)


@pytest.mark.parametrize("n_bins", [5, 10, 15, 20, 50])
def test_bins_closed_on_the_right_are_those_of_scikit_learn_for_scores_on_edges(n_bins):
    names = names_of("sklearn")
    y, r = names["y"], names["r"]
    prob_true, prob_pred = names["calibration_curve"](y, r, n_bins=n_bins)
    right, left = (
        fot.gce(y, r, partition=fot.partitions.EqualWidth(n_bins, closed=end)).to_frame() for end in ("right", "left")
    )
    assert right["empirical_probability"].to_numpy() == pytest.approx(prob_true, rel=0, abs=1e-12)
    assert right["mean_prediction"].to_numpy() == pytest.approx(prob_pred, rel=0, abs=1e-12)
    assert left["mean_prediction"].to_numpy() != pytest.approx(prob_pred, rel=0, abs=1e-3)  # the page warns of this


def test_every_package_has_a_table():
    packages = {"scikit-learn", "netcal", "torchmetrics", "uncertainty-calibration", "relplot", "mcgrad"}
    assert {pair.package for pair in PAIRS} == packages
    assert {pair.package for pair in STORED_PAIRS} == {
        "rms",
        "CalibrationCurves",
        "pmcalibration",
        "riskRegression",
        "dcurves",
    }
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) == len(PAIRS) + len(STORED_PAIRS)  # none escapes by its form
