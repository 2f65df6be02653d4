"""The null hypothesis that the true rate lies in the band of a reference sample."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.base import Limits, Null
from fitontest.results.typing import FloatArray

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
