"""The area under the ROC curve: how often a positive has the higher score of a positive and a negative."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.formula_interval import degrees_of, reason_of_groups
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.standard_error import standard_error
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.significance.normal import quantile
from fitontest.typing import FloatArray

METHOD = "by the normal approximation, with the standard error of DeLong"
ALONE = "nothing varies, or a class has a single row"
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
    approximation, cut to [0, 1].

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves, Biometrics 44. https://doi.org/10.2307/2531595
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
        """The standard error, None of fewer than 10 effective groups, of a single row of a class, and of no variation.

        Row i of class c moves the area by psi_i / W, psi_i = W / W_c (V_i - area), with V_i the share of the rows of
        the other class that it is ranked right against, a tie counting as a half.
        """
        rows, groups = self.sample.rows, self.sample.groups
        if are_too_few(groups):
            return None
        influence = self._influence()
        if groups is not None:
            return standard_error(influence, rows.w, rows.w2, groups.code) or None
        variance = 0.0
        for of_class in (rows.y > 0.5, rows.y <= 0.5):
            w, w2 = rows.w[of_class], rows.w2[of_class]
            n = float(w.sum()) ** 2 / float(w2.sum())  # whole weights: their sum
            if n <= 1.0 + 1e-9:
                return None  # a single row does not vary
            variance += float(w2 @ influence[of_class] ** 2) * n / (n - 1.0)
        return float(np.sqrt(variance)) / float(rows.w.sum()) or None

    def interval_at(self, level: float) -> ErrorInterval | None:
        """Return the area -+ q standard errors, cut to [0, 1], or None where `interval_reason` says why.

        Parameters
        ----------
        level : float in (0, 1)
        """
        if self.standard_error is None:
            return None
        half = quantile(level, degrees_of(self.sample.groups)) * self.standard_error
        return ErrorInterval.by_formula(max(self.area - half, 0.0), min(self.area + half, 1.0), level, METHOD)

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
