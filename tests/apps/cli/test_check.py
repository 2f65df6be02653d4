"""``fitontest check``: exit codes and outcomes of a file."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main

pytestmark = pytest.mark.multiplies

COLUMNS = ("--label", "y", "--prob", "p", "--family", "platt")


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    p, region = rng.random(400), np.repeat(["north", "south"], 200)
    return pd.DataFrame({"y": (rng.random(400) < p**1.5).astype(int), "p": p, "region": region, "w": 1})


@pytest.fixture
def file(tmp_path, scores):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def run(*arguments):
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


@pytest.mark.parametrize(
    ("limit", "code", "word"),
    [(0.3, 0, "Pass: "), (0.01, 1, "Fail: "), (0.08, 3, "Cannot tell at 0.08 with 400 rows: ")],
)
def test_exit_codes(file, scores, limit, code, word):
    result = run(file, *COLUMNS, "--max-error", limit)
    assert result.exit_code == code
    assert result.stdout == f"{fot.check_calibration(scores.y, scores.p, max_error=limit, family='platt')}\n"
    assert result.stdout.startswith(word)
    assert result.stderr == ""


def test_options_are_those_of_the_library(file, scores):
    options = ("--by", "region", "--weight", "w", "--level", 0.8, "--random-state", 4, "--format", "json")
    result = run(file, *COLUMNS, "--max-error", 0.15, *options)
    expected = fot.check_calibration(
        scores.y, scores.p, max_error=0.15, family="platt", by=scores.region, level=0.8, random_state=4
    )
    assert json.loads(result.stdout) == json.loads(json.dumps(expected.to_dict()))
    assert [gate["level"] for gate in json.loads(result.stdout)["gates"]] == pytest.approx([0.9, 0.9])


@pytest.mark.parametrize(("least", "code"), [(0.5, 0), (0.99, 3)])
def test_the_slope_may_have_limits_alone_or_beside_the_error(tmp_path, least, code):
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    frame = pd.DataFrame({"y": (rng.random(1000) < p).astype(int), "p": p})
    frame.to_csv(tmp_path / "s.csv", index=False)
    columns = (tmp_path / "s.csv", "--label", "y", "--prob", "p")
    alone = run(*columns, "--slope", least, 1.5)
    assert (alone.exit_code, alone.stdout) == (code, f"{fot.check_calibration(frame.y, p, slope=(least, 1.5))}\n")
    both = run(*columns, "--slope", least, 1.5, "--max-error", 0.3, "--family", "platt", "--format", "json")
    assert both.exit_code == code
    assert [limit["limit"] for limit in json.loads(both.stdout)["gates"][0]["limits"]] == ["max_error", "slope"]
    missing, wrong = run(*columns), run(*columns, "--slope", 1.1, 1.5)
    assert (
        "--max-error must be a number where there is no other limit, --slope or --max-decision-loss; got None"
        in missing.stderr
    )
    assert "--slope must be two finite numbers, the least slope in (0, 1]" in wrong.stderr
    assert missing.exit_code == wrong.exit_code == 2


def test_the_decision_loss_may_have_a_limit_at_each_threshold(file, scores):
    losses = ("--max-decision-loss", 0.2, 0.4, "--max-decision-loss", 0.5, 0.4)
    found = run(file, *COLUMNS, *losses)
    expected = fot.check_calibration(scores.y, scores.p, max_decision_loss={0.2: 0.4, 0.5: 0.4}, family="platt")
    assert (found.exit_code, found.stdout) == (0, f"{expected}\n")
    assert run(file, *COLUMNS, "--max-decision-loss", 0.2, 0.00001).exit_code in (1, 3)
    twice = run(file, *COLUMNS, "--max-decision-loss", 0.2, 0.1, "--max-decision-loss", 0.2, 0.3)
    wrong = run(file, *COLUMNS, "--max-decision-loss", 20, 0.1)
    assert twice.exit_code == wrong.exit_code == 2
    assert "--max-decision-loss must have each threshold once, got 0.2, 0.2" in twice.stderr
    assert "--max-decision-loss must be a threshold and a limit" in wrong.stderr
    assert "got 20 0.1" in wrong.stderr


def test_junit_is_written_to_a_file(file, tmp_path):
    target = tmp_path / "junit.xml"
    result = run(file, *COLUMNS, "--max-error", 0.01, "--by", "region", "--format", "junit", "-o", target)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Wrote {target}\n")
    suite = ElementTree.parse(target).getroot()
    assert [case.get("name") for case in suite] == ["north", "south"]


@pytest.mark.exhaustive
def test_classes_are_those_of_the_columns(tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 300)
    y = rng.integers(3, size=300)
    pd.DataFrame({"y": y, "a": scores[:, 0], "b": scores[:, 1], "c": scores[:, 2]}).to_csv(tmp_path / "c.csv")
    options = ("--label", "y", "--prob", "a", "--prob", "b", "--prob", "c", "--family", "platt", "--max-error", 0.05)
    result = run(tmp_path / "c.csv", *options, "--reduction", "classwise")
    expected = fot.check_calibration(y, scores, max_error=0.05, family="platt", reduction="classwise")
    assert (result.exit_code, result.stdout) == (1, f"{expected}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-error", "0"), "--max-error must be a fraction in (0, 1) such as 0.02, never percent; got 0.0"),
        (("--max-error", "0.1", "--level", "1"), "--level must be a number in [0.5, 1) such as 0.95, got 1.0"),
        (("--max-error", "0.1", "--prob", "w"), "--prob"),
        (("--max-error", "0.1", "--by", "area"), "area"),
        (("--max-error", "0.1", "--reduction", "classwise"), "prob column 'p' must be several columns"),
        (("--max-error", "0.1", "--family", "none_such"), "none_such"),
        (("--max-error", "0.1", "--family", "identity"), "family must be fitted to the labels, got identity"),
        (("--max-error", "0.1", "--require", "north"), "--require must be left out without --by"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(file, options, message):
    columns = COLUMNS[: COLUMNS.index("--family")] if "--family" in options else COLUMNS
    result = run(file, *columns, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_cannot_be_read_is_no_failure_of_the_scores(tmp_path):
    assert run(tmp_path / "none.csv", *COLUMNS, "--max-error", 0.1).exit_code == 2
    assert run(tmp_path / "none.csv", *COLUMNS).exit_code == 2  # without a limit


@pytest.mark.exhaustive
@pytest.mark.parametrize(("ending", "options"), [("csv", ()), ("parquet", ()), ("parquet", ("--cells", "always"))])
def test_segments_without_rows_are_listed_and_leave_the_outcome_open(tmp_path, scores, ending, options):
    file = tmp_path / f"scores.{ending}"
    scores.w = (scores.region == "north").astype(float)
    scores.to_csv(file, index=False) if ending == "csv" else scores.to_parquet(file)
    call = (file, *COLUMNS, "--by", "region", "--max-error", 0.3, *options)
    found = run(*call, "--weight", "w")
    assert found.exit_code == 3
    assert [line.split()[:3] for line in found.stdout.splitlines()[4:5]] == [["south", "no", "rows"]]
    assert run(*call, "--require", "north", "--require", "south").exit_code == 0
    absent = run(*call, "--require", "north", "--require", "west", "--format", "json")
    assert absent.exit_code == 3
    assert [(one["name"], one["n"]) for one in json.loads(absent.stdout)["gates"]][2:] == [("west", 0)]


def test_the_help_begins_with_what_a_gate_is_asked():
    text = run("--help").stdout.partition("Options:")[2]
    options = [line.split()[0] for line in text.splitlines() if line.strip().startswith("--")]
    assert options[:5] == ["--max-error", "--by", "--format", "--label", "--prob"]
