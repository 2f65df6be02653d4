"""Loess: parabolas fitted to the nearest rows at a few vertices, as R's ``loess(y ~ p)`` has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fitontest.families.nearest_rows import ScoresOfRows
from fitontest.families.registry import register
from fitontest.maps.base import CalibrationMap
from fitontest.maps.hermite import HermiteMap
from fitontest.maps.knots import KnotsMap
from fitontest.numerics.sums import dot
from fitontest.results.checks import brief, choose, is_real, is_whole
from fitontest.results.typing import FloatArray, IntArray
from fitontest.risk.families.local_regression import Block, LocalFamily, LocalRegression, csr, hats

CELL = 0.2  # of the span: share of the rows up to which a cell is not cut
MARGIN = 0.005  # of the range of the scores, by which the outer vertices are beyond them
FUZZ = 1e-5  # of the number of rows, before it is rounded down
SINGULAR = 100 * np.finfo(float).eps  # a singular value of columns of norm 1 that is taken for 0
SHORTEST = np.finfo(float).tiny  # reach that is not taken for 0: 1 divided by less overflows


@register("loess")
@dataclass(eq=False, repr=False)
class Loess(LocalFamily):
    """Fit a smooth calibration map by parabolas through the nearest rows (loess), as clinical reports compute the ICI.

    c_hat(x) is at x the parabola that minimises sum_i w_i K_i (y_i - a - b (p_i - x) - c (p_i - x)^2)^2.

    K_i = (1 - (|p_i - x| / h)^3)^3 for the rows nearer than h, else 0, with h the distance from x to the q-th nearest
    row, q = floor(span n). With ``surface="interpolate"`` the parabolas are fitted at 8 to 10 vertices, and c_hat
    between two of them is the cubic polynomial with their values and slopes. The outer vertices are 0.5 % of the range
    beyond the scores; from there cells of more than span / 5 of the rows are cut at their median score. With
    ``surface="direct"`` there is a parabola at every score, and c_hat is straight between these.

    It is ``loess(y ~ p, span, degree)`` of R, of which the integrated calibration index (ICI), E50, E90 and Emax are
    computed, and which the R packages CalibrationCurves and pmcalibration draw.

    Parameters
    ----------
    span : float, default=0.75
        Share of the rows that a parabola is fitted to, in (0, 1].
    degree : {1, 2}, default=2
        Degree of the polynomials: lines or parabolas.
    surface : {"interpolate", "direct"}, default="interpolate"
        Where they are fitted. "direct" takes time that grows with the square of the number of scores.

    Attributes
    ----------
    map_ : HermiteMap or KnotsMap
        With ``surface="interpolate"`` and with "direct". Neither monotone nor within [0, 1] in general; constant beyond
        the scores. (A constant BinnedMap where there is one distinct score, or one label.)
    degrees_of_freedom_ : float
        The sum over the rows of what each counts in its own value: the trace of the smoother.

    Raises
    ------
    ValueError
        At ``fit``, a `span` outside (0, 1], another `degree` or `surface`.

    Notes
    -----
    Parabolas may leave [0, 1]. ``predict`` and the plug-in error take the values as they are, as R does; ``transform``,
    ``predict_proba`` and SQL clip them. The family is a default evaluator, but no default calibrator.

    A parabola at an outer vertex goes beyond the scores that it is fitted to. Where these differ in their seventh
    digit, as behind a calibrator that is sure of most rows, it may be anything there, and with it c_hat between the
    vertices; an error says so in a note. ``surface="direct"`` has no vertices beside the scores.

    Weights that count rows are rows, and the values are those of repeated rows to 1e-12. Other weights are importances:
    n is their effective number of rows, the nearest are those of q / n of all weight, and cells are cut where n rows of
    equal weight, at the middles of as many equal shares, would have them cut.

    At the scores of the data the values are those of R to 1e-12. Deviations: R gives no value beyond the scores; it
    refuses where h = 0, since q rows share the score x, and here the value is their mean label and the slope 0, the
    limit of small h; it refuses where q is below `degree` + 1, and here that many rows are taken, or all. Where the
    rows nearer than h have too few scores for a polynomial, R warns of a pseudo-inverse, which does not leave constant
    labels constant; here the pseudo-inverse is that of the columns less their means, which does.

    References
    ----------
    Cleveland, Grosse (1991), Computational methods for local regression, Statistics and Computing 1.
    https://doi.org/10.1007/BF01890836
    Austin, Steyerberg (2019), The Integrated Calibration Index (ICI) and related metrics for quantifying the
    calibration of logistic regression models, Statistics in Medicine 38. https://doi.org/10.1002/sim.8281

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> y = rng.random(5000) < p**2
    >>> fot.risk.Loess().fit(p, y).predict([0.3, 0.5, 0.7]).round(2)
    array([0.09, 0.27, 0.5 ])
    """

    span: float = 0.75
    degree: Literal[1, 2] = 2
    surface: Literal["interpolate", "direct"] = "interpolate"

    def _check(self) -> None:
        """Raise ValueError for a setting that is none."""
        if not (is_real(self.span) and 0 < self.span <= 1):
            raise ValueError(f"span must be a number in (0, 1], got {brief(self.span)}")
        if not is_whole(self.degree) or self.degree not in (1, 2):
            raise ValueError(f"degree must be 1 or 2, got {brief(self.degree)}")
        choose(self.surface, ("interpolate", "direct"), "surface")

    def _regression(self, rows: ScoresOfRows) -> LocalRegression:
        """Return the polynomials at the vertices that the scores have."""
        nearest = min(max(self.degree + 1.0, np.floor(self.span * rows.n + FUZZ)), rows.n)
        if self.surface == "direct":
            return _Direct(rows, nearest, self.degree)
        return _Interpolated(rows, nearest, self.degree, vertices(rows, self.span * CELL))


def vertices(rows: ScoresOfRows, share: float) -> FloatArray:
    """Return the places at which cells of more than a share of the rows are cut, and the ends of the first cell.

    A cell is cut at the row in its middle, or at the nearest one whose right neighbour has another score; if there is
    none, at the middle row itself. It stays whole where that is an end of the cell.

    Parameters
    ----------
    rows : ScoresOfRows
        Of at least two distinct scores.
    share : float
        Of the rows, that a cell may hold.

    Returns
    -------
    array of shape (V,)
        Strictly increasing; the first is below all scores and the last above.
    """
    p = rows.p
    ends, n = rows.score_of_rows()
    margin = MARGIN * float(p[-1] - p[0])
    outer = float(p[0] - margin), float(p[-1] + margin)
    few = np.floor(n * share)
    cells = [(1, n, *outer)]
    cuts = []
    while cells:
        first, last, low, high = cells.pop()
        if last - first + 1 <= few:
            continue
        row = _row_of_cut(ends, first, last)
        at = float(p[np.searchsorted(ends, row)])
        if at in (low, high):
            continue
        cuts.append(at)
        cells += [(first, row, low, at), (row + 1, last, at, high)]
    return np.unique([*outer, *cuts])


def _row_of_cut(ends: IntArray, first: int, last: int) -> int:
    """Return the row at which the cell of the rows first..last is cut: the last one of its score, near the middle.

    R tries the rows m, m + 1, m - 1, m + 2, ... from the middle one on, until one has a right neighbour of another
    score, and gives up at the first that has no right neighbour in the cell: then it is the middle row.
    """
    middle = (first + last) // 2
    at = int(np.searchsorted(ends, middle))
    above, below = int(ends[at]), int(ends[at - 1]) if at > 0 else 0
    tried = last - 1 - middle  # at most so far from the middle
    near = [row for row in (above, below) if abs(row - middle) <= tried]
    return min(near, key=lambda row: abs(row - middle), default=middle)  # of two as near the first, the upper one


@dataclass(frozen=True, eq=False)
class _Interpolated(LocalRegression):
    """Polynomials at vertices; the parameters are their values there and then their slopes, in units of the reach."""

    rows: ScoresOfRows
    nearest: float
    degree: int
    x: FloatArray

    @property
    def n_parameters(self) -> int:  # type: ignore[override]
        """A value and a slope for each vertex."""
        return 2 * self.x.size

    @cached_property
    def reach(self) -> FloatArray:
        """The distance from each vertex to the farthest of its nearest rows."""
        return self.rows.radii(self.nearest, self.x)

    def blocks(self) -> Iterator[Block]:
        """Yield the weights of the labels in the value and the slope at each vertex."""
        for vertex, (x, h) in enumerate(zip(self.x.tolist(), self.reach.tolist(), strict=True)):
            scores, weights = polynomial(self.rows, x, h, self.degree)
            yield Block(slice(vertex, None, self.x.size), scores, weights)

    def basis(self, scores: FloatArray) -> Any:
        """Return what values and slopes of the vertices around each score count."""
        p = np.clip(scores, self.rows.p[0], self.rows.p[-1])
        left = np.clip(np.searchsorted(self.x, p, side="right") - 1, 0, self.x.size - 2)
        widths = np.diff(self.x)
        t = (p - self.x[left]) / widths[left]
        values = (1.0 - t) ** 2 * (1.0 + 2.0 * t), t**2 * (3.0 - 2.0 * t)
        lower, upper = self._rises
        slopes = t * (1.0 - t) ** 2 * lower[left], -(t**2) * (1.0 - t) * upper[left]
        columns = left, left + 1, self.x.size + left, self.x.size + left + 1
        return csr(np.stack((*values, *slopes), axis=1), np.stack(columns, axis=1), self.n_parameters)

    @cached_property
    def _rises(self) -> tuple[FloatArray, FloatArray]:
        """Width of each piece in reaches of its lower and of its upper vertex: slopes times these are rises."""
        widths = np.diff(self.x)
        level = self.reach < SHORTEST
        reach = np.where(level, 1.0, self.reach)
        lower, upper = widths / reach[:-1], widths / reach[1:]
        return np.where(level[:-1], 0.0, lower), np.where(level[1:], 0.0, upper)

    def to_map(self, theta: FloatArray) -> CalibrationMap:
        """Return the cubic pieces from the lowest score to the highest."""
        low, high = self.rows.p[0], self.rows.p[-1]
        start, end = np.maximum(self.x[:-1], low), np.minimum(self.x[1:], high)
        kept = np.flatnonzero(start < end)
        start, end = start[kept], end[kept]
        c, slopes = theta[: self.x.size], theta[self.x.size :]
        lower, upper = self._rises
        ends = c[kept], c[kept + 1], slopes[kept] * lower[kept], slopes[kept + 1] * upper[kept]
        width = np.diff(self.x)[kept]
        first, last = (start - self.x[kept]) / width, (end - self.x[kept]) / width
        knots, values = np.append(start, end[-1:]), np.append(_cubic(first, *ends), _cubic(last, *ends)[-1:])
        left, right = (_slopes(t, *ends) * ((end - start) / width) for t in (first, last))
        return HermiteMap(knots, values, left, right)


@dataclass(frozen=True, eq=False)
class _Direct(LocalRegression):
    """A polynomial at every score; the parameters are their values there."""

    rows: ScoresOfRows
    nearest: float
    degree: int

    @property
    def n_parameters(self) -> int:  # type: ignore[override]
        """A value for each score."""
        return self.rows.p.size

    def blocks(self) -> Iterator[Block]:
        """Yield the weights of the labels in the value at each score."""
        reach = self.rows.radii(self.nearest, self.rows.p)
        for place, (x, h) in enumerate(zip(self.rows.p.tolist(), reach.tolist(), strict=True)):
            scores, weights = polynomial(self.rows, x, h, self.degree)
            yield Block(slice(place, place + 1), scores, weights[:1])

    def basis(self, scores: FloatArray) -> Any:
        """Return the hats of the scores."""
        return hats(self.rows.p, scores)

    def to_map(self, theta: FloatArray) -> CalibrationMap:
        """Return the polygon through the values."""
        return KnotsMap(self.rows.p, theta, unbounded=True)


def polynomial(rows: ScoresOfRows, x: float, h: float, degree: int) -> tuple[slice, FloatArray]:
    """Return what labels count in the polynomial around x: in its value, and in its slope times h.

    Parameters
    ----------
    rows : ScoresOfRows
    x : float
        The place.
    h : float
        Rows nearer than h count. If there are none, those at the distance h do: their mean label is the value, and the
        slope is 0.
    degree : int
        Of the polynomial.

    Returns
    -------
    scores : slice
        The distinct scores that count.
    weights : array of shape (2, scores)
        Per weight of the positives.
    """
    first, stop = np.searchsorted(rows.p, x - h, side="left"), np.searchsorted(rows.p, x + h, side="right")
    scores = slice(max(int(first) - 1, 0), int(stop) + 1)  # the sums x - h and x + h are rounded
    u, w = rows.p[scores] - x, rows.w[scores]
    distance = np.abs(u)
    inside = distance < h
    if not inside.any():
        level = (distance <= h) / (w @ (distance <= h))
        return scores, np.stack((level, np.zeros_like(level)))
    u *= inside
    u /= h
    squares = u * u
    masses = 1.0 - np.abs(u) * squares
    masses *= masses * masses * inside * w
    masses /= masses.sum()
    powers = np.stack((u, squares)[:degree])
    norms = np.sqrt(np.einsum("ij,ij,j->i", powers, powers, masses))
    norms[norms == 0.0] = 1.0
    means = np.einsum("ij,j->i", powers, masses)
    root = np.sqrt(masses)
    powers -= means[:, None]
    powers *= root
    powers /= norms[:, None]
    q, r = _orthonormal(powers)
    left, sizes, right = np.linalg.svd(r)
    inverse = np.where(sizes > SINGULAR, 1.0 / np.maximum(sizes, SINGULAR), 0.0)
    slopes = np.einsum("ij,jk->ik", (right.T * inverse) @ left.T / norms[:, None], q)
    slopes *= root
    weights = np.stack((masses - np.einsum("i,ij->j", means, slopes), slopes[0]))
    weights /= w
    return scores, weights


def _orthonormal(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal rows q and the triangle r with rows = r.T q; a row that depends on those before is 0 in q.

    It is the method of Gram and Schmidt, twice over, by which rounding leaves nothing of the rows before.
    """
    q, r = np.zeros_like(rows), np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        left = row.copy()
        for _ in range(2):
            for j in range(i):
                part = dot(q[j], left)
                r[j, i] += part
                left -= part * q[j]
        size = np.sqrt(dot(left, left))
        if size > SINGULAR:
            r[i, i] = size
            np.divide(left, size, out=q[i])
    return q, r


def _cubic(t: FloatArray, low: FloatArray, high: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the cubic polynomials with these values and derivatives at 0 and 1."""
    values = low * ((1.0 - t) ** 2 * (1.0 + 2.0 * t)) + high * (t**2 * (3.0 - 2.0 * t))
    return np.asarray(values + left * (t * (1.0 - t) ** 2) - right * (t**2 * (1.0 - t)))


def _slopes(t: FloatArray, low: FloatArray, high: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return their derivatives."""
    ends = left * (1.0 - t) * (1.0 - 3.0 * t) + right * t * (3.0 * t - 2.0)
    return np.asarray(ends + 6.0 * (high - low) * t * (1.0 - t))
