"""Null hypotheses of a monitor: the rates that the scores allow, and the nearest of them to a bet."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.monitoring.batch import Batch
from fitontest.numerics.links import logit, sigmoid
from fitontest.typing import BoolArray, FloatArray


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

    def contradicted(self, batch: Batch) -> BoolArray:
        """Return which cells hold labels that cannot be: a 1 where the rate must be 0, or a 0 where it must be 1."""
        return np.asarray(
            ((self.high <= 0.0) & (batch.positives > 0.0)) | ((self.low >= 1.0) & (batch.negatives > 0.0))
        )

    def at(self, cells: BoolArray) -> "Limits":
        """Return the limits at the chosen cells."""
        return self if cells.all() else Limits(self.low[cells], self.high[cells])


class Null(ABC):
    """A null hypothesis: at each score the true rate lies between two limits."""

    @abstractmethod
    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""

    def nearest(self, batch: Batch, q: FloatArray) -> FloatArray:
        """Return the rate allowed at each cell that is nearest to q, in the Kullback-Leibler divergence from q."""
        limits = self.limits(batch)
        return np.clip(q, limits.low, limits.high)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""


@dataclass(frozen=True)
class Exact(Null):
    """The true rate is the score."""

    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""
        return Limits(batch.p, batch.p)

    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""
        return {"null": "exact"}


@dataclass(frozen=True)
class Tolerance(Null):
    """The true rate is within eps of the score, in probability or in logits."""

    eps: float
    unit: str = "probability"

    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""
        if self.unit == "probability":
            return Limits(np.maximum(batch.p - self.eps, 0.0), np.minimum(batch.p + self.eps, 1.0))
        z = logit(batch.p, 1e-300)
        inside = batch.uncertain
        return Limits(
            np.where(inside, sigmoid(z - self.eps), batch.p), np.where(inside, sigmoid(z + self.eps), batch.p)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""
        return {"null": "tolerance", "eps": self.eps, "unit": self.unit}
