"""Columns as levels, for offsets, and in bins, for trees: what each row is, and what is unknown."""

import numpy as np

from fitontest.segments.features.bins import binned_columns, codes_of_levels, codes_of_numbers
from fitontest.segments.features.levels import FIFTHS, MOST_LEVELS, level_columns
from fitontest.segments.features.read_columns import read_columns
from tests.segments.features.problems import mixed


def test_each_row_meets_the_rule_of_its_level_alone():
    columns = read_columns(mixed(500))
    w = np.random.default_rng(0).integers(1, 4, 500).astype(float)
    found = level_columns(columns, w)
    assert [column.name for column in found] == ["age", "hours", "city", "member"]
    for column in found:
        met = np.stack([rule.meets(columns) for rule in column.rules], axis=1)
        np.testing.assert_array_equal(met.sum(axis=1), 1)
        np.testing.assert_array_equal(met.argmax(axis=1), column.code)
    assert len(found[0].rules) == len(FIFTHS) + 1
    share = np.bincount(found[0].code, w) / w.sum()
    np.testing.assert_allclose(share, 0.2, atol=0.04)  # ages are whole


def test_rare_levels_beyond_a_hundred_have_no_level():
    values = [f"level {k}" for k in range(130) for _ in range(1 + (k < 60))]
    (column,) = level_columns(read_columns({"a": values}), np.ones(len(values)))
    assert len(column.rules) == MOST_LEVELS
    assert np.count_nonzero(column.code < 0) == 30
    assert all(code >= 0 for code, value in zip(column.code, values, strict=True) if int(value.split()[1]) < 60)


def test_a_level_without_rows_and_a_number_of_one_value_are_left_out():
    columns = read_columns({"a": ["x", "y", "x"], "b": [1.0, np.nan, 1.0], "c": [2.0, 2.0, 2.0]})
    found = level_columns(columns.take(np.array([0, 2])), np.ones(2))
    assert found == []
    both = level_columns(columns, np.ones(3))
    assert [str(rule) for column in both for rule in column.rules] == ["a = x", "a = y", "all rows", "b is missing"]


def test_bins_rise_with_numbers_and_missing_values_have_the_first():
    columns = read_columns(mixed(700))
    found = {column.name: column for column in binned_columns(columns, np.ones(700), 16)}
    assert "one" not in found
    hours, values = found["hours"], columns.named("hours").values
    known = ~np.isnan(values)
    assert np.all(hours.code[~known] == 0)
    assert hours.code[known].min() == 1
    assert hours.code.max() == hours.bins - 1 <= 15
    for place, cut in enumerate(hours.cuts):
        np.testing.assert_array_equal(values[known] <= cut, hours.code[known] <= place + 1)
    assert np.bincount(hours.code[known])[1:].min() > 20
    assert codes_of_numbers(np.array([np.nan, -1e9, 1e9]), hours.cuts).tolist() == [0, 1, hours.bins - 1]


def test_few_values_have_a_bin_each():
    (column,) = binned_columns(read_columns({"a": [3.0, 1.0, 2.0, 2.0]}), np.ones(4), 16)
    assert column.cuts.tolist() == [1.0, 2.0]
    assert column.code.tolist() == [3, 1, 2, 2]


def test_levels_have_bins_and_unknown_ones_the_last():
    columns = read_columns(mixed(300))
    city = {column.name: column for column in binned_columns(columns, np.ones(300), 16)}["city"]
    assert city.levels == ("Bern", "Oslo", "Rom")
    assert city.bins == 5
    other = read_columns({"city": ["Rom", None, "Paris", "Bern"]})[0]
    assert codes_of_levels(other, city.levels).tolist() == [3, 0, 4, 1]
    many = read_columns({"a": [f"{k:02}" for k in range(40)]})
    (column,) = binned_columns(many, np.arange(40.0) + 1, 16)
    assert column.levels == tuple(f"{k:02}" for k in range(26, 40))  # the heaviest, and a bin for all others
    assert np.count_nonzero(column.code == 15) == 26
