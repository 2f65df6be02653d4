"""The null hypotheses of a monitor: which rates each allows at a score, and which of them is nearest to a bet.

The true rate is the score, is near the score, or lies in the band of a reference sample.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.checks import choose
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


UNITS = ("ratio", "probability", "logit")
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
    """The true rate is near the score: within eps in ratio, in probability or in logits.

    * In ratio |c - p| <= eps min(p, 1 - p): of the label that is rarer at this score there are at least 1 - eps and at
      most 1 + eps times as many as predicted. Summed over any rows this is
      |sum of c - sum of p| <= eps min(sum of p, sum of 1 - p), since a sum of minima is at most the minimum of the
      sums. So O:E of their rarer label is then expected within 1 - eps to 1 + eps, as `ratio` of
      `fitontest.uncertainty.Tolerance` says of all rows, and the mean of |c - p| is at most eps times the predicted
      share of that label.
    * In probability max(p - eps, 0) <= c <= min(p + eps, 1).
    * In logits c is from 1 / (1 + exp(eps - z)) to 1 / (1 + exp(-eps - z)) with z = log(p / (1 - p)), so that rates of
      rare events may be off by a factor of about exp(eps).

    In ratio and in logits scores of 0 and 1 may not be off at all.

    The hypothesis is composite: the rate of every row may be any between its limits, in every batch another one, and a
    bet has a mean factor of at most 1 for each of them, see `Null`. The upper limit is concave in p and the lower one
    convex; in ratio since min(p, 1 - p) is the smaller of two lines. In a cell of the score the mean of the true rates
    is therefore within the limits at the mean score, at which the factor of the cell is computed.

    Attributes
    ----------
    eps : float
        In [0, 1) in ratio and in probability, 0 or more in logits.
    unit : {"ratio", "probability", "logit"}
    """

    eps: float
    unit: str = "probability"

    def rates(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest rate at each score."""
        if self.unit != "logit":
            away = self.eps * np.minimum(p, 1.0 - p) if self.unit == "ratio" else self.eps
            return np.maximum(p - away, 0.0), np.minimum(p + away, 1.0)
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
        return cls(float(values["eps"]), choose(values["unit"], UNITS, "unit"))


OF_BAND = 0.5  # part of alpha that is spent on the band of a reference


@dataclass(frozen=True, eq=False)
class Band(Null):
    """The true rate lies in a band that holds the rates of a reference sample: l(p) <= c <= u(p).

    The band holds the true rates of the reference at all scores at once with a probability of 1 - `alpha`, see
    `reference_band`. It never falls: the rates of a cell lie between l at its lowest and u at its highest score.
    With evidence of level alpha_2 false alarms have a probability of at most `alpha` + alpha_2.

    Attributes
    ----------
    alpha : float
        The probability with which the band may leave out the rates of the reference: half of that of false alarms.
    ends, lows : arrays of shape (L,)
        l(p) is that of `lows` at the last of the increasing scores `ends` that is at most p; 0 before the first.
    starts, highs : arrays of shape (U,)
        u(p) is that of `highs` at the first of the increasing scores `starts` that is at least p; 1 after the last.
    n, events : int
        Rows of the reference, and those that are positive.
    """

    alpha: float
    ends: FloatArray
    lows: FloatArray
    starts: FloatArray
    highs: FloatArray
    n: int
    events: int

    def lower(self, p: FloatArray) -> FloatArray:
        """Return l(p), the lowest rate at each score."""
        return np.append(0.0, self.lows)[np.searchsorted(self.ends, p, side="right")]

    def upper(self, p: FloatArray) -> FloatArray:
        """Return u(p), the highest rate at each score."""
        return np.append(self.highs, 1.0)[np.searchsorted(self.starts, p, side="left")]

    def limits(self, batch: Batch) -> Limits:
        """Return the lowest and the highest rate at each cell of a batch."""
        return Limits(self.lower(batch.low), self.upper(batch.high))

    @property
    def alpha_share(self) -> float:
        """The part of alpha that is left for false alarms of the evidence."""
        return 1.0 - OF_BAND

    @property
    def in_brief(self) -> dict[str, Any]:
        """What results say of the hypothesis."""
        return {
            "null": "band",
            "band_alpha": self.alpha,
            "reference_n": self.n,
            "reference_events": self.events,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the hypothesis as JSON-ready values, its name under "null"."""
        steps = {name: getattr(self, name).tolist() for name in ("ends", "lows", "starts", "highs")}
        return {**self.in_brief, **steps}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Band":
        """Return the hypothesis of what `to_dict` returned."""
        steps = {name: np.asarray(values[name], dtype=np.float64) for name in ("ends", "lows", "starts", "highs")}
        _check_steps(steps, "ends", "lows")
        _check_steps(steps, "starts", "highs")
        alpha, n, events = (values[name] for name in ("band_alpha", "reference_n", "reference_events"))
        return cls(alpha=float(alpha), n=int(n), events=int(events), **steps)


def _check_steps(steps: Mapping[str, FloatArray], scores: str, rates: str) -> None:
    """Refuse steps of a band that are not those of a curve that rises."""
    at, of = steps[scores], steps[rates]
    if at.ndim != 1 or at.shape != of.shape or not (np.all(np.diff(at) > 0.0) and np.all(np.diff(of) > 0.0)):
        raise ValueError(f"{scores} and {rates} must be increasing lists of one length")
