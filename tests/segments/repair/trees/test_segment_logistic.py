"""Many logistic regressions at once are those of one after the other."""

import numpy as np
from scipy.optimize import minimize

from fitontest.segments.repair.trees.segment_logistic import fit_segments

RIDGE = 1e-6


def objective(theta, x, t, w):
    z = theta[0] + theta[1] * x
    return (w * (np.logaddexp(0, z) - t * z)).sum() + RIDGE * theta[1] ** 2 / 2


def gradient(theta, x, t, w):
    r = w * (1 / (1 + np.exp(-(theta[0] + theta[1] * x))) - t)
    return np.array([r.sum(), r @ x + RIDGE * theta[1]])


def test_each_segment_is_at_its_own_optimum():
    rng = np.random.default_rng(0)
    segment = rng.integers(0, 40, 3000)
    x = rng.normal(size=3000) * (1 + segment) + 5.0 * segment
    t = (rng.random(3000) < 1 / (1 + np.exp(1 - 0.05 * (x - 5.0 * segment)))).astype(float)
    w = rng.integers(1, 4, 3000).astype(float)
    a, b = fit_segments(x, t, w, segment, 40, RIDGE)
    for s in range(40):
        rows = segment == s
        one = x[rows], t[rows], w[rows]
        assert np.abs(gradient([a[s], b[s]], *one)).max() < 1e-3 * rows.sum()
        best = minimize(objective, [0.0, 0.0], one, jac=gradient, method="BFGS", options={"gtol": 1e-9})
        assert objective([a[s], b[s]], *one) <= best.fun + 1e-8


def test_separated_labels_have_a_finite_optimum():
    x = np.array([-2.0, -1.0, 1.0, 2.0, 3.0, 3.0])
    t = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    a, b = fit_segments(x, t, np.ones(6), np.array([0, 0, 0, 0, 1, 1]), 2, RIDGE)
    assert np.abs(gradient([a[0], b[0]], x[:4], t[:4], np.ones(4))).max() < 1e-7
    assert 5 < b[0] < 50
    assert (a[1] + 3 * b[1], b[1]) == (0.0, 0.0)  # equal scores: the share of the labels
