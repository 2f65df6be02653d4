"""Conditions and rules: who meets them, what is unknown, and how they are written and read."""

import json

import numpy as np
import pytest

from fitontest.maps.rules.conditions import (
    Above,
    AtMost,
    Missing,
    OneOf,
    Present,
    Rule,
    distinct_texts,
    read_condition,
    read_rule,
)
from fitontest.segments.features.bins import codes_of_levels
from fitontest.segments.features.read_columns import read_columns

COLUMNS = read_columns({"age": [20, 50, 60, None], "sex": ["f", None, "m", "x"], "ok": [True, False, None, True]})
CASES = [
    (AtMost("age", 50.0), [1, 1, 0, 0], "age <= 50"),
    (Above("age", 50.0), [0, 0, 1, 0], "age > 50"),
    (OneOf("sex", ("f",)), [1, 0, 0, 0], "sex = f"),
    (OneOf("sex", ("f", "m", "never seen")), [1, 0, 1, 0], "sex in {f, m, never seen}"),
    (OneOf("ok", (True,)), [1, 0, 0, 1], "ok = True"),
    (OneOf("age", (20, 60.0)), [1, 0, 1, 0], "age in {20, 60}"),
    (Missing("age", True), [0, 0, 0, 1], "age is missing"),
    (Missing("sex", False), [0, 1, 0, 0], "sex is missing"),
    (Present("age", True), [1, 1, 1, 0], "age is not missing"),
]


@pytest.mark.parametrize(("condition", "met", "text"), CASES, ids=[text for _, _, text in CASES])
def test_a_condition_is_met_printed_written_and_read(condition, met, text):
    assert condition.meets(COLUMNS).tolist() == [bool(one) for one in met]
    assert str(condition) == text
    assert read_condition(json.loads(json.dumps(condition.to_dict()))) == condition


def test_a_rule_is_met_where_all_conditions_are():
    rule = Rule((Above("age", 20.0), OneOf("sex", ("m", "x"))))
    assert rule.meets(COLUMNS).tolist() == [False, False, True, False]
    assert (str(rule), rule.columns) == ("age > 20 and sex in {m, x}", ["age", "sex"])
    assert read_rule(json.loads(json.dumps(rule.to_dict()))) == rule
    assert Rule(()).meets(COLUMNS).all()
    assert str(Rule(())) == "all rows"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a condition must be one of"),
        ({"column": "a", "relation": "=", "value": 1.0}, "a condition must be one of"),
        ({"column": "a", "relation": ">", "value": 1.0, "more": 1}, "with its fields"),
        ({"column": 1, "relation": ">", "value": 1.0}, "column must be the name"),
        ({"column": "a", "relation": ">", "value": "1"}, "value must be a finite number"),
        ({"column": "a", "relation": ">", "value": float("inf")}, "value must be a finite number"),
        ({"column": "a", "relation": "in", "levels": []}, "levels must be a list"),
        ({"column": "a", "relation": "in", "levels": [None]}, "levels must be a list"),
        ({"column": "a", "relation": "missing", "numbers": 1}, "numbers must be true or false"),
    ],
)
def test_what_is_no_condition_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_condition(given)


@pytest.mark.parametrize("given", [None, [], {"conditions": {}}, {"conditions": [], "more": 1}])
def test_what_is_no_rule_is_refused(given):
    with pytest.raises(ValueError, match="a rule must be a dict of its conditions"):
        read_rule(given)


@pytest.mark.parametrize(
    ("level", "values", "message"),
    [
        (True, ["True", "False"], "X must have no texts in column 'ok', such as True; got texts, such as 'False'"),
        ("True", [True, False], "X must have texts in column 'ok', such as 'True'; got no texts, such as False"),
    ],
)
def test_texts_are_not_taken_for_booleans(level, values, message):
    with pytest.raises(ValueError, match=message):
        OneOf("ok", (level,)).meets(read_columns({"ok": values}))
    with pytest.raises(ValueError, match=message):
        codes_of_levels(read_columns({"ok": values}).named("ok"), (level,))  # of trees on bins
    unseen = OneOf("ok", (level,)).meets(read_columns({"ok": [None, None]}))  # of no kind
    assert not unseen.any()


def test_columns_of_another_kind_are_refused_unless_they_hold_nothing():
    with pytest.raises(ValueError, match="X must have numbers in column 'sex', got categories"):
        AtMost("sex", 1.0).meets(COLUMNS)
    with pytest.raises(ValueError, match="X must have categories in column 'age'"):
        OneOf("age", ("f",)).meets(COLUMNS)
    empty = read_columns({"age": [None, None]})
    assert not AtMost("age", 1.0).meets(empty).any()
    assert Missing("age", True).meets(empty).all()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e15, "1e+15"),
        (1234567.0, "1,234,567"),
        (1.7e9 + 123.25, "1,700,000,123"),
        (0.1 + 0.2, "0.3"),
        (-3.0, "-3"),
    ],
)
def test_numbers_are_printed_with_six_digits(value, text):
    assert str(AtMost("a", value)) == f"a <= {text}"


def test_different_rules_have_different_texts():
    values = [0.1, np.nextafter(0.1, 1.0), 1.7e9 + 0.25, 1.7e9 + 0.5, 1.7e9 + 800.3, 0.25]
    rules = [Rule((Above("t", value),)) for value in values]
    rules += [Rule((OneOf("m", (level,)),)) for level in ("1", 1, "a")]
    rules += [Rule((OneOf("s", ("u",)), AtMost("t", value))) for value in (1e-9, 1e-9 + 1e-17)]
    texts = distinct_texts([*rules, rules[0]])
    assert list(texts) == rules
    assert len(set(texts.values())) == len(rules)
    assert [texts[rules[place]] for place in (2, 4, 5, 6, 7, 8)] == [
        "t > 1,700,000,000.2",
        "t > 1,700,000,800",
        "t > 0.25",
        "m = '1'",
        "m = 1",
        "m = a",
    ]


def test_random_thresholds_divide_known_rows():
    values = np.random.default_rng(0).normal(size=50)
    columns = read_columns({"a": values})
    for cut in values[:10]:
        np.testing.assert_array_equal(AtMost("a", cut).meets(columns), values <= cut)
        np.testing.assert_array_equal(Above("a", cut).meets(columns), values > cut)
