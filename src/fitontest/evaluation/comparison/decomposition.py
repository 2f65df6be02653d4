"""A proper score in two parts: calibration, which a map of a family could still remove, and refinement, the rest.

With the mean loss S and a map g of a family fitted to the very rows, S(q) = [S(q) - S(g(q))] + S(g(q)): the
miscalibration that the family can detect, and the refinement. Under isotonic regression these are the parts of the CORP
decomposition (Dimitriadis, Gneiting, Jordan 2021, PNAS 118, https://doi.org/10.1073/pnas.2016191118), whose refinement
is the uncertainty less the discrimination.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.sample import Sample
from fitontest.results.exceptions import without_warnings


@dataclass(frozen=True)
class Parts:
    """The two parts of a mean loss; their sum is the loss."""

    calibration: float
    refinement: float


def decompose(samples: Sequence[Sample], family: Any, scoring: str, loss: float) -> Parts:
    """Return the parts of the loss of predictions under a family, which is fitted to them.

    Parameters
    ----------
    samples : sequence of Sample
        The rows with their predictions, for each repeat of a cross-validation; the refinement is the mean over them.
    family : Family
        Unfitted.
    scoring : str
        The loss.
    loss : float
        Its mean.
    """
    with without_warnings():
        refinement = float(np.mean([sample.mean_loss(scoring, sample.fit(family)) for sample in samples]))
    return Parts(loss - refinement, refinement)
