"""Which classes are drawn side by side."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.class_choice import choose_largest, read_class_choice
from tests.displays.figures import blank

pytestmark = pytest.mark.multiplies

BINS = fot.Slope1(4, "equal_width")


def classes(k=30, n=900, seed=0):
    """Return labels and overconfident predictions of many classes, the later ones rare."""
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=(n, k)) - np.linspace(0, 4, k)
    p, q = (np.exp(slope * z) / np.exp(slope * z).sum(axis=1, keepdims=True) for slope in (1, 1.7))
    y = np.minimum((rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1), k - 1)
    return y, q


def draw(y, p, **options):
    given = {"ax": blank(), "family": BINS, "band": None, "labels": range(p.shape[1]), **options}
    return fot.ReliabilityDisplay.from_predictions(y, p, **given)


def numbers(several, word):
    return [int(title.removeprefix(f"{word} ")) for title in several.axes_]


@pytest.mark.exhaustive
def test_the_worst_of_many_classes_are_drawn_and_the_title_says_so():
    y, p = classes()
    several = draw(y, p, reduction="classwise", name="network")
    errors = fot.calibration_error(y, p, family=BINS, reduction="classwise", labels=range(30))
    assert numbers(several, "class") == sorted(range(30), key=lambda k: -float(errors[k]))[:9]
    assert several.figure_.get_suptitle() == "network: the 9 worst of 30 classes by ECE"
    assert all(float(several.diagrams[f"class {k}"].error) == float(errors[k]) for k in numbers(several, "class"))


def test_another_number_or_the_classes_themselves():
    y, p = classes()
    errors = fot.calibration_error(y, p, family=BINS, reduction="classwise", labels=range(30))
    worst = sorted(range(30), key=lambda k: -float(errors[k]))
    three = draw(y, p, reduction="classwise", classes=3)
    assert numbers(three, "class") == worst[:3]
    assert three.figure_.get_suptitle() == "the 3 worst of 30 classes by ECE"
    one = draw(y, p, reduction="classwise", classes=1)
    assert one.figure_.get_suptitle().replace("\n", " ") == "the worst of 30 classes by ECE"
    named = draw(y, p, reduction="classwise", classes=np.array([29, 4]))
    assert [*named.axes_] == ["class 29", "class 4"]
    assert named.figure_.get_suptitle() == ""


def test_an_evaluation_draws_the_worst_of_many_classes(monkeypatch):
    y, p = classes()
    evaluation = fot.evaluate(y, p, families=[BINS], reduction="classwise", labels=range(30), interval=None)
    name = evaluation.names[0]
    several = evaluation.plot(name, classes=2, ax=blank())
    assert [*several.axes_] == [*draw(y, p, reduction="classwise", classes=2).axes_]
    assert several.figure_.get_suptitle() == f"{name}: the 2 worst of 30 classes by ECE"
    monkeypatch.setattr("fitontest.displays.diagram.Diagram.add_band", lambda *_, **__: None)  # of 49 diagrams
    assert [len(evaluation.diagrams(name, classes=number).diagrams) for number in (None, 3, 31)] == [9, 3, 30]
    with pytest.raises(ValueError, match="classes must be left out where the diagrams are not of classes, got 2"):
        fot.evaluate(y == 0, p[:, 0], families=[BINS], interval=None).plot(classes=2)


def test_each_predicted_class_has_a_confidence_diagram():
    y, p = classes(3, 300)
    w = np.random.default_rng(1).integers(0, 3, y.size)
    names = np.array(["ant", "bee", "cat"])
    several = draw(names[y], p, reduction="confidence", by_predicted=True, sample_weight=w, labels=names, name="model")
    assert [*several.axes_] == ["predicted ant", "predicted bee", "predicted cat"]
    assert several.figure_.get_suptitle() == "model"
    for k, display in enumerate(several.diagrams.values()):
        rows = p.argmax(axis=1) == k
        alone = fot.calibration_error(y[rows] == k, p[rows, k], family=BINS, sample_weight=w[rows])
        assert float(display.error) == pytest.approx(float(alone), abs=1e-14)
        assert display.error.n == np.count_nonzero(w[rows])
        ax = several.axes_[f"predicted {names[k]}"]
        assert ax.get_ylabel() == ("Accuracy (observed frequency)" if k == 0 else "")
    assert several.histogram_ax_.get_xlabel() == "Confidence (highest predicted probability)"
    assert several.diagrams["predicted bee"].error.reduction == "confidence"
    assert [*draw(y, p, reduction="confidence", by_predicted=True, classes=[2]).axes_] == ["predicted 2"]


def test_of_many_predicted_classes_those_that_add_most_to_the_error_are_drawn():
    y, p = classes()
    predicted = p.argmax(axis=1)
    never = 30 - np.unique(predicted).size
    assert never > 0
    several = draw(y, p, reduction="confidence", by_predicted=True, classes=4)
    added = {}
    for k in np.unique(predicted):
        rows = predicted == k
        added[k] = rows.sum() * float(fot.calibration_error(y[rows] == k, p[rows, k], family=BINS))
    assert numbers(several, "predicted") == sorted(added, key=lambda k: -added[k])[:4]
    said = f"the 4 of {30 - never} predicted classes that add most to the ECE; {never} of 30 classes never predicted"
    assert several.figure_.get_suptitle() == said
    rare = max(added, key=lambda k: added[k] / (predicted == k).sum())
    assert rare not in numbers(several, "predicted")  # the largest error is one of a few rows: noise


def test_ranking():
    assert choose_largest([1, 3, np.nan, 3, 2], 3) == [1, 3, 4]
    assert read_class_choice(None, "ab") == 9
    assert read_class_choice(np.int64(2), "ab") == 2
    assert read_class_choice(["b"], "ab") == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reduction": "classwise", "classes": 0}, "classes must be at least 1, got 0"),
        ({"reduction": "classwise", "classes": 1.5}, "classes must be a non-empty list of classes, got 1.5"),
        ({"reduction": "classwise", "classes": []}, "classes must be a non-empty list of classes"),
        ({"reduction": "classwise", "classes": [7, [1]]}, r"classes must be among \[0, 1, 2\], got \[7, \[1\]\]"),
        ({"reduction": "classwise", "classes": [1, 1]}, r"classes must be distinct, got \[1, 1\]"),
        ({"reduction": "confidence", "classes": 3}, "classes must be left out unless reduction is 'classwise' or by_p"),
        ({"by_predicted": True}, "by_predicted must be False unless reduction is 'confidence', got reduction=None"),
        ({"reduction": "classwise", "by_predicted": True}, "by_predicted must be False unless .*'classwise'"),
        ({"reduction": "confidence", "by_predicted": True, "pos_label": 1}, "pos_label must be None"),
        (
            {"reduction": "confidence", "by_predicted": True, "ax": blank().add_subplot()},
            "ax must be a Figure or a SubFigure of several diagrams, not axes,",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        draw(*classes(3, 60), **options)
