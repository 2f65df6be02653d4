"""What the rows of a segment say: how many are positive, how many their scores expect, and how sure that is."""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.rounding import without_rounding
from fitontest.numerics.squares import squared_residuals
from fitontest.segments.features.rows import FeatureRows


@dataclass(frozen=True)
class Residual:
    """Positives and scores of the rows of a segment.

    Attributes
    ----------
    n : int
        Rows.
    base_rate, mean_score : float
        Share of positives and mean of the probabilities that are tested.
    standard_error : float
        Of their difference if the probabilities were right and rows independent: sqrt(sum w^2 q (1 - q)) / sum w.
    noise : float
        By how much labels vary more than that, at least 1.
    """

    n: int
    base_rate: float
    mean_score: float
    standard_error: float
    noise: float

    @property
    def value(self) -> float:
        """The difference of share and mean, 0 where it is rounding alone."""
        return without_rounding(self.base_rate - self.mean_score, self.base_rate + self.mean_score)


def residual_of(rows: FeatureRows) -> Residual:
    """Return what rows say together.

    Parameters
    ----------
    rows : FeatureRows
        At least one, with a probability that is neither 0 nor 1.
    """
    total, variance = float(rows.w.sum()), float(rows.variances.sum())
    squares = float(squared_residuals(rows.q, rows.w2, rows.y).sum())
    return Residual(
        n=round(total) if rows.whole else len(rows),
        base_rate=float(rows.w @ rows.y) / total,
        mean_score=float(rows.w @ rows.q) / total,
        standard_error=float(np.sqrt(variance)) / total,
        noise=float(np.sqrt(max(1.0, squares / variance))) if variance > 0.0 else 1.0,
    )
