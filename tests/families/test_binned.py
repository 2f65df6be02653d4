"""Slope-1 and flat binning: how the bins are chosen, and the fast cross-validation against fitting every map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.weights import read_weights
from fitontest.families.tuning import held_out_scores
from fitontest.numerics.random import held_out_rows
from tests.labellings import entries_of_columns
from tests.strategies import noisy, samples

pytestmark = pytest.mark.multiplies


def test_slope1_shifts_and_flat_levels():
    p, y = np.array([0.1, 0.2, 0.7, 0.8]), [0, 1, 1, 1]
    np.testing.assert_allclose(fot.Slope1(2).fit(p, y).predict(p), [0.45, 0.55, 0.95, 1.05])
    np.testing.assert_allclose(fot.Flat(2).fit(p, y).predict(p), [0.5, 0.5, 1, 1])


def test_only_slope1_leaves_the_unit_interval_and_only_unclipped():
    p, y = [0.1, 0.2, 0.7, 0.8], [0, 1, 1, 1]
    slope1 = fot.Slope1(2).fit(p, y)
    assert slope1.predict([1.0])[0] == pytest.approx(1.25)
    assert slope1.predict([1.0], clip=True)[0] == 1.0
    assert slope1.predict_proba([1.0]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("family", [fot.Slope1, fot.Flat])
def test_an_empty_bin_is_left_as_it_is(family):
    fitted = family(4, "equal_width").fit([0.1, 0.9], [1, 0])
    assert fitted.bin_table_.occupied.tolist() == [True, False, False, True]
    assert fitted.predict([0.3, 0.6]).tolist() == [0.3, 0.6]
    assert fitted.n_bins_ == 4


def test_the_number_of_bins_really_used_is_reported():
    p = np.repeat([0.2, 0.5, 0.9], 40)
    fitted = fot.Slope1(10).fit(p, np.arange(120) % 2)
    assert fitted.n_bins_ == fitted.partition_.n_bins == 3


def test_edges_make_the_bins():
    y, p = noisy(200)
    for edges in ([0.2, 0.6], (0.2, 0.6), np.array([0.0, 0.2, 0.6, 1.0])):
        assert fot.Flat(edges).fit(p, y).partition_ == fot.partitions.Partition([0.2, 0.6])
    assert fot.Flat([0.2, 0.6], closed="right").fit(p, y).partition_.closed == "right"


def test_cube_root_counts_rows_of_positive_weight():
    y, p = noisy(1000)
    assert fot.Slope1("cube_root").fit(p, y).n_bins_ == 10
    assert fot.Slope1("cube_root", "equal_width").fit(p, y, np.arange(1000) < 27).n_bins_ == 3
    assert fot.Slope1("cube_root").fit([0.5], [1]).n_bins_ == 1


def test_sweep_is_the_monotone_sweep():
    y, p = noisy(2000)
    sample = fot.ScoreSample(y, p)
    for scheme in ("equal_mass", "equal_width"):
        expected = fot.partitions.MonotoneSweep(scheme=scheme).partition(sample)
        assert fot.Slope1("sweep", scheme).fit_sample(sample).partition_ == expected


def test_a_partitioner_as_scheme():
    y, p = noisy(600, ties=2)
    sample = fot.ScoreSample(y, p)
    for pava in (fot.partitions.Pava(), "pava"):
        assert fot.Slope1(scheme=pava).fit_sample(sample).partition_ == fot.partitions.Pava().partition(sample)
    by_sweep = fot.Slope1("sweep", fot.partitions.EqualWidth(closed="right")).fit_sample(sample)
    assert by_sweep.partition_ == fot.partitions.MonotoneSweep(scheme="equal_width", closed="right").partition(sample)
    assert fot.Flat(scheme=fot.partitions.Partition([0.5])).fit_sample(sample).partition_ == fot.partitions.Partition(
        [0.5]
    )
    assert fot.Slope1(5, fot.partitions.EqualMass(99, "right")).fit_sample(
        sample
    ).partition_ == fot.partitions.EqualMass(5, "right").partition(sample)
    by_name, by_rule = fot.Slope1().fit_sample(sample), fot.Slope1(scheme=fot.partitions.EqualMass()).fit_sample(sample)
    assert by_name.n_bins_ == by_rule.n_bins_
    np.testing.assert_allclose(by_name.cv_scores_.folds, by_rule.cv_scores_.folds, rtol=1e-12)


@pytest.mark.parametrize("scheme", ["equal_mass", "equal_width"])
@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("scoring", ["brier", "log_loss"])
@pytest.mark.parametrize("family", [fot.Slope1, fot.Flat])
@given(data=samples(min_size=2), cv=st.integers(2, 6), seed=st.integers(0, 2))
@settings(max_examples=8)  # of each of 16 settings
def test_the_fast_scores_are_those_of_fitted_maps(family, scoring, closed, scheme, data, cv, seed):
    sample = fot.ScoreSample(*data)
    if sample.n < 2:
        return
    fast = family(scheme=scheme, closed=closed, scoring=scoring, cv=cv, max_bins=8, random_state=seed)
    fast.fit_sample(sample)
    folds = held_out_rows(sample.n, cv, seed)
    slow = held_out_scores(family(1, scheme, closed), "n_bins", range(1, 9), sample, folds, scoring)
    assert fast.cv_scores_.candidates == slow.candidates
    np.testing.assert_allclose(fast.cv_scores_.folds, slow.folds, rtol=1e-9, atol=1e-12)


def test_more_counts_than_a_batch_are_the_same_scores():
    y, p = noisy(400)
    many, few = (fot.Slope1(max_bins=k).fit(p, y).cv_scores_ for k in (150, 40))
    assert many.candidates == tuple(range(1, 151))
    np.testing.assert_allclose(many.folds[:, :40], few.folds, rtol=1e-13)


def test_equal_scores_pick_the_fewer_bins():
    """With two distinct scores, 2 bins and more are the same map and the same score."""
    p = np.repeat([0.2, 0.9], 100)
    y = np.concatenate((np.arange(100) < 60, np.arange(100) < 30))
    fitted = fot.Slope1(tolerance=0.0).fit(p, y)
    scores = fitted.cv_scores_.mean
    assert np.ptp(scores[1:]) < 1e-15
    assert scores[0] > scores[1]
    assert fitted.n_bins_ == 2


@pytest.mark.parametrize("scores", [(0.3, 0.6), (0.1, 0.7), (0.2, 0.9)])
def test_an_exact_fit_is_found(scores):
    """Two bins leave no error; the rounded score of such a fit may come out below 0."""
    p, y = np.repeat(scores, 100), np.repeat([1, 0], 100)
    fitted = fot.Slope1().fit(p, y)
    assert fitted.n_bins_ == 2
    assert np.all(fitted.cv_scores_.folds >= 0)
    entries, order = entries_of_columns(p, read_weights(np.ones(200), "w"))
    np.testing.assert_allclose(fot.Slope1().fit_many(entries, y[order, None]).at()[:, 0], [1, 0], atol=1e-12)


def test_the_choice_does_not_depend_on_the_row_order():
    y, p = noisy(800, ties=2)
    w = np.random.default_rng(0).choice([0.5, 1.0, 3.0], 800)
    order = np.random.default_rng(1).permutation(800)
    for family in (fot.Slope1(), fot.Flat(scheme="equal_width", scoring="log_loss")):
        a, b = family.fit(p, y, w).cv_scores_.folds, family.fit(p[order], y[order], w[order]).cv_scores_.folds
        np.testing.assert_array_equal(a, b)


def test_random_state_draws_the_folds():
    y, p = noisy(500)
    scores = [fot.Slope1(random_state=seed).fit(p, y).cv_scores_.folds for seed in (0, 0, 1)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


def test_scores_are_there_only_when_something_was_chosen():
    y, p = noisy(100)
    family = fot.Slope1().fit(p, y)
    assert family.cv_scores_.mean.shape == (40,)
    assert not hasattr(family.set_params(n_bins=5).fit(p, y), "cv_scores_")
    assert not hasattr(fot.Slope1().fit([0.4], [1]), "cv_scores_")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_bins": 0}, "n_bins must be a whole number, at least 1; got 0"),
        ({"n_bins": 2.5}, "n_bins must be a whole number"),
        ({"n_bins": True}, "n_bins must be a whole number"),
        ({"n_bins": None}, "n_bins must be a whole number"),
        ({"n_bins": "auto"}, "n_bins must be a whole number, edges, 'cv', 'sweep' or 'cube_root'; got 'auto'"),
        ({"n_bins": [0.5, 0.2]}, "edges must be strictly increasing"),
        ({"scheme": "quantile"}, "scheme must be one of 'equal_mass', 'equal_width', .*; got 'quantile'"),
        ({"scheme": ["equal_mass"]}, "scheme must be the name of a partition or a Partitioner"),
        ({"scheme": fot.partitions.Pava(), "n_bins": 5}, "n_bins must be 'cv', its default, for Pava"),
        ({"scheme": fot.partitions.Pava(), "n_bins": [0.5]}, "n_bins must not be edges when scheme makes the bins"),
        (
            {"scheme": fot.partitions.Pava(), "n_bins": "sweep"},
            "n_bins must not be 'sweep' unless scheme is equal_mass or",
        ),
        ({"closed": "both"}, "closed must be one of 'left', 'right'; got 'both'"),
        ({"closed": ["left"]}, "closed must be one of 'left', 'right'"),
        (
            {"closed": "right", "scheme": fot.partitions.EqualWidth(5)},
            "closed must not contradict the scheme EqualWidth",
        ),
        ({"random_state": -1}, "random_state must be a whole number from 0 to .*; got -1"),
        ({"random_state": "a"}, "random_state must be a whole number"),
        ({"scoring": []}, "scoring must be one of"),
        ({"scoring": "auc"}, "scoring must be one of 'brier', 'log_loss'; got 'auc'"),
        ({"cv": 1}, "cv must be a whole number of folds, at least 2; got 1"),
        ({"max_bins": 0}, "max_bins must be a whole number"),
        ({"tolerance": -0.1}, "tolerance must be a finite number, at least 0"),
    ],
)
def test_refusals(params, message):
    y, p = noisy(50)
    with pytest.raises(ValueError, match=message):
        fot.Slope1(**params).fit(p, y)
