"""Inductive Venn-Abers: two isotonic fits, to which the score to be calibrated is added with either label."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import as_scores
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.isotonic import Isotonic
from fitontest.families.registry import register
from fitontest.maps.steps import StepsMap
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.partitions.pava import block_starts
from fitontest.results.typing import ArrayInput, FloatArray


@register("venn_abers")
class VennAbers(Family):
    """Fit Venn-Abers prediction: two isotonic fits, merged into one calibrated probability.

    They are those with the score added as a negative and as a positive row, c_hat(p) = p1 / (1 - p0 + p1).

    p0(p) is the value at p of the isotonic regression of the labels to which the row (p, 0) is added, p1(p) that with
    the row (p, 1). If the rows are exchangeable, one of the two is calibrated: the one that was made with the true
    label. So the pair is an interval, `predict_interval`, narrow where there are many rows. c_hat is the probability
    whose regret of log loss, against the better of p0 and p1, is smallest in the worst case; it is never 0 or 1.

    Attributes
    ----------
    map_ : StepsMap
        Non-decreasing; it jumps at scores of the data, with values of its own there.
    lower_, upper_ : StepsMap
        p0 and p1.
    n_blocks_ : int
        Blocks of the isotonic regression of the data alone.

    Notes
    -----
    A score between two scores of the data has the p0 of the lower and the p1 of the upper one; below all scores p0 is
    0, above all p1 is 1. A score that the data have joins its tie.

    The added row has weight 1 where weights are whole numbers, which count rows, and the mean weight of the rows of
    positive weight where they are not, so that the scale of such weights does not matter (the papers know no weights).

    The greatest convex minorant of the cumulative sums is updated from score to score, as in the second paper: sorting
    apart, the fit takes O(n).

    References
    ----------
    Vovk, Petej (2014), Venn-Abers predictors, UAI. https://doi.org/10.48550/arXiv.1211.0025
    Vovk, Petej, Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity, NIPS.
    https://doi.org/10.48550/arXiv.1511.00213

    Examples
    --------
    >>> import fitontest as fot
    >>> venn_abers = fot.families.make("venn_abers").fit([0.1, 0.2, 0.4, 0.8], [0, 1, 0, 1])
    >>> venn_abers.predict([0.1, 0.3, 0.8]).round(6)
    array([0.333333, 0.5     , 0.666667])
    >>> low, high = venn_abers.predict_interval([0.1, 0.3, 0.8])
    >>> low.round(6), high.round(6)
    (array([0.      , 0.333333, 0.5     ]), array([0.5     , 0.666667, 1.      ]))
    """

    evaluator = False
    calibrator = True

    def _count_parameters(self) -> float:
        """Return those of isotonic regression of the data: a level for each block, and where it ends."""
        return float(2 * self.n_blocks_ - 1)

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the calibration map, both isotonic fits, and the number of their steps."""
        distinct = sample.distinct
        extra = 1.0 if sample.whole else sample.total / sample.n
        above = _values_with_positive(distinct.w, distinct.wy, extra)  # p1
        below = _values_with_positive(distinct.w[::-1], (distinct.w - distinct.wy)[::-1], extra)[::-1]  # 1 - p0
        upper = np.append(above, 1.0)
        lower = np.append(1.0, below)
        fitted = _steps(distinct.p, upper / (lower + upper), above / (below + above))
        attributes = {
            "lower_": _steps(distinct.p, 1.0 - lower, 1.0 - below),
            "upper_": _steps(distinct.p, upper, above),
            "n_blocks_": int(block_starts(distinct.wy, distinct.w).size),
        }
        return Solution(fitted, None, attributes)

    def for_redraws(self) -> Family:
        """Return isotonic maps, which differ by what one row does."""
        return Isotonic()

    def predict_interval(self, p: ArrayInput) -> tuple[FloatArray, FloatArray]:
        """Return a lower and an upper probability for each score.

        p0 and p1 are the isotonic values with the score added as a negative, and as a positive row.

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores in [0, 1].

        Returns
        -------
        p0, p1 : arrays of shape (n,)
            p0 < c_hat < p1.

        Examples
        --------
        >>> import fitontest as fot
        >>> fot.families.make("venn_abers").fit([0.2, 0.2, 0.6], [0, 1, 1]).predict_interval([0.6])
        (array([0.5]), array([1.]))
        """
        check_is_fitted(self, "map_")
        scores = as_scores(p, "p")
        return self.lower_.evaluate(scores), self.upper_.evaluate(scores)


def _steps(p: FloatArray, between: FloatArray, at: FloatArray) -> StepsMap:
    """Return the steps over the scores p, less the jumps at which nothing changes."""
    jumps = (between[:-1] != at) | (at != between[1:])
    return StepsMap(p[jumps], np.append(between[0], between[1:][jumps]), at[jumps])


def _values_with_positive(w: FloatArray, wy: FloatArray, extra: float) -> FloatArray:
    """Return for each group the isotonic value at it when positives of weight `extra` are added to it.

    The value is the slope, across the added row, of the greatest convex minorant of the points P_k = (sum of w, sum of
    wy) of the first k groups. The row stands just before its group, which it is pooled with in any case. All points up
    to it are drawn lower by `extra` in both coordinates, instead of the others higher, so that the others stay where
    they are while the row moves on. The slope is that of the edge from the last of the lowered corners to the first of
    the others, the two at the top of the stack. When the row moves past group g, P_g is lowered in turn. If that takes
    it below the edge it is the last lowered corner from now on: the slope never falls, so that none to the left of it
    is needed again; nor do other points come back, as they lie above the edges that its own are below.
    """
    x, y = (PrefixSums.of(column).rounded() for column in (w, wy))
    starts = np.append(block_starts(wy, w), w.size)[::-1]
    corners = list(zip(x[starts].tolist(), y[starts].tolist(), strict=True))
    _push(corners, (x[0] - extra, y[0] - extra))
    lowered = x[1:] - extra, y[1:] - extra
    slopes = np.empty(w.size)
    g = 0
    while g < w.size:
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        rise, run = y1 - y0, x1 - x0
        last = _first_below(lowered, g, (x0, y0), rise, run)
        slopes[g : last + 1] = rise / run
        g = last + 1
        if g < w.size:
            corners.pop()
            _push(corners, (float(lowered[0][last]), float(lowered[1][last])))
    return np.clip(slopes, 0.0, 1.0)  # sums of weights may be rounded past the ends


def _first_below(
    points: tuple[FloatArray, FloatArray], g: int, corner: tuple[float, float], rise: float, run: float
) -> int:
    """Return the first of the points from g on that is below the line through the corner, or else the last point."""
    x, y = points
    step = 32
    while g < x.size:
        below = (y[g : g + step] - corner[1]) * run < rise * (x[g : g + step] - corner[0])
        if below.any():
            return g + int(below.argmax())
        g, step = g + step, 2 * step
    return x.size - 1


def _push(corners: list[tuple[float, float]], point: tuple[float, float]) -> None:
    """Put a point to the left of all corners, from right to left, and drop those that no longer are corners."""
    x, y = point
    while len(corners) > 1:
        (x1, y1), (x2, y2) = corners[-1], corners[-2]
        if (y1 - y) * (x2 - x1) < (y2 - y1) * (x1 - x):
            break
        corners.pop()
    corners.append(point)
