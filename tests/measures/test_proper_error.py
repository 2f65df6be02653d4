"""The proper calibration error: its expectation under calibration, against loops, choice inside the training part."""

import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

import fitontest as fot
from fitontest.data.simplex_redraws import drawn_codes
from fitontest.numerics.losses import find_loss
from tests.measures.test_simplex_ece import drawn

UNPENALISED = {  # families without a penalty or a mixture, and their free numbers of K classes
    "temperature": (lambda: fot.families.Temperature(mix=False), lambda K: 1),
    "bias_corrected": (lambda: fot.families.BiasCorrected(penalty=None), lambda K: K),
    "vector": (lambda: fot.families.Vector(penalty=None), lambda K: 2 * K - 1),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", UNPENALISED)
def test_gains_of_calibrated_predictions(name):
    """-d cv / (2 n (cv - 1)) held out, +d / (2 n) on the rows that were fitted, to two standard errors."""
    made, free = UNPENALISED[name]
    n, K, cv, sets = 500, 3, 4, 200 if name == "temperature" else 60
    rng = np.random.default_rng(3)
    held, own = [], []
    for _ in range(sets):
        P = rng.dirichlet([2, 2, 2], n)
        y = drawn_codes(np.cumsum(P, axis=1), rng.random(n))
        held.append(float(fot.evaluation.proper_error(y, P, family=made(), cv=cv)))
        fitted = made().fit(P, y).predict_proba(P)
        own.append(np.mean(find_loss("log_loss")(y, P) - find_loss("log_loss")(y, fitted)))
    for gains, expected in ((held, -free(K) * cv / (2 * n * (cv - 1))), (own, free(K) / (2 * n))):
        assert np.mean(gains) == pytest.approx(expected, abs=2 * np.std(gains, ddof=1) / np.sqrt(sets))
        assert np.std(gains, ddof=1) / np.sqrt(sets) < abs(expected)  # enough sets to tell it from 0


@pytest.mark.parametrize("loss", ["log_loss", "brier"])
def test_several_classes_against_a_loop(loss):
    y, P = drawn(150, 3)
    rows = fot.read(y, P, reduction="canonical").present
    after = np.empty_like(P)
    for held in rows.in_folds(5, 7)[1]:
        rest = np.setdiff1d(np.arange(150), held)
        after[held] = fot.families.Vector().fit(P[rest], y[rest], labels=[0, 1, 2]).predict_proba(P[held])
    onehot = np.eye(3)[y]
    score = {
        "log_loss": lambda q: -np.log(q[np.arange(150), y]),
        "brier": lambda q: ((q - onehot) ** 2).sum(axis=1),
    }[loss]
    gain = score(P) - score(after)
    found = fot.evaluation.proper_error(y, P, loss=loss, cv=5, random_state=7)
    assert float(found) == pytest.approx(gain.mean(), abs=1e-12)
    assert found.standard_error == pytest.approx(gain.std() / np.sqrt(150), abs=1e-12)
    assert found.loss_before == pytest.approx(score(P).mean(), abs=1e-12)
    assert found.loss_after == pytest.approx(score(after).mean(), abs=1e-12)
    assert found.chosen == ("vector",) * 5
    assert found.measure.unit == {"log_loss": "nats", "brier": "fraction"}[loss]


def test_two_classes_as_a_column_and_as_two():
    y, P = drawn(300, 2, power=2.0)
    column = fot.evaluation.proper_error(y, P[:, 1], family="beta")
    assert column.loss_before == pytest.approx(log_loss(y, P), abs=1e-12)
    brier = fot.evaluation.proper_error(y, P[:, 1], family="beta", loss="brier")
    assert brier.loss_before == pytest.approx(brier_score_loss(y, P[:, 1]), abs=1e-12)
    both = fot.evaluation.proper_error(y, P, family=fot.families.Vector(penalty=None), loss="brier")
    assert both.loss_before == pytest.approx(2 * brier.loss_before, abs=1e-12)
    assert both.reduction == "canonical"
    assert float(column) > 2 * column.standard_error
    assert float(both) == pytest.approx(2 * float(brier), abs=2 * both.standard_error)  # other folds, the same maps


def test_unclipped_families_of_two_classes():
    y, P = drawn(300, 2)
    found = fot.evaluation.proper_error(y, P[:, 1], family=fot.Slope1(5))
    assert np.isfinite(float(found))
    assert fot.evaluation.proper_error(y, P[:, 1], family="slope1", cv=3).chosen == ("slope1",) * 3


def test_the_best_family_is_chosen_inside_the_training_part():
    """Labels of the held-out fold do not move the choice for it, and the choice is the best of an inner loop."""
    y, P = drawn(120, 3, power=2.5)
    listed = ["identity", fot.families.Temperature(mix=False)]
    found = fot.evaluation.proper_error(y, P, family=listed, cv=4)
    assert set(found.chosen) == {"temperature"}
    alone = fot.evaluation.proper_error(y, P, family=listed[1], cv=4)
    assert float(found) == float(alone)
    rows = fot.read(y, P, reduction="canonical").present
    fold = rows.in_folds(4, 0)[1][0]
    assert np.array_equal(rows.in_folds(4, 0)[1][0], fot.read(y, P, reduction="canonical").present.in_folds(4, 0)[1][0])
    moved = y.copy()
    moved[fold] = P[fold].argmin(axis=1)  # as if the scores pointed the wrong way there
    again = fot.evaluation.proper_error(moved, P, family=listed, cv=4)
    assert again.chosen[0] == found.chosen[0]
    assert "best of identity, temperature by the training part" in str(found)


def test_it_may_be_negative_and_is_not_clipped():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1, 1], 80)
    y = drawn_codes(np.cumsum(P, axis=1), rng.random(80))
    assert float(fot.evaluation.proper_error(y, P, family=fot.families.Vector(penalty=None))) < 0


def test_weights_repeat_rows_and_order_does_not_matter():
    y, P = drawn(150, 3)
    rng = np.random.default_rng(1)
    w, order = rng.integers(0, 3, 150), rng.permutation(150)
    settings = {"labels": [0, 1, 2], "cv": 4}
    weighted = fot.evaluation.proper_error(y, P, sample_weight=w, **settings)
    repeated = fot.evaluation.proper_error(np.repeat(y, w), np.repeat(P, w, axis=0), **settings)
    assert float(weighted) == pytest.approx(float(repeated), abs=1e-9)
    assert weighted.standard_error == pytest.approx(repeated.standard_error, abs=1e-9)
    again = fot.evaluation.proper_error(y[order], P[order], sample_weight=w[order], **settings)
    assert float(again) == pytest.approx(float(weighted), abs=1e-9)
    classes = [2, 0, 1]
    turned = fot.evaluation.proper_error(np.argsort(classes)[y], P[:, classes], sample_weight=w, **settings)
    assert float(turned) == pytest.approx(float(weighted), abs=1e-9)


def test_the_null_and_what_is_printed():
    y, P = drawn(200, 3)
    for scores in (P, P[:, 1]):
        labels = y if scores.ndim == 2 else y == 1
        found = fot.evaluation.proper_error(labels, scores, null_draws=3, cv=3)
        assert found.null.values.size == 3
        assert "nats" in str(found)
        assert "standard error" in str(found)
        json.loads(found.to_json())
        assert found.to_dict()["chosen"] == list(found.chosen)
        assert found.n_classes == (3 if scores.ndim == 2 else 2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of 'brier', 'log_loss'; got 'hinge'"),
        ({"cv": 1}, "cv must be a whole number of folds, at least 2; got 1"),
        ({"family": []}, "family must be a non-empty list"),
        ({"family": [3]}, "family must be the name of a family, a family, or a list of them; got 3"),
        ({"family": "unheard"}, "family must be one of"),
        ({"pos_label": 1}, "pos_label must be None"),
        ({"null_draws": -1}, "null_draws must be a whole number"),
        ({"random_state": "a"}, "random_state must be"),
    ],
)
def test_refusals(settings, message):
    y, P = drawn(60, 3)
    with pytest.raises(ValueError, match=message):
        fot.evaluation.proper_error(y, P, **settings)


def test_refusals_of_a_column():
    with pytest.raises(ValueError, match="labels must be left out for a column"):
        fot.evaluation.proper_error([0, 1], [0.2, 0.8], labels=[0, 1])
    with pytest.raises(ValueError, match="takes a column for each class"):
        fot.evaluation.proper_error([0, 1, 1], [0.2, 0.8, 0.5], family="vector")
    with pytest.raises(ValueError, match="10 folds need two rows that differ"):
        fot.evaluation.proper_error([0, 0, 0], [[0.2, 0.8]] * 3, labels=[0, 1])


def test_importances_of_mean_one_are_no_counts():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 100)
    y = rng.integers(0, 3, 100)
    w = np.tile([0.5, 1.5], 50)
    a, b = (fot.evaluation.proper_error(y, P, family="temperature", sample_weight=v, cv=3) for v in (w, 3.7 * w))
    assert a.standard_error == pytest.approx(b.standard_error, rel=1e-6)


def test_a_family_of_two_classes_is_fitted_to_each_of_several_against_the_rest():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 90)
    y = np.arange(90) % 3
    error = fot.evaluation.proper_error(y, P, family="platt", cv=3)
    assert float(error) == float(fot.evaluation.proper_error(y, P, family=fot.families.OneVsRest("platt"), cv=3))
    assert set(error.evidence.chosen) == {"one_vs_rest(platt)"}
    assert "fitted: one_vs_rest(platt)" in str(error)
