"""The formulas of docs/theory.md for several classes are what the families fit: their maps, and what they minimise."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from tests.theory import CLOSE, Array, assert_minimal, class_data, class_loss, logit, rows, sigma, softmax, stated


class Several(NamedTuple):
    """A family of the second table: parameters to logits of rows x, the penalty, and where to read the parameters."""

    formula: str
    z: Callable[[Array, Array], Array]
    penalty: Callable[[Array, float], float]
    theta: Callable[[Any], Array]
    mixed: bool


def _split(t: Array) -> tuple[Array, Array]:
    return t[:9].reshape(3, 3), t[9:]


def _matrix_penalty(t: Array, n: float) -> float:
    A, b = _split(t)
    off = (A**2).sum() - (np.diag(A) ** 2).sum()
    return float(6 / n * off + 3 / n * (((np.diag(A) - 1) ** 2).sum() + (b**2).sum()))


def _dirichlet_penalty(t: Array, strength: float) -> float:
    A, b = _split(t)
    return float(strength * (((A**2).sum() - (np.diag(A) ** 2).sum()) / 6 + (b**2).sum() / 3))


SEVERAL = {
    "bias_corrected": Several(
        r"\mathrm{softmax}(s x + b)$, one $s$ | $\frac{K}{n} \sum_k b_k^2$",
        lambda t, x: t[0] * x + t[1:],
        lambda t, n: float(3 / n * (t[1:] ** 2).sum()),
        lambda m: np.append(m.W[0], m.b),
        mixed=False,
    ),
    "vector": Several(
        r"\mathrm{softmax}(v \cdot \ln q + b)$, entry by entry | "
        r"$\frac{K}{n} \bigl[ \sum_k (v_k - 1)^2 + \sum_k b_k^2 \bigr]$",
        lambda t, x: t[:3] * x + t[3:],
        lambda t, n: float(3 / n * (((t[:3] - 1) ** 2).sum() + (t[3:] ** 2).sum())),
        lambda m: np.append(m.W, m.b),
        mixed=True,
    ),
    "matrix": Several(
        r"\mathrm{softmax}(A \, \ln q + b)$ | $\frac{K (K - 1)}{n} \sum_{j \ne k} A_{jk}^2 "
        r"+ \frac{K}{n} \bigl[ \sum_k (A_{kk} - 1)^2 + \sum_k b_k^2 \bigr]$",
        lambda t, x: x @ _split(t)[0].T + t[9:],
        _matrix_penalty,
        lambda m: np.append(m.W.ravel(), m.b),
        mixed=True,
    ),
    "dirichlet": Several(
        r"\mathrm{softmax}(A \, x + b)$ | $\lambda \, \bigl[ \frac{1}{K (K - 1)} \sum_{j \ne k} A_{jk}^2 "
        r"+ \frac{1}{K} \sum_k b_k^2 \bigr]$",
        lambda t, x: x @ _split(t)[0].T + t[9:],
        _dirichlet_penalty,
        lambda m: np.append(m.W.ravel(), m.b),
        mixed=False,
    ),
}
AT = np.random.default_rng(5).dirichlet([1.0, 1.0, 1.0], 20)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_temperature_of_several_classes_is_mixed_with_the_uniform_distribution(weighted):
    stated(r"q = (1 - \alpha) \, \mathrm{softmax}(x / T) + \alpha / K", r"$\alpha = 1 / (n + 1)$")
    data = class_data(weighted=weighted)
    family = fot.families.make("temperature").fit(data.P, data.y, data.w)
    alpha, T = 1.0 / (data.w.sum() + 1.0), family.temperature_
    expected = (1 - alpha) * softmax(np.log(AT) / T) + alpha / 3
    assert family.predict_proba(AT) == pytest.approx(expected, abs=CLOSE)
    assert np.abs(expected - softmax(np.log(AT) / T)).max() > 1e-4  # mixing is seen
    assert_minimal(lambda t: class_loss(t[0] * np.log(data.P), data), np.array([1.0 / T]), [np.ones(1)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_softmax_families_minimise_loss_and_penalty(name, weighted):
    case, data = SEVERAL[name], class_data(weighted=weighted)
    stated(case.formula)
    n = float(data.w.sum())
    family = fot.families.make(name).fit(data.P, data.y, data.w)
    alpha = 1.0 / (n + 1.0)

    def scores(P: Array) -> Array:
        if not case.mixed:
            return np.log(P)
        return np.log((1 - alpha) * softmax(np.log(P) / family.temperature_) + alpha / 3)

    strength = family.best_lambda_ if name == "dirichlet" else n
    x = scores(data.P)

    def objective(t: Array) -> float:
        return class_loss(case.z(t, x), data) + case.penalty(t, strength)

    theta = case.theta(family.map_)
    assert family.predict_proba(AT) == pytest.approx(softmax(case.z(theta, scores(AT))), abs=CLOSE)
    assert family.objective_ == pytest.approx(objective(theta), rel=1e-9)
    assert_minimal(objective, theta, [np.zeros(theta.size)])
    if case.mixed:  # the first step is the temperature of the page
        beta = np.array([1.0 / family.temperature_])
        assert_minimal(lambda t: class_loss(t[0] * np.log(data.P), data), beta, [np.ones(1)])


def test_dirichlet_chooses_lambda_by_held_out_loss():
    stated(r"$\lambda$ the one of $10, 1, \dots, 10^{-5}$ with the smallest log loss over 5 folds")
    data = class_data()
    family = fot.families.make("dirichlet").fit(data.P, data.y)
    assert [pair[0] for pair in family.held_out_.candidates] == pytest.approx([10.0**k for k in range(1, -6, -1)])
    assert family.best_lambda_ == family.best_mu_ == family.held_out_.candidates[int(family.held_out_.mean.argmin())][0]


def test_one_vs_rest_divides_maps_of_each_class_by_their_sums():
    stated(r"$g_k(p) = r_k / \sum_j r_j$, $r_k = c_k(p_k) + 10^{-9} p_k$", "`beta`, or any family")
    data = class_data()
    r = np.stack([fot.families.make("beta").fit(data.P[:, k], data.y == k).predict(AT[:, k]) for k in range(3)], axis=1)
    r += 1e-9 * AT
    family = fot.families.make("one_vs_rest").fit(data.P, data.y)
    assert family.predict_proba(AT) == pytest.approx(r / r.sum(axis=1, keepdims=True), abs=CLOSE)


def test_shared_isotonic_fits_all_pairs_after_the_temperature():
    stated(r"$r_k = c(u_k) + 10^{-9} u_k$, $u = \mathrm{softmax}(x / T)$")
    data = class_data(weighted=True)
    family = fot.families.make("shared_isotonic").fit(data.P, data.y, data.w)
    beta = np.array([1.0 / family.temperature_])
    assert_minimal(lambda t: class_loss(t[0] * np.log(data.P), data), beta, [np.ones(1)])
    u = softmax(np.log(data.P) * beta)
    c = IsotonicRegression(out_of_bounds="clip").fit(u.ravel(), np.eye(3)[data.y].ravel(), np.repeat(data.w, 3))
    at = softmax(np.log(AT) * beta)
    r = c.predict(at.ravel()).reshape(at.shape) + 1e-9 * at
    assert family.predict_proba(AT) == pytest.approx(r / r.sum(axis=1, keepdims=True), abs=1e-8)


def _in_order(family: Any, P: Array, n: float) -> Array:
    """Return ln q after the first step of the page."""
    alpha = 1.0 / (n + 1.0)
    return np.log((1 - alpha) * softmax(np.log(P) / family.temperature_) + alpha / 3)


@pytest.mark.exhaustive
def test_the_polygon_of_all_classes_minimises_loss_and_penalty():
    stated(
        r"$g(p) = \mathrm{softmax}(f(\ln q))$, entry by entry | $\frac{\lambda}{n} \sum_b (s_b - 1)^2$, $s_b \ge .01$",
        "straight on 12 equal pieces of the range",
        "the largest of $100, 30, 10, 3, 1$ whose log loss over 3 folds is within a standard error of the smallest",
    )
    data = class_data(weighted=True)
    n = float(data.w.sum())
    family = fot.families.make("diagonal_order").fit(data.P, data.y, data.w)
    assert family.held_out_.candidates == (100, 30, 10, 3, 1)
    assert family.penalty_ == family.held_out_.candidates[family.held_out_.within_one_error]
    x = _in_order(family, data.P, n)
    edges = np.linspace(x.min(), 0.0, 13)
    low, high = np.append(-np.inf, edges[1:-1]), np.append(edges[1:-1], np.inf)

    def f(s: Array, x: Array) -> Array:
        return (np.clip(x[..., None], low, high) - np.maximum(low, edges[0])) @ s

    def objective(s: Array) -> float:
        return class_loss(f(s, x), data) + family.penalty_ / n * float(((s - 1.0) ** 2).sum())

    slopes = family.map_.slopes
    assert slopes.size == 12
    assert slopes.min() > 0.02  # no bound is reached
    assert family.predict_proba(AT) == pytest.approx(softmax(f(slopes, _in_order(family, AT, n))), abs=CLOSE)
    assert family.objective_ == pytest.approx(objective(slopes), rel=1e-6)
    assert_minimal(objective, slopes, [np.zeros(12)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["order_preserving", "order_invariant"])
def test_networks_rescale_the_gaps_of_the_sorted_row(name):
    stated(
        r"$f_{(k)} = \sum_{j = k}^{K - 1} (y_j - y_{j + 1}) \, m_j$ for the $k$-th largest entry, "
        r"$m_j = \ln(1 + (e - 1) \, e^{N_j})$",
        r"$\frac{\lambda}{n} \lVert \theta - \theta_0 \rVert^2$",
        "the same, $N$ of the sorted row $y$",
    )
    data = class_data()
    family = fot.families.make(name, penalty=1.0).fit(data.P, data.y)
    x = _in_order(family, AT, float(data.w.sum()))
    y = -np.sort(-x, axis=1)
    seen = (y if name == "order_invariant" else x) - x.mean(axis=1, keepdims=True)
    theta = family.map_.weights
    W, b, V, c = theta[:150].reshape(3, 50), theta[150:200], theta[200:300].reshape(50, 2), theta[300:]
    m = np.log(1 + (np.e - 1) * np.exp(np.tanh(seen @ W + b) @ V + c))
    rises = (y[:, :-1] - y[:, 1:]) * m
    f = np.stack([rises.sum(axis=1), rises[:, 1], np.zeros(len(y))], axis=1)
    q = np.take_along_axis(family.predict_proba(AT), np.argsort(-x, axis=1), axis=1)
    assert q == pytest.approx(softmax(f), abs=CLOSE)


def test_simplex_bins_shift_by_the_gap_of_the_cell():
    stated(r"| `SimplexBins` | $g(p) = p + \bar y_b - \bar p_b$ | means of the cells")
    data = class_data()
    g = fot.families.SimplexBins().fit(data.P, data.y).map_
    shift = g.evaluate(data.P) - data.P
    for cell in np.unique(shift.round(12), axis=0):
        inside = np.all(np.isclose(shift, cell, atol=1e-10), axis=1)
        gap = np.eye(3)[data.y[inside]].mean(axis=0) - data.P[inside].mean(axis=0)
        assert cell == pytest.approx(gap, abs=1e-9)


def test_a_column_is_neither_mixed_nor_penalised():
    stated("has the first form for a column: no mixing, no penalty")
    data = rows()
    family = fot.families.make("temperature").fit(data.p, data.y)
    assert family.predict(data.p) == pytest.approx(sigma(logit(data.p) / family.temperature_), abs=CLOSE)
