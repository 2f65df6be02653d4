"""The line of calibration in logits, of Cox: logit c = intercept + slope logit p, and tests that it is the diagonal.

It is fitted by maximum likelihood to the uncertain rows, those of a score strictly between 0 and 1: the logit of a
certain score is infinite, and any number in its place would decide the line.

With l(a, b) the log likelihood of intercept a and slope b, and a1 the best intercept of slope 1, three tests share it:

    joint   2 (l(a, b) - l(0, 1)),   2 degrees of freedom: intercept 0 and slope 1
    level   2 (l(a1, 1) - l(0, 1)),  1 degree: intercept 0, where the slope is 1
    slope   2 (l(a, b) - l(a1, 1)),  1 degree: slope 1, whatever the intercept

Cox (1958), Two further applications of a model for binary regression, Biometrika 45.
https://doi.org/10.1093/biomet/45.3-4.562
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.families.platt import Platt
from fitontest.measures.formula_interval import FEW, has_few, has_uneven_weights
from fitontest.measures.separation import LEAST, SEPARATED, Separation
from fitontest.numerics.intercepts import intercept_at
from fitontest.numerics.links import SAME, logit, sigmoid
from fitontest.numerics.standard_error import (
    LEAST_FREE,
    free_squares,
    outer_products_of_groups,
    weights_of_one,
)
from fitontest.results.exceptions import NoValueError, without_warnings
from fitontest.results.text import short
from fitontest.results.typing import FloatArray

FEWEST = 10  # uncertain rows of each class, below which nothing is said of a slope
FEW_LEFT = 1e-14  # square of the spread of logits where the line is not certain, relative to that of all
LEVEL = 0.95  # of the interval of an infinite slope, where it is told in place of a value
INSIDE = "strictly between 0 and 1"


@dataclass(frozen=True, eq=False)
class Line:
    """The most likely line of the uncertain rows.

    Attributes
    ----------
    slope, intercept : float
    x, c : arrays of shape (m,)
        Logits of the scores, and the probabilities that the line gives.
    middle : float
        Mean of the logits, weighted by w c (1 - c). The slope and the value there are uncorrelated, so that logits
        that differ by 1e-8 have a line as others have: squares of logits would hide by how little they differ.
    curvature : array of shape (2,)
        Of the likelihood, of the slope and of the value in the middle.
    """

    slope: float
    intercept: float
    x: FloatArray
    c: FloatArray
    middle: float
    curvature: FloatArray

    @property
    def features(self) -> FloatArray:
        """By what the residual of each row is multiplied in the gradient: (logit - middle, 1), shape (m, 2)."""
        return np.column_stack((self.x - self.middle, np.ones(self.x.size)))

    @property
    def inverse(self) -> FloatArray:
        """Inverse of the curvature of slope and intercept, shape (2, 2).

        It is their covariance if the line is true and weights count independent rows, as glm of R reports it.
        """
        return self._of_intercept(np.diag(1.0 / self.curvature))

    def is_of_few(self, sample: ScoreSample) -> bool:
        """Return whether a class has fewer than 50 rows, or labels vary no more than 50 of probability one half do.

        So they do where hardly one is on the wrong side of the scores.
        """
        varying = float(sample.rows.w @ (self.c * (1.0 - self.c))) / sample.row_weight
        return has_few(sample) or varying < FEW / 4.0

    def products_of_rows(self, sample: ScoreSample) -> FloatArray:
        """Return the sum of the outer products of the gradients of independent rows.

        Where weights are uneven, or few labels vary, each is by 1 - h, h the share of its own fitted value that a row
        decides.
        """
        rows = sample.rows
        squares = rows.w2 * (rows.y - self.c) ** 2
        if has_uneven_weights(sample) or self.is_of_few(sample):
            own = (
                weights_of_one(rows.w, rows.w2) * self.c * (1.0 - self.c) * (self.features**2 @ (1.0 / self.curvature))
            )
            squares = squares / np.maximum(1.0 - own, LEAST_FREE)
        return self._outer_products(squares)

    def _outer_products(self, w: FloatArray) -> FloatArray:
        """Return the weighted sum of the outer products of the features."""
        return np.asarray((self.features.T * w) @ self.features)

    def products(self, sample: ScoreSample) -> FloatArray:
        """Return the same of groups, where rows belong to groups."""
        if sample.groups is None:
            return self.products_of_rows(sample)
        rows = sample.rows
        gradients = (rows.w * (rows.y - self.c))[:, None] * self.features
        return outer_products_of_groups(gradients, sample.groups.code)

    def covariance(self, products: FloatArray) -> FloatArray:
        """Return the sandwich covariance H^-1 M H^-1 of slope and intercept, M the sum of outer products."""
        return self._of_intercept(self.covariance_in_the_middle(products))

    def covariance_in_the_middle(self, products: FloatArray) -> FloatArray:
        """Return the same of the slope and the value in the middle."""
        return np.asarray(products / np.outer(self.curvature, self.curvature))

    def _of_intercept(self, covariance: FloatArray) -> FloatArray:
        """Return the covariance of slope and intercept of that of the slope and the value in the middle."""
        turn = np.array([[1.0, 0.0], [-self.middle, 1.0]])
        return np.asarray(turn @ covariance @ turn.T)

    def errors(self, sample: ScoreSample) -> FloatArray:
        """Return the standard errors of slope and intercept.

        Where weights are uneven, or few labels vary, they are at least those of a true line.
        """
        variances = np.diag(self.covariance(self.products(sample)))
        rows = sample.rows
        if sample.groups is None and (has_uneven_weights(sample) or self.is_of_few(sample)):
            of_true_line = self._outer_products(rows.w2 * self.c * (1.0 - self.c))
            variances = np.maximum(variances, np.diag(self.covariance(of_true_line)))
        return np.sqrt(np.maximum(variances, 0.0))


class Tested(NamedTuple):
    """A test: its statistic, the degrees of freedom and the p-value."""

    statistic: float | None
    degrees: int
    p_value: float | None


@dataclass(frozen=True)
class CoxTests:
    """Tests of the line, likelihood ratios of independent rows.

    Where rows belong to groups, likelihoods of rows tell nothing: the statistics are those of Wald, by the sandwich
    covariance of sums over groups, and p-values those of Fisher's F with effective groups - 1 degrees, as of
    Hotelling's T^2; None of fewer than 10 effective groups. Importances count as their effective rows.

    Attributes
    ----------
    joint, level, slope : Tested
        Of intercept 0 and slope 1; of intercept 0 where the slope is 1; of slope 1.
    """

    joint: Tested
    level: Tested
    slope: Tested


def uncertain_rows(sample: ScoreSample) -> ScoreSample | None:
    """Return the rows whose score is strictly between 0 and 1, or None where there are none."""
    chosen = (sample.rows.p > 0.0) & (sample.rows.p < 1.0)
    if chosen.all():
        return sample
    return sample.take(chosen) if chosen.any() else None


def line_of(sample: ScoreSample) -> Line | None:
    """Return the line of rows that are all uncertain, or None where there is none."""
    return None if _obstacle(sample) else _fitted(sample)


def why_no_line(sample: ScoreSample) -> str:
    """Return why rows with any scores have no line; they have none."""
    uncertain = uncertain_rows(sample)
    if uncertain is None:
        return "all scores are exactly 0 or 1"
    obstacle = _obstacle(uncertain)
    separation = Separation.of(uncertain) if obstacle == SEPARATED and not are_too_few(uncertain.groups) else None
    if separation is not None:
        low, high = separation.interval(LEVEL)
        return f"{SEPARATED}: it is infinite ({100 * LEVEL:g} % CI {short(low)} to {short(high)})"
    return obstacle or "a threshold all but separates the classes"


def separation_of(sample: ScoreSample) -> Separation | None:
    """Return the separation of rows that are all uncertain, where that alone is why they have no line."""
    return Separation.of(sample) if _obstacle(sample) == SEPARATED else None


def require_line(sample: ScoreSample, measure: str) -> tuple[ScoreSample, Line]:
    """Return the uncertain rows and their line, or raise NoValueError.

    Parameters
    ----------
    sample : ScoreSample
        Rows with any scores.
    measure : str
        What needs the line.
    """
    uncertain = uncertain_rows(sample)
    line = None if uncertain is None else line_of(uncertain)
    if uncertain is None or line is None:
        raise NoValueError(
            f"y_prob must have a most likely line in logits for the {measure}, but {why_no_line(sample)}"
        )
    return uncertain, line


def require_uncertain(sample: ScoreSample, measure: str) -> ScoreSample:
    """Return the uncertain rows, or raise NoValueError where there are none."""
    rows = uncertain_rows(sample)
    if rows is None:
        raise NoValueError(f"y_prob must have scores {INSIDE} for {measure}, got scores of 0 and 1 alone")
    return rows


def level_of(sample: ScoreSample, share: float | None = None) -> float:
    """Return the intercept a of slope 1, sum w sigma(a + x) = share sum w, of rows that are all uncertain.

    Parameters
    ----------
    sample : ScoreSample
    share : float in (0, 1), optional
        By default that of the positives, so that a is the most likely intercept.
    """
    rows = sample.rows
    x, total = logit(rows.p, LEAST), float(rows.w.sum())
    share = float(rows.w @ rows.y) / total if share is None else share
    return intercept_at(x, rows.w, share)


def cox_tests(sample: ScoreSample, line: Line) -> CoxTests:
    """Return the tests that the line of uncertain rows is the diagonal.

    Parameters
    ----------
    sample : ScoreSample
        Rows that are all uncertain, of both classes.
    line : Line
        Of these rows.
    """
    level = level_of(sample)
    if sample.groups is not None:
        return _tests_of_groups(sample, line, level)
    unit = sample.row_weight
    deviances = [deviance(sample, a, b) / unit for a, b in ((0.0, 1.0), (level, 1.0), (line.intercept, line.slope))]
    pairs = ((deviances[0] - deviances[2], 2), (deviances[0] - deviances[1], 1), (deviances[1] - deviances[2], 1))
    return CoxTests(*(Tested(max(d, 0.0), df, float(chdtrc(df, max(d, 0.0)))) for d, df in pairs))


def deviance(sample: ScoreSample, intercept: float, slope: float) -> float:
    """Return -2 l(a, b), the deviance of a line, of rows that are all uncertain."""
    rows = sample.rows
    z = intercept + slope * logit(rows.p, LEAST)
    return 2.0 * float(rows.w @ np.logaddexp(0.0, np.where(rows.y > 0.5, -z, z)))


def level_error(sample: ScoreSample, level: float) -> tuple[float, float]:
    """Return the standard errors of the intercept of slope 1: of a true model 1 / sqrt(sum c (1-c)), and the sandwich.

    Where weights are uneven the second is at least that of a true model; of fewer than 10 effective groups it is 0.

    Parameters
    ----------
    sample : ScoreSample
        Rows that are all uncertain.
    level : float
        The intercept.
    """
    rows, groups = sample.rows, sample.groups
    c = sigmoid(level + logit(rows.p, LEAST))
    curvature = float(rows.w @ (c * (1.0 - c)))
    r = rows.y - c
    if groups is None:
        square = float(free_squares(rows.w, rows.w2) @ r**2)
        if has_uneven_weights(sample):
            square = max(square, float(rows.w2 @ (c * (1.0 - c))))
    elif are_too_few(groups):
        square = 0.0
    else:
        square = float(outer_products_of_groups((rows.w * r)[:, None], groups.code)[0, 0])
    return float(np.sqrt(sample.row_weight / curvature)), float(np.sqrt(square)) / curvature


def _fitted(sample: ScoreSample) -> Line | None:
    """Return the line, or None where it is certain of all rows but some that tell nothing of its slope."""
    rows = sample.rows
    with without_warnings():
        solution = Platt(eps=LEAST).solve(sample)
    slope, intercept = float(solution.attributes["slope_"]), float(solution.attributes["intercept_"])
    x = logit(rows.p, LEAST)
    c = sigmoid(slope * x + intercept)
    v = rows.w * c * (1.0 - c)
    total = float(v.sum())
    middle = float(v @ x) / total if total > 0.0 else 0.0
    curvature = np.array([float(v @ (x - middle) ** 2), total])
    if not curvature[0] > FEW_LEFT * total * float(np.ptp(x)) ** 2:
        return None
    return Line(slope, intercept, x, c, middle, curvature)


def _obstacle(sample: ScoreSample) -> str:
    """Return why no line is fitted to uncertain rows, or ""."""
    rows = sample.rows
    positive = rows.y > 0.5
    counted = rows.w if sample.whole else rows.n  # whole weights are counts of rows
    positives = float(counted[positive].sum())
    if min(positives, float(counted.sum()) - positives) < FEWEST:
        return f"a class has fewer than {FEWEST} rows of a score between 0 and 1"
    low, high = logit(rows.p[[0, -1]], LEAST)  # sorted
    if high - low <= SAME:
        cells = ", as cells keep one score each" if sample.has_pooled_scores else ""
        but = "" if rows.p[0] == rows.p[-1] else " but for rounding"
        return f"all scores between 0 and 1 are one value{but}{cells}"
    return "" if Separation.of(sample) is None else SEPARATED


def _tests_of_groups(sample: ScoreSample, line: Line, level: float) -> CoxTests:
    """Return the tests of Wald by sums over groups."""
    groups = sample.groups
    assert groups is not None
    if are_too_few(groups):
        return CoxTests(Tested(None, 2, None), Tested(None, 1, None), Tested(None, 1, None))
    covariance = line.covariance_in_the_middle(line.products(sample))
    away = np.array([line.slope - 1.0, line.intercept + (line.slope - 1.0) * line.middle])
    joint = float(away @ np.linalg.solve(covariance, away))
    of_slope = float(away[0] ** 2 / covariance[0, 0])
    of_level = (level / level_error(sample, level)[1]) ** 2
    degrees = groups.effective - 1.0
    of_joint = joint * (degrees - 1.0) / (2.0 * degrees)  # Hotelling's T^2 as Fisher's F
    return CoxTests(
        Tested(joint, 2, float(fdtrc(2.0, degrees - 1.0, of_joint))),
        Tested(of_level, 1, float(fdtrc(1.0, degrees, of_level))),
        Tested(of_slope, 1, float(fdtrc(1.0, degrees, of_slope))),
    )
