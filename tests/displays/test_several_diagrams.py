"""Several reliability diagrams: models on the same axes, panels of models, families and classes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.displays.layout import grid_shape
from tests.displays.figures import blank, plain
from tests.strategies import noisy

Y, P = noisy(600, seed=2)
MODELS = {"one": P, "other": P**2, "third": P**0.5}
QUICK = {"interval": None, "band": None, "family": "beta"}
BINS = fot.Slope1(6, "equal_width")


def classes(n=400, k=3, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.arange(1, k + 1), n)
    y = (rng.random(n)[:, None] > np.cumsum(p**1.3 / (p**1.3).sum(axis=1, keepdims=True), axis=1)[:, :-1]).sum(axis=1)
    return y, p


def draw(y, p, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"ax": blank((10, 6)), **QUICK, **options})


def test_up_to_four_models_are_curves_on_the_same_axes_with_their_errors_beside():
    figure = blank((10, 6))
    display = draw(Y, MODELS, ax=figure, interval="always")
    assert display.overlaid
    assert len(display.axes_) == 1
    names = [artists["name"].get_text() for artists in display.artists_.values()]
    assert names == ["one", "other", "third"]
    colors = {tuple(artists["curve"].get_colors()[0]) for artists in display.artists_.values()}
    assert len(colors) == 3
    assert all("points" not in artists for artists in display.artists_.values())
    errors = {name: fot.calibration_error(Y, p, family="beta") for name, p in MODELS.items()}
    beside = next(ax for ax in figure.axes if ax is not display.ax_)
    assert [label.get_text() for label in beside.get_yticklabels()] == sorted(
        errors, key=lambda name: -errors[name].quoted
    )
    texts = " ".join(text.get_text() for text in beside.texts)
    for error in errors.values():
        assert f"{error.interval.low:.3f} to {error.interval.high:.3f}" in texts or error.interval.low == 0


def test_on_given_axes_models_have_no_errors_beside_and_strips_below():
    ax = plain((6, 6)).add_subplot()
    display = draw(Y, MODELS, ax=ax)
    assert display.ax_ is ax
    assert len(ax.figure.axes) == 1
    tops = [artists["histogram"].get_data().baseline for artists in display.artists_.values()]
    assert tops == [2, 1, 0]


def test_the_axes_of_models_show_all_of_them():
    display = draw(Y * 0 + (np.random.default_rng(0).random(600) < 0.2), {"low": P / 10, "high": P})
    planes = {diagram.plane for diagram in display.diagrams.values()}
    assert len(planes) == 1
    assert planes.pop().x.upper == 1.0


def test_five_models_are_panels_with_the_same_axes():
    models = {f"m{k}": P ** (0.5 + k / 2) for k in range(5)}
    display = draw(Y, models)
    assert not display.overlaid
    assert [*display.axes_] == [*models]
    assert len({ax.get_xlim() for ax in display.axes_.values()}) == 1
    many = draw(Y, {f"m{k}": P ** (0.5 + k / 10) for k in range(14)})
    errors = [one.error.quoted for one in many.diagrams.values()]
    assert len(errors) == 12
    assert errors == sorted(errors, reverse=True)


def test_models_of_bins_are_panels():
    assert not draw(Y, MODELS, family=BINS).overlaid


def test_models_of_which_one_is_of_rare_events_are_on_probability_axes():
    rng = np.random.default_rng(0)
    p = 10.0 ** rng.uniform(-3, -1, 4000)
    y = rng.random(4000) < p
    both = draw(y, {"a": p, "b": np.sqrt(p) / 3})
    assert {one.plane.name for one in both.diagrams.values()} == {"ratio"}
    few = draw(y, {"a": p, "b": p.round(1)})
    assert {one.plane.name for one in few.diagrams.values()} == {"probability"}


def test_families_of_an_evaluation_are_panels_when_all_are_asked_for():
    evaluation = fot.evaluate(Y, P**2, families=["spline", BINS, "identity", "beta"])
    (single,) = evaluation.diagrams().diagrams.values()
    assert single.error is evaluation.verdict.estimate
    several = evaluation.plot("all", ax=blank((10, 6)))
    assert [*several.diagrams] == ["spline", "slope1", "beta"]
    assert several.figure_.get_suptitle() == evaluation.verdict.headline
    (named,) = evaluation.diagrams("beta").diagrams.values()
    assert named.error.family == "beta"
    with pytest.raises(ValueError, match="families must be one of"):
        evaluation.diagrams("x")


def test_classwise_is_a_panel_per_class_on_the_same_axes():
    y, p = classes()
    several = draw(y, p, reduction="classwise", family=BINS, name="model")
    error = fot.calibration_error(y, p, family=BINS, reduction="classwise")
    assert [*several.axes_] == ["class 0", "class 1", "class 2"]
    for label, diagram in enumerate(several.diagrams.values()):
        assert float(diagram.error) == float(error[label])
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in several.axes_.values()}) == 1
    assert several.ax_.get_ylabel() == "Observed frequency of the class"
    assert several.figure_.get_suptitle() == "model"
    frame = several.to_frame(part="bins")
    kept = frame[frame["n"] > 0]
    gaps = (kept["share"] * kept["mean_gap"]).groupby(kept["panel"]).sum()
    assert gaps.tolist() == pytest.approx([float(one) for one in error.classes.values()])


def test_panels_of_classes_have_verdicts_as_titles():
    y, p = classes(600)
    several = fot.ReliabilityDisplay.from_predictions(
        y, p, reduction="classwise", interval="always", band=None, ax=blank((10, 5))
    )
    for name, diagram in several.diagrams.items():
        label = int(name.removeprefix("class "))
        assert diagram.verdict.headline == fot.evaluate(y == label, p[:, label], families=["spline"]).verdict.headline
        assert several.artists_[name]["title"].get_text().replace("\n", " ").startswith(f"{name}: ")


@pytest.mark.parametrize("k", [3, 7])
def test_panels_do_not_overlap_and_are_not_clipped(k):
    y, p = classes(k=k)
    several = draw(y, p, reduction="classwise", name="a model", ax=None)
    plt.close(several.figure_)
    several.figure_.draw_without_rendering()
    found = [ax.get_tightbbox() for ax in several.axes_.values()]
    found += [several.figure_._suptitle.get_tightbbox(), several.figure_._supxlabel.get_tightbbox()]
    whole = several.figure_.bbox
    for i, one in enumerate(found):
        assert one.x0 >= -1
        assert one.y0 >= -1
        assert one.x1 <= whole.x1 + 1
        assert one.y1 <= whole.y1 + 1
        for other in found[:i]:
            assert not (one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1)


def test_confidence_is_one_diagram_of_the_top_labels():
    y, p = classes()
    w = np.random.default_rng(1).integers(1, 3, y.size)
    display = draw(y, p, reduction="confidence", sample_weight=w, family=BINS)
    top = draw(p.argmax(axis=1) == y, p.max(axis=1), sample_weight=w, family=BINS)
    assert display.rows() == top.rows()
    assert display.histogram_ax_.get_xlabel() == "Confidence (highest predicted probability)"
    assert display.ax_.get_ylabel() == "Accuracy (observed frequency)"
    assert top.histogram_ax_.get_xlabel() == "Predicted probability"


def test_binary_is_the_diagram_of_the_positive_class():
    y, p = classes(k=2)
    names = np.array(["no", "yes"])[y]
    display = draw(names, p, reduction="binary", pos_label="yes")
    assert display.rows() == draw(y, p[:, 1]).rows()
    assert display.histogram_ax_.get_xlabel() == "Predicted probability (positive: yes)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"reduction": "classwise", "ax": blank().add_subplot()},
            "ax must be a Figure or a SubFigure of several diagrams, not axes, of matplotlib, or None",
        ),
        ({"reduction": "classwise", "pos_label": 1}, "pos_label must be None"),
        ({"reduction": "top"}, "reduction must be one of"),
        ({}, "got 3 columns. reduction='confidence': is the top class right"),
        ({"reduction": "classwise", "classes": 0}, "classes must be at least 1, got 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        draw(*classes(), **options)


def test_estimators_of_several_classes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.array(["cat", "dog", "eel"])[(x[:, 0] + rng.normal(size=300) > 0).astype(int) + (x[:, 1] > 0.5)]
    model = GaussianNB().fit(x, y)
    several = fot.ReliabilityDisplay.from_estimator(model, x, y, reduction="classwise", ax=blank((10, 5)), **QUICK)
    assert [*several.diagrams] == ["class cat", "class dog", "class eel"]
    assert several.figure_.get_suptitle() == "GaussianNB"
    with pytest.raises(ValueError, match=r"labels must be left out: they are estimator\.classes_"):
        fot.ReliabilityDisplay.from_estimator(model, x, y, reduction="confidence", labels=["cat", "dog", "eel"])


def test_the_grid_has_few_empty_places():
    assert [grid_shape(count) for count in (1, 4, 5, 6, 9, 12)] == [(1, 1), (1, 4), (2, 3), (2, 3), (3, 3), (3, 4)]
