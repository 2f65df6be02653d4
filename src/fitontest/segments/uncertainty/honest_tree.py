"""Segments of several conditions: a tree is grown in one half of the rows, and all its nodes are tested in the other.

The rows that are tested had no say in which segments there are, so that nothing must be paid for how many could have
been. The halves change their parts, and a p-value is twice that of one half.
"""

import numpy as np

from fitontest.measures.cumulative import CumulativeError
from fitontest.results.typing import BoolArray, IntArray
from fitontest.segments.features.cuts import LEAST_VARIANCE
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.features.grown_tree import GrownTree, grow
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.search import FoundSegment, segment_of
from fitontest.segments.uncertainty.row_redraws import dependence_of_rows
from fitontest.segments.uncertainty.segment_entries import SegmentEntries
from fitontest.segments.uncertainty.segment_maxima import SegmentMaxima

HALVES = 2
SAME = 0.5  # of the rows of the smaller of two segments: the one that stands out less is not named


def tree_segments(
    rows: FeatureRows, depth: int, alarms: float, draws: int, seed: int, most: int
) -> tuple[list[FoundSegment], FoundSegment | None]:
    """Return the nodes whose walk stands out, and the node of the smallest p-value of those that do not stand out.

    Parameters
    ----------
    rows : FeatureRows
        With the probabilities that are tested.
    depth : int
        Conditions of a segment, at most.
    alarms : float in (0, 1)
        The share of false alarms, of all nodes of both trees.
    draws : int
        Sets of labels that are simulated in each half.
    seed : int
    most : int
        Segments at most.
    """
    if float(rows.variances.sum()) < LEAST_VARIANCE:  # as of no rows: no node has enough to be tested
        return [], None
    dealt = dealt_rows(rows.canonical(), HALVES, seed)
    nodes = [
        node
        for held_out in dealt.held_out()
        for node in _tested_nodes(dealt.rows.take(~held_out), dealt.rows.take(held_out), rows, depth, draws, seed)
    ]
    nodes.sort(key=lambda node: (node.p_value, -abs(node.statistic)))
    found: list[FoundSegment] = []
    met: list[BoolArray] = []
    nearest = None
    for node in nodes:
        inside = node.rule.meets(rows.columns)
        if any(_are_alike(inside, other) for other in met):
            continue
        if node.p_value > alarms:
            nearest = node
            break
        if len(found) == most:
            break
        found.append(node)
        met.append(inside)
    return found, nearest


def _are_alike(one: BoolArray, other: BoolArray) -> bool:
    return bool((one & other).sum() >= SAME * min(one.sum(), other.sum()))


def _tested_nodes(
    growing: FeatureRows, testing: FeatureRows, rows: FeatureRows, depth: int, draws: int, seed: int
) -> list[FoundSegment]:
    """Return the nodes of the tree of one half with their p-values in the other; described in all rows."""
    tree = grow(growing, depth)
    deepest = tree.nodes(testing.columns)
    below = _nodes_below(tree, np.unique(deepest))
    dependence = dependence_of_rows(testing)
    if not below or (dependence is not None and dependence.too_few):
        return []
    entries = SegmentEntries.of_rows(testing, deepest, tuple(map(tuple, below.values())))
    maxima = SegmentMaxima.of_entries(entries, CumulativeError(), dependence, draws, seed)
    found = []
    for place, node in enumerate(below):
        if maxima.tested[place]:
            part = rows.take(tree.rules[node].meets(rows.columns))
            p_value = min(1.0, HALVES * float(maxima.adjusted_p_values[place]))
            found.append(segment_of(tree.rules[node], float(maxima.standardised[place]), part, "tree", p_value))
    return found


def _nodes_below(tree: GrownTree, occurring: IntArray) -> dict[int, list[int]]:
    """Return for each node but the first those of the occurring nodes that are at or below it, where there are any."""
    below: dict[int, list[int]] = {}
    for node in occurring.tolist():
        at = node
        while at > 0:
            below.setdefault(at, []).append(node)
            at = int(tree.parent[at])
    return dict(sorted(below.items()))
