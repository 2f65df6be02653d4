"""Scores of any spread: a map of expit(s L) predicts what the map of expit(L) does, however little the scores differ.

A classifier that is regularised to almost nothing ranks as well as before, with probabilities within 1e-8 of each
other.
"""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import fitontest as fot
from fitontest.uncertainty.tendency import tendency_of
from tests.labellings import fit_predict_many
from tests.quick_families import quick

pytestmark = pytest.mark.multiplies

rng = np.random.default_rng(5)
N = 500
Z = rng.normal(0, 1, 2 * N).clip(-3, 3)  # of all rows; the first half is fitted to
Y = (rng.random(2 * N) < expit(1.3 * Z - 0.5)).astype(int)
SCALES = (1e-8, 1e-6, 1e-3, 0.1, 8.0)  # up to logits of 24
EQUIVARIANT = {  # a line in the logit, splines of it, and what follows from the order of the scores alone
    "platt": fot.Platt(),
    "temperature": fot.families.Temperature(),
    "rcs": fot.families.RestrictedCubicSpline(),
    "scaling_binning": fot.families.ScalingBinning(),
    "isotonic": fot.Isotonic(),
    "flat": quick("flat"),
    "pava_bc": quick("pava_bc"),
    "venn_abers": quick("venn_abers"),
}
IN_LOSS = {  # priors and knots are in units of their own
    "spline": fot.Spline(),
    "spline-3": fot.Spline(3),
    "beta": fot.Beta(),
    "beta-am": fot.Beta("am"),
    "pl": fot.PL(4, ensemble=False),  # two segments from 0 to 1 cannot rise between scores that hardly differ
    "pl3": fot.PL3(2, cv=3),
    "stacking": fot.families.Stacking(["identity", "platt", "spline", "isotonic"]),
}
IN_P = {"cumulative_spline", "identity", "kde", "knn", "loess", "lowess", "pl_de", "slope1"}  # where distances are of p


def loss(q, at=slice(N, None)):
    q = np.clip(q, 1e-6, 1 - 1e-6)
    return float(-np.where(Y[at] == 1, np.log(q), np.log(1 - q)).mean())


def test_every_family_is_here():
    assert set(fot.families.names("two")) == {name.split("-")[0] for name in {*EQUIVARIANT, *IN_LOSS, *IN_P}}


@pytest.mark.parametrize(
    ("name", "centre"),
    [(name, centre) for name in EQUIVARIANT for centre in (0.0, -3.0) if name != "temperature" or not centre],
)
def test_the_spread_of_scores_does_not_matter(name, centre):
    family = EQUIVARIANT[name]
    plain = family.fit(expit(centre + Z[:N]), Y[:N]).predict(expit(centre + Z[:N]))
    for scale in SCALES:
        p = expit(centre + scale * Z[:N])
        fitted = family.fit(p, Y[:N])
        atol = 1e-8 + 1e-14 / scale  # floats tell small logits apart by 1e-15, and those of 24 by 1e-6
        np.testing.assert_allclose(fitted.predict(p), plain, rtol=0, atol=atol, err_msg=f"{scale:g}")
        again = fot.CalibrationMap.from_json(fitted.map_.to_json())
        np.testing.assert_array_equal(again(p), fitted.map_(p))


@pytest.mark.parametrize("centre", [0.0, -3.0])
@pytest.mark.parametrize("name", IN_LOSS)
def test_scores_of_any_spread_are_fitted_as_well(name, centre):
    losses = []
    for scale in (1.0, 1e-8, 1e-6, 8.0):
        fitted = IN_LOSS[name].fit(expit(centre + scale * Z[:N]), Y[:N])
        losses.append(loss(fitted.predict(expit(centre + scale * Z[N:]))))
    assert max(losses) < min(losses) + 0.01, losses


@pytest.mark.parametrize("name", ["platt", "temperature", "rcs", "beta", "spline"])
def test_many_labellings_are_fitted_as_one_is(name):
    """Their gradients end small beside the scores: temperatures of redrawn labels had been 1e-5 off."""
    labels = np.stack([Y[:N], rng.permutation(Y[:N]), 1 - Y[:N]], axis=1)
    for scale in (1e-8, 1e-5):
        p = expit(scale * Z[:N])
        together = fit_predict_many(quick(name), p, labels)
        for column, alone in zip(together.T, labels.T, strict=True):
            np.testing.assert_allclose(column, quick(name).fit(p, alone).predict(p), rtol=0, atol=1e-9 + 1e-15 / scale)


def test_a_spline_follows_scores_that_hardly_differ_beside_others_that_do():
    half = np.arange(2 * N) % 2 == 0
    p = np.where(half, expit(1e-8 * Z), expit(1.5 * np.sign(Z) + Z))
    q = fot.Spline().fit(p[:N], Y[:N]).predict(p[N:])
    of_half = np.flatnonzero(half[N:]) + N
    truth = loss(expit(1.3 * Z[of_half] - 0.5), of_half)
    assert loss(q[half[N:]], of_half) < truth + 0.03
    level = np.full(of_half.size, Y[of_half].mean())
    assert loss(level, of_half) > truth + 0.1  # which a constant there would be


def test_scores_that_differ_by_rounding_are_one():
    p = 0.3 + rng.permutation(200) * 2.0**-54
    assert np.unique(p).size > 50
    fitted = fot.Spline().fit(p, np.arange(200) % 4 == 0)
    assert np.ptp(fitted.predict(p)) < 1e-12


def test_sql_and_arrays_agree_where_scores_hardly_differ():
    duckdb = pytest.importorskip("duckdb")
    p = expit(1e-6 * Z[:N])
    for name in ("spline", "platt", "beta"):
        c_hat = quick(name).fit(p, Y[:N]).map_
        rows = ", ".join(f"({score!r}::double)" for score in p[:40].tolist())
        found = duckdb.sql(f"select {c_hat.to_sql('p')} from (values {rows}) t(p)").fetchall()
        np.testing.assert_allclose(np.sort([q for (q,) in found]), np.sort(c_hat(p[:40])), rtol=0, atol=1e-8)


@pytest.mark.parametrize("family", ["spline", "platt", "isotonic"])
def test_a_classifier_regularised_to_nothing_is_calibrated(family):
    X, y = make_classification(1000, 10, n_informative=5, random_state=0)
    for settings in ({"fit_intercept": False}, {}):
        faint, plain = (
            fot.CalibratedClassifier(LogisticRegression(C=C, **settings), family=family).fit(X[:500], y[:500])
            for C in (1e-10, 1e-5)
        )
        assert faint.score(X[500:], y[500:]) == pytest.approx(plain.score(X[500:], y[500:]), abs=0.01)


@pytest.mark.exhaustive
def test_an_evaluation_of_such_scores_says_the_same():
    one = fot.evaluate(Y, expit(1e-8 * Z), families=["spline"], null_draws=50)
    printed = str(one)
    assert printed.startswith("Underconfident, and scores too high. ")
    assert "none: " not in printed
    assert "does not fit" not in printed
    larger = fot.evaluate(Y, expit(1e-4 * Z), families=["spline"], null_draws=50)
    assert one["spline"].debiased == pytest.approx(larger["spline"].debiased, abs=1e-4)


def test_the_line_of_such_scores_is_the_line_in_their_unit():
    for centre in (0.0, -3.0):
        plain, faint = (
            fot.measures.make("calibration_slope").estimate(fot.ScoreSample(Y, expit(centre + scale * Z)))
            for scale in (1.0, 1e-7)
        )
        assert faint.value * 1e-7 == pytest.approx(plain.value, rel=1e-7)
        assert faint.standard_error * 1e-7 == pytest.approx(plain.standard_error, rel=1e-7)
        assert faint.evidence.model_error * 1e-7 == pytest.approx(plain.evidence.model_error, rel=1e-7)


@pytest.mark.parametrize(
    ("p", "y", "reason"),
    [
        (np.full(100, 0.3), np.arange(100) % 3 == 0, "all scores between 0 and 1 are one value"),
        (0.3 + np.arange(100) % 2 * 1e-16, np.arange(100) % 3 == 0, "one value but for rounding"),
        (np.linspace(0.1, 0.9, 100), np.arange(100) < 5, "fewer than 10 rows of a score between 0 and 1"),
        (np.arange(100) % 2 * 1.0, np.arange(100) % 3 == 0, "all scores are exactly 0 or 1"),
    ],
)
def test_where_there_is_no_slope_the_reason_is_the_one_that_applies(p, y, reason):
    found = tendency_of(fot.ScoreSample(y, p))
    assert found.slope is None
    assert found.obstacle.endswith(reason)


def test_where_a_threshold_separates_the_classes_the_slope_is_infinite():
    found = tendency_of(fot.ScoreSample(np.arange(100) > 50, np.linspace(0.1, 0.9, 100)))
    assert found.slope == np.inf
    assert found.slope_interval.low > 1.0
