"""The files that the page on gates ships: their commands run, and stop a model whose scores are wrong."""

import os
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.pages import ROOT

FILES = ROOT / "docs" / "gate"

pytestmark = pytest.mark.exhaustive  # each starts Python several times


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the command ``fitontest`` in a folder of its own, which a step of a workflow finds."""
    command = tmp_path / "bin" / "fitontest"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fitontest "$@"\n')
    command.chmod(0o755)
    return tmp_path


def write_scores(folder, power, n=3000):
    rng = np.random.default_rng(0)
    p = rng.random(n)
    frame = pd.DataFrame({"outcome": (rng.random(n) < p**power).astype(int), "score": p})
    frame.to_csv(folder / "scores.csv", index=False)


def run(folder, *command):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("power", "code", "said"), [(1.0, 0, "Pass: "), (1.6, 1, "Fail: ")])
def test_the_workflow_runs_its_steps(folder, power, code, said):
    yaml = pytest.importorskip("yaml")
    write_scores(folder, power)
    steps = yaml.safe_load((FILES / "workflow.yml").read_text())["jobs"]["gate"]["steps"]
    scripts = [step["run"] for step in steps if "fitontest check" in step.get("run", "")]
    check, keep = (run(folder, "bash", "-e", "-c", script) for script in scripts)
    assert (check.returncode, keep.returncode) == (code, 0), check.stderr
    assert check.stdout.startswith(said)
    assert f'failures="{code}"' in (folder / "calibration.xml").read_text()


@pytest.mark.parametrize(
    ("power", "n", "code", "said"),
    [
        (1.0, 3000, 0, "1 passed"),
        (1.6, 3000, 1, "Fail: calibration error"),
        (1.0, 100, 1, "Cannot tell at 0.05 with 100 rows"),
    ],
)
def test_the_file_of_pytest_passes_and_fails(folder, power, n, code, said):
    write_scores(folder, power, n)
    (folder / "test_calibration.py").write_text((FILES / "test_calibration.py").read_text())
    found = run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_calibration.py")
    assert (found.returncode, said in found.stdout) == (code, True), found.stdout
