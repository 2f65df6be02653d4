"""Pruned trees are those of scikit-learn, and a factor is that of the smallest held-out loss."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.data.weights import are_counts
from fitontest.segments.repair.trees.folds import tree_splits
from fitontest.segments.repair.trees.node_models import ShareModels, brier_losses
from fitontest.segments.repair.trees.pruning import best_factor, candidate_factors, collapse_factors, losses_by_factor
from fitontest.segments.repair.trees.rows import TreeRows
from fitontest.segments.repair.trees.structure import TreeStructure
from tests.segments.repair.trees.problems import blobs


def grown(n=150, seed=0):
    X, y, _ = blobs(n, seed=seed)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    return X, y, fitted, TreeStructure.of(fitted)


def gini_cost(fitted):
    inner = fitted.tree_
    return inner.impurity * inner.weighted_n_node_samples / inner.weighted_n_node_samples[0]


def test_the_pruned_trees_are_those_of_scikit_learn():
    X, y, fitted, tree = grown()
    cost = gini_cost(fitted)
    factors = collapse_factors(tree, cost)
    path = fitted.cost_complexity_pruning_path(X, y).ccp_alphas
    np.testing.assert_allclose(np.unique(factors[~tree.is_leaf].round(12)), np.unique(path.round(12))[1:], atol=1e-10)
    for factor in candidate_factors(factors)[1:]:
        pruned, number = tree.cut(factors <= factor)
        theirs = DecisionTreeClassifier(random_state=0, ccp_alpha=factor).fit(X, y)
        assert pruned.leaves.size == theirs.get_n_leaves()
        assert np.unique(np.stack([number[fitted.apply(X)], theirs.apply(X)]), axis=1).shape[1] == pruned.leaves.size


def test_a_node_collapses_no_later_than_its_parent_and_at_zero_if_it_saves_nothing():
    _, _, fitted, tree = grown()
    factors = collapse_factors(tree, gini_cost(fitted))
    assert (factors[1:] <= factors[tree.parent[1:]]).all()
    assert collapse_factors(tree, np.full(tree.size, 1.0)).max() == 0.0  # every leaf costs as much as the root


def test_losses_of_all_factors_are_those_of_the_pruned_trees():
    X, y, fitted, tree = grown()
    factors = collapse_factors(tree, gini_cost(fitted))
    new_x, new_y, _ = blobs(80, seed=5)
    models = ShareModels.fit(tree, fitted.apply(X), TreeRows(X, y, np.ones(y.size), None, 3, whole=True))
    leaf = fitted.apply(new_x)
    loss = np.zeros(tree.size)
    for nodes in tree.levels(leaf):
        rows = nodes >= 0
        np.add.at(loss, nodes[rows], brier_losses(models.evaluate(nodes[rows], None), new_y[rows]))
    candidates = candidate_factors(factors)
    found = losses_by_factor(tree, factors, loss, candidates)
    for factor, total in zip(candidates, found, strict=True):
        pruned = DecisionTreeClassifier(random_state=0, ccp_alpha=factor).fit(X, y)
        expected = brier_losses(pruned.predict_proba(new_x), new_y).sum()
        assert total == pytest.approx(expected, abs=1e-9)
    assert best_factor(np.array([0.1, 0.2, 0.3]), [np.array([1.0, 0.5, 0.5])]) == 0.3


def rows_of(X, y, w):
    """Return the rows of a tree, without base scores."""
    return TreeRows(X, y, w, None, int(np.max(y)) + 1, whole=are_counts(w))


@pytest.mark.exhaustive
def test_the_tree_calibrator_is_what_a_search_over_scikit_learns_trees_finds():
    X, y, _ = blobs(200, seed=1)
    calibrator = fot.segments.TreeCalibrator().fit(X, y)
    folds = tree_splits(5, rows_of(np.asarray(X, dtype=np.float32), y, np.ones(y.size)))
    splits = [(np.flatnonzero(train), np.flatnonzero(held)) for train, held in folds]
    path = DecisionTreeClassifier(random_state=0).fit(X, y).cost_complexity_pruning_path(X, y).ccp_alphas.clip(0)
    factors = np.append(np.sqrt(path[:-1] * path[1:]), path[-1])

    def total(factor):
        trees = ((DecisionTreeClassifier(ccp_alpha=factor, random_state=0).fit(X[a], y[a]), b) for a, b in splits)
        return sum(brier_losses(tree.predict_proba(X[b]), y[b]).sum() for tree, b in trees)

    totals = np.array([total(factor) for factor in factors])
    best = factors[np.flatnonzero(totals < totals.min() + 1e-9)[-1]]
    theirs = DecisionTreeClassifier(ccp_alpha=best, random_state=0).fit(X, y)
    assert calibrator.pruning_factor_ == pytest.approx(best)
    assert calibrator.n_leaves_ == theirs.get_n_leaves() > 2
    np.testing.assert_allclose(calibrator.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_folds_are_stratified_and_copies_are_dealt_one_by_one():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 1)).astype(np.float32)
    y = rng.integers(0, 2, 60)
    w = rng.integers(0, 15, 60).astype(float)
    at = np.flatnonzero(w)
    folds = tree_splits(5, rows_of(X, y, w), 3)
    held = np.array([one for _, one in folds])
    assert np.array_equal(held.sum(axis=0), folds[0][0] + folds[0][1])
    kinds = X[at, 0] + 10 * y[at]
    for kind in np.unique(kinds):
        assert held[:, kinds == kind].sum() == w[at][kinds == kind].sum()
        assert (held[:, kinds == kind].sum(axis=1) > 0).all()  # equal rows are in every fold
    for of_class in (np.ones(at.size, dtype=bool), y[at] == 0, y[at] == 1):
        assert np.ptp(held[:, of_class].sum(axis=1)) <= 1
    order = rng.permutation(60)
    again = np.array([one for _, one in tree_splits(5, rows_of(X[order], y[order], w[order]), 3)])
    other = (X[order, 0] + 10 * y[order])[w[order] > 0]
    for kind in np.unique(kinds):  # the order of the rows is not seen
        assert np.array_equal(held[:, kinds == kind].sum(axis=1), again[:, other == kind].sum(axis=1))
    assert not np.array_equal(held, [one for _, one in tree_splits(5, rows_of(X, y, w), 4)])


def test_single_rows_are_dealt_as_shuffled_and_any_weights_with_their_rows():
    X, y, _ = blobs(100)
    w = np.random.default_rng(0).random(100)
    for weights in (np.ones(100), w):
        held = np.array([one for _, one in tree_splits(5, rows_of(X, y, weights))])
        assert ((held > 0).sum(axis=0) == 1).all()
        np.testing.assert_array_equal(held.sum(axis=0), weights)
        assert np.ptp((held > 0).sum(axis=1)) == 0
    assert len(tree_splits(5, rows_of(X[:3], np.arange(3), np.ones(3)))) == 3
    assert tree_splits(5, rows_of(X[:1], y[:1], np.ones(1))) == []


@pytest.mark.parametrize("n_leaves", [1, 2, 3, 5, 8, 1000])
def test_breadth_first_search_finds_the_shallowest_sub_tree(n_leaves):
    _, _, _, tree = grown()
    pruned, number = tree.cut(tree.shallowest(n_leaves))
    leaves = pruned.leaves.size
    assert leaves == min(n_leaves, tree.leaves.size)
    if leaves < tree.leaves.size:  # no node is split below the depth at which another one could have been
        could = np.zeros(pruned.size, dtype=bool)
        np.logical_or.at(could, number, ~tree.is_leaf)
        waiting = pruned.depth[pruned.is_leaf & could]
        split = pruned.depth[~pruned.is_leaf]
        assert waiting.min() >= split.max(initial=0)


def test_cells_are_numbered_from_left_to_right():
    X, y, _ = blobs(300)
    calibrator = fot.segments.TreeCalibrator().fit(X[:, :1], y)
    order = np.argsort(X[:, 0])
    for n_cells in (None, 3):
        cells = calibrator.cells(X[:, :1], n_cells)
        assert (np.diff(cells[order]) >= 0).all()
        assert set(cells) == set(range(calibrator.n_leaves_ if n_cells is None else 3))
    with pytest.raises(ValueError, match="n_cells must be None or a whole number, at least 1; got 0"):
        calibrator.cells(X[:, :1], 0)
