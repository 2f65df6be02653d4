"""The tree of conditions: the best splits by brute force, and rows of which a value is not known."""

from dataclasses import replace

import numpy as np
import pytest

from fitontest.maps.rules.conditions import Above, AtMost, Missing, OneOf, Present
from fitontest.numerics.adjusting import line_of, offset_of
from fitontest.numerics.links import sigmoid
from fitontest.segments.features.cuts import cut_columns
from fitontest.segments.features.grown_tree import TreeSplits, grow
from fitontest.segments.features.read_columns import read_columns
from tests.segments.features.problems import rows_of


def gain_of(rows, met, others):
    """Return what the weighted squared loss of the targets falls by, where each side gets its mean."""
    r, v = rows.residuals, rows.variances

    def explained(at):
        return r[at].sum() ** 2 / v[at].sum()

    return explained(met) + explained(others) - explained(met | others)


def opposite(condition, rows):
    if isinstance(condition, AtMost):
        return Above(condition.column, condition.value)
    if isinstance(condition, Above):
        return AtMost(condition.column, condition.value)
    if isinstance(condition, Missing):
        return Present(condition.column, condition.numbers)
    return OneOf(condition.column, tuple(set(rows.columns.named(condition.column).levels) - set(condition.levels)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("least", [5.0, 20.0])
def test_every_split_is_the_best_of_its_node(seed, least):
    rows = rows_of(400, seed, w=np.random.default_rng(seed).integers(1, 3, 400)).canonical()
    conditions = [
        one for column in cut_columns(rows.columns, rows.w, rows.variances).columns for one in column.conditions
    ]
    tree = grow(rows, 2, least)
    assert len(tree) > 3
    for node in range(len(tree)):
        here = tree.rules[node].meets(rows.columns)
        best = 0.0
        for condition in conditions:
            met, others = (one.meets(rows.columns) & here for one in (condition, opposite(condition, rows)))
            if min(rows.variances[met].sum(), rows.variances[others].sum()) >= least:
                best = max(best, gain_of(rows, met, others))
        children = np.flatnonzero(tree.parent == node)
        if tree.depth[node] == 2 or best <= 1e-9:
            assert children.size == 0
            continue
        sides = [tree.rules[child].meets(rows.columns) for child in children]
        assert gain_of(rows, *sides) == pytest.approx(best, rel=1e-9)
        assert all(rows.variances[side].sum() >= least for side in sides)


def test_rows_whose_value_is_not_known_stay_above():
    rows = rows_of(2000, offset=2.0).canonical()
    tree = grow(rows, 3, 10.0)
    cities = [node for node in range(1, len(tree)) if tree.rules[node].conditions[-1].column == "city"]
    assert cities
    at = tree.nodes(rows.columns)
    for node, rule in enumerate(tree.rules):
        assert np.all(rule.meets(rows.columns)[at == node])
    inner = np.isin(at, tree.parent)
    assert inner.any()
    names = {tree.rules[child].conditions[-1].column for child in np.flatnonzero(np.isin(tree.parent, at[inner]))}
    assert names <= {"city", "hours"}  # those with missing values
    unseen = read_columns({"age": [30.0], "hours": [2.0], "city": ["Paris"], "member": [True], "one": [1.0]})
    missing = read_columns({"age": [30.0], "hours": [2.0], "city": [None], "member": [True], "one": [1.0]})
    first = tree.rules[cities[0]].conditions[-1]
    if isinstance(first, OneOf):
        np.testing.assert_array_equal(tree.nodes(unseen), tree.nodes(missing))


def test_levels_yield_the_node_that_rows_pass_at_each_depth():
    rows = rows_of(1500, offset=2.0).canonical()
    tree = grow(rows, 3, 10.0)
    at = tree.nodes(rows.columns)
    for depth, nodes in enumerate(tree.levels(at), start=1):
        for node in np.flatnonzero(tree.depth == depth):
            np.testing.assert_array_equal(nodes == node, tree.rules[node].meets(rows.columns))
        assert np.all(nodes[tree.depth[at] < depth] == -1)
    assert len(list(tree.levels(at))) == tree.depth.max()


def test_splits_of_all_rows_serve_a_part_of_them():
    rows = rows_of(800).canonical()
    part = np.arange(800) % 3 > 0
    splits = TreeSplits.of(rows)
    one = grow(rows.take(part), 3, 10.0, splits.take(part))
    other = grow(rows.take(part), 3, 10.0, splits.take(np.flatnonzero(part)))
    assert one.rules == other.rules
    assert grow(rows, 3, 10.0, splits).rules == grow(rows, 3, 10.0).rules


def test_without_a_split_there_is_one_node():
    rows = rows_of(200).canonical()
    for tree in (grow(rows, 0), grow(rows, 3, 1000.0)):
        assert len(tree) == 1
        assert list(tree.levels(tree.nodes(rows.columns))) == []


def test_an_offset_solves_its_equation_and_a_line_is_near_the_identity_of_few_rows():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=300) * 2, rng.integers(1, 4, 300) * 1.0
    y = (rng.random(300) < sigmoid(x + 0.7)) * 1.0
    d = offset_of(y, x, w)
    assert w @ (y - sigmoid(x + d)) == pytest.approx(0.0, abs=1e-8)
    assert offset_of(np.ones(5), np.zeros(5), np.ones(5)) == pytest.approx(20.0)
    a, b = line_of(y, x, w)
    assert abs(a - 0.7) < 0.5
    assert abs(b - 1.0) < 0.3
    twice = np.repeat(np.arange(300), w.astype(int))
    np.testing.assert_allclose(line_of(y[twice], x[twice], np.ones(twice.size)), (a, b), rtol=1e-9)


def test_a_line_of_one_score_moves_its_level_alone():
    for logit in (0.3, -0.8472978603872036):  # whose mean is rounded
        y = np.repeat([0.0, 1.0], [30, 70])
        a, b = line_of(y, np.full(100, logit), np.ones(100))
        assert b == pytest.approx(1.0)
        assert sigmoid(np.array(a + logit)) == pytest.approx(0.7, abs=0.01)


def test_weights_are_copies():
    rows = rows_of(300, w=np.random.default_rng(0).integers(1, 4, 300))
    copies = rows.take(np.repeat(np.arange(300), rows.w.astype(int)))
    copies = replace(copies, w=np.ones(len(copies)))
    assert grow(rows.canonical()).rules == grow(copies.canonical()).rules
