"""One free knot: never worse than a dense scan, in which scipy finds the best values at every place of the knot."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

import fitontest as fot
from fitontest.families.piecewise.scan import gains_of_a_bend, places_between, promising
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.random import held_out_rows

pytestmark = pytest.mark.multiplies

BARE = {"n_bins": 2, "alpha": 0, "kappa": 0}
PLACES = np.linspace(0.05, 0.95, 40)


def drawn(kind, seed, decimals=None, n=30):
    """Return (y, p), in order: scores close to one another, as of a support vector machine, or uniform ones."""
    rng = np.random.default_rng(seed)
    if kind == "crowded":
        z = np.sort(rng.normal(0, 2, n))
        p, c = sigmoid(0.3 * z), sigmoid(z)
    else:
        p = np.sort(rng.random(n))
        c = p**2 if decimals is None else np.round(p, decimals) ** 2
    p = p if decimals is None else np.round(p, decimals)
    y = (rng.random(n) < c).astype(int)
    order = np.lexsort((y, p))
    return y[order], p[order]


def loss_of(name, loss, y, right, k, values):
    """Return the loss, summed, of a polygon and its derivatives with respect to the values at the knots."""
    f = values[k] * (1 - right) + values[k + 1] * right
    q, per_f = (f, 1.0) if name == "pl" else (sigmoid(f), sigmoid(f) * sigmoid(-f))
    if loss == "brier":
        cost, r = (y - q) ** 2, 2 * (q - y) * per_f
    elif name == "pl":
        cost, r = -np.log(np.where(y == 1, q, 1 - q)), np.where(y == 1, -1 / q, 1 / (1 - q))
    else:
        cost, r = np.logaddexp(0, np.where(y == 1, -f, f)), q - y
    gradient = np.bincount(k, r * (1 - right), values.size) + np.bincount(k + 1, r * right, values.size)
    return cost.sum(), gradient


def position(x, knots):
    """Return the segment of each score, and where in it the score is."""
    k = (x >= knots[1]).astype(int)
    return (x - knots[k]) / (knots[k + 1] - knots[k]), k


def least_of_a_scan(name, loss, y, p, ends):
    """Return the least loss over knots at all scores and half-way between them; the best are solved again, finely."""
    x = p if name == "pl" else logit(p, 1e-16)
    stops = np.unique(np.clip([*x, *ends], *ends))
    limit, usual = ((1e-7, 1 - 1e-7), (0.01, 0.99)) if name == "pl" else ((-40, 40), (-5, 5))

    def solve(knot, start, ftol):
        at = position(x, np.array([ends[0], knot, ends[1]]))
        objective = partial(loss_of, name, loss, y, *at)
        bounds, options = [limit] * 3, {"ftol": ftol}
        return minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)

    places, values, losses = np.sort([*stops[1:-1], *(stops[1:] + stops[:-1]) / 2]), [np.mean([usual] * 3, axis=1)], []
    with threadpool_limits(1):  # threads of BLAS that wait for a busy core take a hundred times as long
        for knot in places:
            roughly = solve(knot, np.clip(values[-1], *usual), 1e-5)
            values.append(roughly.x)
            losses.append(roughly.fun)
        return min(solve(places[k], values[k + 1], 1e-12).fun for k in np.argsort(losses)[:5])


def fitted_loss(name, loss, y, p, family, row=0):
    x, at = (family.knots_[row], p) if name == "pl" else (family.knots_logit_[row], logit(p, 1e-16))
    values = family.values_[row] if name == "pl" else family.map_.z[row]
    return loss_of(name, loss, y, *position(at, x), values)[0]


@pytest.mark.parametrize(
    ("name", "loss", "kind", "seed", "decimals"),
    [  # without the scan, from 1 % to 20 % above the least loss
        ("pl", "log_loss", "uniform", 7, None),
        ("pl", "log_loss", "uniform", 7, 1),
        ("pl", "brier", "uniform", 2, None),
        ("pl", "brier", "crowded", 1, 2),
        ("pl3", "log_loss", "crowded", 3, None),
        ("pl3", "log_loss", "crowded", 9, 2),
        ("pl3", "brier", "crowded", 9, 2),
        ("pl3", "brier", "uniform", 16, 1),
    ],
)
def test_no_place_of_the_knot_is_better(name, loss, kind, seed, decimals):
    y, p = drawn(kind, seed, decimals)
    family = fot.families.make(name, loss=loss, ensemble=False, **BARE).fit(p, y)
    ends = (0.0, 1.0) if name == "pl" else family.knots_logit_[0][[0, -1]]
    assert fitted_loss(name, loss, y, p, family) <= least_of_a_scan(name, loss, y, p, ends) * (1 + 1e-6)


@pytest.mark.parametrize(("name", "kind", "seed"), [("pl", "uniform", 7), ("pl3", "crowded", 3)])
def test_no_place_of_the_knot_is_better_in_any_fold(name, kind, seed):
    y, p = drawn(kind, seed)
    family = fot.families.make(name, cv=3, **BARE).fit(p, y)
    for fold, held_out in enumerate(held_out_rows(30, 3, 0)):
        y_seen, p_seen = np.delete(y, held_out), np.delete(p, held_out)
        ends = (0.0, 1.0) if name == "pl" else family.knots_logit_[fold][[0, -1]]
        least = least_of_a_scan(name, "log_loss", y_seen, p_seen, ends)
        assert fitted_loss(name, "log_loss", y_seen, p_seen, family, fold) <= least * (1 + 1e-6)


def test_gains_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(5, 2, 60))
    w, z = rng.random((2, 60)) * [[1.0], [0.0]] + [[0.0], [0.3]], rng.normal(size=(2, 60))
    at = places_between(x, x[0], x[-1])
    gains = gains_of_a_bend(at, x, w, w * z)
    for weights, target, ours in zip(w, z, gains, strict=True):
        root = np.sqrt(weights)

        def least(*columns, root=root, target=target):
            design = root[:, None] * np.stack([np.ones(60), x, *columns], axis=1)
            fitted = design @ np.linalg.lstsq(design, root * target, rcond=None)[0]
            return np.sum((root * target - fitted) ** 2)

        expected = [least() - least(np.maximum(x - t, 0)) for t in at]
        np.testing.assert_allclose(ours[1:-1], expected[1:-1], rtol=1e-6, atol=1e-9)
        # in the first and the last interval the bend takes a single node out
        np.testing.assert_allclose(ours[[0, -1]], np.array(expected)[[0, -1]], rtol=1e-4, atol=1e-9)


def test_places_are_nodes_and_the_middles_between_them():
    np.testing.assert_allclose(places_between(np.array([0.0, 0.2, 0.6]), 0.0, 1.0), [0.1, 0.2, 0.4, 0.6, 0.8])
    np.testing.assert_allclose(places_between(np.array([-3.0, 7.0]), -1.0, 1.0), [0.0])
    assert places_between(np.array([0.5]), 0.5, np.nextafter(0.5, 1)).size == 0


def test_promising_places_are_peaks_and_close_to_one_another_next_to_the_ends():
    gains = np.zeros((2, 200))
    gains[0, [90, 91, 92]] = 1.0, 3.0, 2.0
    gains[1, 130] = 1e-3
    chosen = promising(gains, 16)
    assert chosen.shape == (2, 16)
    assert np.all(np.diff(chosen, axis=1) > 0)
    assert 91 in chosen[0]
    assert 130 in chosen[1]
    for row in chosen:
        assert {0, 199} <= set(row)
        assert np.max(np.diff(row)) < 200 / 2
    np.testing.assert_array_equal(promising(gains[:, :9], 16), [range(9)] * 2)


@pytest.mark.parametrize("name", ["pl", "pl3"])
def test_scores_of_one_value_leave_no_place_to_try(name):
    family = fot.families.make(name, n_bins=2, ensemble=False).fit(np.full(30, 0.4), np.arange(30) % 2)
    np.testing.assert_allclose(family.predict(PLACES), family.predict([0.4])[0], atol=1e-12)
