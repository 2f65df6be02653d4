"""Sorted scores that are labelled again and again: what a thousand fits to the same scores share.

Redrawing labels changes nothing about the scores: their order, ties, bins and folds are found once. An entry is a row,
or stands for several rows of one score; a labelling says of each entry how many of its rows are positive.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.ordering import Rows
from fitontest.data.parts import countable, share_out
from fitontest.data.row_groups import GROUP, RowGroups, places_of_rows
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.random import folds_of_groups, held_out_rows
from fitontest.results.typing import FloatArray, IntArray, RandomState

MOST_ROWS = 40_000  # beyond, neighbouring scores are pooled
NODES = 20_000  # into so many entries
LEAST_NODES = 20  # of each group of rows that belong together


@dataclass(frozen=True, eq=False)
class Entries:
    """Scores in increasing order with their weights, yet without labels.

    Attributes
    ----------
    p : array of shape (m,)
        Non-decreasing scores.
    w : array of shape (m,)
        Positive weights.
    n : int array of shape (m,)
        Rows behind each entry, which share its weight equally.
    whole : bool
        Whether weights count rows.
    counted : bool
        Whether the n of whole weights are different rows, which may be in different folds; else they are copies of one
        row.
    behind : int array of shape (m,) or None
        Rows behind each entry of other weights, where these vary as n rows of equal weight do; None: n.
    pooled : bool
        Whether the rows behind an entry have neighbouring scores, and the entry their mean.
    group : int array of shape (m,) or None
        The group that the rows behind each entry belong to, from 0 to K - 1; None where rows are independent.

    Examples
    --------
    >>> import numpy as np
    >>> entries = Entries(np.array([0.2, 0.2, 0.7]), np.ones(3), np.ones(3, dtype=int), whole=True)
    >>> entries.first, entries.distinct_w
    (array([0, 2]), array([2., 1.]))
    >>> entries.distinct_wy(np.array([[1, 0], [1, 1], [0, 1]]))
    array([[2., 1.],
           [0., 1.]])
    """

    p: FloatArray
    w: FloatArray
    n: IntArray
    whole: bool
    counted: bool = False
    behind: IntArray | None = None
    pooled: bool = False
    group: IntArray | None = None

    def __len__(self) -> int:
        return self.p.size

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What has been made of the scores and will be wanted for other labels: a value by what it is called."""
        return {}

    @cached_property
    def first(self) -> IntArray:
        """Entry at which each group of tied scores begins, shape (G,)."""
        return np.flatnonzero(np.concatenate(([True], self.p[1:] != self.p[:-1])))

    @property
    def tied(self) -> bool:
        """Whether several entries share a score."""
        return self.first.size < self.p.size

    @cached_property
    def single(self) -> bool:
        """Whether every entry is one row."""
        return bool(np.all(self.n == 1))

    @cached_property
    def rows(self) -> int | None:
        """How many different rows there are, whatever their labels; None where copies of a row may get several."""
        if self.behind is not None:
            return int(self.behind.sum())
        if self.single:
            return len(self)
        return int(self.n.sum()) if self.counted else None

    @property
    def placed(self) -> bool:
        """Whether folds can be drawn before the labels: entries keep their places, or are ordered within ties alone."""
        return self.group is not None or self.behind is not None or (self.rows is not None and self.unit)

    @cached_property
    def unit(self) -> bool:
        """Whether every row has weight one."""
        return bool(np.all(self.w == self.n))

    @property
    def distinct_p(self) -> FloatArray:
        """The distinct scores, shape (G,)."""
        return self.p[self.first] if self.tied else self.p

    @cached_property
    def distinct_w(self) -> FloatArray:
        """Weight of each distinct score, shape (G,)."""
        return np.add.reduceat(self.w, self.first) if self.tied else self.w

    @cached_property
    def place(self) -> IntArray:
        """Position among the distinct scores of each entry, shape (m,)."""
        if not self.tied:
            return np.arange(self.p.size)
        return np.repeat(np.arange(self.first.size), np.diff(self.first, append=self.p.size))

    def without(self, held_out: IntArray) -> "Entries":
        """Return the entries but those at some positions."""
        kept = np.ones(len(self), dtype=bool)
        kept[held_out] = False
        behind = None if self.behind is None else self.behind[kept]
        group = None if self.group is None else np.unique(self.group[kept], return_inverse=True)[1]
        return Entries(self.p[kept], self.w[kept], self.n[kept], self.whole, self.counted, behind, self.pooled, group)

    def hold_out(self, cv: int, random_state: RandomState) -> list[IntArray]:
        """Return the positions of the entries that each fold holds out: whole groups, where rows belong together.

        Parameters
        ----------
        cv : int
            Number of folds.
        random_state : int, RandomState or None
            Of the folds.
        """
        if self.group is None:
            return held_out_rows(len(self), cv, random_state)
        return folds_of_groups(self.group, cv, 1, random_state)[0]

    def distinct_wy(self, positives: IntArray) -> FloatArray:
        """Return the weight of the positives at each distinct score, shape (G, B), of labellings of shape (m, B)."""
        wy = positives.astype(np.float64)
        if not self.unit:
            wy *= (self.w / self.n)[:, None]
        return self._by_score(wy) if self.tied else wy

    def _by_score(self, values: FloatArray) -> FloatArray:
        """Return the sums of values of shape (m, B) over each score, shape (G, B); only tied entries are added up."""
        several, tied, starts = self.ties
        sums = values[self.first]
        sums[several] = np.add.reduceat(values[tied], starts, axis=0)
        return sums

    @cached_property
    def ties(self) -> tuple[IntArray, IntArray, IntArray]:
        """Which distinct scores several entries share, which entries these are, and where each score begins there."""
        size = np.diff(self.first, append=self.p.size)
        several = np.flatnonzero(size > 1)
        tied = np.flatnonzero(np.repeat(size > 1, size))
        return several, tied, np.cumsum(size[several]) - size[several]

    @cached_property
    def unlabelled(self) -> ScoreSample:
        """The sample of negative rows alone: for what depends on scores and weights, whatever the labels."""
        return self.sample(np.zeros(len(self), dtype=np.intp))

    def sample(self, positives: IntArray) -> ScoreSample:
        """Return the sample of one labelling, of shape (m,)."""
        if self.group is not None:
            return self._grouped_sample(positives)
        if self.single and self.behind is None:
            p, y, w = self.p, positives.astype(np.float64), self.w
            order = np.lexsort((w, y, p)) if self.tied or not self.single else slice(None)
            return ScoreSample.of_rows(Rows.of(p[order], y[order], w[order], whole=self.whole), whole=self.whole)
        count = np.stack((self.n - positives, positives), axis=1).ravel()
        present = count > 0
        p, y = np.repeat(self.p, 2)[present], np.tile([0.0, 1.0], len(self))[present]
        count = count[present]
        if self.whole:  # copies of a row, as `redrawn` has them
            w = count * np.repeat(self.w / self.n, 2)[present]
            order = np.lexsort((w, y, p))
            p, y, w, count = p[order], y[order], w[order], count[order]
            if self.counted:
                return sample_of_rows(Rows(p, y, w, count, w), whole=True).merged
            return ScoreSample.of_rows(Rows.of(p, y, w, whole=True), whole=True)
        each = np.repeat(self.w / self.n, 2)[present]
        w = count * each
        order = np.lexsort((w, y, p)) if self.tied or not self.single else slice(None)
        n = _rows_behind(self, positives)[present] if self.behind is not None else count
        rows = Rows(p[order], y[order], w[order], n[order], (w * each)[order])
        return sample_of_rows(rows, whole=False).merged

    def _grouped_sample(self, positives: IntArray) -> ScoreSample:
        """Return the sample of one labelling of rows that belong to groups, with their groups."""
        assert self.group is not None
        count = np.stack((self.n - positives, positives), axis=1).ravel()
        present = np.flatnonzero(count > 0)
        at, y = present // 2, (present % 2).astype(np.float64)
        n, w = count[present], count[present] * (self.w / self.n)[at]
        order = np.lexsort((self.group[at], w, y, self.p[at])) if self.tied or not self.single else np.arange(at.size)
        at, n, w = at[order], n[order], w[order]
        w2 = w if self.whole else w * (self.w / self.n)[at]
        facts = {GROUP: self.group[at]}
        if self.behind is not None:
            n = _rows_behind(self, positives)[present][order]
        elif self.single or (self.whole and not self.counted):  # copies of a row have its weight
            return ScoreSample.of_rows(Rows.of(self.p[at], y[order], w, whole=self.whole), whole=self.whole).with_facts(
                **facts
            )
        return sample_of_rows(Rows(self.p[at], y[order], w, n, w2), whole=self.whole, facts=facts)


def entries_of_rows(sample: ScoreSample) -> Entries:
    """Return the entries of a sample's sorted rows."""
    rows, groups = sample.rows, sample.groups
    behind = None if sample.whole or rows.single else rows.n
    n, whole = countable(rows, whole=sample.whole), sample.whole
    code = None if groups is None else groups.code
    return Entries(rows.p, rows.w, n, whole, whole and sample.aggregated, behind, group=code)


def labelled_entries(sample: ScoreSample, nodes: int | None = None) -> tuple[Entries, IntArray]:
    """Return entries whose rows have labels of their own, and how many of them are positive, shape (m,).

    Whole weights are rows; a row of any other weight has one label. Of more than `MOST_ROWS` rows neighbouring
    scores are pooled at their mean, into `nodes` entries, by default `NODES`. Rows that belong together are pooled with
    rows of their group alone.
    """
    nodes = NODES if nodes is None else nodes
    if sample.groups is not None:
        return grouped_entries(sample, sample.groups, nodes)
    if sample.whole and sample.total > MOST_ROWS and len(sample.distinct) > nodes:
        return _pool_neighbours(sample, nodes)
    if sample.whole and not sample.unit:  # labels that cross-validation holds out as it does the redrawn ones
        return _entries_of_distinct(sample), np.rint(sample.distinct.wy).astype(np.intp)
    entries = entries_of_rows(sample)
    return entries, np.rint(sample.rows.y * entries.n).astype(np.intp)


def _entries_of_distinct(sample: ScoreSample) -> Entries:
    """Return an entry for each score of a sample of whole weights, whose units are its rows."""
    distinct = sample.distinct
    n, pooled = distinct.w.astype(np.intp), sample.has_pooled_scores
    return Entries(distinct.p, distinct.w, n, whole=True, counted=sample.aggregated, pooled=pooled)


def grouped_entries(sample: ScoreSample, groups: RowGroups, nodes: int | None = None) -> tuple[Entries, IntArray]:
    """Return an entry for each row, or for the rows of a score and a group, and how many of each are positive.

    Parameters
    ----------
    sample : ScoreSample
    groups : RowGroups
        Of its rows.
    nodes : int, optional
        Entries that more than `MOST_ROWS` rows of neighbouring scores in a group are pooled into, or nearly. Of more
        groups than there are nodes for, groups of neighbouring mean scores are taken together.
    """
    rows, code, p = sample.rows, groups.code, sample.rows.p
    pools = nodes is not None and sample.whole and sample.total > MOST_ROWS
    if not pools and (not sample.whole or sample.unit):
        entries = entries_of_rows(sample)
        return entries, np.rint(rows.y * entries.n).astype(np.intp)
    cell = places_of_rows(p)
    if nodes is not None and pools:
        code = _join_groups(groups, p, rows.w, max(nodes // LEAST_NODES, 1))
        cell = _cells_within_groups(rows.w, code, nodes)
    order = np.lexsort((cell, code))
    cell, code = cell[order], code[order]
    first = np.flatnonzero(np.concatenate(([True], (np.diff(code) != 0) | (np.diff(cell) != 0))))
    p, w, y = p[order], rows.w[order], rows.y[order]
    mass, positives = np.add.reduceat(w, first), np.add.reduceat(w * y, first)
    last = np.append(first[1:], p.size) - 1
    low, high = np.minimum.reduceat(p, first), np.maximum.reduceat(p, first)
    mean = np.clip(np.add.reduceat(w * p, first) / mass, low, high)
    code = code[last]
    by_score = np.lexsort((code, mean))
    entries = Entries(
        mean[by_score],
        mass[by_score],
        np.rint(mass[by_score]).astype(np.intp),
        whole=True,
        counted=sample.aggregated,
        pooled=sample.has_pooled_scores or pools,
        group=code[by_score],
    )
    return entries, np.rint(positives[by_score]).astype(np.intp)


def _join_groups(groups: RowGroups, p: FloatArray, w: FloatArray, most: int) -> IntArray:
    """Return a group for each row, of at most `most` that each join groups of neighbouring mean scores."""
    if len(groups) <= most:
        return groups.code
    order = np.argsort(groups.sums(w * p) / groups.weights, kind="stable")
    joined = np.empty(len(groups), dtype=np.intp)
    joined[order] = equal_mass_cells(groups.weights[order], most)
    return np.asarray(np.unique(joined[groups.code], return_inverse=True)[1], dtype=np.intp)


def _cells_within_groups(w: FloatArray, code: IntArray, nodes: int) -> IntArray:
    """Return the cell of each sorted row among those of its group, which hold about equal weight.

    A group has its share of the nodes, and at least `LEAST_NODES`.
    """
    order = np.argsort(code, kind="stable")  # the rows of a group in the order of their scores
    start = np.flatnonzero(np.diff(code[order], prepend=-1))
    cumulated = np.cumsum(w[order])
    before = np.concatenate(([0.0], cumulated[start[1:] - 1]))
    mass = np.diff(before, append=cumulated[-1])
    cells = np.maximum(np.ceil(nodes * mass / cumulated[-1]), LEAST_NODES)
    of = code[order]
    share = (cumulated - w[order] / 2.0 - before[of]) / mass[of]
    cell = np.empty(w.size, dtype=np.intp)
    cell[order] = np.minimum(share * cells[of], cells[of] - 1.0).astype(np.intp)
    return cell


def _pool_neighbours(sample: ScoreSample, nodes: int) -> tuple[Entries, IntArray]:
    distinct = sample.distinct
    first = cell_starts(equal_mass_cells(distinct.w, nodes))
    w, wp, wy = (np.add.reduceat(column, first) for column in (distinct.w, distinct.w * distinct.p, distinct.wy))
    p = np.clip(wp / w, distinct.p[first], distinct.p[np.append(first[1:], len(distinct)) - 1])
    differ = np.concatenate(([True], np.diff(p) > 0))  # means of neighbouring floats may be one
    if not differ.all():
        at = np.flatnonzero(differ)
        p, w, wy = p[at], np.add.reduceat(w, at), np.add.reduceat(wy, at)
    entries = Entries(p, w, np.rint(w).astype(np.intp), whole=True, counted=sample.aggregated, pooled=True)
    return entries, np.rint(wy).astype(np.intp)


def in_tie_order(entries: Entries, positives: IntArray) -> IntArray:
    """Return labellings, shape (m, B), with the labels of each tie sorted, as the rows of a sample are.

    For rows of weight one; where nothing is tied, or entries hold several rows, nothing is to be sorted. Labels of rows
    that belong to groups keep their places.
    """
    if not (entries.tied and entries.single) or entries.behind is not None or entries.group is not None:
        return positives
    _, tied, starts = entries.ties
    size = np.diff(starts, append=tied.size)
    negatives = size[:, None] - np.add.reduceat(positives[tied], starts, axis=0)
    within = np.arange(tied.size) - np.repeat(starts, size)
    ordered = positives.copy()
    ordered[tied] = within[:, None] >= np.repeat(negatives, size, axis=0)
    return ordered


def count_effective_rows(entries: Entries) -> float:
    """Return how many rows of equal weight would vary as much: (sum w)^2 / sum w^2 over the rows."""
    return float(entries.w.sum() ** 2 / (entries.w**2 / entries.n).sum())


def _rows_behind(entries: Entries, positives: IntArray) -> IntArray:
    """Return the rows behind the negatives and the positives of each entry, in turn."""
    negatives = entries.n - positives
    nothing = np.zeros_like(negatives)
    shares = ((nothing, negatives), (negatives, positives))
    pairs = [share_out(entries.behind, before, count, entries.n) for before, count in shares]  # type: ignore[arg-type]
    return np.stack(pairs, axis=1).ravel()
