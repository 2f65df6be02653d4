"""``fitontest segments``: features from files, what is found, and the map that repairs."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.apps.cli import printed
from tests.apps.cli.columns import read_numbers


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 2000
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "site": rng.choice(["north", "south", "west"], n),
            "code": rng.integers(0, 3, n),
            "flag": rng.random(n) < 0.5,
            "score": rng.random(n),
        }
    )
    frame["y"] = (rng.random(n) < np.where(frame.site == "west", frame.score**0.5, frame.score)).astype(int)
    frame.loc[rng.random(n) < 0.05, "age"] = np.nan
    frame.loc[(rng.random(n) < 0.05) & (frame.site != "west"), "site"] = None
    path = tmp_path_factory.mktemp("segments")
    frame.to_csv(path / "rows.csv", index=False)
    frame.to_parquet(path / "rows.parquet")
    return path, frame


def run(*arguments, code=0, **settings):
    result = CliRunner().invoke(main, ["segments", *map(str, arguments)], **settings)
    assert result.exit_code == code, result.output
    return result.output if code else result.stdout


OPTIONS = ("--label", "y", "--prob", "score", "--draws", "79")


@pytest.mark.exhaustive
def test_every_kind_of_file_tells_what_the_frame_does(folder):
    path, frame = folder
    columns = ["age", "site", "code", "flag"]
    found = fot.segments.find_segments(frame.y, frame.score, frame[columns], draws=79)
    assert len(found) == 1
    for file in ("rows.csv", "rows.parquet"):
        said = json.loads(run(path / file, *OPTIONS, "--format", "json"))
        assert said["segments"] == found.rows()
    assert run(
        path / "rows.csv", *OPTIONS, "--columns", "age,site", "--columns", "code,flag", "--format", "csv"
    ) == run(path / "rows.csv", *OPTIONS, "--format", "csv")
    text = (path / "rows.csv").read_text()
    assert run("-", *OPTIONS, input=text) == printed(found)
    table = run("-", *OPTIONS, "--verbose", input=text)
    assert table.splitlines()[0].startswith("1 segment differs from the map of all rows (")
    assert "site = west  level" in table
    assert "--against scores" in table


@pytest.mark.exhaustive
def test_the_map_is_saved_drawn_printed_as_sql_and_applied(folder, tmp_path):
    path, frame = folder
    sql = run(
        path / "rows.csv", *OPTIONS, "--format", "sql", "--save", tmp_path / "map.json", "--plot", tmp_path / "s.svg"
    )
    assert "CASE WHEN \"site\" IN ('west') THEN " in sql
    assert "site = west" in (tmp_path / "s.svg").read_text()
    c_hat = fot.segments.FeatureMap.from_json((tmp_path / "map.json").read_text())
    for file, output in (("rows.csv", "new.csv"), ("rows.parquet", "new.parquet")):
        arguments = ["apply", tmp_path / "map.json", path / file, "--prob", "score", "-o", tmp_path / output]
        result = CliRunner().invoke(main, [*map(str, arguments)])
        assert result.exit_code == 0, result.output
        new = read_numbers(tmp_path / output, ["calibrated"])[:, 0]
        np.testing.assert_allclose(new, c_hat(frame, frame.score), rtol=1e-14)
    duckdb = pytest.importorskip("duckdb")
    assert c_hat.intercept != 0.0
    q = duckdb.sql(f"SELECT {sql} AS q FROM frame").fetchnumpy()["q"]
    np.testing.assert_allclose(q, c_hat(frame, frame.score), rtol=1e-9)


def test_codes_are_categories_where_that_is_said(folder):
    path, _ = folder
    said = json.loads(
        run(path / "rows.csv", *OPTIONS, "--columns", "code", "--categorical", "code", "--format", "json")
    )
    assert said["scanned"] == 3
    assert said["segments"] == []
    assert said["nearest"]["segment"].startswith("code = ")
    nothing = CliRunner().invoke(
        main, ["segments", str(path / "rows.csv"), *OPTIONS, "--columns", "code", "--plot", str(path / "none.png")]
    )
    assert "No segment to draw" in nothing.stderr
    assert not (path / "none.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--columns", "agee"), "--columns must name columns of .*did you mean 'age'"),
        (("--columns", "age", "--categorical", "code"), "--categorical must be among --columns, age; got code"),
        (("--level", "2"), "--level must be a number in"),
        (("--draws", "10"), "--draws must be a whole number, at least 39"),
        (("--most", "0"), "--most must be a whole number, at least 1"),
        (
            ("--prob", "age", "--reduction", "confidence", "--format", "sql"),
            "--format must be one of .* with several --prob columns",
        ),
        (("--save", "map.txt"), "the ending of --save must be one of"),
    ],
)
def test_refusals(folder, arguments, message):
    import re

    path, _ = folder
    said = run(path / "rows.csv", "--label", "y", "--prob", "score", *arguments, code=2)
    assert re.search(message, " ".join(said.split())), said


def test_a_file_of_nothing_but_scores(tmp_path):
    (tmp_path / "few.csv").write_text("y,score\n0,0.2\n1,0.7\n")
    said = run(tmp_path / "few.csv", "--label", "y", "--prob", "score", code=2)
    assert "--columns must name columns of features, got none" in " ".join(said.split())


@pytest.mark.exhaustive
def test_evaluate_and_check_take_one_maximum_and_a_report_crosses_segments(folder, tmp_path):
    path, frame = folder
    by = ["--by", "code", "--by", "flag", "--segments", "each", "--adjust", "max"]
    common = [str(path / "rows.csv"), "--label", "y", "--prob", "score"]
    said = CliRunner().invoke(main, ["evaluate", *common, *by, "--against", "scores", "--format", "json"])
    assert said.exit_code == 0, said.output
    segments = {record["segment"] for record in json.loads(said.stdout)["segments"]}
    assert segments == {"code = 0", "code = 1", "code = 2", "flag = False", "flag = True", "all rows"}
    gate = CliRunner().invoke(main, ["check", *common, *by, "--max-error", "0.4"])
    assert (gate.exit_code, gate.stdout.splitlines()[0]) == (0, "Pass: ECCE at most 0.4 (errors by ecce)")
    frame.head(300).to_csv(tmp_path / "few.csv", index=False)
    few = [str(tmp_path / "few.csv"), *common[1:]]
    page = CliRunner().invoke(main, ["report", *few, *by[:4], "--no-compare", "-o", str(tmp_path / "page.html")])
    assert page.exit_code == 0, page.output
    assert "code = 0, flag = True" in (tmp_path / "page.html").read_text()
    alone = CliRunner().invoke(main, ["evaluate", *common, "--adjust", "max"])
    assert alone.exit_code == 2
    assert "--adjust and --segments must be left out without --by" in alone.output
