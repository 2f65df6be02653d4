"""Fits of several classes against brute force and the families of two classes, and one solver against another."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.families.multiclass.softmax_diagonal import Diagonal, DiagonalProducts
from fitontest.families.multiclass.softmax_full import Dense, Products
from fitontest.families.multiclass.softmax_objective import AIM, Penalty
from fitontest.numerics.newton import minimise
from fitontest.numerics.softmax import SoftmaxProblem
from tests.multiclass import draw
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

K = 3


def mean_loss(z, y, w):
    z = z - z.max(axis=1, keepdims=True)
    own = z[np.arange(y.size), y]
    return float(np.average(np.log(np.exp(z).sum(axis=1)) - own, weights=w))


def by_force(loss, start):
    """Return the smallest value that a general minimiser finds, from numerical derivatives."""
    return minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).fun


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "kind",
    ["bias", "vector", "vector_structured", "matrix", "matrix_structured", "odir", "dir_odir", "msodir", "dir_l2"],
)
def test_no_general_minimiser_finds_less(kind, weighted):
    """The formulas of the docstrings, written down once more."""
    P, y = draw(150, K, seed=4)
    w = np.random.default_rng(0).integers(1, 4, y.size) if weighted else None
    n = y.size if w is None else w.sum()
    x = np.log(P)
    off = ~np.eye(K, dtype=bool)
    if "structured" in kind:
        temperature = fot.families.Temperature().fit(P, y, w)
        x = np.log(temperature.predict_proba(P))

    def square(t):
        return t[: K * K].reshape(K, K), t[K * K :]

    def bias(t):
        return mean_loss(t[0] * x + t[1:], y, w) + 2.0 * K / n * np.sum(t[1:] ** 2)

    def vector(t, strength=0.0):
        v, b = t[:K], t[K:]
        return mean_loss(v * x + b, y, w) + strength * K / n * (np.sum((v - 1) ** 2) + np.sum(b**2))

    def matrix(t, strength=0.0):
        W, b = square(t)
        diagonal = np.sum((np.diag(W) - 1) ** 2) + np.sum(b**2)
        penalty = K * (K - 1) / n * np.sum(W[off] ** 2) + K / n * diagonal
        return mean_loss(x @ W.T + b, y, w) + strength * penalty

    def odir(t):
        W, b = square(t)
        return mean_loss(x @ W.T + b, y, w) + 0.3 / (K * (K - 1)) * np.sum(W[off] ** 2) + 0.05 / K * np.sum(b**2)

    def undivided(t, x=x):
        W, b = square(t)
        return mean_loss(x @ W.T + b, y, w) + 0.3 * np.sum(W[off] ** 2) + 0.05 * np.sum(b**2)

    def centred(t):
        return undivided(t, x - x.mean(axis=1, keepdims=True))

    def l2(t):
        return mean_loss(x @ square(t)[0].T + square(t)[1], y, w) + 0.02 * np.sum(t**2)

    make = fot.families.make
    one, full = np.append(np.ones(K), np.zeros(K)), np.append(np.eye(K).ravel(), np.zeros(K))
    family, loss, start = {
        "bias": (fot.families.BiasCorrected(penalty=2.0), bias, np.append(1.0, np.zeros(K))),
        "vector": (fot.families.Vector(penalty=None), vector, one),
        "vector_structured": (fot.families.Vector(penalty=0.7), lambda t: vector(t, 0.7), one),
        "matrix": (fot.families.Matrix(penalty=None), matrix, full),
        "matrix_structured": (fot.families.Matrix(penalty=0.7), lambda t: matrix(t, 0.7), full),
        "odir": (fot.families.Dirichlet(0.3, 0.05), odir, full),
        "dir_odir": (make("dir_odir", lambda_=0.3, mu=0.05), undivided, full),
        "msodir": (make("msodir", lambda_=0.3, mu=0.05), centred, full),
        "dir_l2": (make("dir_l2", lambda_=0.02), l2, full),
    }[kind]
    family.fit(P, y, w)
    least = by_force(loss, start)
    assert family.objective_ <= least + 1e-12
    assert family.objective_ == pytest.approx(least, abs=1e-8)
    c, b = family.map_.W, family.map_.b
    if kind == "msodir":  # the map is of ln p, whose mean the scores lack: of rows alike there the smallest was found
        c = c - ((c.sum(axis=1) - np.diag(c)) / (K - 1))[:, None]
    own = np.append(c[0], b) if kind == "bias" else np.append(c.ravel(), b)
    assert loss(own) == pytest.approx(family.objective_, abs=1e-10)
    assert b.sum() == pytest.approx(0, abs=1e-12)


def test_a_temperature_is_the_best_slope():
    P, y = draw(200, 5, seed=2)
    family = fot.families.Temperature(mix=False).fit(P, y)
    x = np.log(np.maximum(P, 1e-16))
    losses = {factor: mean_loss(factor / family.temperature_ * x, y, None) for factor in (0.999, 1.0, 1.001)}
    assert min(losses, key=losses.get) == 1.0
    mixed = fot.families.Temperature().fit(P, y)
    expected = (200 * family.predict_proba(P) + 1 / 5) / 201
    np.testing.assert_allclose(mixed.predict_proba(P), expected, rtol=0, atol=1e-14)


def test_scores_that_point_the_wrong_way_have_an_infinite_temperature():
    P, _ = draw(200, 3)
    with pytest.warns(fot.CalibrationWarning, match="another order of the columns of P is far more accurate"):
        family = fot.families.Temperature(mix=False).fit(P, P.argmin(axis=1))
    assert family.temperature_ == np.inf
    np.testing.assert_allclose(family.predict_proba(P), 1 / 3, rtol=0, atol=1e-15)


def test_separable_rows_warn_and_have_a_steep_map():
    P, _ = draw(60, 3)
    y = P.argmax(axis=1)
    for family in (
        fot.families.Temperature(mix=False),
        fot.families.BiasCorrected(),
        fot.families.Vector(penalty=None),
        fot.families.Matrix(penalty=None),
    ):
        with pytest.warns(fot.results.SeparableDataWarning, match=r"separate the (labels|classes)"):
            family.fit(P, y)
        assert (family.predict(P) == y).all()
        own = family.predict_proba(P)[np.arange(60), y]
        assert -np.log(own).mean() < 1e-3
    with pytest.warns(fot.results.SeparableDataWarning, match="vector: class 0 has no rows"):
        fot.families.Vector(penalty=None).fit(*draw(60, 3), labels=range(3)).fit(P[y > 0], y[y > 0], labels=range(3))
    for family in (fot.families.Vector(), fot.families.Matrix()):  # a penalty needs no ridge
        assert (family.fit(P, y).predict(P) == y).mean() > 0.9


@pytest.mark.parametrize("weighted", [False, True])
class TestTwoClasses:
    """Two columns are the families of two classes."""

    @staticmethod
    def both(several, two, weighted):
        rng = np.random.default_rng(3)
        p = rng.random(500) ** 2
        y = rng.random(500) < p**0.8 / (p**0.8 + 0.5 * (1 - p) ** 0.6)
        w = np.random.default_rng(0).lognormal(size=500) if weighted else None
        P = np.column_stack([1 - p, p])
        return several.fit(P, y, w).predict_proba(P)[:, 1], two.fit(p, y, w).predict(p)

    def test_vector_is_beta(self, weighted):
        several, two = self.both(fot.families.Vector(penalty=None), fot.Beta(), weighted)
        np.testing.assert_allclose(several, two, rtol=0, atol=1e-8)

    def test_vector_has_free_signs(self, weighted):
        """Where beta calibration holds a slope at 0."""
        rng = np.random.default_rng(1)
        p = rng.random(800)
        y = rng.random(800) < 1 / (1 + np.exp(-(1.5 * np.log(p) + 0.8 * np.log1p(-p) + 2)))
        w = rng.lognormal(size=800) if weighted else None
        with pytest.warns(fot.CalibrationWarning, match="class False has a slope of 0 or less"):
            free = fot.families.Vector(penalty=None).fit(np.column_stack([1 - p, p]), y, w)
        assert free.map_.W[0] < -0.3
        assert fot.Beta().fit(p, y, w).map_.b == 0

    def test_bias_corrected_is_platt(self, weighted):
        several, two = self.both(fot.families.BiasCorrected(penalty=None), fot.Platt(), weighted)
        np.testing.assert_allclose(several, two, rtol=0, atol=1e-9)

    def test_temperature_is_temperature(self, weighted):
        several, two = self.both(fot.families.Temperature(mix=False), fot.families.Temperature(), weighted)
        np.testing.assert_allclose(several, two, rtol=0, atol=1e-9)


def compare_products(single, double, theta):
    """Hold exact products of the Hessian to differences of gradients, and rounded products to exact ones."""
    D = np.random.default_rng(2).normal(size=theta.shape)
    h = 1e-6
    up, down = (double.evaluate(theta + sign * h * D).gradient for sign in (1, -1))
    exact = double.product(double.evaluate(theta).curvature, D)
    np.testing.assert_allclose((up - down) / (2 * h), exact, rtol=0, atol=1e-6)
    rounded = single.product(single.evaluate(theta).curvature, D) - 2 * single.penalty.strength * D
    np.testing.assert_allclose(rounded, exact, rtol=0, atol=2e-6 * np.abs(exact).max())
    assert not np.array_equal(rounded, exact)  # they are of single precision


@pytest.mark.parametrize("classes", [5, 45])
@pytest.mark.parametrize("weighted", [False, True])
def test_conjugate_gradients_find_what_dense_steps_find(classes, weighted):
    """5 classes in blocks of each, 45 by multiples of one block, against a problem that both can solve."""
    P, y = draw(400, classes, seed=1)
    w = np.random.default_rng(0).lognormal(size=400) if weighted else None
    total = 400.0 if w is None else float(w.sum())
    problem = SoftmaxProblem(np.log(np.maximum(P, 1e-4)), y, w, total)
    strength = np.full((classes, classes + 1), classes / 400)
    start = np.eye(classes, classes + 1)
    products = Products(problem, Penalty(strength, start))
    found = minimise(products, start, AIM)
    assert found.gradient < 1e-9
    assert products.evaluate(found.theta).value == found.objective
    compare_products(products, Products(problem, Penalty(0 * strength, start)), found.theta)
    if classes == 5:
        dense = minimise(Dense(problem, Penalty(strength, start)), start, AIM)
        np.testing.assert_allclose(found.theta, dense.theta, rtol=0, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_conjugate_gradients_find_the_vector_of_dense_steps(weighted):
    P, y = draw(400, 12, seed=1)
    w = np.random.default_rng(0).lognormal(size=400) if weighted else None
    problem = SoftmaxProblem(np.log(np.maximum(P, 1e-4)), y, w, 400.0 if w is None else float(w.sum()))
    start = np.stack([np.ones(12), np.zeros(12)], axis=1)
    single, double = (DiagonalProducts(problem, Penalty(np.full((12, 2), s), start)) for s in (12 / 400, 0.0))
    found = minimise(single, start, AIM)
    assert found.gradient < 1e-9
    dense = minimise(Diagonal(problem, single.penalty), start, AIM)
    np.testing.assert_allclose(found.theta, dense.theta, rtol=0, atol=1e-9)
    compare_products(single, double, found.theta)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
@pytest.mark.parametrize("make", [Products, DiagonalProducts])
def test_products_of_single_precision_hold_weights_of_any_scale(make, scale):
    P, y = draw(400, 5, seed=1)
    w = np.random.default_rng(0).lognormal(size=400)
    x = np.log(np.maximum(P, 1e-4))
    start = np.eye(5, 6) if make is Products else np.stack([np.ones(5), np.zeros(5)], axis=1)
    D, found = np.random.default_rng(2).normal(size=start.shape), []
    for weights in (w, scale * w):
        objective = make(SoftmaxProblem(x, y, weights, float(weights.sum())), Penalty(0.1 + 0.0 * start, start))
        found.append(objective.product(objective.evaluate(start).curvature, D))
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-6)


def test_logits_and_their_probabilities_give_one_map():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 4)) * 3
    P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
    y = (rng.random((300, 1)) > P.cumsum(axis=1)).sum(axis=1)
    for kind in (
        fot.families.Temperature,
        fot.families.BiasCorrected,
        fot.families.Vector,
        fot.families.Matrix,
        fot.families.SharedIsotonic,
    ):
        logits, probabilities = kind(input="logits").fit(Z, y), kind().fit(P, y)
        np.testing.assert_allclose(logits.predict_proba(Z), probabilities.predict_proba(P), rtol=0, atol=1e-9)
        np.testing.assert_allclose(logits.map_(P), logits.predict_proba(Z), rtol=0, atol=1e-12)
        shifted = kind(input="logits").fit(Z + rng.normal(size=(300, 1)), y)  # a constant of a row means nothing
        np.testing.assert_allclose(shifted.predict_proba(Z), logits.predict_proba(Z), rtol=0, atol=1e-9)


def test_large_logits_are_not_clipped():
    Z = np.array([[60.0, 0, 0], [0, 60, 0], [0, 0, 60], [60, 0, 0]] * 20)
    y = np.array([0, 1, 2, 1] * 20)
    P = np.exp(Z - 60)
    P /= P.sum(axis=1, keepdims=True)
    steep, clipped = fot.families.Temperature(input="logits").fit(Z, y), fot.families.Temperature().fit(P, y)
    assert 60 / steep.temperature_ == pytest.approx(-np.log(1e-16) / clipped.temperature_, rel=1e-6)
    with pytest.raises(ValueError, match="P must be finite, got inf at row 1, column 2"):
        fot.families.Vector(input="logits").fit([[0.0, np.inf]], [0])
    with pytest.raises(ValueError, match="input must be 'probabilities' where p is one column, got 'logits'"):
        fot.families.Temperature(input="logits").fit([0.2, 0.4], [0, 1])
    with pytest.raises(ValueError, match="input must be one of 'probabilities', 'logits'; got 'scores'"):
        fot.families.Matrix(input="scores").fit([[0.2, 0.8]], [0], labels=[0, 1])


def test_one_estimator_for_a_column_and_for_several():
    y, p = noisy(200)
    P, z = draw(200, 3)
    for family in (fot.families.Temperature(), fot.families.Identity()):
        family.fit(p, y)
        assert isinstance(family.map_, fot.CalibrationMap)
        assert family.predict(p).dtype == float
        assert family.predict_proba(p[:, None]).shape == (200, 2)
        family.fit(P, z)
        assert isinstance(family.map_, fot.maps.MulticlassMap)
        assert family.predict(P).dtype == z.dtype
        assert family.predict_proba(P).shape == (200, 3)
        with pytest.raises(ValueError, match="P must be a matrix with a row per prediction"):
            family.predict_proba(p)
        family.fit(p, y)
        assert not hasattr(family, "classes_")
        with pytest.raises(ValueError, match="labels must be left out where p is one column"):
            family.fit(p, y, labels=[0, 1])
        with pytest.raises(ValueError, match="pos_label must be left out where p has several columns, got 1"):
            family.fit(P, z, pos_label=1)


def test_shared_isotonic_is_one_isotonic_map_of_all_entries():
    P, y = draw(80, 3)
    family = fot.families.SharedIsotonic(temperature=False).fit(P, y)
    pairs = fot.Isotonic().fit(P.ravel(), (y[:, None] == np.arange(3)).ravel())
    assert family.map_.part == pairs.map_
    r = pairs.predict(P.ravel()).reshape(P.shape) + 1e-9 * P
    np.testing.assert_allclose(family.predict_proba(P), r / r.sum(axis=1, keepdims=True), rtol=0, atol=1e-15)


def test_one_vs_rest_is_a_family_for_each_class():
    P, y = draw(200, 3)
    family = fot.families.OneVsRest("platt").fit(P, y)
    assert [one.map_ for one in family.families_] == [fot.Platt().fit(P[:, k], y == k).map_ for k in range(3)]
    assert family.n_parameters_ == 6
    with pytest.raises(ValueError, match="family must be one that takes a column of scores"):
        fot.families.OneVsRest("matrix").fit(P, y)
