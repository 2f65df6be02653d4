"""The scan, the walks and their redrawn maxima: brute force, weights as copies, and exact p-values."""

from dataclasses import replace

import numpy as np
import pytest

from fitontest.data.row_labels import RowLabels
from fitontest.numerics.links import sigmoid
from fitontest.segments.features.cell_tables import CellTables, pairs_of
from fitontest.segments.features.cuts import LEAST_VARIANCE, cut_columns
from fitontest.segments.features.redrawn_maxima import critical_value, p_value_of, redrawn_maxima
from fitontest.segments.features.scan import Scan
from fitontest.segments.features.search import search
from fitontest.segments.features.walks import NODES, WalkNodes, Walks
from tests.segments.features.problems import rows_of

WEIGHTS = {"ones": None, "counts": "counts", "importances": "importances"}


def weighted(kind, n=300):
    rng = np.random.default_rng(9)
    if kind == "counts":
        return rows_of(n, w=rng.integers(1, 4, n))
    return rows_of(n, w=None if kind == "ones" else rng.gamma(2.0, size=n), whole=kind == "ones")


def cut_of(rows):
    return cut_columns(rows.columns, rows.w, rows.variances)


def brute_z(rows, cut):
    """Return z of all pairs of conditions on different columns and of single ones, by L' diag(r) L."""
    L = np.stack([condition.meets(rows.columns) for column in cut.columns for condition in column.conditions], axis=1)
    owner = np.repeat(np.arange(len(cut.columns)), [len(column.conditions) for column in cut.columns])
    R, V = L.T @ (rows.residuals[:, None] * L), L.T @ (rows.variances[:, None] * L)
    single = np.eye(owner.size, dtype=bool)
    allowed = ((owner[:, None] != owner) | single) & (V >= LEAST_VARIANCE)
    return np.where(allowed, R / np.sqrt(np.maximum(V, 1e-9)), 0.0), allowed


@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_scan_is_that_of_brute_force(kind):
    rows = weighted(kind)
    cut = cut_of(rows)
    z, allowed = brute_z(rows, cut)
    largest = Scan.of(cut, rows).largest()
    assert abs(largest.statistic) == pytest.approx(np.abs(z).max(), rel=1e-12)
    met = cut.rule(largest.segment).meets(rows.columns)
    np.testing.assert_array_equal(met, cut.meets(largest.segment))
    assert largest.statistic == pytest.approx(rows.residuals[met].sum() / np.sqrt(rows.variances[met].sum()), rel=1e-9)
    assert largest.segments == np.count_nonzero(np.triu(allowed))


def test_a_condition_stands_for_a_pair_where_the_other_adds_no_more_than_chance():
    taken = set()
    for seed in range(12):
        rows = rows_of(400, seed=seed, offset=0.4 * (seed % 4))
        cut = cut_of(rows)
        scan, z = Scan.of(cut, rows), lambda at, rows=rows: rows.residuals[at].sum() / np.sqrt(rows.variances[at].sum())
        pair = scan.largest()
        expected = [(abs(pair.statistic), pair.segment)]
        for column, condition in pair.segment if len(pair.segment) > 1 else ():
            single = z(cut.meets(((column, condition),)))
            others = cut.conditions - len(cut.columns[column].conditions)
            if pair.statistic**2 - single**2 <= 2 * np.log(others) and single * pair.statistic > 0:
                expected.append((abs(single), ((column, condition),)))
        best = max(expected[1:], default=expected[0])
        found = scan.simpler(pair)
        assert (abs(found.statistic), found.segment) == (pytest.approx(best[0], rel=1e-9), best[1])
        taken.add((len(pair.segment), len(found.segment)))
    assert taken >= {(2, 1), (2, 2)}


def test_tables_hold_the_sums_over_the_cells_of_each_pair():
    rows = weighted("ones")
    cut = cut_of(rows)
    tables = CellTables.of(cut, np.stack((rows.residuals, rows.variances), axis=1)).tables
    assert list(tables) == pairs_of(cut)
    for (a, b), table in tables.items():
        one, other = cut.columns[a].cell, cut.columns[b].cell
        for i in range(table.shape[0]):
            for j in range(table.shape[1]):
                here = (one == i) & (other == j) if a != b else one == i
                assert table[i, j, 0] == pytest.approx(rows.residuals[here].sum(), abs=1e-12)
    blocks = CellTables.zeros(cut, 2)
    values = np.random.default_rng(0).integers(0, 2, (300, 2)).astype(np.float32)
    for block in (slice(0, 100), slice(100, 300)):
        blocks.add(values[block], block)
    for pair, table in CellTables.of(cut, values.astype(float)).tables.items():
        np.testing.assert_array_equal(blocks.tables[pair], table)


def test_moved_sums_are_those_of_moved_rows():
    rows = weighted("counts")
    cut = cut_of(rows)
    scan, at = Scan.of(cut, rows), np.arange(0, 300, 3)
    logits = rows.logits.copy()
    logits[at] += 0.7
    moved = rows.at(logits)
    scan.move(rows.take(at), moved.take(at), at)
    for pair, table in Scan.of(cut, moved).sums.tables.items():
        np.testing.assert_allclose(scan.sums.tables[pair], table, atol=1e-12)


def copied(rows):
    """Return each row so often as its weight says."""
    return replace(rows.take(np.repeat(np.arange(len(rows)), rows.w.astype(int))), w=np.ones(int(rows.w.sum())))


def test_a_weight_of_two_is_the_row_twice():
    rows = weighted("counts")
    many = copied(rows)
    one, other = (Scan.of(cut_of(each), each).largest() for each in (rows, many))
    assert cut_of(rows).rule(one.segment) == cut_of(many).rule(other.segment)
    assert one.statistic == pytest.approx(other.statistic, rel=1e-12)
    one, other = (Walks(WalkNodes.of(cut_of(each), each)).largest(each) for each in (rows, many))
    assert cut_of(rows).rule(one.segment) == cut_of(many).rule(other.segment)
    assert one.statistic == pytest.approx(other.statistic, rel=1e-12)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_walks_are_ranges_of_sums_in_the_order_of_the_scores(kind):
    rows = weighted(kind)
    rows = rows.at(np.round(rows.logits, 1))  # ties
    nodes = WalkNodes.of(cut_of(rows), rows)
    assert nodes.nodes <= NODES
    order = np.argsort(rows.logits, kind="stable")
    assert np.all(np.diff(nodes.node[order]) >= 0)
    for value in np.unique(rows.logits):
        assert np.unique(nodes.node[rows.logits == value]).size == 1
    best = 0.0
    for column in nodes.cut.columns:
        for condition in column.conditions:
            met = condition.meets(rows.columns)
            steps = np.bincount(nodes.node[met], rows.residuals[met], nodes.nodes)
            walk = np.append([0.0], np.cumsum(steps))
            best = max(best, np.ptp(walk) / np.sqrt(rows.variances[met].sum()))
    assert Walks(nodes).largest(rows).statistic == pytest.approx(best, rel=1e-9)


def test_p_values_count_the_real_labels_too_and_agree_with_the_critical_value():
    maxima = np.random.default_rng(0).gumbel(3.0, 0.4, 199)
    for level in (0.005, 0.05, 0.2):
        critical = critical_value(maxima, level)
        assert p_value_of(critical, maxima) <= level
        assert p_value_of(critical * (1 - 1e-4), maxima) > level or critical == np.inf
    assert p_value_of(maxima.max() + 1, maxima) == 1 / 200
    assert p_value_of(0.0, maxima) == 1.0
    assert critical_value(maxima, 0.001) == np.inf


@pytest.mark.parametrize("kind", WEIGHTS)
def test_redrawn_maxima_are_the_statistics_of_the_drawn_labels(kind):
    rows = weighted(kind)
    rows = rows.take(rows.order)
    cut, labels = cut_of(rows), RowLabels.of(rows.q, rows.w, whole=rows.whole)
    nodes = WalkNodes.of(cut, rows)
    maxima = redrawn_maxima(cut, rows, labels, 3, 7, nodes)
    drawn = labels.draw(slice(0, len(rows)), 3, (7, 0)).astype(float)  # w times the label of each row
    for place, sums in enumerate(drawn.T):
        # rows of drawn labels: of counts their share of positives, which has the same sums
        relabelled = replace(rows, y=sums / rows.w)
        z, _ = brute_z(relabelled, cut)
        assert maxima.scan[place] == pytest.approx(np.abs(z).max(), rel=1e-4)
        assert maxima.walks[place] == pytest.approx(Walks(nodes).largest(relabelled).statistic, rel=1e-4)


def test_p_values_of_calibrated_scores_are_uniform():
    """With the real labels drawn as the others are, the p-value of the first step is exact."""
    found = []
    for seed in range(48):
        rng = np.random.default_rng([seed, 5])
        rows = rows_of(100, seed)
        rows = replace(rows, y=(rng.random(100) < rows.q).astype(float)).canonical()
        cut = cut_of(rows)
        maxima = redrawn_maxima(cut, rows, RowLabels.of(rows.q, rows.w, whole=True), 19, seed)
        found.append(p_value_of(abs(Scan.of(cut, rows).largest().statistic), maxima.scan))
    counts = np.bincount(np.rint(4 * np.ceil(np.array(found) * 4) / 4).astype(int) - 1, minlength=4)
    assert counts.min() >= 4  # 12 each
    assert abs(np.mean(found) - 0.525) < 4 * 0.29 / np.sqrt(48)


def test_a_search_names_what_was_planted_and_takes_it_into_account():
    rows = rows_of(3000, offset=1.0).canonical()
    cut = cut_of(rows)
    maxima = redrawn_maxima(cut, rows, RowLabels.of(rows.q, rows.w, whole=True), 99, 0)
    found = search(cut, rows, maxima, 0.05, 20)
    named = [str(segment.rule) for segment in found.segments]
    assert any("age" in name for name in named)
    assert any("Oslo" in name for name in named)
    assert found.nearest.p_value > 0.05
    logits = rows.logits.copy()
    for segment in found.segments:
        met = segment.rule.meets(rows.columns)
        assert segment.n == met.sum()
        assert np.sign(segment.offset) == np.sign(segment.residual) == np.sign(segment.statistic)
        assert segment.mean_score == pytest.approx(sigmoid(logits)[met].mean())
        logits[met] += segment.offset
    np.testing.assert_allclose(found.logits, logits)
    assert search(cut, rows, maxima, 0.05, 1).segments == found.segments[:1]
