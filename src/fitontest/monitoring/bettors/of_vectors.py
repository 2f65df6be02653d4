"""What a bettor on whole distributions is told of a batch, and what a batch pays its bets."""

from dataclasses import dataclass

import numpy as np

from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.nulls.of_vectors import VectorNull
from fitontest.monitoring.nulls.tolerance import Exact
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class VectorRound:
    """What a bettor bets on, and is paid by.

    Attributes
    ----------
    batch : VectorBatch
        Scores and labels, none of which the null hypothesis forbids. The bet may depend on the scores, and not on the
        labels.
    null : VectorNull
        The distributions that the null hypothesis allows.
    """

    batch: VectorBatch
    null: VectorNull

    @property
    def is_exact(self) -> bool:
        """Whether the null hypothesis allows the scores alone."""
        return isinstance(self.null.of_class, Exact)


def log_factors_of_rows(block: VectorBatch, null: VectorNull, log_q: FloatArray) -> FloatArray:
    """Return log(q_y / p0_y) of each bet at each row of a block, shape (B, m), with p0 nearest to q.

    Parameters
    ----------
    block : VectorBatch of m rows
    null : VectorNull
        The distributions that are allowed.
    log_q : array of shape (B, m, K)
        The logarithms of the distributions that are bet on.
    """
    if isinstance(null.of_class, Exact):
        return np.asarray(block.of_labels(log_q) - np.log(block.of_label))
    return block.of_labels(null.log_ratios(block.p, np.exp(log_q)))
