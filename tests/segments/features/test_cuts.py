"""Columns in cells: weighted quantiles, the conditions that are kept, and how many there may be."""

import numpy as np
import pytest

from fitontest.segments.features.cuts import (
    FINENESS,
    LEAST_VARIANCE,
    _numbered,
    cut_columns,
    fewer_columns,
    quantiles_of,
)
from fitontest.segments.features.read_columns import read_columns
from tests.segments.features.problems import mixed, rows_of

SHARES = (0.2, 0.4, 0.6, 0.8)


def brute_quantiles(values, w, shares):
    """Return the least value up to which each share of the weight is reached."""
    found = []
    for share in shares:
        reached = [w[values <= value].sum() for value in values]
        found.append(min(value for value, total in zip(values, reached, strict=True) if total >= share * w.sum()))
    return np.unique(found)


@pytest.mark.parametrize("seed", range(4))
def test_weighted_quantiles_are_those_of_brute_force_and_of_copies(seed):
    rng = np.random.default_rng(seed)
    values, w = np.round(rng.normal(size=40), 1), rng.integers(1, 5, 40).astype(float)
    found = quantiles_of(values, w, SHARES)
    np.testing.assert_array_equal(found, brute_quantiles(values, w, SHARES))
    copies = np.repeat(values, w.astype(int))
    np.testing.assert_array_equal(found, quantiles_of(copies, np.ones(copies.size), SHARES))
    np.testing.assert_array_equal(found, quantiles_of(values, 3.5 * w, SHARES))
    assert quantiles_of(np.empty(0), np.empty(0), SHARES).size == 0


def test_the_cells_that_meet_a_condition_are_the_rows_that_do():
    rows = rows_of(600)
    cut = cut_columns(rows.columns, rows.w, rows.variances)
    assert cut.dropped == ("one",)
    assert cut.conditions == sum(len(column.conditions) for column in cut.columns) > 30
    for column in cut.columns:
        assert len(set(column.conditions)) == len(column.conditions)
        for condition, holds in zip(column.conditions, column.holds, strict=True):
            met = condition.meets(rows.columns)
            np.testing.assert_array_equal(holds[column.cell], met)
            assert 0 < met.sum() < 600
            assert rows.variances[met].sum() >= LEAST_VARIANCE
        values = np.arange(600.0)
        expected = [values[condition.meets(rows.columns)].sum() for condition in column.conditions]
        np.testing.assert_allclose(column.sums(values), expected)


def test_conditions_of_the_same_rows_stand_once():
    X = mixed(400)
    X = {"age": X["age"], "months": 12 * X["age"], "member": X["member"], "stranger": ~X["member"]}
    cut = cut_columns(read_columns(X), np.ones(400), np.full(400, 0.25))
    assert cut.dropped == ("months", "stranger")
    assert {column.name for column in cut.columns} == {"age", "member"}


def test_rows_of_too_little_variance_have_no_condition():
    X = {"rare": np.arange(400) < 8, "all": np.zeros(400, dtype=bool)}
    cut = cut_columns(read_columns(X), np.ones(400), np.full(400, 0.25))
    assert [str(condition) for column in cut.columns for condition in column.conditions] == ["rare = False"]
    assert cut.dropped == ("all",)


def test_many_columns_are_cut_less_finely():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 30))
    w, v = np.ones(600), np.full(600, 0.25)
    cut = cut_columns(read_columns(X), w, v)
    assert cut.conditions <= 400 < 30 * 2 * len(FINENESS[0].quantiles)
    assert "More than 400 conditions: numbers at the quantiles 0.1, 0.5, 0.9 alone" in cut.notes[0]
    assert cut_columns(read_columns(X[:, :5]), w, v).notes == ()


def test_the_columns_of_the_largest_z_are_kept_whole():
    rows = rows_of(500)
    cut = cut_columns(rows.columns, rows.w, rows.variances)
    sizes = {column.name: len(column.conditions) for column in cut.columns}
    kept = cut.only(fewer_columns(cut, rows.residuals, rows.variances, most=sizes["age"]), "chosen")
    largest = max(
        cut.columns, key=lambda column: np.abs(column.sums(rows.residuals) / np.sqrt(column.sums(rows.variances))).max()
    )
    assert kept.columns[0].name == largest.name == "age"
    assert kept.conditions <= sizes["age"]
    assert kept.notes == ("chosen",)


@pytest.mark.parametrize("cells", [2**15, 2**15 + 1, 40_000])
def test_cells_are_numbered_whatever_their_number(cells):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(cells), 2))
    cell, first = _numbered(codes)
    np.testing.assert_array_equal(cell, codes)
    np.testing.assert_array_equal(codes[first], np.arange(cells))


@pytest.mark.exhaustive
def test_many_large_levels_are_as_if_there_were_no_more_than_can_be_looked_at():
    site = [f"site {place}" for place in np.repeat(np.arange(40_000), 2)]
    columns, w = read_columns({"site": site, "old": np.arange(80_000) % 2}), np.ones(80_000)
    cut = cut_columns(columns, w, np.full(80_000, 3.0))
    assert [column.name for column in cut.columns] == ["site", "old"]
    assert [len(column.conditions) for column in cut.columns] == [20, 2]
    assert cut.notes[0].startswith("More than 400 conditions: ")
