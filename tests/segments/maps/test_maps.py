"""Maps of features: what they compute, JSON bit by bit, SQL and frames of every engine, and what is refused."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.numerics.links import LOGIT_EPS, logit, sigmoid
from fitontest.segments.features.read_columns import read_columns
from tests.segments.maps.maps import (
    BOOSTED,
    IDENTITY,
    LINES,
    MAPS,
    MIXTURE,
    OFFSETS,
    RULES,
    WITH_FORMULA,
    features,
    scores,
)

pytestmark = pytest.mark.multiplies

every_map = pytest.mark.parametrize("name", MAPS)
every_formula = pytest.mark.parametrize("name", WITH_FORMULA)


@every_map
def test_maps_return_by_json_bit_by_bit(name):
    c_hat = MAPS[name]
    again = fot.segments.FeatureMap.from_json(c_hat.to_json())
    assert again == c_hat == fot.segments.FeatureMap.from_dict(json.loads(json.dumps(c_hat.to_dict())))
    assert hash(again) == hash(c_hat)
    assert again.to_json() == c_hat.to_json()
    np.testing.assert_array_equal(again(features(), scores()), c_hat(features(), scores()))
    for other in (pickle.loads(pickle.dumps(c_hat)), copy.deepcopy(c_hat)):
        assert other == c_hat
    assert type(c_hat).from_json(c_hat.to_json()) == c_hat


@every_map
def test_values_are_probabilities_whatever_is_missing(name):
    c_hat = MAPS[name]
    X = {key: values[:3] for key, values in features().items()}
    nothing = {key: [None] * 3 for key in X}
    for given in (X, nothing, pd.DataFrame(X)):
        for p in ([0.0, 0.5, 1.0], [0.2, 0.2, 0.2]):
            values = c_hat(given, p)
            assert values.shape == (3,)
            assert np.all((values >= 0) & (values <= 1))
    assert set(c_hat.features) <= set(X)


def test_offsets_add_up_and_logits_are_cut():
    X, p = features(), scores()
    x = np.clip(logit(p, LOGIT_EPS), -8.5, 8.5)
    columns = read_columns(X)
    z = 0.1 + 0.9 * x + sum(u * rule.meets(columns) for u, rule in zip(OFFSETS.offsets, RULES, strict=True))
    np.testing.assert_allclose(OFFSETS(X, p), sigmoid(z), rtol=1e-14)
    np.testing.assert_allclose(IDENTITY(X, p), np.clip(p, 1e-16, None), rtol=1e-15, atol=1e-16)


def test_the_last_rule_of_a_row_has_its_line():
    X, p = features(), scores()
    columns, x = read_columns(X), logit(p, LOGIT_EPS)
    for row in range(0, 160, 7):
        last = max(place for place, rule in enumerate(LINES.rules) if rule.meets(columns)[row])
        expected = sigmoid(LINES.intercepts[last] + LINES.slopes[last] * x[row])
        assert LINES(X, p)[row] == pytest.approx(expected, rel=1e-14)


def walked(row, x):
    """Return the logit after all trees of BOOSTED, of one row, node by node."""
    names, start = BOOSTED.columns, x
    for tree in range(3):
        start = x if tree == 2 else start  # the second stage begins
        node = 0
        while node < 7:
            feature, threshold = BOOSTED.feature[tree, node], BOOSTED.threshold[tree, node]
            if feature == -1:
                right = False
            elif feature == 3:
                right = start > threshold
            elif names[feature] == "city":
                city = row["city"]
                code = 0 if city is None else ["Bern", "O'slo"].index(city) + 1 if city in ("Bern", "O'slo") else 3
                right = code not in BOOSTED.sets[int(threshold)]
            else:
                value = row[names[feature]]
                right = bool(BOOSTED.missing_right[tree, node]) if np.isnan(value) else value > threshold
            node = 2 * node + 1 + right
        x += BOOSTED.values[tree, node - 7]
    return x


def test_boosted_trees_are_walked_node_by_node():
    X, p = features(), scores()
    x = np.clip(logit(p, LOGIT_EPS), -6.0, 6.0)
    expected = [walked({key: values[row] for key, values in X.items()}, x[row]) for row in range(160)]
    np.testing.assert_allclose(BOOSTED(X, p), sigmoid(np.array(expected)), rtol=1e-13)
    assert BOOSTED.features == ("age", "city", "hours")
    assert BOOSTED.columns == ("age", "city", "hours")


def test_a_mixture_is_a_weighted_mean():
    X, p = features(), scores()
    expected = 0.25 * IDENTITY(X, p) + 0.5 * OFFSETS(X, p) + 0.25 * LINES(X, p)
    np.testing.assert_allclose(MIXTURE(X, p), expected, rtol=1e-14)
    assert MIXTURE.features == ("age", "city", "member", "hours")
    assert MAPS["unused boosted"].features == OFFSETS.features


@every_formula
def test_sql_is_the_map(name):
    duckdb = pytest.importorskip("duckdb")
    c_hat, X, p = WITH_FORMULA[name], features(), scores()
    frame = pd.DataFrame({"row": np.arange(160), **X, "p": p})  # noqa: F841 - DuckDB finds it by its name
    found = duckdb.sql(f"SELECT {c_hat.to_sql('p')} AS q FROM frame ORDER BY row").fetchnumpy()["q"]
    np.testing.assert_allclose(np.asarray(found, dtype=float), c_hat(X, p), rtol=0, atol=1e-12)
    odd = duckdb.sql(f"SELECT {c_hat.to_sql('p')} AS q FROM (SELECT * REPLACE (2.0 AS p) FROM frame)").fetchall()
    assert set(odd) == {(None,)}


@pytest.mark.parametrize("names", [("v0", "v1"), ("V0", "V1"), ("v1", "v0")])
def test_features_may_be_called_what_sql_calls_its_values(names):
    duckdb = pytest.importorskip("duckdb")
    first, second = names
    offsets = [
        fot.segments.SegmentOffsetsMap(
            0.0, 1.0, [{"conditions": [{"column": name, "relation": ">", "value": 0.0}]}], [by]
        )
        for name, by in ((second, 2.0), (first, -2.0))
    ]
    c_hat = fot.segments.FeatureMixtureMap([0.5, 0.5], offsets)
    frame = pd.DataFrame({first: [-1.0, -1.0, 1.0, 1.0], second: [-1.0, 1.0, -1.0, 1.0], "p": [0.7] * 4})
    found = duckdb.sql(f"SELECT {c_hat.to_sql('p')} AS q FROM frame").fetchnumpy()["q"]
    assert np.allclose(found, c_hat(frame, frame.p), rtol=1e-12)
    assert np.ptp(found) > 0.1


def frame_of(engine, columns):
    """Return the columns as a frame of an engine, and what reads a column of such a frame."""
    if engine == "pandas":
        return pd.DataFrame(columns), lambda frame: frame["q"].to_numpy()
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        frame = pd.DataFrame(columns)
        relation = duckdb.from_df(frame)
        return relation, lambda found: np.asarray(found.order("row").fetchnumpy()["q"], dtype=float)
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({key: list(values) for key, values in columns.items()})
    if engine == "polars lazy":
        return frame.lazy(), lambda found: found.collect()["q"].to_numpy()
    return frame, lambda found: found["q"].to_numpy()


@every_formula
@pytest.mark.parametrize("engine", ["pandas", "polars", "polars lazy", "duckdb"])
def test_frames_of_every_engine_have_the_same_values(name, engine):
    c_hat, X, p = WITH_FORMULA[name], features(), scores()
    frame, read = frame_of(engine, {"row": np.arange(160), **X, "p": p})
    found = c_hat.apply_to(frame, "p", "q")
    assert type(found) is type(frame)
    np.testing.assert_allclose(read(found), c_hat(X, p), rtol=0, atol=1e-12)


def test_frames_without_the_columns_and_invalid_scores_are_refused():
    frame = pd.DataFrame({**features(), "p": scores()})
    with pytest.raises(ValueError, match=r"frame must have the columns .*, got none called 'age'"):
        OFFSETS.apply_to(frame.drop(columns="age"), "p")
    with pytest.raises(ValueError, match="prob must hold scores in"):
        OFFSETS.apply_to(frame.assign(p=2.0), "p")
    assert OFFSETS.apply_to(frame.assign(p=2.0), "p", check=False)["calibrated"].isna().all()
    with pytest.raises(ValueError, match="X must have the column 'age'"):
        OFFSETS({"city": ["Bern"]}, [0.5])
    with pytest.raises(ValueError, match=r"p must .*\[0, 1\]"):
        OFFSETS(features(1), [1.5])
    with pytest.raises(ValueError, match="X"):
        OFFSETS(features(2), [0.5])


@pytest.mark.parametrize("name", ["boosted", "with boosted"])
def test_boosted_trees_have_no_formula(name):
    for call in (lambda c_hat: c_hat.to_sql("p"), lambda c_hat: c_hat.apply_to(pd.DataFrame({"p": [0.5]}), "p")):
        with pytest.raises(ValueError, match="a map of kind 'boosted' has no formula for SQL and data frames"):
            call(MAPS[name])


def test_kinds_of_columns_are_checked():
    X = features(3)
    with pytest.raises(ValueError, match="X must have numbers in column 'age', got categories"):
        BOOSTED({**X, "age": ["a", "b", "c"]}, [0.5] * 3)
    with pytest.raises(ValueError, match="X must have categories in column 'city', such as 'Bern'; got numbers"):
        BOOSTED({**X, "city": [1.0, 2.0, 3.0]}, [0.5] * 3)


def test_only_maps_that_fall_say_so():
    assert [name for name, c_hat in MAPS.items() if c_hat.decreasing] == ["falling"]
    text = MAPS["falling"].to_json()
    assert '"decreasing": true' in text
    with pytest.raises(ValueError, match="must say that it is decreasing"):
        fot.segments.FeatureMap.from_json(text.replace('"decreasing": true, ', ""))
    assert fot.segments.SegmentLinesMap([RULES[-1]], [0.0], [-1.0]).decreasing


TREE = {
    "columns": ["a", "b"],
    "levels": [[], ["x"]],
    "trees_per_stage": 1,
    "feature": [[0, 1, -1, -1, -1, -1, -1]],
    "threshold": [[1.0, 0.0, 0, 0, 0, 0, 0]],
    "missing_right": [[0] * 7],
    "sets": [[1]],
    "values": [[0.0] * 8],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": [1, 2]}, "columns must be names of features"),
        ({"levels": [[]]}, "levels must be given for each of 2 columns"),
        ({"trees_per_stage": 0}, "trees_per_stage must be a whole number, at least 1"),
        ({"feature": [[0] * 6]}, "feature must be rows of 7 numbers"),
        ({"feature": [[3] * 7]}, "feature must hold places of 2 columns"),
        ({"feature": [[0.5] * 7]}, "feature must hold whole numbers"),
        ({"threshold": [[0.0] * 7] * 2}, "threshold must have a row for each of 1 trees, got 2"),
        ({"threshold": [[float("nan")] * 7]}, "threshold must hold finite numbers"),
        ({"threshold": [[1.0, 5.0, 0, 0, 0, 0, 0]]}, "threshold must be the place of one of 1 sets, got 5"),
        ({"missing_right": [[2] * 7]}, "missing_right must be 0 or 1"),
        ({"sets": [[7]]}, "sets must hold numbers from 0 to 2"),
        ({"values": [["a"] * 8]}, "values must be rows of 8 numbers"),
        ({"reach": -1.0}, "reach must be a positive number or None"),
    ],
)
def test_what_is_no_boosted_map_is_refused(change, message):
    fot.segments.BoostedMap(**TREE)
    with pytest.raises(ValueError, match=message):
        fot.segments.BoostedMap(**{**TREE, **change})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fot.segments.SegmentOffsetsMap(float("nan"), 1.0, [], []), "intercept must be a finite number"),
        (
            lambda: fot.segments.SegmentOffsetsMap(0.0, 1.0, RULES[:2], [1.0]),
            "offsets must have a number for each of 2 rules",
        ),
        (lambda: fot.segments.SegmentOffsetsMap(0.0, 1.0, RULES[0], [1.0]), "rules"),
        (lambda: fot.segments.SegmentOffsetsMap(0.0, 1.0, [{}], [1.0]), "a rule must be a dict"),
        (lambda: fot.segments.SegmentOffsetsMap(0.0, 1.0, [], [], 0.0), "reach must be a positive number"),
        (lambda: fot.segments.SegmentLinesMap(RULES[:1], [0.0], [1.0]), "rules must begin with one without conditions"),
        (
            lambda: fot.segments.SegmentLinesMap(RULES[-1:], [0.0, 1.0], [1.0]),
            "intercepts must have a number for each of 1",
        ),
        (lambda: fot.segments.SegmentLinesMap(RULES[-1:], [0.0], [np.inf]), "slopes"),
        (lambda: fot.segments.FeatureMixtureMap([0.5, 0.6], [IDENTITY, OFFSETS]), "weights must not be negative"),
        (lambda: fot.segments.FeatureMixtureMap([1.0], [fot.maps.IdentityMap()]), "parts must hold maps of features"),
    ],
)
def test_what_is_no_map_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_maps_of_features_are_read_by_their_own_base():
    with pytest.raises(ValueError, match="which is read by FeatureMap"):
        fot.CalibrationMap.from_json(OFFSETS.to_json())
    with pytest.raises(ValueError, match="kind must be one that FeatureMap can read"):
        fot.segments.FeatureMap.from_json(fot.maps.IdentityMap().to_json())
    with pytest.raises(ValueError, match="must have the fields"):
        fot.segments.FeatureMap.from_dict({**IDENTITY.to_dict(), "more": 1})


def test_a_number_in_a_set_of_levels_stays_what_it_was():
    yes = {"conditions": [{"column": "ok", "relation": "in", "levels": [True]}]}
    c_hat = fot.segments.SegmentOffsetsMap(0.0, 1.0, [yes], [1.0])
    assert json.loads(c_hat.to_json())["rules"][0]["conditions"][0]["levels"] == [True]
    assert c_hat({"ok": [True, False]}, [0.5, 0.5]).round(3).tolist() == [0.731, 0.5]
