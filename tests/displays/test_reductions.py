"""Diagrams of several classes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from tests.displays.figures import blank, pixels

BINS = fot.Slope1(6, "equal_width")


def classes(n=400, k=3, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.arange(1, k + 1), n)
    y = (rng.random(n)[:, None] > np.cumsum(p**1.3 / (p**1.3).sum(axis=1, keepdims=True), axis=1)[:, :-1]).sum(axis=1)
    return y, p


def draw(y, p, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"ax": blank(), "family": BINS, "band": None, **options})


def boxes(several):
    several.figure_.draw_without_rendering()
    return [ax.get_tightbbox() for ax in several.axes_.values()] + [several.legend_.get_tightbbox()]


def test_confidence_is_one_diagram_of_the_top_labels():
    y, p = classes()
    w = np.random.default_rng(1).integers(1, 3, y.size)
    display = draw(y, p, reduction="confidence", sample_weight=w, band="consistency", band_draws=3)
    top = draw(p.argmax(axis=1) == y, p.max(axis=1), sample_weight=w, band="consistency", band_draws=3)
    assert display.rows() == top.rows()
    assert float(display.error) == float(
        fot.calibration_error(y, p, family=BINS, reduction="confidence", sample_weight=w)
    )
    assert display.ax_.get_xlabel() == "Confidence (highest predicted probability)"
    assert display.ax_.get_ylabel() == "Accuracy (observed frequency)"
    assert top.ax_.get_xlabel() == "Predicted probability"
    assert pixels(display.figure_)[..., :3].std() > 0.05


def test_classes_have_intervals_and_bands_of_the_truth_when_asked():
    y, p = classes(200)
    plain, several = (
        draw(y, p, reduction="classwise", ax=None, **options)
        for options in (
            {"interval": "auto"},
            {"interval": "always", "level": 0.9, "band": "simultaneous", "band_draws": 10},
        )
    )
    plt.close(plain.figure_)
    plt.close(several.figure_)
    for label, (title, display) in enumerate(several.displays.items()):
        error = fot.calibration_error(y == label, p[:, label], family=BINS, interval="always", level=0.9)
        assert display.error.interval == error.interval
        assert "\n90 %: " in several.axes_[title].get_title()
        assert display.band.kind == "simultaneous"
        assert plain.displays[title].error.interval is None
    shown = [text.get_text() for text in several.legend_.get_texts()]
    for display in several.displays.values():
        fits = display.band.misfit is None
        assert any(text.startswith(f"{'true map' if fits else 'a spline'}, 90 % at all scores\n(") for text in shown)


def test_binary_is_the_diagram_of_the_positive_class():
    y, p = classes(k=2)
    names = np.array(["no", "yes"])[y]
    display = draw(names, p, reduction="binary", pos_label="yes")
    assert display.rows() == draw(y, p[:, 1]).rows()
    assert display.ax_.get_xlabel() == "Predicted probability (positive: yes)"
    assert draw(y, p, reduction="binary").ax_.get_ylabel() == "Observed frequency"


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
@pytest.mark.parametrize("scale", ["probability", "logit"])
def test_classwise_is_a_panel_per_class_on_the_same_axes(scale):
    y, p = classes()
    p[:, 0] /= 50
    several = draw(
        y, p, reduction="classwise", scale=scale, name="model", band="consistency", band_draws=2, ax=blank((10, 5))
    )
    assert isinstance(several, fot.displays.SmallMultiples)
    error = fot.calibration_error(y, p, family=BINS, reduction="classwise")
    assert [*several.axes_] == ["class 0", "class 1", "class 2"]
    for label, (title, display) in enumerate(several.displays.items()):
        assert float(display.error) == float(error[label])
        assert several.axes_[title].get_title().startswith(f"{title}\nslope1, 6 bins: ECE raw ")
        assert display.rows("band")
        alone = fot.ReliabilityDisplay(error[label], fot.ScoreSample(y == label, p[:, label]), scale=scale)
        assert [row["mean_gap"] for row in display.rows("bins")] == [row["mean_gap"] for row in alone.rows("bins")]
    assert len({ax.get_xlim() for ax in several.axes_.values()}) == 1
    assert len({ax.get_ylim() for ax in several.axes_.values()}) == 1
    assert several.displays["class 0"].ax_.get_ylabel() == "Observed frequency of the class"
    assert {display.ax_.get_xlabel() for display in several.displays.values()} == {"Predicted probability of the class"}
    assert several.figure_.get_suptitle() == "model"
    frame = several.to_frame(part="bins")
    kept = frame[frame["n"] > 0]
    gaps = (kept["share"] * kept["mean_gap"]).groupby(kept["panel"]).sum()
    assert gaps.tolist() == pytest.approx([float(one) for one in error.classes.values()])


@pytest.mark.exhaustive
def test_panels_of_classes_do_not_overlap_and_are_not_clipped():
    y, p = classes(k=7)  # two rows, the second one with an empty place
    several = draw(y, p, reduction="classwise", name="a model", ax=None)
    plt.close(several.figure_)
    found = [*boxes(several), several.figure_._suptitle.get_tightbbox()]
    whole = several.figure_.bbox
    for i, one in enumerate(found):
        assert one.x0 >= -1
        assert one.y0 >= -1
        assert one.x1 <= whole.x1 + 1
        assert one.y1 <= whole.y1 + 1
        for other in found[:i]:
            assert not (one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reduction": "classwise", "color": "red"}, "color, fill, legend and ref_line must be left out"),
        ({"reduction": "classwise", "legend": False}, "color, fill, legend and ref_line must be left out"),
        (
            {"reduction": "classwise", "ax": blank().add_subplot()},
            "ax must be a Figure or a SubFigure with reduction='classwise', not axes, of matplotlib, or None",
        ),
        ({"reduction": "classwise", "pos_label": 1}, "pos_label must be None"),
        ({"reduction": "top"}, "reduction must be one of"),
        ({}, "got 3 columns. reduction='confidence': is the top class right"),
        (
            {"reduction": "classwise", "family": fot.maps.IdentityMap(), "band": "consistency", "band_draws": 2},
            "band_draws must be 0 for a map",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        draw(*classes(), **options)


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")  # of two classes of three
def test_test_based_diagrams():
    y, p = classes()
    display = fot.displays.TCEDisplay.from_predictions(y, p, reduction="confidence", null_draws=2, ax=blank())
    assert float(display.error) == float(fot.tce(y, p, reduction="confidence"))
    assert display.ax_.get_ylabel() == "Confidence (highest predicted probability)"
    assert display.error.reduction == "confidence"
    two = fot.displays.TCEDisplay.from_predictions(y == 1, p[:, [0, 1]], reduction="binary", ax=blank())
    assert float(two.error) == float(fot.tce(y == 1, p[:, 1]))
    with pytest.raises(
        ValueError, match="'classwise'; draw one class at a time without a reduction, with y_true == label"
    ):
        fot.displays.TCEDisplay.from_predictions(y, p, reduction="classwise", ax=blank())


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.array(["cat", "dog", "eel"])[(x[:, 0] + rng.normal(size=300) > 0).astype(int) + (x[:, 1] > 0.5)]
    return GaussianNB().fit(x, y), x, y


@pytest.mark.exhaustive
def test_estimators_of_several_classes(model):
    fitted, x, y = model
    proba = fitted.predict_proba(x)
    top = fot.ReliabilityDisplay.from_estimator(*model, reduction="confidence", ax=blank())
    assert top.error.base_rate == fitted.score(x, y)
    assert float(top.error) == float(fot.calibration_error(y, proba, reduction="confidence", family="spline"))
    several = fot.ReliabilityDisplay.from_estimator(*model, reduction="classwise", ax=blank((10, 5)))
    assert [*several.displays] == ["class cat", "class dog", "class eel"]
    assert several.figure_.get_suptitle() == "GaussianNB"
    some = y != "cat"  # a class of the model that does not occur
    left = fot.ReliabilityDisplay.from_estimator(fitted, x[some], y[some], reduction="confidence", ax=blank())
    assert left.error.base_rate == fitted.score(x[some], y[some])
    tested = fot.displays.TCEDisplay.from_estimator(*model, reduction="confidence", ax=blank())
    assert float(tested.error) == float(fot.tce(y, proba, reduction="confidence"))
    with pytest.raises(ValueError, match=r"got one of 3: .*; or say by reduction how several classes are read"):
        fot.ReliabilityDisplay.from_estimator(*model)
    with pytest.raises(ValueError, match=r"labels must be left out: they are estimator\.classes_"):
        fot.ReliabilityDisplay.from_estimator(*model, reduction="confidence", labels=["cat", "dog", "eel"])
    with pytest.raises(ValueError, match="must have exactly two columns with reduction='binary', got 3"):
        fot.ReliabilityDisplay.from_estimator(*model, reduction="binary")


@pytest.mark.exhaustive
def test_binary_estimators(model):
    _, x, y = model
    two = GaussianNB().fit(x, y == "cat")
    for label in (None, False):
        plain = fot.ReliabilityDisplay.from_estimator(two, x, y == "cat", pos_label=label, ax=blank())
        asked = fot.ReliabilityDisplay.from_estimator(
            two, x, y == "cat", pos_label=label, reduction="binary", ax=blank()
        )
        assert asked.rows() == plain.rows()
        assert asked.ax_.get_xlabel() == plain.ax_.get_xlabel()
