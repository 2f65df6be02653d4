"""Differences of two tables by region of the scores, beside those that there are if the calibration has not changed."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from fitontest.data.entries import Entries
from fitontest.families.base import read_family
from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.drift.cell_comparison import Change, Regions
from fitontest.monitor.drift.score_strata import ScoreStrata
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray, IntArray

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Differences(ABC):
    """What the table before lacks in positives: of the data in the first column, and of every draw in one more.

    Attributes
    ----------
    strata : ScoreStrata
    """

    strata: ScoreStrata

    @property
    @abstractmethod
    def missing(self) -> FloatArray:
        """How many positives the table before has less than expected, by region, shape (R, 1 + draws)."""

    @property
    @abstractmethod
    def variances(self) -> tuple[FloatArray, float]:
        """The variances of these numbers by region, shape (R,), and that of their sum over all regions."""

    @abstractmethod
    def refitted(self, measure: PlugIn, difference: float) -> tuple[Change, Change]:
        """Return the difference of the errors and the distance of the maps."""

    def z(self) -> tuple[FloatArray, FloatArray]:
        """Return the differences in standard deviations by region, shape (R, 1 + draws), and over all, (1 + draws,)."""
        missing, (by_region, overall) = self.missing, self.variances
        return in_deviations(missing, by_region[:, None]), in_deviations(missing.sum(axis=0), np.asarray(overall))

    def p_value(self) -> float | None:
        """Return the share of the draws with a statistic at most that of the data."""
        by_region, overall = self.z()
        told = int(np.count_nonzero(self.variances[0] > 0))
        statistic = chdtrc(1.0, overall**2)
        if told:
            statistic = np.minimum(statistic, chdtrc(float(told), (by_region**2).sum(axis=0)))
        return share_as_far(-np.log(np.maximum(statistic, 1e-300)))

    def residual(self, difference: float) -> Change:
        """Return the difference of the mean residuals."""
        rows = self.strata.rows.sum(axis=0)
        missing = self.missing.sum(axis=0)
        unchanged = difference - float(missing[0]) * float((1.0 / rows).sum())
        return Change(difference, unchanged, share_as_far(np.abs(missing)))

    def regions(self) -> Regions:
        """Return the mean residuals by region."""
        strata = self.strata
        rows, positives, scores = map(strata.by_region, (strata.rows, strata.positives, strata.scores))
        with np.errstate(divide="ignore", invalid="ignore"):
            before, after = ((positives - scores) / rows).T
            unchanged = after - before - self.missing[:, 0] * (1.0 / rows).sum(axis=1)
        z, _ = self.z()
        return Regions(
            low=strata.low[strata.first],
            high=np.maximum.reduceat(strata.high, strata.first),
            n_before=rows[:, 0],
            n_after=rows[:, 1],
            before=before,
            after=after,
            unchanged=unchanged,
            z=z[:, 0],
            p_value=np.array([share_as_far(np.abs(one)) for one in z]),
        )

    def _maps(self, measure: PlugIn, positives: IntArray) -> tuple[FloatArray, FloatArray | None]:
        """Return differences of the errors and distances of the maps, shape (d,), for positives of shape (S, d).

        Distances are None where no stratum has rows of both tables.
        """
        total = self.strata.positives.sum(axis=1)[:, None]
        fits = [self._fitted(measure, side, at) for side, at in enumerate((positives, total - positives))]
        both = self.strata.rows.min(axis=1) > 0
        errors = fits[1][1] - fits[0][1]
        if not both.any():
            return errors, None
        w = self.strata.total[both].astype(np.float64)
        one, other = (values[both[rows > 0]] for (values, _), rows in zip(fits, self.strata.rows.T, strict=True))
        return errors, np.asarray(w @ np.abs(other - one) / w.sum())

    def _fitted(self, measure: PlugIn, side: int, positives: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the values of the maps of a table at its strata, shape (S', d), and their errors."""
        present = self.strata.rows[:, side] > 0
        n = self.strata.rows[present, side]
        entries = Entries(np.maximum.accumulate(self.strata.p)[present], n.astype(np.float64), n, whole=True)
        with without_warnings():  # of the real labels the user has been warned
            values = read_family(measure.family).fit_many(entries, positives[present]).at()[entries.place]
        g = np.abs(values - entries.p[:, None])
        return values, measure.total.of_columns(g, entries.w, counts=entries.whole)


def in_deviations(missing: FloatArray, variance: FloatArray) -> FloatArray:
    """Return sums in standard deviations; where nothing can vary, 0."""
    return np.asarray(np.where(variance > 0, missing / np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0))


def share_as_far(values: FloatArray) -> float:
    """Return the share of values, shape (1 + draws,), that are at least the first, which is that of the data."""
    rounding = ROUNDING * max(1e-3, float(np.abs(values).max()))
    return float(np.mean(values >= values[0] - rounding))
