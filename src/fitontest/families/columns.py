"""The rows a likelihood is fitted to, and whether it has an optimum at all.

If a threshold on the score separates the labels, the likelihood grows for ever as the slope does. Then, and only
then, a ridge of 1e-10 on the standardised slopes picks a steep but finite map, and a warning says so: a permanent
ridge would move every other answer too. None of the checks here needs the rows sorted.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.arrays import blocks
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.links import clip_unit
from fitontest.results.exceptions import SeparableDataWarning, warn_user
from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Columns:
    """Scores, labels and weights (None: one each) of the rows of positive weight, in their own order.

    The scores are clipped as the likelihood clips them: what clipping makes equal, no parameter can distinguish.
    """

    p: FloatArray
    y: FloatArray
    w: FloatArray | None
    total: float

    @classmethod
    def of(cls, sample: ScoreSample, eps: float = 0.0) -> "Columns":
        """Return the columns of a sample, the scores clipped to [eps, 1 - eps]."""
        if sample.unit:
            return cls(clip_unit(sample.p, eps) if eps else sample.p, sample.y, None, sample.total)
        present = sample.w > 0
        p = clip_unit(sample.p[present], eps) if eps else sample.p[present]
        return cls(p, sample.y[present], sample.w[present], sample.total)

    @cached_property
    def span(self) -> tuple[float, float]:
        """Smallest and largest score."""
        return float(self.p.min()), float(self.p.max())

    @property
    def one_class(self) -> bool:
        """Whether all labels are the same."""
        return bool(self.y.min() == self.y.max())

    @property
    def at_most_two_scores(self) -> bool:
        """Whether there are at most two distinct scores."""
        low, high = self.span
        return not bool(np.any((self.p > low) & (self.p < high)))

    @cached_property
    def _spans(self) -> tuple[float, float, float, float]:
        """Smallest and largest score of the negatives, then of the positives.

        Once they overlap both ways nothing is separable, whatever the other rows are: the pass over the rows stops,
        as a rule in the first block, and the spans are those of the rows seen.
        """
        low0 = low1 = np.inf
        high0 = high1 = -np.inf
        for p, y in zip(blocks(self.p), blocks(self.y), strict=True):
            p0, p1 = p[y < 0.5], p[y > 0.5]
            low0, high0 = float(p0.min(initial=low0)), float(p0.max(initial=high0))
            low1, high1 = float(p1.min(initial=low1)), float(p1.max(initial=high1))
            if high0 > low1 and high1 > low0:
                break
        return low0, high0, low1, high1

    @property
    def separable_upward(self) -> bool:
        """Whether no negative scores above a positive."""
        _, high0, low1, _ = self._spans
        return high0 <= low1

    @property
    def separable_downward(self) -> bool:
        """Whether no negative scores below a positive."""
        low0, _, _, high1 = self._spans
        return high1 <= low0

    @property
    def separable_at_half(self) -> bool:
        """Whether every positive has p >= 1/2 and every negative p <= 1/2 (for models without an intercept)."""
        _, high0, low1, _ = self._spans
        return high0 <= 0.5 <= low1


def warn_separable(family: str) -> None:
    """Warn that the map is steep, and its steepness arbitrary."""
    warn_user(
        f"{family}: the scores separate the labels, so the likelihood has no finite optimum; "
        "a ridge of 1e-10 on the standardised slopes gives a steep finite map",
        SeparableDataWarning,
    )
