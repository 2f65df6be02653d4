"""``fitontest compare``: what it prints and writes."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.evaluation.comparison.candidates import list_calibrators
from fitontest.evaluation.comparison.options import EVALUATORS
from tests.apps.cli.columns import read_numbers
from tests.strategies import noisy

QUICK = ("--family", "platt", "--family", "isotonic", "--evaluator", "none")


@pytest.fixture
def scores():
    y, p = noisy(300, ties=3)
    return pd.DataFrame({"y": y, "p": p, "w": np.random.default_rng(0).integers(0, 4, 300)})


@pytest.fixture
def file(tmp_path, scores):
    scores.to_csv(tmp_path / "val.csv", index=False)
    return tmp_path / "val.csv"


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *(str(argument) for argument in arguments)])


@pytest.mark.exhaustive
def test_it_prints_what_the_library_prints(file, scores):
    result = run(file, "--label", "y", "--prob", "p", "--weight", "w", "--family", "platt", "--evaluator", "slope1",
                 "--verbose")  # fmt: skip
    assert result.exit_code == 0
    expected = fot.compare_calibrators(
        scores.y, scores.p, sample_weight=scores.w, families=["platt"], evaluators=["slope1"]
    )
    printed = str(expected.table()).replace('rule="one_se"', "--rule one_se").replace('rule="stack"', "--rule stack")
    table = [text.splitlines().index("") + 1 for text in (result.stdout, printed)]
    without_times = [  # the last column, whose width is that of its numbers
        [line.split()[:-1] for line in text.splitlines()[:8] if "(s)" not in line] for text in (result.stdout, printed)
    ]
    assert without_times[0] == without_times[1]
    assert result.stdout.splitlines()[table[0] + 6 :] == printed.splitlines()[table[1] + 6 :]


def test_options_reach_the_library(file, scores):
    options = ("--cv", 3, "--repeats", 2, "--scoring", "brier", "--rule", "best", "--random-state", 4)
    result = run(file, "--label", "y", "--prob", "p", *QUICK, *options, "--format", "json")
    expected = fot.compare_calibrators(
        scores.y, scores.p, families=["platt", "isotonic"], evaluators=[], cv=3, repeats=2, scoring="brier",
        rule="best", random_state=4,
    )  # fmt: skip
    printed, wanted = json.loads(result.stdout), expected.to_dict()
    for record in (*printed["calibrators"], *wanted["calibrators"]):
        del record["fit_seconds"]
    assert printed == json.loads(json.dumps(wanted))


def test_csv(file):
    result = run(file, "--label", "y", "--prob", "p", *QUICK, "--format", "csv")
    frame = pd.read_csv(io.StringIO(result.stdout))
    assert set(frame["family"]) == {"identity", "platt", "isotonic"}
    assert frame["chosen"].sum() == 1


def test_a_test_file(file, tmp_path):
    y, p = noisy(200, seed=8)
    pd.DataFrame({"y": y, "p": p}).to_parquet(tmp_path / "test.parquet")
    result = run(file, "--label", "y", "--prob", "p", *QUICK, "--test", tmp_path / "test.parquet")
    assert "On the test set (200 rows)" in result.stdout


def test_the_map_is_saved_and_the_picture_drawn(file, tmp_path, scores):
    result = run(
        file, "--label", "y", "--prob", "p", *QUICK, "--save", tmp_path / "m.json", "--plot", tmp_path / "c.svg"
    )
    assert result.exit_code == 0
    saved = fot.CalibrationMap.from_json((tmp_path / "m.json").read_text())
    expected = fot.compare_calibrators(scores.y, scores.p, families=["platt", "isotonic"], evaluators=[])
    assert saved == expected.chosen_.map_
    assert (tmp_path / "c.svg").read_text().startswith("<?xml")
    assert f"Wrote the map of {expected.chosen}" in result.stderr
    assert "Wrote" not in result.stdout


def test_compare_then_apply(file, tmp_path, scores):
    run(file, "--label", "y", "--prob", "p", *QUICK, "--save", tmp_path / "m.json")
    applied = CliRunner().invoke(
        main, ["apply", str(tmp_path / "m.json"), str(file), "--prob", "p", "-o", str(tmp_path / "out.csv")]
    )
    assert applied.exit_code == 0
    saved = fot.CalibrationMap.from_json((tmp_path / "m.json").read_text())
    new = read_numbers(tmp_path / "out.csv", ["calibrated"])[:, 0]
    np.testing.assert_array_equal(new, np.clip(saved(scores.p), 0, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--family", "no_such"), "'no_such'"),
        (("--evaluator", "none", "--evaluator", "pl"), "--evaluator must not name others beside none, got none, pl"),
        (("--save", "no/such/folder/m.json"), "--save must be a file in a folder that exists"),
        (("--plot", "picture.bmp"), "the ending of --plot must be one of"),
        (("--test", "absent.csv"), "FILE must be an existing file, got absent.csv"),
        (("--save", "map.txt"), "the ending of --save must be one of '.json'; got '.txt'"),
        (("--prob", "p"), "must be given once, for two classes, unless there is a --reduction; got p, p"),
    ],
)
def test_refusals_are_one_line(file, options, message):
    result = run(file, "--label", "y", "--prob", "p", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert message.startswith("must be given once") or result.stderr.count("\n") == 1  # click adds how it is used
    assert result.stdout == ""


def test_one_class_only_is_refused_by_the_name_of_the_column(tmp_path, scores):
    scores.assign(y=1).to_csv(tmp_path / "val.csv", index=False)
    result = run(tmp_path / "val.csv", "--label", "y", "--prob", "p", *QUICK)
    assert result.exit_code == 2
    assert "Error: label column 'y' must have rows of both classes, got 300 of one" in result.stderr


def test_the_help_names_the_default_candidates_and_evaluators():
    text = " ".join(run("--help").stdout.split())
    default = re.search(r"Candidate; repeat for several\. Default: .*? which are (.*?) and those of other", text)[1]
    assert sorted(default.split(", ")) == sorted(list_calibrators())
    assert f"Default: {', '.join(EVALUATORS)}." in text


def test_no_input_is_overwritten(tmp_path, scores):
    """Not even one that is called like an output, or under another name."""
    for name in ("val.json", "test.svg"):
        scores.to_csv(tmp_path / f"{name}.csv", index=False)
    val, test = tmp_path / "val.json.csv", tmp_path / "test.svg.csv"
    (tmp_path / "link.json").symlink_to(val)
    (tmp_path / "link.svg").symlink_to(test)
    columns = ("--label", "y", "--prob", "p", *QUICK)
    before = val.read_bytes(), test.read_bytes()
    for options, message in (
        (("--save", tmp_path / "link.json"), "--save must be another file than FILE"),
        (("--test", test, "--plot", tmp_path / "link.svg"), "--plot must be another file than --test"),
        (("--test", val), "--test must be another file than FILE"),
    ):
        result = run(val, *columns, *options)
        assert (result.exit_code, message in result.stderr) == (2, True)
    assert (val.read_bytes(), test.read_bytes()) == before


def test_several_classes_as_they_are(tmp_path):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 200).round(3)
    P[:, 2] = 1 - P[:, 0] - P[:, 1]
    P = P.clip(0, 1)
    y = np.array(["a", "b", "c"])[(P.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1).clip(0, 2)]
    path = tmp_path / "classes.csv"
    lines = ["y,a,b,c", *(f"{label},{','.join(map(repr, map(float, row)))}" for label, row in zip(y, P, strict=True))]
    path.write_text("\n".join(lines))
    columns = ("--prob", "a", "--prob", "b", "--prob", "c", "--reduction", "canonical", "--evaluator", "none")
    names = ("--family", "temperature", "--family", "platt")
    result = run(path, "--label", "y", *columns, *names, "--format", "json", "--test", twin(path, tmp_path))
    found = json.loads(result.stdout)
    test = (y, P)
    expected = fot.compare_calibrators(
        y, P, families=["temperature", "platt"], reduction="canonical", evaluators=[], test=test
    )
    assert [one["family"] for one in found["calibrators"]] == [one.name for one in expected]
    assert found["calibrators"][0]["score"] == pytest.approx(expected.calibrators[0].held_out.score, abs=1e-12)
    assert found["calibrators"][0]["test_score"] == pytest.approx(expected.calibrators[0].test.score, abs=1e-12)


def twin(path, folder):
    """Return a copy of a file."""
    copy = folder / "twin.csv"
    copy.write_text(path.read_text())
    return str(copy)


def test_the_rule_for_one_family_is_named_as_an_option(tmp_path):
    y, p = noisy(600)
    pd.DataFrame({"y": y, "p": p**3}).to_csv(tmp_path / "rows.csv", index=False)
    result = run(tmp_path / "rows.csv", "--label", "y", "--prob", "p", "--family", "platt", "--family", "beta",
                 "--rule", "stack", "--evaluator", "none", "--cv", 2)  # fmt: skip
    assert "For one family in place of a mixture: --rule one_se." in result.stdout


def test_columns_of_features_make_more_candidates(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"code": rng.integers(0, 4, 400), "x": rng.random(400).round(3), "p": rng.random(400).round(3)}
    )
    table["y"] = (rng.random(400) < np.where(table.code == 2, table.p**0.2, table.p)).astype(int)
    table.iloc[:300].to_csv(tmp_path / "fit.csv", index=False)
    table.iloc[300:].to_csv(tmp_path / "test.csv", index=False)
    options = ("--label", "y", "--prob", "p", "--family", "certified_offsets", "--rule", "best", "--evaluator", "none")
    columns = ("--columns", "*", "--categorical", "code", "--cv", 2)
    save = ("--save", tmp_path / "map.json", "--format", "json")
    result = run(tmp_path / "fit.csv", *options, *columns, "--test", tmp_path / "test.csv", *save)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    fit, test = table.iloc[:300], table.iloc[300:].reset_index(drop=True)
    expected = fot.compare_calibrators(
        fit.y,
        fit.p,
        X=fit[["code", "x"]],
        families=["certified_offsets"],
        rule="best",
        evaluators=[],
        cv=2,
        categorical_features=["code"],
        test=(test.y, test.p, None, None, test[["code", "x"]]),
    )
    assert record["chosen"] == expected.chosen == "certified_offsets"
    assert record["map"] == expected.chosen_.map_.to_dict()
    assert record["calibrators"][0]["worst_segment"] == expected.to_dict()["calibrators"][0]["worst_segment"]
    assert '"levels": [2.0]' in (tmp_path / "map.json").read_text()
    refused = run(tmp_path / "fit.csv", *options, "--columns", "x", "--categorical", "code")
    assert refused.exit_code == 2
    assert "--categorical must be among --columns" in refused.stderr
