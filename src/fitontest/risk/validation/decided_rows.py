"""Rows by the thresholds that their scores reach, and what treating them from each threshold on is worth.

Of a row only its label counts and how many thresholds each of two scores reaches. So rows become cells of equal gains,
at most 2 (T + 1)^2 of T thresholds, and means and covariances over the thresholds are sums over cells: no more than a
block of rows by thresholds is in memory, however many rows there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.row_groups import GROUP, coded_ids
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.formula_interval import degrees_of
from fitontest.numerics.standard_error import free_squares
from fitontest.results.typing import FloatArray, IntArray
from fitontest.risk.measures.net_benefit import rows_that_tell

BLOCK = 2_000_000  # numbers of rows by thresholds that are in memory


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """Rows with the number of thresholds that the score of each model reaches.

    Attributes
    ----------
    thresholds : array of shape (T,)
        Increasing.
    reached : dict of str to int array of shape (m,)
        By model: the score of a row is at least the first so many thresholds.
    y, w, w2 : arrays of shape (m,)
        Labels, weights, and squared weights; of weights that count rows w2 is w.
    groups : int array of shape (m,) or None
        The group of each row, of at least two; None of independent rows.
    degrees : float
        Of Student's t: the effective groups less one, of uneven weights the effective rows less one, else infinite.
    too_few : bool
        Whether there are fewer than 10 effective groups.
    independent : dict of str to float
        By model: how many independent rows tell as much.
    """

    thresholds: FloatArray
    reached: Mapping[str, IntArray]
    y: FloatArray
    w: FloatArray
    w2: FloatArray
    groups: IntArray | None
    degrees: float
    too_few: bool
    independent: Mapping[str, float]

    @classmethod
    def of(cls, samples: Mapping[str, ScoreSample], thresholds: FloatArray) -> "DecidedRows":
        """Return the rows of one model, or of several that scored the same rows in the same order.

        Parameters
        ----------
        samples : dict of str to ScoreSample
        thresholds : array of shape (T,)
        """
        first = next(iter(samples.values()))
        groups = first.groups
        if len(samples) == 1:
            rows = first.rows
            y, w, w2, scores = rows.y, rows.w, rows.w2, dict.fromkeys(samples, rows.p)
            codes = None if groups is None else groups.code
        else:
            _check_same_rows(samples)
            kept = np.flatnonzero(first.w > 0)
            y, w, w2 = first.y[kept], first.w[kept], first.w2[kept]
            scores = {name: sample.p[kept] for name, sample in samples.items()}
            codes = None if groups is None else coded_ids(first.facts[GROUP][kept])[1]
        reached = {name: np.searchsorted(thresholds, p, side="right") for name, p in scores.items()}
        independent = {name: rows_that_tell(sample) for name, sample in samples.items()}
        return cls(thresholds, reached, y, w, w2, codes, degrees_of(first), are_too_few(groups), independent)

    @property
    def costs(self) -> FloatArray:
        """What a false positive costs at each threshold: t / (1 - t)."""
        return self.thresholds / (1.0 - self.thresholds)

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.w.sum())

    @property
    def base_rate(self) -> float:
        """Weighted share of positives."""
        return float(self.w @ self.y) / self.total

    def everybody(self) -> IntArray:
        """Return how many thresholds are reached by treating everybody: all."""
        return np.full(self.y.size, self.thresholds.size)

    def nobody(self) -> IntArray:
        """Return how many thresholds are reached by treating nobody: none."""
        return np.zeros(self.y.size, dtype=np.intp)

    def share_above(self, name: str) -> FloatArray:
        """Return the weighted share of the rows that reach each threshold, shape (T,)."""
        size = self.thresholds.size
        by_count = np.bincount(self.reached[name], self.w, size + 1)
        return np.asarray(by_count[::-1].cumsum()[::-1][1:] / self.total)

    def gain(self, first: IntArray, second: IntArray, *, standardised: bool = False) -> "Gain":
        """Return the mean gain of one way of deciding over another at each threshold, with its covariances.

        Parameters
        ----------
        first, second : int arrays of shape (m,)
            How many thresholds each row reaches.
        standardised : bool, default=False
            Whether gains are divided by the share of positives.
        """
        size = self.thresholds.size
        key = (first * (size + 1) + second) * 2 + (self.y > 0.5)
        cells, place = np.unique(key, return_inverse=True)
        w = np.bincount(place, self.w)
        gains = _Gains(cells, self.costs)
        mean = np.zeros(size)
        for part in gains.parts():
            mean += w[part] @ gains.of(part)
        mean /= self.total
        rate = self.base_rate if standardised else 1.0
        value = mean / rate
        if self.too_few:
            return Gain(value, None)
        covariance = np.zeros((size, size))
        if self.groups is None:
            w2 = np.bincount(place, free_squares(self.w, self.w2))
            for part in gains.parts():
                centre = np.outer(cells[part] % 2, value) if standardised else value
                psi = gains.of(part) - centre
                covariance += psi.T @ (psi * w2[part][:, None])
        else:
            for rows, codes in self._blocks_of_groups:
                sums = self._sums_by_group(rows, codes, first, second)
                of_rows = self.w[rows] * self.y[rows] if standardised else self.w[rows]
                sums -= np.outer(np.bincount(codes, of_rows), value)
                covariance += sums.T @ sums
            count = int(self.groups.max()) + 1
            covariance *= count / (count - 1.0)
        return Gain(value, covariance / (self.total * rate) ** 2)

    @cached_property
    def _blocks_of_groups(self) -> list[tuple[IntArray, IntArray]]:
        """The rows of groups that are in memory together, and the number of the group of each among these."""
        assert self.groups is not None
        order = np.argsort(self.groups, kind="stable")
        codes = self.groups[order]
        step = max(1, BLOCK // (self.thresholds.size + 1))
        starts = np.searchsorted(codes, np.arange(0, int(codes[-1]) + 1 + step, step))
        return [(order[low:high], codes[low:high] - codes[low]) for low, high in pairwise(starts)]

    def _sums_by_group(self, rows: IntArray, codes: IntArray, first: IntArray, second: IntArray) -> FloatArray:
        """Return the sum of the weighted gains of each group at each threshold, shape (groups, T)."""
        size, count = self.thresholds.size, int(codes[-1]) + 1
        sums = np.zeros((count, size))
        for label, worth in ((1.0, np.ones(size)), (0.0, -self.costs)):
            chosen = self.y[rows] == label
            weights, at, group = self.w[rows][chosen], rows[chosen], codes[chosen] * (size + 1)
            by_count = np.bincount(group + first[at], weights, count * (size + 1))
            by_count -= np.bincount(group + second[at], weights, count * (size + 1))
            reached = by_count.reshape(count, size + 1)[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
            sums += reached * worth
        return sums


@dataclass(frozen=True, eq=False)
class Gain:
    """A mean at each threshold, with the covariances of these means.

    Attributes
    ----------
    value : array of shape (T,)
    covariance : array of shape (T, T) or None
        None of fewer than 10 effective groups.
    """

    value: FloatArray
    covariance: FloatArray | None


@dataclass(frozen=True, eq=False)
class _Gains:
    """What cells of equal rows gain at each threshold."""

    cells: IntArray
    costs: FloatArray

    def parts(self) -> list[slice]:
        """Return parts of the cells that are in memory together."""
        step = max(1, BLOCK // self.costs.size)
        return [slice(start, start + step) for start in range(0, self.cells.size, step)]

    def of(self, chosen: IntArray | slice) -> FloatArray:
        """Return the gains of chosen cells, shape (cells, T)."""
        cells, at = self.cells[chosen], np.arange(self.costs.size)
        y, places = cells % 2, cells // 2
        first, second = np.divmod(places, self.costs.size + 1)
        decided = (first[:, None] > at).astype(np.float64) - (second[:, None] > at)
        decided *= np.where(y[:, None] > 0, 1.0, -self.costs)
        return decided


def _check_same_rows(samples: Mapping[str, ScoreSample]) -> None:
    """Raise ValueError unless the models scored the same rows in the same order."""
    (name, first), *others = samples.items()
    if any(sample.aggregated for sample in samples.values()):
        raise ValueError("samples must hold single rows to compare models, got cells, which do not keep them")
    for other, sample in others:
        if sample.w.size != first.w.size:
            raise ValueError(
                f"samples must be of the same rows, got {first.w.size:,} of {name!r} and {sample.w.size:,} of {other!r}"
            )
        for what, one, another in (("labels", first.y, sample.y), ("weights", first.w, sample.w)):
            if not np.array_equal(one, another):
                row = int(np.flatnonzero(np.asarray(one) != np.asarray(another))[0])
                raise ValueError(
                    f"samples must be of the same rows in the same order: the {what} of {name!r} and {other!r} differ, "
                    f"first in row {row + 1}"
                )
