"""The scores of several models for the same labels become samples by model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot

import fitontest as fot
from fitontest.data.reading.models import is_of_models, read_models
from tests.strategies import noisy

Y, P = noisy(60)
MODELS = {"first": P, "second": P**2}
MATRIX = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
LETTERS = np.array(["a", "b", "c"])[np.random.default_rng(1).integers(0, 3, 60)]


def test_each_model_is_read_as_by_itself():
    w = np.arange(60) % 3
    samples = read_models(Y, MODELS, sample_weight=w)
    assert samples.kind == "model"
    assert not samples.is_by_class
    assert not samples.is_by_segment
    assert repr(samples) == "Samples(2 models)"
    assert samples.n == fot.read(Y, P, sample_weight=w).n
    assert samples.base_rate == fot.read(Y, P, sample_weight=w).base_rate
    for name, p in MODELS.items():
        alone = fot.read(Y, p, sample_weight=w)
        for column in ("p", "codes", "w"):
            assert np.array_equal(getattr(samples[name], column), getattr(alone, column))


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_several_classes(reduction):
    samples = read_models(LETTERS, {"a": MATRIX, "b": MATRIX[:, [1, 2, 0]]}, reduction=reduction)
    assert samples.reduction == reduction
    assert samples.classes == (None if reduction == "confidence" else ["a", "b", "c"])
    assert samples["a"].reduction == reduction


def test_columns_of_a_frame_and_of_a_file(tmp_path):
    frame = pd.DataFrame({"y": Y.astype(int), "first": P, "second": P**2})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    columns = {"one": "first", "two": "second"}
    for source in (frame, tmp_path / "scores.csv"):
        samples = read_models(source, label="y", prob=columns)
        assert list(samples) == ["one", "two"]
        assert np.array_equal(samples["two"].p, P**2)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "y_prob must hold the scores of at least one model, got an empty dict"),
        ({1: P}, "y_prob must have names of models as keys, texts that are not empty; got 1"),
        ({"": P}, "y_prob must have names of models as keys"),
        ({"a": P, "forest": P[:5]}, r"y_prob\['forest'\] must have the same number of rows"),
        ({"a": P, "forest": 2 * P}, r"y_prob\['forest'\] must lie in \[0, 1\], got .* at row"),
        ({"a": P, "forest": MATRIX}, r"y_prob\['forest'\] must be one"),
        ({"a": [*P[:-1], None]}, r"y_prob\['a'\] must not have missing values"),
    ],
)
def test_bad_scores_name_their_model(models, message):
    with pytest.raises(ValueError, match=message):
        read_models(Y, models)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no_such"):
        read_models(pd.DataFrame({"y": Y, "p": P}), label="y", prob={"a": "p", "b": "no_such"})


def test_what_takes_one_model_points_to_what_takes_several():
    for call in (fot.read, fot.ece, fot.calibration_error, fot.compare_calibrators):
        with pytest.raises(ValueError, match="y_prob must be the scores of one model here; evaluate and Reliability"):
            call(Y, MODELS)
    assert is_of_models(MODELS)
    assert is_of_models(None, {"a": "p"})
    assert not is_of_models(P, ["p"])


def of_models(form):
    return form({"first": P, "second": P**2, "third": P / 2})


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_of_models_is_what_a_dict_of_them_is(form):
    frame, models = of_models(form), of_models(dict)
    two = form(MODELS)
    quick = {"families": ["platt"], "interval": None}
    assert fot.evaluate(Y, frame, **quick).to_json() == fot.evaluate(Y, models, **quick).to_json()
    assert fot.risk.validate(Y, two).to_json() == fot.risk.validate(Y, MODELS).to_json()
    assert fot.risk.decision_curve(Y, two, thresholds=[0.3]).to_json() == (
        fot.risk.decision_curve(Y, MODELS, thresholds=[0.3]).to_json()
    )
    assert fot.compare_errors(Y, two).to_json() == fot.compare_errors(Y, MODELS).to_json()
    drawn, named = (
        fot.ReliabilityDisplay.from_predictions(Y, each, family="platt", interval=None) for each in (two, MODELS)
    )
    assert type(drawn) is type(named)
    pyplot.close("all")


@pytest.mark.parametrize(
    ("y", "frame", "columns"),
    [
        (LETTERS, pd.DataFrame(MATRIX, columns=["a", "b", "c"]), 3),
        (Y, pd.DataFrame(MATRIX, columns=["u", "v", "w"]), 3),  # rows add up to 1
        (Y, pd.DataFrame(np.column_stack((P, P**2, P / 2))), 3),  # columns without names
        (LETTERS, pd.DataFrame({"u": P, "v": P**2, "w": P}), 3),
    ],
    ids=["classes by name", "sums of 1", "no names", "three labels"],
)
def test_other_frames_are_no_models(y, frame, columns):
    with pytest.raises(ValueError, match=f"y_prob must be one column of scores .* got {columns} columns"):
        fot.evaluate(y, frame)


def test_columns_called_after_two_classes_are_no_models():
    words = np.where(Y == 1, "yes", "no")
    with pytest.raises(ValueError, match="two that add up to 1 in each row"):
        fot.evaluate(words, pd.DataFrame({"yes": P, "no": P}), pos_label="yes")
    with pytest.warns(fot.CalibrationWarning, match="two columns of y_prob"):
        found = fot.evaluate(Y, pd.DataFrame({"u": 1 - P, "v": P}), families=["platt"], interval=None)
    assert isinstance(found, fot.evaluation.Evaluation)


def test_models_may_be_called_by_tuples():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(int)
    frame = pd.DataFrame({("m", "a"): p, ("m", "b"): p**2})
    found = fot.evaluate(y, frame, families=["platt"], interval=None)
    assert [*found] == ["('m', 'a')", "('m', 'b')"]
