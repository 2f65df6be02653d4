"""A measure under redrawn labels: its null, and its debiased value and interval from a chain of truths."""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.ordering import Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family, read_family
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.links import signed_root
from fitontest.numerics.norms import Norm
from fitontest.progress import track
from fitontest.typing import FloatArray, IntArray
from fitontest.uncertainty.inversion import chain_lengths, chain_of_truths, growing, invert, misreads
from fitontest.uncertainty.redraws import Redraws

CHAIN, NULL = 0, 1  # the streams of random numbers
SMOOTH = "spline"  # the family of the direction "smooth"


@dataclass(frozen=True)
class Found:
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
        return read_family(self.measure.family).stand_in() if isinstance(self.measure, PlugIn) else None

    @cached_property
    def refitted(self) -> Measure:
        """The measure of redrawn labels."""
        if self.stand_in is None or not isinstance(self.measure, PlugIn):
            return self.measure
        return self.measure.changed(family=self.stand_in)

    @cached_property
    def observed(self) -> float:
        """The measure of the real labels, computed as it is of redrawn ones."""
        return float(self._values(self.measure, *self.redraws.observed)[0])

    def compare_with_calibrated(self, draws: int) -> IfCalibrated:
        """Return the values for labels drawn from the scores."""
        observed, measure = self.observed, self.measure
        values = self._redrawn([self.redraws.entries.p], draws, NULL)[0]
        return IfCalibrated(
            observed, values, measure.refits, measure.greater_is_better, measure.held_fixed, measure.two_sided
        )

    @property
    def norm(self) -> Norm | None:
        """The norm of the error, if it has one."""
        norm = getattr(self.measure, "total", None)
        return norm if isinstance(norm, Norm) else None

    @property
    def is_smooth(self) -> bool:
        """Whether what is refitted is the family of the direction, which follows the truths."""
        family = self.refitted.family if isinstance(self.refitted, PlugIn) else None
        return isinstance(family, str | Family) and _but_for_seed(family) == _but_for_seed(SMOOTH)

    @property
    def smooth(self) -> "Redrawn":
        """The same with that family."""
        return Redrawn(PlugIn(SMOOTH, norm="l1" if self.norm is None else self.norm), self.redraws, self.seed)

    def chain(self, g: FloatArray, draws: int, level: float) -> Found | None:
        """Return the debiased value and the ends of the interval, from truths on the way to g and beyond.

        None where the values of redrawn labels do not vary.
        """
        transform, back = (signed_root, np.square) if self.measure.squared else (_unchanged, _unchanged)
        p = self.redraws.entries.p
        observed = float(transform(np.array(self.observed)))
        at_calibration = transform(self._redrawn([p], draws, CHAIN)[0])
        whole_way = float(transform(np.array(self._target(g))))
        scale = self._scale(g, observed, at_calibration, whole_way)
        if not (scale > 0 and whole_way > 0):
            return None

        def error_at(length: float) -> float:
            return float(transform(np.array(self._target(chain_of_truths(p, g, [length])[0]))))

        lengths = chain_lengths(scale, whole_way, error_at)
        truths = chain_of_truths(p, g, lengths)
        errors = np.array([error_at(length) for length in lengths])
        kept = growing(errors)
        others = self._redrawn([truths[k] for k in kept], draws, CHAIN, known=1)
        values = np.array([at_calibration, *map(transform, others)])
        found = invert(observed, errors[kept], values, level)
        if found is None:
            return None
        most = self._target((p < 0.5).astype(np.float64))  # no error of these scores is larger
        low, value, high = (min(float(back(np.array(end))), most) for end in (found.low, found.estimate, found.high))
        return Found(value, low, high, misreads(errors[kept], values, scale))

    def _scale(self, g: FloatArray, observed: float, at_calibration: FloatArray, whole_way: float) -> float:  # noqa: ARG002 - of others
        """Return the unit of the errors of the chain."""
        return max(observed, float(np.median(at_calibration)), whole_way)  # the family may see little of the error

    def _redrawn(self, truths: list[FloatArray], draws: int, stream: int, known: int = 0) -> list[FloatArray]:
        """Return the values under each truth but the first `known`; all truths see the same random numbers."""
        values: list[list[FloatArray]] = [[] for _ in truths[known:]]
        for block in track(self.redraws.blocks(draws), "draws"):
            labellings = islice(self.redraws.draw(truths, block, (self.seed, stream)), known, None)
            for each, labels in zip(values, labellings, strict=True):
                each.append(self._refitted(labels))
        return [np.concatenate(each) for each in values]

    def _target(self, c: FloatArray) -> float:
        entries = self.redraws.entries
        sample = ScoreSample.of_rows(
            Rows.of(entries.p, np.zeros(len(entries)), entries.w, whole=entries.whole), whole=entries.whole
        )
        value = self.measure.target(sample, c)
        return 0.0 if value is None else value

    def _refitted(self, positives: IntArray) -> FloatArray:
        return self._values(self.refitted, self.redraws.entries, positives)

    def _values(self, measure: Measure, entries: Entries, positives: IntArray) -> FloatArray:
        with without_warnings():  # of the real labels the user has been warned
            return measure.estimates_of(entries, positives)


def _but_for_seed(family: str | Family) -> tuple[type, dict[str, object]]:
    """Return the settings of a family that change more than its folds."""
    made = read_family(family)
    settings = made.get_params()
    settings.pop("random_state", None)
    return type(made), settings


def _unchanged(values: FloatArray) -> FloatArray:
    return values
