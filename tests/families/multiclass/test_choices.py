"""Penalties chosen by cross-validation, and the registry of families of several classes."""

import sys
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import fitontest as fot
from fitontest.evaluation.comparison.candidates import list_class_calibrators
from fitontest.evaluation.evaluate import all_families
from fitontest.families.multiclass.base import read_multiclass_family
from fitontest.families.multiclass.penalties import MULTIPLES, HeldOut, hold_out
from fitontest.families.multiclass.regularised import GRID
from fitontest.results.exceptions import without_warnings
from tests.multiclass import draw


def rows_of(P, y, w=None):
    return fot.read(y, P, sample_weight=w, reduction="canonical").present


def test_the_multiple_is_the_largest_within_one_error_of_the_best():
    P, y = draw(400, 3)
    family = fot.families.Vector(penalty="cv", cv=4, random_state=3).fit(P, y)
    rows = rows_of(P, y)
    folds = rows.in_folds(4, 3)[1]
    assert sorted(np.concatenate(folds)) == list(range(400))
    by_hand = np.empty((400, len(MULTIPLES)))
    for held in folds:
        kept = np.setdiff1d(np.arange(400), held)
        for j, multiple in enumerate(MULTIPLES):
            q = fot.families.Vector(penalty=multiple).fit(P[kept], y[kept]).predict_proba(P[held])
            by_hand[held, j] = -np.log(np.clip(q[np.arange(held.size), y[held]], 1e-6, 1 - 1e-6))
    np.testing.assert_allclose(family.held_out_.losses, by_hand, rtol=0, atol=1e-8)
    best = by_hand.mean(axis=0).argmin()
    excess = by_hand - by_hand[:, [best]]
    near = excess.mean(axis=0) <= excess.std(axis=0) / np.sqrt(400)
    assert family.penalty_ == MULTIPLES[near.argmax()]
    assert family.map_ == fot.families.Vector(penalty=family.penalty_).fit(P, y).map_


def test_one_error_of_whole_weights_is_that_of_repeated_rows():
    rng = np.random.default_rng(0)
    losses, w = rng.random((50, 3)), rng.integers(1, 4, 50).astype(float)
    repeated = HeldOut((3, 2, 1), np.repeat(losses, w.astype(int), axis=0), np.ones(int(w.sum())))
    weighted = HeldOut((3, 2, 1), losses, w)
    np.testing.assert_allclose(weighted.mean, repeated.mean)
    assert weighted.within_one_error == repeated.within_one_error
    close = HeldOut((2, 1), np.column_stack([np.full(50, 0.5), 0.5 + 0.01 * np.tile([-1.2, 1.0], 25)]), np.ones(50))
    assert (close.best, close.within_one_error) == (1, 0)


def test_dirichlet_takes_the_best_of_the_grid_and_of_one_penalty_alone():
    P, y = draw(200, 3, seed=6)
    family = fot.families.Dirichlet(cv=3).fit(P, y)
    assert family.held_out_.candidates[0] == (10.0, 10.0)
    assert family.held_out_.candidates[-1] == pytest.approx((1e-5, 1e-5))
    assert family.held_out_.candidates[family.held_out_.best] == (family.best_lambda_, family.best_mu_)
    assert family.map_ == fot.families.Dirichlet(family.best_lambda_, family.best_mu_).fit(P, y).map_
    alone = fot.families.Dirichlet(lambda_=0.1, cv=3).fit(P, y)
    assert alone.best_lambda_ == 0.1
    assert {lambda_ for lambda_, _ in alone.held_out_.candidates} == {0.1}
    assert [mu for _, mu in alone.held_out_.candidates] == [10.0**k for k in range(1, -6, -1)]
    other = fot.families.Dirichlet(mu=0.1, cv=3).fit(P, y)
    assert other.best_mu_ == 0.1
    assert [pair[1] for pair in other.held_out_.candidates] == [0.1] * 7
    assert other.map_ == fot.families.Dirichlet(other.best_lambda_, 0.1).fit(P, y).map_
    assert not hasattr(fot.families.Dirichlet(0.1, 0.1).fit(P, y), "held_out_")


def test_presets_of_the_paper_choose_from_all_pairs():
    P, y = draw(90, 3, seed=6)
    family = fot.families.make("dir_odir", cv=2).fit(P, y)
    candidates = family.held_out_.candidates
    assert {*candidates} == set(product(GRID, GRID))
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) == 1 for pair in pairwise(candidates))
    best = (family.best_lambda_, family.best_mu_)
    assert candidates[family.held_out_.best] == best
    assert family.map_ == fot.families.make("dir_odir", lambda_=best[0], mu=best[1]).fit(P, y).map_
    undivided = fot.families.Dirichlet(*best, divide=False).fit(P, y)
    np.testing.assert_allclose(family.predict_proba(P), undivided.predict_proba(P), rtol=0, atol=1e-9)
    l2 = fot.families.make("dirL2", cv=2).fit(P, y)
    assert l2.held_out_.candidates == tuple((one,) for one in GRID)
    assert l2.best_lambda_ in GRID


def test_presets_and_slow_families_are_in_no_default():
    for name in ("dir_l2", "dir_odir", "msodir", "diagonal_order", "order_invariant", "order_preserving"):
        assert name in fot.families.names("any")
        assert name not in all_families("any")
        assert name not in list_class_calibrators()
    assert isinstance(fot.families.make("MSODIR"), type(fot.families.make("msodir")))


def test_logits_may_be_shifted_row_by_row():
    P, y = draw(120, 3, seed=8)
    z = np.log(P)
    shifted = z + np.random.default_rng(0).normal(size=(120, 1)) * 5
    one, other = (fot.families.make("msodir", lambda_=0.01, mu=0.01, input="logits").fit(x, y) for x in (z, shifted))
    np.testing.assert_allclose(one.predict_proba(z), other.predict_proba(shifted), rtol=0, atol=1e-9)


def test_copies_of_a_row_share_a_fold():
    P, y = draw(60, 3)
    copies = np.repeat(np.arange(60), 3)
    folds = rows_of(P[copies], y[copies]).in_folds(5, 0)[1]
    for held in folds:
        assert np.bincount(copies[held], minlength=60).tolist() == [
            3 if k in set(copies[held]) else 0 for k in range(60)
        ]
    assert rows_of([[0.2, 0.8]] * 5, [0, 0, 0, 0, 1]).in_folds(2, 0)[1] != []


def test_folds_follow_neither_the_order_of_the_rows_nor_of_the_classes():
    P, y = draw(60, 4)
    first = {tuple(sorted(map(tuple, P[held]))) for held in rows_of(P, y).in_folds(4, 7)[1]}
    order = np.random.default_rng(0).permutation(60)
    assert {
        tuple(sorted(map(tuple, P[order][held]))) for held in rows_of(P[order], y[order]).in_folds(4, 7)[1]
    } == first
    turned, names = P[:, ::-1], 3 - y
    again = {tuple(sorted(map(tuple, P[held]))) for held in rows_of(turned, names).in_folds(4, 7)[1]}
    assert again == first


def test_a_single_distinct_row_leaves_nothing_to_hold_out():
    family = fot.families.Vector(penalty="cv").fit([[0.2, 0.8]], [1], labels=[0, 1])
    assert family.penalty_ == 1.0
    assert not hasattr(family, "held_out_")
    with pytest.warns(fot.results.SeparableDataWarning, match="dirichlet: class 0 has no rows"):
        assert fot.families.Dirichlet().fit([[0.2, 0.8]], [1], labels=[0, 1]).best_lambda_ == 10.0


def test_warnings_of_folds_are_held_back():
    P, y = draw(30, 3)
    y[:] = P.argmax(axis=1)
    path = fot.families.Vector(penalty=None)._maps
    assert hold_out(path, [None], rows_of(P, y), rows_of(P, y).in_folds(3, 0)[1]).losses.shape == (30, 1)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, True, "1", "ridge"])
def test_penalties_are_checked(value):
    P, y = draw(30, 3)
    for kind in (fot.families.Vector, fot.families.Matrix, fot.families.BiasCorrected):
        with pytest.raises(ValueError, match="penalty must be a positive number or"):
            kind(penalty=value).fit(P, y)
    with pytest.raises(ValueError, match='mu must be a positive number or "cv", got'):
        fot.families.Dirichlet(mu=value).fit(P, y)


def test_other_settings_are_checked():
    P, y = draw(30, 3)
    refused = {
        "mix must be True or False": fot.families.Temperature(mix=1),
        "divide must be True or False": fot.families.Dirichlet(divide="no"),
        "temperature must be True or False": fot.families.SharedIsotonic(temperature=2.0),
        "eps must be a number in": fot.families.Vector(eps=0.7),
        "cv must be a whole number of folds": fot.families.Matrix(penalty="cv", cv=1),
    }
    for message, family in refused.items():
        with pytest.raises(ValueError, match=message):
            family.fit(P, y)


def test_names_of_the_two_kinds():
    two, several = fot.families.names("two"), fot.families.names("any")
    assert set(two) & set(several) == {"identity", "stacking", "temperature"}
    assert {"bias_corrected", "vector", "matrix", "dirichlet", "one_vs_rest", "shared_isotonic"} <= set(several)
    for name in several:
        assert isinstance(fot.families.make(name), fot.families.MulticlassFamily)
        assert isinstance(fot.families.make(name), fot.Family) == (name in two)
    with pytest.raises(ValueError, match="classes must be one of 'two', 'any', 'features'; got 'three'"):
        fot.families.names("three")
    with pytest.raises(ValueError, match=r"settings of matrix must be among penalty, cv, .*; got 'strength'"):
        fot.families.make("matrix", strength=2)
    with pytest.raises(ValueError, match=r"takes a column for each class, .*; got 'beta', of which one_vs_rest"):
        read_multiclass_family("beta")
    with pytest.raises(ValueError, match="or a MulticlassFamily, got 3"):
        read_multiclass_family(3)


def test_a_family_of_ones_own_is_registered_among_those_of_several_classes():
    @fot.families.register("halves")
    class Halves(fot.families.MulticlassFamily):
        def fit_map(self, rows):
            return fot.maps.SoftmaxMap(np.full(rows.n_classes, 0.5), np.zeros(rows.n_classes))

    try:
        assert "halves" in fot.families.names("any")
        assert "halves" not in fot.families.names("two")
        P, y = draw(30, 3)
        assert fot.families.make("halves").fit(P, y).predict_proba(P).shape == (30, 3)
    finally:
        fot.families.unregister("halves")


def test_a_package_plugs_in_a_family_of_several_classes(tmp_path, monkeypatch):
    (tmp_path / "a_third_package.py").write_text(
        "import fitontest as fot\n"
        "class Third(fot.families.MulticlassFamily):\n"
        "    def fit_map(self, rows):\n"
        "        return fot.maps.MulticlassIdentityMap()\n"
    )
    info = tmp_path / "a_third_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: a-third-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fitontest.multiclass_families]\nthird = a_third_package:Third\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "third" in fot.families.names("any")
    assert "third" not in fot.families.names("two")
    assert "a_third_package" not in sys.modules
    try:
        P, y = draw(30, 3)
        np.testing.assert_array_equal(fot.families.make("third").fit(P, y).predict_proba(P), P)
    finally:
        fot.families.unregister("third")
        sys.modules.pop("a_third_package", None)


def test_a_map_that_is_none_is_refused():
    class Broken(fot.families.MulticlassFamily):
        def fit_map(self, rows):
            return fot.maps.IdentityMap()

    with pytest.raises(TypeError, match=r"Broken.fit_map must return a MulticlassMap"):
        Broken().fit(*draw(10, 3, seed=1), labels=range(3))


def test_columns_of_a_frame_in_another_order_are_refused():
    P, y = draw(60, 3)
    names = ["cat", "ant", "bee"]
    frame, labels = pd.DataFrame(P, columns=names), np.array(names)[y]
    family = fot.families.Vector().fit(frame, labels, labels=names)
    with pytest.raises(ValueError, match="ant"):
        family.predict_proba(frame[["ant", "bee", "cat"]])
    np.testing.assert_array_equal(family.predict_proba(frame), family.predict_proba(P))


def test_scores_of_one_class_have_no_score_to_explain():
    P, y = draw(60, 3)
    family = fot.families.Vector().fit(P, y)
    assert family.score(P[y == 0], y[y == 0]) == 0.0


@pytest.mark.parametrize(
    "family", [fot.families.BiasCorrected(), fot.families.Vector(penalty=None), fot.families.Dirichlet(0.01, 0.01)]
)
def test_weights_repeat_separable_rows(family):
    P, _ = draw(80, 3)
    y, w = P.argmax(axis=1), np.random.default_rng(0).integers(0, 4, 80)
    rows = np.repeat(np.arange(80), w)
    with without_warnings():
        weighted, repeated = clone(family).fit(P, y, w), clone(family).fit(P[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(P), repeated.predict_proba(P), atol=1e-6)


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (fot.families.Dirichlet(), "dirichlet"),
        (fot.families.Dirichlet(0.01, 0.01), "dirichlet"),
        (fot.families.Vector(penalty=None), "vector"),
        (fot.families.Matrix(penalty=None), "matrix"),
        (fot.families.BiasCorrected(penalty=None), "bias_corrected"),
    ],
)
def test_a_class_without_rows_is_named(family, name):
    P, y = draw(200, 4)
    kept = y < 3
    with pytest.warns(
        fot.results.SeparableDataWarning, match=f"^{name}: class 3 has no rows, .* hardly any probability"
    ):
        family.fit(P[kept], y[kept], labels=range(4))
    assert family.predict_proba(P)[:, 3].mean() < P[:, 3].mean() / 10


@pytest.mark.parametrize("family", [fot.families.Vector(), fot.families.Matrix()])
def test_a_penalty_leaves_a_class_without_rows_some_probability(family):
    P, y = draw(200, 4)
    kept = y < 3
    assert family.fit(P[kept], y[kept], labels=range(4)).predict_proba(P)[:, 3].mean() > P[:, 3].mean() / 10


@pytest.mark.parametrize("penalty", [1.0, 0.01, "cv", None])
@pytest.mark.parametrize("kind", [fot.families.Vector, fot.families.Matrix])
def test_slopes_of_0_or_less_are_warned_of(kind, penalty):
    rng = np.random.default_rng(1)
    P = rng.dirichlet([3, 3, 3], 3000)
    chance = P * [1, 0, 1] + np.array([[0, 0.1, 0]]) / np.maximum(
        P, 0.1
    )  # the likelier b is said to be, the rarer it is
    chance /= chance.sum(axis=1, keepdims=True)
    y = (rng.random((3000, 1)) > chance.cumsum(axis=1)).sum(axis=1)
    name = kind.__name__.lower()
    with pytest.warns(fot.CalibrationWarning, match=f"^{name}: class 'b' has a slope of 0 or less") as warned:
        kind(penalty=penalty).fit(P, np.array(["a", "b", "c"])[y])
    assert len(warned) == 1  # of the fit to all rows, not of folds


@pytest.mark.parametrize("kind", [fot.families.Vector, fot.families.Matrix])
def test_scores_that_point_the_wrong_way_are_warned_of(kind):
    P, y = draw(300, 3)
    away = (1 - P) / 2
    with (
        pytest.warns(fot.CalibrationWarning, match="another order of the columns of P is far more accurate"),
        pytest.warns(fot.CalibrationWarning, match="the classes 0, 1, 2 have a slope of 0 or less"),
    ):
        kind().fit(away, y)


def test_the_seed_of_one_vs_rest_is_that_of_a_family_given_by_name():
    P, y = draw(80, 3)
    family = fot.families.OneVsRest("slope1", random_state=7).fit(P, y)
    assert [one.random_state for one in family.families_] == [7, 7, 7]
    assert fot.families.OneVsRest(fot.Slope1(random_state=2), random_state=7).fit(P, y).families_[0].random_state == 2
    with pytest.raises(ValueError, match="random_state must"):
        fot.families.OneVsRest(random_state="x").fit(P, y)
