"""Every number of the packages for clinical validation in tests/reference/valprob.json, and ours beside it.

The file has eight data sets, with what rms, the smooths of CalibrationCurves and pmcalibration, riskRegression, glm and
dcurves give for them; "calls" in it says how they were made, "quirks" what no formula gives. `ROWS` is the overview: a
line for each number, with what it is here and how much the two may differ, of numbers beyond 1 relatively. `EXCUSED`
names what is not reproduced on any set, `QUIRKS` on which sets a number is not, each with the reason.
"""

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import fitontest as fot
from tests.valprob import EVERY_KEY, Rows, answer, assert_alike, assert_ours_is_the_answer, rows_of

pytestmark = pytest.mark.multiplies

EXACT = 1e-12  # R prints 15 digits
DIFFERENCE = 1e-11  # of likelihoods of a thousand
GLM = 1e-7  # glm and lrm of R stop where the deviance hardly changes
GLM_ERROR = 2e-5  # and standard errors are those of the step before the last
RCS = 1e-7  # by glm too
COEFFICIENTS = 1e-5  # of cubes that are nearly dependent
RCS3, RCS5 = (fot.families.RestrictedCubicSpline(n_knots, eps=1e-300) for n_knots in (3, 5))  # R cuts no logits


class Ours:
    """What this package says of a data set."""

    def __init__(self, rows: Rows) -> None:
        self.name, self.y, self.p, self.t = rows
        self.inside = (self.p > 0) & (self.p < 1)
        self.estimates: dict[str, fot.measures.Estimate] = {}
        self.maps: dict[str, fot.CalibrationMap] = {}

    def measure(self, name: str) -> fot.measures.Estimate:
        """Return a measure of the rows."""
        if name not in self.estimates:
            self.estimates[name] = fot.measure(self.y, self.p, name)
        return self.estimates[name]

    def value(self, name: str) -> float:
        """Return the value of a measure."""
        return float(self.measure(name))

    def value_inside(self, name: str) -> float:
        """Return the value of a measure of the rows whose scores are not 0 or 1."""
        return float(fot.measure(self.y[self.inside], self.p[self.inside], name))

    def evidence(self, name: str) -> Any:
        """Return what a measure was computed from."""
        return self.measure(name).evidence

    def interval(self, name: str) -> tuple[float, float]:
        """Return the ends of the 95 % interval of a measure."""
        interval = self.measure(name).interval
        return interval.low, interval.high

    def model_error(self, name: str) -> float:
        """Return the standard error that takes the line in logits for the truth."""
        return self.evidence(name).model_error

    def wald(self, name: str) -> np.ndarray:
        """Return the interval of the normal approximation with that error."""
        return self.value(name) + ndtri([0.025, 0.975]) * self.model_error(name)

    def wald_p_value(self, name: str) -> float:
        """Return the p-value of 0 with that error."""
        return 2 * ndtr(-abs(self.value(name)) / self.model_error(name))

    @property
    def tests(self) -> Any:
        """The likelihood-ratio tests of the line in logits."""
        return self.evidence("calibration_slope").tests

    def fitted(self, family: fot.Family, inside: bool) -> fot.CalibrationMap:
        """Return the map of a family of all rows, or of those whose scores are not 0 or 1."""
        key = f"{family!r} {inside}"
        if key not in self.maps:
            rows = self.inside if inside else slice(None)
            self.maps[key] = family.fit(self.p[rows], self.y[rows]).map_
        return self.maps[key]

    def error(self, family: fot.Family, norm: str = "l1", inside: bool = False) -> float:
        """Return the raw distance of the scores from the map of a family."""
        rows = self.inside if inside else slice(None)
        c = self.fitted(family, inside)
        return float(fot.calibration_error(self.y[rows], self.p[rows], family=c, norm=norm, interval=None))

    def curve(self, family: fot.Family, inside: bool = False) -> np.ndarray:
        """Return the map of a family at the scores of which curves are stored."""
        return self.fitted(family, inside)(self.p[answer(self.name, "at")])

    @cached_property
    def decisions(self) -> Any:
        """The decision curve at the thresholds of the file."""
        return fot.risk.decision_curve(self.y, self.p, thresholds=self.t)

    @property
    def true_positives(self) -> np.ndarray:
        """True positives per row, from net benefit and the share above the threshold."""
        return (1 - self.t) * self.decisions.net_benefit["model"].value + self.t * self.decisions.share_above["model"]


def coefficients(curve: Any) -> np.ndarray:
    """Return the coefficients of a restricted cubic spline in the basis of Hmisc::rcspline.eval."""
    t = curve.x
    cubes = np.maximum(t[:, None] - t, 0) ** 3
    last, width = cubes[:, -2:], t[-1] - t[-2]
    bent = cubes[:, :-2] - np.outer(last[:, 0], t[-1] - t[:-2]) / width + np.outer(last[:, 1], t[-2] - t[:-2]) / width
    basis = np.column_stack((np.ones(t.size), t, bent / (t[-1] - t[0]) ** 2))
    return np.linalg.solve(basis, curve.z)


class Row(NamedTuple):
    """A number of the file, what it is here, and how much they may differ."""

    key: str
    ours: Callable[[Ours], Any]
    tolerance: float = EXACT


ROWS = [
    # the rows
    Row("n", lambda of: of.y.size),
    Row("positives", lambda of: of.y.sum()),
    Row("inside", lambda of: of.inside.sum()),
    Row("dcurves.n", lambda of: np.full(of.t.size, of.y.size)),
    Row("dcurves.prevalence", lambda of: np.full(of.t.size, of.y.mean())),
    # the level of the scores
    Row("oe.O", lambda of: of.evidence("observed_expected").observed),
    Row("oe.E", lambda of: of.evidence("observed_expected").expected),
    Row("oe.ratio", lambda of: of.value("observed_expected")),
    Row("oe.log_se", lambda of: of.evidence("observed_expected").label_error),
    Row("oe.low", lambda of: of.evidence("observed_expected").label_interval(0.95)[0]),
    Row("oe.high", lambda of: of.evidence("observed_expected").label_interval(0.95)[1]),
    Row("citl.intercept", lambda of: of.value("calibration_in_the_large"), GLM),
    Row("citl.se", lambda of: of.model_error("calibration_in_the_large"), GLM_ERROR),
    Row("citl.low", lambda of: of.wald("calibration_in_the_large")[0], GLM_ERROR),
    Row("citl.high", lambda of: of.wald("calibration_in_the_large")[1], GLM_ERROR),
    Row("citl.wald_p", lambda of: of.wald_p_value("calibration_in_the_large"), GLM_ERROR),
    # the line in logits
    Row("cox.intercept", lambda of: of.value("calibration_intercept"), GLM),
    Row("cox.slope", lambda of: of.value("calibration_slope"), GLM),
    Row("val_prob.Intercept", lambda of: of.value("calibration_intercept"), GLM),
    Row("val_prob.Slope", lambda of: of.value("calibration_slope"), GLM),
    Row("cox.se_intercept", lambda of: of.model_error("calibration_intercept"), GLM_ERROR),
    Row("cox.se_slope", lambda of: of.model_error("calibration_slope"), GLM_ERROR),
    Row("cox.slope_low", lambda of: of.wald("calibration_slope")[0], GLM_ERROR),
    Row("cox.slope_high", lambda of: of.wald("calibration_slope")[1], GLM_ERROR),
    Row("cox.covariance", lambda of: of.evidence("calibration_slope").covariance[0, 1], GLM_ERROR),
    Row("lr.a0_b1", lambda of: of.tests.joint.statistic, DIFFERENCE),
    Row("lr.p_a0_b1", lambda of: of.tests.joint.p_value, DIFFERENCE),
    Row("lr.a0_given_b1", lambda of: of.tests.level.statistic, DIFFERENCE),
    Row("lr.p_a0_given_b1", lambda of: of.tests.level.p_value, DIFFERENCE),
    Row("lr.b1_given_a", lambda of: of.tests.slope.statistic, DIFFERENCE),
    Row("lr.p_b1_given_a", lambda of: of.tests.slope.p_value, DIFFERENCE),
    Row("val_prob.U:Chi-sq", lambda of: of.tests.joint.statistic, DIFFERENCE),
    Row("val_prob.U:p", lambda of: of.tests.joint.p_value, DIFFERENCE),
    # the distance from calibration curves
    Row("lowess_iter0.ICI", lambda of: of.error(fot.risk.Lowess())),
    Row("lowess_iter0.E50", lambda of: of.error(fot.risk.Lowess(), "q50")),
    Row("lowess_iter0.E90", lambda of: of.error(fot.risk.Lowess(), "q90")),
    Row("lowess_iter0.Emax", lambda of: of.error(fot.risk.Lowess(), "max")),
    Row("lowess_iter0.ECI", lambda of: 100 * of.error(fot.risk.Lowess(), "squared")),
    Row("lowess_iter0.curve", lambda of: of.curve(fot.risk.Lowess())),
    Row("lowess_iter0_delta0.ICI", lambda of: of.error(fot.risk.Lowess(delta=0))),
    Row("lowess_iter0_delta0.E50", lambda of: of.error(fot.risk.Lowess(delta=0), "q50")),
    Row("lowess_iter0_delta0.E90", lambda of: of.error(fot.risk.Lowess(delta=0), "q90")),
    Row("lowess_iter0_delta0.Emax", lambda of: of.error(fot.risk.Lowess(delta=0), "max")),
    Row("lowess_iter0_delta0.ECI", lambda of: 100 * of.error(fot.risk.Lowess(delta=0), "squared")),
    Row("lowess_iter0_delta0.curve", lambda of: of.curve(fot.risk.Lowess(delta=0))),
    Row("loess.ICI", lambda of: of.error(fot.risk.Loess())),
    Row("loess.E50", lambda of: of.error(fot.risk.Loess(), "q50")),
    Row("loess.E90", lambda of: of.error(fot.risk.Loess(), "q90")),
    Row("loess.Emax", lambda of: of.error(fot.risk.Loess(), "max")),
    Row("loess.ECI", lambda of: 100 * of.error(fot.risk.Loess(), "squared")),
    Row("loess.curve", lambda of: of.curve(fot.risk.Loess())),
    Row("loess_degree1.ICI", lambda of: of.error(fot.risk.Loess(degree=1))),
    Row("loess_degree1.E50", lambda of: of.error(fot.risk.Loess(degree=1), "q50")),
    Row("loess_degree1.E90", lambda of: of.error(fot.risk.Loess(degree=1), "q90")),
    Row("loess_degree1.Emax", lambda of: of.error(fot.risk.Loess(degree=1), "max")),
    Row("loess_degree1.ECI", lambda of: 100 * of.error(fot.risk.Loess(degree=1), "squared")),
    Row("loess_direct.ICI", lambda of: of.error(fot.risk.Loess(surface="direct"))),
    Row("loess_direct.E50", lambda of: of.error(fot.risk.Loess(surface="direct"), "q50")),
    Row("loess_direct.E90", lambda of: of.error(fot.risk.Loess(surface="direct"), "q90")),
    Row("loess_direct.Emax", lambda of: of.error(fot.risk.Loess(surface="direct"), "max")),
    Row("loess_direct.ECI", lambda of: 100 * of.error(fot.risk.Loess(surface="direct"), "squared")),
    Row("loess_direct.curve", lambda of: of.curve(fot.risk.Loess(surface="direct"))),
    Row("eci_normalised.loess", lambda of: of.error(fot.risk.Loess(), "squared") / np.mean((of.p - of.y.mean()) ** 2)),
    Row("val_prob.Eavg", lambda of: of.error(fot.risk.Lowess())),
    Row("val_prob.E90", lambda of: of.error(fot.risk.Lowess(), "q90")),
    Row("val_prob.Emax", lambda of: of.error(fot.risk.Lowess(), "max")),
    Row("rcs3.ICI", lambda of: of.error(RCS3, inside=True), RCS),
    Row("rcs3.E50", lambda of: of.error(RCS3, "q50", inside=True), RCS),
    Row("rcs3.E90", lambda of: of.error(RCS3, "q90", inside=True), RCS),
    Row("rcs3.Emax", lambda of: of.error(RCS3, "max", inside=True), RCS),
    Row("rcs3.ECI", lambda of: 100 * of.error(RCS3, "squared", inside=True), RCS),
    Row("rcs3.knots", lambda of: of.fitted(RCS3, inside=True).x),
    Row("rcs3.coef", lambda of: coefficients(of.fitted(RCS3, inside=True)), COEFFICIENTS),
    Row("rcs3.curve", lambda of: of.curve(RCS3, inside=True), RCS),
    Row("rcs5.ICI", lambda of: of.error(RCS5, inside=True), RCS),
    Row("rcs5.E50", lambda of: of.error(RCS5, "q50", inside=True), RCS),
    Row("rcs5.E90", lambda of: of.error(RCS5, "q90", inside=True), RCS),
    Row("rcs5.Emax", lambda of: of.error(RCS5, "max", inside=True), RCS),
    Row("rcs5.ECI", lambda of: 100 * of.error(RCS5, "squared", inside=True), RCS),
    Row("rcs5.knots", lambda of: of.fitted(RCS5, inside=True).x),
    Row("rcs5.coef", lambda of: coefficients(of.fitted(RCS5, inside=True)), COEFFICIENTS),
    Row("rcs5.curve", lambda of: of.curve(RCS5, inside=True), RCS),
    # tests
    Row("val_prob.S:z", lambda of: of.value("spiegelhalter")),
    Row("val_prob.S:p", lambda of: of.evidence("spiegelhalter").asymptotic_p_value),
    Row("hosmer_lemeshow.chisq", lambda of: of.value("hosmer_lemeshow")),
    Row("hosmer_lemeshow.groups", lambda of: of.evidence("hosmer_lemeshow").degrees),
    Row("hosmer_lemeshow.n", lambda of: of.evidence("hosmer_lemeshow").binned.table.n),
    Row("hosmer_lemeshow.observed", lambda of: of.evidence("hosmer_lemeshow").binned.table.sum_y),
    Row("hosmer_lemeshow.expected", lambda of: of.evidence("hosmer_lemeshow").binned.table.sum_p),
    Row("hosmer_lemeshow.p_df_g", lambda of: of.evidence("hosmer_lemeshow").asymptotic_p_value),
    Row("hosmer_lemeshow.p_df_g_minus_2", lambda of: of.evidence("hosmer_lemeshow").p_value_of_fitted),
    # accuracy
    Row("brier.brier", lambda of: of.value("brier")),
    Row("val_prob.Brier", lambda of: of.value("brier")),
    Row("risk_regression.brier", lambda of: of.value("brier")),
    Row("risk_regression.brier_se", lambda of: of.measure("brier").standard_error),
    Row("risk_regression.brier_low", lambda of: of.interval("brier")[0]),
    Row("risk_regression.brier_high", lambda of: of.interval("brier")[1]),
    Row("brier.scaled", lambda of: of.value("scaled_brier")),
    Row("risk_regression.ipa", lambda of: of.value("scaled_brier")),
    Row("brier.max_mean_p", lambda of: of.p.mean() * (1 - of.p.mean())),
    Row("brier.scaled_by_mean_p", lambda of: 1 - of.value("brier") / (of.p.mean() * (1 - of.p.mean()))),
    Row("risk_regression.auc", lambda of: of.value("auc")),
    Row("risk_regression.auc_se", lambda of: of.measure("auc").standard_error),
    Row("risk_regression.auc_low", lambda of: of.interval("auc")[0]),
    Row("risk_regression.auc_high", lambda of: of.interval("auc")[1]),
    Row("val_prob.R2", lambda of: of.value_inside("nagelkerke_r2")),
    Row("val_prob.D", lambda of: of.value_inside("discrimination")),
    Row("val_prob.D:Chi-sq", lambda of: of.value_inside("discrimination") * of.inside.sum() + 1, DIFFERENCE),
    Row("val_prob.U", lambda of: of.value_inside("unreliability")),
    Row("val_prob.Q", lambda of: of.value_inside("quality")),
    # decisions
    Row("net_benefit.model", lambda of: of.decisions.net_benefit["model"].value),
    Row("dcurves.net_benefit", lambda of: of.decisions.net_benefit["model"].value),
    Row("net_benefit.all", lambda of: of.decisions.net_benefit["treat all"].value),
    Row("net_benefit.test_positive", lambda of: of.decisions.share_above["model"]),
    Row("dcurves.test_pos_rate", lambda of: of.decisions.share_above["model"]),
    Row("dcurves.tp_rate", lambda of: of.true_positives),
    Row("dcurves.fp_rate", lambda of: of.decisions.share_above["model"] - of.true_positives),
    Row("dcurves.net_intervention_avoided", lambda of: of.decisions.interventions_avoided["model"].value),
]

NO_ANSWER = "says where answers are given, or what was printed beside them"
NO_FAMILY = "a generalised additive model is no family here: spline plays its part"
ROBUST = "robust iterations throw the rarer label away"
STEPS = "lrm groups scores in steps of .002: auc is exact, and 2 auc - 1"
POISSON = (
    "takes the number of rows for random: observed_expected has the exact interval of the share where events are few"
)
EXCUSED: dict[str, str] = {
    **dict.fromkeys(("at", "net_benefit.threshold", "dcurves.threshold", "val_prob_warnings"), NO_ANSWER),
    **dict.fromkeys((key for key in EVERY_KEY if key.endswith(".warnings")), NO_ANSWER),
    **dict.fromkeys((key for key in EVERY_KEY if key.startswith("gam.")), NO_FAMILY),
    **dict.fromkeys((key for key in EVERY_KEY if key.startswith("lowess_iter3.")), ROBUST),
    **dict.fromkeys(("val_prob.C (ROC)", "val_prob.Dxy"), STEPS),
    **dict.fromkeys(("oe.poisson_low", "oe.poisson_high"), POISSON),
    "dcurves.harm": "is an argument there, 0 by default",
}

CUT_BY_LRM = {"breast_nb": "lrm cuts likelihoods of logits up to 700"}
CUT_BY_GLM = {"breast_nb": "glm cuts the linear predictor at 30"}
INFINITE = {
    "digits_tree": "R's is infinite, since it keeps positives with a score of 0, but of scores of 0 and 1 no others"
}
ROUNDING = {"breast_nb": "a group expects 1e-16 negatives, of which rounding decides"}
FEW = {"sim_small_rounded": "a class has fewer than 50 rows, of which the normal approximation is too sure"}
NEAR_ONE = {"breast_lr": "the normal approximation would reach beyond 1", **FEW}
SECONDS = dict.fromkeys(("digits_tree", "sim_rare", "sim_calibrated", "sim_sharp"), "takes a second")
QUIRKS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("val_prob.R2", "val_prob.D", "val_prob.D:Chi-sq"), CUT_BY_LRM),
    **dict.fromkeys(("val_prob.U", "val_prob.U:Chi-sq", "val_prob.U:p"), INFINITE),
    "hosmer_lemeshow.chisq": ROUNDING,
    **dict.fromkeys(("risk_regression.brier_se", "risk_regression.brier_low", "risk_regression.brier_high"), FEW),
    **dict.fromkeys(("risk_regression.auc_low", "risk_regression.auc_high"), NEAR_ONE),
    "val_prob.Q": {**CUT_BY_LRM, **INFINITE},
    **dict.fromkeys(("lr.a0_given_b1", "lr.p_a0_given_b1", "lr.b1_given_a"), CUT_BY_GLM),
    **dict.fromkeys((f"loess_direct.{name}" for name in ("ICI", "E50", "E90", "Emax", "ECI", "curve")), SECONDS),
}


@cache
def ours_of(name: str) -> Ours:
    """Return what this package says of a data set of the file."""
    return Ours(rows_of(name))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_the_number_is_that_of_the_reference(row):
    left_out = QUIRKS.get(row.key, {}).keys()
    assert_ours_is_the_answer(row.key, lambda rows: row.ours(ours_of(rows.name)), row.tolerance, left_out)


def test_a_number_is_left_out_only_where_it_differs():
    rows = {row.key: row for row in ROWS}
    for key, reasons in QUIRKS.items():
        for name in () if reasons is SECONDS else reasons:
            with pytest.raises(AssertionError):
                assert_alike(rows[key].ours(ours_of(name)), answer(name, key), rows[key].tolerance, name)


def test_no_key_of_the_file_is_forgotten():
    tested = {row.key for row in ROWS}
    assert not tested & EXCUSED.keys()
    assert tested | EXCUSED.keys() == EVERY_KEY
    assert QUIRKS.keys() <= tested
