"""The calibration curve of each group, shrunk towards the map that all groups share.

A group of thirty rows is too small for a curve of its own. Here each has the shared map, moved by as much as its labels
say (empirical Bayes). The numbers Z0, Z1 ~ N(0, 1) of a group (see `fitontest.uncertainty.new_group`) are those of the
largest posterior density given its labels: of few rows they are near 0, and the curve is near the shared one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from fitontest.data.dependence import Dependence, standardised_logits
from fitontest.data.row_groups import RowGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.maps.base import CalibrationMap
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.new_group import known_dependence, standardised_at, to_probits

POINTS = 200  # scores at which curves are compared, quantiles of those of the rows
BLOCK = 1000  # groups that are compared at once
STEPS = 100  # of Newton's method, which needs fewer than ten
HALVINGS = 30
TOLERANCE = 1e-10

Parts: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class GroupMaps:
    """The curves of groups, shrunk towards the map that they share.

    Attributes
    ----------
    map : CalibrationMap
        That they share.
    sample : ScoreSample
        The rows.
    groups : RowGroups
        The groups, whose numbers all arrays have.
    dependence : Dependence
        How alike the labels of a group are, by which curves are shrunk.
    mode : array of shape (K, 2)
        Z0 and Z1 of each group.
    covariance : array of shape (K, 2, 2)
        Of Z0 and Z1 given the labels, by the curvature at the mode.
    shrunk : array of shape (K,)
        By how much each curve is shrunk, in [0, 1]: the mean over the rows of the group of the variance of its curve
        given its labels, by the variance over groups, on the scale of Phi^-1. 1: the curve is the shared map.
    """

    map: CalibrationMap
    sample: ScoreSample
    groups: RowGroups
    dependence: Dependence
    mode: FloatArray
    covariance: FloatArray
    shrunk: FloatArray

    def curves(self, which: IntArray, x: FloatArray) -> FloatArray:
        """Return the values of the curves of groups at scores.

        Parameters
        ----------
        which : int array of shape (k,)
            Numbers of groups.
        x : array of shape (M,)
            Scores.

        Returns
        -------
        array of shape (k, M)
            Phi((Phi^-1(c(x)) - sqrt(rho0) Z0 - sqrt(rho1) h(x) Z1) / sqrt(1 - rho(x))).
        """
        q, loadings, own = self._parts_at(x)
        return np.asarray(ndtr((q - self.mode[which] @ loadings) / own))

    def bounds(self, which: IntArray, x: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return between which values the curve of each group lies with a posterior probability of `level`.

        That is what the labels of the group leave open, at each score, with the shared map and the dependence held
        fixed.

        Parameters
        ----------
        which, x
            As for `curves`.
        level : float

        Returns
        -------
        lower, upper : arrays of shape (k, M)
        """
        q, loadings, own = self._parts_at(x)
        centre = q - self.mode[which] @ loadings
        variance = np.einsum("im,kij,jm->km", loadings, self.covariance[which], loadings)
        reach = float(ndtri(0.5 + level / 2)) * np.sqrt(variance)
        return np.asarray(ndtr((centre - reach) / own)), np.asarray(ndtr((centre + reach) / own))

    @cached_property
    def offsets(self) -> tuple[FloatArray, FloatArray]:
        """How far each curve lies from the shared map: its mean difference over the rows, and the absolute one."""
        x = _quantiles(self.sample.rows.p, self.sample.rows.w)
        shared = _shared(self.map, x)
        signed, absolute = np.empty(len(self.groups)), np.empty(len(self.groups))
        for start in range(0, len(self.groups), BLOCK):
            which = np.arange(start, min(start + BLOCK, len(self.groups)))
            gaps = self.curves(which, x) - shared
            signed[which], absolute[which] = gaps.mean(axis=1), np.abs(gaps).mean(axis=1)
        return signed, absolute

    def _parts_at(self, x: FloatArray) -> Parts:
        return _parts(self.map, x, standardised_at(x, self.sample), self.dependence)


def group_maps(c_hat: CalibrationMap, sample: ScoreSample) -> GroupMaps:
    """Return the curves of all groups.

    Parameters
    ----------
    c_hat : CalibrationMap
        That they share.
    sample : ScoreSample
        Rows with groups.

    Raises
    ------
    ValueError
        Rows without groups, or with too few.

    Notes
    -----
    The mode solves, for each group by Newton's method, max_Z sum_i w_i log Phi(+-a_i(Z)) - |Z|^2 / 2, with + for
    positives and a_i = (Phi^-1(c(p_i)) - sqrt(rho0) Z0 - sqrt(rho1) h_i Z1) / sqrt(1 - rho(p_i)); it is concave.
    Importances count as as many rows as they tell of.
    """
    dependence = known_dependence(sample, "curves of groups")
    rows, groups = sample.rows, sample.groups
    assert groups is not None
    q, loadings, own = _parts(c_hat, rows.p, standardised_logits(rows.p, rows.w), dependence)
    w = rows.w / sample.row_weight
    mode, precision = _modes((q / own, loadings / own, rows.y), w, groups)
    covariance: FloatArray = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    left = np.einsum("in,nij,jn->n", loadings, covariance[groups.code], loadings)
    over_groups = (loadings**2).sum(axis=0)
    ratio = np.divide(left, over_groups, out=np.ones_like(left), where=over_groups > 0.0)
    shrunk = groups.sums(w * ratio) / groups.sums(w)
    return GroupMaps(c_hat, sample, groups, dependence, mode, covariance, shrunk)


def _parts(c_hat: CalibrationMap, x: FloatArray, h: FloatArray, dependence: Dependence) -> Parts:
    """Return Phi^-1(c), the loadings of Z0 and Z1, shape (2, M), and sqrt(1 - rho) at scores."""
    loadings = np.stack((np.full(x.size, np.sqrt(dependence.intercept)), np.sqrt(dependence.slope) * h))
    return to_probits(_shared(c_hat, x)), loadings, np.sqrt(1.0 - (loadings**2).sum(axis=0))


def _shared(c_hat: CalibrationMap, x: FloatArray) -> FloatArray:
    return np.clip(c_hat.split_atoms()[0].evaluate(x), 0.0, 1.0)


def _modes(parts: Parts, w: FloatArray, groups: RowGroups) -> tuple[FloatArray, FloatArray]:
    """Return the modes, shape (K, 2), and the curvatures there, shape (K, 2, 2).

    Parameters
    ----------
    parts : tuple of arrays
        Of each row a at Z = 0, by how much it falls with Z0 and Z1, shape (2, m), and the label.
    w : array of shape (m,)
        Rows that each stands for.
    groups : RowGroups
        Of the rows.
    """
    a_0, slopes, y = parts
    sign = 2.0 * y - 1.0

    def density(mode: FloatArray) -> tuple[FloatArray, FloatArray]:
        a = sign * (a_0 - (mode[groups.code] * slopes.T).sum(axis=1))
        return a, groups.sums(w * log_ndtr(a)) - 0.5 * (mode**2).sum(axis=1)

    mode = np.zeros((len(groups), 2))
    a, height = density(mode)
    for _ in range(STEPS):
        hazard = np.exp(-0.5 * a**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(a))
        pull = w * sign * hazard
        gradient = np.stack([-groups.sums(pull * slope) for slope in slopes], axis=1) - mode
        bend = w * hazard * (hazard + a)
        precision = np.empty((len(groups), 2, 2))
        precision[:, 0, 0] = 1.0 + groups.sums(bend * slopes[0] ** 2)
        precision[:, 1, 1] = 1.0 + groups.sums(bend * slopes[1] ** 2)
        precision[:, 0, 1] = precision[:, 1, 0] = groups.sums(bend * slopes[0] * slopes[1])
        step = np.linalg.solve(precision, gradient[:, :, None])[:, :, 0]
        if np.abs(step).max() <= TOLERANCE:
            break
        for _ in range(HALVINGS):
            a, reached = density(mode + step)
            lower = reached < height - 1e-12 * np.abs(height)
            if not lower.any():
                break
            step[lower] /= 2.0
        mode, height = mode + step, reached
    return mode, precision


def _quantiles(p: FloatArray, w: FloatArray) -> FloatArray:
    """Return scores that stand for equal weight each, of scores in increasing order."""
    reached = np.cumsum(w)
    places = np.searchsorted(reached, (np.arange(POINTS) + 0.5) / POINTS * reached[-1])
    return np.asarray(p[np.minimum(places, p.size - 1)])
