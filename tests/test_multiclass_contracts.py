"""What every family of several classes promises, checked over the registry: a new family is tested by existing."""

import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.validation import NotFittedError

import fitontest as fot
from fitontest.data.simplex_sample import SimplexSample
from tests.multiclass import draw, one_room  # noqa: F401 - the room is a fixture of all tests

VARIANTS = {
    **{name: fot.families.make(name) for name in fot.families.names("any")},
    "dirichlet": fot.families.Dirichlet(cv=2),
    "dir_l2": fot.families.make("dir_l2", cv=2),
    "dir_odir": fot.families.make("dir_odir", mu=1e-3, cv=2),  # all pairs are tested where they are chosen
    "msodir": fot.families.make("msodir", lambda_=1e-2, mu=1e-3),
    "diagonal_order": fot.families.make("diagonal_order", cv=2),
    "order_invariant": fot.families.make("order_invariant", cv=2),
    "order_preserving": fot.families.make("order_preserving", cv=2),
    "order_preserving-deep": fot.families.make("order_preserving", penalty=2.0, widths=(6, 5)),
    "temperature-unmixed": fot.families.Temperature(mix=False),
    "bias_corrected-free": fot.families.BiasCorrected(penalty=None),
    "vector-free": fot.families.Vector(penalty=None),
    "vector-cv": fot.families.Vector(penalty="cv", cv=3),
    "matrix-free": fot.families.Matrix(penalty=None),
    "matrix-cv": fot.families.Matrix(penalty="cv", cv=3),
    "dirichlet-undivided": fot.families.Dirichlet(1e-2, 1e-2, divide=False),
    "one_vs_rest-isotonic": fot.families.OneVsRest("isotonic"),
    "one_vs_rest-slope1": fot.families.OneVsRest(fot.Slope1(5)),
    "shared_isotonic-unscaled": fot.families.SharedIsotonic(temperature=False),
}
KEEP_ARGMAX = {"identity", "temperature", "temperature-unmixed", "shared_isotonic", "shared_isotonic-unscaled"}
KEEP_ARGMAX |= {"diagonal_order", "order_invariant", "order_preserving", "order_preserving-deep"}
CORNERS = np.array([[1.0, 0, 0, 0], [0, 0, 0, 1], [0.5, 0.5, 0, 0], [0.25] * 4, [1 - 1e-12, 1e-12, 0, 0]])
every_family = pytest.mark.parametrize("name", VARIANTS)
every_class = pytest.mark.parametrize("name", fot.families.names("any"))
HARD = {
    "one row": ([[0.2, 0.3, 0.5]], [1], [0, 1, 2]),
    "two rows": ([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], [1, 0], [0, 1, 2]),
    "one label": ([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1]], [1, 1, 1], [0, 1, 2]),
    "equal rows": ([[0.2, 0.3, 0.5]] * 12, [0, 1, 2] * 4, None),
    "uniform rows": ([[1 / 3, 1 / 3, 1 / 3]] * 12, [0, 1, 2] * 4, None),
    "certain and right": (np.eye(3)[[0, 1, 2] * 5], [0, 1, 2] * 5, None),
    "certain and wrong": (np.eye(3)[[1, 2, 0] * 5], [0, 1, 2] * 5, None),
    "separable": ([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.4, 0.5]] * 6, [0, 1, 2] * 6, None),
    "two classes": ([[0.6, 0.4], [0.2, 0.8], [0.9, 0.1], [0.3, 0.7]] * 6, [0, 1, 1, 0] * 6, None),
    "tiny": ([[1e-300, 1e-20, 1.0], [1.0, 0, 5e-324], [0, 1 - 1e-16, 1e-16]] * 6, [0, 1, 2, 2, 0, 1] * 3, None),
}


def fitted(name, P, y, w=None, labels=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        return clone(VARIANTS[name]).fit(P, y, w, labels=labels)


@cache
def standard(name):
    """Return the family fitted to the rows that most tests look at; nobody changes it."""
    return fitted(name, *draw())


def same(a, b, atol):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


@every_family
def test_outputs(name):
    P, y = draw()
    family = standard(name)
    assert isinstance(family.map_, fot.maps.MulticlassMap)
    np.testing.assert_array_equal(family.classes_, np.arange(4))
    for rows in (P, CORNERS):
        q = family.predict_proba(rows)
        assert q.shape == rows.shape
        assert q.dtype == np.float64
        assert ((q >= 0) & (q <= 1)).all()
        same(q.sum(axis=1), 1, 1e-12)
        np.testing.assert_array_equal(family.map_(rows), q)
        np.testing.assert_array_equal(family.transform(rows), q)
        np.testing.assert_array_equal(family.predict(rows), q.argmax(axis=1))
    assert family.score(P, y) > 0.2
    assert family.n_parameters_ >= 0


@every_family
def test_scikit_learn_conventions(name):
    family = VARIANTS[name]
    assert not hasattr(family, "map_")
    again = clone(family)
    assert repr(again) == repr(family)
    assert again.set_params(**family.get_params()) is again
    with pytest.raises(NotFittedError):
        again.predict_proba(CORNERS)
    assert repr(standard(name)) == repr(family)


@every_family
def test_a_fit_of_rows_is_pure_and_a_refit_forgets(name):
    P, y = draw()
    family = clone(VARIANTS[name])
    before = repr(vars(family))
    predictions = fot.read(y, P, reduction="classwise").whole
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        fitted = family.fit_map(SimplexSample.of(predictions).present)
        assert fitted.for_classes(predictions.classes) == standard(name).map_
        assert repr(vars(family)) == before
        assert family.fit(*draw(80, 3, seed=5)).fit_sample(SimplexSample.of(predictions).present) is family
    assert family.map_ == standard(name).map_
    assert vars(family).keys() == vars(standard(name)).keys()


@every_family
def test_the_map_survives_json_and_pickle_bit_by_bit(name):
    found = standard(name).map_
    text = found.to_json()
    for again in (
        fot.maps.MulticlassMap.from_json(text),
        type(found).from_json(text),
        pickle.loads(pickle.dumps(found)),
    ):
        assert again == found
        assert hash(again) == hash(found)
        assert again.to_json() == text
        np.testing.assert_array_equal(again(CORNERS), found(CORNERS))
    with pytest.raises(ValueError, match="kind must be one that CalibrationMap can read"):
        fot.CalibrationMap.from_json(text)


@every_family
def test_permuting_the_classes_permutes_the_outputs(name):
    P, y = draw()
    order = np.array([2, 0, 3, 1])
    permuted = fitted(name, P[:, order], np.argsort(order)[y])
    same(permuted.predict_proba(CORNERS[:, order]), standard(name).predict_proba(CORNERS)[:, order], 1e-8)
    same(permuted.predict_proba(P[:, order]), standard(name).predict_proba(P)[:, order], 1e-8)


@every_family
def test_the_order_of_the_rows_does_not_matter(name):
    P, y = draw()
    order = np.random.default_rng(1).permutation(y.size)
    same(fitted(name, P[order], y[order]).predict_proba(P), standard(name).predict_proba(P), 1e-9)


@every_family
def test_a_weight_of_two_is_the_row_twice_and_one_of_zero_is_none(name):
    P, y = draw()
    w = np.random.default_rng(2).integers(0, 4, y.size)
    weighted = fitted(name, P, y, w)
    same(weighted.predict_proba(P), fitted(name, np.repeat(P, w, axis=0), np.repeat(y, w)).predict_proba(P), 1e-8)
    assert name == "identity" or np.abs(weighted.predict_proba(P) - standard(name).predict_proba(P)).max() > 1e-4


@every_family
def test_weights_that_are_no_counts(name):
    P, y = draw()
    w = np.random.default_rng(2).choice([0.0, 0.5, 1.3, 2.0], y.size)
    found = fitted(name, P, y, w).predict_proba(P)
    same(fitted(name, P, y, 0.37 * w).predict_proba(P), found, 1e-8)
    kept = w > 0
    same(fitted(name, P[kept], y[kept], w[kept]).predict_proba(P), found, 1e-12)


@every_family
def test_the_largest_stays_the_largest_where_the_map_says_so(name):
    P, _ = draw(2000, seed=3)
    found = standard(name)
    assert found.map_.keeps_argmax == (name in KEEP_ARGMAX)
    if name in KEEP_ARGMAX:
        np.testing.assert_array_equal(found.predict(P), P.argmax(axis=1))


@every_class
def test_float32_is_its_float64_value(name):
    P, y = draw()
    single = P.astype(np.float32)
    a, b = (fitted(name, rows, y).predict_proba(single) for rows in (single, single.astype(np.float64)))
    np.testing.assert_array_equal(a, b)


@every_class
def test_labels_of_any_kind_in_any_order(name):
    P, y = draw()
    names = np.array(["ash", "birch", "cedar", "elm"])
    family = fitted(name, P, names[y])
    np.testing.assert_array_equal(family.classes_, names)
    np.testing.assert_array_equal(family.predict_proba(P), standard(name).predict_proba(P))
    assert set(family.predict(P)) <= set(names)
    order = [3, 1, 0, 2]
    other = fitted(name, P[:, order], names[y], labels=names[order])
    same(other.predict_proba(P[:, order]), family.predict_proba(P)[:, order], 1e-8)
    np.testing.assert_array_equal(other.predict(P[:, order]), family.predict(P))


@every_family
def test_a_class_without_rows(name):
    P, y = draw()
    kept = y != 2
    family = fitted(name, P[kept], y[kept], labels=range(4))
    q = family.predict_proba(P)
    assert np.isfinite(q).all()
    same(q.sum(axis=1), 1, 1e-12)
    if name not in KEEP_ARGMAX | {"one_vs_rest-slope1"}:  # all others learn that it does not occur
        assert q[:, 2].mean() < P[:, 2].mean() / 2


@every_family
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs(name, case):
    P, y, labels = HARD[case]
    P = np.asarray(P, dtype=float)
    for w in (np.linspace(0.1, 3, len(y)), None) if name in ("temperature", "vector", "matrix") else (None,):
        family = fitted(name, P, y, w, labels)
        for rows in (P, np.eye(P.shape[1])):
            q = family.predict_proba(rows)
            assert np.isfinite(q).all()
            same(q.sum(axis=1), 1, 1e-12)


@every_class
def test_refusals_name_the_argument_and_the_place(name):
    P, y = draw(20)
    family = clone(VARIANTS[name])
    off = P.copy()
    off[3] *= 0.99
    with pytest.raises(ValueError, match=r"P must have rows that add up to 1 .*, got a sum of 0.99 at row 4"):
        family.fit(off, y, labels=range(4))
    with pytest.raises(ValueError, match="P must have a column for each class, got 4 columns and 3 classes"):
        family.fit(P, y % 3)
    with pytest.raises(ValueError, match="must have the same number of rows"):
        family.fit(P, y, np.ones(19), labels=range(4))
    with pytest.raises(ValueError, match=r"sample_weight must not be negative, got -1\.0 at row 1"):
        family.fit(P, y, [-1.0] * 20, labels=range(4))
    with pytest.raises(ValueError, match="labels must list every class in y"):
        family.fit(P, np.full(20, 7), labels=range(4))
    family = standard(name)
    with pytest.raises(ValueError, match=r"P must lie in \[0, 1\], got 1.5 at row 1, column 2"):
        family.predict_proba([[0.0, 1.5, 0.0, 0.0]])
    with pytest.raises(ValueError, match="P must be finite"):
        family.predict_proba([[np.nan, 0.5, 0.5, 0.0]])
    if name not in ("diagonal_order", "identity", "shared_isotonic"):
        with pytest.raises(ValueError, match="P must have a column for each of the map's 4 classes, got 3 columns"):
            family.predict_proba([[0.2, 0.3, 0.5]])


@pytest.mark.parametrize("name", sorted(set(fot.families.names("any")) - set(fot.families.names("two"))))
def test_a_column_is_refused_with_those_that_take_one(name):
    for column in ([0.2, 0.8], [[0.2], [0.8]], np.array([0.2, 0.8])):
        with pytest.raises(ValueError, match="one column is taken by identity, stacking, temperature, and by all"):
            clone(VARIANTS[name]).fit(column, [0, 1])
    with pytest.raises(ValueError, match=f"family must be one that takes a column of scores, .*; got '{name}'"):
        fot.calibration_error([0, 1], [0.2, 0.8], family=name)
