"""k nearest neighbours: each score gets the mean label of the rows whose scores are nearest to it."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.maps.steps import StepsMap
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.results.checks import is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import FloatArray, IntArray

POOLED = (
    "the k nearest rows of cells are whole cells, since the rows of a cell are tied at its mean score: the result is "
    "not that of the rows; Cells made with exact=True keep every score"
)
BLOCK = 8192  # groups whose temporaries stay in the cache
FEW_COPIES = 8  # rows a group on average up to which the group of every row is listed
TOLERANCE = 1e-12  # of the total weight: rounded weights that reach the threshold but for this reach it


@register("knn")
@dataclass(eq=False, repr=False)
class KNN(Family):
    """Replace each score by the mean label of the k rows with the nearest scores (nearest-neighbour calibration).

    c_hat(p) = sum_{i in N(p)} w_i y_i / sum_{i in N(p)} w_i, where N(p) = {i : |p_i - p| <= r(p)} and r(p) is the
    smallest radius within which there are k rows. So a tie of distance is included whole, and a row of the fit is
    among its own neighbours. The map is constant between the midpoints of scores at which N changes; at a midpoint
    the rows on both sides of it count.

    Its plug-in l1 error, fitted on the rows it is measured on, is 1 - AUC_V of Torabian and Urner: the area above the
    validity curve V(eps), the share of rows with |p_i - c_hat(p_i)| <= eps.

    Parameters
    ----------
    k : int, default=10
        Number of neighbours, at least 1. From the number of rows on, the map is the base rate everywhere.

    Attributes
    ----------
    map_ : StepsMap
        Not monotone in general.
    n_neighbourhoods_ : float
        The number of rows over k, at least 1.

    Raises
    ------
    ValueError
        At ``fit``, a `k` that is no whole number or below 1.

    Notes
    -----
    Whole weights count rows: a row of weight 2 is two of the k. With other weights, k rows are k times the mean weight
    of the rows of positive weight, so that the scale of such weights does not matter; sums within 1e-12 of the total
    weight below that count as reaching it.

    Of cells whose rows have several scores (`Cells`), whole cells are neighbours: there is a `CalibrationWarning`.

    A midpoint is rounded to a float, and the rows on both sides of it count at that float, unless it is one of the
    two scores: of neighbouring floats each is nearer to itself. Midpoints that round to one float are one jump.

    The fit takes O(n log n) time for sorting and O(n) memory, whatever k is.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability (the validity curve).
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.0, 0.25, 0.5, 1.0], [0, 0, 1, 1]
    >>> fot.families.make("knn", k=2).fit(p, y).predict([0.0, 0.25, 0.3, 1.0]).round(6)
    array([0.      , 0.333333, 0.5     , 1.      ])
    """

    k: int = 10

    def _count_parameters(self) -> float:
        """Return the number of rows over k, at least 1: so many means can be formed of separate rows."""
        return float(self.n_neighbourhoods_)

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map and how many neighbourhoods the rows make."""
        jumps, neighbourhoods = self._jumps(sample)
        return Solution(_steps(jumps, _labels_of(sample)), None, {"n_neighbourhoods_": neighbourhoods})

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the nearest-neighbour maps of many sets of labels: the neighbours of a score are the same in all."""
        return SharedFits(self.fit_map, entries, positives, self._values)

    def _values(self, entries: Entries, positives: IntArray) -> FloatArray:
        name = "neighbours", self.k
        if name not in entries.memory:
            jumps, _ = self._jumps(entries.unlabelled)
            entries.memory[name] = jumps.windows_at(entries.distinct_p)
        return _LabelSums.of(entries.distinct_w[:, None], entries.distinct_wy(positives)).means(*entries.memory[name])

    def group_means(self, sample: ScoreSample) -> FloatArray:
        """Return the mean label of the neighbours of each distinct score, without making a map.

        The scores are those of ``sample.distinct``, and the mean labels those of the map, to the last digit.

        Parameters
        ----------
        sample : ScoreSample
            As for `fit_map`.

        Returns
        -------
        means : array of shape (G,)
            One for each distinct score, in increasing order of the scores.
        """
        distinct = sample.distinct
        jumps, _ = self._jumps(sample)
        labels, means = _labels_of(sample), np.empty(len(distinct))
        for start in range(0, len(distinct), BLOCK):
            part = slice(start, start + BLOCK)
            means[part] = labels.means(*jumps.windows_at(distinct.p[part]))
        return means

    def _jumps(self, sample: ScoreSample) -> tuple["_Jumps", float]:
        """Return where the neighbours change, and how many neighbourhoods the rows make."""
        check_k(self.k)
        if sample.has_pooled_scores:
            warn_user(POOLED, CalibrationWarning)
        n_rows = sample.total if sample.whole else float(sample.n)
        k = min(self.k, n_rows)
        windows = _windows(sample, k, n_rows)
        return _Jumps.of(sample.distinct.p, windows), n_rows / k


def check_k(k: object) -> None:
    """Raise ValueError unless `k` is a whole number, at least 1."""
    if not is_whole(k) or k < 1:
        raise ValueError(f"k must be a whole number, at least 1, got {k!r}")


@dataclass(frozen=True, eq=False)
class _LabelSums:
    """Prefix sums of the weights of both labels: no mean of theirs leaves [0, 1], nor 0 or 1 where it is that."""

    positives: PrefixSums
    negatives: PrefixSums

    @classmethod
    def of(cls, w: FloatArray, wy: FloatArray) -> "_LabelSums":
        return cls(PrefixSums.of(wy), PrefixSums.of(w - wy))

    def means(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the mean label of the groups first..last."""
        stop = last + 1
        positive, negative = (np.maximum(sums.between(first, stop), 0.0) for sums in (self.positives, self.negatives))
        negative += positive
        positive /= negative
        return positive


@dataclass(frozen=True, eq=False)
class _LabelCounts:
    """Prefix sums of whole weights, which are exact: the same means as those of `_LabelSums` from fewer look-ups."""

    positives: FloatArray
    total: FloatArray | None

    @classmethod
    def of(cls, w: FloatArray, wy: FloatArray) -> "_LabelCounts":
        """Return the counts; groups of one row each are counted by their places."""
        singles = float(w.sum()) == w.size
        return cls(PrefixSums.of(wy, exact=True).head, None if singles else PrefixSums.of(w, exact=True).head)

    def means(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return the mean label of the groups first..last."""
        stop = last + 1
        positive = self.positives.take(stop)
        positive -= self.positives.take(first)
        positive /= stop - first if self.total is None else self.total[stop] - self.total[first]
        return positive


def _labels_of(sample: ScoreSample) -> _LabelSums | _LabelCounts:
    """Return the prefix sums of the labels of a sample's groups."""
    distinct = sample.distinct
    return (_LabelCounts if sample.whole else _LabelSums).of(distinct.w, distinct.wy)


@dataclass(frozen=True, eq=False)
class _Windows:
    """The neighbours of a score that moves from below all scores to above them, as windows of groups.

    Attributes
    ----------
    first, last : arrays of shape (E + 1,)
        The groups first..last are the neighbours after e changes. The change from window e to e + 1 takes place
        half-way between the groups first[e] and last[e + 1], where the groups first[e]..last[e + 1] are as near as
        the farthest neighbour or nearer.
    """

    first: IntArray
    last: IntArray


def _windows(sample: ScoreSample, k: float, n_rows: float) -> _Windows:
    """Return the windows of groups that hold k of the `n_rows` rows of a sample.

    Let reach(l) be the first r such that the groups l..r hold k rows. While l is the first neighbour, the groups after
    reach(l) join one by one, each half-way between l and itself. The group l leaves when reach(l + 1) joins, or, where
    that is reach(l), half-way between l and it. The last l that can reach k rows stays.
    """
    n_distinct = len(sample.distinct)
    if k >= n_rows:
        return _Windows(np.zeros(1, dtype=np.intp), np.full(1, n_distinct - 1))
    if sample.whole and n_rows == n_distinct:  # a row each: every group is joined by the next as it leaves
        first = np.arange(n_distinct - int(k) + 1)
        return _Windows(first, first + (int(k) - 1))
    if sample.whole and n_rows <= FEW_COPIES * n_distinct:
        reach = _reach_of_counts(_first_rows(sample), int(n_rows), int(k))
    else:
        reach = _reach(sample.distinct.w, k, n_rows, sample.whole)
    growth = np.diff(reach)
    nobody_joins = np.flatnonzero(growth == 0)
    leaves = np.maximum(growth, 1, out=growth)
    np.cumsum(leaves, out=leaves)  # the window that is the first without the group l
    n_windows = int(leaves[-1] if leaves.size else 0) + n_distinct - int(reach[-1])
    first, last = np.zeros(n_windows, dtype=np.intp), np.ones(n_windows, dtype=np.intp)  # how far each end moves
    first[leaves] = 1
    last[leaves[nobody_joins]] = 0
    last[0] = reach[0]
    return _Windows(np.cumsum(first, out=first), np.cumsum(last, out=last))


def _reach(w: FloatArray, k: float, n_rows: float, exact: bool) -> IntArray:
    """Return reach(l) of every l that can reach k rows."""
    cumulative = PrefixSums.of(w, exact=exact).rounded()
    threshold = k if exact else cumulative[-1] * (k / n_rows - TOLERANCE)
    reach = np.searchsorted(cumulative, cumulative[:-1] + threshold) - 1
    return np.asarray(reach[reach < w.size])


def _reach_of_counts(first: IntArray, n_rows: int, k: int) -> IntArray:
    """Return the same for groups of few rows, by the first row of each: the group of the k-th row from there."""
    group = np.zeros(n_rows, dtype=np.intp)
    group[first[1:]] = 1
    np.cumsum(group, out=group)
    able = np.searchsorted(first, n_rows - k, side="right")
    return np.asarray(group[k - 1 :].take(first[:able]))


def _first_rows(sample: ScoreSample) -> IntArray:
    """Return how many rows stand before each group, where weights count rows."""
    if sample.unit:
        return sample.distinct.first
    counts = sample.distinct.w.astype(np.intp)
    return np.asarray(np.cumsum(counts) - counts)


@dataclass(frozen=True, eq=False)
class _Jumps:
    """Where the map jumps, and the windows it has there.

    Attributes
    ----------
    x : array of shape (M,)
        Strictly increasing.
    pieces : array of shape (M + 1,) or None
        The windows between the jumps. At x[j] the changes from window pieces[j] to pieces[j + 1] take place. None, as
        of most scores: the windows are 0, 1, ..., and no jump is at one of the two scores that it is half-way between.
    windows : _Windows
    p : array of shape (G,)
        The scores of the groups.
    """

    x: FloatArray
    pieces: IntArray | None
    windows: _Windows
    p: FloatArray

    @classmethod
    def of(cls, p: FloatArray, windows: _Windows) -> "_Jumps":
        """Return the jumps at which the windows of groups at the scores p change.

        Several changes may round to one float: their run is one jump, from the window before it to the one after it.
        """
        middle, within = np.empty(windows.first.size - 1), True
        for start in range(0, middle.size, BLOCK):
            part = slice(start, start + BLOCK)
            low, high = p.take(windows.first[:-1][part]), p.take(windows.last[1:][part])
            half = middle[part]
            np.add(low, high, out=half)
            half *= 0.5
            within = within and bool(np.all(low < half) and np.all(half < high))
        if within and np.all(middle[1:] > middle[:-1]):
            return cls(middle, None, windows, p)
        run = np.flatnonzero(np.diff(middle, prepend=-1.0))
        return cls(middle[run], np.append(run, middle.size), windows, p)

    def between(self, part: slice) -> tuple[IntArray, IntArray]:
        """Return the first and the last group that count before each jump of a part, and behind the last jump."""
        chosen = part if self.pieces is None else self.pieces[part]
        return self.windows.first[chosen], self.windows.last[chosen]

    def ends(self, j: IntArray | slice) -> tuple[IntArray, IntArray]:
        """Return the first and the last group that count at the jumps j.

        A midpoint that is rounded to one of its own scores is not as far from the other.
        """
        x, windows, p = self.x[j], self.windows, self.p
        if self.pieces is None:
            return windows.first[:-1][j], windows.last[1:][j]
        left, right = self.pieces[:-1][j], self.pieces[1:][j]
        left = left + (x == p[windows.last[left + 1]])
        right = right - (x == p[windows.first[right - 1]])
        return windows.first[left], windows.last[right]

    def windows_at(self, p: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the first and the last group that count at each of increasing scores."""
        low, high = np.searchsorted(self.x, p[[0, -1]], side="right")
        near = slice(max(low - 1, 0), high + 1)  # from the jump before these scores to the one behind them
        x = self.x[near]
        piece = np.searchsorted(x, p, side="right")
        at = piece + near.start if self.pieces is None else self.pieces[near].take(piece)
        first, last = self.windows.first.take(at), self.windows.last.take(at)
        if x.size:
            at_jump = np.flatnonzero(x.take(piece - 1, mode="wrap") == p)
            at_jump = at_jump[piece[at_jump] > 0]
            if at_jump.size:
                first[at_jump], last[at_jump] = self.ends(piece[at_jump] - 1 + near.start)
        return first, last


def _steps(jumps: _Jumps, labels: _LabelSums | _LabelCounts) -> StepsMap:
    """Return the map whose jumps are where the windows change."""
    c, at = np.empty(jumps.x.size + 1), np.empty(jumps.x.size)
    for start in range(0, c.size, BLOCK):  # of so many the temporaries stay in the cache
        part = slice(start, start + BLOCK)
        c[part] = labels.means(*jumps.between(part))
        at[part] = labels.means(*jumps.ends(part))
    return StepsMap(jumps.x, c, at)
