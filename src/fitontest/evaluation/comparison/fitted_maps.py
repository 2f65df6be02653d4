"""The error that a candidate's map has at the rows it was fitted to, computed when it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from fitontest.data.sample import Sample
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import read_family
from fitontest.measures.estimate import Estimate, mean_over_classes
from fitontest.measures.measure import Measure
from fitontest.measures.uncertainty import Uncertainty
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.fitted_map import FittedMap
from fitontest.uncertainty.redrawing import DEFAULT_LEVEL, Redrawing, estimate_of

OF_CLASSES = "of a mean over classes there is none"
OF_SEVERAL_MAPS = "held-out predictions are of several maps, and only maps of one score are refitted to redrawn labels"


@dataclass(frozen=True, eq=False)
class FittedMaps:
    """The maps of one candidate with the rows that they were fitted to: one, or one for each class against the rest.

    Parameters
    ----------
    fitted : sequence of tuples of ScoreSample and Family
    seed : int
        Of redrawn labels.
    """

    fitted: Sequence[tuple[ScoreSample, Any]]
    seed: int

    @classmethod
    def of(cls, sample: Any, family: Any, seed: int) -> Self | None:
        """Return the maps of a fitted candidate, or None of maps of all classes at once and of those with features."""
        if family.takes_features or (sample.has_distributions and not sample.by_class):
            return None
        if sample.has_one_score:
            return cls([(sample, family)], seed)
        each = [(sample.against_rest(k), family.families_[k]) for k in range(sample.n_classes)]
        return cls(each, seed)

    def uncertainty(self, estimate: Estimate, level: float = DEFAULT_LEVEL) -> Uncertainty:
        """Return the error of the map without what its own labels make of it, and the interval; of classes the mean."""
        found = [self._of_one(estimate.measure, sample, family, level) for sample, family in self.fitted]
        if len(found) == 1:
            return found[0]
        each = [one.debiased for one in found]
        mean = None if None in each else float(np.mean(each))  # type: ignore[arg-type]
        return Uncertainty(debiased=mean, interval_reason=OF_CLASSES)

    def _of_one(self, measure: Any, sample: ScoreSample, family: Any, level: float) -> Uncertainty:
        if family.does_nothing:  # its map has followed no label
            with without_warnings():
                return estimate_of(measure, sample, None, Redrawing.at(level)).uncertainty
        return FittedMap(sample, family, read_family(measure.fitting.family), self.seed).uncertainty(level)

    def plot(self, estimate: Estimate, ax: Any = None, **options: Any) -> Any:  # noqa: ARG002 - of every origin
        """Refuse a diagram: that of the comparison has the errors of all candidates."""
        raise ValueError("the error of a calibrator has no diagram of its own; comparison.plot() draws all of them")


def mean_estimate(measure: Measure, repeats: Sequence[Sequence[Sample]]) -> Estimate:
    """Return the mean over repeats of a cross-validation, and over classes where each is a sample."""
    values = [[measure.estimate(sample) for sample in samples] for samples in repeats]
    each = [replace(of[0], value=float(np.mean(list(map(float, of))))) for of in zip(*values, strict=True)]
    return each[0] if len(each) == 1 else mean_over_classes(dict(enumerate(each)))
