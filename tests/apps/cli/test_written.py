"""--percent, --log-prob, --clip and --drop-missing: what a message hints at is an option, and it does what it says."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.apps.cli.test_evaluate_and_plot import run

RNG = np.random.default_rng(1)
P = RNG.uniform(0.05, 0.95, 120)
Y = (RNG.random(120) < P).astype(int)
COLUMNS = ("--label", "y", "--prob", "p")
QUICK = ("--family", "slope1", "--interval", "none", "--format", "json")


def write(tmp_path, p, **columns):
    pd.DataFrame({"y": Y, "p": p, **columns}).to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    ("change", "option", "hint"),
    [
        (lambda p: 100.0 * p, "--percent", "if these are percents, --percent divides by 100)"),
        (np.log, "--log-prob", "if these are log probabilities, --log-prob makes probabilities of them)"),
        (lambda p: 1.1 * p, "--clip", "if these are meant to be 0 and 1, --clip cuts them)"),
    ],
)
def test_hints_name_options_that_do_what_they_say(tmp_path, change, option, hint):
    file = write(tmp_path, change(P))
    assert hint in run("evaluate", file, *COLUMNS, *QUICK).stderr
    found = run("evaluate", file, *COLUMNS, *QUICK, option)
    assert found.exit_code == 0, found.stderr
    plain = run("evaluate", write(tmp_path, np.minimum(change(P), 1.0) if option == "--clip" else P), *COLUMNS, *QUICK)
    values = [json.loads(one.stdout)["estimates"][0]["value"] for one in (found, plain)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
    assert ("scores are outside [0, 1], and clipped to it" in found.stderr) == (option == "--clip")


@pytest.mark.exhaustive
def test_rows_with_a_missing_value_are_left_out_where_that_is_said(tmp_path):
    p = P.copy()
    p[[3, 7]] = np.nan
    file = write(tmp_path, p, w=1.0, age=RNG.normal(50, 10, 120))
    refused = run("evaluate", file, *COLUMNS, *QUICK)
    assert refused.stderr.endswith("; --drop-missing leaves out rows in which a value is missing\n")
    found = run("evaluate", file, *COLUMNS, *QUICK, "--drop-missing")
    assert json.loads(found.stdout)["estimates"][0]["n"] == 118
    assert "Note: 2 of 120 rows are left out, in which a value is missing: 2 without prob column 'p'\n" in found.stderr
    assert run("segments", file, *COLUMNS, "--drop-missing", "--columns", "age", "--draws", "50").exit_code == 0
    gate = ("check", file, *COLUMNS, "--max-error", "0.5", "--family", "slope1")
    assert "; --drop-missing MOST leaves out so many rows at most" in run(*gate).stderr
    assert "2 of 120 rows are left out" in run(*gate, "--drop-missing", "2").stderr
    few = run(*gate, "--drop-missing", "1")
    assert few.exit_code == 2
    assert "--drop-missing must be at least the number of rows in which a value is missing, 2 of 120 rows" in few.stderr


def test_percents_are_no_logarithms(tmp_path):
    found = run("evaluate", write(tmp_path, P), *COLUMNS, "--percent", "--log-prob")
    assert found.stderr == "Error: --percent must be left out with --log-prob, got both\n"


def test_a_file_without_a_header_and_with_thousands(tmp_path):
    frame = pd.DataFrame({"y": Y, "p": P, "w": np.where(Y, "1,000", "2,500.5")})
    frame.to_csv(tmp_path / "a.csv", index=False, header=False)
    options = ("--label", "1", "--prob", "2", "--weight", "3", "--weight-type", "importances", *QUICK)
    hint = run("evaluate", tmp_path / "a.csv", *options)
    assert "; --no-header says that the first line has no names; columns are then called '1', '2', ...\n" in hint.stderr
    assert "such as '2,500.5' at line " in run("evaluate", tmp_path / "a.csv", *options, "--no-header").stderr
    found = run("evaluate", tmp_path / "a.csv", *options, "--no-header", "--thousands", ",")
    assert found.exit_code == 0, found.stderr
    weight = np.where(Y, 1000.0, 2500.5)
    plain = run("evaluate", write(tmp_path, P, w=weight), *COLUMNS, "--weight", "w", *options[6:])
    values = [json.loads(one.stdout)["estimates"][0]["value"] for one in (found, plain)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv.xz", "a.csv.zip"])
def test_other_files_are_read_by_their_endings(tmp_path, name):
    frame = pd.DataFrame({"y": Y, "p": P})
    if name == "a.jsonl":
        frame.to_json(tmp_path / name, orient="records", lines=True, double_precision=15)
    else:
        frame.to_csv(tmp_path / name, index=False)
    found = run("evaluate", tmp_path / name, *COLUMNS, *QUICK)
    assert found.exit_code == 0, found.stderr
    plain = run("evaluate", write(tmp_path, P), *COLUMNS, *QUICK)
    values = [json.loads(one.stdout)["estimates"][0]["value"] for one in (found, plain)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
