"""A calibration map of several classes: a value that is a function from the simplex to the simplex.

It takes the probabilities of K classes, a row for each prediction, to calibrated ones. Like a map of two classes it is
frozen and vectorised, can be written as plain JSON, and holds nothing of its fit. Zeros and ones are ordinary input.
"""

from abc import abstractmethod

import numpy as np

from fitontest.data.simplex import as_simplex
from fitontest.maps.stored import StoredMap
from fitontest.typing import ArrayInput, FloatArray


class MulticlassMap(StoredMap):
    """Base of the maps of several classes; subclasses are frozen dataclasses.

    A subclass names its ``kind``, lists its fields and defines ``evaluate`` and ``n_classes``; the decorator
    ``register_map`` lets `from_dict` read what `to_dict` wrote. Calling a map with a matrix checks that its rows are
    probabilities that add up to 1 (rows that miss it by at most 1e-3 are divided by their sums).

    Attributes
    ----------
    n_classes : int or None
        The number of columns K, None where any is taken.
    keeps_argmax : bool
        Whether the class of the largest probability stays the one of the largest, whatever the row.

    Raises
    ------
    ValueError
        When called with what is no matrix of K probabilities in each row.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import fitontest as fot
    >>> @dataclass(frozen=True, eq=False)
    ... class Halfway(fot.MulticlassMap):
    ...     kind: ClassVar[str] = "halfway"
    ...     share: float
    ...     def evaluate(self, P):
    ...         return (1 - self.share) * P + self.share / P.shape[1]
    >>> Halfway(0.5)([[0.5, 0.25, 0.25], [1, 0, 0]]).round(3)
    array([[0.417, 0.292, 0.292],
           [0.667, 0.167, 0.167]])
    """

    def __call__(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities of each row, shape (n, K)."""
        simplex = as_simplex(P, "P")
        self.check_columns(simplex, "P")
        return self.evaluate(simplex)

    @abstractmethod
    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows that are known to be points of the simplex."""

    def on_simplex(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities; those of a map that leaves the simplex are clipped and rescaled."""
        q = self.evaluate(P)
        if float(q.min(initial=0.0)) >= 0.0:
            return q
        clipped = np.maximum(q, 0.0)
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows of which the logarithms are given, as networks give them."""
        return self.evaluate(np.exp(log_p))

    @property
    def n_classes(self) -> int | None:
        """The number of columns, None where any is taken."""
        return None

    @property
    def keeps_argmax(self) -> bool:
        """Whether the class of the largest probability stays the one of the largest."""
        return False

    def check_columns(self, P: FloatArray, name: str) -> None:
        """Raise ValueError unless the matrix has a column for each class of the map."""
        if self.n_classes not in (None, P.shape[1]):
            raise ValueError(
                f"{name} must have a column for each of the map's {self.n_classes} classes, got {P.shape[1]} columns"
            )


def divided(q: FloatArray) -> FloatArray:
    """Divide the rows by their sums, in place."""
    q /= q.sum(axis=1, keepdims=True)
    return q
