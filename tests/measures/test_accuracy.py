"""0/1 loss, RMSE and AUC are those of scikit-learn, with weights."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, root_mean_squared_error, zero_one_loss

import fitontest as fot
from tests.strategies import noisy

REFERENCES = {
    fot.ZeroOneLoss(): lambda y, p, w: zero_one_loss(y, p >= 0.5, sample_weight=w),
    fot.ZeroOneLoss(0.2): lambda y, p, w: zero_one_loss(y, p >= 0.2, sample_weight=w),
    fot.RMSE(): lambda y, p, w: root_mean_squared_error(y, p, sample_weight=w),
    fot.AUC(): lambda y, p, w: roc_auc_score(y, p, sample_weight=w),
}


@pytest.mark.parametrize("measure", REFERENCES, ids=repr)
def test_they_are_those_of_scikit_learn(measure):
    y, p = noisy(300, ties=1)
    for w in (None, np.random.default_rng(0).integers(0, 4, 300), np.random.default_rng(0).random(300)):
        expected = REFERENCES[measure](y, p, w)
        assert measure.estimate(fot.Sample(y, p, w)).value == pytest.approx(expected, rel=1e-12)


def test_a_score_at_the_threshold_is_positive():
    assert fot.ZeroOneLoss().estimate(fot.Sample([1], [0.5])).value == 0


def test_labels_of_one_class():
    found = fot.AUC().estimate(fot.Sample([1, 1], [0.2, 0.7]))
    assert found.value == 0.5
    assert "no pair of a positive and a negative" in found.note


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "0.5", None, True])
def test_refusals(threshold):
    with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\], got"):
        fot.ZeroOneLoss(threshold)
