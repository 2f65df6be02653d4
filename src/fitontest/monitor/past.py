"""The past: cells of the batches before, of which older ones count less, and maps fitted to them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.counted_sample import CountedSample
from fitontest.data.ordering import Rows
from fitontest.families.registry import make
from fitontest.monitor.batches.batch import EPS, Batch
from fitontest.numerics.links import logit
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray

OF_PAST = Resolution(coarse=32)  # cells of 1/32 in probability and in logit
DISCOUNT = 0.8  # of the weights of the past, by batch
FEWEST = 10  # positives, and negatives, that a map is fitted to


@dataclass(frozen=True, eq=False)
class Past:
    """Discounted cells of all batches so far.

    Attributes
    ----------
    sums : CellSums
        Of 1/32 in probability and in logit: about a thousand at most, however many the batches were.
    """

    sums: CellSums

    @classmethod
    def none(cls) -> "Past":
        """Return the past before the first batch."""
        return cls(CellSums.none())

    def after(self, batch: Batch, discount: float = DISCOUNT) -> "Past":
        """Return the past with one batch more."""
        old = self.sums.scaled(discount) if len(self.sums) and discount < 1.0 else self.sums
        return Past(CellSums.added((old, batch.sums.pooled(OF_PAST))))

    def moved(self, to: Callable[[FloatArray], FloatArray]) -> "Past":
        """Return the past with other scores in place of its own, those of a recalibrated model for example."""
        if not len(self.sums):
            return self
        p = np.clip(to(self.sums.p), 0.0, 1.0)
        order = np.argsort(p, kind="stable")
        cells = self.sums.at(order)
        moved = replace(cells, low=p[order], high=p[order], wp=p[order] * cells.w.sum(axis=1))
        return Past(moved.pooled(OF_PAST))

    def sample(self) -> CountedSample:
        """Return the past as data that families are fitted to, of importances."""
        sums = self.sums
        p, y = np.repeat(sums.p, 2), np.tile([0.0, 1.0], len(sums))
        present = np.flatnonzero(sums.rows.ravel())
        p, y, w = p[present], y[present], sums.w.ravel()[present]
        order = np.lexsort((w, y, p))
        rows = Rows(p[order], y[order], w[order], sums.parts.ravel()[present][order], sums.w2.ravel()[present][order])
        return CountedSample(rows, whole=False, has_pooled_scores=True)

    @property
    def is_enough(self) -> bool:
        """Whether there are rows of both labels to fit a map to."""
        return bool(len(self.sums)) and bool(np.all(self.sums.rows.sum(axis=0) >= FEWEST))

    def logits(self, families: Iterable[str], batch: Batch) -> dict[str, FloatArray]:
        """Return the logits that the maps of families, fitted to the past, give the scores of a batch.

        They are those of the scores themselves until there are 10 positives and 10 negatives, and where a family has no
        map of this past: a batch must never be refused for what the batches before were.
        """
        if not self.is_enough or not len(batch):
            return dict.fromkeys(families, batch.z)
        sample = self.sample()
        with without_warnings():
            return {family: _logits_of(family, sample, batch) for family in families}


def _logits_of(family: str, sample: CountedSample, batch: Batch) -> FloatArray:
    """Return the logits that the map of a family gives the scores of a batch; those of the scores where it has none."""
    try:
        z = logit(np.asarray(make(family).fit_map(sample).evaluate(batch.p), dtype=np.float64), EPS)
    except (ValueError, ArithmeticError, RuntimeError):  # what fits raise of data that they cannot bear
        return batch.z
    return np.where(np.isfinite(z), z, batch.z)
