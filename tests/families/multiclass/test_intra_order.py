"""Families whose maps keep the order within a row: formulas, gradients, optima, what they do not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

import fitontest as fot
from fitontest.families.multiclass.intra_order import PENALTIES
from fitontest.families.multiclass.order_preserving import GAIN
from fitontest.families.multiclass.ranked_rows import RankedRows
from fitontest.maps.multiclass.order_preserving import UNIT_SLOPE
from fitontest.numerics.network import count_weights, draw_weights, layers, outputs
from tests.multiclass import draw, one_room  # noqa: F401 - the room is a fixture of all tests

pytestmark = pytest.mark.multiplies

NAMES = ("diagonal_order", "order_invariant", "order_preserving")
NETWORKS = NAMES[1:]
make = fot.families.make
every_family = pytest.mark.parametrize("name", NAMES)
SCORES = st.sampled_from([0.0, 5e-324, 1e-300, 1e-17, 1e-9, 0.25, 0.5, 1.0]) | st.floats(0, 1)


def ranked(P, y, *, by_rank):
    return RankedRows.of(fot.read(y, P, reduction="canonical").present, 1e-16, by_rank=by_rank)


def assert_same_order(P, q):
    """For all pairs of each row: p_i > p_j gives q_i >= q_j, and p_i = p_j gives q_i = q_j."""
    above = P[:, :, None] > P[:, None, :]
    assert (q[:, :, None] >= q[:, None, :])[above].all()
    equal = P[:, :, None] == P[:, None, :]
    assert (q[:, :, None] == q[:, None, :])[equal].all()
    np.testing.assert_array_equal(q.argmax(axis=1), P.argmax(axis=1))


def random_map(seed, K, *, invariant, beta=1.3, mix=0.001):
    rng = np.random.default_rng(seed)
    sizes = [K, 7, 5, K - 1]
    return fot.maps.OrderPreservingMap(3 * rng.normal(size=count_weights(sizes)), sizes, invariant, beta, mix)


@given(
    arrays(float, (5, 4), elements=SCORES), st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 0.001, 1.0])
)
def test_whatever_the_network_the_order_stays(P, seed, invariant, mix):
    P[P.sum(axis=1) == 0] = 1.0
    P /= P.sum(axis=1, keepdims=True)
    assert_same_order(P, random_map(seed, 4, invariant=invariant, mix=mix)(P))


@given(
    arrays(float, (5, 6), elements=SCORES),
    st.lists(st.floats(-30, 5), min_size=1, max_size=6, unique=True),
    st.integers(0, 10_000),
    st.sampled_from([0.0, 1e-9, 1.3]),
)
def test_whatever_the_polygon_the_order_stays(P, knots, seed, beta):
    P[P.sum(axis=1) == 0] = 1.0
    P /= P.sum(axis=1, keepdims=True)
    slopes = np.maximum(np.random.default_rng(seed).normal(0.5, 1, len(knots) + 1), 0)
    assert_same_order(P, fot.maps.DiagonalOrderMap(np.sort(knots), slopes, beta, 1e-4)(P))


@every_family
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), K=st.sampled_from([2, 4]))  # for which other tests compile the losses too
def test_fitted_maps_keep_the_order_too(name, seed, K):
    P, y = draw(60, K, seed=seed)
    P[:5, :2] = P[:5, :2].mean(axis=1, keepdims=True)
    family = make(name, penalty=0.01).fit(P, y, labels=range(K))
    assert_same_order(P, family.predict_proba(P))


def test_the_map_is_the_product_of_the_paper():
    """f(x) = S(x)^-1 U w(x), with the matrices written out."""
    P, _ = draw(30, 4)
    for invariant in (True, False):
        c_hat = random_map(1, 4, invariant=invariant, beta=1.0, mix=0.0)
        for p, q in zip(P, c_hat(P), strict=True):
            x = np.log(np.maximum(p, 1e-16))
            S = np.eye(4)[np.argsort(-x)]
            y = S @ x
            seen = y if invariant else x
            a = seen - seen.mean()
            for layer, (W, b) in enumerate(layers(c_hat.weights, c_hat.sizes.tolist())):
                a = W.T @ (np.tanh(a) if layer else a) + b
            w = np.append((y[:-1] - y[1:]) * np.log1p(np.expm1(1.0) * np.exp(a)), 0.0)
            f = np.linalg.inv(S) @ np.triu(np.ones((4, 4))) @ w
            np.testing.assert_allclose(q, np.exp(f) / np.exp(f).sum(), rtol=0, atol=1e-12)


def test_order_invariant_maps_permute_with_the_classes():
    P, y = draw(200, 4)
    order = np.array([2, 0, 3, 1])
    c_hat = make("order_invariant", penalty=1.0).fit(P, y).map_
    np.testing.assert_allclose(c_hat(P[:, order]), c_hat(P)[:, order], rtol=0, atol=1e-14)
    other = make("order_invariant", penalty=1.0).fit(P[:, order], np.argsort(order)[y]).map_
    np.testing.assert_allclose(other(P), c_hat(P), rtol=0, atol=1e-14)  # the classes that a map was fitted to as well
    by_class = make("order_preserving", penalty=1.0).fit(P, y).map_
    assert np.abs(by_class(P[:, order]) - by_class(P)[:, order]).max() > 0.01


@pytest.mark.exhaustive
@pytest.mark.parametrize("invariant", [True, False])
def test_the_gradient_of_a_network_is_that_of_finite_differences(invariant):
    from fitontest.families.multiclass.intra_order_program import network_loss
    from fitontest.families.piecewise.undisturbed import undisturbed

    rows = ranked(*draw(80, 4), by_rank=invariant)
    sizes, rng = (4, 6, 5, 3), np.random.default_rng(0)
    theta, centre = rng.normal(size=(2, count_weights(sizes)))
    inputs = rows.x - rows.x.mean(axis=1, keepdims=True)

    def loss(t):
        return network_loss(t, centre, 0.03, inputs, rows.gaps, rows.ranks, rows.w, sizes)

    with undisturbed():
        value, gradient = map(np.asarray, loss(theta))
        numeric = [(loss(theta + h)[0] - loss(theta - h)[0]) / 2e-6 for h in 1e-6 * np.eye(theta.size)]
    np.testing.assert_allclose(gradient, np.array(numeric), rtol=0, atol=1e-8)
    c_hat = fot.maps.OrderPreservingMap(theta, sizes, invariant, rows.beta, rows.mix)
    P, y = draw(80, 4)
    q = c_hat(P[:, rows.columns])[np.arange(80), np.argsort(rows.columns)[y]]  # numpy computes what jax does
    assert value == pytest.approx(-np.log(q).mean() + 0.03 * ((theta - centre) ** 2).sum(), rel=1e-6)


def test_the_gradient_of_a_polygon_is_that_of_finite_differences():
    from fitontest.families.multiclass.intra_order_program import polygon_loss
    from fitontest.families.piecewise.undisturbed import undisturbed

    rows, knots = ranked(*draw(80, 4), by_rank=True), np.array([-3.0, -1.0, -0.2])
    slopes = np.array([0.3, 2.0, 0.7, 1.1])
    piece = np.searchsorted(knots, rows.y, side="right")
    beyond = rows.y - np.append(knots[0], knots)[piece]

    def loss(t):
        return polygon_loss(t, 0.03, np.diff(knots), piece, beyond, rows.ranks, rows.w)

    with undisturbed():
        gradient = np.asarray(loss(slopes)[1])
        numeric = [(loss(slopes + h)[0] - loss(slopes - h)[0]) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(gradient, np.array(numeric), rtol=0, atol=1e-8)


@pytest.mark.exhaustive
@pytest.mark.parametrize("penalty", [0.001, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_general_minimiser_finds_a_better_polygon(penalty, weighted):
    """The formula of the docstring, written down once more: ramps between the knots, slopes as .01 and a square."""
    P, y = draw(200, 4, seed=7)
    w = np.random.default_rng(0).integers(1, 4, y.size) if weighted else np.ones(y.size)
    family = make("diagonal_order", pieces=5, penalty=penalty).fit(P, y, w)
    x = np.log(fot.families.Temperature().fit(P, y, w).predict_proba(P))
    edges = np.linspace(x.min(), 0, 6)
    np.testing.assert_allclose(family.map_.knots, edges[1:-1], rtol=0, atol=1e-12)
    low, high = np.append(-np.inf, edges[1:-1]), np.append(edges[1:-1], np.inf)
    ramps = np.clip(x[:, :, None], low, high) - np.maximum(low, edges[0])  # (n, K, B)

    def objective(roots):
        f = ramps @ (0.01 + roots**2)
        f -= f.max(axis=1, keepdims=True)
        losses = np.log(np.exp(f).sum(axis=1)) - f[np.arange(y.size), y]
        return np.average(losses, weights=w) + penalty / w.sum() * np.sum((roots**2 - 0.99) ** 2)

    least = min(
        minimize(objective, start, method="BFGS", options={"gtol": 1e-8}).fun for start in (np.ones(5), [2.0] * 5)
    )
    assert family.objective_ == pytest.approx(
        objective(np.sqrt(family.map_.slopes - 0.01)), abs=1e-6
    )  # weights are float32
    assert objective(np.sqrt(family.map_.slopes - 0.01)) <= least + 1e-9


@pytest.mark.parametrize("name", NETWORKS)
def test_what_a_network_minimises(name):
    """The objective at the end, from the map alone; no line through the end leads much lower."""
    P, y = draw(300, 3, seed=2)
    family = make(name, penalty=3.0, widths=(4,)).fit(P, y)
    rows = ranked(P, y, by_rank=name == "order_invariant")
    scale = np.sqrt(((rows.x - rows.x.mean(axis=1, keepdims=True)) ** 2).mean())
    sizes = [3, 4, 2]
    start = draw_weights(sizes, np.random.default_rng(0))
    q = family.predict_proba(P)[np.arange(300), y]
    theta = family.map_.weights.copy()
    W, _ = next(layers(theta, sizes))
    W[:] = W[rows.columns] * scale
    assert family.objective_ == pytest.approx(-np.log(q).mean() + 3.0 / 300 * ((theta - start) ** 2).sum(), rel=1e-5)
    temperature = fot.families.Temperature().fit(P, y).predict_proba(P)[np.arange(300), y]
    assert family.objective_ <= -np.log(temperature).mean() - 10 * GAIN  # theta_0 is temperature scaling


@every_family
def test_a_strong_penalty_is_temperature_scaling(name):
    P, y = draw(200, 4)
    found = make(name, penalty=1e9).fit(P, y).predict_proba(P)
    np.testing.assert_allclose(found, fot.families.Temperature().fit(P, y).predict_proba(P), rtol=0, atol=1e-6)


def test_a_network_without_output_is_0_and_starts_are_drawn():
    sizes = [5, 7, 4]
    theta = draw_weights(sizes, np.random.default_rng(0))
    assert (outputs(theta, sizes, np.random.default_rng(1).normal(size=(9, 5))) == 0).all()
    assert np.count_nonzero(theta) == 35
    assert np.log1p(np.exp(UNIT_SLOPE)) == pytest.approx(1.0)


@every_family
def test_the_penalty_is_the_largest_within_one_error_of_the_best(name):
    P, y = draw(300, 3, seed=1, power=0.7)
    family = make(name, cv=4, random_state=2).fit(P, y)
    held_out = family.held_out_
    assert held_out.candidates == PENALTIES
    assert family.penalty_ == PENALTIES[held_out.within_one_error]
    assert make(name, penalty=family.penalty_, random_state=2).fit(P, y).map_ == family.map_
    folds = fot.read(y, P, reduction="canonical").present.in_folds(4, 2)[1]
    kept = np.setdiff1d(np.arange(300), folds[0])
    alone = make(name, penalty=10.0, random_state=2).fit(P[kept], y[kept]).predict_proba(P[folds[0]])
    expected = -np.log(np.clip(alone[np.arange(len(folds[0])), y[folds[0]]], 1e-6, 1 - 1e-6))
    np.testing.assert_allclose(held_out.losses[folds[0], 2], expected, rtol=0, atol=1e-4)


@every_family
def test_fits_are_the_same_every_time_and_leave_jax_alone(name):
    import jax

    P, y = draw(150, 3)
    before = {key: jax.config.values[key] for key in ("jax_enable_x64", "jax_default_device", "jax_disable_jit")}
    state = np.random.get_state()[1].copy()
    first, again = (make(name, penalty=1.0).fit(P, y).map_ for _ in range(2))
    assert first == again
    assert {key: jax.config.values[key] for key in before} == before
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    other = make(name, penalty=1.0, random_state=5).fit(P, y).map_
    assert (other == first) == (name == "diagonal_order")


@every_family
def test_logits_and_their_probabilities_give_one_map(name):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 4)) * 3
    P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
    y = (rng.random((300, 1)) > P.cumsum(axis=1)).sum(axis=1)
    logits, probabilities = make(name, penalty=30.0, input="logits").fit(Z, y), make(name, penalty=30.0).fit(P, y)
    np.testing.assert_allclose(logits.predict_proba(Z), probabilities.predict_proba(P), rtol=0, atol=1e-4)
    np.testing.assert_allclose(logits.map_(P), logits.predict_proba(Z), rtol=0, atol=1e-12)


@every_family
@pytest.mark.parametrize("K", [2, 300])
def test_few_and_many_classes(name, K):
    P, y = draw(150, K, seed=3)
    family = make(name, penalty=10.0).fit(P, y, labels=range(K))
    q = family.predict_proba(P)
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert_same_order(P, q)
    assert fot.maps.MulticlassMap.from_json(family.map_.to_json()) == family.map_


@pytest.mark.exhaustive
@every_family
def test_rows_that_fill_up_the_room_change_nothing(name, monkeypatch):
    P, y = draw(150, 4)
    wide = make(name, penalty=10.0).fit(P, y).predict_proba(P)
    monkeypatch.setattr("fitontest.families.multiclass.intra_order_program.LEAST_ROOM", 50)
    np.testing.assert_allclose(make(name, penalty=10.0).fit(P, y).predict_proba(P), wide, rtol=0, atol=1e-4)


def test_a_map_of_one_polygon_takes_any_number_of_classes():
    c_hat = make("diagonal_order", penalty=1.0).fit(*draw(200, 3)).map_.for_classes(None)
    assert c_hat.n_classes is None
    assert c_hat(draw(10, 5)[0]).shape == (10, 5)


@pytest.mark.exhaustive
def test_networks_follow_slopes_that_depend_on_the_confidence():
    """A truth that no temperature reaches: sure rows are overconfident, unsure ones are not."""
    rng = np.random.default_rng(0)
    Z = 2 * rng.normal(size=(6000, 4))
    largest = np.sort(Z, axis=1)[:, ::-1]
    slope = np.where(largest[:, 0] - largest[:, 1] > 1.5, 0.4, 1.2)[:, None]
    true = np.exp(slope * Z)
    true /= true.sum(axis=1, keepdims=True)
    P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
    y = (rng.random((6000, 1)) > true.cumsum(axis=1)).sum(axis=1)
    weak = {"penalty": 1.0}
    away = {
        name: np.abs(make(name, **options).fit(P[:3000], y[:3000]).predict_proba(P[3000:]) - true[3000:]).mean()
        for name, options in (
            ("temperature", {}),
            ("order_invariant", weak),
            ("order_preserving", weak),
            ("matrix", {}),
        )
    }
    assert away["order_invariant"] < 0.6 * min(away["temperature"], away["matrix"])
    assert away["order_preserving"] < 0.8 * min(away["temperature"], away["matrix"])


@pytest.mark.parametrize("value", [(), (0,), (5.0,), 5, "50", (3, True)])
def test_widths_are_checked(value):
    with pytest.raises(ValueError, match="widths must be whole numbers of units of hidden layers, at least one; got"):
        make("order_preserving", widths=value).fit(*draw(30, 3))


@pytest.mark.parametrize("value", [1, 2.5, None])
def test_pieces_are_checked(value):
    with pytest.raises(ValueError, match="pieces must be a whole number, at least 2; got"):
        make("diagonal_order", pieces=value).fit(*draw(30, 3))


@every_family
def test_other_settings_are_checked(name):
    P, y = draw(30, 3)
    for value in (0, None, "best", np.inf):
        with pytest.raises(ValueError, match='penalty must be a positive number or "cv", got'):
            make(name, penalty=value).fit(P, y)
    with pytest.raises(ValueError, match="cv must be a whole number of folds"):
        make(name, cv=1).fit(P, y)
    with pytest.raises(ValueError, match="eps must be a number in"):
        make(name, eps=0.7).fit(P, y)


def test_other_names():
    for alias, name in {"OP": "order_preserving", "OI": "order_invariant", "DIAG": "diagonal_order"}.items():
        assert type(make(alias)) is type(make(name))
    assert make("OI").fit(*draw(40, 3)).n_parameters_ == 3 * 50 + 50 + 50 * 2 + 2 + 1
    assert make("DIAG").fit(*draw(40, 3)).n_parameters_ == 12
