"""The pilot sample of a plan: scores that sets of any size are drawn from, in whole groups where rows belong together.

Labels of the sets are drawn with the dependence that the residuals of the pilot show.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from fitontest.data.dependence import FEWEST, Dependence
from fitontest.data.known_groups import NOT_LEARNT, KnownGroups
from fitontest.data.ordering import Rows
from fitontest.data.row_groups import GROUP
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.results.text import count
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.dependence import dependence_of

MOST_SCORES = 1_000_000  # of counted rows, from which sizes are drawn


@dataclass(frozen=True, eq=False)
class Pilot:
    """Scores of rows, and the groups that they belong to.

    Attributes
    ----------
    p : array of shape (m,)
        The scores, in an order of their own.
    code : int array of shape (m,) or None
        The group of each, a number from 0 to K - 1; None of independent rows.
    known : KnownGroups or None
        Sizes and dependence of the groups; None where none were named.
    """

    p: FloatArray
    code: IntArray | None = None
    known: KnownGroups | None = None

    @classmethod
    def of(cls, sample: ScoreSample) -> "Pilot":
        """Return the scores of a sample, each as often as its weight counts it.

        Raises
        ------
        ValueError
            Weights that are no counts; rows of so few groups that their dependence cannot be learnt.
        """
        if not sample.whole:
            raise ValueError(
                f"p must have weights that are counts, or none: sizes are numbers of rows; got a total weight of "
                f"{sample.total:g} in {sample.n:,} rows"
            )
        dependence = dependence_of(sample)
        known = KnownGroups.of(sample, dependence)
        if known is not None and known.too_few:
            raise ValueError(f"groups must be more for a plan: {known.reason}")
        rows, groups = sample.rows, sample.groups
        share = min(1.0, MOST_SCORES / float(rows.w.sum()))
        times = np.maximum(np.rint(rows.w * share), 1).astype(np.intp)
        return cls(np.repeat(rows.p, times), None if groups is None else np.repeat(groups.code, times), known)

    def check_size(self, n: int) -> None:
        """Raise ValueError for sizes that too few groups make up."""
        if self.code is None or self.known is None:
            return
        sizes = self.known.sizes
        least = FEWEST * sizes.rows / sizes.effective
        if n < least * (1.0 - 1e-9):
            raise ValueError(
                f"n must be at least {count(ceil(least))} rows, which {FEWEST} groups like these have: {NOT_LEARNT}; "
                f"got {count(n)}"
            )

    def drawn(self, n: int, rng: np.random.Generator) -> ScoreRedraws:
        """Return a set of about n rows, drawn with replacement, whose labels can be redrawn.

        Where rows belong together whole groups are drawn, as many as come nearest to n rows.
        """
        if self.code is None:
            return unlabelled(self.p[rng.integers(self.p.size, size=n)])
        order = np.argsort(self.code, kind="stable")
        size = np.bincount(self.code)
        start = np.cumsum(size) - size
        chosen = rng.integers(size.size, size=ceil(n / int(size.min())) + 1)
        ends = np.cumsum(size[chosen])
        last = int(np.searchsorted(ends, n))
        before = int(ends[last - 1]) if last > 0 else 0
        number = max(last + (n - before >= int(ends[last]) - n), 1)
        chosen = chosen[:number]
        code = np.repeat(np.arange(number), size[chosen])
        within = np.arange(code.size) - np.repeat(np.cumsum(size[chosen]) - size[chosen], size[chosen])
        return unlabelled(self.p[order[start[chosen][code] + within]], code, self._dependence)

    @property
    def _dependence(self) -> Dependence:
        assert self.known is not None  # there are groups
        assert self.known.dependence is not None
        return self.known.dependence


def unlabelled(p: FloatArray, code: IntArray | None = None, dependence: Dependence | None = None) -> ScoreRedraws:
    """Return scores whose labels can be drawn, in groups with a dependence that is known.

    Parameters
    ----------
    p : array of shape (m,)
    code : int array of shape (m,), optional
        The group of each.
    dependence : Dependence, optional
        How alike labels of a group are; the number of groups is that of `code`.
    """
    if code is None or dependence is None:
        rows = Rows.of(np.sort(p), np.zeros(p.size), np.ones(p.size), whole=True)
        return ScoreRedraws.of(ScoreSample.of_rows(rows, whole=True))
    sample: Any = ScoreSample(np.zeros(p.size), p)
    sample = sample.with_facts(**{GROUP: code})
    groups = sample.named_groups
    counted = {"groups": len(groups), "rows": p.size, "effective": groups.effective, "several": groups.several}
    return ScoreRedraws.of(sample, replace(dependence, **counted, learnt_from=groups.effective))
