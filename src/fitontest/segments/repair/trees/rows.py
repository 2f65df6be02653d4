"""The rows that a tree is fitted to."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class TreeRows:
    """Checked rows of positive weight.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
        Features.
    codes : int array of shape (n,)
        The position of each label in the classes.
    w : array of shape (n,)
        Positive weights.
    logits : array of shape (n, k) or None
        Logits of the base scores: of the second of two classes, or of each class.
    n_classes : int
        Number of classes.
    whole : bool
        Whether the weights count copies.
    groups : array of shape (n,) or None
        The group of each row, of those that belong together.
    """

    X: Any
    codes: IntArray
    w: FloatArray
    logits: FloatArray | None
    n_classes: int
    whole: bool
    groups: NDArray[Any] | None = None

    def take(self, rows: IntArray, w: FloatArray | None = None) -> "TreeRows":
        """Return a part of the rows, with other weights of all rows where they are given."""
        logits = None if self.logits is None else self.logits[rows]
        weights = self.w if w is None else w
        groups = None if self.groups is None else self.groups[rows]
        return TreeRows(self.X[rows], self.codes[rows], weights[rows], logits, self.n_classes, self.whole, groups)
