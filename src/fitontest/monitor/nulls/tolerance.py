"""The null hypotheses that the true rate is the score, and that it is near the score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.base import Limits, Null
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.typing import FloatArray

SMALLEST = 1e-300  # of which the logit is finite


@dataclass(frozen=True)
class Exact(Null):
    """The true rate is the score: c = p.

    In a cell of the score the mean of the true rates is then the mean score, at which its factor is computed. A label
    of 1 where the score is 0, or of 0 where it is 1, has no probability at all.
    """

    def rates(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest rate at each score."""
        return p, p

    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""
        return Limits(*self.rates(batch.p))

    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""
        return {"null": "exact"}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Exact":  # noqa: ARG003 - it has no settings
        """Return the hypothesis of what `to_dict` returned."""
        return cls()


@dataclass(frozen=True)
class Tolerance(Null):
    """The true rate is near the score: within eps in probability, or, with ``unit="logit"``, in logits.

    In probability max(p - eps, 0) <= c <= min(p + eps, 1). In logits c is from 1 / (1 + exp(eps - z)) to
    1 / (1 + exp(-eps - z)) with z = log(p / (1 - p)), so that rates of rare events may be off by a factor of about
    exp(eps), and scores of 0 and 1 not at all.

    The upper limit is concave in p and the lower one convex. In a cell of the score the mean of the true rates is
    therefore within the limits at the mean score, at which the factor of the cell is computed.

    Attributes
    ----------
    eps : float
        In [0, 1) in probability, 0 or more in logits.
    unit : {"probability", "logit"}
    """

    eps: float
    unit: str = "probability"

    def rates(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest rate at each score."""
        if self.unit == "probability":
            return np.maximum(p - self.eps, 0.0), np.minimum(p + self.eps, 1.0)
        certain = (p <= 0.0) | (p >= 1.0)
        z = logit(p, SMALLEST)
        low, high = sigmoid(z - self.eps), sigmoid(z + self.eps)
        return np.where(certain, p, np.minimum(low, p)), np.where(certain, p, np.maximum(high, p))

    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""
        return Limits(*self.rates(batch.p))

    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""
        return {"null": "tolerance", "eps": self.eps, "unit": self.unit}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Tolerance":
        """Return the hypothesis of what `to_dict` returned."""
        return cls(float(values["eps"]), str(values["unit"]))
