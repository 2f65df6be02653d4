"""Scores with levels of their own: which they are, and families that are fitted to the other rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.entries import Entries, entries_of_rows
from fitontest.data.weights import read_weights
from fitontest.families.atoms import Atoms
from fitontest.families.base import Family
from fitontest.maps.atoms import AtomsMap
from tests.labellings import entries_of_columns
from tests.strategies import aggregated, noisy

pytestmark = pytest.mark.multiplies

GRID = np.linspace(0, 1, 101)
FAMILIES = {  # whose settings do not depend on folds, so that weights are repetitions
    "pl": fot.PL(2, ensemble=False),
    "pl3": fot.PL3(2, ensemble=False),
    "cumulative_spline": fot.families.CumulativeSpline(),
    "kde": fot.families.KDE(),
}
every_family = pytest.mark.parametrize("name", FAMILIES)


def family(name, *, atoms=True):
    return fot.families.make(name, **{**FAMILIES[name].get_params(), "atoms": atoms})


def piled(n=600, seed=0):
    """Return (y, p): a third of the scores are 0 and a sixth are .5; positives in 10 % and 80 % of these rows."""
    y, p = noisy(n, seed, power=2.0)
    zero, half = np.arange(n) % 3 == 0, np.arange(n) % 4 == 1
    p = np.where(zero, 0.0, np.where(half, 0.5, p))
    drawn = np.random.default_rng(seed + 1).random(n)
    return np.where(p == 0, drawn < 0.1, np.where(p == 0.5, drawn < 0.8, y)).astype(int), p


def is_atom(p):
    return (p == 0) | (p == 0.5)


# ------------------------------------------------------------------------------------------ which scores they are


def test_two_per_cent_and_thirty_rows():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    found = Atoms.of(p, np.array([29.0, 30.0, 31.0, 1410.0]), 1500.0)
    assert found.p.tolist() == [0.2, 0.3, 0.4]
    assert found.place.tolist() == [1, 2, 3]
    assert found.rest.tolist() == [True, False, False, False]
    assert found.w.tolist() == [30.0, 31.0, 1410.0]
    assert len(found) == 3
    assert Atoms.of(p, np.array([30.0, 31.0, 31.0, 1500.0]), 1592.0).p.tolist() == [0.4]  # 30 rows are less than 2 %


@given(others=st.integers(1, 1470))
def test_thirty_rows_are_enough_whatever_the_rounding(others):
    p, w = np.array([0.1, 0.2]), np.array([30.0, float(others)])
    for scale in (1.0, 0.1, 1 / 3):
        assert 0.1 in Atoms.of(p, scale * w, 30.0 + others).p
        assert 0.1 not in Atoms.of(p, scale * np.array([29.0, float(others)]), 29.0 + others).p


def test_of_more_than_ten_only_those_of_a_tenth_of_the_rows():
    w = np.append(np.full(11, 50.0), 300.0)
    p = np.linspace(0, 1, 12)
    assert Atoms.of(p, w, w.sum()).p.tolist() == [1.0]
    assert len(Atoms.of(p[:10], w[:10], w[:10].sum())) == 10
    assert len(Atoms.of(p[:11], w[:11], w[:11].sum())) == 0


def test_all_scores_may_be_atoms():
    found = Atoms.of(np.array([0.2, 0.8]), np.array([40.0, 60.0]), 100.0)
    assert len(found) == 2
    assert found.rest.all()


def test_importances_count_as_effective_rows():
    p = np.array([0.1, 0.2])
    w = np.array([50.0, 50.0])
    assert len(Atoms.of(p, w, 100.0)) == 2
    assert len(Atoms.of(p, w, 59.0)) == 0
    y, scores = piled(200)
    weights = np.random.default_rng(0).lognormal(sigma=1.0, size=200)
    sample = fot.ScoreSample(y, scores, weights)
    assert sample.effective_rows < 150
    for found in (Atoms.of_sample(sample), Atoms.of_entries(entries_of_rows(sample))):
        share = weights[scores == 0].sum() / weights.sum()
        assert (0.0 in found.p) == (share * weights.sum() ** 2 / (weights @ weights) >= 30)
    assert 0.0 in Atoms.of_sample(fot.ScoreSample(y, scores)).p


def test_levels_are_means_with_a_share_of_the_prior_rows():
    found = Atoms.of(np.array([0.1, 0.4, 0.6]), np.array([300.0, 10.0, 100.0]), 410.0)
    levels = found.levels(np.array([[60.0, 0.0], [90.0, 100.0]]), 4.1, 410.0)
    np.testing.assert_allclose(levels[0], [(60 + 3 * 0.1) / 303, 3 * 0.1 / 303])
    np.testing.assert_allclose(levels[1], [(90 + 0.6) / 101, (100 + 0.6) / 101])


def test_rounded_sums_of_weights_do_not_leave_the_unit_interval():
    found = Atoms.of(np.array([0.5, 1.0]), np.array([10.0, 100.0]), 110.0)
    assert found.levels(np.array([[np.nextafter(100.0, 200.0)]]), 2.0, 110.0)[0, 0] == 1.0


# ---------------------------------------------------------------------------------- families with the option


@every_family
def test_by_default_there_are_none(name):
    y, p = piled()
    assert not isinstance(FAMILIES[name].fit(p, y).map_, AtomsMap)
    assert fot.families.make(name).get_params()["atoms"] is False


@every_family
def test_levels_of_atoms_and_a_map_of_the_other_rows(name):
    y, p = piled()
    fitted, kappa = family(name).fit(p, y), 2.0 if name.startswith("pl") else 0.0
    assert fitted.map_.at.tolist() == [0.0, 0.5]
    for score in (0.0, 0.5):
        rows = p == score
        own = kappa * rows.mean()
        assert fitted.predict([score])[0] == pytest.approx(
            (y[rows].sum() + own * score) / (rows.sum() + own), rel=1e-12
        )
    others = family(name, atoms=False).fit(p[~is_atom(p)], y[~is_atom(p)])
    assert fitted.map_.rest == others.map_
    at = np.setdiff1d(GRID, [0.0, 0.5])
    np.testing.assert_array_equal(fitted.predict(at), others.predict(at))
    assert fitted.n_parameters_ == others.n_parameters_ + 2


@every_family
def test_scores_that_few_rows_share_are_no_atoms(name):
    y, p = noisy(400, ties=2)
    fitted, plain = (family(name, atoms=atoms).fit(p, y) for atoms in (True, False))
    assert fitted.map_ == plain.map_


@every_family
def test_where_all_scores_are_atoms_the_rest_has_all_rows(name):
    p = np.repeat([0.2, 0.5, 0.6], [100, 50, 150])
    y = np.arange(300) % 3 == 0
    fitted, plain = (family(name, atoms=atoms).fit(p, y) for atoms in (True, False))
    assert fitted.map_.at.tolist() == [0.2, 0.5, 0.6]
    assert fitted.map_.rest == plain.map_


@every_family
def test_whole_weights_are_rows(name):
    y, p = piled(300)
    w = np.random.default_rng(2).integers(0, 4, 300)
    weighted = family(name).fit(p, y, w)
    repeated = family(name).fit(np.repeat(p, w), np.repeat(y, w))
    assert weighted.map_.at.tolist() == [0.0, 0.5]
    np.testing.assert_allclose(weighted.predict(GRID), repeated.predict(GRID), atol=1e-8)


@every_family
def test_counted_entries_are_rows(name):
    y, p = piled(600)
    p = np.round(p, 2)
    counted, rows = family(name).fit_sample(aggregated(y, p)), family(name).fit(p, y)
    assert counted.map_.at.tolist() == rows.map_.at.tolist()
    assert 0.0 in counted.map_.at
    np.testing.assert_allclose(counted.predict(GRID), rows.predict(GRID), atol=1e-8)


@every_family
def test_the_scale_of_importances_means_nothing(name):
    y, p = piled(400)
    w = np.random.default_rng(2).uniform(0.5, 1.5, 400)
    one, other = (family(name).fit(p, y, scale * w) for scale in (1.0, 0.001))
    assert one.map_.at.tolist() == other.map_.at.tolist() == [0.0, 0.5]
    np.testing.assert_allclose(one.predict(GRID), other.predict(GRID), atol=1e-8)
    rows, kappa = p == 0.5, 2.0 * w.sum() / (w.sum() ** 2 / (w @ w)) if name.startswith("pl") else 0.0
    own = kappa * w[rows].sum() / w.sum()
    level = (w[rows] @ y[rows] + own * 0.5) / (w[rows].sum() + own)
    assert one.predict([0.5])[0] == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize("name", ["cumulative_spline", "kde"])
@pytest.mark.parametrize("kind", ["rows", "copies", "counted", "importances", "all atoms"])
def test_many_labellings_are_single_fits(name, kind):
    rng = np.random.default_rng(0)
    p = np.sort(piled(240)[1]) if kind != "all atoms" else np.repeat([0.0, 0.5], [120, 120])
    n = np.full(240, 3 if kind in ("copies", "counted") else 1)
    w = rng.uniform(0.5, 1.5, 240) if kind == "importances" else n.astype(float)
    entries = Entries(p, w, n, whole=kind != "importances", counted=kind == "counted")
    positives = rng.binomial(n, 0.1 + 0.6 * p, size=(4, 240)).T
    made = family(name)
    for _ in range(2):  # the second time with what entries remember
        values = made.fit_many(entries, positives).at()
        np.testing.assert_allclose(values, Family.fit_many(made, entries, positives).at(), rtol=0, atol=1e-10)
    assert isinstance(made.fit_map(entries.sample(positives[:, 0])), AtomsMap)
    plain = family(name, atoms=False)
    assert not np.allclose(plain.fit_many(entries, positives).at(), values) or kind == "all atoms"


def test_folds_are_drawn_of_the_other_rows_alone():
    y, p = piled(700)
    fitted = fot.PL3(cv=4, atoms=True).fit(p, y)
    others = fot.PL3(cv=4).fit(p[~is_atom(p)], y[~is_atom(p)])
    assert fitted.map_.rest == others.map_
    assert fitted.cv_scores_.candidates == others.cv_scores_.candidates == (1, 2)


def test_held_out_values_are_those_of_maps_without_the_fold():
    y, p = piled(400)
    sample = fot.ScoreSample(y, p)
    made = fot.PL3(2, cv=3, atoms=True)
    cut, folds = sample.in_folds(3, 0)
    solution, values = made.solve_and_hold_out(cut, folds)
    assert isinstance(solution.map, AtomsMap)
    rows = cut.rows
    for held_out in folds:
        kept = np.setdiff1d(np.arange(400), held_out)
        c_hat = made.fit_map(fot.ScoreSample(rows.y[kept], rows.p[kept]))
        np.testing.assert_allclose(values[held_out], c_hat(rows.p[held_out]), atol=1e-9)


@every_family
@pytest.mark.parametrize("value", ["yes", 1, None])
def test_refusals(name, value):
    y, p = piled(60)
    made = fot.families.make(name, atoms=value)
    with pytest.raises(ValueError, match=f"atoms must be True or False, got {value!r}"):
        made.fit(p, y)
    entries, order = entries_of_columns(p, read_weights(np.ones(60), "w"))
    with pytest.raises(ValueError, match="atoms must be True or False"):
        made.fit_many(entries, y[order, None]).at()
