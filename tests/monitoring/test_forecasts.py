"""Another forecast against the scores: published numbers, enumerations, late and missing labels."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot
from fitontest.monitoring.forecasts.interleaved import factor_of_lag, mean_products
from fitontest.monitoring.nulls.another_forecast import AnotherForecast
from tests.monitoring.enumeration import mean_over

EPROB = Path(__file__).parents[3] / "shared" / "data" / "golden" / "golden_eprob.json"
P, Q = np.array([0.1, 0.5, 0.0, 0.9, 0.3]), np.array([0.4, 0.2, 0.3, 1.0, 0.3])
Y = [1, 0, 0, 1, 1]


@pytest.fixture(scope="module")
def eprob():
    """Return the draws of the examples of the R package eprob."""
    if not EPROB.exists():
        pytest.skip("the draws of R are not here")
    return json.loads(EPROB.read_text())


@pytest.mark.parametrize(
    ("weight", "name", "digits"),
    [(1.0, "bettor q", 11), (0.75, "bettor .75 q + .25 p", 7), (0.6, "bettor .6 q + .4 p", 10)],
)
def test_the_evidence_is_that_of_eprob(eprob, weight, name, digits):
    draws = eprob["seed_321"]
    evidence = fot.forecast_evidence(draws["y"], draws["p"], draws["q"], weight=weight)
    assert f"{evidence.e_value:.{digits}g}" == f"{eprob['published'][name]:.{digits}g}"


def test_the_first_row_at_20_is_that_of_eprob(eprob):
    draws = eprob["seed_321"]
    evidence = fot.forecast_evidence(draws["y"], draws["p"], draws["q"], weight=1.0)
    row, value = eprob["published"]["first E >= 20"]
    assert evidence.alarm_since == row - 1
    assert round(np.exp(evidence.log_es[row - 1]), 5) == value


def test_with_a_lag_missing_labels_keep_their_places_as_in_eprob(eprob):
    draws, published = eprob["seed_345_lag_3"], eprob["published"]
    evidence = fot.forecast_evidence(draws["y"], draws["p"], draws["q"], weight=1.0, lag=3)
    assert evidence.n_labels == 800
    assert f"{evidence.e_value:.6g}" == f"{published['lag 3, mean of three interleaved products']:.6g}"
    y, p, q = (np.array(draws[name], dtype=float) for name in "ypq")
    known = ~np.isnan(y)
    wrong = fot.forecast_evidence(y[known], p[known], q[known], weight=1.0, lag=3)
    assert f"{wrong.e_value:.7g}" == f"{published['lag 3, missing rows dropped (wrong)']:.7g}"


def test_the_evidence_of_five_rows_by_hand():
    factors = [(0.325 / 0.25), (1 - 0.275) / (1 - 0.35), (1 - 0.225) / (1 - 0.15), 0.975 / 0.95, 1.0]
    evidence = fot.forecast_evidence(Y, P, Q)
    np.testing.assert_allclose(np.exp(evidence.log_es), np.cumprod(factors), rtol=1e-14)
    by_two = fot.forecast_evidence(Y, P, Q, lag=2)
    first, second = factors[0] * factors[2] * factors[4], factors[1] * factors[3]
    assert by_two.e_value == pytest.approx((first + second) / 2, rel=1e-14)
    late = fot.forecast_evidence([1, None, 0, 1, 1], P, Q, lag=2)
    assert late.e_value == pytest.approx((first + factors[3]) / 2, rel=1e-14)


@pytest.mark.parametrize("lag", [1, 2, 3])
@pytest.mark.parametrize("weight", [0.6, 1.0])
def test_of_rates_in_the_middle_or_beyond_the_mean_is_at_most_1(weight, lag):
    limits = AnotherForecast(P, Q).limits

    def evidence(y):
        return fot.forecast_evidence(y, P, Q, weight=weight, lag=lag).e_value

    middle = (P + Q) / 2
    assert mean_over(middle, evidence) == pytest.approx(1.0, abs=1e-12)
    beyond = np.where(Q > P, 0.3 * middle, np.where(Q < P, 0.3 + 0.7 * middle, 0.9))
    assert ((limits.low <= beyond) & (beyond <= limits.high)).all()
    assert mean_over(beyond, evidence) < 1.0


def test_p_values_with_a_lag_are_of_the_largest_of_each_product():
    factors = np.exp(AnotherForecast(P, Q).log_factors(np.array(Y, dtype=float), 0.75))
    evidence = fot.forecast_evidence(Y, P, Q, lag=2)
    first = [1.0, factors[0], factors[0] * factors[2]]
    second = [1.0, factors[1], factors[1] * factors[3]]
    expected = [2.0 / np.mean([max(first[:m]), max(second[:k])]) for m, k in ((2, 1), (2, 2), (3, 2), (3, 3), (3, 3))]
    np.testing.assert_allclose(evidence.p_values, np.minimum(1.0, expected), rtol=1e-14)
    assert (fot.forecast_evidence(Y, P, Q).p_values == np.exp(-np.maximum.accumulate(np.cumsum(np.log(factors))))).all()


def test_products_do_not_depend_on_how_rows_are_cut_into_pieces(monkeypatch):
    factors = np.random.default_rng(0).normal(0, 0.2, 50)
    whole = mean_products(factors, 3)
    monkeypatch.setattr("fitontest.monitoring.forecasts.interleaved.BLOCK", 21)
    np.testing.assert_allclose(mean_products(factors, 3), whole, rtol=1e-12)
    products = [np.exp(np.cumsum(factors[k::3])) for k in range(3)]
    assert np.exp(whole[0][-1]) == pytest.approx(np.mean([each[-1] for each in products]))
    assert np.exp(whole[1][-1]) == pytest.approx(np.mean([max(1.0, each.max()) for each in products]))


def test_the_factor_of_a_lag_is_that_of_harmonic_means():
    assert [factor_of_lag(h) for h in (1, 2)] == [1.0, 2.0]
    for h in (3, 4, 10, 400):
        y = np.geomspace(1e-3, 1e5, 200_001)
        best = ((y + h) ** 2 / ((y + 1) * h))[np.argmin(np.abs(y**2 - h * ((y + 1) * np.log1p(y) - y)) / y**2)]
        assert factor_of_lag(h) == pytest.approx(best, rel=1e-3)
        assert factor_of_lag(h) <= np.e * np.log(h)


@pytest.mark.parametrize("column", [pd.Series, pl.Series, np.array, tuple], ids=["pandas", "polars", "numpy", "tuple"])
def test_missing_labels_of_any_column_are_left_out(column):
    y = [1.0, None, 0.0, 1.0, 1.0]
    given = np.array(y, dtype=float) if column is np.array else column(y)
    evidence = fot.forecast_evidence(given, P, Q)
    assert evidence.n_labels == 4
    assert evidence.log_es[0] == evidence.log_es[1]


def test_a_sure_bet_that_is_wrong_makes_the_evidence_0_and_stays_in_json():
    evidence = fot.forecast_evidence([0, 1], [0.2, 0.5], [1.0, 0.4], weight=1.0)
    assert (evidence.e_value, evidence.p_value, evidence.alarm) == (0.0, 1.0, False)
    values = json.loads(evidence.to_json())
    assert (values["log_e"], values["e_value"]) == (None, 0.0)
    assert "(E = 0, p = 1.0 at any time)" in str(evidence)


def test_what_is_printed_says_since_when():
    y = np.ones(60)
    evidence = fot.forecast_evidence(y, np.full(60, 0.5), np.full(60, 0.9))
    assert evidence.alarm_since == 22
    text = " ".join(str(evidence).split())
    assert "refuted is that it never is, since row 23 (now E = 3,017" in text
    assert fot.forecast_evidence(1 - y, np.full(60, 0.5), np.full(60, 0.9)).alarm_since is None
    assert list(evidence.to_frame().columns) == ["row", "log_e", "e_value", "p_value", "alarm"]


BAD = {
    "weight": ({"weight": 0.5}, r"weight must be a number in \(0\.5, 1\], got 0\.5"),
    "lag": ({"lag": 0}, "lag must be a whole number of rows, at least 1, got 0"),
    "alpha": ({"alpha": 1.0}, "alpha must be a number in"),
    "no label": ({"y_true": [None] * 5}, "y_true must hold a label that is not missing, got 5 rows"),
    "label": ({"y_true": [1, 0, 2, 1, 1]}, "y_true"),
    "length": ({"y_other": Q[:4]}, "y_true and y_other must have the same number of rows"),
    "score": ({"y_other": Q + 1}, "y_other"),
    "missing score": ({"y_prob": [0.1, None, 0.2, 0.3, 0.4]}, "y_prob must not have missing"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fot.forecast_evidence(**{"y_true": Y, "y_prob": P, "y_other": Q, **arguments})


def test_a_p_value_beyond_the_range_of_numbers_is_printed_as_such_everywhere():
    rows = np.ones(3000)
    evidence = fot.forecast_evidence(rows, 0.1 * rows, 0.99 * rows)
    assert evidence.p_value < 1e-300
    text = str(evidence)
    assert "p < 1e-300" in evidence.sentence
    assert text.count("< 1e-300") > 1
    assert all(line.split()[-1] != "0" for line in text.splitlines() if line.startswith(("2,", "3,")))
