"""``fitontest validate``: the validation of a file is that of the library, in every format."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.results.text import csv_text
from tests.apps.cli import printed

COLUMNS = ("--label", "y", "--prob", "p")
QUICK = ("--family", "platt")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 3, 400)
    region = np.repeat(["north", "south"], 200)
    y = (rng.random(400) < p**0.7).astype(int)
    return pd.DataFrame({"y": y, "p": p, "q": p**0.7, "region": region, "w": 1 + np.arange(400) % 2})


@pytest.fixture(scope="module")
def file(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("validate") / "scores.csv"
    scores.to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


def test_the_table_is_that_of_the_library(file, scores):
    result = run(file, *COLUMNS, *QUICK, "--threshold", 0.3, "--threshold", 0.1)
    assert result.exit_code == 0, result.stderr
    expected = fot.risk.validate(scores.y, scores.p, family="platt", thresholds=[0.1, 0.3])
    assert result.stdout == printed(expected)
    assert result.stderr == ""


@pytest.mark.exhaustive
def test_options_are_those_of_the_library(file, scores):
    options = ("--weight", "w", "--cost", 0.25, "--level", 0.9, "--random-state", 4, "--format", "json")
    result = run(file, *COLUMNS, *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    settings = {"family": "platt", "cost": 0.25, "level": 0.9, "random_state": 4}
    expected = fot.risk.validate(scores.y, scores.p, sample_weight=scores.w, **settings)
    assert json.loads(result.stdout) == json.loads(expected.to_json())
    assert expected.thresholds == (0.2,)


@pytest.mark.exhaustive
def test_several_columns_are_several_models(file, scores):
    result = run(file, *COLUMNS, "--prob", "q", *QUICK, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    models = fot.risk.validate(scores.y, {"p": scores.p, "q": scores.q}, family="platt")
    assert result.stdout == f"{csv_text(models.rows())}\n"
    assert models.to_html().count("<figure>") == 1


@pytest.mark.exhaustive
def test_segments_and_groups(file, scores):
    groups = np.arange(400) // 4
    path = file.with_name("groups.csv")
    scores.assign(group=groups).to_csv(path, index=False)
    result = run(path, *COLUMNS, *QUICK, "--by", "region", "--group", "group")
    assert result.exit_code == 0, result.stderr
    expected = fot.risk.validate(scores.y, scores.p, family="platt", by=scores.region, groups=groups)
    assert result.stdout == printed(expected)


@pytest.mark.exhaustive
def test_a_page_is_written_by_the_ending_of_the_output(file, tmp_path):
    page = tmp_path / "page.html"
    result = run(file, *COLUMNS, *QUICK, "--threshold", 0.2, "-o", page)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"Wrote {page}\n")
    html = page.read_text(encoding="utf-8")
    assert "<h1>Validation of p in scores.csv</h1>" in html
    assert html.count("<figure>") == 2  # the calibration curve and the decision curve
    assert 'aria-label="Reliability diagram, observed frequency against the score.' in html
    assert run(file, *COLUMNS, *QUICK, "-o", tmp_path / "values.json").exit_code == 0
    assert json.loads((tmp_path / "values.json").read_text())["family"] == "platt"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--threshold", 1.5), "--threshold must"),
        (("--threshold", 0.2, "--cost", 1), "--cost must be left out"),
        (("--cost", -1), "--cost must"),
        (("--level", 2), "level"),
        (("--prob", "q", "--by", "region"), "--by must be left out with several models, got region"),
        (("--prob", "p"), "--prob must name every column once, got p, p"),
        (("--prob", "q", "--labels", "0,1"), "--labels must be left out without --reduction"),
        (("--format", "htm"), "did you mean 'html'"),
        (("-o", "missing/page.html"), "--output must be a file in a folder that exists"),
    ],
)
def test_refusals(file, options, message):
    result = run(file, *COLUMNS, *QUICK, *options)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")
