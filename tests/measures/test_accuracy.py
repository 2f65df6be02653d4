"""0/1 loss, Brier score, log loss, RMSE and AUC are those of scikit-learn, with weights."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, root_mean_squared_error, zero_one_loss

import fitontest as fot
from tests.strategies import noisy

REFERENCES = {
    fot.measures.ZeroOneLoss(): lambda y, p, w: zero_one_loss(y, p >= 0.5, sample_weight=w),
    fot.measures.ZeroOneLoss(0.2): lambda y, p, w: zero_one_loss(y, p >= 0.2, sample_weight=w),
    fot.measures.Brier(): lambda y, p, w: brier_score_loss(y, p, sample_weight=w),
    fot.measures.LogLoss(): lambda y, p, w: log_loss(y, np.clip(p, 1e-6, 1 - 1e-6), sample_weight=w),
    fot.measures.RMSE(): lambda y, p, w: root_mean_squared_error(y, p, sample_weight=w),
    fot.measures.AUC(): lambda y, p, w: roc_auc_score(y, p, sample_weight=w),
}


@pytest.mark.parametrize("measure", REFERENCES, ids=repr)
def test_they_are_those_of_scikit_learn(measure):
    y, p = noisy(300, ties=1)
    for w in (None, np.random.default_rng(0).integers(0, 4, 300), np.random.default_rng(0).random(300)):
        expected = REFERENCES[measure](y, p, w)
        assert measure.estimate(fot.ScoreSample(y, p, w)).value == pytest.approx(expected, rel=1e-12)


def distributions(n=200):
    rng = np.random.default_rng(1)
    p = rng.dirichlet([0.3, 0.3, 0.3], n)
    p[:3] = np.eye(3)  # a certain prediction, of a label that may be another
    return np.array(["a", "b", "c"])[rng.integers(0, 3, n)], p, rng.random(n)


def test_losses_of_distributions_are_the_written_out_formulas():
    labels, p, w = distributions()
    one_hot = (labels[:, None] == ["a", "b", "c"]).astype(float)
    for weights in (None, w):
        read = {"reduction": "canonical", "sample_weight": weights}
        assert float(fot.measure(labels, p, "brier", **read)) == pytest.approx(
            np.average(((p - one_hot) ** 2).sum(axis=1), weights=weights), rel=1e-12
        )
        clipped = np.clip((p * one_hot).sum(axis=1), 1e-6, 1 - 1e-6)
        assert float(fot.measure(labels, p, "log_loss", **read)) == pytest.approx(
            np.average(-np.log(clipped), weights=weights), rel=1e-12
        )


def test_the_brier_score_of_two_classes_is_twice_that_of_their_column():
    y, p = noisy(100)
    of_rows = fot.measure(y, np.column_stack([1 - p, p]), "brier", reduction="canonical")
    assert float(of_rows) == pytest.approx(2 * float(fot.measure(y, p, "brier")), rel=1e-12)
    assert "of two classes twice that of a score" in str(of_rows)
    assert float(fot.measure(y, p, "brier")) == pytest.approx(float(fot.measure(y, p, "rmse")) ** 2, rel=1e-12)
    same = fot.measure(y, np.column_stack([1 - p, p]), "log_loss", reduction="canonical")
    assert float(same) == pytest.approx(float(fot.measure(y, p, "log_loss")), rel=1e-12)


def test_the_log_loss_of_distributions_inside_the_clipping_is_that_of_scikit_learn():
    labels, p, w = distributions()
    p = 0.99 * p + 0.01 / 3
    found = fot.measure(labels, p, "log_loss", reduction="canonical", sample_weight=w)
    assert float(found) == pytest.approx(log_loss(labels, p, sample_weight=w), rel=1e-12)


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
def test_certain_and_wrong_costs_what_the_clipping_leaves():
    found = fot.measure([1, 0], [0.0, 0.0], "log_loss")
    assert float(found) == pytest.approx((-np.log(1e-6) - np.log1p(-1e-6)) / 2, rel=1e-12)
    assert "probabilities clipped to [1e-6, 1 - 1e-6]" in str(found)
    assert float(fot.measure([1, 0], [0.0, 0.0], "brier")) == 0.5


def test_expected_losses_of_calibrated_scores_are_their_variance_and_entropy():
    """Of labels drawn from the scores the Brier score is p (1 - p) in the mean, the log loss the entropy."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 400)
    y = rng.random(400) < p
    brier, loss = (fot.measure(y, p, name, null_draws=400).null for name in ("brier", "log_loss"))
    assert brier.mean == pytest.approx(np.mean(p * (1 - p)), abs=4 * brier.sd / 20)
    assert loss.mean == pytest.approx(np.mean(-p * np.log(p) - (1 - p) * np.log1p(-p)), abs=4 * loss.sd / 20)


def test_a_score_at_the_threshold_is_positive():
    assert fot.measures.ZeroOneLoss().estimate(fot.ScoreSample([1], [0.5])).value == 0


def test_labels_of_one_class():
    found = fot.measures.AUC().estimate(fot.ScoreSample([1, 1], [0.2, 0.7]))
    assert found.value == 0.5
    assert "no pair of a positive and a negative" in found.note


@pytest.mark.exhaustive
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
    rmse, ece = (section.notes for section in by.table().sections())
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
