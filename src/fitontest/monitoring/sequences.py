"""Intervals for shift and slope of the logits that hold at all times."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.monitoring.batch import Batch
from fitontest.monitoring.line_bettor import log_prior_of_lines
from fitontest.monitoring.stored_values import read_array, read_number, read_object
from fitontest.numerics.log_sums import log_sum_exp
from fitontest.typing import BoolArray, FloatArray

SHIFTS = np.linspace(-1.5, 1.5, 61)
SLOPES = np.geomspace(0.4, 2.5, 41)


@dataclass(frozen=True, eq=False)
class LineSequence:
    """The log likelihood of lines of the logits, c = 1 / (1 + exp(-(m + d + b (z - m)))), on a grid of d and b.

    Attributes
    ----------
    centre : float
        m, the logit about which lines turn.
    logs : array of shape (61, 41)
        The log likelihood of shift d and slope b, of all batches.
    """

    centre: float
    logs: FloatArray

    @classmethod
    def first(cls, centre: float) -> "LineSequence":
        """Return the sequence before the first batch."""
        return cls(centre, np.zeros((SHIFTS.size, SLOPES.size)))

    def after(self, batch: Batch) -> "LineSequence":
        """Return the sequence after a batch."""
        part = batch.at(batch.uncertain)
        away, odds = part.z - self.centre, np.exp(self.centre + SHIFTS[:, None])
        gained = (self.centre + SHIFTS[:, None]) * part.positives.sum() + SLOPES * (away @ part.positives)
        for k, slope in enumerate(SLOPES):
            gained[:, k] -= np.log(1.0 + odds * np.exp(slope * away)) @ part.total
        return replace(self, logs=self.logs + gained)

    def level(self, alpha: float) -> tuple[float | None, float | None] | None:
        """Return the interval for the shift, at any slope."""
        return self._interval(SHIFTS, self._agrees(alpha).any(axis=1))

    def slope(self, alpha: float) -> tuple[float | None, float | None] | None:
        """Return the interval for the slope, at any shift."""
        return self._interval(SLOPES, self._agrees(alpha).any(axis=0))

    def _agrees(self, alpha: float) -> BoolArray:
        mixture = log_sum_exp((self.logs + log_prior_of_lines(SHIFTS, SLOPES)).ravel())
        return np.asarray(self.logs > mixture + np.log(alpha))

    def _interval(self, values: FloatArray, agrees: Any) -> tuple[float | None, float | None] | None:
        inside = np.flatnonzero(agrees)
        if not inside.size:
            return None
        low, high = max(inside[0] - 1, 0), min(inside[-1] + 1, values.size - 1)
        return (
            float(values[low]) if inside[0] > 0 else None,
            float(values[high]) if inside[-1] < values.size - 1 else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the sequence as JSON-ready values."""
        return {"centre": self.centre, "logs": self.logs.tolist()}

    @classmethod
    def from_dict(cls, values: object, place: str = "lines") -> "LineSequence":
        """Return the sequence of values that `to_dict` returned, or refuse them by the name of their place."""
        held = read_object(values, ("centre", "logs"), place)
        centre = read_number(held["centre"], f"{place}.centre")
        return cls(centre, read_array(held["logs"], (SHIFTS.size, SLOPES.size), f"{place}.logs"))
