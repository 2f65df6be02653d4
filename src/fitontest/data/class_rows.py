"""What is to be known of rows of a score for each class: ties between classes, and rows that do not add up to 1.

Where several classes share the largest score of a row, which of them is predicted is chance, or the order of the
columns. So each of the m classes is predicted in a share 1/m of the row: with the label among them a weight of 1/m is
right, the rest is wrong, and all sums are what they would be on average over all ways to break the ties. Such a row is
split in two parts, which vary together less than two rows of these weights would; intervals and nulls that take them
for rows are not too narrow. Where all other weights are one, the parts make them importances all the same.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from fitontest.results.checks import brief
from fitontest.results.exceptions import PrintedWarning, warn_user
from fitontest.results.text import count, short
from fitontest.results.typing import FloatArray

ADDS_UP = 0.01 * (1.0 + 1e-6)  # by how much a sum may miss 1: scores are often rounded to two decimals
MOST = 0.5  # share of the rows that are off, beyond which something is wrong with all
SAME = 1e-6  # relative difference of numbers that are one but for rounding
BOOKMAKERS = 1.5  # the sum of the inverses of odds stays below


@dataclass(frozen=True)
class ClassRows:
    """Counts of rows of a score for each class; those of parts add up.

    Attributes
    ----------
    n : int
        Rows of positive weight.
    tied : int
        Rows in which several classes share the largest score.
    split : int
        Of these the rows whose label is one of these classes, where the confidence was asked for: two parts each.
    off : int
        Rows whose scores miss a sum of 1 by more than a hundredth.
    low, high : float
        The smallest and the largest sum of the scores of a row.
    by_column : bool
        Whether the scores of each column add up to 1.
    weighted : bool
        Whether weights were given.
    positive : str
        Of labels of more than two classes and one score the label that is held against the rest, in words, or "".
    column : str
        Which of two columns is the score, where nobody said which; it is no count, and not among those of `to_dict`.

    Examples
    --------
    >>> import numpy as np
    >>> print(ClassRows.of(np.array([[0.5, 0.3], [0.4, 0.4]])).note)
    2 of 2 rows do not add up to 1 (0.800 in each): are they probabilities of all classes, or times a constant?
    """

    n: int = 0
    tied: int = 0
    split: int = 0
    off: int = 0
    low: float = inf
    high: float = -inf
    by_column: bool = False
    weighted: bool = False
    positive: str = ""
    column: str = ""

    @classmethod
    def of(cls, scores: FloatArray, w: FloatArray | None = None) -> "ClassRows":
        """Return what the sums of the rows of a matrix tell.

        Parameters
        ----------
        scores : array of shape (n, K)
        w : array of shape (n,), optional
            Weights: rows of weight 0 are absent.
        """
        sums = np.einsum("ik->i", scores)
        sums = sums if w is None else sums[w > 0]
        off = int(np.count_nonzero(np.abs(sums - 1.0) > ADDS_UP))
        by_column = bool(off > MOST * sums.size and np.all(np.abs(scores.sum(axis=0) - 1.0) <= SAME))
        low, high = float(sums.min()), float(sums.max())
        return cls(sums.size, off=off, low=low, high=high, by_column=by_column, weighted=w is not None)

    def __add__(self, other: "ClassRows") -> "ClassRows":
        """Return the counts of the rows of both."""
        return ClassRows(
            self.n + other.n,
            self.tied + other.tied,
            self.split + other.split,
            self.off + other.off,
            min(self.low, other.low),
            max(self.high, other.high),
            (self.by_column or not self.n) and (other.by_column or not other.n),
            self.weighted or other.weighted,
            self.positive or other.positive,
            self.column or other.column,
        )

    @property
    def note(self) -> str:
        """What a reader of results must know of the rows, or ""."""
        return "; ".join(filter(None, (self._of_labels, self.column, self._of_ties, self._of_sums)))

    def warn(self) -> None:
        """Warn of a column that was chosen, and rows that do not add up to 1; ties are taken care of, and noted."""
        for note in filter(None, (self.column, self._of_sums)):
            warn_user(note, PrintedWarning)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready values."""
        return {name: value for name, value in vars(self).items() if name not in ("positive", "column")}

    @classmethod
    def from_dict(cls, values: Any) -> "ClassRows":
        """Return the counts that `to_dict` wrote, or refuse what it did not write."""
        known = {**cls().to_dict(), "low": 0.0, "high": 0.0}
        is_known = isinstance(values, dict) and values.keys() == known.keys()
        if not (is_known and all(type(values[name]) is type(value) for name, value in known.items())):
            raise ValueError(f"class_rows must hold the counts that to_json writes, got {brief(values)}")
        found = cls(**values)
        if not (0 <= found.split <= found.tied <= found.n and 0 <= found.off <= found.n and found.low <= found.high):
            raise ValueError(f"class_rows must hold counts of rows that fit each other, got {brief(values)}")
        return found

    @property
    def _of_labels(self) -> str:
        if not self.positive:
            return ""
        return f"labels are of more than two classes: {self.positive} is positive, all others are the rest"

    @property
    def _of_ties(self) -> str:
        if not self.tied:
            return ""
        have = "have" if self.tied > 1 else "has"
        return (
            f"{count(self.tied)} of {count(self.n)} rows {have} several largest scores: each of these classes is "
            "predicted in an equal share"
        )

    @property
    def _of_sums(self) -> str:
        if self.off <= MOST * self.n:
            return ""
        low, high = short(self.low), short(self.high)
        alike = low == high
        sums = f"{high} in each" if alike else f"{low} to {high}"
        return f"{count(self.off)} of {count(self.n)} rows do not add up to 1 ({sums}): {self._guess(alike=alike)}"

    def _guess(self, *, alike: bool) -> str:
        """Return what rows with these sums may be."""
        if self.by_column:
            return "each column does, as of a softmax over the wrong axis; that of the classes is axis=1"
        if self.low > 1.0 and self.high < BOOKMAKERS:
            return "are they inverses of odds, with the margin of a bookmaker? Divide each row by its sum"
        if alike:
            return "are they probabilities of all classes, or times a constant?"
        if self.high <= 1.0 + ADDS_UP:
            return "is a class left out, are they sigmoids of logits, or was a softmax taken over the wrong axis?"
        return "were they rounded, or are they scores of each class by itself, such as sigmoids of logits?"


NOT_OF_CLASSES = ClassRows()  # of rows of one score
