r"""Runs of labels: a sign, unasked, that rows belong together, as the moments of a game do whose outcome is one.

In tables that keep the rows of a game, a patient or a quarter next to each other labels change far less often than
scores say. With g_i the share of positives among rows of scores near that of row i, neighbours of independent labels
differ with probability g_i (1 - g_{i+1}) + g_{i+1} (1 - g_i). Rows come in runs of labels where these add up to three
times the changes that there are, or more.

Tables may be sorted by their labels, in few blocks or many, so that two more things must be true:

* there are at least 20 runs, and only neighbours of different scores are looked at, since ties may be sorted;
* rows of one label have scores that are more alike within runs than between them: the sum over runs of
  n (mean of u - 1/2)^2, u the rank of a score among the rows of its label divided by their number, is at least 5
  standard deviations above its mean in random order, and at least 1.5 times that. Where rows are sorted by their labels
  alone these scores come in random order.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from fitontest.data.label_shares import near_shares
from fitontest.data.row_runs import rows_in_order
from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import FloatArray

FEWER = 3.0  # times as many changes in random order
FEWEST = 20  # runs
CERTAIN, LARGER = 5.0, 1.5


@dataclass(frozen=True)
class LabelRuns:
    """What the order of rows tells of runs of labels; parts of the rows, such as segments, add up.

    Attributes
    ----------
    runs : int
        Rows that follow each other and have one label.
    changes, expected : float
        Changes of label between neighbours of different scores, and how many there would be of independent labels.
    between, random, variance : float
        The sum over runs of squared deviations of mean ranks, and its mean and variance in random order.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> strength = np.repeat(rng.normal(size=100), 30)  # of the team at home, in thirty moments of each game
    >>> won = np.repeat(rng.normal(size=100), 30) < strength
    >>> p = 1 / (1 + np.exp(-strength - rng.normal(size=3000) / 4))
    >>> y, order = won.astype(float), np.argsort(won, kind="stable")
    >>> LabelRuns.of_rows(p, y).are_there, LabelRuns.of_rows(p[order], y[order]).are_there
    (True, False)
    """

    runs: int = 0
    changes: float = 0.0
    expected: float = 0.0
    between: float = 0.0
    random: float = 0.0
    variance: float = 0.0

    @classmethod
    def of(cls, sample: ScoreSample) -> "LabelRuns":
        """Return what the rows of a sample tell; nothing where they have lost the order in which they were given."""
        rows = rows_in_order(sample)
        return cls() if rows is None else cls.of_rows(*rows)

    @classmethod
    def of_rows(cls, p: FloatArray, y: FloatArray) -> "LabelRuns":
        """Return what scores and labels tell in their order.

        Parameters
        ----------
        p : array of shape (n,)
        y : array of shape (n,)
            0.0 or 1.0.
        """
        if p.size < 2 or np.all(y == y[0]):
            return cls()
        g, differ = near_shares(p, y), p[1:] != p[:-1]
        expected = g[1:] * (1.0 - g[:-1]) + g[:-1] * (1.0 - g[1:])
        change = y[1:] != y[:-1]
        run = np.concatenate(([0], np.cumsum(change)))
        found = cls(int(run[-1]) + 1, float(change[differ].sum()), float(expected[differ].sum()))
        return found + cls._of_label(p, run, y == 0.0) + cls._of_label(p, run, y == 1.0)

    @classmethod
    def _of_label(cls, p: FloatArray, run: FloatArray, rows: FloatArray) -> "LabelRuns":
        """Return how alike the ranks of the rows of one label are within runs."""
        u = rankdata(p[rows]) / np.count_nonzero(rows)
        u -= u.mean()
        size = np.bincount(run[rows])
        sums, size = np.bincount(run[rows], u)[size > 0], size[size > 0]
        each, free = float(u.var()), size.size - 1.0
        return cls(between=float((sums**2 / size).sum()), random=free * each, variance=2.0 * free * each**2)

    def __add__(self, other: "LabelRuns") -> "LabelRuns":
        """Return what the rows of both tell."""
        return LabelRuns(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def are_there(self) -> bool:
        """Whether labels come in runs far longer than chance makes them."""
        beyond = self.between - self.random
        return (
            self.runs >= FEWEST
            and self.expected >= FEWER * max(self.changes, 1.0)
            and self.between >= LARGER * self.random
            and beyond > 0.0
            and beyond**2 >= CERTAIN**2 * self.variance
        )

    @property
    def in_words(self) -> str:
        """What is to be said of runs of labels."""
        return (
            f"labels come in runs far longer than scores say ({self.runs:,} runs; {self.changes:,.0f} changes of "
            f"label, in random order {self.expected:,.0f})"
        )


NO_LABEL_RUNS = LabelRuns()
