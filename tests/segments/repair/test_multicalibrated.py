"""The stack: its weights by scipy, when the scores stay as they are, and what it may be made of."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.repair.multicalibrated import MEMBERS, LogisticLine, Unchanged
from tests.segments.features.problems import labelled, mixed, rows_of

QUICK = ["identity", "logistic", "segment_offsets"]


def likelihoods_of(family, rows):
    """Return the dealt rows, and the probability that each member gave to the label of each row by other folds."""
    dealt = dealt_rows(rows, family.folds, family.random_state)
    values = [member.solve_and_hold_out(dealt)[1] for member in family.make_members().values()]
    q = np.clip(np.stack(values, axis=1), 1e-6, 1 - 1e-6)
    return dealt, np.where(dealt.rows.y[:, None] > 0.5, q, 1 - q)


def best_weights(likelihoods, w):
    size = likelihoods.shape[1]
    found = minimize(
        lambda v: -w @ np.log(likelihoods @ v) / w.sum(),
        np.full(size, 1 / size),
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


@pytest.mark.parametrize("seed", range(2))
def test_the_weights_maximise_the_held_out_likelihood(seed):
    rows = rows_of(400, seed, w=np.random.default_rng(seed).integers(1, 3, 400)).canonical()
    family = fot.segments.Multicalibrated([*QUICK, fot.segments.TreeOfMaps(max_depth=1)], folds=3, least_gain=-np.inf)
    found = family.solve(rows).attributes
    dealt, likelihoods = likelihoods_of(family, rows)
    weights = np.array(list(found["weights_"].values()))
    expected = best_weights(likelihoods, dealt.rows.w)
    np.testing.assert_allclose(weights, expected, atol=2e-4)
    losses = [dealt.rows.w @ np.log(likelihoods @ each) for each in (weights, expected)]
    assert losses[0] >= losses[1] - 1e-6


@pytest.mark.parametrize("grouped", [False, True])
def test_the_gain_is_that_of_weights_of_other_folds(grouped):
    groups = np.arange(600) // 4 if grouped else None
    rows = rows_of(600, groups=groups).canonical()
    family = fot.segments.Multicalibrated(QUICK, folds=4)
    found = family.solve(rows).attributes
    dealt, likelihoods = likelihoods_of(family, rows)
    gains = np.empty(len(dealt.rows))
    for held_out in dealt.held_out():
        weights = best_weights(likelihoods[~held_out], dealt.rows.w[~held_out])
        gains[held_out] = np.log(likelihoods[held_out] @ weights) - np.log(likelihoods[held_out, 0])
    w = dealt.rows.w
    mean = w @ gains / w.sum()
    assert found["gain_"] == pytest.approx(mean, abs=1e-4)
    if grouped:
        sums = np.bincount(dealt.rows.groups, w * (gains - mean))
        error = np.sqrt(sums @ sums * 150 / 149) / w.sum()
    else:
        error = np.sqrt(w @ (gains - mean) ** 2) / w.sum()
    assert found["gain_se_"] == pytest.approx(error, rel=2e-3)
    assert found["kept_identity_"] == (found["gain_"] <= 1.645 * found["gain_se_"])


def test_calibrated_scores_stay_as_they_are():
    kept = []
    for seed in range(12):
        rng = np.random.default_rng([seed, 7])
        X, p = mixed(250, seed), rng.random(250)
        found = fot.segments.Multicalibrated(QUICK, folds=3).fit(X, rng.random(250) < p, scores=p)
        kept.append(found.kept_identity_)
        if found.kept_identity_:
            assert found.weights_ == {"identity": 1.0, "logistic": 0.0, "segment_offsets": 0.0}
            np.testing.assert_allclose(found.predict_proba(X, scores=p)[:, 1], p, rtol=1e-12)
            assert found.map_.features == ()
    assert sum(kept) >= 10


def test_wrong_scores_are_repaired():
    X, p, y = labelled(1500, offset=1.5)
    found = fot.segments.Multicalibrated(folds=3).fit(X, y, scores=p)
    assert not found.kept_identity_
    assert list(found.weights_) == list(found.members_) == list(MEMBERS)
    assert sum(found.weights_.values()) == pytest.approx(1.0)
    present = [name for name, weight in found.weights_.items() if weight > 0]
    assert found.map_.parts == tuple(found.members_[name] for name in present)
    new, p_new, y_new = labelled(3000, 1, offset=1.5)
    q = found.predict_proba(new, scores=p_new)[:, 1]
    none, ours = (-np.log(np.where(y_new == 1, each, 1 - each)).mean() for each in (p_new, q))
    assert ours < none - 0.06


def test_without_boosted_trees_it_can_be_sql():
    X, p, y = labelled(600, offset=1.5)
    found = fot.segments.Multicalibrated(QUICK, folds=2).fit(X, y, scores=p)
    assert "CASE WHEN" in found.map_.to_sql("p")
    forced = fot.segments.Multicalibrated(["boosted"], folds=2, least_gain=-np.inf).fit(X, y, scores=p)
    with pytest.raises(ValueError, match="no formula for SQL"):
        forced.map_.to_sql("p")


def test_the_least_gain_decides():
    X, p, y = labelled(300, offset=0.5)
    always, never = (
        fot.segments.Multicalibrated(QUICK, least_gain=least).fit(X, y, scores=p) for least in (-np.inf, np.inf)
    )
    assert (always.kept_identity_, never.kept_identity_) == (False, True)
    assert always.gain_ == never.gain_


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"members": ["identity", "isotonic"]}, "members must be among 'identity'.*; got 'isotonic'"),
        ({"members": "boosted"}, "members must be a non-empty list"),
        ({"members": []}, "members must be a non-empty list"),
        ({"members": ["boosted", fot.segments.Boosted()]}, "members must have different names, got 'boosted' twice"),
        ({"members": [fot.segments.Boosted(max_stages=-1)]}, "max_stages must be a whole number, at least 0"),
        ({"members": [fot.segments.TreeCalibrator()]}, "members must be among"),
        ({"folds": 1}, "folds must be a whole number, at least 2"),
        ({"folds": 2.0}, "folds must be a whole number, at least 2"),
        ({"least_gain": "5 %"}, "least_gain must be a number"),
        ({"least_gain": np.nan}, "least_gain must be a number"),
        ({"random_state": "seed"}, "random_state must be"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.segments.Multicalibrated(**settings).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (fot.segments.CertifiedOffsets(level=0.05), "level must be a number in .*: write .95 for 5 % false alarms"),
        (fot.segments.CertifiedOffsets(level=1), r"level must be a number in \[0.5, 1\) such as 0.95, got 1"),
        (fot.segments.CertifiedOffsets(draws=18), "draws must be a whole number, at least 19; got 18"),
        (fot.segments.CertifiedOffsets(draws=19, level=0.97), "draws must be a whole number, at least 33; got 19"),
        (fot.segments.CertifiedOffsets(most=0), "most must be a whole number, at least 1; got 0"),
        (fot.segments.TreeOfMaps(max_depth=0), "max_depth must be a whole number, at least 1; got 0"),
        (fot.segments.TreeOfMaps(least_variance=0), "least_variance must be a positive finite number, got 0"),
        (fot.segments.TreeOfMaps(folds=True), "folds must be a whole number, at least 2; got True"),
        (fot.segments.Boosted(trees_per_stage=0), "trees_per_stage must be a whole number, at least 1; got 0"),
        (fot.segments.Boosted(learning_rate=np.inf), "learning_rate must be a positive finite number, got inf"),
        (fot.segments.Boosted(min_samples_leaf="40"), "min_samples_leaf must be a positive finite number, got '40'"),
        (fot.segments.Boosted(folds=0), "folds must be a whole number, at least 2; got 0"),
        (fot.segments.SegmentOffsets(categorical_features="age"), "categorical_features must be 'from_dtype'"),
    ],
)
def test_settings_of_all_families_are_checked(family, message):
    with pytest.raises(ValueError, match=message):
        family.fit([[0.0], [1.0]], [0, 1])


def test_a_mixture_of_the_scores_with_themselves_gains_nothing():
    for seed in range(5):
        X, p = mixed(300, seed), np.random.default_rng([seed, 11]).random(300)
        y = np.random.default_rng([seed, 12]).random(300) < p
        same = fot.segments.Multicalibrated(["identity", fot.segments.Boosted(max_stages=0)], folds=2, least_gain=0.0)
        assert same.fit(X, y, scores=p).kept_identity_


def test_members_that_see_no_feature():
    rows = rows_of(400).canonical()
    assert np.all(Unchanged().fit_map(rows).evaluate(rows.columns, rows.logits) == rows.q)
    line = LogisticLine().fit_map(rows)
    assert (line.rules, line.reach) == ((), None)
    with pytest.raises(TypeError, match="must define fit_map or solve"):
        type("Neither", (fot.segments.SegmentOffsets.__mro__[1],), {})().solve(rows)


def test_of_two_rows_the_scores_stay_as_they_are():
    found = fot.segments.Multicalibrated().fit([[0.0], [1.0]], [0, 1], scores=[0.3, 0.4])
    assert found.kept_identity_
    np.testing.assert_allclose(found.predict_proba([[0.0]], scores=[0.3])[:, 1], 0.3)
