"""How alike the labels of a group are beyond their scores, and labels redrawn with as much dependence.

Row i of group k has a uniform number u_i; its label under the truth c is 1 where u_i < c(p_i). Of rows that belong
together the normal score of u_i is mixed with numbers that the group shares:

    Phi^-1(u'_i) = sqrt(rho0) Z0_k + sqrt(rho1) h_i Z1_k + sqrt(1 - rho0 - rho1 h_i^2) Phi^-1(u_i),   Z0, Z1 ~ N(0, 1)

with h_i the standardised logit of the score, clipped to [-2, 2]. u'_i is uniform, so that each label has exactly the
probability c(p_i), whatever the correlations, and truths still see the same numbers.

Of two rows that mirror each other (`fitontest.data.mirrored_rows`) the numbers are u_i and 1 - u_i: under a truth that
is as symmetric as these rows exactly one of them is positive. Such rows share what they share with a sign: rows of one
side, p above 1/2 or below it, are alike, and those of different sides opposite; h is of the larger one of p and 1 - p.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from fitontest.data.mirrored_rows import MirroredRows
from fitontest.data.row_groups import RowGroups
from fitontest.numerics.links import SAME, logit
from fitontest.results.typing import BoolArray, FloatArray, IntArray

EPS = 1e-12  # scores are cut there before their logits are standardised
REACH = 2.0  # standard deviations of the logits, to which they are clipped
GROUPS = 7  # the stream of random numbers, beside those of rows
LARGEST_PARTS = (0.6, 0.08)  # redrawn: the rho0 that all rows share, where rho is not larger, and rho1
MOST_SHARED = 0.98  # of the variance of a latent score, where the score is extreme
ALIKE = 0.999  # rho0 where labels of a group are as alike as can be: those of copies agree
FEWEST = 10  # effective groups, below which nothing is concluded


@dataclass(frozen=True)
class Dependence:
    """How alike the labels of a group are beyond what their scores say.

    Attributes
    ----------
    groups, rows : int
        Groups, and the rows in them.
    effective : float
        How many groups of equal weight tell as much.
    several : int
        Groups of at least two rows.
    rho, se : float
        Latent correlation of two labels of a group, and its standard error; see `fitontest.uncertainty.dependence`.
    intercept, slope : float
        rho0 and rho1 of the redrawn labels.
    icc : float
        Correlation of two labels of a group, of their residuals.
    design_effect : float
        By how much the variance of the mean residual is larger than that of independent rows.
    at_limit : bool
        Whether labels of a group are as alike as can be, by residuals and by how seldom they differ. Redrawn ones
        agree then.
    learnt_from : float
        Effective groups that the correlation was learnt from: all groups where a segment has few of its own.
    alone : tuple of (int, float)
        Of groups that are combinations of columns the places of those of which rows that share the value and nothing
        else have labels that are alike too, with the p-value of it.
    events : int
        Where rows mirror each other the events that they are of, which rho is of; else 0.
    cancels : bool
        Whether the residuals of a group add up to nothing, so that nothing is learnt: rows of several events exclude
        each other.
    """

    groups: int
    rows: int
    effective: float
    several: int
    rho: float
    se: float
    intercept: float
    slope: float
    icc: float
    design_effect: float
    at_limit: bool = False
    learnt_from: float = np.inf
    alone: tuple[tuple[int, float], ...] = ()
    events: int = 0
    cancels: bool = False

    @property
    def degrees(self) -> float:
        """Degrees of freedom of Student's t: the effective groups less one."""
        return max(self.effective - 1.0, 1.0)

    @property
    def has_rho(self) -> bool:
        """Whether there are groups of several rows, or of several events, whose labels may be alike."""
        return self.several > 0 and self.events != self.groups

    @property
    def most(self) -> float:
        """The correlation of two labels whose scores are both extreme on one side: rho0 + rho1 h^2 at the largest h."""
        return self.intercept + REACH**2 * self.slope

    @property
    def grows(self) -> bool:
        """Whether labels of extreme scores are much more alike, so that rho, a mean over pairs of rows, hides it.

        Twice as much, and by four standard errors of rho, since a slope of chance is seldom that large.
        """
        beyond = self.most - self.rho
        return not self.at_limit and beyond > max(self.rho, 4.0 * self.se)

    @property
    def too_few(self) -> bool:
        """Whether dependence cannot be learnt from so few groups, or such groups, and nothing is concluded."""
        return self.cancels or is_too_few(self.learnt_from)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-ready values."""
        facts = {name: value for name, value in vars(self).items() if name != "alone"}
        return {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in facts.items()
        }


@dataclass(frozen=True, eq=False)
class SharedNumbers:
    """The numbers that rows of a group share, and how much of them each row has.

    Parameters
    ----------
    code : int array of shape (m,)
        The group of each entry.
    own, first, second : arrays of shape (m,)
        sqrt(1 - rho0 - rho1 h^2), sqrt(rho0) and sqrt(rho1) h; (1, 0, 0) of rows that are alone in their group.
    mirrors : tuple of int arrays or None
        Entries that mirror others, and these others; None where none do.
    """

    code: IntArray
    own: FloatArray
    first: FloatArray
    second: FloatArray
    mirrors: tuple[IntArray, IntArray] | None = None

    @classmethod
    def of(
        cls, code: IntArray, p: FloatArray, w: FloatArray, n: IntArray, dependence: Dependence
    ) -> "SharedNumbers | None":
        """Return them for entries of n rows each, or None where labels are independent."""
        rows = MirroredRows.of(p, code, n) if dependence.events else None
        if dependence.intercept == 0.0 and dependence.slope == 0.0 and rows is None:
            return None
        h = standardised_logits(p if rows is None else rows.folded, w)
        sign = 1.0 if rows is None else rows.sign
        together = np.bincount(code, n)[code] > 1
        first = np.where(together, sign * np.sqrt(dependence.intercept), 0.0)
        second = np.where(together, sign * np.sqrt(dependence.slope) * h, 0.0)
        mirrors = None
        if rows is not None:
            mirrors = rows.pairs
            either = np.concatenate(mirrors)
            either = either[np.bincount(code, n)[code[either]] == 2]  # alone with their mirror, they share all
            first[either], second[either] = np.sqrt(ALIKE) * rows.sign[either], 0.0
        return cls(code, np.sqrt(1.0 - first**2 - second**2), first, second, mirrors)

    @property
    def alone(self) -> BoolArray:
        """Which rows share nothing."""
        return np.asarray((self.first == 0.0) & (self.second == 0.0))

    def draw(self, columns: int, seed: Any) -> FloatArray:
        """Return the shared part of each entry, shape (m, columns): sqrt(rho0) Z0 + sqrt(rho1) h Z1."""
        return self.combine(*self.numbers(columns, seed))

    def numbers(self, columns: int, seed: Any) -> tuple[FloatArray, FloatArray]:
        """Return Z0 and Z1 of each group, shape (K, columns)."""
        rng = np.random.default_rng([*seed, GROUPS])
        shape = int(self.code.max()) + 1, columns
        return rng.standard_normal(shape), rng.standard_normal(shape)

    def combine(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the shared part of each entry from the numbers of its group."""
        shared = first[self.code]
        shared *= self.first[:, None]
        if self.second.any():
            shared += self.second[:, None] * second[self.code]
        return np.asarray(shared)

    def only(self, entries: slice) -> "SharedNumbers":
        """Return what some of the entries share, and which of them mirror each other."""
        mirrors, size = self.mirrors, self.code.size
        if mirrors is not None:
            start, stop, _ = entries.indices(size)
            inside = np.all([(start <= each) & (each < stop) for each in mirrors], axis=0)
            mirrors = mirrors[0][inside] - start, mirrors[1][inside] - start
        each = self.code[entries], self.own[entries], self.first[entries], self.second[entries]
        return SharedNumbers(*each, mirrors)

    def latent(self, u: FloatArray, shared: FloatArray) -> FloatArray:
        """Return Phi^-1(u') of each row, for uniform numbers u; of rows that share nothing u itself."""
        if self.mirrors is not None:
            lower, upper = self.mirrors
            u[lower] = 1.0 - u[upper]
        alone = self.alone
        if not alone.any():
            ndtri(u, out=u)
            u *= self.own[:, None]
            u += shared
            return u
        rows = np.flatnonzero(~alone)
        u[rows] = self.own[rows, None] * ndtri(u[rows]) + shared[rows]
        return u

    def given(self, c: FloatArray, shared: FloatArray) -> FloatArray:
        """Return the probability of a positive label under the truth c, given the shared part, shape (m, columns)."""
        probability = ndtri(c)[:, None] + shared  # -shared and shared have one law
        probability /= self.own[:, None]
        ndtr(probability, out=probability)
        alone = self.alone
        if alone.any():
            probability[alone] = c[alone, None]
        return np.asarray(probability)

    def reflected(self, c: FloatArray) -> FloatArray:
        """Return the truth with 1 - c of their mirrors at the entries that have these."""
        reflected = c.copy()
        if self.mirrors is not None:
            lower, upper = self.mirrors
            reflected[upper] = 1.0 - c[lower]
        return reflected

    def with_mirrors(self, count: IntArray, reflected: IntArray, n: IntArray) -> IntArray:
        """Return positives of n rows each, of mirrors those that are left by others under the reflected truth."""
        if self.mirrors is None:
            return count
        lower, upper = self.mirrors
        both = count.copy()
        both[lower] = (n[lower] - reflected[upper].T).T
        return both

    def thresholds(self, c: FloatArray) -> FloatArray:
        """Return what the numbers of `latent` are compared with: Phi^-1(c), and c of rows that share nothing."""
        return np.where(self.alone, c, ndtri(c))


def are_too_few(groups: RowGroups | None) -> bool:
    """Return whether there are groups, but dependence is learnt from so few that nothing is concluded."""
    return groups is not None and is_too_few(groups.learnt_from)


def is_too_few(learnt_from: float) -> bool:
    """Return whether nothing is concluded of so many effective groups, of which rounding may have made a few less."""
    return learnt_from < FEWEST * (1.0 - 1e-9)


def design_effect(groups: IntArray, w: FloatArray, w2: FloatArray, icc: float) -> float:
    """Return by how much the variance of a mean is larger than that of independent rows of the same weights.

    deff = 1 + (sum_k W_k^2 / sum_i w_i^2 - 1) icc, at least 1, with W_k the weight of group k: of groups of m rows of
    weight one 1 + (m - 1) icc.

    Parameters
    ----------
    groups : int array of shape (m,)
        The group of each row.
    w, w2 : arrays of shape (m,)
        Weights, and squared weights; whole weights count rows, so that there w2 is w.
    icc : float
        Correlation of the residuals of two rows of one group.

    References
    ----------
    Kish (1965), Survey sampling, Wiley.

    Examples
    --------
    >>> ones = np.ones(6)
    >>> design_effect(np.array([0, 0, 0, 1, 1, 1]), ones, ones, 0.1)
    1.2
    """
    of_groups = np.bincount(groups, w)
    return max(1.0 + (float(of_groups @ of_groups) / float(w2.sum()) - 1.0) * icc, 1.0)


def standardised_logits(p: FloatArray, w: FloatArray) -> FloatArray:
    """Return h: the logits of the scores less their mean, by their standard deviation, clipped to [-2, 2].

    Certain scores, whose logits are infinite, have the limit; where all scores are one h is 0.
    """
    x = logit(p, EPS)
    inside = (p > 0.0) & (p < 1.0)
    h = np.where(p <= 0.0, -REACH, np.where(p >= 1.0, REACH, 0.0))
    if not inside.any():
        return h
    weight = w[inside] / w[inside].sum()
    centre = float(weight @ x[inside])
    spread = float(np.sqrt(weight @ (x[inside] - centre) ** 2))
    if not spread > SAME:
        return h
    h[inside] = np.clip((x[inside] - centre) / spread, -REACH, REACH)
    return h
