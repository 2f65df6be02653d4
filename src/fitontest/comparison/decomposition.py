"""A proper score in two parts: calibration, which a map of a family could still remove, and refinement, the rest.

With the mean loss S and a map g of a family fitted to the very rows, S(q) = [S(q) - S(g(q))] + S(g(q)): the
miscalibration that the family can detect, and the refinement. Under isotonic regression these are the parts of the CORP
decomposition (Dimitriadis, Gneiting, Jordan 2021, PNAS 118, https://doi.org/10.1073/pnas.2016191118), whose refinement
is the uncertainty less the discrimination.
"""

from dataclasses import dataclass
from typing import Any

from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings


@dataclass(frozen=True)
class Parts:
    """The two parts of a mean loss; their sum is the loss."""

    calibration: float
    refinement: float


def decompose(sample: Sample, family: Any, loss: str) -> Parts:
    """Return the parts of the loss of a sample's predictions under a family, which is fitted to it."""
    with without_warnings():
        c_hat = sample.fit(family)
    score, refinement = sample.mean_loss(loss), sample.mean_loss(loss, c_hat)
    return Parts(score - refinement, refinement)
