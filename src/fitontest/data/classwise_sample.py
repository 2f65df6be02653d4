"""Rows of a score for each class that are judged class by class: what ``reduction="classwise"`` makes of a matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.predictions import Predictions
from fitontest.data.simplex_sample import SimplexSample
from fitontest.data.weights import Weights
from fitontest.numerics.losses import find_loss
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class ClasswiseSample(SimplexSample):
    """Rows of K scores, each of which is held against the rest, so that they need not add up to 1.

    The loss of a row is the mean over the classes of the losses of two classes. The attributes are those of
    `SimplexSample`.
    """

    @classmethod
    def of(cls, predictions: Predictions, *, logs: bool = False) -> "ClasswiseSample":
        """Return the rows of a matrix of scores in [0, 1].

        Parameters
        ----------
        predictions : Predictions
        logs : bool, default=False
            Must be False.
        """
        if logs:
            raise ValueError("logs must be False where each class is held against the rest, got True")
        w = predictions.sample_weight
        weights = None if w is None else Weights(w.w, w.counts)
        found = cls(predictions.scores, predictions.codes, predictions.classes, weights, predictions.names)
        return found.with_facts(**predictions.facts)

    def losses(self, name: str, predictions: FloatArray | None = None) -> FloatArray:
        """Return the mean over the classes of the losses of each row."""
        q = self.p if predictions is None else predictions
        loss, each = find_loss(name, "loss"), zip(self._indicators(self.codes), self.columns(q), strict=True)
        return np.asarray(sum(loss(y, column) for y, column in each) / self.n_classes)

    def columns(self, values: FloatArray) -> list[FloatArray]:
        """Return the values of each class."""
        return [np.ascontiguousarray(values[:, k]) for k in range(self.n_classes)]

    def joined(self, columns: Sequence[FloatArray]) -> FloatArray:
        """Return the matrix of the values of each class."""
        return np.stack(columns, axis=1)

    def checked_points(self, values: FloatArray, name: str) -> FloatArray:  # noqa: ARG002 - the signature of every kind
        """Return true probabilities of each class against the rest, whose rows need not add up to 1."""
        return values

    @property
    def labellings(self) -> list[NDArray[Any]]:
        """Of each class whether it is the label, 0.0 or 1.0."""
        return self._indicators(self.present.codes)

    def _indicators(self, codes: NDArray[Any]) -> list[NDArray[Any]]:
        return [(codes == k).astype(np.float64) for k in range(self.n_classes)]

    @property
    def views(self) -> dict[str, list[Any]]:
        """Each class against the rest."""
        return {"": [self.against_rest(k) for k in range(self.n_classes)]}

    @property
    def is_backwards(self) -> bool:
        """Whether the classes of the labels have lower scores than all classes, on average."""
        own = self.p[np.arange(len(self)), self.codes]
        return float(self.w @ own) < float(self.w @ self.p.mean(axis=1))
