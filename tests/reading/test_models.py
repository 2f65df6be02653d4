"""The scores of several models for the same labels become samples by model."""

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.reading.models import is_of_models, read_models
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
