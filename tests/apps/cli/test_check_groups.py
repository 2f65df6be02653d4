"""``fitontest check --group``: what a gate on rows that belong together prints, and how it ends."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from fitontest.apps.cli.main import main

RNG = np.random.default_rng(0)
P = RNG.random(600)
FRAME = pd.DataFrame(
    {"y": (RNG.random(600) < P).astype(int), "p": P, "few": np.arange(600) % 6, "site": np.arange(600) % 60}
)
COLUMNS = ("--label", "y", "--prob", "p", "--max-error", "0.4")


@pytest.fixture
def file(tmp_path):
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def run(*arguments):
    return CliRunner().invoke(main, ["check", *arguments])


def test_too_few_groups_end_as_undecided_with_the_reason(file):
    found = run(file, *COLUMNS, "--group", "few")
    assert found.exit_code == 3
    assert found.stdout.startswith(
        "Cannot tell: dependence cannot be learnt from fewer than 10 groups (got 6 effective)"
    )
    record = json.loads(run(file, *COLUMNS, "--group", "few", "--format", "json").stdout)
    assert (record["outcome"], record["gates"][0]["low"], record["gates"][0]["groups"]) == ("undecided", None, 6)
    assert 'errors="1"' in run(file, *COLUMNS, "--group", "few", "--format", "junit").stdout


def test_a_pass_says_the_groups(file):
    found = run(file, *COLUMNS, "--group", "site")
    assert found.exit_code == 0
    assert "Groups: 60 (10 rows each), rho " in found.stdout
    assert "independent" not in found.stdout
