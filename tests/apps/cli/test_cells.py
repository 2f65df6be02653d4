"""Large files and patterns of files on the command line: cells in place of rows."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.data.reading import table

QUICK = ["--family", "beta", "--interval", "none", "--format", "json"]


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    p = rng.integers(0, 101, 600) / 100
    y = (rng.random(600) < p**1.2).astype(int)
    return pd.DataFrame({"y": y, "p": p, "s": rng.choice(["a", "b"], 600), "word": np.where(y, "yes", "no")})


@pytest.fixture
def path(frame, tmp_path):
    frame.to_parquet(tmp_path / "scores.parquet")
    return tmp_path / "scores.parquet"


def error_of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["estimates"][0]["value"]


def test_cells_are_said_and_give_the_same_error(frame, path):
    found = run("evaluate", path, "--label", "y", "--prob", "p", "--cells", "always", *QUICK)
    assert error_of(found) == pytest.approx(float(fot.calibration_error(frame.y, frame.p, family="beta")), abs=1e-12)
    assert "600 rows in 101 cells" in found.stderr
    assert "rows in" not in run("evaluate", path, "--label", "y", "--prob", "p", *QUICK).stderr


def test_many_rows_are_read_as_cells_unasked(path, monkeypatch):
    monkeypatch.setattr(table, "MOST_IN_MEMORY", 599)
    assert "600 rows in" in run("evaluate", path, "--label", "y", "--prob", "p", *QUICK).stderr
    never = run("evaluate", path, "--label", "y", "--prob", "p", "--cells", "never", *QUICK)
    assert "rows in" not in never.stderr


def test_a_pattern_of_files(frame, tmp_path):
    for day in range(2):
        (tmp_path / f"day={day}").mkdir()
        frame[300 * day : 300 * (day + 1)].to_parquet(tmp_path / f"day={day}" / "scores.parquet")
    pattern = tmp_path / "*" / "*.parquet"
    found = run("evaluate", pattern, "--label", "y", "--prob", "p", *QUICK)
    assert error_of(found) == pytest.approx(float(fot.calibration_error(frame.y, frame.p, family="beta")), abs=1e-12)
    by_day = run("evaluate", pattern, "--label", "y", "--prob", "p", "--by", "day", *QUICK)
    assert by_day.exit_code == 0, by_day.output
    assert "600 rows in" in by_day.stderr
    refused = run("evaluate", pattern, "--label", "y", "--prob", "p", "--cells", "never")
    assert refused.exit_code == 2
    assert "must be one file with --cells never" in refused.stderr


@pytest.mark.exhaustive
def test_labels_and_segments_are_read_as_from_rows(frame, path):
    words = ["evaluate", path, "--label", "word", "--prob", "p", "--pos-label", "yes", *QUICK]
    assert error_of(run(*words, "--cells", "always")) == pytest.approx(error_of(run(*words)), abs=1e-12)
    by = ["evaluate", path, "--label", "y", "--prob", "p", "--by", "s", *QUICK]
    cells, rows = (json.loads(run(*by, "--cells", kind).stdout) for kind in ("always", "never"))
    assert json.dumps(cells).count("null") == json.dumps(rows).count("null")


@pytest.mark.exhaustive
def test_classes_are_the_labels_unless_they_are_named(tmp_path):
    rng = np.random.default_rng(1)
    P = rng.dirichlet([1, 1, 1], 300)
    frame = pd.DataFrame(P, columns=["p1", "p2", "p3"]).assign(y=rng.choice(3, 300))
    frame.to_parquet(tmp_path / "classes.parquet")
    columns = ["--label", "y", "--prob", "p1", "--prob", "p2", "--prob", "p3"]
    for reduction in ("confidence", "classwise"):
        call = ["evaluate", tmp_path / "classes.parquet", *columns, "--reduction", reduction, *QUICK]
        found, rows = run(*call, "--cells", "always"), run(*call)
        assert found.exit_code == 0, found.output
        key = "means" if reduction == "classwise" else "estimates"
        assert json.loads(found.stdout).keys() == json.loads(rows.stdout).keys()
        assert key in json.loads(found.stdout)
    named = run(*call, "--cells", "always", "--labels", "2,1,0")
    assert named.exit_code == 0, named.output
    assert named.stdout != found.stdout


@pytest.mark.exhaustive
def test_compare_and_plot_read_cells(path, tmp_path):
    columns = [path, "--label", "y", "--prob", "p", "--cells", "always"]
    compared = run("compare", *columns, "--family", "platt", "--evaluator", "none", "--save", tmp_path / "map.json")
    assert compared.exit_code == 0, compared.output
    assert (tmp_path / "map.json").exists()
    drawn = run("plot", *columns, "--family", "beta", "-o", tmp_path / "a.svg")
    assert drawn.exit_code == 0, drawn.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "y", "--prob", "q"], "prob must be a column of the frame, got 'q'"),
        (["--label", "z", "--prob", "p", "--pos-label", "1"], "--label must be a column of"),
        (["--label", "y", "--prob", "p", "--prob", "p"], "--prob must name every column once"),
        (["--label", "y", "--prob", "p", "--prob", "s"], "prob column 's' must hold real numbers"),
        (["--label", "y", "--prob", "p", "--labels", "0,1"], "--labels must be left out"),
        (["--label", "y", "--prob", "p", "--sep", ";"], "--sep"),
        (
            ["--label", "y", "--prob", "p", "--reduction", "canonical"],
            "--cells must not be 'always' with 'canonical'",
        ),
    ],
)
def test_what_is_refused(path, arguments, message):
    found = run("evaluate", path, "--cells", "always", *arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())


def test_text_is_not_read_as_cells(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n0,0.1\n1,0.9\n")
    found = run("evaluate", tmp_path / "a.csv", "--label", "y", "--prob", "p", "--cells", "always")
    assert found.exit_code == 2
    assert "FILE must be Parquet with --cells always" in found.stderr
