"""Logits of any unit: a map of 1000 L is the map of L, whatever the numbers are, for families that take logits.

Networks give logits of some tens, products of them thousands, and classifiers that hardly learnt anything 1e-8. None of
them is cut off, nor taken for equal.
"""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import fitontest as fot
from fitontest.numerics.softmax import log_softmax, softmax
from tests.multiclass import one_room  # noqa: F401 - the room is a fixture of all tests

pytestmark = pytest.mark.multiplies

rng = np.random.default_rng(4)
L = rng.normal(0, 1.5, (500, 3))
Y = (softmax(0.8 * L + [0, 0.4, -0.4]).cumsum(axis=1) < rng.random((500, 1))).sum(axis=1)
SCALES = (1e-8, 1e-4, 100.0, 1e3, 1e6)
BY_DIFFERENCES = {  # families that see differences of logits alone, on a scale that follows from the data
    "temperature": fot.families.Temperature(),
    "temperature-unmixed": fot.families.Temperature(mix=False),
    "bias_corrected": fot.families.BiasCorrected(),
    "bias_corrected-free": fot.families.BiasCorrected(penalty=None),
    "vector": fot.families.Vector(),
    "vector-cv": fot.families.Vector(penalty="cv", cv=3),
    "matrix": fot.families.Matrix(),
    "matrix-cv": fot.families.Matrix(penalty="cv", cv=3),
    "shared_isotonic": fot.families.SharedIsotonic(),
    "diagonal_order": fot.families.make("diagonal_order", cv=2),
    "order_invariant": fot.families.make("order_invariant", penalty=10.0),
    "order_preserving": fot.families.make("order_preserving", penalty=10.0),
}
BY_LOG_PROBABILITIES = {  # those that see ln p, whose normalising term is no multiple of the logits
    "vector-free": fot.families.Vector(penalty=None),
    "matrix-free": fot.families.Matrix(penalty=None),
    "dirichlet": fot.families.Dirichlet(cv=2),
    "dirichlet-weak": fot.families.Dirichlet(1e-3, 1e-3),
    "dir_odir": fot.families.make("dir_odir", mu=1e-3, cv=2),
    "msodir": fot.families.make("msodir", lambda_=1e-2, mu=1e-3),
}
TOLERANCE = {"order_invariant": 5e-3, "order_preserving": 5e-3}  # networks in single precision
PENALISED = {"dir_l2": "its penalty draws all slopes to 0", "shared_isotonic-unscaled": "works in p"}


def fitted(family, scale):
    """Return the probabilities of the map of scaled logits; that a class has a slope below 0 may be said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        chosen = clone(family).set_params(input="logits").fit(scale * L, Y)
    return chosen, chosen.predict_proba(scale * L)


def loss(q):
    return float(-np.log(q[np.arange(Y.size), Y]).mean())


def test_every_family_that_takes_logits_is_here():
    takers = {
        name
        for name in fot.families.names("any")
        if "input" in inspect.signature(type(fot.families.make(name))).parameters
    }
    assert takers == {name.split("-")[0] for name in {*BY_DIFFERENCES, *BY_LOG_PROBABILITIES, *PENALISED}}


@pytest.mark.parametrize("name", BY_DIFFERENCES)
def test_the_unit_of_logits_does_not_matter(name):
    _, plain = fitted(BY_DIFFERENCES[name], 1.0)
    for scale in SCALES:
        family, q = fitted(BY_DIFFERENCES[name], scale)
        np.testing.assert_allclose(q, plain, rtol=0, atol=TOLERANCE.get(name, 1e-11), err_msg=f"{scale:g}")
        again = fot.maps.MulticlassMap.from_json(family.map_.to_json())
        np.testing.assert_array_equal(again.evaluate_log(scale * L), family.map_.evaluate_log(scale * L))


@pytest.mark.parametrize("name", BY_LOG_PROBABILITIES)
def test_log_probabilities_of_any_logits_are_fitted_as_well(name):
    best = loss(fitted(fot.families.BiasCorrected(penalty=None), 1.0)[1])
    for scale in SCALES:
        assert loss(fitted(BY_LOG_PROBABILITIES[name], scale)[1]) < best + 0.003, f"{scale:g}"


@pytest.mark.parametrize("name", ["vector-free", "matrix-free", "dirichlet-weak"])
def test_two_classes_whose_log_probabilities_make_up_for_one_another(name):
    """ln p_1 + ln p_2 hardly differs between rows then; the classes are not separated for all that."""
    Z, y = L[:, :2], (L[:, 1] - L[:, 0] > rng.logistic(0.3, 1.5, 500)).astype(int)
    losses = []
    for scale in (1.0, 1e-8):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(vector|matrix): ", fot.CalibrationWarning)  # of slopes below 0
            warnings.simplefilter("error", fot.results.SeparableDataWarning)
            q = clone(BY_LOG_PROBABILITIES[name]).set_params(input="logits").fit(scale * Z, y).predict_proba(scale * Z)
        losses.append(-np.log(q[np.arange(y.size), y]).mean())
    assert losses[1] == pytest.approx(losses[0], abs=5e-3)


@pytest.mark.parametrize("name", ["dirichlet", "msodir"])
def test_a_penalty_in_the_unit_of_the_logits_gives_the_same_map(name):
    """From some hundreds on ln p is the logit less the largest of the row, and slopes shrink as logits grow."""
    small = fitted(fot.families.make(name, lambda_=1.0, mu=1.0), 1e4)[1]
    large = fitted(fot.families.make(name, lambda_=1e6, mu=1.0), 1e7)[1]
    np.testing.assert_allclose(large, small, rtol=0, atol=1e-8)


def test_the_temperature_is_the_unit():
    family = fot.families.Temperature(input="logits", mix=False)
    one = family.fit(L, Y).temperature_
    assert family.fit(1000 * L, Y).temperature_ == pytest.approx(1000 * one, rel=1e-12)
    assert loss(softmax(1000 * L / family.temperature_)) == pytest.approx(loss(family.predict_proba(1000 * L)))


def test_probabilities_of_zero_and_rows_of_logits_that_fit_no_float_have_a_map():
    """A map of logits has no floor; applied to probabilities, arrays and SQL take the smallest float for zeros."""
    c_hat = fot.families.Matrix(input="logits").fit(1000 * L, Y).map_
    assert c_hat.eps == 0.0
    P = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    assert np.isfinite(c_hat(P)).all()
    np.testing.assert_allclose(c_hat.evaluate_log(np.log(P[2:])), c_hat(P[2:]), rtol=0, atol=1e-14)
    duckdb = pytest.importorskip("duckdb")
    columns = ", ".join(c_hat.to_sql(["a", "b", "c"]))
    rows = " union all ".join(f"select {a!r}::double a, {b!r}::double b, {c!r}::double c" for a, b, c in P.tolist())
    found = duckdb.sql(f"select {columns} from ({rows})").fetchall()
    np.testing.assert_allclose(np.sort(found, axis=0), np.sort(c_hat(P), axis=0), rtol=0, atol=1e-12)


def test_a_class_that_is_ruled_out_has_a_number():
    """A decision value of minus infinity is cut at the smallest float, as it were a probability of 0."""
    from fitontest.data.simplex_sample import SimplexSample

    Z = log_softmax(L)
    Z[0, (Y[0] + 1) % 3] = -np.inf
    rows = SimplexSample(Z, Y, [0, 1, 2], logs=True)
    for name in ("temperature", "vector", "dirichlet", "shared_isotonic"):
        c_hat = fot.families.make(name).fit_sample(rows).map_
        assert np.isfinite(c_hat.evaluate_log(Z)).all()
        assert np.isfinite(fot.families.make(name, input="logits").fit(L, Y).map_.evaluate_log(Z)).all()


def test_probabilities_given_as_logits_are_noticed():
    family = fot.families.Temperature(input="logits")
    said = r"^P holds probabilities, .* read as logits, .* leave out input=\"logits\"$"
    P = softmax(L)
    with pytest.warns(fot.CalibrationWarning, match=said):
        family.fit(P.astype(np.float32), Y)
    family.fit(L, Y)
    with pytest.warns(fot.CalibrationWarning, match=said):
        family.predict_proba(P)
    for rows in (log_softmax(L), P - 1e-3, 2.0 * P):  # logarithms of probabilities are logits; warnings are errors
        family.fit(rows, Y).predict_proba(rows)
