"""Copies of rows: those that a join or oversampling has made, and those that weights would count.

Tied scores are common: rounded ones, leaves of a tree, blocks of an isotonic map, shares of neighbours. Their labels
are drawn row by row, so that some agree and some do not. Copies always agree. How often independent labels would agree
is told by neighbours: where the true probability q hardly differs between neighbouring values of the score, two rows of
one value differ in label with probability 2 q (1 - q), and so do two rows of neighbouring values. So two sums are
compared over the values that occur several times, in the order of the scores:

* within: the shares of pairs of rows of one value that differ in label,
* between: the shares of pairs that differ in label, of a row of that value and one of a neighbouring value.

Of independent rows both have the same mean, whether the scores are calibrated or not. Rows count as copies where
"between" is at least 16, and "within" at most a twentieth of it, and at least a tenth of all rows has a score that
occurs several times. Scores of six or fewer significant digits are left out of it. Where hardly any label differs from
its neighbours', as with nearly perfect scores or a hundred rows, nothing can be told.

The rows that a weight counts are rows of one score too. Where whole weights were taken for counts unasked, and these
rows agree as copies do, they may be importances, such as those of a survey: the result says so. Nothing is said of
weights that the user calls counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.score_sample import REPEATS, ScoreSample
from fitontest.exceptions import CalibrationWarning, warn_user
from fitontest.typing import BoolArray, FloatArray, IntArray

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
    values : int
        Their distinct scores.
    within, between : float
        Shares of pairs that differ in label: of one score, and of a score and its neighbours.
    counted : bool
        Whether the rows are those that weights are taken to count.
    """

    n: int
    repeated: int = 0
    values: int = 0
    within: float = 0.0
    between: float = 0.0
    counted: bool = False

    @classmethod
    def of(cls, sample: Any) -> "Repeats":
        """Return what the rows of a sample tell, which remembers it; cells tell nothing of their rows.

        Of distributions the confidences tell it.
        """
        scores: ScoreSample = sample if sample.classes is None else sample.confidence
        if REPEATS not in scores.memory:
            scores.memory[REPEATS] = cls._of(scores)
        repeats: Repeats = scores.memory[REPEATS]
        return repeats

    @classmethod
    def _of(cls, sample: ScoreSample) -> "Repeats":
        if sample.aggregated or sample.has_pooled_scores:
            return cls(sample.n)
        distinct = sample.distinct
        counted = sample.whole and not sample.unit and not sample.said
        rows = distinct.w if counted else distinct.n
        tied = np.flatnonzero(rows > 1)
        tied = tied[_has_many_digits(distinct.p[tied])]
        if not tied.size:
            return cls(sample.n)
        weighted = counted or sample.unit
        positives = distinct.wy if weighted else np.add.reduceat(sample.rows.y, distinct.first)
        share, n = positives / rows, rows[tied].astype(np.float64)
        within = 2.0 * share[tied] * (n - positives[tied]) / (n - 1.0)
        return cls(
            int(rows.sum()),
            int(n.sum()),
            tied.size,
            float(within.sum()),
            float(_differ_from_neighbours(share, tied).sum()),
            counted,
        )

    def __add__(self, other: "Repeats") -> "Repeats":
        """Return what the rows of both tell."""
        return Repeats(
            self.n + other.n,
            self.repeated + other.repeated,
            self.values + other.values,
            self.within + other.within,
            self.between + other.between,
            self.counted or other.counted,
        )

    @property
    def are_copies(self) -> bool:
        """Whether the labels agree as those of copies do."""
        return self.repeated >= SHARE * self.n and self.between >= LEAST and self.within <= RATIO * self.between

    @property
    def note(self) -> str:
        """What is to be said of copies among the rows, or ""; what weights count is said with the weights."""
        if self.counted or not self.are_copies:
            return ""
        return (
            f"{self.repeated - self.values:,} of {self.n:,} rows look like copies: they repeat a score of more than "
            f"{DIGITS} digits and its label, as a join or oversampling does; errors come out too large, intervals and "
            "p-values too sure; leave the copies out"
        )

    def warn(self) -> None:
        """Warn of copies among the rows."""
        if self.note:
            warn_user(self.note, CalibrationWarning)


def _differ_from_neighbours(share: FloatArray, at: IntArray) -> FloatArray:
    """Return how often a label at these values differs from one at the value before or after it, on average."""
    if share.size == 1:
        return np.zeros(at.size)
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, share.size - 1)
    before, after = np.where(before == at, after, before), np.where(after == at, before, after)
    near = (share[before] + share[after]) / 2.0
    return share[at] + near - 2.0 * share[at] * near


def _has_many_digits(p: FloatArray) -> BoolArray:
    """Return which of increasing scores have more than six significant digits, rounded to single precision or not."""
    starts = np.searchsorted(p, 10.0**DECADES)
    tiny = int(starts[0])  # 0 and what is next to it
    p, sizes = p[tiny:], np.diff(starts, append=p.size)
    whole = p * np.repeat(10.0 ** (DIGITS - 1 - DECADES), sizes)
    rounding = np.where(p == p.astype(np.float32), SINGLE, DOUBLE)
    many = np.abs(whole - np.rint(whole)) > rounding * whole
    return np.concatenate((np.zeros(tiny, dtype=bool), many))
