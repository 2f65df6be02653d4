"""Certain scores do not decide the maps that are linear in logits, and a number for `eps` is obeyed."""

import numpy as np
import pytest
from scipy.special import expit, logit

import fitontest as fot
from fitontest.data.weights import read_weights
from fitontest.families.base import Family
from tests.labellings import entries_of_columns
from tests.strategies import noisy

OF_TWO = {
    "platt": (fot.Platt, 1e-16),
    "temperature": (fot.families.Temperature, 1e-16),
    "beta": (fot.Beta, 2.2e-16),
}
OF_SEVERAL = {
    "temperature": fot.families.Temperature,
    "bias_corrected": fot.families.BiasCorrected,
    "vector": fot.families.Vector,
    "matrix": fot.families.Matrix,
    "dirichlet": lambda **settings: fot.families.Dirichlet(1e-3, 1e-3, **settings),
    "shared_isotonic": fot.families.SharedIsotonic,
}
of_two = pytest.mark.parametrize(("family", "uncut"), OF_TWO.values(), ids=OF_TWO)
of_several = pytest.mark.parametrize("family", OF_SEVERAL.values(), ids=OF_SEVERAL)
refused = pytest.mark.parametrize("eps", [0, 0.5, np.nan, True, None, "automatic", [1e-3], np.array([1e-3, 1e-2])])


def forest(n, seed=0):
    """Return labels, scores in hundredths and the true probabilities: .5 % at 0, and a slope of 1.3 between."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.3, 1.0, n), 2)
    c = np.where(p == 0.0, 0.005, np.where(p == 1.0, 0.98, expit(1.3 * logit(np.clip(p, 0.01, 0.99)))))
    return (rng.random(n) < c).astype(int), p, c


def three(n, seed=0):
    """Return labels and scores in tenths of three classes, with zeros, of which some are wrong."""
    rng = np.random.default_rng(seed)
    P = rng.multinomial(10, [0.6, 0.3, 0.1], n) / 10
    truth = 0.97 * P + 0.01
    return (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1), P


@of_two
def test_without_certain_scores_no_digit_changes(family, uncut):
    y, p = noisy(300)
    found, before = family().fit(p, y), family(eps=uncut).fit(p, y)
    assert found.map_.to_json() == before.map_.to_json()
    assert found.map_.eps == uncut


@of_several
def test_without_zeros_no_digit_changes(family):
    y, P = three(300)
    P = 0.9 * P + 0.1 / 3
    assert family().fit(P, y).map_.to_json() == family(eps=1e-16).fit(P, y).map_.to_json()


@of_two
def test_certain_scores_are_cut_at_one_logit_beyond_the_others(family, uncut):
    y, p, _ = forest(2000)
    p[p == 0.01] = 0.02  # the largest logit is that of .99, or of a smaller score
    found = family().fit(p, y)
    inside = p[(p > 0) & (p < 1)]
    assert found.map_.eps == pytest.approx(expit(-1.0 - np.abs(logit(inside)).max()), rel=1e-12)
    assert found.map_.eps > uncut
    moved = family(eps=uncut).fit(np.clip(p, found.map_.eps, 1 - found.map_.eps), y)  # scores moved by hand
    np.testing.assert_allclose(found.predict(inside), moved.predict(inside), rtol=1e-9)


@of_two
def test_a_number_is_obeyed(family, uncut):
    y, p, _ = forest(500)
    assert family(eps=1e-5).fit(p, y).map_.eps == 1e-5


@refused
@pytest.mark.parametrize("family", [fot.Platt, fot.families.Temperature, fot.Beta])
def test_other_settings_are_refused(family, eps):
    with pytest.raises(ValueError, match=r'eps must be a number in \(0, 0.5\) or "auto", got'):
        family(eps=eps).fit([0.2, 0.6, 0.3, 0.7], [0, 1, 1, 0])


@refused
@of_several
def test_other_settings_are_refused_of_several_classes(family, eps):
    y, P = three(30)
    with pytest.raises(ValueError, match=r'eps must be a number in \(0, 0.5\) or "auto", got'):
        family(eps=eps).fit(P, y)


def test_certain_rows_do_not_turn_a_slope_round():
    y, p, _ = forest(5000)
    assert fot.Platt(eps=1e-16).fit(p, y).slope_ < 0.9
    assert fot.Platt().fit(p, y).slope_ == pytest.approx(1.3, abs=0.15)


@of_two
def test_no_family_is_worse_than_no_map(family, uncut):
    """By the log loss under the true probabilities, of predictions clipped to [1e-6, 1 - 1e-6] as everywhere."""
    y, p, c = forest(5000)

    def loss(q):
        q = np.clip(q, 1e-6, 1 - 1e-6)
        return -np.mean(c * np.log(q) + (1 - c) * np.log1p(-q))

    assert loss(family().fit(p, y).predict(p)) < loss(p)
    assert loss(family().fit(p, y).predict(p)) < loss(family(eps=uncut).fit(p, y).predict(p))


@of_several
def test_zeros_of_several_classes_are_cut_at_one_logit_beyond_the_others(family):
    y, P = three(2000)
    found = family().fit(P, y)
    assert found.map_.eps == pytest.approx(1 / 9 / np.e)
    assert family(eps=1e-5).fit(P, y).map_.eps == 1e-5
    assert family(input="logits").fit(np.log(P + 1e-9), y).map_.eps < 1e-300


@pytest.mark.parametrize("name", ["temperature", "bias_corrected", "vector", "matrix", "dirichlet"])
def test_no_family_of_several_classes_is_worse_than_no_map(name):
    y, P = three(4000)
    z, Q = three(20_000, seed=1)

    def loss(q):
        return -np.mean(np.log(np.clip(q[np.arange(z.size), z], 1e-6, 1 - 1e-6)))

    found = loss(OF_SEVERAL[name]().fit(P, y).predict_proba(Q))
    assert found < loss(Q)
    assert found < loss(OF_SEVERAL[name](eps=1e-16).fit(P, y).predict_proba(Q))


def test_two_columns_are_one():
    """The certain rows of a matrix of two columns have the logits of those of a column."""
    y, p, _ = forest(800)
    P = np.column_stack([1 - p, p])
    column, matrix = fot.families.Temperature().fit(p, y), fot.families.Temperature(mix=False).fit(P, y)
    np.testing.assert_allclose(matrix.predict_proba(P)[:, 1], column.predict(p), rtol=1e-7)
    platt, biased = fot.Platt().fit(p, y), fot.families.BiasCorrected(penalty=None).fit(P, y)
    np.testing.assert_allclose(biased.predict_proba(P)[:, 1], platt.predict(p), rtol=1e-5)


@of_two
def test_many_labellings_are_cut_as_one_is(family, uncut):
    """At the scores, and at others: the cut is that of the scores that are fitted to."""
    y, p, _ = forest(300)
    w = np.random.default_rng(1).integers(0, 4, p.size).astype(float)
    entries, order = entries_of_columns(p, read_weights(w, "w"))
    positives = np.stack([y[order], np.random.default_rng(2).permutation(y[order])], axis=1)
    at = np.array([0.0, 1e-9, 0.004, 0.3, 1.0 - 1e-9, 1.0])
    for fast, slow in (
        (family().fit_many(entries, positives).at(), Family.fit_many(family(), entries, positives).at()),
        (family().fit_many(entries, positives).at(at), Family.fit_many(family(), entries, positives).at(at)),
    ):
        np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-9)
    assert np.ptp(family().fit_many(entries, positives).at(at)[:2], axis=0).max() == 0.0


@of_two
def test_weights_repeat_rows_and_rows_without_weight_are_absent(family, uncut):
    y, p, _ = forest(400)
    w = np.random.default_rng(1).integers(0, 3, p.size)
    weighted, repeated = family().fit(p, y, w), family().fit(np.repeat(p, w), np.repeat(y, w))
    assert weighted.map_.eps == repeated.map_.eps
    np.testing.assert_allclose(weighted.predict(p), repeated.predict(p), rtol=1e-8)
    absent = family().fit(np.append(p, 1e-9), np.append(y, 1), np.append(w, 0))
    assert absent.map_.eps == weighted.map_.eps


@of_two
def test_each_fold_is_cut_by_its_own_rows(family, uncut):
    y, p, _ = forest(400)
    y, p = np.append(y, 0), np.append(p, 1e-7)  # one row has the largest logit by far
    sample = fot.ScoreSample(y, p)
    rows = sample.rows
    far = int(np.flatnonzero(rows.p == 1e-7)[0])
    folds = [np.arange(0, 401, 2), np.arange(1, 401, 2)]
    held_out = family().hold_out(sample, folds)
    without = np.setdiff1d(np.arange(401), next(fold for fold in folds if far in fold))
    fitted = family().fit(rows.p[without], rows.y[without])
    assert fitted.map_.eps > 1e3 * family().fit(p, y).map_.eps
    assert held_out[far] == pytest.approx(fitted.predict([1e-7])[0], rel=1e-9)


@of_two
def test_scores_that_are_all_certain(family, uncut):
    """They have no others to follow; the levels of Platt scaling are the mean labels wherever their logits are cut."""
    rng = np.random.default_rng(0)
    p = (rng.random(500) < 0.4).astype(float)
    y = (rng.random(500) < np.where(p == 1.0, 0.9, 0.1)).astype(int)
    fitted = family().fit(p, y)
    assert fitted.map_.eps == uncut
    if family is not fot.families.Temperature:
        expected = [y[p == 0.0].mean(), y[p == 1.0].mean()]
        np.testing.assert_allclose(fitted.predict([0.0, 1.0]), expected, atol=1e-6)


def test_stored_maps_hold_the_number():
    y, p, _ = forest(500)
    fitted = fot.Platt().fit(p, y).map_
    again = fot.CalibrationMap.from_json(fitted.to_json())
    assert again.eps == fitted.eps
    np.testing.assert_array_equal(again(p), fitted(p))
