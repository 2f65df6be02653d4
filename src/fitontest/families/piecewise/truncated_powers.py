"""Least squares by polynomials between knots, from moments of the scores: many choices of knots at once.

Scores are moved and scaled to [0, 1], and knots are places there. With t_0 = 0 and t_1 <= ... <= t_(b-1) the knots,
the columns are 1 and max(x - t_k, 0)^d for d = 1, ..., degree. Products of two columns are sums over the scores beyond
the later knot, which moments about that knot give:

    sum (x - t_j)^a (x - t_l)^c = sum_k C(a, k) (t_l - t_j)^(a - k) m_(k + c)(t_l),   m_r(t) = sum_(x > t) w (x - t)^r

Moments about a knot come from those about 0, or of a knot in the upper half about 1: scores may crowd below the largest
one, and there differences of moments about 0 would be nothing but rounding.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from fitontest.data.ordering import DistinctScores
from fitontest.results.typing import FloatArray, IntArray

HALF = 0.5
ROUNDING = 1e-9  # of a mean square
RIDGE = 1e-10  # of the diagonal: knots may lie together, or beyond all scores but one


@dataclass(frozen=True, eq=False)
class TruncatedPowers:
    """The sums of squares as a function of the knots.

    Attributes
    ----------
    x : array of shape (G,)
        Increasing scores, moved and scaled to [0, 1].
    w, wy : array of shape (G,)
        Weights of all rows and of the positive ones, as shares of all weight.
    moments : array of shape (2, 2 * degree + 1, G + 1)
        Sums of w x^r, and of w (x - 1)^r, over the scores from each place on.
    labelled : array of shape (2, degree + 1, G + 1)
        The same with w y.
    squares : float
        Sum of w y^2.
    degree : int
    """

    x: FloatArray
    w: FloatArray
    wy: FloatArray
    moments: FloatArray
    labelled: FloatArray
    squares: float
    degree: int

    @classmethod
    def of(cls, distinct: DistinctScores, degree: int) -> "TruncatedPowers":
        """Return those of labels 0 and 1 at two distinct scores or more; sums are shares of all weight.

        Parameters
        ----------
        distinct : DistinctScores
        degree : int
        """
        total = distinct.w.sum()
        w, wy = distinct.w / total, distinct.wy / total
        low, high = float(distinct.p[0]), float(distinct.p[-1])
        x, below_one = (distinct.p - low) / (high - low), (distinct.p - high) / (high - low)
        powers = np.stack([x, below_one])[:, None] ** np.arange(2 * degree + 1)[:, None]
        moments, labelled = _from_each(powers * w), _from_each(powers[:, : degree + 1] * wy)
        return cls(x, w, wy, moments, labelled, float(wy.sum()), degree)

    def losses(self, knots: FloatArray) -> FloatArray:
        """Return the mean squares of the residuals, for candidates in columns.

        Parameters
        ----------
        knots : array of shape (b - 1, S) or (b - 1,)
        """
        candidates = np.atleast_2d(knots.T)
        products, labels = self._equations(np.sort(candidates, axis=1))
        try:
            solved = np.linalg.solve(products, labels[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:  # knots beyond all scores but one, to the last digit
            solved = np.einsum("smk,sk->sm", np.linalg.pinv(products, hermitian=True), labels)
        losses = self.squares - np.einsum("sm,sm->s", solved, labels)
        impossible = ~(losses >= self._least - ROUNDING)  # of equations that rounding has made indefinite
        losses[impossible] = self.squares
        return np.asarray(losses if knots.ndim == 2 else losses[0])

    def coefficients(self, knots: FloatArray) -> FloatArray:
        """Return the coefficients of the columns for sorted inner knots, shape (1 + b * degree,).

        They are of the scores themselves, not of their moments: no rounding makes them worse than a constant.

        Parameters
        ----------
        knots : array of shape (b - 1,)
        """
        beyond = np.maximum(self.x[:, None] - np.append(0.0, knots), 0.0)
        columns = np.concatenate([beyond[:, :, None] ** (d + 1) for d in range(self.degree)], axis=2)
        design = np.column_stack([np.ones(self.x.size), columns.reshape(self.x.size, -1)])
        root = np.sqrt(self.w)
        size = np.linalg.norm(design * root[:, None], axis=0)
        size[size == 0.0] = 1.0
        return np.asarray(np.linalg.lstsq(design * (root[:, None] / size), root * self._mean)[0] / size)

    @cached_property
    def _mean(self) -> FloatArray:
        """The mean label of each score."""
        return np.divide(self.wy, self.w, out=np.zeros_like(self.w), where=self.w > 0)

    @cached_property
    def _least(self) -> float:
        """The mean squares that any function of the score leaves."""
        return float(self.squares - self.wy @ self._mean)

    def curve(self, knots: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the values at the smallest score, the knots and the largest, and the slopes at the ends of each piece.

        Slopes are times the width of the piece.

        Parameters
        ----------
        knots : array of shape (b - 1,)
            Increasing.
        coefficients : array of shape (1 + b * degree,)
        """
        t = np.concatenate(([0.0], knots, [1.0]))
        away = np.maximum(t[:, None] - t[:-1], 0.0)
        each = coefficients[1:].reshape(-1, self.degree)
        values = coefficients[0] + sum(away ** (d + 1) @ each[:, d] for d in range(self.degree))
        width = np.diff(t)
        reached = np.tril(np.ones((width.size, width.size)))  # pieces up to each one have begun
        left, right = (
            sum((d + 1) * (reached * (t[ends, None] - t[:-1]) ** d) @ each[:, d] for d in range(self.degree))
            for ends in (np.arange(width.size), np.arange(1, width.size + 1))
        )
        return np.asarray(values), np.asarray(left * width), np.asarray(right * width)

    def _equations(self, knots: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the products of all columns, shape (S, m, m), and with the labels, shape (S, m)."""
        S, degree = knots.shape[0], self.degree
        t = np.concatenate((np.zeros((S, 1)), knots), axis=1)
        place = np.searchsorted(self.x, t, side="right")
        place[:, 0] = 0  # the smallest score lies at the first knot
        about, labelled = (_about(sums, place, t) for sums in (self.moments, self.labelled))
        m = 1 + t.shape[1] * degree
        products, labels = np.empty((S, m, m)), np.empty((S, m))
        products[:, 0, 0], labels[:, 0] = self.moments[0, 0, 0], self.labelled[0, 0, 0]
        for later in range(t.shape[1]):
            for c in range(1, degree + 1):
                column = 1 + later * degree + c - 1
                labels[:, column] = labelled[c][:, later]
                products[:, column, 0] = products[:, 0, column] = about[c][:, later]
                for earlier in range(later + 1):
                    apart = t[:, later] - t[:, earlier]
                    for a in range(1, degree + 1):
                        row = 1 + earlier * degree + a - 1
                        both = sum(comb(a, k) * apart ** (a - k) * about[k + c][:, later] for k in range(a + 1))
                        products[:, row, column] = products[:, column, row] = both
        at = np.arange(m)
        products[:, at, at] *= 1.0 + RIDGE
        products[:, at, at] += np.finfo(float).tiny ** 0.5
        return products, labels


def _from_each(values: FloatArray) -> FloatArray:
    """Return the sums from each place on, along the last axis; 0 from behind the last."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    sums[..., :-1] = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
    return sums


def _about(raw: FloatArray, place: IntArray, t: FloatArray) -> list[FloatArray]:
    """Return moments about t of what lies beyond it, by the binomial theorem; each of shape (S, b)."""
    upper = t > HALF
    origin = np.where(upper, t - 1.0, t)
    beyond = [np.where(upper, about_one[place], about_zero[place]) for about_zero, about_one in zip(*raw, strict=True)]
    return [sum(comb(r, k) * (-origin) ** (r - k) * beyond[k] for k in range(r + 1)) for r in range(len(beyond))]
