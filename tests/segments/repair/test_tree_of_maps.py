"""Trees of maps: the lines of nodes by scipy, the choice of tau, and honest predictions of folds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.numerics.adjusting import line_of
from fitontest.numerics.losses import log_loss
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.features.grown_tree import grow
from fitontest.segments.repair.node_lines import fit_lines
from fitontest.segments.repair.tree_of_maps import TAUS
from tests.segments.features.problems import labelled, rows_of

pytestmark = pytest.mark.multiplies


@pytest.mark.parametrize("tau", TAUS[1:])
def test_the_line_of_each_node_is_drawn_to_that_of_its_parent(tau):
    rows = rows_of(1500, w=np.random.default_rng(0).integers(1, 3, 1500)).canonical()
    tree = grow(rows, 3, 10.0)
    lines = fit_lines(tree, tree.nodes(rows.columns), rows.y, rows.logits, rows.w, tau)
    assert (lines.intercepts[0], lines.slopes[0]) == line_of(rows.y, rows.logits, rows.w)
    mean = rows.w @ rows.logits / rows.w.sum()
    spread = np.sqrt(rows.w @ (rows.logits - mean) ** 2 / rows.w.sum())
    for node in range(1, len(tree)):
        here, parent = tree.rules[node].meets(rows.columns), tree.parent[node]
        x, y, w = rows.logits[here], rows.y[here], rows.w[here]

        def objective(line, x=x, y=y, w=w, parent=parent):
            z = line[0] + line[1] * x
            slope = line[1] - lines.slopes[parent]
            level = line[0] - lines.intercepts[parent] + slope * mean
            return w @ (np.logaddexp(0, z) - y * z) + (level**2 + (slope * spread) ** 2) / (2 * tau**2)

        best = minimize(objective, [0.0, 1.0], method="BFGS", options={"gtol": 1e-6})
        np.testing.assert_allclose((lines.intercepts[node], lines.slopes[node]), best.x, atol=1e-4)


def test_without_shrinkage_room_all_nodes_have_one_line():
    rows = rows_of(500).canonical()
    tree = grow(rows, 2, 10.0)
    lines = fit_lines(tree, tree.nodes(rows.columns), rows.y, rows.logits, rows.w, 0.0)
    assert np.ptp(lines.intercepts) == np.ptp(lines.slopes) == 0.0


def test_tau_is_that_of_the_least_loss_of_held_out_rows():
    rows = rows_of(600).canonical()
    family = fot.segments.TreeOfMaps(folds=3)
    solution = family.solve(rows)
    dealt = dealt_rows(rows, 3, 0)
    losses = np.zeros(len(TAUS))
    for held_out in dealt.held_out():
        train, test = rows.take(~held_out), rows.take(held_out)
        tree = grow(train)
        for place, tau in enumerate(TAUS):
            lines = fit_lines(tree, tree.nodes(train.columns), train.y, train.logits, train.w, tau)
            z = lines.logits(tree.nodes(test.columns), test.logits)
            losses[place] += log_loss(test.y, 1 / (1 + np.exp(-z))).sum()
    # the cuts of the fit are those of all rows, so that the losses differ a little
    assert losses[TAUS.index(solution.attributes["tau_"])] <= losses.min() + 0.5
    assert solution.attributes["tau_"] > 0.0


def test_with_tau_0_there_is_one_line_and_no_rule():
    rng = np.random.default_rng(3)
    X, p, _ = labelled(300)
    found = [fot.segments.TreeOfMaps().fit(X, rng.random(300) < p, scores=p) for _ in range(6)]
    plain = [one for one in found if one.tau_ == 0.0]
    assert plain
    assert all(len(one.map_.rules) == 1 for one in plain)


def test_regions_are_found():
    X, p, y = labelled(4000, offset=1.5)
    tree = fot.segments.TreeOfMaps(max_depth=2).fit(X, y, scores=p)
    assert {name for rule in tree.map_.rules for name in rule.columns} == {"age", "city"}
    q, none = tree.predict_proba(X, scores=p)[:, 1], p
    assert log_loss(y, q).mean() < log_loss(y, none).mean() - 0.05


@pytest.mark.parametrize("name", ["tree_of_maps", "boosted", "segment_offsets"])
def test_labels_of_a_fold_do_not_touch_its_predictions(name):
    """With the labels of a fold turned round, whatever is predicted for it stays as it was."""
    family = fot.families.make(name)
    dealt = dealt_rows(rows_of(300).canonical(), 3, 0)
    _, before = family.solve_and_hold_out(dealt)
    held_out = dealt.fold == 2
    y = np.where(held_out, 1.0 - dealt.rows.y, dealt.rows.y)
    _, after = family.solve_and_hold_out(replace(dealt, rows=replace(dealt.rows, y=y)))
    np.testing.assert_array_equal(after[held_out], before[held_out])
    assert not np.array_equal(after[~held_out], before[~held_out])


@pytest.mark.parametrize("name", ["tree_of_maps", "boosted", "segment_offsets"])
def test_the_fit_to_all_rows_is_the_same_with_and_without_predictions_of_folds(name):
    family = fot.families.make(name)
    rows = rows_of(250).canonical()
    alone, (together, held_out) = family.solve(rows), family.solve_and_hold_out(dealt_rows(rows, 5, 0))
    assert alone.map == together.map
    assert np.all((held_out > 0) & (held_out < 1))
