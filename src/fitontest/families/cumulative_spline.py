"""Splines of cumulative labels: what the sum of the labels, in the order of the scores, grows by at each score."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import isotonic_regression

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.atoms import solve_beside_atoms, values_beside_atoms
from fitontest.families.base import Family, Solution
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.maps.base import CalibrationMap
from fitontest.maps.knots import KnotsMap
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.results.checks import check_flag, choose, is_whole
from fitontest.results.typing import FloatArray, IntArray

Ends: TypeAlias = Literal["natural", "parabolic", "cubic"]
LEAST_KNOTS = {"natural": 2, "parabolic": 3, "cubic": 4}  # that tell the ends apart
MOST_KNOTS = 100  # the sums of products of their splines take the cube of the number


@register("cumulative_spline")
@dataclass(eq=False, repr=False)
class CumulativeSpline(Family):
    """Fit a smooth calibration map through cumulative sums of label minus score, without bins.

    The slope of a spline through the cumulative gaps is added to the score, c_hat(p) = p + s'(t(p)), clipped to [0, 1].

    Let H(t) be the sum of w_i (y_i - p_i) / W over the rows of the lowest scores of total share t, straight between the
    scores, so that a row adds y_i - p_i per share. s is the cubic spline with `n_knots` equally spaced knots that
    minimises the integral of (s(t) - H(t))^2 over [0, 1], and t(p) the fractile of p: its slope at a score is what
    labels there exceed the score by. At a score of the data s'(t(p)) is averaged over the shares of the rows that have
    it; between scores c_hat is a straight line, beyond them constant.

    Parameters
    ----------
    n_knots : int, default=6
        At least 2; 2 shifts all scores by the same amount.
    kind : {"natural", "parabolic", "cubic"}, default="natural"
        What s is beside its first and last knot: "natural" has no second derivative at them, "parabolic" is a parabola
        up to the second knot, which takes 3 knots, and "cubic" the cubic polynomial of the next interval, which takes
        4.
    monotone : bool, default=False
        Whether the map is replaced by the non-decreasing one nearest to it in squares over the rows (PAVA). The paper
        does not, and a map that falls exchanges the order of scores.
    atoms : bool, default=False
        Whether scores that many rows share have levels of their own: the mean label there. These are scores of at
        least 2 % of the rows and at least 30 rows, if there are at most ten; else those of at least 10 % of the rows.
        The sums are those of the other rows, unless all scores are such.

    Attributes
    ----------
    map_ : KnotsMap or AtomsMap
        Not monotone in general, unless `monotone`.

    Raises
    ------
    ValueError
        At ``fit``, an `n_knots` that is no whole number from 2 to 100, or too small for its `kind`.

    Notes
    -----
    The paper minimises the sum of squares at the fractiles i / n, and takes s' at i / n. Here both are integrals over
    the fractiles: the same but for terms of the order 1/n, whatever ties and weights there are, and with a solution
    however few scores there are. The paper is the limit in the sense that its formula for each row k times, its labels
    spread evenly, tends to this map. The authors' code takes (i - 1) / (n - 1) for i / n, keeps ties in any order, and
    exchanges the two weights of the interpolation between scores. It calls the kinds natural, parabolic_runout and
    cubic_runout; the last is also known as not-a-knot.

    References
    ----------
    Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley (2021), Calibration of neural networks using splines, ICLR.
    https://doi.org/10.48550/arXiv.2006.12800

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> spline = fot.families.make("cumulative_spline").fit(p, rng.random(5000) < p**2)
    >>> spline.predict([0.3, 0.5, 0.7]).round(2)
    array([0.08, 0.28, 0.49])
    """

    evaluator = False

    n_knots: int = 6
    atoms: bool = False
    _: KW_ONLY
    kind: Ends = "natural"
    monotone: bool = False

    def _count_parameters(self) -> float:
        """Return the values at the knots, up to a constant that the slope does not see, and one for each atom."""
        return self.n_knots - 1 + self.map_.split_atoms()[1].size

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the calibration map: the scores plus the slope of the spline."""
        self._check()
        return solve_beside_atoms(sample, self.atoms, lambda rest: Solution(self._fit(rest)))

    def _fit(self, sample: ScoreSample) -> CalibrationMap:
        distinct = sample.distinct
        fit = _SplineFit.of(distinct.w, self.n_knots, self.kind)
        moved = distinct.p + fit.shifts(distinct.wy - distinct.w * distinct.p)
        return KnotsMap(distinct.p, self._finished(moved[:, None], distinct.w)[:, 0])

    def _finished(self, values: FloatArray, w: FloatArray) -> FloatArray:
        """Return values at the scores within [0, 1], in columns, and non-decreasing where this is asked for."""
        if self.monotone:
            values = np.stack([isotonic_regression(column, weights=w).x for column in values.T], axis=1)
        return np.clip(values, 0.0, 1.0)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the calibration maps of many sets of labels at once.

        Their values are linear functions of the labels but for the clipping, and the repair of their order.
        """
        self._check()
        own_values = partial(values_beside_atoms, atoms=self.atoms, own_values=self._values)
        return SharedFits(self.fit_map, entries, positives, own_values)

    def _values(self, entries: Entries, positives: IntArray) -> FloatArray:
        name = "cumulative spline", self.n_knots, self.kind
        if name not in entries.memory:
            entries.memory[name] = _SplineFit.of(entries.distinct_w, self.n_knots, self.kind)
        fit: _SplineFit = entries.memory[name]
        p, w = entries.distinct_p[:, None], entries.distinct_w[:, None]
        return self._finished(p + fit.shifts(entries.distinct_wy(positives) - w * p), entries.distinct_w)

    def _check(self) -> None:
        least = LEAST_KNOTS[choose(self.kind, LEAST_KNOTS, "kind")]
        if not is_whole(self.n_knots) or not least <= self.n_knots <= MOST_KNOTS:
            of_kind = "" if self.kind == "natural" else f" with kind={self.kind!r}"
            rule = f"n_knots must be a whole number from {least} to {MOST_KNOTS}{of_kind}"
            raise ValueError(f"{rule}, got {self.n_knots!r}")
        if check_flag(self.monotone, "monotone") and self.atoms:
            raise ValueError("atoms must be False with monotone=True, as the levels of atoms keep no order; got True")


@dataclass(frozen=True, eq=False)
class _SplineFit:
    """The least-squares spline of cumulative sums, as a function of what is summed.

    Attributes
    ----------
    solve : array of shape (M, G)
        Values at the knots of the spline that is fitted to the cumulative sums of shares, per share of each group.
    slopes : array of shape (G, M)
        Mean slope of the spline over each group, per value at each knot.
    total : float
        Weight of all groups.
    """

    solve: FloatArray
    slopes: FloatArray
    total: float

    @classmethod
    def of(cls, w: FloatArray, n_knots: int, kind: Ends) -> "_SplineFit":
        """Return the fit for groups of weights w.

        The integral of b(t) H(t) is, by parts, the sum of what each group adds to H times the mean over the group of
        the integral of b from there to 1.
        """
        knots = np.linspace(0.0, 1.0, n_knots)
        basis = _basis(knots, kind)
        sums = PrefixSums.of(w).rounded()
        ends, total = sums / sums[-1], float(sums[-1])
        integral = basis.antiderivative()
        remaining = _means(lambda t: np.asarray(integral(1.0) - integral(t)), 4, ends, knots)
        products = _means(lambda t: _products(basis(t)), 6, knots, knots).mean(axis=0)
        slopes = _means(basis.derivative(), 2, ends, knots)
        return cls(np.linalg.solve(products.reshape(n_knots, n_knots), remaining.T), slopes, total)

    def shifts(self, gaps: FloatArray) -> FloatArray:
        """Return the mean slope at each group of the spline through the cumulative sums of the gaps."""
        return np.asarray(self.slopes @ (self.solve @ (gaps / self.total)))


def _basis(knots: FloatArray, kind: Ends) -> CubicSpline:
    """Return the splines that are 1 at one knot and 0 at all others."""
    values = np.eye(knots.size)
    if kind != "parabolic":
        return CubicSpline(knots, values, bc_type="natural" if kind == "natural" else "not-a-knot")
    inner = knots[[1, -2]]  # of a parabola the second derivative is there what it is at the end
    free = CubicSpline(knots, values, bc_type="natural")(inner, 2)
    ends = CubicSpline(knots, np.zeros((knots.size, 2)), bc_type=((2, np.array([1.0, 0.0])), (2, np.array([0.0, 1.0]))))
    first, last = np.linalg.solve(np.eye(2) - ends(inner, 2), free)
    return CubicSpline(knots, values, bc_type=((2, first), (2, last)))


def _products(values: FloatArray) -> FloatArray:
    """Return the products of all pairs of columns, row by row, shape (m, M * M)."""
    return (values[:, :, None] * values[:, None, :]).reshape(values.shape[0], -1)


def _means(f: Callable[[FloatArray], FloatArray], degree: int, ends: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the means between neighbouring ends of functions that are polynomials between the knots.

    They come from Gauss-Legendre quadrature of the pieces between ends and knots, which is exact for the degree. A
    group whose share is rounded to nothing has the value at its end.
    """
    nodes = np.unique(np.concatenate((ends, knots[1:-1])))
    left, widths = nodes[:-1], np.diff(nodes)
    points, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    pieces = sum(weight * f(left + point * widths) for point, weight in zip((points + 1) / 2, weights / 2, strict=True))
    group = np.searchsorted(ends, left, side="right") - 1
    first = np.flatnonzero(np.diff(group, prepend=-1))
    if first.size == ends.size - 1 == left.size:
        return np.asarray(pieces)
    means = f(ends[1:])
    widths = widths[:, None]
    means[group[first]] = np.add.reduceat(widths * pieces, first) / np.add.reduceat(widths, first)
    return np.asarray(means)
