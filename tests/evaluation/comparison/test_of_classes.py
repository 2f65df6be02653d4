"""Calibrators of several classes compared: losses by brute force, and what must not change them."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.evaluation.comparison.candidates import list_class_calibrators
from fitontest.numerics.losses import find_loss

QUICK = ["temperature", "bias_corrected", "vector"]


def draw(n=300, seed=0, power=2.0, classes=3):
    """Return labels and scores that are bolder than the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(classes), n)
    bold = truth**power
    labels = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return np.minimum(labels, classes - 1), bold / bold.sum(axis=1, keepdims=True)


def compared(y, P, **options):
    return fot.compare_calibrators(y, P, reduction="canonical", **{"families": QUICK, "evaluators": [], **options})


@pytest.mark.parametrize("scoring", ["log_loss", "brier"])
def test_losses_by_brute_force(scoring):
    y, P = draw()
    comparison = compared(y, P, scoring=scoring, cv=3)
    held = np.empty_like(P)
    data = fot.families.make("vector").fit(P, y)._read(P, y, None, None)
    for fold in data.in_folds(3, 0)[1]:
        kept = np.setdiff1d(np.arange(300), fold)
        held[fold] = fot.families.make("vector").fit(P[kept], y[kept], labels=[0, 1, 2]).predict_proba(P[fold])
    loss = find_loss(scoring)
    difference = loss(y, held) - loss(y, P)
    assert comparison["vector"].held_out.score == pytest.approx(loss(y, held).mean(), abs=1e-7)
    assert comparison["vector"].held_out.to_identity.mean == pytest.approx(difference.mean(), abs=1e-7)
    assert comparison["vector"].held_out.to_identity.se == pytest.approx(difference.std() / np.sqrt(300), rel=0.01)
    assert comparison["identity"].held_out.score == pytest.approx(loss(y, P).mean(), abs=1e-12)


def test_bold_scores_are_mended_and_calibrated_ones_left_alone():
    assert compared(*draw(600, power=2.5)).chosen != "identity"
    assert compared(*draw(600, power=1.0)).chosen == "identity"


def test_a_family_of_two_classes_is_fitted_to_each_against_the_rest():
    y, P = draw()
    comparison = compared(y, P, families=["platt", fot.Beta("am"), fot.families.OneVsRest("isotonic")], rule="one_se")
    assert {one.name for one in comparison} == {
        "identity", "one_vs_rest(platt)", "one_vs_rest(beta)", "one_vs_rest(isotonic)"
    }  # fmt: skip
    assert isinstance(comparison["one_vs_rest(platt)"].family, fot.families.OneVsRest)


def test_errors_after_calibration_are_of_confidences_and_of_classes():
    y, P = draw()
    test = draw(200, seed=1)
    comparison = compared(y, P, families=["temperature"], evaluators=[fot.Slope1(5)], test=test)
    q = fot.families.make("temperature").fit(P, y).predict_proba(test[1])
    error = fot.calibration_error(test[0], q, family=fot.Slope1(5), reduction="confidence")
    each = fot.calibration_error(test[0], q, family=fot.Slope1(5), reduction="classwise")
    found = comparison["temperature"].errors
    assert found["slope1, confidence"] == pytest.approx(float(error), abs=1e-9)
    assert found["slope1, class-wise"] == pytest.approx(float(each), abs=1e-9)
    assert comparison.n_test == 200
    parts = comparison["temperature"].parts
    assert parts.calibration + parts.refinement == pytest.approx(comparison["temperature"].test.score, abs=1e-9)


def test_neither_row_order_nor_weights_of_zero_matter():
    y, P = draw()
    order = np.random.default_rng(1).permutation(300)
    a, b = (compared(y[at], P[at]) for at in (np.arange(300), order))
    assert [one.held_out.score for one in a] == pytest.approx([one.held_out.score for one in b], abs=1e-12)
    w = np.concatenate((np.ones(300), np.zeros(50)))
    more = draw(50, seed=3)
    c = compared(np.concatenate((y, more[0])), np.concatenate((P, more[1])), sample_weight=w)
    assert [one.held_out.score for one in a] == pytest.approx([one.held_out.score for one in c], abs=1e-12)


def test_labels_that_do_not_occur_have_columns():
    y, P = draw(200)
    wide = np.column_stack((P * 0.98, np.full(200, 0.02)))
    comparison = compared(y, wide, labels=[0, 1, 2, 3], families=["temperature"])
    assert comparison.n_classes == 4
    assert comparison.n_smaller_class == min(np.bincount(y))
    assert comparison.chosen_.map_.evaluate(wide).shape == (200, 4)


def test_it_prints_and_draws():
    from matplotlib.figure import Figure

    comparison = compared(*draw(), evaluators=["slope1"])
    text = str(comparison.table())
    assert "n = 300, 3 classes" in text
    assert "error (slope1, confidence)" in text
    assert comparison.to_dict()["map"]["kind"]
    assert comparison.plot(Figure()).dots


@pytest.mark.exhaustive
def test_default_candidates_are_those_compared_by_default():
    names = list_class_calibrators()
    assert {"identity", "temperature", "vector", "matrix"} <= set(names)
    comparison = compared(*draw(150), families=None)
    assert {one.name.partition("(")[0] for one in comparison} == set(names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "worst"}, "rule must be one of 'auto', 'best', 'one_se'"),
        ({"truth": [0.5] * 60}, "truth must be a matrix with a row per prediction and a column per class"),
        ({"truth": np.full((59, 3), 1 / 3)}, r"truth must have the shape of y_prob, \(60, 3\), got \(59, 3\)"),
        ({"truth": np.full((60, 3), 0.5)}, "truth must have rows that add up to 1"),
        ({"pos_label": 1}, "pos_label must be None with reduction='canonical'"),
        ({"families": ["temperature", "temperature"]}, "families must differ from one another"),
        ({"families": "temperature"}, "families must be a list of names"),
        ({"families": ["unheard"]}, "family must be one of"),
        ({"test": (1,)}, "test must be a tuple"),
        ({"reduction": "whole"}, "reduction must be one of 'confidence', 'classwise', 'binary', 'canonical'"),
    ],
)
def test_refusals(options, message):
    y, P = draw(60)
    with pytest.raises(ValueError, match=message):
        fot.compare_calibrators(y, P, **{"reduction": "canonical", "families": QUICK, "evaluators": [], **options})


def test_labels_are_for_several_classes():
    with pytest.raises(ValueError, match="labels must be None unless a reduction is given"):
        fot.compare_calibrators([0, 1], [0.2, 0.8], labels=[0, 1])


def test_columns_in_another_order_are_pointed_out():
    y, P = draw()
    with (
        pytest.warns(fot.CalibrationWarning, match="another order of the columns of y_prob is far more accurate"),
        pytest.warns(fot.CalibrationWarning, match="Do the columns stand in the order of the classes"),
    ):
        turned = compared(y, P[:, [1, 2, 0]])
    assert "Do the columns stand in the order" in str(turned)
    assert "Do the columns stand" not in str(compared(y, P))


def test_maps_that_leave_the_simplex_are_brought_back():
    y, P = draw()
    comparison = compared(y, P, families=[fot.families.SimplexBins(fot.partitions.MedianVariance(5))])
    assert all(0 < one.held_out.score < 3 for one in comparison)


def test_rows_are_counted_as_in_two_classes():
    rng = np.random.default_rng(0)
    P, w = rng.dirichlet([1, 1], 80), rng.integers(0, 4, 80)
    y = (rng.random(80) < P[:, 1]).astype(int)
    settings = {"families": ["temperature"], "evaluators": [], "sample_weight": w}
    two = fot.compare_calibrators(y, P[:, 1], **settings)
    several = fot.compare_calibrators(y, P, reduction="canonical", **settings)
    assert (
        (several.n, several.n_smaller_class)
        == (two.n, two.n_smaller_class)
        == (
            np.count_nonzero(w),
            np.bincount(y[w > 0]).min(),
        )
    )


def test_the_command_line_names_the_default_candidates():
    from fitontest.apps.cli.compare import FAMILY_HELP

    named = FAMILY_HELP.partition("canonical: ")[2]
    ours = [name for name in list_class_calibrators() if fot.families.make(name).__module__.startswith("fitontest")]
    assert all(name in named for name in ours)
