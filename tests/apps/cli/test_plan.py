"""``fitontest plan``: what it prints."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.apps.cli import printed

QUICK = ("--family", "isotonic", "--draws", 20, "--error", 0, "--error", 0.1)
SAME = {"families": ["isotonic"], "draws": 20, "errors": [0, 0.1]}


def run(*arguments):
    return CliRunner().invoke(main, ["plan", *(str(argument) for argument in arguments)])


@pytest.fixture
def file(tmp_path):
    pd.DataFrame({"p": np.random.default_rng(0).beta(1, 3, 30)}).to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


@pytest.mark.exhaustive
def test_it_plans_for_the_scores_of_a_file_without_labels(file):
    result = run(file, "--prob", "p", *QUICK, "--power", 0.1, "--width", 0.5, "--random-state", 2)
    assert result.exit_code == 0, result.stderr
    p = pd.read_csv(file)["p"]
    assert result.stdout == printed(fot.apps.plan_evaluation(p, **SAME, power=0.1, width=0.5, random_state=2))


def test_formats_and_sizes():
    plan = fot.apps.plan_evaluation(n=[20, 30], base_rate=0.2, **SAME)
    given = ("--n", 20, "--n", 30, "--base-rate", 0.2, *QUICK, "--format")
    assert json.loads(run(*given, "json").stdout) == plan.to_dict()
    assert len(pd.read_csv(io.StringIO(run(*given, "csv").stdout))) == len(plan.rows()) == 6
    quick = ("--n", 10, "--family", "identity", "--error", 0, "--draws", 20)
    first = json.loads(run(*quick, "--format", "json").stdout)["rows"]
    assert [row["n"] for row in first] == [10, 20, 40, 80]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prob", "p"], "FILE must be given with --prob p"),
        (["FILE"], "--prob must be given with FILE"),
        (["FILE", "--prob", "q"], "--prob"),
        (["FILE", "--prob", "p", "--base-rate", 0.1], "--base-rate must be left out where FILE is given"),
        (["--sep", ";"], "--sep, --encoding, --decimal and --max-unpacked must be left out without FILE"),
        (["--width", 3], "width must be a number in (0, 1), got 3.0"),
    ],
)
def test_refusals(arguments, message, file):
    result = run(*(file if argument == "FILE" else argument for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr


def test_bad_scores_are_refused_by_their_line(tmp_path):
    (tmp_path / "bad.csv").write_text("p\n0.1\n1.5\n")
    result = run(tmp_path / "bad.csv", "--prob", "p")
    assert "prob column 'p' must lie in [0, 1], got 1.5 at line 3" in result.stderr


def test_few_rows_of_a_file_are_refused_by_its_options(tmp_path):
    (tmp_path / "few.csv").write_text("p\n0.1\n0.5\n")
    result = run(tmp_path / "few.csv", "--prob", "p")
    assert "got 2 (of the rows of FILE; give --n for other sizes)" in result.stderr


def test_thorough_is_an_option():
    given = ("--n", 20, "--n", 30, "--family", "identity", "--error", 0)
    assert json.loads(run(*given, "--format", "json").stdout)["draws"] == 100
    assert json.loads(run(*given, "--thorough", "--format", "json").stdout)["draws"] == 200
