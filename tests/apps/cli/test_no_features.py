"""Columns that are left out of features by their values: other scores and ids, and no more."""

import numpy as np
import pytest
from click.testing import CliRunner

from fitontest.apps.cli.main import main
from fitontest.apps.cli.no_features import find_no_features

N = 600
rng = np.random.default_rng(0)
SCORE = rng.beta(2, 3, N)
LOGIT = np.log(SCORE / (1 - SCORE))
OUT = {
    "another": ("scores", np.clip(SCORE + rng.normal(0, 0.2, N), 0, 1)),
    "with gaps": ("scores", np.where(rng.random(N) < 0.2, np.nan, rng.random(N))),
    "points": ("scores", (600 - 50 * LOGIT).round()),
    "row": ("ids", np.arange(N)),
    "shuffled": ("ids", rng.permutation(N) + 10_000),
    "drawn": ("ids", rng.choice(10**8, N, replace=False)),
    "patient": ("ids", np.repeat(np.arange(N // 4) * 7, 4)),
    "uuid": ("ids", np.array([f"{k:x}" for k in rng.integers(0, 2**40, N)], dtype=object)),
    "name": ("ids", np.array([f"person {k}" for k in rng.integers(0, 150, N)], dtype=object)),
}
KEPT = {
    "age": rng.integers(20, 80, N),
    "income": np.exp(rng.normal(10, 1, N)).round(),
    "amount": np.exp(rng.normal(3, 1, N)),
    "smoker": rng.integers(0, 2, N),
    "flag": rng.random(N) < 0.5,
    "share": rng.choice([0.0, 0.25, 0.5, 1.0], N),
    "day": np.repeat(np.arange(N // 30), 30),
    "site": rng.choice(np.array(["north", "south", None], dtype=object), N),
    "temperature": rng.normal(37, 1, N),
    "related": LOGIT + rng.normal(0, 1, N),
}


@pytest.mark.parametrize("name", OUT)
def test_a_column_that_looks_like_a_score_or_an_id_is_found(name):
    look, column = OUT[name]
    assert find_no_features({name: column}, {"p": SCORE}) == {name: look}


@pytest.mark.parametrize("name", KEPT)
def test_a_column_that_may_describe_rows_is_none(name):
    assert find_no_features({name: KEPT[name]}, {"p": SCORE}) == {}
    assert find_no_features({name: KEPT[name][::-1]}, {"p": SCORE[::-1]}) == {}


def test_of_few_rows_nothing_is_concluded():
    assert find_no_features({"row": np.arange(10), "q": SCORE[:10]}, {"p": SCORE[:10]}) == {}


def test_the_command_leaves_them_out_and_says_so(tmp_path):
    y = (rng.random(N) < SCORE).astype(int)
    columns = {"y": y, "p": SCORE, "row": OUT["row"][1], "old": OUT["another"][1], "age": KEPT["age"]}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    options = ["segments", str(path), "--label", "y", "--prob", "p", "--draws", "39", "--format", "json"]
    found = CliRunner().invoke(main, options)
    assert found.exit_code == 0, found.output
    said = "Left out by their values: row (like ids); old (like scores). --columns takes what you name"
    assert said in " ".join(found.stderr.split())
    assert found.stdout == CliRunner().invoke(main, [*options, "--columns", "age"]).stdout
    named = CliRunner().invoke(main, [*options, "--columns", "age,row,old"])
    assert named.stdout != found.stdout
    assert "Left out" not in named.stderr
    path.write_text("\n".join(line.rpartition(",")[0] for line in lines))
    refused = CliRunner().invoke(main, options)
    assert refused.exit_code == 2
    assert "--columns must name columns of features, got none but, by their values, row" in refused.stderr
