"""Stacking: its held-out predictions by hand, its weights, and what a mixture keeps."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import fitontest as fot
from fitontest.data.entries import Entries
from fitontest.datasets import Derivate
from fitontest.families.mixing import likelihood_weights
from fitontest.numerics.random import held_out_rows
from tests.multiclass import draw
from tests.strategies import noisy

QUICK = ["identity", "platt", "isotonic"]


def held_out_by_hand(family, p, y, cv, seed):
    """Return the held-out values of rows in increasing order of the scores."""
    values = np.empty(p.size)
    for held_out in held_out_rows(p.size, cv, seed):
        kept = np.setdiff1d(np.arange(p.size), held_out)
        values[held_out] = fot.families.make(family).fit(p[kept], y[kept]).predict(p[held_out])
    return values


def test_it_is_the_mixture_of_the_definition():
    y, p = noisy(300)
    order = np.argsort(p)
    y, p = y[order], p[order]
    q = np.stack([held_out_by_hand(name, p, y, 5, 3) for name in QUICK], axis=1).clip(1e-6, 1 - 1e-6)
    prior = 0.5
    likelihoods = np.concatenate((np.where(y[:, None] == 1, q, 1 - q), np.eye(3)))
    weights = likelihood_weights(likelihoods, np.append(np.ones(300), np.full(3, prior / 3)))
    stacking = fot.families.Stacking(QUICK, cv=5, prior=prior, random_state=3).fit(p, y)
    np.testing.assert_allclose(stacking.weights_, weights, atol=1e-9)
    at = np.linspace(0, 1, 21)
    parts = np.stack([fot.families.make(name).fit(p, y).predict(at) for name in QUICK], axis=1)
    np.testing.assert_allclose(stacking.predict(at), parts @ weights, atol=1e-9)
    assert list(stacking.members_) == QUICK
    assert stacking.map_.kind == "mixture"
    expected = sum(w * m.n_parameters_ for w, m in zip(weights, stacking.members_.values(), strict=True))
    assert stacking.n_parameters_ == pytest.approx(expected + np.count_nonzero(stacking.weights_) - 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", [fot.PL(cv=5), fot.PL3(2, cv=4), fot.PL(cv=4, max_bins=3, random_state=5)])
def test_members_with_folds_of_their_own_use_their_fold_maps(family):
    """Each row is predicted by the fold map that was fitted without it, of which the family's map is the mean."""
    y, p = noisy(500)
    sample = fot.ScoreSample(y, p)
    folds = held_out_rows(500, family.cv, family.random_state)
    solution, values = family.solve_and_hold_out(sample, folds)
    assert solution.map == family.solve(sample).map
    refitted = family.hold_out(sample, folds)
    assert np.abs(values - refitted).mean() < 0.02
    if family.n_bins != "cv":  # a number that is chosen depends on all labels
        kept = np.setdiff1d(np.arange(500), folds[0])  # the labels of a fold do not reach its own predictions
        y2 = np.where(np.isin(np.arange(500), kept), sample.rows.y, 1 - sample.rows.y)
        turned = family.solve_and_hold_out(fot.ScoreSample(y2, sample.rows.p), folds)[1]
        np.testing.assert_allclose(turned[folds[0]], values[folds[0]], atol=1e-4)
        assert np.abs(turned[kept] - values[kept]).mean() > 1e-3
    others = family.solve_and_hold_out(sample, held_out_rows(500, 3, 0))[1]
    np.testing.assert_array_equal(others, family.hold_out(sample, held_out_rows(500, 3, 0)))


@pytest.mark.parametrize("loss", ["log_loss", "brier"])
def test_the_weights_minimise_what_the_class_says(loss):
    """With importances, against a search over two weights."""
    y, p = noisy(200)
    order = np.argsort(p)
    y, p = y[order], p[order]
    w = np.random.default_rng(3).lognormal(size=200)
    prior, names = 4.0, ["platt", "isotonic"]
    stacking = fot.families.Stacking(names, cv=4, loss=loss, prior=prior, random_state=2).fit(p, y, w)
    folds = held_out_rows(200, 4, 2)
    sample = fot.ScoreSample(y, p, w)
    q = np.stack([fot.families.make(name).hold_out(sample, folds) for name in names]).clip(1e-6, 1 - 1e-6)
    count = w * w.sum() / (w**2).sum()

    def objective(first):
        v = np.array([first, 1 - first])
        mixed = v @ q
        if loss == "log_loss":
            return -count @ np.log(np.where(y == 1, mixed, 1 - mixed)) - prior / 2 * np.log(v).sum()
        return count @ (y - mixed) ** 2 + prior / 2 * (v**2).sum()

    best = minimize_scalar(objective, bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-10})
    assert 0.01 < best.x < 0.99
    np.testing.assert_allclose(stacking.weights_, [best.x, 1 - best.x], atol=1e-6)


class Missing(fot.Family):
    """A family whose map is not finite everywhere."""

    def fit_map(self, sample):
        return Gap()


class Gap(fot.maps.IdentityMap):
    def evaluate(self, p):
        return np.where(p > 0.9, np.nan, p)


def test_a_member_without_a_value_is_named():
    y, p = noisy(200)
    with pytest.raises(
        ValueError, match=r"Missing\(\): its map must have a finite value at every score, got nan at 0\.9"
    ):
        fot.families.Stacking(["platt", Missing()]).fit(p, y)


def test_a_prior_draws_the_weights_together():
    y, p = noisy(400)
    spread = [np.ptp(fot.families.Stacking(QUICK, prior=prior).fit(p, y).weights_) for prior in (0, 10, 1e9)]
    assert spread[0] > spread[1] > spread[2]
    assert spread[2] < 1e-6


def test_no_weight_is_0_by_default():
    y, p = noisy(400)
    bare, default = (fot.families.Stacking(QUICK, **options).fit(p, y) for options in ({"prior": 0}, {}))
    assert bare.weights_.min() == 0
    assert 0 < default.weights_.min() < 0.05


def test_the_scale_of_importances_means_nothing():
    y, p = noisy(300)
    w = np.random.default_rng(0).random(300) + 0.5
    a, b = (fot.families.Stacking(QUICK, prior=5).fit(p, y, factor * w).weights_ for factor in (1, 7.3))
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_calibrated_scores_are_left_nearly_alone_and_others_are_mended():
    distances = {}
    for error in (0.0, 0.1):
        each = []
        for seed in range(6):
            y, p, c = Derivate("square", error=error).draw(1000, np.random.default_rng(seed))
            each.append(np.abs(fot.families.Stacking(["identity", "platt", "beta"]).fit(p, y).predict(p) - c).mean())
        distances[error] = np.mean(each)
    assert distances[0.0] < 0.008
    assert distances[0.1] < 0.03


def test_a_single_row_weighs_all_members_alike():
    stacking = fot.families.Stacking(["identity", fot.Slope1(1)]).fit([0.4], [1])
    assert stacking.weights_.tolist() == [0.5, 0.5]
    assert stacking.predict([0.4])[0] == pytest.approx(0.7)


def test_the_stand_in_is_the_mixture_of_the_members_stand_ins():
    stand_in = fot.families.Stacking(["platt", "spline", "pl3"], cv=4, prior=2.0).stand_in()
    assert list(stand_in.make_members()) == ["platt", "spline"]
    assert (stand_in.cv, stand_in.prior) == (4, 2.0)
    assert fot.families.Stacking(QUICK).stand_in() is None


def test_entries_of_several_rows_are_taken():
    entries = Entries(np.array([0.1, 0.4, 0.6, 0.9]), np.array([5.0, 7, 3, 9]), np.array([5, 7, 3, 9]), whole=True)
    stacking = fot.families.Stacking(["identity", "platt"]).fit_sample(entries.sample(np.array([1, 2, 2, 8])))
    assert stacking.weights_.sum() == pytest.approx(1)


def test_all_members_are_the_default_ones_and_the_polygons():
    stacking = fot.families.Stacking("all")
    assert [*stacking.make_members()] == ["identity", "platt", "beta", "isotonic", "spline", "pl", "pl3"]
    assert [*stacking.make_class_members()] == [*fot.families.Stacking().make_class_members()]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": []}, "families must hold at least one family, got none"),
        ({"families": ["platt", "platt"]}, "families must differ from one another, got platt twice"),
        ({"families": "platt"}, "families must be a list of names"),
        (
            {"families": (name for name in QUICK)},
            "families must be a list of names of families or of families, got",
        ),
        ({"families": {"platt", "beta"}}, "families must be a list of names of families or of families, got"),
        ({"families": ["pava", "isotonic"]}, "families must differ from one another, got pava and isotonic, which are"),
        ({"prior": None}, "prior must be a finite number"),
        ({"families": ["platt", 3]}, "families must be names of families or families, got 3"),
        ({"loss": "hinge"}, "loss must be one of"),
        ({"prior": -1}, "prior must be a finite number, at least 0; got -1"),
        ({"prior": np.inf}, "prior must be a finite number"),
        ({"cv": 1}, "cv must be a whole number of folds"),
    ],
)
def test_refusals(options, message):
    y, p = noisy(50)
    with pytest.raises(ValueError, match=message):
        fot.families.Stacking(**{"families": QUICK, **options}).fit(p, y)


def test_of_several_classes_it_is_the_mixture_of_the_definition():
    """The weights are those of a generic optimiser, and the map is the mean of the members fitted to all rows."""
    P, y = draw(n=200)
    members = ["identity", "temperature", "platt"]
    for loss in ("log_loss", "brier"):
        stacking = fot.families.Stacking(members, cv=4, loss=loss, prior=2.0, random_state=1).fit(P, y)
        rows = stacking._read(P, y, None, None)
        q = np.empty((*P.shape, 3))
        for fold in rows.in_folds(4, 1)[1]:
            kept = np.setdiff1d(np.arange(200), fold)
            for j, family in enumerate(
                [fot.families.Identity(), fot.families.Temperature(), fot.families.OneVsRest("platt")]
            ):
                q[fold, :, j] = family.fit(P[kept], y[kept], labels=range(4)).predict_proba(P[fold])

        def objective(v, q=q, loss=loss):
            mixed = q @ v
            if loss == "log_loss":
                return -np.log(mixed[np.arange(200), y]).sum() - 2.0 / 3 * np.log(v).sum()
            return ((mixed - np.eye(4)[y]) ** 2).sum() / 2 + 2.0 / 3 * (v**2).sum()

        best = minimize(
            objective,
            np.full(3, 1 / 3),
            bounds=[(1e-9, 1)] * 3,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            options={"ftol": 1e-12, "maxiter": 500},
        )
        np.testing.assert_allclose(stacking.weights_, best.x, atol=2e-4)
        mixture = sum(
            weight * member.predict_proba(P)
            for weight, member in zip(stacking.weights_, stacking.members_.values(), strict=True)
        )
        np.testing.assert_allclose(stacking.predict_proba(P), mixture, atol=1e-12)
        assert stacking.map_.kind == "multiclass_mixture"
        assert list(stacking.members_) == ["identity", "temperature", "one_vs_rest(platt)"]


def test_of_several_classes_a_count_is_the_repeated_row():
    P, y = draw(n=80)
    w = np.random.default_rng(0).integers(0, 3, 80)
    at = np.repeat(np.arange(80), w)
    weighted = fot.families.Stacking(["identity", "temperature", "vector"]).fit(P, y, w, labels=range(4))
    repeated = fot.families.Stacking(["identity", "temperature", "vector"]).fit(P[at], y[at], labels=range(4))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-8)
    scaled = [
        fot.families.Stacking(["identity", "vector"]).fit(P, y, c * (0.5 + w), labels=range(4)).weights_ for c in (1, 7)
    ]
    np.testing.assert_allclose(*scaled, atol=1e-6)
