"""The statistics of a calibration report: numbers of R, closed forms, weights, groups, cells, and what has no value."""

import json

import numpy as np
import pytest
from scipy.optimize import brentq

import fitontest as fot
from fitontest.maps.binned import constant
from fitontest.measures.auc import BY_SCORE
from fitontest.measures.cox import cox_tests, deviance, level_of, require_line, uncertain_rows
from fitontest.measures.formula_interval import EXACT, FEW
from fitontest.measures.label_line import LabelLine
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.normal import p_value
from fitontest.results.exceptions import NoValueError
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from fitontest.uncertainty.tendency import tendency_of
from tests.strategies import noisy
from tests.valprob import SETS, rows_of

Z = 1.959963984540054
OWN = ("observed_expected", "calibration_in_the_large", "calibration_slope", "calibration_intercept", "scaled_brier")
LOGISTIC = ("calibration_in_the_large", "calibration_slope", "calibration_intercept")  # of uncertain rows
TO_GLM = 1e-7  # glm of R stops at 1e-8 of the deviance
ERRORS_OF_GLM = 1e-5  # which have the weights of its step before the last
TO_R = 1e-12


@pytest.fixture(params=SETS)
def reference(request):
    """Return the sample of a set and what R made of it."""
    _, y, p, _ = rows_of(request.param)
    return fot.ScoreSample(y, p), SETS[request.param]["expected"], request.param


def estimate(name, sample, **settings):
    return fot.measures.make(name, **settings).estimate(sample)


def interval_of(name, sample, level=0.95):
    return estimate_of(fot.measures.make(name), sample, redrawing=Redrawing.at(level)).interval


def near(value, expected, tolerance):
    return value == pytest.approx(expected, rel=tolerance, abs=tolerance)


def test_ratio_of_observed_to_expected(reference):
    sample, expected, _ = reference
    found, known = estimate("observed_expected", sample), expected["oe"]
    assert near(found.evidence.observed, known["O"], TO_R)
    assert near(found.evidence.expected, known["E"], TO_R)
    assert near(found.value, known["ratio"], TO_R)
    assert near(found.evidence.label_error, known["log_se"], TO_R)
    low, high = found.evidence.label_interval()
    assert near(low, known["low"], TO_R)
    assert near(high, known["high"], TO_R)


def test_calibration_in_the_large(reference):
    sample, expected, _ = reference
    found, known = estimate("calibration_in_the_large", sample), expected["citl"]
    error = found.evidence.model_error
    assert near(found.value, known["intercept"], TO_GLM)
    assert near(error, known["se"], ERRORS_OF_GLM)
    assert near(found.value - Z * error, known["low"], Z * ERRORS_OF_GLM)
    assert near(found.value + Z * error, known["high"], Z * ERRORS_OF_GLM)


def test_line(reference):
    sample, expected, _ = reference
    slope, intercept = (estimate(f"calibration_{what}", sample) for what in ("slope", "intercept"))
    known = expected["cox"]
    assert near(slope.value, known["slope"], TO_GLM)
    assert near(intercept.value, known["intercept"], TO_GLM)
    assert near(slope.evidence.model_error, known["se_slope"], ERRORS_OF_GLM)
    assert near(intercept.evidence.model_error, known["se_intercept"], ERRORS_OF_GLM)
    assert near(slope.evidence.covariance[0, 1], known["covariance"], ERRORS_OF_GLM)
    assert near(slope.value - Z * slope.evidence.model_error, known["slope_low"], Z * ERRORS_OF_GLM)
    assert near(slope.value + Z * slope.evidence.model_error, known["slope_high"], Z * ERRORS_OF_GLM)
    assert near(slope.value, expected["val_prob"]["Slope"], TO_GLM)
    assert near(intercept.value, expected["val_prob"]["Intercept"], TO_GLM)


def test_likelihood_ratios(reference):
    sample, expected, name = reference
    tests = cox_tests(*require_line(sample, "slope"))
    known = expected["lr"]
    pairs = {"a0_b1": tests.joint, "a0_given_b1": tests.level, "b1_given_a": tests.slope}
    for key, test in pairs.items():
        if name == "breast_nb" and key != "a0_b1":
            continue  # glm cuts linear predictors at +-30
        assert test.statistic == pytest.approx(known[key], rel=1e-9, abs=1e-9), key
        assert test.p_value == pytest.approx(known[f"p_{key}"], rel=1e-7), key


def test_the_p_value_of_the_slope_is_that_of_its_interval(reference):
    sample, _, _ = reference
    evidence = estimate("calibration_slope", sample).evidence
    away = (evidence.value - 1.0) / evidence.standard_error
    assert evidence.asymptotic_p_value == pytest.approx(p_value(away, evidence.degrees), rel=1e-9)
    assert np.isfinite(evidence.degrees) == (sample.n * min(sample.base_rate, 1 - sample.base_rate) < FEW)
    ends = evidence.interval_at(0.95)
    assert (evidence.asymptotic_p_value > 0.05) == (ends.low < 1.0 < ends.high)


def test_spiegelhalter(reference):
    sample, expected, _ = reference
    found = estimate("spiegelhalter", sample)
    assert near(found.value, expected["val_prob"]["S:z"], TO_R)
    assert found.evidence.asymptotic_p_value == pytest.approx(expected["val_prob"]["S:p"], rel=1e-9)


def test_scaled_brier(reference):
    sample, expected, _ = reference
    found, known = estimate("scaled_brier", sample), expected["brier"]
    assert near(found.value, known["scaled"], TO_R)
    assert near(found.value, expected["risk_regression"]["ipa"], TO_R)
    assert near(found.evidence.scaled_by_mean_score, known["scaled_by_mean_p"], TO_R)


def test_the_slope_is_that_of_verdicts(reference):
    sample, _, _ = reference
    tendency = tendency_of(sample)
    assert estimate("calibration_slope", sample).value == tendency.slope
    found = interval_of("calibration_slope", sample)
    assert (found.low, found.high) == (tendency.slope_interval.low, tendency.slope_interval.high)


def test_sandwich_and_model_errors_are_those_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    y, p = noisy(400)
    x = logit(p, 1e-16)
    model = api.GLM(y, np.column_stack([x, np.ones(400)]), family=api.families.Binomial())
    robust, plain = model.fit(cov_type="HC0", tol=1e-14), model.fit(tol=1e-14)
    for place, name in enumerate(("calibration_slope", "calibration_intercept")):
        found = estimate(name, fot.ScoreSample(y, p))
        assert near(found.value, robust.params[place], 1e-9)
        assert near(found.standard_error, robust.bse[place], 1e-8)
        assert near(found.evidence.model_error, plain.bse[place], 1e-8)
    level = api.GLM(y, np.ones(400), offset=x, family=api.families.Binomial()).fit(cov_type="HC0", tol=1e-14)
    found = estimate("calibration_in_the_large", fot.ScoreSample(y, p))
    assert near(found.value, level.params[0], 1e-9)
    assert near(found.standard_error, level.bse[0], 1e-8)


@pytest.mark.parametrize("name", OWN)
def test_intervals_of_counts_are_those_of_repeated_rows(name):
    y, p = noisy(300, ties=2)
    w = np.random.default_rng(1).integers(0, 4, 300)
    weighted, repeated = fot.ScoreSample(y, p, w), fot.ScoreSample(np.repeat(y, w), np.repeat(p, w))
    first, second = (interval_of(name, sample) for sample in (weighted, repeated))
    assert near(first.low, second.low, 1e-11)
    assert near(first.high, second.high, 1e-11)
    facts = [estimate(name, sample).evidence.record() for sample in (weighted, repeated)]
    for key, value in facts[0].items():
        assert near(value, facts[1][key], 1e-9), key


@pytest.mark.parametrize("name", [*OWN, "spiegelhalter"])
def test_the_scale_of_importances_means_nothing(name):
    y, p = noisy(300, ties=2)
    w = np.random.default_rng(1).random(300)
    first, second = (estimate(name, fot.ScoreSample(y, p, scale * w)) for scale in (1.0, 1000.0))
    assert near(first.value, second.value, 1e-12)
    for key, value in first.evidence.record().items():
        assert near(value, second.evidence.record()[key], 1e-9), key


@pytest.mark.parametrize("name", OWN)
def test_groups_of_copies_are_the_rows(name):
    y, p = noisy(200)
    rows = interval_of(name, fot.ScoreSample(y, p))
    copies = fot.read(np.repeat(y, 3), np.repeat(p, 3), groups=np.repeat(np.arange(200), 3))
    found = interval_of(name, copies)
    assert found.high - found.low == pytest.approx(rows.high - rows.low, rel=0.02)  # Student's t, K / (K - 1)
    plain = interval_of(name, fot.ScoreSample(np.repeat(y, 3), np.repeat(p, 3)))
    assert plain.high - plain.low < 0.65 * (rows.high - rows.low)
    few = fot.read(y, p, groups=np.arange(200) % 7)
    refused = estimate_of(fot.measures.make(name), few, redrawing=Redrawing(interval="always"))
    assert refused.interval is None
    assert "fewer than 10 groups" in refused.interval_reason
    assert refused.standard_error is None


def test_groups_of_few_positives_widen_the_exact_interval():
    rng = np.random.default_rng(0)
    p = np.full(3000, 0.01)
    y = np.repeat(rng.random(300) < 0.01, 10)
    grouped = fot.read(y, p, groups=np.repeat(np.arange(300), 10))
    for name in ("observed_expected", "calibration_in_the_large"):
        wide, narrow = interval_of(name, grouped), interval_of(name, fot.ScoreSample(y, p))
        assert wide.low < narrow.low < narrow.high < wide.high
        assert "exact" in wide.method


def test_wald_tests_of_groups():
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    y, groups = rng.random(1000) < p, np.arange(1000) % 50
    sample = fot.read(y, p, groups=groups)
    tests = cox_tests(*require_line(sample, "slope"))
    alone = cox_tests(*require_line(fot.ScoreSample(y, p), "slope"))
    for found, rows in zip(
        (tests.joint, tests.level, tests.slope), (alone.joint, alone.level, alone.slope), strict=True
    ):
        assert found.degrees == rows.degrees
        assert found.p_value == pytest.approx(rows.p_value, abs=0.15)  # of groups that share nothing
    few = cox_tests(*require_line(fot.read(y, p, groups=np.arange(1000) % 5), "slope"))
    assert few.joint == (None, 2, None)


@pytest.mark.parametrize("name", [*OWN, "spiegelhalter"])
def test_exact_cells_are_the_rows(name):
    y, p = noisy(600)
    p = np.clip(p.round(2), 0.01, 0.99)
    rows, cells = fot.ScoreSample(y, p), fot.Cells.of(y, p, exact=True).sample()
    assert near(estimate(name, cells).value, estimate(name, rows).value, 1e-11)
    if name in OWN:
        assert near(interval_of(name, cells).low, interval_of(name, rows).low, 1e-9)


@pytest.mark.parametrize("name", LOGISTIC)
def test_rows_of_certain_scores_are_left_out_of_logits(name):
    y, p = noisy(400)
    p = np.clip(p, 0.01, 0.99)
    with_certain = fot.ScoreSample(np.append(y, [0, 0, 1, 0]), np.append(p, [0.0, 0.0, 1.0, 1.0]))
    assert estimate(name, with_certain).value == estimate(name, fot.ScoreSample(y, p)).value
    assert uncertain_rows(with_certain).n == 400
    if name != "calibration_in_the_large":
        assert estimate(name, with_certain).evidence.certain_share == pytest.approx(4 / 404)


def test_the_level_solves_its_equation():
    y, p = noisy(300)
    sample = fot.ScoreSample(y, p)
    a = level_of(sample)
    assert sigmoid(a + logit(sample.rows.p, 1e-16)).sum() == pytest.approx(y.sum(), abs=1e-10)
    assert deviance(sample, a, 1.0) <= min(deviance(sample, a + away, 1.0) for away in (-0.01, 0.01))
    assert level_of(sample, 0.3) < level_of(sample, 0.4)


def test_few_of_a_class_have_exact_intervals_given_the_scores():
    """At their ends so many positives come about in 2.5 % of cases, by the law of Poisson and the binomial one."""
    poisson_binom = pytest.importorskip("scipy.stats").__dict__.get("poisson_binom")
    if poisson_binom is None:
        pytest.skip("scipy has no law of Poisson and the binomial one before 1.15")
    y, p = noisy(80)
    sample = fot.ScoreSample(y, p)
    ratio, level = (interval_of(name, sample) for name in ("observed_expected", "calibration_in_the_large"))
    assert ratio.method == level.method == EXACT
    line, positives = LabelLine.of(sample), y.sum()
    for end, of_level, above in ((ratio.low, level.low, True), (ratio.high, level.high, False)):
        share = end * p.mean()
        a = brentq(lambda a, share=share: sigmoid(a + line.slope * line.x).mean() - share, -20, 20, xtol=1e-14)
        law = poisson_binom(sigmoid(a + line.slope * line.x))
        tail = law.sf(positives - 1) if above else law.cdf(positives)
        assert tail == pytest.approx(0.025, rel=1e-5)
        assert sigmoid(of_level + logit(p, 1e-16)).mean() == pytest.approx(share, rel=1e-9)


def test_no_positive_has_an_exact_interval():
    none = estimate_of(
        fot.measures.make("observed_expected"),
        fot.ScoreSample(np.zeros(200), np.full(200, 0.01)),
        redrawing=Redrawing(interval="always", level=0.9),
    )
    assert (none.value, none.interval.low) == (0.0, 0.0)
    assert none.interval.high == pytest.approx((1 - 0.05 ** (1 / 200)) / 0.01)
    assert none.evidence.asymptotic_p_value == pytest.approx(2 * 0.99**200)


@pytest.mark.parametrize(
    ("name", "y", "p", "message"),
    [
        ("observed_expected", [0, 1], [0.0, 0.0], "y_prob must have a mean above 0 for O:E, got 0"),
        ("calibration_in_the_large", [0, 1], [0.0, 1.0], "y_prob must have scores strictly between 0 and 1"),
        ("calibration_in_the_large", [1, 1], [0.2, 0.4], "y_true must hold both classes .* got 1 alone"),
        (
            "calibration_slope",
            [0, 1] * 9,
            [0.2, 0.4] * 9,
            "y_prob must have .* slope, but a class has fewer than 10 rows",
        ),
        ("calibration_slope", [0, 1] * 20, [0.2, 0.2] * 20, "all scores between 0 and 1 are one value"),
        ("calibration_slope", [0, 1] * 20, [0.2, 0.4] * 20, "a threshold separates the classes"),
        ("calibration_intercept", [0, 1] * 20, [0.0, 1.0] * 20, "y_prob must have a .* all scores are exactly 0 or 1"),
        ("spiegelhalter", [0, 1, 1], [0.0, 0.5, 1.0], "y_prob must have scores that are not 0, 1/2 or 1"),
        ("nagelkerke_r2", [0, 0], [0.1, 0.5], "y_true must hold both classes for Nagelkerke's R², got 0 alone"),
        ("discrimination", [0, 1, 1], [0.1, 0.0, 0.5], "exactly 0 for a positive .* got 0 for label 1 .1 such rows"),
        ("quality", [0, 1] * 9, [0.2, 0.4] * 9, "unreliability U, but a class has fewer than 10 rows"),
        ("scaled_brier", [0, 0], [0.1, 0.5], "y_true must hold both classes for the scaled Brier score, got 0 alone"),
    ],
)
def test_what_has_no_value_says_why(name, y, p, message):
    with pytest.raises(NoValueError, match=message):
        fot.measure(y, p, name)


def test_redrawn_labels_without_a_value_count_as_bad_as_the_observed():
    rng = np.random.default_rng(0)
    p = np.clip(rng.beta(1, 30, 300), 1e-3, 1)
    y = np.zeros(300)
    y[rng.choice(300, 12, replace=False)] = 1
    found = fot.measure(y, p, "calibration_slope", null_draws=60)
    null = found.null
    missing = int(np.isnan(null.values).sum())
    assert 0 < missing < 60
    assert null.without_value == missing
    known = null.values[~np.isnan(null.values)]
    assert null.mean == known.mean()
    bad, good = (known >= found.value).sum() + missing, (known <= found.value).sum() + missing
    assert null.p_value == pytest.approx(min(1.0, 2 * (1 + min(bad, good)) / 61))
    assert f"{missing} of them without a value" in str(found)
    assert json.loads(found.to_json())["if_calibrated"]["without_value"] == missing
    with pytest.warns(fot.CalibrationWarning, match="no value for any of 20 labellings"):
        nothing = fot.measure(np.arange(60) % 2, np.linspace(1e-9, 2e-9, 60), "calibration_slope", null_draws=20)
    assert nothing.null is None


def test_in_print():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = rng.random(2000) < sigmoid(0.75 * logit(p, 1e-16))
    text = str(fot.measure(y, p, "calibration_slope"))
    assert text.startswith("calibration slope 0.7")
    assert " (95 % CI 0." in text
    assert "; 1 is ideal): n = 2,000" in text
    assert "1 as the true value: p = " in text
    evaluation = fot.evaluate(y, p, families=["platt"], measures=["calibration_slope", "observed_expected"])
    (line,) = [line for line in str(evaluation).splitlines() if line.startswith("Other measures: ")]
    assert "calibration_slope 0.7" in line
    assert " (95 % CI 0." in line
    assert "; observed_expected 1.02 (95 % CI 0.98 to 1.06)." in line
    table = str(evaluation.table())
    assert "by a formula" in table


def test_likelihood_indices(reference):
    sample, expected, name = reference
    known = expected["val_prob"]
    rows = uncertain_rows(sample)  # R drops the others
    if name == "breast_nb":
        found = estimate("unreliability", rows)
        assert near(found.value, known["U"], TO_R)
        whole = estimate("unreliability", sample)  # certain scores that are right have no deviance
        assert near(whole.evidence.chi_square, found.evidence.chi_square, TO_R)
        assert near(569 * whole.value, 493 * found.value, TO_R)
        return  # lrm cuts likelihoods of extreme logits: R2 and D are others
    names = {"nagelkerke_r2": "R2", "discrimination": "D", "unreliability": "U", "quality": "Q"}
    if name == "digits_tree":  # where a positive has p = 0, the U of R is infinite, of the rows that it leaves out
        assert (known["U"], known["Q"]) == ("Inf", "-Inf")
        with pytest.raises(NoValueError, match="unreliability U is infinite"):
            estimate("unreliability", sample)
        names = {"nagelkerke_r2": "R2", "discrimination": "D"}
        assert near(estimate("unreliability", rows).evidence.chi_square, expected["lr"]["a0_b1"], 1e-9)
    for measure, key in names.items():
        assert near(estimate(measure, rows).value, known[key], 1e-11), key
    assert near(estimate("discrimination", rows).evidence.chi_square, known["D:Chi-sq"], 1e-11)
    if "unreliability" in names:
        found = estimate("unreliability", rows).evidence
        assert near(found.chi_square, known["U:Chi-sq"], 1e-9)
        assert near(found.asymptotic_p_value, known["U:p"], 1e-9)


def test_hosmer_lemeshow(reference):
    sample, expected, name = reference
    found, known = estimate("hosmer_lemeshow", sample), expected["hosmer_lemeshow"]
    # of the last bin of breast_nb N - E is 5e-8, which N and E cancel to
    assert found.value == pytest.approx(known["chisq"], rel=1e-6 if name == "breast_nb" else 1e-11)
    assert found.evidence.degrees == found.n_bins == known["groups"]
    for column in ("observed", "expected"):
        assert [row[column] for row in found.rows()] == pytest.approx(known[column], rel=1e-12, abs=1e-12)
    assert [row["rows"] for row in found.rows()] == known["n"]
    assert found.evidence.asymptotic_p_value == pytest.approx(known["p_df_g"], rel=1e-9)
    assert found.evidence.p_value_of_fitted == pytest.approx(known["p_df_g_minus_2"], rel=1e-9)
    chi_square = fot.measures.Binned(loss="chi_square", partition=found.partition).estimate(sample)
    assert sample.n * chi_square.value == pytest.approx(found.value)


def test_area_under_the_curve_and_brier(reference):
    sample, expected, _ = reference
    known = expected["risk_regression"]
    area, brier = estimate("auc", sample), estimate("brier", sample)
    assert near(area.value, known["auc"], TO_R)
    assert near(area.standard_error, known["auc_se"], TO_R)
    few = sample.n * min(sample.base_rate, 1 - sample.base_rate) < FEW
    ends = interval_of("auc", sample)
    if few or known["auc_high"] == 1:  # R cuts at 1 what the normal approximation says beyond
        assert ends.method == BY_SCORE
    else:
        assert (ends.low, ends.high) == pytest.approx((known["auc_low"], known["auc_high"]), rel=TO_R, abs=TO_R)
    assert near(brier.value, known["brier"], TO_R)
    ends = interval_of("brier", sample)
    if few:  # labels of their line vary more than these happen to do
        assert brier.standard_error >= known["brier_se"]
        assert ends.low <= known["brier_low"] <= known["brier_high"] <= ends.high
    else:
        assert near(brier.standard_error, known["brier_se"], TO_R)
        assert (ends.low, ends.high) == pytest.approx((known["brier_low"], known["brier_high"]), rel=TO_R, abs=TO_R)


def test_estimated_calibration_index(reference):
    sample, expected, _ = reference
    assert estimate("eci", sample, family="loess").value == pytest.approx(
        expected["loess"]["ECI"], rel=1e-10, abs=1e-12
    )
    normalised = estimate("eci", sample, family="loess", normalised=True)
    assert normalised.value == pytest.approx(expected["eci_normalised"]["loess"], rel=1e-10)
    assert estimate("eci", sample, family="lowess").value == pytest.approx(
        expected["lowess_iter0"]["ECI"], rel=1e-10, abs=1e-12
    )


def test_the_index_is_a_hundred_squared_errors():
    y, p = noisy(300)
    index = fot.measure(y, p, "eci", family="platt", interval="always")
    error = fot.measure(y, p, "plug_in", family="platt", norm="squared", interval="always")
    for ours, theirs in (
        (index.value, error.value),
        (index.debiased, error.debiased),
        (index.interval.low, error.interval.low),
        (index.interval.high, error.interval.high),
        (index.se_map_fixed, error.se_map_fixed),
    ):
        assert ours == pytest.approx(100 * theirs, rel=1e-9)
    flat = fot.measure(y, p, "eci", family=constant(float(y.mean())), normalised=True)
    assert float(flat) == pytest.approx(1.0)
    normalised = fot.measure(y, p, "eci", family="platt", normalised=True, interval="always", level=0.9)
    scale = float(np.mean((y.mean() - p) ** 2))
    assert float(normalised) == pytest.approx(error.value / scale)
    assert normalised.interval.low < float(normalised) < normalised.interval.high
    with pytest.raises(NoValueError, match="y_prob must differ from the share of positives"):
        fot.measure([0, 1], [0.5, 0.5], "eci", family="platt", normalised=True)


def test_brier_of_distributions_has_an_interval():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 400)
    y = (P.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    found = fot.measure(y, P, "brier", reduction="canonical")
    squares = ((P - np.eye(3)[y]) ** 2).sum(axis=1)
    assert found.standard_error == pytest.approx(squares.std(ddof=1) / 20)
    assert found.interval.low == pytest.approx(squares.mean() - Z * squares.std(ddof=1) / 20)


def test_bins_of_weights():
    y, p = noisy(300, ties=2)
    w = np.random.default_rng(1).integers(0, 4, 300)
    weighted = estimate("hosmer_lemeshow", fot.ScoreSample(y, p, w))
    repeated = estimate("hosmer_lemeshow", fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)))
    assert weighted.partition.edges.tolist() == repeated.partition.edges.tolist()
    assert near(weighted.value, repeated.value, 1e-11)
    grouped = estimate("hosmer_lemeshow", fot.read(y, p, groups=np.arange(300) % 30))
    assert grouped.evidence.asymptotic_p_value is None
    with pytest.raises(NoValueError, match="y_prob must not be certain in all rows of a bin"):
        fot.measure([0, 1, 1, 1], [0.0, 0.0, 0.5, 0.7], "hosmer_lemeshow", n_bins=2)
    assert fot.measure(y, p, "hosmer_lemeshow", null_draws=50).null.p_value <= 1


@pytest.mark.exhaustive
def test_in_tables_of_classes_and_segments():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 300)
    labels = (P.cumsum(axis=1) > rng.random((300, 1))).argmax(axis=1)
    of_classes = fot.measure(labels, P, "calibration_slope", reduction="classwise", interval="always", level=0.9)
    lines = str(of_classes).splitlines()
    assert lines[1].split()[-3:] == ["90", "%", "CI"]
    assert "debiased" not in lines[1]  # of an interval by a formula there is none
    interval, printed = of_classes[0].interval, of_classes.measure.printed
    assert lines[3].endswith(f"{printed(interval.low)} to {printed(interval.high)}")
    p = rng.random(900)
    segments = np.repeat(["a", "b", "c"], 300)
    slopes = np.repeat([0.9, 2.0, 1.0], 300)
    y = rng.random(900) < sigmoid(slopes * logit(p, 1e-16))
    y[segments == "c"] = False
    evaluation = fot.evaluate(y, p, measures=["calibration_slope"], by=segments)
    assert evaluation.worst("calibration_slope") == ["b", "a", "c"]  # by the distance from 1; "c" has no slope
    printed = str(evaluation)
    assert "but a class has fewer than" in printed
    assert "by the distance from the ideal value" in str(evaluation.table())


def test_a_scaled_brier_score_of_few_positives_has_no_interval():
    p = np.linspace(0.001, 0.02, 3000)
    found = fot.measure(np.arange(3000) % 100 == 0, p, "scaled_brier")
    assert found.interval is None
    assert "fewer than 50 rows" in found.interval_reason
    assert "no interval: a class has fewer than 50 rows" in str(found)
