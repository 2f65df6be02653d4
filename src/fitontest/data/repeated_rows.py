"""Rows that a join has repeated: copies of a row with its score and its label.

Tied scores are common: rounded ones, leaves of a tree, blocks of an isotonic map, shares of neighbours. Their labels
are drawn row by row, so that some agree and some do not. Copies always agree. How often independent labels would agree
is told by neighbours: where the true probability q hardly differs between neighbouring values of the score, two rows of
one value differ in label with probability 2 q (1 - q), and so do two rows of neighbouring values. So two sums are
compared over the values that occur several times, in the order of the scores:

* within: the shares of pairs of rows of one value that differ in label,
* between: the shares of pairs of rows of neighbouring values that differ in label.

Of independent rows both have the same mean, whether the scores are calibrated or not. Rows count as repeated where
"between" is at least 16, and "within" at most a twentieth of it, and at least a tenth of all rows has a score that
occurs several times. Scores of six or fewer significant digits are left out of it. Where hardly any label differs from
its neighbours', as with nearly perfect scores or a hundred rows, nothing can be told. Nor is anything said of weights
that count rows: these are what the user says.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.sample import Sample
from fitontest.exceptions import CalibrationWarning, warn_user
from fitontest.typing import BoolArray, FloatArray

DIGITS = 6
SINGLE, DOUBLE = 6e-8, 1e-14  # by how much scores of single and double precision miss a number, relatively
DECADES = np.arange(-290.0, 1.0)
SHARE = 0.1  # of the rows that have a score of others
LEAST = 16.0  # pairs of neighbouring values that differ in label
RATIO = 0.05  # of those within values to those between


@dataclass(frozen=True)
class Repeats:
    """What tells copies of rows from ties; parts of the rows, such as segments, add up.

    Attributes
    ----------
    n : int
        Rows.
    repeated : int
        Rows whose score, of more than six digits, is that of others.
    within, between : float
        Shares of pairs that differ in label: of one score, and of neighbouring ones.
    """

    n: int
    repeated: int = 0
    within: float = 0.0
    between: float = 0.0

    @classmethod
    def of(cls, sample: Sample) -> "Repeats":
        """Return what the rows of a sample tell; cells tell nothing of their rows."""
        if sample.aggregated or sample.has_pooled_scores:
            return cls(sample.n)
        groups = sample.groups
        tied = np.flatnonzero(groups.n > 1)
        tied = tied[_has_many_digits(groups.p[tied])]
        if not tied.size:
            return cls(sample.n)
        n = groups.n[tied].astype(np.float64)
        positives = (groups.wy if sample.unit else np.add.reduceat(sample.rows.y, groups.first))[tied]
        share = positives / n
        return cls(
            sample.n,
            int(n.sum()),
            float((2.0 * share * (n - positives) / (n - 1.0)).sum()),
            float((share[1:] + share[:-1] - 2.0 * share[1:] * share[:-1]).sum()),
        )

    def __add__(self, other: "Repeats") -> "Repeats":
        """Return what the rows of both tell."""
        return Repeats(
            self.n + other.n,
            self.repeated + other.repeated,
            self.within + other.within,
            self.between + other.between,
        )

    @property
    def are_copies(self) -> bool:
        """Whether the labels agree as those of copies do."""
        return self.repeated >= SHARE * self.n and self.between >= LEAST and self.within <= RATIO * self.between

    def warn(self) -> None:
        """Warn of copies."""
        if self.are_copies:
            warn_user(
                f"{self.repeated:,} of {self.n:,} rows repeat a score of more than {DIGITS} digits and its label: rows "
                "that a join has repeated are not independent, and standard errors are too small, intervals and "
                "p-values too sure; leave the copies out",
                CalibrationWarning,
            )


def _has_many_digits(p: FloatArray) -> BoolArray:
    """Return which of increasing scores have more than six significant digits, rounded to single precision or not."""
    starts = np.searchsorted(p, 10.0**DECADES)
    tiny = int(starts[0])  # 0 and what is next to it
    p, sizes = p[tiny:], np.diff(starts, append=p.size)
    whole = p * np.repeat(10.0 ** (DIGITS - 1 - DECADES), sizes)
    rounding = np.where(p == p.astype(np.float32), SINGLE, DOUBLE)
    many = np.abs(whole - np.rint(whole)) > rounding * whole
    return np.concatenate((np.zeros(tiny, dtype=bool), many))
