"""One maximum for all segments: p-values and intervals that hold together, however segments overlap."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.samples import Key, Samples
from fitontest.maps.logistic import LogisticMap
from fitontest.measures.cumulative import CumulativeError
from fitontest.measures.estimate import Estimate
from fitontest.results.text import count, short
from fitontest.segments.features.cuts import LEAST_VARIANCE
from fitontest.segments.uncertainty.segment_maxima import SegmentMaxima
from fitontest.uncertainty.seminorm import told_by_noise

TOO_LITTLE = f"too little to test, since the sum of p (1 - p) is below {LEAST_VARIANCE:g}"
ONLY_CERTAIN = f"too little beside scores of exactly 0 or 1, since the sum of p (1 - p) is below {LEAST_VARIANCE:g}"
ON_CONTRADICTED = (
    "Labels that contradict scores of exactly 0 or 1 refute the segments that they are in by themselves, and are left "
    "out of what stands in s.d."
)


@dataclass(frozen=True, eq=False)
class OneMaximum:
    """What is known of one measure of all segments together.

    Attributes
    ----------
    maxima : SegmentMaxima
    keys : tuple
        Of the segments, in order.
    against : LogisticMap or None
        The map of all rows by which scores were calibrated before; None: they are as they are.
    level : float
        At which the intervals hold together.
    """

    maxima: SegmentMaxima
    keys: tuple[Key, ...]
    against: LogisticMap | None
    level: float

    @cached_property
    def adjusted_p_values(self) -> dict[Key, float]:
        """The step-down p-values of the segments that are tested, or refuted by labels of certain scores."""
        pairs = zip(self.keys, self.maxima.adjusted_p_values.tolist(), strict=True)
        return {key: value for key, value in pairs if not np.isnan(value)}

    @cached_property
    def standardised(self) -> dict[Key, float]:
        """The error of each segment that is tested, in its standard deviations."""
        return self._of_tested(self.maxima.standardised)

    @cached_property
    def contradicted(self) -> list[Key]:
        """The segments with a label that contradicts a score of exactly 0 or 1."""
        return [key for key, one in zip(self.keys, self.maxima.contradicted.tolist(), strict=True) if one]

    def _of_tested(self, values: Any) -> dict[Key, float]:
        pairs = zip(self.keys, values.tolist(), self.maxima.tested.tolist(), strict=True)
        return {key: value for key, value, tested in pairs if tested}

    def estimates(self, estimates: Mapping[Key, Estimate], seed: int) -> dict[Key, Estimate]:
        """Return the estimates of the segments with nulls, debiased values and intervals that hold together.

        Parameters
        ----------
        estimates : mapping
            Of each segment.
        seed : int
            Of the simulated labels.
        """
        maxima, found = self.maxima, {}
        reach = maxima.reach(self.level) if maxima.tested.any() else 0.0
        place = np.cumsum(maxima.tested) - 1
        for k, key in enumerate(self.keys):
            estimate = estimates[key]
            if not maxima.tested[k]:
                reason = ONLY_CERTAIN if maxima.contradicted[k] else TOO_LITTLE
                found[key] = estimate.with_uncertainty(interval_reason=reason)
                continue
            sigma = float(maxima.sigma[k])
            calibrated = maxima.drawn[:, place[k]] * sigma
            noise = float(maxima.noise[k])
            found[key] = told_by_noise(estimate, calibrated, reach * sigma, noise, self.level, seed)
        return found

    @property
    def notes(self) -> list[str]:
        """What must be known to read the p-values and the intervals."""
        lines = [] if self.against is None else [self._on_map]
        if self.maxima.tested.any():
            lines.append(self._on_maximum)
        if self.contradicted:
            lines.append(ON_CONTRADICTED)
        return lines

    @property
    def _on_map(self) -> str:
        """By which map scores were calibrated before."""
        assert self.against is not None
        line = f"intercept {short(self.against.intercept)}, slope {short(self.against.slope)}"
        return (
            f"Scores were calibrated by one logistic map of all rows first ({line}): errors are those beyond it; "
            "against='scores' tests the scores as they are."
        )

    @property
    def _on_maximum(self) -> str:
        """The multicalibration error, and what it is of calibrated scores."""
        maxima = self.maxima
        mean, tested = float(maxima.maxima.mean()), int(maxima.tested.sum())
        of = "one segment" if tested == 1 else f"the largest of {count(tested)} segments"
        return (
            f"Multicalibration error {short(maxima.multicalibration_error)}: {short(maxima.largest)} standard "
            f"deviations, if calibrated {short(mean)} on average; p-values and {100 * self.level:g} % intervals are of "
            f"{of} in {count(maxima.drawn.shape[0])} draws of all labels, and hold together."
        )

    def record(self) -> dict[str, Any]:
        """Return the facts of all segments together as JSON-ready values."""
        maxima = self.maxima
        line = None if self.against is None else self.against.to_dict()
        return {
            "against": line,
            "level": self.level,
            "draws": int(maxima.drawn.shape[0]),
            "tested": int(maxima.tested.sum()),
            "multicalibration_error": maxima.multicalibration_error,
            "largest_in_standard_deviations": maxima.largest,
            "largest_if_calibrated": float(maxima.maxima.mean()) if maxima.tested.any() else None,
            "reach_in_standard_deviations": maxima.reach(self.level) if maxima.tested.any() else None,
        }


def maximum_of(
    segments: Samples, measure: CumulativeError, against: LogisticMap | None, level: float, draws: int, seed: int
) -> OneMaximum:
    """Return what is known of a measure of all segments together.

    Parameters
    ----------
    segments : Samples
        With the scores that are tested.
    measure : CumulativeError
    against : LogisticMap or None
        That has calibrated them.
    level : float
    draws, seed : int
    """
    return OneMaximum(SegmentMaxima.of(segments, measure, draws, seed), tuple(segments), against, level)
