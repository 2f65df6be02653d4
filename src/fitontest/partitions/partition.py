"""A partition of [0, 1] into bins: inner edges and one closure rule, used by index and map alike.

With the left-closed rule the bins are [e, e'), the last one closed at 1; with the right-closed rule they are
(e, e'], the first one closed at 0. Every p in [0, 1] is in exactly one bin.
"""

from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from fitontest.data.arrays import as_numbers, as_probabilities, check_unit_interval
from fitontest.data.ordering import DistinctScores, Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.search import positions
from fitontest.partitions.bin_table import BinTable
from fitontest.results.checks import choose
from fitontest.results.text import distinct
from fitontest.results.typing import ArrayInput, FloatArray, IntArray

Closed: TypeAlias = Literal["left", "right"]
MOST_SHOWN = 8  # edges in a representation

Column = TypeVar("Column", FloatArray, IntArray)


def check_closed(closed: object) -> None:
    """Raise ValueError unless `closed` names a closure rule."""
    choose(closed, ("left", "right"), "closed")


def uniform_edges(n_bins: int) -> FloatArray:
    """Return the inner edges i / n_bins, each correctly rounded (``numpy.linspace`` is an ulp off at some)."""
    return np.arange(1, n_bins) / n_bins


class Partition:
    """Bins of the scores, given by their edges.

    It is also the trivial partitioner that returns itself.

    Parameters
    ----------
    edges : array-like of shape (B - 1,) or (B + 1,)
        Strictly increasing. Either the inner edges alone, or all borders from 0 to 1 (then the first is 0 and the
        last is 1, and both are dropped). Inner edges lie in (0, 1] for left-closed bins, where an edge at 1 makes
        the single point 1 the last bin, and in [0, 1) for right-closed bins, where an edge at 0 makes the single
        point 0 the first.
    closed : {"left", "right"}, default="left"
        Which end belongs to a bin.

    Attributes
    ----------
    edges : array of shape (B - 1,)
        Inner edges, read-only.
    borders : array of shape (B + 1,)
        The inner edges between 0 and 1.
    n_bins : int

    Raises
    ------
    ValueError
        Edges that are not strictly increasing or lie outside the range above; an unknown closure rule.

    Examples
    --------
    >>> Partition([0.0, 0.25, 0.5, 1.0]).locate([0.0, 0.25, 0.3, 1.0])
    array([0, 1, 1, 2])
    >>> Partition([0.25, 0.5], closed="right").locate([0.0, 0.25, 0.3, 1.0])
    array([0, 0, 1, 2])
    """

    edges: FloatArray
    closed: Closed
    explicit: ClassVar[bool] = True
    ascends: ClassVar[bool] = True

    def __init__(self, edges: ArrayInput, closed: Closed = "left") -> None:
        check_closed(closed)
        inner = _read_edges(edges, closed)
        inner.flags.writeable = False
        self.__dict__.update(edges=inner, closed=closed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Partition cannot be changed: {name}")

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return self.edges.size + 1

    @cached_property
    def borders(self) -> FloatArray:
        """All borders: 0, the inner edges, 1; read-only."""
        borders = np.concatenate(([0.0], self.edges, [1.0]))
        borders.flags.writeable = False
        return borders

    def locate(self, p: ArrayInput) -> IntArray:
        """Return the bin, 0..B-1, of each score in [0, 1].

        Parameters
        ----------
        p : array-like
            Scores in [0, 1], of any shape.

        Returns
        -------
        bins : int array of the shape of `p`
            From 0, the lowest bin, to `n_bins` - 1.

        Raises
        ------
        ValueError
            Scores that are no numbers in [0, 1].
        """
        return self.locate_checked(as_probabilities(p, "p"))

    def locate_checked(self, p: FloatArray) -> IntArray:
        """Return the bin of each score, which must be float64 in [0, 1].

        Parameters
        ----------
        p : array of float64
            Scores in [0, 1].
        """
        if self._fences is not None:
            return _locate_equal_width(p, self._fences, self.closed)
        side: Closed = "right" if self.closed == "left" else "left"
        return positions(self.edges, p, side)

    def partition(self, sample: ScoreSample) -> "Partition":  # noqa: ARG002 - the signature of every partitioner
        """Return these bins, whatever the data.

        Explicit edges are a partitioner too.

        Parameters
        ----------
        sample : ScoreSample
            Not used.
        """
        return self

    def summarise(self, sample: ScoreSample) -> BinTable:
        """Return the sums per bin.

        It takes one pass over the rows; where they have been sorted already, over the groups.

        The sample remembers the last table, for the map of a family is measured with the bins it was fitted with.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.
        """
        table: BinTable
        last, pooled, table = sample.memory.get("table", (None, None, None))
        if last is not self or pooled != sample.is_pooled:
            table = self.cut(sample)[3] if sample.is_pooled or sample.aggregated else _summarise_blocks(self, sample)
            sample.memory["table"] = (self, sample.is_pooled, table)
        return table

    def cut(self, sample: ScoreSample) -> tuple[Rows, DistinctScores, IntArray, BinTable]:
        """Return the rows in the order of their scores, where each bin starts, and the sums of the bins.

        Starts are positions among the groups of tied scores.

        The sums do not depend on the order in which the rows arrived, not even in a rounding.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.

        Returns
        -------
        rows, distinct : Rows and DistinctScores
            Those of the sample.
        starts : int array of shape (B + 1,)
            Bin b holds the groups starts[b] to starts[b + 1] - 1.
        table : BinTable
            Sums per bin.
        """
        starts = self.starts(sample.distinct.p)
        return sample.rows, sample.distinct, starts, tabulate(sample, sample.rows, sample.distinct, starts)

    def starts(self, p: FloatArray) -> IntArray:
        """Return where each bin starts among increasing scores, and where the last one ends.

        Parameters
        ----------
        p : array of shape (G,)
            Scores in [0, 1], in increasing order.

        Returns
        -------
        starts : int array of shape (B + 1,)
            Bin b holds the scores starts[b] to starts[b + 1] - 1.
        """
        inner = np.searchsorted(p, self.edges, side=self.closed)
        return np.concatenate(([0], inner, [p.size]))

    @cached_property
    def _fences(self) -> tuple[FloatArray, FloatArray] | None:
        """Of bins of equal width the ends of 0..B, but none where no score can be moved out; B takes p = 1."""
        if not np.array_equal(self.edges, uniform_edges(self.n_bins)):
            return None
        return np.concatenate(([-np.inf], self.edges, [np.inf])), np.concatenate((self.edges, [np.inf, np.inf]))

    def to_dict(self) -> dict[str, Any]:
        """Return edges and closed side as JSON-ready values, as maps of bins have them."""
        return {"edges": self.edges.tolist(), "closed": self.closed}

    def __eq__(self, other: object) -> bool:
        if type(other) is not Partition:
            return NotImplemented
        return self.closed == other.closed and np.array_equal(self.edges, other.edges)

    def __hash__(self) -> int:
        return hash((self.closed, self.edges.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Partition, (self.edges, self.closed)

    def __repr__(self) -> str:
        edges = distinct(self.edges.tolist())
        shown = edges if len(edges) <= MOST_SHOWN else [*edges[:3], "...", *edges[-3:]]
        return f"Partition([{', '.join(shown)}], closed={self.closed!r})"


def checked_partition(made: object, rule: object) -> Partition:
    """Return the `Partition` that a rule made, or raise TypeError where it made something else."""
    if not isinstance(made, Partition):
        raise TypeError(f"a Partitioner must return a Partition, got {made!r} from {rule!r}")
    return made


def _summarise_blocks(partition: Partition, sample: ScoreSample) -> BinTable:
    """Return the sums per bin of rows that nobody has sorted yet."""
    sums = np.zeros((5, partition.n_bins))
    for p, y, w in sample.blocks():
        sums += _bin_block(partition, p, y, w)
    n, total, squares, sum_p, sum_y = sums
    return BinTable(n.astype(np.intp), total, squares, sum_p, sum_y)


def _bin_block(partition: Partition, p: FloatArray, y: FloatArray, w: FloatArray | None) -> FloatArray:
    index, bins = partition.locate_checked(p), partition.n_bins
    sum_p = np.bincount(index, p if w is None else w * p, bins)
    n, total, squares, positives = count_block(index, y, w, bins)
    return np.array([n, total, squares, sum_p, positives])


def count_block(index: IntArray, y: FloatArray, w: FloatArray | None, bins: int) -> FloatArray:
    """Return rows, weights, their squares and positives per bin of a block of rows; `index` may be overwritten."""
    if w is None:
        index *= 2  # bin and label in one index: a single count gives rows and positives
        index += y.astype(np.intp)
        by_label = np.bincount(index, minlength=2 * bins).reshape(bins, 2)
        n = by_label.sum(axis=1)
        return np.array([n, n, n, by_label[:, 1]], dtype=np.float64)
    columns = ((w > 0).astype(np.float64), w, w * w, w * y)
    return np.array([np.bincount(index, column, bins) for column in columns])


def _locate_equal_width(p: FloatArray, fences: tuple[FloatArray, FloatArray], closed: Closed) -> IntArray:
    """Locate by arithmetic, then correct the ulp by which p * B may be off: same bins, no search.

    For scores in a block this is three times as fast as a binary search over the edges.
    """
    lowest, highest = fences
    index = np.asarray((p * (lowest.size - 1)).astype(np.intp))
    left = closed == "left"
    under = p < lowest.take(index) if left else p <= lowest.take(index)
    if under.any():
        index -= under
    over = p >= highest.take(index) if left else p > highest.take(index)
    if over.any():
        index += over
    return index


def tabulate(sample: ScoreSample, rows: Rows, distinct: DistinctScores, starts: IntArray) -> BinTable:
    """Return the sums per bin, of which bin b holds the groups starts[b] to starts[b + 1] - 1 of a sample's rows."""
    w = bin_sums(distinct.w, starts)
    n = w.astype(np.intp) if sample.unit else bin_sums(distinct.n, starts)
    row_squares = rows.w2 if sample.aggregated else rows.w**2
    squares = w if sample.unit else bin_sums(row_squares, np.append(distinct.first, len(rows))[starts])
    return BinTable(n, w, squares, bin_sums(distinct.w * distinct.p, starts), bin_sums(distinct.wy, starts))


def bin_sums(values: Column, starts: IntArray) -> Column:
    """Return the sums of values[starts[b]:starts[b + 1]], 0 where there are none."""
    out = np.zeros(starts.size - 1, dtype=values.dtype)
    occupied = starts[1:] > starts[:-1]
    out[occupied] = np.add.reduceat(values, starts[:-1][occupied])
    return out


def _read_edges(edges: ArrayInput, closed: Closed) -> FloatArray:
    if np.size(edges) == 0:
        return np.empty(0)
    inner = np.array(as_numbers(edges, "edges"), dtype=np.float64)
    check_unit_interval(inner, "edges")
    steps = np.diff(inner)
    if np.any(steps <= 0):
        at = int(np.argmax(steps <= 0))
        raise ValueError(f"edges must be strictly increasing, got {inner[at]!s} then {inner[at + 1]!s}")
    if inner.size > 1 and inner[0] == 0 and inner[-1] == 1:
        return inner[1:-1].copy()
    outside = inner[0] == 0 if closed == "left" else inner[-1] == 1
    if outside:
        end, bins = ("0", "left-closed") if closed == "left" else ("1", "right-closed")
        raise ValueError(
            f"edges must be the inner edges or all borders from 0 to 1, got {end} at one end only: for {bins} bins "
            f"an inner edge at {end} would leave a bin without a point"
        )
    return inner
