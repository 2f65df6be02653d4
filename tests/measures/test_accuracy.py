"""0/1 loss, RMSE and AUC are those of scikit-learn, with weights."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, root_mean_squared_error, zero_one_loss

import fitontest as fot
from tests.strategies import noisy

REFERENCES = {
    fot.measures.ZeroOneLoss(): lambda y, p, w: zero_one_loss(y, p >= 0.5, sample_weight=w),
    fot.measures.ZeroOneLoss(0.2): lambda y, p, w: zero_one_loss(y, p >= 0.2, sample_weight=w),
    fot.measures.RMSE(): lambda y, p, w: root_mean_squared_error(y, p, sample_weight=w),
    fot.measures.AUC(): lambda y, p, w: roc_auc_score(y, p, sample_weight=w),
}


@pytest.mark.parametrize("measure", REFERENCES, ids=repr)
def test_they_are_those_of_scikit_learn(measure):
    y, p = noisy(300, ties=1)
    for w in (None, np.random.default_rng(0).integers(0, 4, 300), np.random.default_rng(0).random(300)):
        expected = REFERENCES[measure](y, p, w)
        assert measure.estimate(fot.ScoreSample(y, p, w)).value == pytest.approx(expected, rel=1e-12)


def test_a_score_at_the_threshold_is_positive():
    assert fot.measures.ZeroOneLoss().estimate(fot.ScoreSample([1], [0.5])).value == 0


def test_labels_of_one_class():
    found = fot.measures.AUC().estimate(fot.ScoreSample([1, 1], [0.2, 0.7]))
    assert found.value == 0.5
    assert "no pair of a positive and a negative" in found.note


def test_their_p_values_are_two_sided():
    """Scores that are too cautious have less loss, and a greater AUC, than if they were calibrated."""
    rng = np.random.default_rng(0)
    q = rng.random(800)
    y = rng.random(800) < q
    evaluation = fot.evaluate(y, 0.5 + 0.5 * (q - 0.5), measures=["rmse", "zero_one", "auc", "ece"], null_draws=99)
    assert [evaluation[name].null.p_value for name in evaluation.names] == [0.02, 0.02, 0.02, 0.01]
    assert "Two-sided p-values, since these measure accuracy: rmse, zero_one, auc." in str(evaluation)
    assert "two-sided p-value of the observed one 0.020" in str(evaluation["auc"])
    assert [one.null.to_dict().get("two_sided", False) for one in evaluation] == [True, True, True, False]
    segments = np.where(q < 0.5, "low", "high")
    by = fot.evaluate(y, q, measures=["rmse", "ece"], null_draws=80, by=segments)
    rmse, ece = (section.notes for section in by.sections())
    assert "Two-sided p-value: from" in rmse
    assert "wo-sided" not in ece
    values = np.array([0.1, 0.2, 0.3, 0.4])
    assert fot.measures.IfCalibrated(0.25, values, True, two_sided=True).p_value == 1.0
    assert fot.measures.IfCalibrated(0.05, values, True, two_sided=True).p_value == 0.4
    assert fot.measures.IfCalibrated(0.05, values, True).p_value == 1.0


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "0.5", None, True])
def test_refusals(threshold):
    with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\], got"):
        fot.measures.ZeroOneLoss(threshold)
