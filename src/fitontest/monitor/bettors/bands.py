"""The bettor on a shift of the logits in each of several bands of the score."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.base import Bettor, Round
from fitontest.monitor.bettors.factors import by_cell
from fitontest.monitor.bettors.fixed_share import FixedShare
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

BANDS = 8
SHIFTS = np.array([-1.0, -0.6, -0.3, -0.15, 0.0, 0.15, 0.3, 0.6, 1.0])  # logits
PRIOR = np.where(SHIFTS == 0.0, 0.5, 0.5 / (SHIFTS.size - 1))


def edges_of(batch: Batch) -> FloatArray:
    """Return the scores between bands of equal sum of p (1 - p), by what a batch has of them; fewer where they tie."""
    variance = batch.total * batch.p * (1.0 - batch.p)
    if not variance.sum():
        return np.empty(0)
    share = (np.cumsum(variance) - 0.5 * variance) / variance.sum()
    first = np.searchsorted(share, np.arange(1, BANDS) / BANDS)
    return np.unique(batch.low[first[(first > 0) & (first < len(batch))]])


@dataclass(frozen=True, eq=False)
class BandBettor(Bettor):
    """Bets that the logits are off by a number in each band of the score, by a mixture over nine numbers in each.

    Its factor is the product of those of the bands, so that bands may be off in different directions at once.

    Attributes
    ----------
    edges : array of shape (B - 1,)
        The scores between bands.
    shares : tuple of B FixedShare
        The weights of the numbers in each band.
    """

    kind: ClassVar[str] = "bands"
    edges: FloatArray
    shares: tuple[FixedShare, ...]

    @classmethod
    def first(cls, batch: Batch) -> "BandBettor":
        """Return the bettor before the first batch, of which it sees the scores."""
        edges = edges_of(batch)
        return cls(edges, (FixedShare.of(PRIOR),) * (edges.size + 1))

    def bet(self, turn: Round) -> tuple[float, "BandBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        gained = by_cell(turn.batch, turn.limits, turn.batch.z + SHIFTS[:, None])
        ends = [0, *np.searchsorted(turn.batch.p, self.edges), len(turn.batch)]
        of_bands = [gained[:, low:high].sum(axis=1) for low, high in pairwise(ends)]
        factor = sum(shares.log_mean(each) for shares, each in zip(self.shares, of_bands, strict=True))
        learnt = tuple(shares.after(each) for shares, each in zip(self.shares, of_bands, strict=True))
        return float(factor), replace(self, shares=learnt)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        weights = [shares.weights.tolist() for shares in self.shares]
        return {"kind": self.kind, "edges": self.edges.tolist(), "weights": weights}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "BandBettor":
        """Return the bettor of a state that `to_dict` returned."""
        shares = tuple(FixedShare.of(PRIOR).at(weights) for weights in values["weights"])
        edges = np.asarray(values["edges"], dtype=np.float64)
        if edges.shape != (len(shares) - 1,):
            raise ValueError(
                f"edges must be {len(shares) - 1} numbers, one fewer than there are bands; got {brief(edges)}"
            )
        return cls(edges, shares)
