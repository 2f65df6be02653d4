"""Fits of softmax maps: what is warned of where they stop."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fitontest.families.multiclass.softmax_full import full_objective
from fitontest.families.multiclass.softmax_objective import AIM, Penalty, warn_unless_exact
from fitontest.numerics.newton import minimise
from fitontest.numerics.softmax import SoftmaxProblem


@pytest.fixture
def objective():
    rng = np.random.default_rng(0)
    x, codes = np.log(rng.dirichlet([1, 1, 1], 300)), rng.integers(0, 3, 300)
    return full_objective(SoftmaxProblem(x, codes, None, 300.0), Penalty(np.full((3, 4), 1e-3), np.eye(3, 4)))


def test_a_gradient_is_judged_by_what_is_left_to_gain(objective):
    optimum = replace(minimise(objective, np.eye(3, 4), AIM), gradient=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warn_unless_exact(objective, optimum)  # a gradient of rounding: the loss is the least
    away = replace(optimum, theta=optimum.theta + 1e-3 * np.eye(3, 4))
    with pytest.warns(ConvergenceWarning, match=r"at a gradient of 1.0e-06 \(aim: 1e-09\)"):
        warn_unless_exact(objective, away)


def test_a_fit_that_has_not_converged_says_so(objective, monkeypatch):
    monkeypatch.setattr("fitontest.numerics.newton.MAX_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="the softmax fit stopped after 1 steps"):
        warn_unless_exact(objective, minimise(objective, np.eye(3, 4), AIM))
