"""``--group``: the column that says which rows of a file belong together."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.apps.cli import printed

COLUMNS = ("--label", "y", "--prob", "p", "--group", "patient")
POINT = ("--interval", "none", "--measure", "none")


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    p, patient = rng.random(300), rng.integers(0, 40, size=300)
    y = (rng.random(300) < p**1.3).astype(int)
    region = np.where(patient % 2, "north", "south")
    return pd.DataFrame({"y": y, "p": p, "patient": [f"p{i}" for i in patient], "region": region})


@pytest.fixture
def file(tmp_path, scores):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def run(command, *arguments):
    return CliRunner().invoke(main, [command, *map(str, arguments)])


def test_groups_of_a_file_are_those_of_the_library(file, scores, tmp_path):
    found = run("evaluate", file, *COLUMNS, *POINT, "--family", "spline", "--format", "json")
    assert found.exit_code == 0, found.stderr
    data = {"y_true": scores["y"], "y_prob": scores["p"]}
    expected = fot.evaluate(**data, groups=scores["patient"], families=["spline"], interval=None)
    plain = fot.evaluate(**data, families=["spline"], interval=None)
    raw = json.loads(found.stdout)["estimates"][0]["value"]
    assert raw == float(expected["spline"]) != float(plain["spline"])
    scores.to_parquet(tmp_path / "scores.parquet")
    again = run("evaluate", tmp_path / "scores.parquet", *COLUMNS, *POINT, "--family", "spline", "--format", "json")
    assert json.loads(again.stdout)["estimates"][0]["value"] == raw


def test_segments_and_groups_go_together(file, scores):
    options = ("--interval", "none", "--by", "region", "--family", "spline")
    found = run("evaluate", file, *COLUMNS, *options)
    by = {"by": scores["region"], "groups": scores["patient"], "families": ["spline"], "interval": None}
    assert found.exit_code == 0, found.stderr
    assert found.stdout == printed(fot.evaluate(scores["y"], scores["p"], **by))


def test_a_picture_takes_groups(file, tmp_path):
    found = run("plot", file, *COLUMNS, "--band", "none", "-o", tmp_path / "picture.svg")
    assert found.exit_code == 0, found.stderr
    assert (tmp_path / "picture.svg").exists()


@pytest.mark.parametrize("command", ["evaluate", "check", "compare", "plot", "report", "monitor"])
def test_every_command_that_reads_rows_says_what_groups_are(command):
    text = " ".join(run(command, "--help").stdout.split())
    assert "--group COLUMN Column that says which rows belong together, such as those of one patient, user or" in text


@pytest.mark.parametrize("command", ["evaluate", "check", "compare", "plot", "report"])
def test_a_column_that_is_not_there_is_refused_with_what_was_meant(command, file, tmp_path):
    more = {"check": ("--max-error", 0.1), "plot": ("-o", tmp_path / "a.svg"), "report": ("-o", tmp_path / "a.html")}
    found = run(command, file, *COLUMNS[:-1], "patiant", *more.get(command, ()))
    assert found.exit_code == 2
    assert "--group must be a column of" in found.stderr
    assert "did you mean 'patient'?" in found.stderr


def test_a_missing_id_is_refused_with_its_line(file, scores):
    scores.assign(patient=scores["patient"].where(scores.index != 7)).to_csv(file, index=False)
    found = run("evaluate", file, *COLUMNS, *POINT)
    assert found.exit_code == 2
    assert "group column 'patient' must not have missing values" in found.stderr
    assert "the first at line 9" in found.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group", "patient"), "--group must be given with --label, which tells how alike rows of a group are"),
        (("--label", "y"), "--label must be left out without --group"),
        (("--pos-label", "1"), "--pos-label must be left out without --label"),
        (("--label", "y", "--group", "patiant"), "--group must be a column of .*did you mean 'patient'"),
    ],
)
def test_a_plan_needs_labels_where_it_has_groups(file, options, message):
    found = run("plan", file, "--prob", "p", *options)
    assert found.exit_code == 2
    assert re.search(message, found.stderr)


def test_a_plan_is_for_rows_in_groups(file, scores):
    quick = ("--family", "isotonic", "--draws", 20, "--error", 0.1, "--n", 90, "--n", 120)
    found = run("plan", file, "--prob", "p", "--label", "y", "--group", "patient", *quick)
    options = {"families": ["isotonic"], "draws": 20, "errors": [0.1], "n": [90, 120]}
    assert found.exit_code == 0, found.stderr
    expected = fot.apps.plan_evaluation(scores["y"], scores["p"], groups=scores["patient"], **options)
    assert found.stdout == printed(expected)
    assert "groups: 40" in found.stdout


def test_a_gate_takes_groups_and_cannot_tell_of_few(file, scores):
    found = run("check", file, *COLUMNS, "--max-error", 0.2, "--format", "json")
    expected = fot.check_calibration(scores["y"], scores["p"], groups=scores["patient"], max_error=0.2)
    assert json.loads(found.stdout) == expected.to_dict()
    scores.assign(patient=scores["patient"].str[-1].astype(int) % 5).to_csv(file, index=False)
    few = run("check", file, *COLUMNS, "--max-error", 0.2)
    assert few.exit_code == 3
    assert "dependence cannot be learnt from fewer than 10 groups" in " ".join(few.stdout.split())


def test_calibrators_are_compared_by_groups(file, scores):
    options = ("--family", "platt", "--rule", "best", "--evaluator", "none", "--format", "json")
    found = json.loads(run("compare", file, *COLUMNS, *options).stdout)
    rows = {"families": ["platt"], "rule": "best", "evaluators": [], "groups": scores["patient"]}
    expected = fot.compare_calibrators(scores["y"], scores["p"], **rows).to_dict()
    losses = [{row["family"]: row["score"] for row in each["calibrators"]} for each in (found, expected)]
    assert losses[0] == losses[1]


@pytest.mark.exhaustive
def test_a_report_names_the_column_of_groups(file, tmp_path):
    page = tmp_path / "page.html"
    found = run("report", file, *COLUMNS, "--no-compare", "--family", "platt", "-o", page)
    assert found.exit_code == 0, found.stderr
    text = page.read_text(encoding="utf-8")
    assert "column of groups" in text
    assert "patient" in text


def test_intervals_of_a_file_take_groups(file, scores):
    found = run("evaluate", file, *COLUMNS, "--family", "platt", "--measure", "none")
    expected = fot.evaluate(scores["y"], scores["p"], groups=scores["patient"], families=["platt"])
    assert found.stdout == printed(expected)
    assert "n = 300 in 40 groups" in found.stdout


def test_group_given_twice_is_the_combination(file, scores):
    found = run("evaluate", file, *COLUMNS, "--group", "region", "--family", "spline")
    assert found.exit_code == 0, found.stderr
    both = {"label": "y", "prob": "p", "groups": ["patient", "region"], "families": ["spline"]}
    assert found.stdout == printed(fot.evaluate(scores, **both))
    assert "rows that share only one of patient and region count as independent" in found.stdout.replace("\n", " ")
    wrong = run("evaluate", file, *COLUMNS, "--group", "regoin")
    assert wrong.stderr.startswith("Error: --group regoin must be a column of")


@pytest.mark.parametrize(
    "repeated",
    [
        ("--label", "y"),
        ("--weight", "p", "--weight", "p"),
        ("--labels", "a,b", "--labels", "c"),
        ("--sep", ",", "--sep", ";"),
    ],
)
def test_an_option_that_takes_one_value_is_given_once(file, repeated):
    found = run("evaluate", file, *COLUMNS, *repeated)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"Error: {repeated[0]} must be given once, got it 2 times\n"
