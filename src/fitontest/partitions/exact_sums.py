"""Sums per bin that do not depend on the order of the rows, without sorting them.

A score is cut into parts of so few digits that the sums of the parts are exact: numbers of a common unit, below 2^53 of
these. What is exact is the same in any order. The sums of the parts are then added up, from the smallest.
"""

from dataclasses import replace

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import EXACT_COUNT
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition, count_block, tabulate
from fitontest.results.typing import FloatArray, IntArray

DIGITS = 53  # binary ones of a float
MOST_COUNT_DIGITS = 40  # of the number of rows, which leave too few for the parts of the scores beyond


def exact_table(partition: Partition, sample: ScoreSample) -> BinTable | None:
    """Return the sums per bin, the same in any order of the rows; None unless weights count single rows."""
    if sample.aggregated or not sample.whole:
        return None
    count_digits = int(sample.total).bit_length()
    largest = 1.0 if sample.unit else float(sample.w.max())
    if count_digits > MOST_COUNT_DIGITS or sample.total * largest > EXACT_COUNT:
        return None
    scores = ExactSums(partition.n_bins, count_digits)
    if sample.is_pooled:
        distinct = sample.distinct
        starts = partition.starts(distinct.p)
        scores.add(np.repeat(np.arange(partition.n_bins), np.diff(starts)), distinct.p, distinct.w)
        return replace(tabulate(sample, sample.rows, distinct, starts), sum_p=scores.total)
    counts = np.zeros((4, partition.n_bins))
    for p, y, w in sample.blocks():
        index = partition.locate_checked(p)
        scores.add(index, p, w)
        counts += count_block(index, y, w, partition.n_bins)
    n, total, squares, positives = counts
    return BinTable(n.astype(np.intp), total, squares, scores.total, positives)


class ExactSums:
    """Sums of scores over bins, to which blocks of rows are added in any order.

    Parameters
    ----------
    n_bins : int
    count_digits : int
        Binary digits of the sum of all weights, which are whole numbers.
    """

    def __init__(self, n_bins: int, count_digits: int) -> None:
        self.n_bins = n_bins
        self.count_digits = count_digits
        self.parts: list[FloatArray] = []  # sums of the first digits of the scores, of the next ones, and so on

    def add(self, index: IntArray, p: FloatArray, w: FloatArray | None) -> None:
        """Add scores in [0, 1] to the bins of these numbers; the weights are None where all are one."""
        rest, level, places = p, 0, DIGITS - self.count_digits
        while rest.size:
            anchor = np.ldexp(1.5, DIGITS - 1 - places)  # whose last digit is 2^-places: adding it rounds to that
            part = rest + anchor
            part -= anchor
            rest = rest - part
            if level == len(self.parts):
                self.parts.append(np.zeros(self.n_bins))
            self.parts[level] += np.bincount(index, part if w is None else w * part, self.n_bins)
            left = np.count_nonzero(rest)
            if 2 * left < rest.size:
                kept = np.flatnonzero(rest)
                index, rest, w = index[kept], rest[kept], None if w is None else w[kept]
            level += 1
            places += DIGITS + 1 - self.count_digits  # the rest is at most half a unit

    @property
    def total(self) -> FloatArray:
        """The sums per bin."""
        total = np.zeros(self.n_bins)
        for part in reversed(self.parts):
            total += part
        return total
