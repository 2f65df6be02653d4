"""Segments that are tested together by one maximum, which a companion draws."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

from fitontest.data.samples import Key, Samples
from fitontest.families.base import read_family
from fitontest.maps.base import CalibrationMap
from fitontest.maps.logistic import LogisticMap
from fitontest.measures.cumulative import CumulativeError
from fitontest.measures.estimate import Estimate
from fitontest.results.companions import brought

Against: TypeAlias = Literal["logistic", "scores"]
AGAINST = ("logistic", "scores")


class Maximum(Protocol):
    """What is known of one measure of all segments together."""

    @property
    def adjusted_p_values(self) -> dict[Key, float]:
        """The step-down p-values of the segments that are tested, or refuted by labels of certain scores."""

    @property
    def standardised(self) -> dict[Key, float]:
        """The error of each segment that is tested, in its standard deviations."""

    @property
    def contradicted(self) -> list[Key]:
        """The segments with a label that contradicts a score of exactly 0 or 1."""

    @property
    def notes(self) -> list[str]:
        """What must be known to read the p-values and the intervals."""

    def estimates(self, estimates: Mapping[Key, Estimate], seed: int) -> dict[Key, Estimate]:
        """Return the estimates of the segments with nulls, debiased values and intervals that hold together."""

    def record(self) -> dict[str, Any]:
        """Return the facts of all segments together as JSON-ready values."""


def calibrated_by(segments: Samples, c_hat: CalibrationMap) -> Samples:
    """Return segments whose scores were calibrated by one map.

    Parameters
    ----------
    segments : Samples
        By segment, of one score in each row.
    c_hat : CalibrationMap
    """
    return segments.each(lambda sample: sample.present.rescored(c_hat.evaluate(sample.rows.p)))


def logistic_map(segments: Samples) -> LogisticMap:
    """Return the logistic map of all rows.

    Raises
    ------
    ValueError
        All labels are of one class.
    """
    whole = segments.whole
    if whole.base_rate in (0.0, 1.0):
        raise ValueError(
            f"against must be 'scores' where all labels are of one class, of which no logistic map can be fitted; got "
            f"'logistic' with {whole.n:,} rows of one class"
        )
    return read_family("platt").fit_sample(whole).map_  # type: ignore[return-value] # of labels of both classes


def maximum_of(
    segments: Samples, measure: CumulativeError, against: LogisticMap | None, level: float, draws: int, seed: int
) -> Maximum:
    """Return what is known of a measure of all segments together, as a companion tells it."""
    found: Maximum = brought("one maximum")(segments, measure, against, level, draws, seed)
    return found
