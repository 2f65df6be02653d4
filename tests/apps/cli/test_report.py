"""``fitontest report``: the page of a file."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.strategies import noisy

COLUMNS = ("--label", "y", "--prob", "p", "--family", "platt")


@pytest.fixture
def scores():
    y, p = noisy(200)
    region = np.where(np.arange(200) % 3, "north", "south")
    return pd.DataFrame({"y": y, "p": p, "q": 1 - p, "w": np.arange(200) % 2 + 1, "region": region})


@pytest.fixture
def file(tmp_path, scores):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def run(*arguments):
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


@pytest.mark.exhaustive
def test_the_page_is_that_of_the_library(file, scores, tmp_path):
    page = tmp_path / "page.html"
    options = ("--weight", "w", "--by", "region", "--random-state", 3, "--level", 0.9, "-o", page)
    options += ("--date", "2026-01-02", "--model", "forest 2", "--note", "source=a join = b", "--no-compare")
    result = run(file, *COLUMNS, *options)
    expected = fot.report(
        scores.y,
        scores.p,
        families=["platt"],
        by=scores.region,
        sample_weight=scores.w,
        level=0.9,
        random_state=3,
        title="Calibration of p in scores.csv",
        date="2026-01-02",
        model="forest 2",
        notes={
            "file": "scores.csv",
            "column of labels": "y",
            "columns of scores": "p",
            "column of weights": "w",
            "by": "region",
            "source": "a join = b",
        },
        compare=False,
    )
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"{expected.verdict.headline}. {expected.advice.title}. Wrote {page}\n"
    assert page.read_bytes() == expected.html.encode()


@pytest.mark.exhaustive
def test_title_comparison_and_default_place(file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run(file, *COLUMNS, "--compare", "--title", "A & B").exit_code == 0
    html = (tmp_path / "report.html").read_text()
    assert "<p>A &amp; B \u00b7 scores.csv \u00b7 200 rows, " in html
    assert "<h2>Calibrators compared</h2>" in html


@pytest.mark.exhaustive
def test_several_classes_are_judged_by_their_confidence(file, tmp_path):
    page = tmp_path / "page.html"
    options = ("--prob", "q", "--labels", "1,0", "--reduction", "confidence", "-o", page)
    result = run(file, *COLUMNS, *options)
    assert result.exit_code == 0, result.stderr
    html = page.read_text()
    assert "<h2>Classes</h2>" in html
    assert "accuracy" in html


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "page.pdf"), "the ending of --output must be one of '.html'"),
        (("-o", "no/such/folder/page.html"), "--output must be a file in a folder that exists"),
        (("--level", "2"), "level must be"),
        (("--by", "area"), "area"),
        (("--title", ""), "title must be a text"),
        (("--note", "no name"), "--note must be NAME=TEXT, got 'no name'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(file, monkeypatch, tmp_path, options, message):
    monkeypatch.chdir(tmp_path)
    result = run(file, *COLUMNS, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.html"))


def test_without_jinja2_nothing_is_computed(file, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    result = run(file, *COLUMNS)
    assert result.exit_code == 2
    assert "pip install 'fitontest[report]'" in result.stderr


@pytest.mark.exhaustive
def test_columns_of_features_have_a_part_of_their_own(file, tmp_path):
    page = tmp_path / "page.html"
    result = run(file, *COLUMNS, "--no-compare", "--columns", "region,q", "-o", page)
    assert result.exit_code == 0, result.output
    assert "Segments found" in page.read_text()
    refused = run(file, *COLUMNS, "--no-compare", "--columns", "place", "-o", page)
    assert refused.exit_code == 2
    assert "--columns must name columns" in refused.stderr
