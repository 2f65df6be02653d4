"""Accuracy against readability: the columns of a comparison, and the frontier."""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.evaluation.comparison.interpretability import find_frontier
from tests.strategies import noisy

FAMILIES = ["platt", "isotonic", fot.Flat(3), fot.Flat(8)]
KEYS = ["probabilistic_count", "pde", "auc_v"]


@cache
def compared(*, tested=False, **options):
    y, p = noisy(400, ties=3)
    test = noisy(300, seed=3) if tested else None
    return fot.compare_calibrators(y, p, families=FAMILIES, evaluators=["flat"], test=test, **options)


def test_the_columns_on_a_test_set_are_of_the_map_that_is_used():
    comparison = compared(tested=True, interpretability=True)
    y, p = noisy(300, seed=3)
    for one in comparison:
        sample = fot.ScoreSample(y, np.clip(one.family.predict(p), 0, 1))
        found = vars(one.interpretability)
        assert found == {name: pytest.approx(fot.measures.make(name).estimate(sample).value) for name in KEYS}
    frame = comparison.to_frame().set_index("family")
    assert frame.loc["isotonic", "auc_v"] == comparison["isotonic"].interpretability.auc_v


def test_the_columns_out_of_fold():
    """The count is that of the map fitted to all rows: the maps of five folds have five times as many values."""
    comparison = compared(interpretability=True)
    _, p = noisy(400, ties=3)
    flat = comparison["Flat(n_bins=3)"]
    values = fot.ScoreSample(np.zeros(400), flat.family.predict(p))
    assert flat.interpretability.probabilistic_count == fot.measures.ProbabilisticCount().estimate(values).value
    assert flat.interpretability.probabilistic_count <= 3
    assert flat.interpretability.pde >= flat.errors["flat"] - 0.05
    lines = str(comparison.table()).splitlines()
    (start,) = (k for k, line in enumerate(lines) if line.startswith("interpretability (out of fold)"))
    assert re.split("  +", lines[start])[-4:] == ["count (map of all rows)", "PDE", "AUC_V", "frontier"]
    assert "no other candidate has a held-out loss as small" in str(comparison.table()).replace("\n", " ")
    named = {line.split()[0] for line in lines[start + 2 : start + 7] if line.endswith("yes")}
    assert named == set(comparison.frontier)


@pytest.mark.exhaustive
def test_by_default_nothing_is_added():
    plain = compared()
    assert not set(KEYS) & set(plain.rows()[0])
    with_columns = compared(interpretability=True)
    others = [{key: row[key] for key in row if key not in (*KEYS, "fit_seconds")} for row in with_columns.rows()]
    assert others == [{key: row[key] for key in row if key != "fit_seconds"} for row in plain.rows()]
    assert "AUC_V" not in str(plain)
    with pytest.raises(ValueError, match="interpretability must be True for there to be a frontier"):
        _ = plain.frontier


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=8))
def test_the_frontier_is_what_nothing_dominates(points):
    losses, counts = zip(*points, strict=True)
    expected = [
        not any(a <= loss and b <= count and (a, b) != (loss, count) for a, b in points) for loss, count in points
    ]
    assert find_frontier(losses, counts) == expected
    assert any(expected)


def test_refusals():
    y, p = noisy(60)
    with pytest.raises(ValueError, match="interpretability must be True or False, got 'yes'"):
        fot.compare_calibrators(y, p, interpretability="yes")
    with pytest.raises(ValueError, match="interpretability must be False with reduction='canonical', got True"):
        fot.compare_calibrators(y, np.column_stack([1 - p, p]), reduction="canonical", interpretability=True)
