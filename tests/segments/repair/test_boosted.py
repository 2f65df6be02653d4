"""Boosted trees: a single tree by brute force, stages, runs of folds together, and bins."""

from itertools import combinations

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.segments.features.bins import binned_columns
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.repair import boosting
from fitontest.segments.repair.bin_table import BinTable
from fitontest.segments.repair.boosting import Boosting, OwnBins
from fitontest.segments.repair.split_search import Growth, SplitSearch
from tests.segments.features.problems import labelled, mixed, rows_of

pytestmark = pytest.mark.multiplies

NO_OWN = 2


def set_up(n=300, runs=1, seed=0, least=5.0, ridge=1.0):
    rng = np.random.default_rng(seed)
    rows = rows_of(n, seed).canonical()
    table = BinTable.of(binned_columns(rows.columns, rows.w, 12), n)
    w = rng.integers(0, 3, (n, runs)).astype(float)
    own = OwnBins((rng.random((n, runs)) < 0.5).astype(np.int16), NO_OWN)
    return rows, table, w, own, Growth(0.1, least, ridge)


def score(g, h, ridge):
    return g.sum() ** 2 / (h.sum() + ridge)


def divisions(codes, size, category):
    """Yield all ways to divide the bins of a feature in two: by a threshold, or into any two sets."""
    if not category:
        yield from ([*range(last + 1)] for last in range(size - 1))
        return
    occurring = np.unique(codes).tolist()
    for count in range(1, len(occurring)):
        yield from map(list, combinations(occurring, count))


def best_gain(table, own, g, h, here, growth):
    """Return what the best split of these rows gains, of all splits that there are."""
    best = 0.0
    whole = score(g[here], h[here], growth.ridge)
    features = [*table.codes.T, own]
    for place, codes in enumerate(features):
        size = [*table.sizes, NO_OWN][place]
        for left in divisions(codes[here], size, place in table.categories):
            on_left = here & np.isin(codes, left)
            on_right = here & ~on_left
            if min(h[on_left].sum(), h[on_right].sum()) >= growth.least:
                gain = score(g[on_left], h[on_left], growth.ridge) + score(g[on_right], h[on_right], growth.ridge)
                best = max(best, gain - whole)
    return best


@pytest.mark.parametrize("seed", range(3))
def test_each_split_of_a_tree_is_the_best_of_all(seed):
    rows, table, w, own, growth = set_up(seed=seed, ridge=1e-9)  # without a ridge sorted levels are divided best
    logits, (tree,) = Boosting(table, rows.y, w, growth).stage(rows.logits[:, None], own, 1)
    g, h = w[:, 0] * (rows.y - rows.q), w[:, 0] * rows.q * (1 - rows.q)
    codes = np.column_stack((table.codes, own.codes[:, 0]))
    node = np.zeros(len(rows), dtype=int)
    for inner in range(7):
        here = node == inner
        expected = best_gain(table, own.codes[:, 0], g, h, here, growth)
        feature = tree.feature[inner]
        if feature == -1:
            assert expected <= 1e-9
            node[here] = 2 * inner + 1
            continue
        right = tree.right[inner, codes[:, feature]]
        sides = here & ~right, here & right
        gain = sum(score(g[side], h[side], growth.ridge) for side in sides) - score(g[here], h[here], growth.ridge)
        assert gain == pytest.approx(expected, rel=1e-9)
        node[here] = 2 * inner + 1 + right[here]
    for leaf in range(8):
        here = node == 7 + leaf
        value = growth.rate * g[here].sum() / (h[here].sum() + growth.ridge) if here.any() else 0.0
        assert tree.values[leaf] == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(logits[:, 0], rows.logits + tree.values[node - 7], rtol=1e-12)


def test_runs_together_are_runs_one_by_one(monkeypatch):
    rows, table, w, own, growth = set_up(runs=5)
    start = np.random.default_rng(0).normal(size=(300, 5))
    together, trees = Boosting(table, rows.y, w, growth).stage(start, own, 4)
    for run in range(5):
        alone = slice(run, run + 1)
        each = OwnBins(own.codes[:, alone], NO_OWN)
        found, of_run = Boosting(table, rows.y, w[:, alone], growth).stage(start[:, alone], each, 4)
        np.testing.assert_allclose(found[:, 0], together[:, run], rtol=1e-11)
        if run == 0:
            np.testing.assert_allclose(of_run[-1].values, trees[-1].values, rtol=1e-9, atol=1e-14)
    monkeypatch.setattr(boosting, "ROOM", 600)  # two runs at a time
    few, of_few = Boosting(table, rows.y, w, growth).stage(start, own, 4)
    np.testing.assert_allclose(few, together, rtol=1e-11)
    np.testing.assert_array_equal(of_few[0].feature, trees[0].feature)


def test_sums_over_bins_are_those_of_each_feature():
    _, table, w, _, _ = set_up(runs=3)
    found = table.sums(w)
    for place, start in enumerate(table.starts[:-1]):
        for code in range(table.sizes[place]):
            np.testing.assert_allclose(found[start + code], w[table.codes[:, place] == code].sum(axis=0))


def test_bins_without_rows_go_with_most_rows():
    table = BinTable(np.empty((0, 2), dtype=np.int16), np.array([3, 5]), np.array([1]))
    sums = np.zeros((10, 2, 1))
    sums[1:3, 0, 0], sums[1:3, 1, 0] = [1.0, -1.0], [10.0, 30.0]  # the number: nothing is missing
    sums[[3 + 1, 3 + 3], 0, 0], sums[[3 + 1, 3 + 3], 1, 0] = [-9.0, 9.0], [30.0, 10.0]  # the category
    sums[8:, 1, 0] = [40.0, 0.0]
    feature, sides = SplitSearch(table, 2, Growth(0.1, 1.0, 1.0)).split(sums)
    assert feature.tolist() == [1]
    assert sides[0].tolist() == [False, False, False, True, False]  # bins 0, 2 and 4 have no rows
    sums[[3 + 1, 3 + 3]] = 0.0
    sums[3, 1, 0] = 40.0
    feature, sides = SplitSearch(table, 2, Growth(0.1, 1.0, 1.0)).split(sums)
    assert feature.tolist() == [0]
    assert sides[0, :3].tolist() == [True, False, True]  # what is missing goes with the heavier right


@pytest.mark.parametrize("seed", range(3))
def test_the_map_has_the_trees_of_the_fit(seed):
    """The map walks thresholds and sets of levels, the fit bins: of the rows of the fit both are the same."""
    rows = rows_of(800, seed, offset=2.0).canonical()
    family = fot.segments.Boosted(max_stages=3, trees_per_stage=4, learning_rate=0.3, min_samples_leaf=10, folds=2)
    solution = family.solve(rows)
    stages = family._stages(dealt_rows(rows, 2, 0), nested=False)
    n_stages = solution.attributes["n_stages_"]
    assert 1 <= n_stages <= stages.count
    values = solution.map.evaluate(rows.columns, rows.logits)
    fresh = type(stages)(dealt_rows(rows, 2, 0), stages.left_out, stages.stage)
    for _ in range(n_stages):
        fresh.add()
    np.testing.assert_allclose(values, sigmoid(fresh.logits[:, 0]), rtol=1e-12)


def test_stages_are_chosen_by_held_out_rows_and_may_be_none():
    X, p, y = labelled(1000, offset=1.5)
    found = fot.segments.Boosted(folds=3).fit(X, y, scores=p)
    assert found.n_stages_ == int(np.argmin(found.held_out_losses_)) >= 1
    assert found.map_.feature.shape == (20 * found.n_stages_, 7)
    rng = np.random.default_rng(5)
    calibrated = fot.segments.Boosted(folds=3).fit(X, rng.random(1000) < p, scores=p)
    assert calibrated.n_stages_ == 0
    np.testing.assert_allclose(calibrated.predict_proba(X, scores=p)[:, 1], p, rtol=1e-12)
    assert fot.segments.Boosted(max_stages=0).fit(X, y, scores=p).n_stages_ == 0


def test_splits_see_categories_missing_values_and_the_score():
    rng = np.random.default_rng(0)
    n = 3000
    X = mixed(n)
    p = rng.uniform(0.2, 0.8, n)
    wrong = {
        "city": 2.0 * np.isin(X["city"], ["Bern", "Rom"]),
        "hours": 2.0 * np.isnan(X["hours"]),
        "score": 2.0 * (p > 0.6),
    }
    for name, shift in wrong.items():
        y = rng.random(n) < sigmoid(np.log(p / (1 - p)) + shift - shift.mean())
        found = fot.segments.Boosted(max_stages=1, trees_per_stage=3, folds=2, learning_rate=0.5).fit(X, y, scores=p)
        first = found.map_.feature[0, 0]
        assert name == "score" if first == len(found.map_.columns) else found.map_.columns[first] == name


def test_no_feature_leaves_trees_on_the_score():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = rng.random(2000) < np.where(p > 0.5, 0.9, 0.1)
    found = fot.segments.Boosted().fit(np.ones((2000, 1)), y, scores=p)
    assert found.n_stages_ >= 1
    assert found.map_.columns == ()
    q = found.predict_proba(np.ones((3, 1)), scores=[0.3, 0.6, 0.9])[:, 1]
    np.testing.assert_allclose(q, [0.1, 0.9, 0.9], atol=0.08)


def test_rows_of_one_kind_have_no_tree():
    rows = FeatureRows(read_columns({"a": [1.0] * 6}), np.array([0, 1, 1, 0, 1, 1.0]), np.zeros(6), np.ones(6), True)
    solution = fot.segments.Boosted().solve(rows.canonical())
    assert solution.attributes["n_stages_"] >= 0
    assert np.isfinite(solution.map.evaluate(rows.columns, rows.logits)).all()


@pytest.mark.parametrize("rare", [True, False])
def test_a_level_that_was_not_seen_is_one_with_the_rare_ones(rare):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 4000)
    city = np.where(rng.random(4000) < 0.2, "Bern", "Lima").astype(object)
    if rare:
        odd = rng.random(4000) < 0.2
        city[odd] = np.array([f"village {place}" for place in range(60)], dtype=object)[rng.integers(0, 60, odd.sum())]
        shift = np.where(odd, -1.5, 0.5)
    else:
        shift = np.where(city == "Bern", -1.5, 0.7)
    y = rng.random(4000) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - shift))
    found = fot.segments.Boosted().fit({"city": city}, y, scores=p)
    kept = found.map_.levels[0]
    like = next(name for name in set(city) if name not in kept) if rare else "Lima"  # the heavier side of every split
    unseen, same = found.predict_proba({"city": ["never", like]}, scores=[0.5, 0.5])[:, 1]
    assert unseen == same
    assert abs(unseen - 0.5) > 0.1
    assert "not seen in the fit, are one, which moves scores" in " ".join(fot.segments.Boosted.__doc__.split())
    assert "not seen in the fit changes nothing" not in fot.segments.Boosted.__doc__
