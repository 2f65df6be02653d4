"""A measure under redrawn labels: its null, and its debiased value and interval from a chain of truths.

How far the truths go is told by the size of the measure itself; for a quantile or the largest of the distances by that
of their mean (`Measure.chain_measure`), so that all norms of one map are of the same truths.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.redraws import NULL, Redraws
from fitontest.families.base import Family
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.links import signed_root
from fitontest.numerics.norms import is_order_statistic
from fitontest.numerics.rounding import NOWHERE
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.inversion import chain_lengths, find_growing, invert, misreads
from fitontest.uncertainty.null import compare_with
from fitontest.uncertainty.shared_refits import SharedRefits

DRAWS = 50  # labellings from each truth, by default


@dataclass(frozen=True)
class DebiasedInterval:
    """The debiased value, the ends of the interval, and whether the family sees much more or less than the error."""

    value: float
    low: float
    high: float
    misread: bool


@dataclass(frozen=True, eq=False)
class Redrawn:
    """A measure under redrawn labels of one sample.

    Parameters
    ----------
    measure : Measure
    redraws : Redraws
    seed : int
    shared : SharedRefits, optional
        Measures whose values are computed together, this one among them; by default this one alone.
    c_hat : array of shape (G,), optional
        The map of the real labels at the distinct scores, where it is known (`known_fit`).
    """

    measure: Measure
    redraws: Redraws
    seed: int
    shared: SharedRefits | None = field(default=None, repr=False)
    c_hat: FloatArray | None = field(default=None, repr=False)

    @cached_property
    def _shared(self) -> SharedRefits:
        has_it = self.shared is not None and self.shared.holds(self.measure)
        return self.shared if self.shared is not None and has_it else SharedRefits.of([self.measure])

    @property
    def stand_in(self) -> Family | None:
        """The family that is refitted in place of the measure's own, which would take too long."""
        return self._shared.refit(self.measure).stand_in

    @property
    def refitted(self) -> Measure:
        """The measure of redrawn labels."""
        return self._shared.refit(self.measure).refitted

    @cached_property
    def observed(self) -> float:
        """The measure of the real labels, computed as it is of redrawn ones."""
        points, labels = self.redraws.observed
        with without_warnings():  # of the real labels the user has been warned
            if self.c_hat is not None:
                return float(self.measure.values_of_fits(points, self.c_hat[:, None])[0])
            return float(self.measure.values(points, labels)[0])

    def compare_with_calibrated(self, draws: int) -> IfCalibrated:
        """Return the values for labels drawn from the scores."""
        observed = self.observed
        values = self._values([self.redraws.points], draws, (NULL,))[0]
        return compare_with(values, self.measure, observed)

    def _values(
        self, truths: Sequence[FloatArray], draws: int, stream: tuple[int, ...], known: int = 0
    ) -> list[FloatArray]:
        """Return the values of labels drawn from each truth but the first `known`."""
        return self._shared.values(self.measure, self.redraws, truths, draws, (self.seed, *stream), known)

    @property
    def is_smooth(self) -> bool:
        """Whether what is refitted is the family of the direction, which follows the truths."""
        return self.refitted.fitting is not None and bool(self.refitted.fitting.is_default)

    @property
    def smooth(self) -> "Redrawn":
        """The same with that family."""
        measure = PlugIn(norm=self.measure.total or "l1", distance=getattr(self.measure, "distance", None))
        return Redrawn(measure.for_sample(self.redraws.sample), self.redraws, self.seed)

    def chain(self, g: FloatArray, draws: int, level: float) -> DebiasedInterval | None:
        """Return the debiased value and the ends of the interval, from truths on the way to g and beyond.

        None where the values of redrawn labels do not vary.
        """
        redraws, scale = self.redraws, self._size(g, draws)
        chosen = self._shared.chain_measure(self.measure)
        ruler = self if chosen is self.measure else Redrawn(chosen, redraws, self.seed, self._shared)
        lengths = ruler._lengths(g, draws)
        if scale == 0.0 or not lengths:
            return None
        errors = np.array([self._error_at(g, length) for length in lengths])
        errors[0] = 0.0
        kept = find_growing(errors)
        truths = [redraws.truth(g, lengths[k]) for k in kept]
        others = self._values(truths, draws, redraws.chain_stream, known=1)
        values = np.array([self._at_calibration(draws), *map(self._transformed, others)])
        skewed = is_order_statistic(self.measure.total)
        inverted = invert(self._transformed_observed, errors[kept], values, level, redraws.degrees, skewed=skewed)
        if inverted is None:
            return None
        back = np.square if self.measure.squared else _unchanged
        most = self.measure.ceiling(redraws.sample)
        low, value, high = (
            min(float(back(np.array(x))), most) for x in (inverted.low, inverted.estimate, inverted.high)
        )
        return DebiasedInterval(value, low, high, misreads(errors[kept], values, scale))

    def _lengths(self, g: FloatArray, draws: int) -> list[float]:
        """Return how far the truths go, in units of the way to g; nowhere, where there is no error that way."""
        scale = self._size(g, draws)
        if scale == 0.0:
            return []
        return chain_lengths(scale, self._error_at(g, None), lambda length: self._error_at(g, length))

    def _size(self, g: FloatArray, draws: int) -> float:
        """Return the unit of the errors of the chain, 0 where there is no error on the way to g."""
        whole_way = self._error_at(g, None)
        scale = self._scale(g, self._transformed_observed, self._at_calibration(draws), whole_way)
        return scale if scale > 0 and whole_way > NOWHERE else 0.0

    def goes_nowhere(self, g: FloatArray) -> bool:
        """Return whether there is no error at g, as the median has none where most rows are as the scores say."""
        return self._error_at(g, None) <= NOWHERE

    def _error_at(self, g: FloatArray, length: float | None) -> float:
        """Return the error of the truth so far on the way to g; None: of g itself."""
        truth = g if length is None else self.redraws.truth(g, length)
        return float(self._transformed(np.array(self._target(truth))))

    def _at_calibration(self, draws: int) -> FloatArray:
        """Return the values of labels drawn from the scores, of the chain."""
        return self._transformed(self._values([self.redraws.points], draws, self.redraws.chain_stream)[0])

    @property
    def _transformed_observed(self) -> float:
        return float(self._transformed(np.array(self.observed)))

    def _transformed(self, values: FloatArray) -> FloatArray:
        """Return values on the scale on which they are inverted: of squares their roots."""
        return signed_root(values) if self.measure.squared else values

    def _scale(self, g: FloatArray, observed: float, at_calibration: FloatArray, whole_way: float) -> float:  # noqa: ARG002 - of others
        """Return the unit of the errors of the chain."""
        return max(observed, float(np.median(at_calibration)), whole_way)  # the family may see little of the error

    def _target(self, c: FloatArray) -> float:
        value = self.measure.target(self.redraws.sample, c)
        return 0.0 if value is None else value


def known_fit(estimate: Estimate, sample: Any, redraws: Any) -> FloatArray | None:
    """Return a map of all rows at the distinct scores, where refitted to the real labels it would be the same.

    That is so where no rows are tied, pooled, weighted or in groups. It is not worth while unless the family is slow.
    """
    measure = estimate.measure
    if sample.has_distributions or not measure.takes_fits or measure.fitting.stand_in is None:
        return None
    entries = redraws.entries
    is_same = sample.unit and sample.groups is None and len(sample.distinct) == len(sample.rows) == len(entries)
    return np.asarray(estimate.map.evaluate(entries.distinct_p)) if is_same else None


def _unchanged(values: FloatArray) -> FloatArray:
    return values
