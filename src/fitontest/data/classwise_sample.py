"""Rows of a score for each class that are judged class by class: what ``reduction="classwise"`` makes of a matrix."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.numerics.losses import find_loss
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class ClasswiseSample(SimplexSample):
    """Rows of K scores, each of which is held against the rest, so that they need not add up to 1.

    The loss of a row is the mean over the classes of the losses of two classes. The attributes are those of
    `SimplexSample`.
    """

    by_class = True

    def losses(self, name: str, predictions: FloatArray | None = None) -> FloatArray:
        """Return the mean over the classes of the losses of each row."""
        q = self.p if predictions is None else predictions
        loss = find_loss(name, "loss")
        each = zip(indicators(self.codes, self.n_classes), columns_of(q), strict=True)
        return np.asarray(sum(loss(y, column) for y, column in each) / self.n_classes)


def indicators(codes: IntArray, n_classes: int) -> list[FloatArray]:
    """Return of each class whether it is the label, 0.0 or 1.0."""
    return [(codes == k).astype(np.float64) for k in range(n_classes)]


def columns_of(values: FloatArray) -> list[FloatArray]:
    """Return the values of each class."""
    return [np.ascontiguousarray(values[:, k]) for k in range(values.shape[1])]
