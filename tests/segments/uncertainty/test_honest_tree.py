"""Segments of a tree: tested in rows that had no say in it, in the order of what stands out."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.cumulative import CumulativeError
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.features.grown_tree import grow
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.uncertainty.honest_tree import _nodes_below, tree_segments
from fitontest.segments.uncertainty.segment_entries import SegmentEntries
from fitontest.segments.uncertainty.segment_maxima import SegmentMaxima


def feature_rows(n=3000, seed=0, shift=2.0, groups=None):
    """Return rows with features, of which a segment of three conditions is off."""
    rng = np.random.default_rng(seed)
    X = {name: rng.standard_normal(n).round(1) for name in ("a", "b", "c", "d")}
    logits = rng.standard_normal(n).round(2)
    off = (X["a"] > 0) & (X["b"] > 0) & (X["c"] > 0)
    y = rng.random(n) < 1 / (1 + np.exp(-logits - shift * off))
    return FeatureRows(read_columns(X), y * 1.0, logits, np.ones(n), whole=True, groups=groups), off


def test_three_conditions_are_found_and_described_in_all_rows():
    rows, off = feature_rows()
    found, nearest = tree_segments(rows, 3, 0.05, 199, 0, 20)
    assert found
    assert all(node.by == "tree" and node.p_value <= 0.05 for node in found)
    assert nearest.p_value > 0.05
    first = found[0]
    assert len(first.rule.conditions) <= 3
    inside = first.rule.meets(rows.columns)
    assert np.mean(off[inside]) > 0.3
    assert first.n == inside.sum()
    assert first.base_rate == pytest.approx(rows.y[inside].mean())
    assert first.offset > 0.3


def test_nodes_that_share_rows_are_named_once():
    rows, _ = feature_rows()
    found, _ = tree_segments(rows, 3, 0.05, 199, 0, 20)
    met = [node.rule.meets(rows.columns) for node in found]
    for k, one in enumerate(met):
        for other in met[:k]:
            assert (one & other).sum() < 0.5 * min(one.sum(), other.sum())
    assert len(tree_segments(rows, 3, 0.05, 199, 0, 1)[0]) == 1


def test_the_statistic_of_each_node_is_the_cumulated_error_of_its_rows():
    rows = feature_rows(800)[0].canonical()
    tree = grow(rows)
    below = _nodes_below(tree, np.unique(tree.nodes(rows.columns)))
    assert list(below) == list(range(1, len(tree)))
    entries = SegmentEntries.of_rows(rows, tree.nodes(rows.columns), tuple(map(tuple, below.values())))
    maxima = SegmentMaxima.of_entries(entries, CumulativeError(), None, 19, 0)
    for place, rule in enumerate(tree.rules[1:]):
        inside = rule.meets(rows.columns)
        copies = np.repeat(np.flatnonzero(inside), rows.copies[inside])
        alone = fot.measure(rows.y[copies], rows.q[copies], "ecce", interval=None)
        assert maxima.error[place] == pytest.approx(alone.value, rel=1e-9)
        assert maxima.standardised[place] == pytest.approx(alone.evidence.standardised, rel=1e-9)


def test_order_and_copies_tell_the_same():
    rows, _ = feature_rows(1200)
    w = np.random.default_rng(1).integers(1, 3, 1200).astype(float)
    weighted = FeatureRows(rows.columns, rows.y, rows.logits, w, whole=True)
    copies = np.random.default_rng(2).permutation(np.repeat(np.arange(1200), w.astype(int)))
    one, other = (tree_segments(each, 3, 0.05, 99, 0, 20)[0] for each in (weighted, rows.take(copies)))
    assert [(node.rule, node.statistic, node.p_value, node.n) for node in one] == [
        (node.rule, pytest.approx(node.statistic), node.p_value, node.n) for node in other
    ]
    assert one


def test_no_row_of_a_group_tests_what_another_has_grown():
    groups = np.arange(1200) // 6
    rows = feature_rows(1200, groups=groups)[0].canonical()
    dealt = dealt_rows(rows, 2, 0)
    one, other = (set(dealt.rows.groups[half].tolist()) for half in dealt.held_out())
    assert not one & other
    assert tree_segments(rows, 3, 0.05, 99, 0, 20)[0]


def test_of_few_groups_nothing_is_tested():
    rows, _ = feature_rows(600, groups=np.arange(600) // 60)
    assert tree_segments(rows, 3, 0.05, 99, 0, 20) == ([], None)


def test_columns_that_split_off_nothing_have_no_node():
    rows = FeatureRows(read_columns({"a": np.zeros(200)}), np.ones(200), np.zeros(200), np.ones(200), whole=True)
    assert tree_segments(rows, 3, 0.05, 99, 0, 20) == ([], None)
