"""Intervals for level and slope of the logits that hold at all times."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.history import Ends
from fitontest.monitor.lines.likelihood import LineLikelihood
from fitontest.monitor.lines.mixture import log_mixture, mode_of
from fitontest.monitor.lines.region import ends_of
from fitontest.monitor.stored.values import optional, read_each, read_number, read_object
from fitontest.results.typing import FloatArray

MARGIN = 1e-5  # of log likelihood, by which the mixture may be off


@dataclass(frozen=True, eq=False)
class LineSequence:
    """The lines of the logits, c = 1 / (1 + exp(-(m + d + b (z - m)))), that all batches so far leave open.

    A line (d, b) is left open if

        log L(d, b) >= log(mean of L under the prior) - log(1 / alpha),

    L the likelihood of all rows, and the prior independent and normal: d with standard deviation .5 and log b with .35.
    The ratio of mean and L(d, b) is an e-process if (d, b) is the truth (Robbins, 1970,
    https://doi.org/10.1214/aoms/1177696786), so that the true line is left open at all times with probability 1 - alpha
    at least. Level and slope are the projections of the set: the level at any slope, the slope at any level, and both
    hold together. Exponents below 1 keep it: the mean of a power of a likelihood ratio is at most 1, and so is that
    of a product over dependent rows of a group whose exponents sum to 1 at most. How rows are cut into batches changes
    nothing but m.

    m is the mean logit of the first batch, weighted by p (1 - p). Level and slope are nearly independent there: the
    interval for the level at any slope is 6 to 28 % wider than that of shifts at slope 1 if the scores do not drift,
    and the latter is wrong where they do and the slope is not 1 (`benchmarks/monitor_sequences.py`). A level
    above 0 says that there are more events than the scores expect. Cells of 1/64 of a logit move an end by less than a
    thousandth of the width for slopes from .5 to 2 and a million rows, and by less than a two hundredth for 1e8.

    The set is never empty, since the mean of L is at most its largest value. But where no level, or no slope, was left
    open after every batch, no line agrees with all of them, and the intervals are None. Until then they are those of
    the last batch, and not what is common to all batches, which is small just before it vanishes and would look sure.

    Attributes
    ----------
    likelihood : LineLikelihood
    ends : array of shape (2, 2)
        The lowest and the highest level, and slope, that are left open now; infinite where there is no end.
    common : array of shape (2, 2)
        The same of those that were left open after every batch.
    """

    likelihood: LineLikelihood
    ends: FloatArray
    common: FloatArray

    @classmethod
    def first(cls, batch: Batch) -> "LineSequence":
        """Return the sequence before the first batch, of which it sees the scores."""
        part = batch.at(batch.uncertain)
        centre = float(np.average(part.z, weights=part.total * part.p * (1.0 - part.p))) if len(part) else 0.0
        everything = np.array([[-np.inf, np.inf], [-np.inf, np.inf]])
        return cls(LineLikelihood.none(centre), everything, everything)

    def after(self, batch: Batch, alpha: float) -> "LineSequence":
        """Return the sequence at level 1 - alpha after a batch, of which scores of 0 and 1 have no part.

        `alpha` is that of all batches before.
        """
        part = batch.at(batch.uncertain)
        if not len(part):
            return self
        likelihood = self.likelihood.after(part)
        mode = mode_of(likelihood)
        slope = float(np.exp(mode[1]))
        margin = MARGIN + 2.0 * likelihood.error_at(slope)  # of the mixture, and of the line that is compared with it
        limit = log_mixture(likelihood, mode) + np.log(alpha) - margin
        ends = ends_of(likelihood, np.array([mode[0], slope]), limit)
        low, high = np.maximum(self.common[:, 0], ends[:, 0]), np.minimum(self.common[:, 1], ends[:, 1])
        return LineSequence(likelihood, ends, np.stack((low, high), axis=1))

    @property
    def refuted(self) -> bool:
        """Whether no line is left open by all batches.

        Level or slope changed, or the truth is no line: where scores drift along a curve, lines through it differ.
        """
        return bool(np.any(self.common[:, 0] > self.common[:, 1]))

    @property
    def level(self) -> Ends:
        """The shifts at the centre that are left open; an end that is not known is None, and None if `refuted`."""
        return self._interval(0)

    @property
    def slope(self) -> Ends:
        """The slopes that are left open, in the same way."""
        return self._interval(1)

    def _interval(self, value: int) -> Ends:
        if self.refuted:
            return None
        low, high = (float(end) if np.isfinite(end) else None for end in self.ends[value])
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """Return the sequence as JSON-ready values; ends that are open are None."""
        ends = {name: _closed(getattr(self, name)) for name in ("ends", "common")}
        return {**self.likelihood.to_dict(), **ends}

    @classmethod
    def from_dict(cls, values: object, place: str = "lines") -> "LineSequence":
        """Return the sequence of values that `to_dict` returned, or refuse them by the name of their place."""
        held = dict(read_object(values, (*LineLikelihood.names(), "ends", "common"), place))
        ends, common = (_opened(held.pop(name), f"{place}.{name}") for name in ("ends", "common"))
        return cls(LineLikelihood.from_dict(held, place), ends, common)


def _closed(ends: FloatArray) -> list[list[float | None]]:
    """Return ends of which JSON holds each: None for infinity."""
    return [[float(end) if np.isfinite(end) else None for end in pair] for pair in ends]


def _opened(value: object, place: str) -> FloatArray:
    """Return the ends that `_closed` returned."""
    pairs = read_each(value, _read_pair, place, 2)
    infinite = (-np.inf, np.inf)
    return np.array([[infinite[k] if end is None else end for k, end in enumerate(pair)] for pair in pairs])


def _read_pair(value: object, place: str) -> list[float | None]:
    return read_each(value, optional(read_number), place, 2)
