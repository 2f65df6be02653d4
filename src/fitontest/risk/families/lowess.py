"""Lowess: lines fitted to the nearest rows, as R's ``lowess(p, y, iter = 0)`` has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.families.nearest_rows import ScoresOfRows
from fitontest.families.registry import register
from fitontest.maps.base import CalibrationMap
from fitontest.maps.knots import KnotsMap
from fitontest.results.checks import brief, is_real
from fitontest.results.typing import FloatArray, IntArray
from fitontest.risk.families.local_regression import Block, LocalFamily, LocalRegression, hats

FULL, NONE = 0.001, 0.999  # shares of the reach: nearer rows have the weight 1, farther ones none
FLAT = 0.001  # spread of the rows, as a share of the range of the scores, up to which no slope is fitted
FUZZ = 1e-7  # of the number of rows, before it is rounded down
BLOCK = 32_768  # numbers in a temporary, which stays in the cache


@register("lowess")
@dataclass(eq=False, repr=False)
class Lowess(LocalFamily):
    """Fit a smooth calibration map by straight lines through the nearest rows (lowess), as val.prob of R draws it.

    c_hat(x) is at x the line that minimises sum_i w_i K_i (y_i - a - b p_i)^2, K_i = (1 - (|p_i - x| / h)^3)^3.

    h is the distance from x to the k-th nearest row, k = floor(span n), at least 2. Rows within h / 1000 have K = 1,
    those beyond .999 h none; where the rows' standard deviation is at most 1/1000 of the range of all scores, the line
    is level. Lines are fitted at the lowest score and then at the last score within `delta` of the place before, or at
    the next one where there is none. c_hat is straight between these places, and constant beyond the scores.

    It is ``lowess(p, y, f = span, delta = delta * range, iter = 0)`` of R, which R's val.prob plots and computes Eavg,
    E90 and Emax of. With its default, ``iter = 3``, R weighs down rows far from the curve: of labels 0 and 1 these
    are those of the rarer one, so that the curve is wrong. Nothing of the kind is here.

    Parameters
    ----------
    span : float, default=2/3
        Share of the rows that a line is fitted to, in (0, 1].
    delta : float, default=0.01
        Least distance between places, as a share of the range of the scores, in [0, 1]. With 0 a line is fitted at
        every score, which takes time that grows with the square of their number.

    Attributes
    ----------
    map_ : KnotsMap
        Neither monotone nor within [0, 1] in general. (A constant BinnedMap where there is one distinct score, or one
        label.)
    degrees_of_freedom_ : float
        The sum over the rows of what each counts in its own value: the trace of the smoother.

    Raises
    ------
    ValueError
        At ``fit``, a `span` outside (0, 1] or a `delta` outside [0, 1].

    Notes
    -----
    Lines may leave [0, 1]. ``predict`` and the plug-in error take the values as they are, as R does; ``transform``,
    ``predict_proba`` and SQL clip them. The family is a default evaluator, but no default calibrator.

    Weights that count rows are rows, and the values are those of repeated rows to 1e-12. Other weights are importances:
    n is their effective number of rows, and the k nearest are those of k / n of all weight.

    At the scores of the data the values are those of R to 1e-12. R fits a line at every copy of a score; here one is
    fitted at each score, which is the same.

    References
    ----------
    Cleveland (1979), Robust locally weighted regression and smoothing scatterplots, Journal of the American Statistical
    Association 74. https://doi.org/10.1080/01621459.1979.10481038
    Harrell (2015), Regression modeling strategies, 2nd edition (val.prob). https://doi.org/10.1007/978-3-319-19425-7

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> y = rng.random(5000) < p**2
    >>> fot.risk.Lowess().fit(p, y).predict([0.3, 0.5, 0.7]).round(2)
    array([0.11, 0.28, 0.52])
    """

    span: float = 2 / 3
    delta: float = 0.01

    def _check(self) -> None:
        """Raise ValueError for a setting that is none."""
        if not (is_real(self.span) and 0 < self.span <= 1):
            raise ValueError(f"span must be a number in (0, 1], got {brief(self.span)}")
        if not (is_real(self.delta) and 0 <= self.delta <= 1):
            raise ValueError(f"delta must be a share of the range of the scores in [0, 1], got {brief(self.delta)}")

    def _regression(self, rows: ScoresOfRows) -> LocalRegression:
        """Return the lines at the places that the scores have."""
        nearest = min(max(2.0, np.floor(self.span * rows.n + FUZZ)), rows.n)
        return _Lines(rows, nearest, _places(rows.p, self.delta * float(rows.p[-1] - rows.p[0])))


def _places(p: FloatArray, delta: float) -> IntArray:
    """Return which of the scores have a line of their own."""
    places = [0]
    while places[-1] < p.size - 1:
        last = int(np.searchsorted(p, p[places[-1]] + delta, side="right")) - 1
        places.append(max(places[-1] + 1, last))
    return np.array(places, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class _Lines(LocalRegression):
    """Lines through the `nearest` rows of some of the scores; the parameters are their values there."""

    rows: ScoresOfRows
    nearest: float
    places: IntArray

    @property
    def n_parameters(self) -> int:  # type: ignore[override]
        """How many lines there are."""
        return self.places.size

    @cached_property
    def x(self) -> FloatArray:
        """The places of the lines."""
        return self.rows.p[self.places]

    def blocks(self) -> Iterator[Block]:
        """Yield the weights of the labels in the values of the lines."""
        p, x = self.rows.p, self.x
        h = self.rows.radii(self.nearest, x)
        first, stop = np.searchsorted(p, x - h, side="left"), np.searchsorted(p, x + h, side="right")
        start = 0
        while start < x.size:
            size = max(1, BLOCK // max(int(stop[start] - first[start]), 1))
            lines = slice(start, min(start + size, x.size))
            scores = slice(max(int(first[lines].min()) - 1, 0), int(stop[lines].max()) + 1)  # sums x +- h are rounded
            yield Block(lines, scores, self._weights(x[lines, None], h[lines, None], scores))
            start = lines.stop

    def _weights(self, x: FloatArray, h: FloatArray, scores: slice) -> FloatArray:
        """Return what the labels count at places x of reach h, shapes (m, 1)."""
        p, span = self.rows.p[scores], self.rows.p[-1] - self.rows.p[0]
        along = p - x
        distance = np.abs(along)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # a reach of 0: its rows have the weight 1
            share = distance / h
            cube = 1.0 - share * share * share
            weights = cube * cube * cube
        weights[distance > NONE * h] = 0.0
        weights[distance <= FULL * h] = 1.0
        weights /= np.einsum("ij,j->i", weights, self.rows.w[scores])[:, None]
        masses = weights * self.rows.w[scores]
        along /= span
        mean = np.einsum("ij,ij->i", masses, along)
        along -= mean[:, None]
        variance = np.einsum("ij,ij,ij->i", masses, along, along)
        slope = np.zeros_like(mean)
        np.divide(-mean, variance, out=slope, where=(np.sqrt(variance) > FLAT) & (h[:, 0] > 0.0))
        along *= slope[:, None]
        along += 1.0
        weights *= along
        return weights

    def basis(self, scores: FloatArray) -> Any:
        """Return the hats of the lines' places: straight between them, constant beyond."""
        return hats(self.x, scores)

    def to_map(self, theta: FloatArray) -> CalibrationMap:
        """Return the polygon through the values."""
        return KnotsMap(self.x, theta, unbounded=True)
