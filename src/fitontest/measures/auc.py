"""The area under the ROC curve: how often a positive has the higher score of a positive and a negative."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.formula_interval import FEW, degrees_of, reason_of_groups
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.significance.normal import quantile
from fitontest.numerics.standard_error import are_uneven, free_squares, standard_error
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.results.typing import FloatArray

METHOD = "by the normal approximation, with the standard error of DeLong"
BY_SCORE = "by the variance that each area would have, since a class has few rows or hardly a pair is ranked wrongly"
ALONE = "a class has a single row, which does not vary"
NEAR = 1e-12  # to the area, where no end is looked for
NO_PAIR = "there is no pair of a positive and a negative to rank, for which the AUC counts as 0.5"


@register("auc")
@dataclass(frozen=True)
class AUC(Measure):
    """The area under the ROC curve, which measures ranking, not calibration.

    It is P(p > p') + P(p = p') / 2 for a positive p and a negative p'.

    That of scikit-learn, ``roc_auc_score``. Greater is better. It does not change where an increasing map calibrates
    the scores, and falls where a map makes scores equal that were in the right order. It measures
    discrimination: its p-value is two-sided.

    Notes
    -----
    Of labels of one class it is 0.5, with a note: redrawn labels of rare positives may have none.

    The standard error is that of DeLong, DeLong, Clarke-Pearson; where rows belong to groups it is of sums over groups,
    as that of Obuchowski, with sums over n in place of n - 1 within the classes. The interval is by the normal
    approximation, of groups and uneven weights with Student's t.

    Where a class has fewer than 50 rows, or that interval would leave [0, 1], as that of an area of 1 of which nothing
    seems to vary, the ends are the areas A at which the observed one is q standard errors away (Newcombe's fifth
    method),

    (area - A)^2 = q^2 A (1 - A) (1 + (N - 1) ((1 - A) / (2 - A) + A / (1 + A))) / (m n),    N = (m + n) / 2,

    of m positives and n negatives, as independent rows count them, with q larger by as much as DeLong's standard error
    is than that of this formula. Of 26 rows and areas of .81 and .95 the normal approximation held the true area in 89
    and 73 % of simulated sets, this one in 95 to 98 %.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves, Biometrics 44. https://doi.org/10.2307/2531595
    Newcombe (2006), Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2:
    asymptotic methods and evaluation, Statistics in Medicine 25. https://doi.org/10.1002/sim.2324
    Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53.
    https://doi.org/10.2307/2533958

    Examples
    --------
    >>> import fitontest as fot
    >>> area = fot.measures.AUC().estimate(fot.ScoreSample([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]))
    >>> area.value, round(area.standard_error, 4)
    (0.875, 0.1768)
    """

    words = Words(title="AUC")

    greater_is_better = True
    two_sided = True
    has_own_interval = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the area, with the weights of the rows."""
        from sklearn.metrics import roc_auc_score

        rows = sample.rows
        if rows.y.min() == rows.y.max():
            return Estimate.of(self, sample, 0.5, NoPair(note=NO_PAIR))
        area = float(roc_auc_score(rows.y, rows.p, sample_weight=rows.w))
        return Estimate.of(self, sample, area, RankedPairs(sample=sample, area=area))


@dataclass(frozen=True, kw_only=True, eq=False)
class NoPair(Evidence):
    """Labels of one class, of which nothing can be ranked."""

    has_value: ClassVar[bool] = False

    @property
    def interval_reason(self) -> str:
        """That there is no pair."""
        return NO_PAIR


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedPairs(Evidence):
    """How far an area under the ROC curve may be trusted.

    Attributes
    ----------
    sample : ScoreSample
        The rows, of both classes.
    area : float
    """

    recorded = ("standard_error",)

    sample: ScoreSample = field(repr=False)
    area: float

    @cached_property
    def standard_error(self) -> float | None:
        """The standard error by DeLong, None of fewer than 10 effective groups and of a single row of a class.

        0 where no two areas of single rows differ, as where all pairs are ranked rightly.

        Row i of class c moves the area by psi_i / W, psi_i = W / W_c (V_i - area), with V_i the share of the rows of
        the other class that it is ranked right against, a tie counting as a half.
        """
        rows, groups = self.sample.rows, self.sample.groups
        if are_too_few(groups):
            return None
        influence = self._influence()
        if groups is not None:
            return standard_error(influence, rows.w, rows.w2, groups.code)
        if min(self._rows_of_classes) <= 1.0 + 1e-9:
            return None  # a single row does not vary
        variance = 0.0
        for of_class, n in zip((rows.y > 0.5, rows.y <= 0.5), self._rows_of_classes, strict=True):
            w, w2 = rows.w[of_class], rows.w2[of_class]
            free = free_squares(w, w2) if are_uneven(w, w2) else w2 * (n / (n - 1.0))
            variance += float(free @ influence[of_class] ** 2)
        return float(np.sqrt(variance)) / float(rows.w.sum())

    @cached_property
    def _rows_of_classes(self) -> tuple[float, float]:
        """How many positives and negatives there are, as weights count them."""
        rows = self.sample.rows
        chosen = (rows.y > 0.5, rows.y <= 0.5)
        return tuple(float(rows.w[each].sum()) ** 2 / float(rows.w2[each].sum()) for each in chosen)  # type: ignore[return-value]

    @cached_property
    def _independent_rows(self) -> tuple[float, float]:
        """How many independent positives and negatives tell as much: of groups at most half of their number each.

        A positive and a negative of two groups are an independent pair.
        """
        groups = self.sample.groups
        most = np.inf if groups is None else groups.effective / 2.0
        positives, negatives = (min(n, most) for n in self._rows_of_classes)
        return positives, negatives

    def interval_at(self, level: float) -> ErrorInterval | None:
        """Return the interval, or None where `interval_reason` says why.

        Parameters
        ----------
        level : float in (0, 1)
        """
        if self.standard_error is None:
            return None
        few = min(self._rows_of_classes) < FEW
        q = quantile(level, degrees_of(self.sample, few=few))
        half = q * self.standard_error
        if few or not half < min(self.area, 1.0 - self.area):
            return ErrorInterval.by_formula(*self._ends_by_score(q), level, BY_SCORE)
        return ErrorInterval.by_formula(self.area - half, self.area + half, level, METHOD)

    def _ends_by_score(self, q: float) -> tuple[float, float]:
        """Return the areas at which the observed one is q standard errors away."""
        assert self.standard_error is not None
        area, (m, n) = self.area, self._independent_rows

        def variance(a: float) -> float:
            pairs = 1.0 + ((m + n) / 2.0 - 1.0) * ((1.0 - a) / (2.0 - a) + a / (1.0 + a))
            return a * (1.0 - a) * pairs / (m * n)

        wider = max(self.standard_error**2 / variance(area), 1.0) if 0.0 < area < 1.0 else 1.0

        def beyond(a: float) -> float:
            return (area - a) ** 2 - q * q * wider * variance(a)

        low = 0.0 if area <= NEAR else float(brentq(beyond, 0.0, area - NEAR, xtol=NEAR))
        high = 1.0 if area >= 1.0 - NEAR else float(brentq(beyond, area + NEAR, 1.0, xtol=NEAR))
        return low, high

    @property
    def interval_reason(self) -> str:
        """Why there is no interval, or ""."""
        if self.standard_error is not None:
            return ""
        return reason_of_groups(self.sample.groups) or ALONE

    def _influence(self) -> FloatArray:
        """Return psi of each row."""
        rows, distinct = self.sample.rows, self.sample.distinct
        place = np.cumsum(np.concatenate(([False], rows.p[1:] != rows.p[:-1])))
        positives, negatives = distinct.wy, distinct.w - distinct.wy
        below = (np.cumsum(negatives) - negatives / 2.0) / negatives.sum()
        above = 1.0 - (np.cumsum(positives) - positives / 2.0) / positives.sum()
        total = float(rows.w.sum())
        of_positives = (below[place] - self.area) * (total / float(positives.sum()))
        of_negatives = (above[place] - self.area) * (total / float(negatives.sum()))
        return np.asarray(np.where(rows.y > 0.5, of_positives, of_negatives))

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle with the standard error, which computed again might be rounded otherwise."""
        return {**self.__dict__, "standard_error": self.standard_error}

    def section(self) -> Section:
        """Return the standard error in a line."""
        if are_too_few(self.sample.groups):
            return Section(notes="no standard error of so few groups")  # the estimate says why
        error = self.standard_error
        return Section(notes="" if error is None else f"standard error {short(error, 2)}")
