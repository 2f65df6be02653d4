"""What every family that sees features promises, checked over the registry: a new family is tested by existing."""

import pickle
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import fitontest as fot
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.repair.feature_family import FeatureFamily
from tests.segments.features.problems import labelled, mixed, rows_of

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

QUICKER = {  # of those that would take long
    "certified_offsets": {"draws": 40},
    "boosted": {"trees_per_stage": 6, "max_stages": 3, "folds": 2},
    "multicalibrated": {
        "members": ["identity", "segment_offsets", fot.segments.Boosted(trees_per_stage=3, max_stages=1)],
        "folds": 3,
    },
    "tree_of_maps": {"folds": 2},
}
SQL = {"multicalibrated": {"members": ["identity", "logistic", "segment_offsets"], "folds": 3}}
NAMES = [name for name in fot.families.names("features") if issubclass(fot.families.registry[name], FeatureFamily)]
every_family = pytest.mark.parametrize("name", NAMES)
N = 400


def made(name, **settings):
    return fot.families.make(name, **{**QUICKER.get(name, {}), **settings})


@cache
def problem():
    return labelled(N, offset=2.0)


@cache
def standard(name):
    """Return the family fitted to the rows that most tests look at; nobody changes it."""
    X, p, y = problem()
    return made(name).fit(X, y, scores=p)


@cache
def with_formula(name):
    """Return a map of the family that can be written as SQL, where it has one."""
    X, p, y = problem()
    return made(name, **SQL[name]).fit(X, y, scores=p).map_ if name in SQL else standard(name).map_


def proba(family, X, p):
    return family.predict_proba(X, scores=p)[:, 1]


def part(X, rows):
    return {name: values[rows] for name, values in X.items()}


def test_there_are_families():
    assert {"segment_offsets", "tree_of_maps", "boosted", "certified_offsets", "multicalibrated"} <= set(NAMES)


@every_family
def test_outputs(name):
    X, p, y = problem()
    family = standard(name)
    both = family.predict_proba(X, scores=p)
    assert both.shape == (N, 2)
    assert np.all((both >= 0) & (both <= 1))
    np.testing.assert_allclose(both.sum(axis=1), 1.0, atol=1e-15)
    assert not np.array_equal(both[:, 1], p)
    np.testing.assert_array_equal(family.predict(X, scores=p), family.classes_[both.argmax(axis=1)])
    assert family.score(X, y, scores=p) == np.mean(family.predict(X, scores=p) == y)
    assert isinstance(family.map_, fot.segments.FeatureMap)
    np.testing.assert_array_equal(both[:, 1], family.map_(X, p))
    both_columns = np.column_stack((1 - p, p))
    np.testing.assert_allclose(family.predict_proba(X, scores=both_columns), both, rtol=1e-9)


@every_family
def test_scikit_learn_conventions(name):
    family = made(name)
    assert not hasattr(family, "map_")
    again = clone(family)
    assert repr(again) == repr(family)
    assert again.set_params(**family.get_params(deep=False)) is again
    with pytest.raises(NotFittedError):
        again.predict_proba([[0.5]])
    copy = pickle.loads(pickle.dumps(standard(name)))
    X, p, _ = problem()
    np.testing.assert_array_equal(proba(copy, X, p), proba(standard(name), X, p))
    assert repr(clone(standard(name))) == repr(family)


@every_family
def test_the_order_of_rows_does_not_matter(name):
    X, p, y = problem()
    order = np.random.default_rng(1).permutation(N)
    again = made(name).fit(part(X, order), y[order], scores=p[order])
    assert again.map_.to_json() == standard(name).map_.to_json()


@every_family
@pytest.mark.parametrize("grouped", [False, True])
def test_a_weight_of_two_is_the_row_twice(name, grouped):
    X, p, y = labelled(240, offset=2.0)
    w = np.random.default_rng(2).integers(0, 4, 240)
    groups = np.random.default_rng(3).integers(0, 60, 240) if grouped else None
    twice = np.random.default_rng(4).permutation(np.repeat(np.arange(240), w))
    one = made(name).fit(X, y, w, groups, scores=p)
    other = made(name).fit(part(X, twice), y[twice], groups=None if groups is None else groups[twice], scores=p[twice])
    assert one.map_.to_json() == other.map_.to_json()


@every_family
def test_the_scale_of_importances_means_nothing(name):
    X, p, y = labelled(240, offset=2.0)
    w = np.random.default_rng(2).gamma(2.0, size=240)
    one, other = (proba(made(name).fit(X, y, scale * w, scores=p), X, p) for scale in (1.0, 1024.0))
    np.testing.assert_allclose(one, other, rtol=1e-12)
    third = proba(made(name).fit(X, y, w / 3.0, scores=p), X, p)
    np.testing.assert_allclose(one, third, atol=1e-5)


@every_family
def test_names_of_groups_do_not_matter_and_groups_share_a_fold(name):
    X, p, y = labelled(240, offset=2.0)
    groups = np.arange(240) // 4
    called = np.array([f"patient {7 * group % 61}" for group in groups])
    one, other = (made(name).fit(X, y, groups=ids, scores=p) for ids in (groups, called))
    assert one.map_.to_json() == other.map_.to_json()
    rows = rows_of(240, offset=2.0, groups=groups).canonical()
    for fold in dealt_rows(rows, 3, 0).held_out():
        assert not set(rows.groups[fold]) & set(rows.groups[~fold])


@every_family
def test_constant_columns_change_nothing(name):
    X, p, y = problem()
    more = {**X, "none": [None] * N, "level": ["a"] * N, "nan": np.full(N, np.nan)}
    again = made(name).fit(more, y, scores=p)
    assert not {"none", "level", "nan", "one"} & set(again.map_.features)
    np.testing.assert_allclose(proba(again, more, p), proba(standard(name), X, p), atol=1e-9)


@every_family
def test_what_is_not_known_of_a_row_does_no_harm(name):
    family = standard(name)
    X, p = part(mixed(4, 9), np.arange(4)), np.array([0.2, 0.4, 0.6, 0.8])
    unseen = {**X, "city": ["Paris", "Lima", None, "Bern"]}
    assert np.isfinite(proba(family, unseen, p)).all()
    assert proba(family, {**X, "city": ["Paris"] * 4}, p) == pytest.approx(
        proba(family, {**X, "city": ["Lima"] * 4}, p)
    )
    nothing = {key: [None] * 4 for key in X}
    empty = {key: np.full(4, np.nan) for key in X}
    np.testing.assert_array_equal(proba(family, nothing, p), proba(family, empty, p))
    assert np.isfinite(proba(family, nothing, p)).all()


@every_family
def test_missing_values_only_at_predict_time_are_taken(name):
    X, p, y = labelled(300, offset=2.0)
    X = mixed(300, missing=0.0) | {"age": X["age"]}
    family = made(name).fit(X, y, scores=p)
    assert np.isfinite(proba(family, {key: [None] * 3 for key in X}, [0.0, 0.5, 1.0])).all()


@every_family
@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "matrix"])
def test_frames_of_every_library_are_the_same(name, engine):
    X, p, y = problem()
    if engine == "matrix":
        matrix = np.column_stack([np.asarray(X[key], dtype=object) for key in X])
        family = made(name).fit(matrix, y, scores=p)
        assert not hasattr(family, "feature_names_in_")
        assert family.n_features_in_ == 5
        np.testing.assert_allclose(proba(family, matrix, p), proba(standard(name), X, p), atol=1e-9)
        return
    lists = {key: [None if value != value else value for value in values.tolist()] for key, values in X.items()}
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[engine](lists)
    family = made(name).fit(frame, y, scores=p)
    assert family.map_.to_json() == standard(name).map_.to_json()
    assert list(family.feature_names_in_) == list(X)
    np.testing.assert_array_equal(proba(family, frame, p), proba(standard(name), X, p))


@every_family
def test_single_precision_is_read_as_it_is(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    p = rng.random(300).astype(np.float32)
    y = rng.random(300) < np.where(X[:, 0] > 0, 0.9, 0.2)
    one, other = (made(name).fit(X.astype(dtype), y, scores=p.astype(dtype)) for dtype in (np.float32, np.float64))
    assert one.map_ == other.map_
    np.testing.assert_array_equal(proba(one, X, p), proba(other, X.astype(np.float64), p.astype(np.float64)))


@every_family
def test_numbers_may_be_categories(name):
    rng = np.random.default_rng(0)
    X = {"code": rng.integers(0, 5, N).astype(float), "x": rng.normal(size=N)}
    p = rng.uniform(0.2, 0.8, N)
    y = rng.random(N) < np.where(np.isin(X["code"], [1, 3]), 0.9, 0.2)
    family = made(name, categorical_features=["code"]).fit(X, y, scores=p)
    conditions = [one for rule in getattr(family.map_, "rules", ()) for one in rule.conditions if one.column == "code"]
    assert {one.relation for one in conditions} <= {"in", "missing", "present"}
    q = proba(family, {"code": [1.0, 2.0, 7.0, np.nan], "x": [0.0] * 4}, [0.5] * 4)
    assert q[0] > q[1] + 0.1
    assert np.isfinite(q).all()
    np.testing.assert_array_equal(family.map_({"code": [1.0, 2.0, 7.0, np.nan], "x": [0.0] * 4}, [0.5] * 4), q)
    whole = proba(family, {"code": [1, 2, 7, 4], "x": [0] * 4}, [0.5] * 4)
    np.testing.assert_array_equal(whole[:2], q[:2])


@every_family
def test_maps_return_by_json_bit_by_bit(name):
    X, p, _ = problem()
    c_hat = standard(name).map_
    again = fot.segments.FeatureMap.from_json(c_hat.to_json())
    assert again == c_hat
    np.testing.assert_array_equal(again(X, p), c_hat(X, p))


@every_family
@pytest.mark.parametrize("engine", ["sql", "pandas", "polars", "polars lazy", "duckdb"])
def test_sql_and_frames_compute_the_map(name, engine):
    duckdb = pytest.importorskip("duckdb")
    X, p, _ = problem()
    c_hat = with_formula(name)
    frame = pd.DataFrame({"row": np.arange(N), **X, "p": p})
    if name == "boosted":
        with pytest.raises(ValueError, match="no formula for SQL and data frames"):
            c_hat.to_sql("p") if engine == "sql" else c_hat.apply_to(frame, "p")
        return
    if engine == "sql":
        q = duckdb.sql(f"SELECT {c_hat.to_sql('p')} AS q FROM frame ORDER BY row").fetchnumpy()["q"]
    elif engine == "duckdb":
        q = c_hat.apply_to(duckdb.from_df(frame), "p", "q").order("row").fetchnumpy()["q"]
    elif engine == "pandas":
        q = c_hat.apply_to(frame, "p", "q")["q"].to_numpy()
    else:
        lists = pl.DataFrame({key: list(values) for key, values in {**X, "p": p}.items()})
        found = c_hat.apply_to(lists.lazy() if engine.endswith("lazy") else lists, "p", "q")
        q = (found.collect() if engine.endswith("lazy") else found)["q"].to_numpy()
    np.testing.assert_allclose(np.asarray(q, dtype=float), c_hat(X, p), rtol=0, atol=1e-12)


REFUSED = [
    (lambda X, p, y: ((X, np.zeros(N)), {"scores": p}), "y must have two classes.*got one class"),
    (lambda X, p, y: ((X, np.arange(N) % 3), {}), "Only binary classification is supported"),
    (lambda X, p, y: ((X, y, y), {"scores": p}), "y must have two classes.*in rows of positive weight; got one class"),
    (lambda X, p, y: ((X, y[:-1]), {"scores": p[:-1]}), "X and y|same length|lengths"),
    (lambda X, p, y: ((X, y), {"scores": p + 1.0}), "scores"),
    (lambda X, p, y: ((X, y), {"scores": p[:-1]}), "scores must have one score of the second class for each row"),
    (lambda X, p, y: ((X, y, -np.ones(N)), {}), "sample_weight must not be negative"),
    (lambda X, p, y: ((X, y, np.zeros(N)), {}), "sample_weight must have a positive sum"),
    (lambda X, p, y: (({**X, "age": np.full(N, np.inf)}, y), {}), "X column 'age' must be finite or missing"),
    (lambda X, p, y: ((X, None), {}), "requires y to be passed"),
    (lambda X, p, y: ((X, y, None, np.arange(N - 1)), {}), "groups"),
]


@every_family
def test_a_refused_fit_leaves_the_estimator_as_it_was(name):
    X, p, y = problem()
    family = made(name).fit(X, y, scores=p)
    before, values = family.map_, proba(family, X, p)
    for make, message in REFUSED:
        arguments, settings = make(X, p, y)
        with pytest.raises(ValueError, match=message):
            family.fit(*arguments, **settings)
        assert family.map_ is before
    np.testing.assert_array_equal(proba(family, X, p), values)


@every_family
def test_features_at_predict_time_are_those_of_the_fit(name):
    X, p, y = problem()
    family, few = standard(name), p[:3]
    rows = part(X, np.arange(3))
    for change, message in (
        ({"age": None}, "must have the columns of the fit, got none called 'age'"),
        ({"more": np.zeros(3)}, "must have the columns of the fit, .*; got 'more' too"),
    ):
        given = {key: values for key, values in {**rows, **change}.items() if values is not None}
        with pytest.raises(ValueError, match=message):
            family.predict_proba(given, scores=few)
    turned = dict(reversed(rows.items()))
    np.testing.assert_array_equal(proba(family, turned, few), proba(family, rows, few))
    framed = made(name).fit(pd.DataFrame(X), y, scores=p)
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        framed.predict_proba(pd.DataFrame(turned), scores=few)
    with pytest.raises(ValueError, match="X has 1 features, but"):
        made(name).fit(np.column_stack((X["age"], p)), y, scores=p).predict_proba(np.zeros((3, 1)), scores=few)
    with pytest.raises(ValueError, match="scores must be given where fit was given scores"):
        family.predict_proba(rows)
    with pytest.raises(ValueError, match="scores"):
        family.predict_proba(rows, scores=[0.5, 0.5])
    bare = made(name).fit(X, y)
    with pytest.raises(ValueError, match="scores must be left out where fit got none"):
        bare.predict_proba(rows, scores=few)
    assert bare.predict_proba(rows).shape == (3, 2)


@every_family
def test_scores_of_exactly_0_and_1_are_taken(name):
    X, p, y = labelled(400, offset=2.0)
    odd = np.where(p < 0.1, 0.0, np.where(p > 0.9, 1.0, p))
    family = made(name).fit(X, y, scores=odd)
    q = proba(family, X, odd)
    assert np.isfinite(q).all()
    for scores in (np.round(p), p**40, np.zeros(400)):
        assert np.isfinite(proba(made(name).fit(X, y, scores=scores), X, scores)).all()
    if name != "certified_offsets":
        assert np.log(np.where(y == 1, q, 1 - q)).mean() > -1.0


@every_family
def test_labels_are_of_any_type(name):
    X, p, y = problem()
    words = np.where(y == 1, "yes", "no")
    family = made(name).fit(X, words, scores=p)
    assert family.classes_.tolist() == ["no", "yes"]
    assert set(family.predict(X, scores=p)) == {"no", "yes"}
    np.testing.assert_array_equal(proba(family, X, p), proba(standard(name), X, p))


@every_family
@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_few_rows_are_enough(name, n):
    X, p = mixed(n), np.linspace(0.2, 0.8, n)
    family = made(name).fit(X, np.arange(n) % 2, scores=p)
    q = proba(family, X, p)
    assert np.all((q > 0) & (q < 1))


def behind():
    """Return a classifier for frames that hold categories."""
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["city", "member"]), ("passthrough", ["age"])
    )
    return make_pipeline(encoder, LogisticRegression(max_iter=1000))


@every_family
def test_it_stands_behind_a_classifier(name):
    X, _, y = labelled(360, offset=2.0)
    frame, w, groups = pd.DataFrame(X), np.random.default_rng(0).integers(1, 3, 360), np.arange(360) // 3
    family = made(name)
    crossed = fot.CalibratedClassifier(behind(), family=family, cv=2, ensemble=name != "boosted")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # the pipeline takes no weights
        crossed.fit(frame, y, w, groups)
    assert crossed.predict_proba(frame).shape == (360, 2)
    inner = crossed.calibrated_classifiers_[0].family_
    assert isinstance(inner, type(family))
    assert list(inner.feature_names_in_) == list(X)
    fitted = behind().fit(frame[:160], y[:160])
    frozen = fot.CalibratedClassifier(FrozenEstimator(fitted), family=family).fit(frame[160:], y[160:])
    p = fitted.predict_proba(frame)[:, 1]
    alone = made(name).fit(frame[160:], y[160:], scores=p[160:])
    np.testing.assert_allclose(frozen.predict_proba(frame), alone.predict_proba(frame, scores=p), rtol=1e-9)
    assert np.isfinite(frozen.predict_proba(frame.assign(city="Paris"))).all()


@every_family
def test_logits_and_scores_are_one(name):
    X, p, _ = problem()
    family = standard(name)
    np.testing.assert_array_equal(
        family.evaluate_logits(X, logit(p, LOGIT_EPS)[:, None]), family.predict_proba(X, scores=p)
    )
