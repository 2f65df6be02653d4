"""A gate does not guess what whole weights mean."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(7)
N = 300
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
SURVEY = np.ceil(RNG.lognormal(3.0, 1.0, N)).astype(int)
REFUSAL = "must be 'counts' or 'importances' where weights are whole numbers of more than 10 on average"


def check(w, **options):
    return fot.check_calibration(Y, P, max_error=0.05, sample_weight=w, **options)


@pytest.mark.exhaustive
def test_whole_survey_weights_are_refused_until_they_are_named():
    with pytest.raises(ValueError, match=f"^weights {REFUSAL}, got weights of .* which is right cannot be seen"):
        check(SURVEY)
    assert check(SURVEY, weights="importances").outcome == "undecided"
    assert check(SURVEY, weights="counts").outcome == "fail"  # as 9,000 rows, which they are not
    assert check(SURVEY + 0.5).outcome == "undecided"
    with pytest.raises(AssertionError, match="weights are importances"):
        fot.assert_calibrated(Y, P, max_error=0.05, sample_weight=SURVEY, weights="importances")


@pytest.mark.parametrize("options", [{"by": np.arange(N) % 2}, {"reduction": "classwise"}])
def test_segments_and_classes_are_refused_alike(options):
    p = np.column_stack((1 - P, P)) if "reduction" in options else P
    with pytest.raises(ValueError, match=f"^weights {REFUSAL}"):
        fot.check_calibration(Y, p, max_error=0.05, sample_weight=SURVEY, **options)
    found = fot.check_calibration(Y, p, max_error=0.05, sample_weight=SURVEY, weights="importances", **options)
    assert {gate.estimate.weighting.kind for gate in found.gates} == {"importances"}


def test_cells_are_refused_until_they_are_named():
    with pytest.raises(ValueError, match=f"^weights of Cells.of {REFUSAL}"):
        fot.check_calibration(fot.Cells.of(Y, P, SURVEY), max_error=0.05)
    named = fot.Cells.of(Y, P, SURVEY, weights="importances", exact=True)
    assert fot.check_calibration(named, max_error=0.05).outcome == "undecided"
    by_segment = {"a": fot.Cells.of(Y, P, SURVEY), "b": fot.Cells.of(Y, P)}
    with pytest.raises(ValueError, match=f"^weights of Cells.of {REFUSAL}"):
        fot.check_calibration(by_segment, max_error=0.05)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("more", [[], ["--by", "half"]])
def test_the_command_exits_with_2_and_says_only_why(tmp_path, ending, more):
    path = tmp_path / f"scores.{ending}"
    frame = pd.DataFrame({"y": Y, "p": P, "w": SURVEY, "half": np.where(np.arange(N) % 2, "a", "b")})
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    cells = ["--cells", "always"] if ending == "parquet" else []
    command = ["check", str(path), "--label", "y", "--prob", "p", "--weight", "w", "--max-error", ".05", *more, *cells]
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 2
    assert f"Error: --weight-type {REFUSAL}" in refused.stderr
    assert "Note" not in refused.stderr
    named = CliRunner().invoke(main, [*command, "--weight-type", "importances", "--format", "json"])
    assert named.exit_code == 3
    assert {gate["weights"] for gate in json.loads(named.stdout)["gates"]} == {"importances"}
    measured = CliRunner().invoke(main, ["evaluate", *command[1:8], "--family", "platt", *more, *cells])
    assert measured.exit_code == 0
    assert "are taken for importances" in measured.stderr
    assert "weights are importances: 300 rows tell as much as" in " ".join(measured.stdout.split())


def test_the_type_of_weights_needs_weights(tmp_path):
    path = tmp_path / "scores.csv"
    pd.DataFrame({"y": Y, "p": P}).to_csv(path, index=False)
    command = ["evaluate", str(path), "--label", "y", "--prob", "p", "--weight-type", "counts"]
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 2
    assert "--weight-type must be left out where there are no weights" in found.stderr


@pytest.mark.exhaustive
def test_small_whole_weights_that_look_like_importances_leave_the_outcome_open():
    rng = np.random.default_rng(3)
    p = rng.random(1500)
    y, w = (rng.random(1500) < p).astype(int), np.ceil(rng.lognormal(1.0, 1.0, 1500))  # 5 on average
    (gate,) = fot.check_calibration(y, p, max_error=0.08, sample_weight=w).gates
    assert gate.outcome == "undecided"
    assert gate.if_importances.outcome == "pass"
    assert "whose labels agree as those of copies do" in str(gate)
    assert "by importances 0.000 to" in str(gate)
    assert "copies" in gate.record()["note"]
    counts = fot.check_calibration(y, p, max_error=0.08, sample_weight=w, weights="counts")
    assert counts.outcome != "pass"
    assert counts.gates[0].if_importances is None
