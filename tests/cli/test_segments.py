"""``fitontest evaluate --by``: segments of a file."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.cli.main import main
from tests.strategies import noisy

COLUMNS = ("--label", "y", "--prob", "p", "--interval", "none")


@pytest.fixture
def scores():
    y, p = noisy(120)
    return pd.DataFrame({"y": y, "p": p, "region": np.where(p < 0.4, "north", "south"), "year": np.arange(120) % 2})


@pytest.fixture
def file(tmp_path, scores):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def run(*arguments):
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)])


def test_segments_of_a_file_are_those_of_the_library(file, scores):
    result = run(file, *COLUMNS, "--by", "region", "--family", "beta")
    expected = fot.evaluate(scores["y"], scores["p"], by=scores["region"], families=["beta"], interval=None)
    assert result.exit_code == 0
    assert result.stdout == f"{expected}\n"


def test_several_columns_measures_and_formats(file, scores):
    options = (*COLUMNS, "--by", "region", "--by", "year", "--measure", "ece", "--null-draws", 160)
    by = scores[["region", "year"]]
    expected = fot.evaluate(scores["y"], scores["p"], by=by, measures=["ece"], null_draws=160)
    found = json.loads(run(file, *options, "--format", "json").stdout)
    assert found == expected.to_dict()
    assert found["by"] == "region, year"
    table = list(csv.DictReader(io.StringIO(run(file, *options, "--format", "csv").stdout)))
    assert [row["segment"] for row in table] == [row["segment"] for row in expected.rows()]


def test_names_are_no_formulas_and_do_not_act_on_a_terminal(file, scores, monkeypatch):
    scores["region"] = np.where(scores["p"] < 0.4, "=1+1", "\x1b[31mred")
    scores.to_csv(file, index=False)
    options = (*COLUMNS, "--by", "region", "--family", "platt", "--format", "csv")
    names = [row["segment"] for row in csv.DictReader(io.StringIO(run(file, *options).stdout))]
    assert names == ["\x1b[31mred", "'=1+1", "all rows"]
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    assert run(file, *options).stdout.splitlines()[1].startswith("platt,\\x1b[31mred,")


def test_by_default_the_spline_is_measured(file):
    result = run(file, *COLUMNS, "--by", "region", "--format", "csv", "--null-draws", 80)
    assert {row["measure"] for row in csv.DictReader(io.StringIO(result.stdout))} == {"spline"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "area"), "area"),
        (("--by", "region", "--family", "beta", "--null-draws", "50"), "at least 40 times the number of segments"),
        (("--by", "p", "--family", "beta"), "by must give at most 100 segments, got 120; group numbers first"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(file, options, message):
    result = run(file, *COLUMNS, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_segment_is_named_with_its_column_and_line(file, scores):
    scores["region"] = scores["region"].mask(scores.index == 4)
    scores.to_csv(file, index=False)
    result = run(file, *COLUMNS, "--by", "year", "--by", "region")
    assert result.exit_code == 2
    assert "--by column 'region' must not have missing values" in result.stderr
    assert "line 6 (the header is line 1)" in result.stderr
