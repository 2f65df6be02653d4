r"""Runs of nearly equal rows: a sign, unasked, that rows belong together, as the visits of a patient do.

Tables often keep the rows of a patient, a user or a site next to each other. Then the scores of neighbouring rows are
near, near, near, and jump where the next one begins. Sorted tables, streams that drift, and blocks of one class have
near neighbours too, but no such jumps, so that nearness alone tells nothing. The rule looks at the order in which rows
were given, at the rows of each label by itself: so neither the order of the labels nor a sort by them matters. u is the
rank of a score among the rows of its label, divided by their number (tied scores share the mean of their ranks).

Take any four rows of a label that follow each other, and split them into the two lower and the two higher ones. They
*fall apart* where the gap between both pairs is at least 0.3 and at least four times as wide as either pair. In which
of three ways four rows are split, (1 2 | 3 4), (1 3 | 2 4) or (1 4 | 2 3), is equally likely where rows come in random
order, and also where their order is random from near by, whatever the scores and ties. Runs make the first one: near,
jump, near. Rows come in runs where all of this is true:

* of the fours that fall apart, at least 3 in 4 do so as (1 2 | 3 4), in place of 1 in 3, and that is at least 4
  standard errors more than 1 in 3 (the fours overlap; their covariances are counted);
* of the fours that do not fall apart, hardly more than 1 in 3 are split as (1 2 | 3 4), at most 0.44: sorted rows, and
  series that wander, all are;
* the differences of neighbouring normal scores Phi^-1(u) are either small or large: their kurtosis is at least 4, in
  place of the 3 of random order and of Gaussian series;
* neighbouring rows are nearly equal at least 1.5 times as often as in random order. **Nearly equal** are two rows of
  one label whose u differ by 0.05 at most: at most a twentieth of the rows of that label have a score between theirs.

`benchmarks/row_runs.py` measures the false alarms of the rule, none in 12,000 draws of rows in random order and none on
24 tables in their own order, and how often it finds groups: nearly always 1,000 rows of which nine tenths of the
variance of the scores is between groups, rarely three tenths as many rows or a variance of half. It may take a series
of heavy steps for runs, and what a table sorted by a column of few values leaves in order. 100,000 rows at most are
looked at, in twenty stretches. It says that scores are alike, not that labels are: whether these depend on each other
beyond their scores, `groups=` tells.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import BoolArray, FloatArray, IntArray

NEAR = 0.05  # of the rows of a label, between two that are nearly equal
GAP, TIMES = 0.3, 4.0  # by which four rows fall apart, and how much wider it is than either pair
PARTED = 0.75  # of the fours that fall apart, as (1 2 | 3 4)
CERTAIN = 4.0  # standard errors
ORDERED = 0.44  # of the other fours
FEWEST = 50  # of these, for their share to be judged
KURTOSIS = 4.0
OFTEN = 1.5  # times as many neighbours that are nearly equal as in random order
STRETCHES, STRETCH = 20, 5_000  # rows that are looked at
BY_CHANCE = 1.0 / 3.0


@dataclass(frozen=True)
class Runs:
    """What the order of rows tells of runs; parts of the rows, such as segments, add up.

    Attributes
    ----------
    neighbours : int
        Pairs of rows that follow each other, of those that were looked at.
    alike : int
        Of these pairs the nearly equal ones.
    expected : float
        How many would be nearly equal in random order.
    parted, apart : int
        Fours that fall apart, as (1 2 | 3 4) and in all.
    excess, variance : float
        The sum over fours that fall apart of whether they do so as (1 2 | 3 4), less 1/3, and its variance.
    ordered, others : int
        Fours that do not fall apart, split as (1 2 | 3 4) and in all.
    peaks, differences : float
        The kurtosis of the differences of normal scores times their number, and that number.

    Examples
    --------
    >>> import numpy as np
    >>> import fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = np.repeat(rng.random(200), 5)  # five visits of each patient
    >>> y = rng.random(1000) < p
    >>> Runs.of(fot.read(y, p)).are_there, Runs.of(fot.read(np.sort(y), np.sort(p))).are_there
    (True, False)
    """

    neighbours: int = 0
    alike: int = 0
    expected: float = 0.0
    parted: int = 0
    apart: int = 0
    excess: float = 0.0
    variance: float = 0.0
    ordered: int = 0
    others: int = 0
    peaks: float = 0.0
    differences: float = 0.0

    @classmethod
    def of(cls, sample: ScoreSample) -> "Runs":
        """Return what the rows of a sample tell; nothing where they have lost the order in which they were given."""
        rows = rows_in_order(sample)
        return cls() if rows is None else cls.of_rows(*rows)

    @classmethod
    def of_rows(cls, p: FloatArray, y: FloatArray) -> "Runs":
        """Return what scores and labels tell in their order.

        Parameters
        ----------
        p : array of shape (n,)
        y : array of shape (n,)
            0.0 or 1.0.
        """
        pairs = p.size - 1
        if pairs < 1:
            return cls()
        u = np.empty(p.size)
        runs, expected = cls(), 0.0
        for label in (0.0, 1.0):
            rows = np.flatnonzero(y == label)
            if not rows.size:
                continue
            u[rows] = (rankdata(p[rows]) - 0.5) / rows.size
            expected += _near_pairs(u[rows])
            runs += cls._of_label(u[rows])
        alike = np.count_nonzero((y[1:] == y[:-1]) & (np.abs(np.diff(u)) <= NEAR))
        return runs + cls(neighbours=pairs, alike=int(alike), expected=expected * 2.0 / p.size)

    @classmethod
    def _of_label(cls, u: FloatArray) -> "Runs":
        """Return what the ranks of the rows of one label tell."""
        if u.size < 4 or np.all(u == u[0]):
            return cls()
        low, gap, high, first = _split_fours(u)
        apart = (gap >= GAP) & (gap >= TIMES * np.maximum(low, high))
        other = (gap > 0) & (gap < GAP) & (np.minimum(low, high) > 0)
        excess = apart * (first - BY_CHANCE)
        overlap = sum(float(excess[lag:] @ excess[:-lag]) for lag in range(1, min(4, excess.size)))
        least = (
            BY_CHANCE * (1.0 - BY_CHANCE) * int(np.count_nonzero(apart)) / 2.0
        )  # a sum of few may come out too small
        steps = np.diff(ndtri(u)) ** 2
        return cls(
            parted=int(np.count_nonzero(apart & first)),
            apart=int(np.count_nonzero(apart)),
            excess=float(excess.sum()),
            variance=max(float(excess @ excess) + 2.0 * overlap, least),
            ordered=int(np.count_nonzero(other & first)),
            others=int(np.count_nonzero(other)),
            peaks=float(steps @ steps) / float(steps.mean()) ** 2,
            differences=float(steps.size),
        )

    def __add__(self, other: "Runs") -> "Runs":
        """Return what the rows of both tell."""
        return Runs(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def are_there(self) -> bool:
        """Whether rows come in runs of nearly equal ones."""
        return (
            self.parted >= PARTED * self.apart
            and self.excess > 0
            and self.excess**2 >= CERTAIN**2 * self.variance
            and (self.others < FEWEST or self.ordered <= ORDERED * self.others)
            and self.peaks >= KURTOSIS * self.differences
            and self.alike >= OFTEN * self.expected
        )

    @property
    def in_words(self) -> str:
        """What is to be said of runs."""
        return (
            f"rows come in runs of nearly equal ones ({self.alike:,} of {self.neighbours:,} neighbours, in random "
            f"order {self.expected:,.0f})"
        )


NO_RUNS = Runs()


def rows_in_order(sample: ScoreSample) -> tuple[FloatArray, FloatArray] | None:
    """Return scores and labels in the order in which rows were given; None where they have lost it.

    Of very many rows stretches that are spread over them.
    """
    if sample.aggregated or sample.has_pooled_scores or sample.is_sorted:
        return None
    rows = _looked_at(np.arange(sample.n) if sample.unit else np.flatnonzero(sample.w > 0))
    return sample.p[rows], sample.y[rows]


def _looked_at(rows: IntArray) -> IntArray:
    """Return which of the rows are looked at: all of them, or stretches that are spread over them."""
    if rows.size <= STRETCHES * STRETCH:
        return rows
    starts = np.linspace(0, rows.size - STRETCH, STRETCHES).astype(np.intp)
    places: IntArray = (starts[:, None] + np.arange(STRETCH)).ravel()
    return np.asarray(rows[places])


def _near_pairs(u: FloatArray) -> float:
    """Return how many pairs of different rows are nearly equal."""
    ordered = np.sort(u)
    within: IntArray = np.searchsorted(ordered, ordered + NEAR, side="right") - np.arange(1, u.size + 1)
    return float(within.sum())


def _split_fours(u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return the three gaps of every four neighbours in the order of their size, and which split as (1 2 | 3 4).

    Of equal ones the earlier is taken for the lower. Comparing pairs takes a twentieth of the time of sorting fours.
    """
    a, b, c, d = u[:-3], u[1:-2], u[2:-1], u[3:]
    low12, high12, low34, high34 = np.minimum(a, b), np.maximum(a, b), np.minimum(c, d), np.maximum(c, d)
    inner, other = np.maximum(low12, low34), np.minimum(high12, high34)
    second, third = np.minimum(inner, other), np.maximum(inner, other)
    lowest, highest = np.minimum(low12, low34), np.maximum(high12, high34)
    first = (high12 <= low34) | (high34 < low12)
    return second - lowest, third - second, highest - third, first
