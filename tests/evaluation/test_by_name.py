"""Measures as function calls: `measure` of any name, and `ece`."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

NEEDED = {"probabilistic_kendall_tau": {"truth": np.sqrt}}
MATRIX = np.random.default_rng(4).dirichlet([1, 1, 1], 150)
LETTERS = np.array(["a", "b", "c"])[np.random.default_rng(5).integers(0, 3, 150)]


@pytest.mark.parametrize("name", fot.measures.names("two"))
def test_every_measure_of_scores_is_called_by_its_name(name):
    y, p = noisy(120, ties=2)
    w = np.random.default_rng(0).integers(1, 4, 120)
    settings = NEEDED.get(name, {})
    expected = fot.evaluate(y, p, measures=[fot.measures.make(name, **settings)], sample_weight=w, interval=None)
    found = fot.measure(y, p, name, sample_weight=w, **settings)
    assert float(found) == float(expected.estimates[0])
    frame = pd.DataFrame({"y": y, "p": p, "w": w})
    if not settings:
        assert float(fot.measure(frame, name=name, label="y", prob="p", weight="w")) == float(found)
        for called in ((name,), (None, name), (fot.measures.make(name),)):
            assert float(fot.measure(fot.read(y, p, sample_weight=w), *called)) == float(found)


@pytest.mark.parametrize("name", fot.measures.names("any"))
def test_every_measure_of_distributions_is_called_by_its_name(name):
    expected = fot.evaluate(LETTERS, MATRIX, measures=[name], reduction="canonical", interval=None)
    found = fot.measure(LETTERS, MATRIX, name, reduction="canonical")
    assert float(found) == float(expected.estimates[0])
    assert found.reduction == "canonical"


def test_settings_and_instances():
    y, p = noisy(200)
    assert float(fot.measure(y, p, "ece", n_bins=7)) == float(fot.gce(y, p, n_bins=7))
    assert float(fot.measure(y, p, fot.measures.KernelError("rbf"))) == float(fot.measure(y, p, "kernel", kernel="rbf"))
    drawn = fot.measure(y, p, "kernel", estimator="block", block_size=20, random_state=3)
    assert drawn.measure.random_state == 3
    assert fot.measure(y, p, "plug_in", family="beta", null_draws=20).null.values.size == 20
    assert fot.measure(y, p, "plug_in", family="beta", interval="always", level=0.9, draws=20).interval.level == 0.9
    by_class = fot.measure(LETTERS, MATRIX, "brier", reduction="classwise", labels=["a", "b", "c"])
    assert list(by_class.classes) == ["a", "b", "c"]


def test_what_is_called_is_a_function_and_the_room_of_measures_is_a_module():
    assert callable(fot.measure)
    assert fot.measure is not fot.measures.make
    assert fot.measures.names()
    for function in (fot.measure, fot.ece):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y, p: fot.measure(y, p), "name must be one of 'ace', .* or a Measure; got None"),
        (lambda y, p: fot.measure(y, p, "no such"), "measure must be one of 'ace', .*; got 'no such'"),
        (lambda y, p: fot.measure(y, p, "ece", bins=3), "settings of ece must be among loss, .*; got 'bins'"),
        (lambda y, p: fot.measure(y, p, fot.measures.AUC(), n_bins=3), "settings must be left out where name is a"),
        (lambda y, p: fot.measure(y, p, "ece", by=y), "by must be left out, .*; evaluate takes segments"),
        (lambda y, p: fot.ece(fot.read(y, p, by=y)), "by must be left out, .*; evaluate takes segments"),
        (lambda y, p: fot.ece(y, p, n_bins=0), "n_bins must be"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call(*noisy(30))


@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
@pytest.mark.parametrize("n_bins", [1, 10, 15])
def test_the_ece_is_a_general_calibration_error_to_the_last_bit(norm, n_bins):
    y, p = noisy(200, ties=2)
    w = np.random.default_rng(0).random(200)
    for weights in (None, w):
        found = fot.ece(y, p, n_bins=n_bins, norm=norm, sample_weight=weights)
        assert found.value == fot.gce(y, p, n_bins=n_bins, norm=norm, sample_weight=weights).value
        assert found.measure.title == fot.gce(y, p, n_bins=n_bins, norm=norm).measure.title
    for reduction in ("confidence", "classwise"):
        arguments = {"n_bins": n_bins, "norm": norm, "reduction": reduction}
        assert float(fot.ece(LETTERS, MATRIX, **arguments)) == float(fot.gce(LETTERS, MATRIX, **arguments))


def test_the_ece_is_computed_by_hand():
    y, p = np.array([0, 0, 1, 0, 1, 1, 1, 1]), np.array([0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9])
    low = p < 0.5
    by_hand = sum(rows.mean() * abs(y[rows].mean() - p[rows].mean()) for rows in (low, ~low))
    assert float(fot.ece(y, p, n_bins=2)) == pytest.approx(by_hand, rel=1e-12)


def test_the_ece_has_an_interval_and_a_null_as_the_general_one():
    y, p = noisy(200)
    found = fot.ece(y, p, interval="always", level=0.9, draws=20, null_draws=30, random_state=1)
    same = fot.gce(y, p, interval="always", level=0.9, draws=20, null_draws=30, random_state=1)
    assert (found.debiased, found.interval.low, found.interval.high) == (
        same.debiased,
        same.interval.low,
        same.interval.high,
    )
    assert np.array_equal(found.null.values, same.null.values)


ERRORS = {
    "calibration_error": lambda *a, **k: fot.calibration_error(*a, family="beta", **k),
    "gce": fot.gce,
    "ece": fot.ece,
    "tce": lambda *a, **k: fot.tce(*a, null_draws=0, **k),
    "within_bin": lambda *a, **k: fot.measure(*a, name="within_bin", interval=None, **k),
    "proper_error": fot.evaluation.proper_error,
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_frame_give_the_numbers_of_their_arrays(name, library, tmp_path):
    y, p = noisy(150, ties=2)
    w = np.random.default_rng(0).integers(1, 4, 150)
    error = ERRORS[name]
    frame = library({"y": y.astype(int), "p": p, "w": w})
    expected = float(error(y, p, sample_weight=w))
    assert float(error(frame, label="y", prob="p", weight="w")) == expected
    path = tmp_path / "rows.csv"
    pd.DataFrame({"y": y.astype(int), "p": p, "w": w}).to_csv(path, index=False)
    assert float(error(path, label="y", prob="p", weight="w")) == expected


def test_columns_of_several_classes():
    frame = pd.DataFrame(MATRIX, columns=["a", "b", "c"]).assign(letter=LETTERS)
    for reduction in ("confidence", "classwise", "canonical"):
        from_frame = fot.gce(frame, label="letter", prob=["a", "b", "c"], reduction=reduction)
        assert float(from_frame) == float(fot.gce(LETTERS, MATRIX, reduction=reduction))
    from_frame = fot.evaluation.proper_error(frame, label="letter", prob=["a", "b", "c"])
    assert float(from_frame) == float(fot.evaluation.proper_error(LETTERS, MATRIX))


@pytest.mark.parametrize("name", ERRORS)
def test_a_frame_whose_columns_are_not_named_is_told_how(name):
    frame = pd.DataFrame({"y": [0, 1], "p": [0.2, 0.7]})
    with pytest.raises(ValueError, match=r"label and prob must name the columns .* label='y', prob='p'; got a data "):
        ERRORS[name](frame)
    with pytest.raises(ValueError, match="got a lazy frame"):
        ERRORS[name](pl.from_pandas(frame).lazy())
