"""Reliability diagrams of a dict of models: a panel for each, on shared axes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = RNG.random(300) < P
MODELS = {"calibrated": P, "too high": P**0.5}
MATRIX = RNG.dirichlet([1, 1, 1], 100)
LETTERS = np.array(["a", "b", "c"])[RNG.integers(0, 3, 100)]


def draw(**options):
    return fot.ReliabilityDisplay.from_predictions(Y, MODELS, family="beta", ax=Figure(), **options)


def test_each_panel_shows_the_error_of_its_model():
    display = draw(measures=["ece"], name="two models")
    assert isinstance(display, fot.displays.SmallMultiples)
    assert list(display.axes_) == list(MODELS)
    for name, p in MODELS.items():
        assert float(display.displays[name].error) == float(fot.calibration_error(Y, p, family="beta"))
        alone = fot.ReliabilityDisplay.from_predictions(Y, p, family="beta", ax=Figure())
        assert np.array_equal(display.displays[name].counts, alone.counts)
    assert display.title == "two models"
    assert len({ax.get_ylim() for ax in display.axes_.values()}) == 1


def test_bands_and_intervals_are_of_each_model():
    display = draw(band="consistency", band_draws=10, interval="always", level=0.9)
    for name in MODELS:
        assert display.displays[name].band is not None
        assert display.displays[name].error.interval.level == 0.9


def test_confidences_of_models_are_drawn():
    scores = {"a": MATRIX, "b": MATRIX**2 / (MATRIX**2).sum(axis=1, keepdims=True)}
    display = fot.ReliabilityDisplay.from_predictions(
        LETTERS, scores, family="beta", reduction="confidence", ax=Figure()
    )
    assert display.displays["b"].error.reduction == "confidence"


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (MODELS, {"color": "red"}, "color, fill, legend and ref_line must be left out with a dict of models"),
        (MODELS, {"ax": Figure().add_subplot()}, "must be a Figure or a SubFigure with a dict of models, not axes"),
        ({"a": P, "forest": P[:3]}, {}, r"y_prob\['forest'\] must have the same number of rows"),
        ({}, {}, "y_prob must hold the scores of at least one model"),
    ],
)
def test_refusals(scores, options, message):
    with pytest.raises(ValueError, match=message):
        fot.ReliabilityDisplay.from_predictions(Y, scores, family="beta", **options)


def test_diagrams_of_classes_of_several_models_are_refused():
    with pytest.raises(ValueError, match="reduction must be 'confidence' or 'binary' where one sample is needed"):
        fot.ReliabilityDisplay.from_predictions(LETTERS, {"a": MATRIX}, reduction="classwise", ax=Figure())
