"""A measure under redrawn labels: its null, and its debiased value and interval from a chain of truths."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.redraws import CHAIN, NULL, Redraws
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.links import signed_root
from fitontest.typing import FloatArray
from fitontest.uncertainty.inversion import chain_lengths, find_growing, invert, misreads
from fitontest.uncertainty.null import compare_with


@dataclass(frozen=True)
class DebiasedInterval:
    """The debiased value, the ends of the interval, and whether the family sees much more or less than the error."""

    value: float
    low: float
    high: float
    misread: bool


@dataclass(frozen=True, eq=False)
class Redrawn:
    """A measure under redrawn labels of one sample."""

    measure: Measure
    redraws: Redraws
    seed: int

    @cached_property
    def stand_in(self) -> Family | None:
        """The family that is refitted in place of the measure's own, which would take too long."""
        fitting = self.measure.fitting
        return None if fitting is None else fitting.stand_in

    @cached_property
    def refitted(self) -> Measure:
        """The measure of redrawn labels."""
        return self.measure if self.stand_in is None else self.measure.changed(family=self.stand_in)

    @cached_property
    def observed(self) -> float:
        """The measure of the real labels, computed as it is of redrawn ones."""
        points, labels = self.redraws.observed
        with without_warnings():  # of the real labels the user has been warned
            return float(self.measure.values(points, labels)[0])

    def compare_with_calibrated(self, draws: int) -> IfCalibrated:
        """Return the values for labels drawn from the scores."""
        observed, points = self.observed, [self.redraws.points]
        values = self.redraws.values(self.refitted, points, draws, (self.seed, NULL))[0]
        return compare_with(values, self.measure, observed)

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
        transform, back = (signed_root, np.square) if self.measure.squared else (_unchanged, _unchanged)
        redraws, seed = self.redraws, (self.seed, CHAIN)
        observed = float(transform(np.array(self.observed)))
        at_calibration = transform(redraws.values(self.refitted, [redraws.points], draws, seed)[0])
        whole_way = float(transform(np.array(self._target(g))))
        scale = self._scale(g, observed, at_calibration, whole_way)
        if not (scale > 0 and whole_way > 0):
            return None

        def error_at(length: float) -> float:
            return float(transform(np.array(self._target(redraws.truth(g, length)))))

        lengths = chain_lengths(scale, whole_way, error_at)
        errors = np.array([error_at(length) for length in lengths])
        errors[0] = 0.0
        kept = find_growing(errors)
        truths = [redraws.truth(g, lengths[k]) for k in kept]
        others = redraws.values(self.refitted, truths, draws, seed, known=1)
        values = np.array([at_calibration, *map(transform, others)])
        inverted = invert(observed, errors[kept], values, level, redraws.degrees)
        if inverted is None:
            return None
        most = self._target(redraws.worst)
        low, value, high = (
            min(float(back(np.array(x))), most) for x in (inverted.low, inverted.estimate, inverted.high)
        )
        return DebiasedInterval(value, low, high, misreads(errors[kept], values, scale))

    def _scale(self, g: FloatArray, observed: float, at_calibration: FloatArray, whole_way: float) -> float:  # noqa: ARG002 - of others
        """Return the unit of the errors of the chain."""
        return max(observed, float(np.median(at_calibration)), whole_way)  # the family may see little of the error

    def _target(self, c: FloatArray) -> float:
        value = self.measure.target(self.redraws.sample, c)
        return 0.0 if value is None else value


def _unchanged(values: FloatArray) -> FloatArray:
    return values
