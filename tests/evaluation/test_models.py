"""`evaluate` of a dict of models: a line each, and the evaluation of each."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import fitontest as fot

RNG = np.random.default_rng(0)
P = RNG.random(800)
Y = RNG.random(800) < P
MODELS = {"calibrated": P, "too high": P**0.5, "overconfident": 1 / (1 + (1 / P - 1) ** 2.5)}
QUICK = {"families": ["spline", "beta"], "draws": 20, "null_draws": 60}
MATRIX = RNG.dirichlet([1, 1, 1], 200)
LETTERS = np.array(["a", "b", "c"])[(MATRIX.cumsum(axis=1) > RNG.random((200, 1))).argmax(axis=1)]


@pytest.fixture(scope="module")
def models():
    return fot.evaluate(Y, MODELS, **QUICK)


@pytest.mark.exhaustive
def test_each_evaluation_is_that_of_the_scores_alone(models):
    assert list(models) == list(MODELS)
    assert len(models) == 3
    for name, p in MODELS.items():
        assert str(models[name]) == str(fot.evaluate(Y, p, **QUICK))
        assert models[name].to_dict() == fot.evaluate(Y, p, **QUICK).to_dict()
    with pytest.raises(KeyError, match="'forest' is not among the models"):
        models["forest"]


def test_the_conclusion_stands_first_and_then_a_line_for_each_model(models):
    lines = str(models).splitlines()
    assert lines[0] == "Calibration is rejected for too high, overconfident; not rejected for calibrated."
    assert " ".join(lines[1].split()) == "model verdict calibration error 95 % CI O:E of non-events slope p-value n"
    for name, line in zip(MODELS, lines[3:6], strict=True):
        verdict = models[name].verdict
        assert line.startswith(name)
        assert verdict.headline in line
        ends = f"{verdict.interval.low:.3f} to {verdict.interval.high:.3f}"
        assert f" {verdict.estimate.debiased:.3f}  {ends} " in line
        assert line.endswith(" 800")
    assert "fot.compare_errors(y_true, p_a, p_b)" in str(models.explain())


def test_all_or_none_rejected():
    calibrated = fot.evaluate(Y, {"a": P}, **QUICK)
    assert str(calibrated).startswith("Calibration is not rejected for a.\n")
    assert "compare_errors" not in str(calibrated)
    assert str(fot.evaluate(Y, {"a": P**2, "b": P**0.4}, **QUICK)).startswith("Calibration is rejected for a, b.\n")


def test_records_frames_json_and_pickles(models):
    frame = models.to_frame()
    assert len(frame) == len(models.rows()) == 6
    assert list(frame["model"].unique()) == list(MODELS)
    assert frame.loc[frame["model"] == "too high", "value"].tolist() == [float(one) for one in models["too high"]]
    found = json.loads(models.to_json())
    assert [one["model"] for one in found["models"]] == list(MODELS)
    assert found["models"][1]["verdict"]["headline"] == models["too high"].verdict.headline
    assert str(pickle.loads(pickle.dumps(models))) == str(models)
    assert models._repr_html_().startswith("<")


def test_weights_labels_and_frames_are_shared():
    w = np.arange(800) % 3
    named = np.where(Y, "yes", "no")
    frame = pd.DataFrame({"y": named, "a": P, "b": P**2, "w": w})
    options = {"measures": ["ece"], "pos_label": "yes"}
    from_arrays = fot.evaluate(named, {"a": P, "b": P**2}, sample_weight=w, **options)
    from_frame = fot.evaluate(frame, label="y", prob={"a": "a", "b": "b"}, weight="w", **options)
    for name in ("a", "b"):
        assert float(from_arrays[name]["ece"]) == pytest.approx(float(from_frame[name]["ece"]), abs=1e-4)
        assert float(from_arrays[name]["ece"]) == float(fot.ece(Y, {"a": P, "b": P**2}[name], sample_weight=w))


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_several_classes(reduction):
    scores = {"first": MATRIX, "second": MATRIX**2 / (MATRIX**2).sum(axis=1, keepdims=True)}
    measures = {"families": ["temperature"], "interval": None} if reduction == "canonical" else {"measures": ["ece"]}
    models = fot.evaluate(LETTERS, scores, reduction=reduction, **measures)
    for name, p in scores.items():
        alone = fot.evaluate(LETTERS, p, reduction=reduction, **measures)
        assert [float(one) for one in models[name]] == [float(one) for one in alone]
    assert str(models).startswith(f"2 models, n = 200, reduction {reduction}\n")
    assert json.loads(models.to_json())["models"][0]["model"] == "first"


def test_of_confidences_the_ratio_is_of_predictions():
    models = fot.evaluate(LETTERS, {"first": MATRIX}, reduction="confidence", **QUICK)
    assert "O:E of wrong predictions" in str(models)


def test_notes_name_their_model():
    with pytest.warns(fot.CalibrationWarning, match="model 'decisions'.*all scores are 0 or 1"):
        models = fot.evaluate(Y, {"decisions": (P > 0.5).astype(float), "scores": P}, measures=["ece"])
    assert any(note.startswith("decisions: all scores are 0 or 1") for note in models.notes)
    assert "decisions: all scores are 0 or 1" in str(models)


def test_segments_of_several_models_are_refused():
    with pytest.raises(ValueError, match="by must be left out for several models"):
        fot.evaluate(Y, MODELS, by=np.arange(800) % 2)


def test_the_diagrams_are_of_every_model(models):
    display = models.plot("beta", ax=Figure())
    assert list(display.artists_) == list(MODELS)
    assert list(models.diagrams().diagrams) == list(MODELS)
    with pytest.raises(ValueError, match="family must be one of 'spline', 'beta'; got 'platt'"):
        models.plot("platt", ax=Figure())
    with pytest.raises(ValueError, match="families must be given for diagrams"):
        fot.evaluate(Y, MODELS, measures=["ece"]).diagrams()
    with pytest.raises(ValueError, match="reduction must be one of a single score"):
        fot.evaluate(LETTERS, {"a": MATRIX}, measures=["ece"], reduction="classwise").diagrams()
