"""What must be known to read a value is said wherever the value is, and warned of once."""

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.maps.binned import constant
from fitontest.measures.estimate import RAW_NOTE
from fitontest.measures.notes import DECISIONS, one_bin_note
from fitontest.results.exceptions import PrintedWarning
from tests.quick_families import quick
from tests.strategies import noisy

DIFFERENCE = "1 bin: the error is the difference of the means"
DISTANCE = "1 bin: the error is the distance of the scores from the mean label"


def calibrated():
    """Return (y, p) for which cross-validation chooses one slope-1 bin and several flat ones."""
    return noisy(60, seed=0, power=1.0)


def quietly(error, *data, **options):
    """Return the result and the texts of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = error(*data, **options)
    return found, [str(one.message) for one in caught if one.category is PrintedWarning]


def test_a_single_bin_that_cross_validation_chose_is_said_everywhere():
    y, p = calibrated()
    with pytest.warns(fot.CalibrationWarning, match=f"^slope1: {DIFFERENCE}; the number of bins was left") as caught:
        error = fot.calibration_error(y, p, family="slope1", interval=None)
    assert len(caught) == 1
    assert float(error) == pytest.approx(abs(y.mean() - p.mean()), abs=1e-15)
    assert error.note == DIFFERENCE
    assert (
        repr(error) == f"Estimate({error.value:.6g}, family='slope1', norm='l1', n_bins=1, n=60, note='{DIFFERENCE}')"
    )
    assert str(error).splitlines() == [*error.headline().splitlines(), RAW_NOTE, DIFFERENCE]
    assert ", 1 bin, n = 60" in error.headline()
    assert DIFFERENCE in error._repr_html_()
    assert json.loads(error.to_json())["note"] == DIFFERENCE
    assert error.record()["note"] == error.to_frame()["note"][0] == DIFFERENCE


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"norm": "max"}, DIFFERENCE),
        ({"norm": "squared"}, "1 bin: the error is the squared difference of the means"),
        ({"debias": True}, "1 bin: the error is the debiased difference of the means"),
        ({"family": fot.families.CrossValidated("flat", candidates=[1])}, DISTANCE),
        ({"family": fot.Slope1("sweep", scheme=fot.partitions.EqualMass(1))}, None),  # the sweep finds more
        ({"family": fot.Slope1(1)}, None),
        ({"family": fot.Slope1([])}, None),
        ({"family": fot.Slope1(scheme=fot.partitions.Partition([]))}, None),  # a scheme that has no number to choose
        ({"family": fot.maps.BinnedMap(fot.partitions.Partition([]), [0.1], [1.0])}, None),
    ],
)
def test_which_errors_have_the_note(options, note):
    error, texts = quietly(fot.calibration_error, *calibrated(), **{"family": "slope1", **options})
    assert error.note == note
    assert len(texts) == (note is not None)
    assert (note is None) or error.n_bins == 1


def test_one_segment_is_a_line():
    assert one_bin_note(constant(0.3), SimpleNamespace(n_bins="sweep", has_knots=False), "l1") == DISTANCE
    assert one_bin_note(constant(0.3), SimpleNamespace(n_bins="sweep", has_knots=True), "l1") == ""


def test_the_flat_bin_is_as_the_note_says():
    y, p = calibrated()
    error, _ = quietly(fot.calibration_error, y, p, family=fot.families.CrossValidated("flat", candidates=[1]))
    assert float(error) == pytest.approx(np.mean(np.abs(p - y.mean())), abs=1e-15)


def test_an_evaluation_names_the_families_and_warns_once():
    y, p = calibrated()
    families = ["slope1", "platt", fot.Slope1(max_bins=1), fot.Slope1(3)]
    found, texts = quietly(fot.evaluate, y, p, families=families, null_draws=4)
    line = f"slope1, Slope1(max_bins=1): {DIFFERENCE}"
    assert texts == [f"{line}; the number of bins was left to the data; n_bins=10 fixes it"]
    assert found.notes == [line]
    assert line in str(found).splitlines()
    lines = str(found.table()).splitlines()
    assert lines[lines.index(line) - 1].startswith("Slope1(n_bins=3)")
    assert [row["note"] for row in found.rows()] == [DIFFERENCE, None, DIFFERENCE, None]
    assert found.to_dict()["notes"] == [line]


def test_classes_are_named():
    y, p = calibrated()
    labels = np.array(["a", "b"])[y]
    found, texts = quietly(
        fot.evaluate, labels, np.stack([1 - p, p], axis=1), families=["slope1"], reduction="classwise"
    )
    few = [label for label in "ab" if found[label]["slope1"].n_bins == 1]
    assert few
    where = f"class{'es' if len(few) > 1 else ''} {', '.join(map(repr, few))}"
    assert found.notes == [f"slope1, {where}: {DIFFERENCE}"]
    assert found.notes[0] in str(found.table()).splitlines()
    assert len(texts) == 1
    assert found["slope1"].note == f"{where}: {DIFFERENCE}"
    assert [row["note"] for row in found["slope1"].rows()] == [DIFFERENCE if c in few else None for c in "ab"]
    assert found["slope1"].note in str(found["slope1"]).splitlines()


def test_scores_of_classifiers_are_given_without_warnings():
    y, x = calibrated()
    model = GaussianNB().fit(x[:, None], y)
    p = model.predict_proba(x[:, None])[:, 1]
    score, texts = quietly(fot.make_scorer(family=fot.Slope1(max_bins=1)), model, x[:, None], y)
    assert score == pytest.approx(-abs(y.mean() - p.mean()), abs=1e-15)
    assert texts == []


def test_scores_that_are_decisions():
    y, p = noisy(40)
    hard = np.round(p)
    for call, options in (
        (fot.calibration_error, {"family": "platt"}),
        (fot.gce, {}),
        (fot.evaluate, {"measures": ["ece"]}),
    ):
        found, texts = quietly(call, y, hard, **options)
        assert texts == [DECISIONS]
        _, none = quietly(call, y, np.where(p > 0.1, hard, 0.1), **options)
        assert none == []
    assert found.notes == [DECISIONS]
    assert DECISIONS in str(found).splitlines()
    weights = np.arange(40) > 5
    _, texts = quietly(fot.gce, y, np.where(weights, hard, 0.1), sample_weight=weights)
    assert texts == [DECISIONS]  # a row of weight 0 is absent
    _, texts = quietly(fot.gce, y, np.stack([1 - hard, hard], axis=1), reduction="classwise")
    assert texts == [DECISIONS]


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_class(label):
    _, p = noisy(40)
    found = fot.evaluate(np.full(40, label), p, families=[fot.Flat(3)], measures=["ece"])  # and no warning
    note = f"all labels are {label}: an error only tells how far the scores are from {label}"
    assert found.notes == [note]
    assert str(found).count(note) == 1
    assert found["ece"].note == note
    assert float(found["ece"]) == pytest.approx(np.mean(np.abs(label - p)))
    assert fot.evaluate([0, 1], [0.2, 0.6], measures=["ece"]).notes == []


def test_a_class_that_does_not_occur():
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
    options = {"reduction": "classwise", "labels": ["a", "b", "c"]}
    found = fot.evaluate(np.array(["a", "b"])[np.arange(40) % 2], p, measures=["ece"], **options)
    note = "class 'c': no label is of this class: an error only tells how far the scores are from 0"
    assert found.notes == [note]
    assert note in str(found)
    right = fot.evaluate(p.argmax(axis=1), p, measures=["ece"], reduction="confidence")
    assert right.notes == ["every prediction is right: an error only tells how far the scores are from 1"]


@pytest.mark.parametrize("partition", ["sweep", fot.families.FamilyBins(fot.Slope1())])
def test_a_single_bin_that_a_rule_chose_is_said_by_every_measure_of_bins(partition):
    y, p = calibrated()
    if partition == "sweep":
        y = 1 - y
    error, texts = quietly(fot.gce, y, p, partition=partition)
    assert (error.n_bins, error.note) == (1, DIFFERENCE)
    assert len(texts) == 1


@pytest.mark.parametrize("partition", [fot.partitions.EqualMass(1), [0.9999], fot.families.FamilyBins(fot.Slope1(1))])
def test_a_single_bin_that_was_asked_for_is_not_said_by_measures_of_bins(partition):
    y, p = calibrated()
    error, texts = quietly(fot.gce, y, p, partition=partition)
    assert error.note is None
    assert texts == []


def test_decisions_are_said_by_the_estimate_itself():
    y, p = noisy(60)
    error, texts = quietly(fot.tce, y, (p > 0.5).astype(float), null_draws=2)
    assert DECISIONS in error.note
    assert json.loads(error.to_json())["note"] == error.note
    assert len(texts) == 1


def test_no_null_is_drawn_unasked_for_many_classes():
    """Each class takes as long as one sample, however few its rows are."""
    rng = np.random.default_rng(0)
    labels, scores = np.arange(60) % 6, rng.dirichlet(np.ones(6), 60)
    assert "drawn unasked up to 5 classes only" in fot.tce(labels, scores, reduction="classwise").note


def test_what_was_warned_before_an_error_is_not_lost():
    class Fails(fot.families.Identity):
        def fit_map(self, sample):
            raise RuntimeError("it does not fit")

    p = np.linspace(0.1, 0.9, 40)
    with pytest.warns(fot.results.SeparableDataWarning), pytest.raises(RuntimeError, match="it does not fit"):
        fot.evaluate(p > 0.4, p, families=["platt", Fails()])


def crowded(n=60):
    """Return labels and scores that crowd below 1, which a parabola beside them cannot be fitted to."""
    p = np.sort(np.r_[np.linspace(0.01, 0.9, n // 6), 1 - 1e-7 * np.arange(1, n - n // 6 + 1) / n])
    return (np.arange(n) % 5 > 0).astype(int), p


def test_a_map_that_takes_scores_to_no_probability_is_said():
    y, p = crowded()
    error, texts = quietly(fot.calibration_error, y, p, family="loess", interval=None)
    farthest = float(np.abs(error.map.evaluate(p) - p).max())
    assert farthest > 1.0
    assert error.note.startswith("the map is up to ")
    assert f"{float(error.note.split()[5].replace(',', '')):.2g}" == f"{farthest:.2g}"
    assert len(texts) == 1
    assert texts[0].startswith("loess: the map is up to ")
    assert error.note in str(error)
    evaluation, _ = quietly(fot.evaluate, y, p, families=["loess", "beta"], interval=None)
    assert error.note in str(evaluation)


@pytest.mark.parametrize("family", fot.families.names("two"))
def test_no_map_of_scores_of_any_kind_is_said_to_be_beyond_probabilities_if_it_is_not(family):
    y, p = noisy(200, seed=4)
    error, texts = quietly(fot.calibration_error, y, p, family=quick(family), interval=None)
    assert np.abs(error.map.evaluate(p) - p).max() <= 1.0
    assert not any("where no probability" in text for text in texts)
