"""The positives of each stratum dealt out between both tables, where rows are independent."""

from dataclasses import dataclass

import numpy as np

from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.drift.cell_comparison import Change
from fitontest.monitor.drift.differences import Differences, share_as_far
from fitontest.monitor.drift.hypergeometric import dealt_positives
from fitontest.monitor.drift.score_strata import ScoreStrata
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DealtRows(Differences):
    """The positives of the table before: of the data in the first column, and of every draw in one more.

    Attributes
    ----------
    strata : ScoreStrata
    positives : int array of shape (S, 1 + draws)
    """

    positives: IntArray

    @classmethod
    def of(cls, strata: ScoreStrata, draws: int, rng: np.random.Generator) -> "DealtRows":
        """Return the data and the draws."""
        dealt = dealt_positives(strata.positives.sum(axis=1), strata.rows[:, 0], strata.rows[:, 1], draws, rng)
        return cls(strata, np.concatenate((strata.positives[:, :1], dealt), axis=1))

    @property
    def missing(self) -> FloatArray:
        """How many positives the table before has less than expected, by region, shape (R, 1 + draws)."""
        return np.asarray(self.strata.by_region(self.strata.expected[:, None] - self.positives))

    @property
    def variances(self) -> tuple[FloatArray, float]:
        """The variances by region, and that of the sum: strata are dealt out one by one."""
        variance = self.strata.by_region(self.strata.variance)
        return variance, float(variance.sum())

    def refitted(self, measure: PlugIn, difference: float) -> tuple[Change, Change]:
        """Return the difference of the errors and the distance of the maps, both refitted to every draw."""
        errors, distance = self._maps(measure, self.positives)
        centre = float(errors.mean())
        change = Change(difference, float(errors[1:].mean()), share_as_far(np.abs(errors - centre)))
        if distance is None:
            return change, Change(0.0, 0.0, 1.0)
        return change, Change(float(distance[0]), float(distance[1:].mean()), share_as_far(distance))
