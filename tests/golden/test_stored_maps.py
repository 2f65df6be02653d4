"""Every version reads the maps that earlier ones wrote: golden files of each kind, from version 0.2 on.

``python -m tests.golden.write_maps KIND`` writes the file of a new kind, from its cases in `map_cases`.
"""

import json
from collections import defaultdict
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.maps.rules.conditions import KINDS
from fitontest.maps.stored import StoredMap
from tests.golden.write_maps import main as write
from tests.golden.write_maps import sum_of, sums_of

pytestmark = pytest.mark.multiplies

FOLDERS = sorted(Path(__file__).parent.glob("maps_*"))
FIRST = FOLDERS[0]
FILES = sorted(Path(__file__).parent.glob("maps_*/*.json"))
KINDS_OF_MAPS = {*fot.maps.registry._modules}  # of this package; other tests register kinds of their own
EXACT = {"identity", "multiclass_identity", "binned", "steps", "knots", "hermite"}  # sums and products of numbers alone


class Golden(NamedTuple):
    """A map as a version wrote it, what it was called with, and its values."""

    text: str
    inputs: dict[str, Any]
    values: list[Any]


def read_golden(path: Path) -> tuple[str, list[Golden]]:
    held = json.loads(path.read_text(encoding="utf-8"))
    return held["kind"], [Golden(**one) for one in held["maps"]]


def assert_same_values(c_hat: StoredMap, found: Any, stored: Any) -> None:
    """Compare bit by bit, or, where exponentials and sums of products depend on the machine, within 1e-15 (1 + |z|).

    That is relative to the value, and z is its logit: an exponential multiplies the rounding of what it is taken of.
    """
    found, stored = np.asarray(found), np.asarray(stored)
    if c_hat.kind in EXACT:
        np.testing.assert_array_equal(found, stored)
        return
    with np.errstate(divide="ignore"):
        z = np.minimum(np.abs(np.log(stored) - np.log1p(-stored)), 745.0)
    assert found.shape == stored.shape
    assert np.all(np.abs(found - stored) <= 1e-15 * (1 + z) * stored)


def parts_of(value: Any) -> list[dict[str, Any]]:
    """Return every object that is written in a map, itself and what is inside."""
    if isinstance(value, dict):
        return [value, *(one for inner in value.values() for one in parts_of(inner))]
    return [one for inner in value for one in parts_of(inner)] if isinstance(value, list) else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_stored_map_is_read_with_its_values_and_written_as_it_was(path):
    kind, maps = read_golden(path)
    assert kind == path.stem
    for one in maps:
        for reader in (StoredMap, fot.maps.registry[kind]):
            c_hat = reader.from_json(one.text)
            assert c_hat.kind == kind
            assert c_hat.to_json() == one.text
            assert_same_values(c_hat, c_hat(**one.inputs), one.values)


def test_every_kind_has_a_golden_file():
    assert {path.stem for path in FILES} == KINDS_OF_MAPS


def test_every_optional_field_and_sign_is_there_and_left_out():
    seen = defaultdict(set)
    for path in FILES:
        for one in read_golden(path)[1]:
            held = json.loads(one.text)
            seen[path.stem] |= {(name, name in held) for name in ("decreasing", "classes", "reach", "unbounded")}
    for kind in KINDS_OF_MAPS:
        map_class = fot.maps.registry[kind]
        may = {*map_class.optional} | ({"decreasing"} if map_class.decreasing is not StoredMap.decreasing else set())
        assert {(name, there) for name in may for there in (True, False)} <= seen[kind], kind


def test_every_word_that_a_field_may_hold_is_written():
    objects = [part for path in FILES for one in read_golden(path)[1] for part in parts_of(json.loads(one.text))]
    assert {one["link"] for one in objects if one.get("kind") == "logistic"} == {"logit", "identity"}
    assert {one["closed"] for one in objects if "closed" in one} == {"left", "right"}
    assert {one["relation"] for one in objects if "relation" in one} == set(KINDS)
    assert {type(label) for one in objects for label in one.get("classes", [])} == {bool, int, float, str}


def test_a_value_that_differs_is_seen():
    _, (one, *_) = read_golden(next(path for path in FILES if path.stem == "logistic"))
    c_hat = StoredMap.from_json(one.text)
    with pytest.raises(AssertionError):
        assert_same_values(c_hat, c_hat(**one.inputs) * (1 + 1e-13), one.values)


@pytest.mark.parametrize("kind", ["logit_knots", "softmax", "segment_offsets"])
def test_the_command_line_applies_them(kind, tmp_path):
    _, (one, *_) = read_golden(next(path for path in FILES if path.stem == kind))
    c_hat = StoredMap.from_json(one.text)
    (tmp_path / "map.json").write_text(one.text, encoding="utf-8")
    scores = np.asarray(one.inputs["P"] if c_hat.takes_classes else one.inputs["p"])
    probs = list(c_hat.classes) if c_hat.takes_classes else ["score"]
    columns = dict(zip(probs, np.atleast_2d(scores.T).tolist(), strict=True)) | one.inputs.get("X", {})
    pd.DataFrame(columns).convert_dtypes().to_parquet(tmp_path / "rows.parquet")
    chosen = [word for prob in probs for word in ("--prob", prob)]
    files = [str(tmp_path / name) for name in ("map.json", "rows.parquet", "new.parquet")]
    done = CliRunner().invoke(main, ["apply", *files[:2], *chosen, "-o", files[2]])
    assert done.exit_code == 0, done.output
    new = [f"calibrated_{name}" for name in probs] if c_hat.takes_classes else ["calibrated"]
    assert_same_values(c_hat, pd.read_parquet(files[2])[new], np.reshape(one.values, (-1, len(new))))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_golden_files_have_the_sums_that_are_listed(folder):
    assert {path.name: sum_of(path) for path in folder.glob("*.json")} == sums_of(folder)


def test_a_golden_file_is_never_written_again(tmp_path):
    folder = copytree(FIRST, tmp_path / FIRST.name)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    refused = pytest.raises(SystemExit, match=r"exist or are listed: maps_0_2/identity\.json")
    with refused:
        write(["identity"], folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "identity.json").unlink()
    with refused:
        write(["identity"], folder)
    assert not (folder / "identity.json").exists()


def test_a_new_kind_is_written_as_the_stored_ones_were_and_listed(tmp_path):
    folder = copytree(FIRST, tmp_path / FIRST.name)
    (folder / "identity.json").unlink()
    others = {name: listed for name, listed in sums_of(folder).items() if name != "identity.json"}
    lines = [f"{listed}  {name}\n" for name, listed in others.items()]
    (folder / "sums.txt").write_text("".join(lines), encoding="utf-8")  # as if the kind were new
    write(["identity"], folder)
    kind, maps = read_golden(folder / "identity.json")
    assert (kind, maps) == read_golden(FIRST / "identity.json")
    assert sums_of(folder) == others | {"identity.json": sum_of(folder / "identity.json")}
    (folder / "identity.json").write_text("{}", encoding="utf-8")
    assert sum_of(folder / "identity.json") != sums_of(folder)["identity.json"]
