"""Restricted cubic splines: logistic regression on a natural cubic spline of the logit, as R's rms fits it."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.ordering import DistinctScores
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.certainty import LEAST
from fitontest.families.columns import Columns, warn_separable
from fitontest.families.cutting import Eps, eps_of_scores, read_eps
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.likelihood_many import maximise_columns
from fitontest.families.logistic import LogisticProblem, fit_logistic
from fitontest.families.nearest_rows import ScoresOfRows
from fitontest.families.registry import register
from fitontest.maps.binned import constant
from fitontest.maps.restricted_cubic import RestrictedCubicMap
from fitontest.numerics.links import clip_unit, logit
from fitontest.numerics.natural_splines import natural_basis
from fitontest.numerics.newton import SEPARABLE_RIDGE
from fitontest.results.checks import is_whole
from fitontest.results.typing import FloatArray, IntArray

TIED = 0.05  # share of the rows at the lowest or highest logit from which on the next one is a knot
FEW = 100  # rows below which the outer knots are the 5th and the 5th last
FIFTH = 5


@register("rcs")
@dataclass(eq=False, repr=False)
class RestrictedCubicSpline(Family):
    """Fit a smooth calibration map by logistic regression on a restricted cubic spline of the logit (rcs).

    c_hat(p) = 1 / (1 + exp(-s(logit p))), where s is the natural cubic spline of largest likelihood.

    s has `n_knots` knots and as many parameters, and is straight beyond the outer knots. The knots are quantiles of the
    logits of the scores: .1, .5, .9 of three, .05, .35, .65, .95 of four, .05, .275, .5, .725, .95 of five. With fewer
    than 100 rows the outer knots are the 5th and the 5th last logit; further rules for ties are those of R's
    ``Hmisc::rcspline.eval``. Scores too few for three knots get a straight line, as `Platt` fits it.

    Parameters
    ----------
    n_knots : int, default=5
        3, 4 or 5.
    eps : float or "auto", default="auto"
        The logit clips scores to [eps, 1 - eps]. "auto" is 1e-16 where no score is exactly 0 or 1; otherwise the logits
        of these certain scores are cut at 1 beyond the largest of the others, as `Platt` cuts them.

    Attributes
    ----------
    map_ : RestrictedCubicMap
        (A constant BinnedMap when there is one class or one distinct logit: the base rate.)
    knots_ : array of shape (K,)
        The knots, logits of scores; none where the map is constant, two of a straight line.

    Raises
    ------
    ValueError
        At ``fit``, an `n_knots` that is not 3, 4 or 5.

    Warns
    -----
    SeparableDataWarning
        A threshold separates the labels: a ridge of 1e-10 on the logits at the knots gives a steep finite map.

    Notes
    -----
    The likelihood is maximised to a gradient of 1e-10 per unit weight. Where no score is exactly 0 or 1, the values are
    those of R's ``glm`` to its own precision, about 1e-7. Deviation: R's packages drop scores of 0 and 1; here their
    rows count, with the logits that `eps` gives them. Fit the other rows alone for R's numbers.

    Weights that count rows are rows. Other weights are importances: the knots are quantiles of as many rows of equal
    weight as is their effective number, at the middles of as many equal shares.

    References
    ----------
    Harrell (2015), Regression modeling strategies, 2nd edition, section 2.4.5.
    https://doi.org/10.1007/978-3-319-19425-7
    Austin, Harrell, van Klaveren (2020), Graphical calibration curves and the integrated calibration index (ICI) for
    survival models, Statistics in Medicine 39 (uses the curve). https://doi.org/10.1002/sim.8570

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> y = rng.random(5000) < p**2
    >>> fot.families.RestrictedCubicSpline(5).fit(p, y).predict([0.3, 0.5, 0.7]).round(2)
    array([0.09, 0.28, 0.49])
    """

    n_knots: int = 5
    eps: Eps = "auto"

    def _count_parameters(self) -> float:
        """Return a value for each knot."""
        return float(max(self.knots_.size, 1))

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map and its knots."""
        self._check()
        distinct = sample.distinct
        eps = eps_of_scores(self.eps, distinct.p)
        knots = self._knots(ScoresOfRows.of(sample), eps)
        base_rate = float(distinct.wy.sum() / distinct.w.sum())
        columns = Columns.of(sample, eps)
        if knots.size < 2 or columns.one_class:
            return Solution(constant(base_rate), None, {"knots_": np.empty(0)})
        separable = columns.separable_upward or columns.separable_downward
        if separable:
            warn_separable("rcs")
        z = _maximise(_Basis(knots)(clip_unit(distinct.p, eps)), distinct, separable)
        return Solution(RestrictedCubicMap(knots, z, eps), None, {"knots_": knots})

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the maps of many sets of labels, whose likelihoods are maximised at once."""
        self._check()
        return SharedFits(self.fit_map, entries, positives, self._maximise_columns, self._maximise_columns)

    def _maximise_columns(self, entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
        eps = eps_of_scores(self.eps, entries.distinct_p)
        name = "restricted cubic spline", self.n_knots, eps
        if name not in entries.memory:
            entries.memory[name] = _Basis(self._knots(ScoresOfRows.of(entries.unlabelled), eps))
        basis = entries.memory[name]
        if basis.knots.size < 2:
            share = np.clip(entries.distinct_wy(positives).sum(axis=0) / entries.distinct_w.sum(), 0.0, 1.0)
            return np.tile(share, (entries.distinct_p.size if at is None else at.size, 1))
        return maximise_columns(self, entries, positives, basis, eps=eps, at=at)

    def _knots(self, rows: ScoresOfRows, eps: float) -> FloatArray:
        """Return the knots, two for a straight line, one logit that all rows share."""
        x = logit(rows.p, eps)
        last = np.append(np.flatnonzero(np.diff(x) > 0), x.size - 1)
        ends, _ = rows.score_of_rows()
        knots = harrell_knots(x[last], ends[last], self.n_knots)
        return knots if knots.size > 2 else np.unique(x[[0, -1]])

    def _check(self) -> None:
        read_eps(self.eps)
        if not is_whole(self.n_knots) or not 3 <= self.n_knots <= 5:
            raise ValueError(f"n_knots must be 3, 4 or 5, got {self.n_knots!r}")


class _Basis:
    """Natural splines of the logit, one for each knot: 1 there and 0 at the other knots."""

    def __init__(self, knots: FloatArray) -> None:
        self.knots = knots

    def __call__(self, p: FloatArray) -> FloatArray:
        """Return their values at clipped scores, shape (m, K)."""
        return natural_basis(self.knots, logit(p, 0.0))


def harrell_knots(x: FloatArray, ends: IntArray, n_knots: int) -> FloatArray:
    """Return the knots that ``Hmisc::rcspline.eval`` of R chooses; there may be fewer than are asked for.

    Parameters
    ----------
    x : array of shape (G,)
        Distinct values, increasing.
    ends : int array of shape (G,)
        Up to which row, counted from 1, rows have each value.
    n_knots : int
        How many knots are asked for.

    Returns
    -------
    array of shape (K,)
        Strictly increasing. R refuses fewer than 3.
    """
    if x.size - 2 <= n_knots:
        return x[1:-1]
    n = int(ends[-1])
    share = np.diff(ends, prepend=0) / n
    mixed = share[1:-1].max() < TIED
    first, last = mixed and share[0] >= TIED, mixed and share[-1] >= TIED
    start, stop = int(ends[1]) if first else 0, int(ends[-3]) if last else n
    inner = _inner_knots(x, ends, start, stop, n_knots, (first, last))
    return np.unique(np.concatenate((x[[1]] if first else [], inner, x[[-2]] if last else [])))


def _inner_knots(
    x: FloatArray, ends: IntArray, start: int, stop: int, n_knots: int, outer: tuple[bool, bool]
) -> FloatArray:
    """Return the knots among the rows start + 1 to stop; `outer` says on which sides there is a knot already."""
    rows = stop - start

    def row(number: FloatArray | int) -> FloatArray:  # counted from 1, among these rows
        return np.asarray(x[np.searchsorted(ends, start + np.asarray(number))])

    def quantiles(shares: FloatArray) -> FloatArray:
        at = 1.0 + (rows - 1.0) * shares
        low, part = np.floor(at), at - np.floor(at)
        return (1.0 - part) * row(low) + part * row(np.ceil(at))

    asked = n_knots - sum(outer)
    tail = 0.05 if n_knots > 3 else 0.1
    if rows < 1:
        return np.empty(0)
    if asked == 1:
        return quantiles(np.array([0.5]))
    knots = quantiles(np.linspace(0.5 if asked == 2 else tail, 1.0 - tail, asked))
    if np.unique(knots).size < min(asked, 3):
        knots = quantiles(np.linspace(tail, 1.0 - tail, 2 * asked))
        if outer[0] and np.unique(knots).size < 3:
            middle = (x[1] + x[-2]) / 2.0 if outer[1] else quantiles(np.array([0.5]))[0]
            knots = np.array([x[1], middle, x[-2] if outer[1] else quantiles(np.array([1.0 - tail]))[0]])
    if FIFTH <= rows < FEW:
        if not outer[0]:
            knots[0] = row(FIFTH)
        if not outer[1] and knots.size >= asked:
            knots[asked - 1] = row(rows - FIFTH + 1)
    return knots


def _maximise(features: FloatArray, distinct: DistinctScores, separable: bool) -> FloatArray:
    """Return the logits at the knots that maximise the likelihood."""
    targets, total = np.minimum(distinct.wy / distinct.w, 1.0), float(distinct.w.sum())
    columns = tuple(np.ascontiguousarray(column) for column in features.T)
    problem = LogisticProblem(columns, targets, distinct.w, total, intercept=False, bounded=False)
    return fit_logistic(problem, logit(distinct.p, LEAST), SEPARABLE_RIDGE if separable else 0.0).theta
