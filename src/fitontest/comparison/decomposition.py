"""A proper score in two parts: calibration, which a map of a family could still remove, and refinement, the rest.

With the mean loss S and a map g of a family fitted to the very rows, S(q) = [S(q) - S(g(q))] + S(g(q)): the
miscalibration that the family can detect, and the refinement. Under isotonic regression these are the parts of the CORP
decomposition (Dimitriadis, Gneiting, Jordan 2021, PNAS 118, https://doi.org/10.1073/pnas.2016191118), whose refinement
is the uncertainty less the discrimination.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.numerics.norms import l1
from fitontest.typing import RowLoss


@dataclass(frozen=True)
class Parts:
    """The two parts of a mean loss; their sum is the loss."""

    calibration: float
    refinement: float


def decompose(sample: ScoreSample, family: Family, loss: RowLoss) -> Parts:
    """Return the parts of the loss of a sample's scores under a family, which is fitted to it."""
    with without_warnings():
        recalibrated = np.clip(family.fit_map(sample).evaluate(sample.p), 0.0, 1.0)
    score, refinement = (l1(loss(sample.y, q), sample.w) for q in (sample.p, recalibrated))
    return Parts(score - refinement, refinement)
