"""The study of interpretability: its splits, its measures, how it counts wins, and that a run goes on where it was."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import fitontest as fot
from tests.releases import trees_tell_of_missing
from tests.segments.repair.trees.problems import blobs

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import interpretability_study

    yield interpretability_study
    for name in ("interpretability_study", "report"):
        sys.modules.pop(name, None)


def test_the_rows_are_split_as_published(study):
    parts = study.split(1000, 3)
    assert [part.size for part in parts] == [405, 495, 100]
    assert sorted(np.concatenate(parts)) == list(range(1000))
    assert not np.array_equal(parts[0], study.split(1000, 4)[0])


def test_measures_of_two_classes_are_their_definitions(study):
    rng = np.random.default_rng(0)
    p, cells = rng.random(200), rng.integers(0, 5, 200)
    y = (rng.random(200) < p).astype(int)
    found = study.measures(np.stack([1 - p, p], axis=1), y, cells)
    assert found["RMSE"] == pytest.approx(np.sqrt(np.mean((p - y) ** 2)))
    assert found["0/1"] == pytest.approx(np.mean((p > 0.5) != y))
    assert found["ECE"] == pytest.approx(float(fot.calibration_error(y, p, family=fot.Slope1(32))))
    assert found["AUC_V"] == pytest.approx(1 - float(fot.calibration_error(y, p, family=fot.families.KNN(10))))
    assert found["PDE"] == pytest.approx(np.mean([abs(p[i] - y[cells == cells[i]].mean()) for i in range(200)]))


def test_cut_measures_part_equal_scores(study):
    p, y = np.full(64, 0.5), np.arange(64) % 4 // 2  # in every part of two rows the labels are equal
    assert study.cut_ece(y, p) == 0.5
    assert study.measures(np.stack([1 - p, p], axis=1), y, None)["ECE"] == 0.0
    far = np.arange(64) / 64  # no equal scores: both are the plug-in error of ten neighbours
    assert study.cut_deviation(y[:10], far[:10]) == pytest.approx(np.abs(far[:10] - y[:10].mean()).mean())


def test_wins_count_ties_after_rounding_and_leave_out_what_has_no_value(study):
    values = np.array([0.104, 0.096, 0.2, np.nan])
    assert study.winners(values, "RMSE", 2).tolist() == [True, True, False, False]
    assert study.winners(values, "RMSE", None).tolist() == [False, True, False, False]
    assert study.winners(values, "AUC", 2).tolist() == [False, False, True, False]


@trees_tell_of_missing
def test_a_run_goes_on_where_it_was(study, tmp_path):
    X, y, _ = blobs(120)
    X[::11, 0] = np.nan
    (tmp_path / "sets").mkdir()
    np.savez(tmp_path / "sets" / "small.npz", X=X, y=y, classes=np.array(["a", "b", "c"]))
    task = study.tasks(tmp_path / "sets")[0]
    assert study.run(task, tmp_path, 30, np.inf) == "small 0"
    assert study.run(task, tmp_path, 30, np.inf) is None  # it is there
    other = (task[0], 1)
    assert study.run(other, tmp_path, 30, 0.0) is None  # the time is over
    record = json.loads((tmp_path / "small" / "0.json").read_text())
    assert set(record["measures"]) == set(study.CALIBRATORS)
    text = study.summary(tmp_path)
    assert "| RMSE      | published       | 21 | 25 | 31  | 24 | 36     |" in text
    assert "small" in text


def record(cap=30, **auc):
    """Return the record of a repetition in which only the AUC is known."""
    return {"cap": cap, "measures": {name: {"AUC": auc.get(name, np.nan)} for name in ("PS", "IR", "PCT", "DT")}}


def test_repetitions_and_tables_without_a_value_are_left_out(study):
    known = record(PS=0.8, IR=0.7, PCT=0.8, DT=0.6)
    tables = {"a": [known, record(), record(PS=0.6, IR=0.7, PCT=0.8, DT=0.6)], "b": [record()]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(study.means(tables["a"], "AUC"), [0.7, 0.7, 0.8, 0.6])
        assert study.shown(tables["a"], "AUC") == "0.700 / 0.700 / 0.800 / 0.600 (of 2)"
        assert study.shown(tables["b"], "AUC") == "- / - / - / -"
        assert study.wins(tables, 2)["AUC"].tolist() == [0, 0, 1, 0]
        assert study.wins(tables, 2)["RMSE"].tolist() == [0, 0, 0, 0]
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in study.count_table(tables).splitlines()]
    assert ["AUC", "ours, 2 digits", "0", "0", "1", "0", "1"] in lines


def test_another_number_of_training_rows_is_run_again_where_it_matters(study, tmp_path):
    (tmp_path / "t").mkdir()
    target = tmp_path / "t" / "0.json"
    assert not study.is_done(target, 30)
    target.write_text(json.dumps({"n": 200, "cap": 30}))  # 81 training rows
    assert study.is_done(target, 30)
    assert not study.is_done(target, 60)
    target.write_text(json.dumps({"n": 200, "cap": 90}))
    assert study.is_done(target, 3000)


def test_a_table_that_fails_does_not_stop_the_others(study, tmp_path, monkeypatch, capsys):
    X, y, _ = blobs(120)
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "broken.npz").write_text("no table")
    np.savez(folder / "small.npz", X=X, y=y, classes=np.array(["a", "b", "c"]))
    monkeypatch.setattr(study, "REPETITIONS", 1)
    arguments = [str(folder), "-o", str(tmp_path / "out"), "--processes", "1", "--cap", "30"]
    monkeypatch.setattr(sys, "argv", ["interpretability_study", *arguments])
    study.main()
    said = capsys.readouterr()
    assert "failed: broken 0: " in said.err
    assert "| small" in said.out
