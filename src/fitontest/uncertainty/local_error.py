"""The error that the pair statistic of one scale stands for, under redrawn labels."""

from dataclasses import dataclass, field

import numpy as np

from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.pairs import EntryPairs
from fitontest.numerics.distances import farthest
from fitontest.numerics.links import signed_root
from fitontest.numerics.norms import L1, Norm
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.chain import Redrawn


@dataclass(frozen=True)
class LocalError(Measure):
    """What is inverted for an error under a norm, at one scale.

    Under l1 it is the mean residual of rows in the direction of those near them, which needs no ratio of norms. Under
    others, and where few rows hold the error so that the directions of all others are noise, it is the signed root of
    the pair statistic.
    """

    norm: Norm
    scale: int
    pairs: EntryPairs = field(repr=False)
    few_rows: bool = False

    @property
    def is_directed(self) -> bool:
        """Whether it is the mean residual in the direction of near rows."""
        return self.norm is L1 and not self.few_rows

    @property
    def squared(self) -> bool:
        """Whether the error is a square, as the statistic itself is then."""
        return self.norm.name == "squared"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the value of a sample."""
        points, labels = ScoreRedraws.of(sample).observed
        return Estimate.of(self, sample, float(self.values(points, labels)[0]))

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:  # noqa: ARG002 - of the entries of the pairs
        """Return the values for several labellings."""
        pairs = self.pairs
        if self.is_directed:
            return pairs.windows.directed(pairs.of_units(labels), pairs.p, self.scale)
        values = pairs.windows.statistic(pairs.of_units(labels), pairs.p, self.scale)
        return values if self.squared else signed_root(values)

    def target(self, sample: ScoreSample, c: FloatArray) -> float | None:
        """Return the norm of c - p."""
        return self.norm(np.abs(c - sample.p), sample.w, counts=sample.whole)

    def ceiling(self, sample: ScoreSample) -> float:
        """Return the error of the truths that are farthest from the scores."""
        return self.norm(np.abs(farthest(sample.p) - sample.p), sample.w, counts=sample.whole)


@dataclass(frozen=True, eq=False)
class RedrawnPairs(Redrawn):
    """A local error under redrawn labels; the root of the pair statistic is a root mean square whatever norm it has."""

    def _scale(self, g: FloatArray, observed: float, at_calibration: FloatArray, whole_way: float) -> float:
        """Return the unit of the errors of the chain."""
        if self.measure.is_directed:  # type: ignore[attr-defined]
            return super()._scale(g, observed, at_calibration, whole_way)
        pairs: EntryPairs = self.measure.pairs  # type: ignore[attr-defined]
        root = pairs.windows.root_mean_square(pairs.from_entries(g) - pairs.p)
        return max(observed / root, 1.0) * whole_way if root > 0 else 0.0
