"""What a null hypothesis of a monitor is: the rates that it allows at a score, and the nearest of them to a bet."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.results.typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Limits:
    """The lowest and the highest rate that a null hypothesis allows at each cell, shape (C,)."""

    low: FloatArray
    high: FloatArray

    @cached_property
    def logs(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The logarithms of low, high, 1 - high and 1 - low; of 0 it is -inf."""
        with np.errstate(divide="ignore"):
            return np.log(self.low), np.log(self.high), np.log1p(-self.high), np.log1p(-self.low)

    @property
    def certain(self) -> BoolArray:
        """Whether one label alone is allowed."""
        return np.asarray((self.high <= 0.0) | (self.low >= 1.0))

    def contradicted(self, batch: Batch) -> BoolArray:
        """Return which cells hold labels that cannot be: a 1 where the rate must be 0, or a 0 where it must be 1."""
        return np.asarray(
            ((self.high <= 0.0) & (batch.positives > 0.0)) | ((self.low >= 1.0) & (batch.negatives > 0.0))
        )


class Null(ABC):
    """A null hypothesis: at each score the true rate lies between two limits.

    A bet q is compared with p0, the rate between the limits that is nearest to it in the Kullback-Leibler divergence
    KL(q || p0): q itself between them, else the nearer limit. For every rate c that is allowed the factor
    (q / p0)^y ((1 - q) / (1 - p0))^(1 - y) has a mean of at most 1, since c q / p0 + (1 - c) (1 - q) / (1 - p0) is
    linear in c, is 1 at p0 and falls away from q. No other p0 that does so makes the evidence grow faster.
    """

    @abstractmethod
    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""

    def nearest(self, batch: Batch, q: FloatArray) -> FloatArray:
        """Return the rate allowed at each cell that is nearest to q, in the Kullback-Leibler divergence from q."""
        limits = self.limits(batch)
        return np.clip(q, limits.low, limits.high)

    @property
    def alpha_share(self) -> float:
        """The part of alpha that is left for false alarms of the evidence."""
        return 1.0

    @property
    def in_brief(self) -> dict[str, Any]:
        """What results say of the hypothesis."""
        return self.to_dict()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Null":
        """Return the hypothesis of what `to_dict` returned."""
