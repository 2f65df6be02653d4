"""The rows that a comparison keeps with the predictions of the chosen family in place of their scores."""

import numpy as np
import pytest

import fitontest as fot
from tests.strategies import noisy


@pytest.mark.parametrize("families", [["platt", "isotonic"], ["beta"]])
def test_the_calibrated_rows_have_the_errors_and_the_loss_of_the_chosen_family(families):
    y, p = noisy(400)
    comparison = fot.compare_calibrators(y, p**0.3, families=families, evaluators=["spline"], cv=5, rule="best")
    chosen = comparison[comparison.chosen]
    assert chosen.errors["spline"] == float(fot.calibration_error(comparison.calibrated, family="spline"))
    assert comparison.calibrated.mean_loss("log_loss") == pytest.approx(chosen.held_out.score, rel=1e-12)
    assert comparison.calibrated.n == 400


def test_they_are_those_of_the_test_set_where_there_is_one():
    y, p = noisy(400)
    comparison = fot.compare_calibrators(
        y[:300], p[:300] ** 0.3, families=["platt"], evaluators=[], test=(y[300:], p[300:] ** 0.3), rule="best"
    )
    assert comparison.chosen == "platt"
    assert np.allclose(
        np.sort(comparison.calibrated.p), np.sort(comparison.chosen_.predict(p[300:] ** 0.3)), atol=1e-12
    )


def test_whole_distributions_stay_whole():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1.0, 1.0, 1.0], 300)
    y = (P.cumsum(axis=1) > rng.random((300, 1))).argmax(axis=1)
    comparison = fot.compare_calibrators(
        y,
        P**3 / (P**3).sum(axis=1, keepdims=True),
        reduction="canonical",
        families=["temperature"],
        rule="best",
        evaluators=[],
    )
    assert comparison.chosen == "temperature"
    assert comparison.calibrated.p.shape == (300, 3)
    assert np.allclose(comparison.calibrated.p.sum(axis=1), 1.0)
