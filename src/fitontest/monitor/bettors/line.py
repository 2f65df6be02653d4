"""The bettor on a shift and a slope of the logits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.base import Bettor, Round
from fitontest.monitor.bettors.factors import log_factors
from fitontest.monitor.bettors.fixed_share import FixedShare
from fitontest.results.typing import FloatArray

SHIFTS = np.array([-1.2, -0.7, -0.4, -0.2, -0.1, 0.0, 0.1, 0.2, 0.4, 0.7, 1.2])  # logits, at the centre
SLOPES = np.array([0.5, 0.63, 0.75, 0.87, 1.0, 1.15, 1.33, 1.6, 2.0])
SHIFT_SPREAD = 0.5  # standard deviations of the prior, of the shift and of the logarithm of the slope
SLOPE_SPREAD = 0.35
UNCHANGED = 0.3  # prior weight of shift 0 and slope 1


def log_prior_of_lines(shifts: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return the logarithm of the normal prior of lines on a grid, shape (shifts, slopes), of sum 1.

    Each point has the density there times the part of the grid that it stands for.
    """
    log_slopes = np.log(slopes)
    of_shift = -0.5 * (shifts / SHIFT_SPREAD) ** 2 + np.log(np.gradient(shifts))
    of_slope = -0.5 * (log_slopes / SLOPE_SPREAD) ** 2 + np.log(np.gradient(log_slopes))
    joint = of_shift[:, None] + of_slope[None, :]
    return np.asarray(joint - np.log(np.exp(joint).sum()))


def centre_of(batch: Batch) -> float:
    """Return the mean logit of the scores of a batch that are neither 0 nor 1; 0 where all are."""
    inside = batch.uncertain
    return float(np.average(batch.z[inside], weights=batch.total[inside])) if inside.any() else 0.0


def _prior() -> FixedShare:
    prior = np.exp(log_prior_of_lines(SHIFTS, SLOPES))
    unchanged = np.ix_(SHIFTS == 0.0, SLOPES == 1.0)
    prior[unchanged] = 0.0
    prior *= (1.0 - UNCHANGED) / prior.sum()
    prior[unchanged] = UNCHANGED
    return FixedShare.of(prior.ravel())


@dataclass(frozen=True, eq=False)
class LineBettor(Bettor):
    """Bets that the logits of all scores are off by a line, by a mixture over 11 shifts and 9 slopes.

    Attributes
    ----------
    centre : float
        The logit about which the line turns: the mean of the first batch, so that shift and slope are told apart.
    shares : FixedShare
        The weights of the lines.
    """

    kind: ClassVar[str] = "line"
    centre: float
    shares: FixedShare

    @classmethod
    def first(cls, batch: Batch) -> "LineBettor":
        """Return the bettor before the first batch, of which it sees the scores."""
        return cls(centre_of(batch), _prior())

    def bet(self, turn: Round) -> tuple[float, "LineBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        away = turn.batch.z - self.centre
        z = self.centre + SHIFTS[:, None, None] + SLOPES[None, :, None] * away
        gained = log_factors(turn.batch, turn.limits, z.reshape(-1, away.size))
        return self.shares.log_mean(gained), replace(self, shares=self.shares.after(gained))

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        return {"kind": self.kind, "centre": self.centre, "weights": self.shares.weights.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "LineBettor":
        """Return the bettor of a state that `to_dict` returned."""
        return cls(float(values["centre"]), _prior().at(values["weights"]))
