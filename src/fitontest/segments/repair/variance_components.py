"""Logistic regression with random effects of many columns, whose variances are learnt from the same rows.

The logit is a + b x + sum_c u_{c, level}, with u_c of variance tau_c^2: maximum likelihood with the penalty
sum_c |u_c|^2 / (2 tau_c^2), and tau_c^2 at rest under the generalized Fellner-Schall step

    tau_c^2 <- |u_c|^2 / (k_c - tr(H^-1)_cc / tau_c^2),

where H is the Hessian with the penalty, and k_c the number of levels. Within a Newton step, that is for weights
v = w q (1 - q) held fixed, all tau are brought to rest before the next one: the inverse of H is cheap beside its sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dtrtri

from fitontest.numerics.adjusting import mean_and_spread
from fitontest.numerics.links import sigmoid
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.levels import NO_LEVEL

MOST_STEPS = 60  # of Newton
MOST_ROUNDS = 200  # of the variances, within a step
SETTLED = 1e-6  # of a step, in logits
AT_REST = 1e-6  # relative, of a variance
HASTE = 0.1  # relative change of a variance that is left for the next step, for each logit of the last one
LARGEST = 100.0  # variance: offsets of 10 logits
VANISHED = 0.02  # parameters' worth of a column, below which one that shrinks is dropped
LONGEST = 3.0  # step, in logits
SPECK = 1e-30  # of a variance, below which it is 0
FASTEST, SLOWEST = 4.0, 0.5  # powers of a Fellner-Schall step
ROWS = 4096  # of a block of the dense design
MOST_KEPT = 2**21  # values of the dense design that are kept between steps
MANY = 8  # levels of a column, on average, beyond which pairs of levels are counted
STALE = 0.003  # change of a logit, from which on the Hessian is summed anew
RIDGE = 1.0  # of intercept and slope, towards 0 and 1, in rows' worth of information


@dataclass(frozen=True, eq=False)
class Effects:
    """What was fitted.

    Attributes
    ----------
    intercept, slope : float
    offsets : list of arrays
        Of the levels of each column; zeros of a column that vanished.
    variances : array of shape (c,)
        tau^2 of each column, 0 where it vanished.
    """

    intercept: float
    slope: float
    offsets: list[FloatArray]
    variances: FloatArray


@dataclass(frozen=True, eq=False)
class LevelDesign:
    """The columns 1, x, and an indicator of each level.

    Attributes
    ----------
    x : array of shape (n,)
    codes : int array of shape (n, c)
        The level of each row in each column, -1 for none.
    sizes : int array of shape (c,)
        Levels of each column.
    """

    x: FloatArray
    codes: IntArray
    sizes: IntArray

    @cached_property
    def starts(self) -> IntArray:
        """The place of the first level of each column, and of the end."""
        return 2 + np.concatenate(([0], np.cumsum(self.sizes))).astype(np.intp)

    @cached_property
    def _places(self) -> IntArray:
        """The place of each level of the rows; one beyond the end for none."""
        return np.where(self.codes == NO_LEVEL, self.starts[-1], self.codes + self.starts[:-1])

    def gram(self, v: FloatArray) -> FloatArray:
        """Return the sums of products of the columns, weighted by v."""
        if int(self.starts[-1]) > MANY * self.sizes.size:
            return self._gram_of_pairs(v)
        total = np.zeros((int(self.starts[-1]),) * 2)
        root = np.sqrt(v)[:, None]
        for start in range(0, v.size, ROWS):
            rows = slice(start, start + ROWS)
            total += dsyrk(1.0, (self._dense(rows) * root[rows]).T)  # the upper half, at half the cost
        return total + np.triu(total, 1).T

    def _gram_of_pairs(self, v: FloatArray) -> FloatArray:
        """Return the same by counting: of many levels most products are 0."""
        total = np.zeros((int(self.starts[-1]),) * 2)
        total[0], total[1] = self.sums(v), self.sums(v * self.x)
        code = np.where(self.codes == NO_LEVEL, self.sizes, self.codes)
        for one in range(self.sizes.size):
            rows = slice(self.starts[one], self.starts[one + 1])
            total[rows, rows] = np.diag(total[0, rows])
            for other in range(one + 1, self.sizes.size):
                wide = int(self.sizes[other]) + 1
                pair = np.bincount(code[:, one] * wide + code[:, other], v, (int(self.sizes[one]) + 1) * wide)
                columns = slice(self.starts[other], self.starts[other + 1])
                total[rows, columns] = pair.reshape(-1, wide)[:-1, :-1]
        return np.asarray(np.triu(total) + np.triu(total, 1).T)

    def _dense(self, rows: slice) -> FloatArray:
        """Return a block of rows of the design, shape (m, 2 + levels)."""
        if rows.start in self._blocks:
            return self._blocks[rows.start]
        places = self._places[rows]
        block = np.zeros((places.shape[0], int(self.starts[-1]) + 1))
        block[np.arange(places.shape[0])[:, None], places] = 1.0
        block[:, 0], block[:, 1] = 1.0, self.x[rows]
        if self.x.size * block.shape[1] <= MOST_KEPT:
            self._blocks[rows.start] = block[:, :-1]
        return block[:, :-1]

    @cached_property
    def _blocks(self) -> dict[int, FloatArray]:
        return {}

    def sums(self, r: FloatArray) -> FloatArray:
        """Return the sums of r over the columns."""
        each = np.bincount(self._places.ravel(), np.repeat(r, self.sizes.size), int(self.starts[-1]) + 1)[:-1]
        each[0], each[1] = r.sum(), r @ self.x
        return np.asarray(each, dtype=np.float64)

    def predict(self, theta: FloatArray) -> FloatArray:
        """Return the linear predictor of the rows."""
        effects = np.append(theta, 0.0)[self._places].sum(axis=1)
        return np.asarray(theta[0] + theta[1] * self.x + effects)


def fit_effects(
    x: FloatArray, codes: Sequence[IntArray], sizes: Sequence[int], y: FloatArray, w: FloatArray
) -> Effects:
    """Return the effects of all levels and the variances of all columns.

    Parameters
    ----------
    x : array of shape (n,)
        Logits of the scores.
    codes : sequence of int arrays of shape (n,)
        The level of each row in each column, -1 for none.
    sizes : sequence of int
        Levels of each column.
    y, w : arrays of shape (n,)
        Labels 0 and 1, and weights in units of one row.
    """
    mean, spread = mean_and_spread(x, w)
    table = np.stack(codes, axis=1) if codes else np.empty((x.size, 0), dtype=np.intp)
    design = LevelDesign((x - mean) / spread, table, np.array(sizes, dtype=np.intp))
    with one_blas_thread():
        theta, variances = _Fit(design, y, w, np.array([mean, spread])).solve()
    slope = float(theta[1]) / spread
    offsets = [theta[a:b] for a, b in zip(design.starts[:-1], design.starts[1:], strict=True)]
    return Effects(float(theta[0]) - slope * mean, slope, offsets, variances)


class _Fit:
    """The Newton steps, and the rounds of the variances within each.

    Parameters
    ----------
    design : LevelDesign
        With x standardised.
    y, w : arrays of shape (n,)
    line : array of shape (2,)
        Intercept and slope that change nothing.
    """

    def __init__(self, design: LevelDesign, y: FloatArray, w: FloatArray, line: FloatArray) -> None:
        self.design, self.y, self.w = design, y, w
        size = int(design.starts[-1])
        self.centre = np.zeros(size)  # what the penalty draws to: the line that changes nothing, and no offsets
        self.centre[:2] = line
        self.column = np.repeat(np.arange(design.sizes.size), design.sizes)
        q = sigmoid(design.predict(self.centre))
        self.ridge = RIDGE * max(float(w @ (q * (1.0 - q))) / float(w.sum()), 1e-6)
        self.tau2 = np.ones(design.sizes.size)
        self.penalised = self.tau2  # the variances under which the last step was made
        self.power, self.last = np.ones(design.sizes.size), np.zeros(design.sizes.size)

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the design, and the variances of the columns."""
        theta = self.centre.copy()
        z = self.design.predict(theta)
        summed_at, longest = np.full(z.size, np.inf), 1.0
        for _ in range(MOST_STEPS):
            q = sigmoid(z)
            if np.abs(z - summed_at).max() > STALE:
                hessian, summed_at = self.design.gram(self.w * q * (1.0 - q)), z
            pull = hessian @ (theta - self.centre) + self.design.sums(self.w * (self.y - q))
            aim = self.centre + self._rest(hessian, pull, max(AT_REST, HASTE * longest))
            gone = np.append([False, False], self.penalised[self.column] == 0.0) & (theta != 0.0)
            if gone.any():
                theta = np.where(gone, 0.0, theta)
                z = self.design.predict(theta)
            ahead = self.design.predict(aim)
            longest = float(np.abs(ahead - z).max())
            length = self._shortened(theta, aim, z, ahead, min(1.0, LONGEST / max(longest, SETTLED)))
            theta, z = theta + length * (aim - theta), z + length * (ahead - z)
            if longest < SETTLED:
                break
        theta[2:][self.tau2[self.column] == 0.0] = 0.0
        return theta, self.tau2

    def _rest(self, hessian: FloatArray, pull: FloatArray, tolerance: float) -> FloatArray:
        """Bring the variances to rest for this Hessian, and return how far the penalised optimum is from the centre.

        A step of a variance is taken to a power, which grows while it goes on in one direction: alone it would take
        hundreds of rounds until a column without signal has vanished.
        """
        for _ in range(MOST_ROUNDS):
            kept = np.append([True, True], self.tau2[self.column] > 0.0)
            penalty = np.append([self.ridge, self.ridge], 1.0 / self.tau2[self.column][kept[2:]])
            step = np.zeros(self.centre.size)
            step[kept], diagonal = solved(hessian[np.ix_(kept, kept)] + np.diag(penalty), pull[kept])
            column = self.column[kept[2:]]
            if column.size == 0:
                break
            alive = self.tau2 > 0.0
            size = np.bincount(self.column, step[2:] ** 2, self.tau2.size)[alive]
            used = np.bincount(column, 1.0 - penalty[2:] * diagonal[2:], self.tau2.size)[alive]
            rest = np.clip(size / np.maximum(used, SPECK), SPECK, LARGEST)
            change = np.log(rest / self.tau2[alive])
            along = np.sign(change) == np.sign(self.last[alive])
            power = np.where(along, self.power[alive] * 1.5, self.power[alive] / 2.0).clip(SLOWEST, FASTEST)
            self.power[alive], self.last[alive] = power, change
            self.penalised = self.tau2.copy()
            moved = np.minimum(self.tau2[alive] * np.exp(np.clip(power * change, -5.0, 5.0)), LARGEST)
            self.tau2[alive] = np.where((used < VANISHED) & (change < 0.0), 0.0, moved)
            if np.all(np.abs(change) < tolerance):
                break
        return step

    def _shortened(self, theta: FloatArray, aim: FloatArray, z: FloatArray, ahead: FloatArray, length: float) -> float:
        """Return the length, halved until the penalised loss does not rise."""
        before = self._loss(theta, z)
        while length > 1e-6:
            if self._loss(theta + length * (aim - theta), z + length * (ahead - z)) <= before + 1e-12 * abs(before):
                return length
            length /= 2.0
        return length

    def _loss(self, theta: FloatArray, z: FloatArray) -> float:
        effects = theta[2:] ** 2
        tau2 = self.penalised[self.column]
        alive = tau2 > 0.0
        of_line = self.ridge * float(np.sum((theta - self.centre)[:2] ** 2))
        penalty = float(np.sum(effects[alive] / tau2[alive])) + of_line
        return float(self.w @ (np.logaddexp(0.0, z) - self.y * z)) + 0.5 * penalty


def solved(matrix: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the solution of a positive definite system, and the diagonal of the inverse: a third of what that costs.

    Parameters
    ----------
    matrix : array of shape (k, k)
        Symmetric.
    right : array of shape (k,)
    """
    lower, failed = dpotrf(matrix, lower=1, clean=1)
    if failed:  # not definite by rounding
        inverse = np.linalg.inv(matrix)
        return inverse @ right, np.asarray(inverse.diagonal(), dtype=np.float64)
    root, _ = dtrtri(lower, lower=1)
    return root.T @ (root @ right), np.einsum("ij,ij->j", root, root)
