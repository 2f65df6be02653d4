"""Maximum likelihood for many label columns of the same scores: what Platt scaling, beta and temperature share.

Each column is solved on a few means of neighbouring scores first, which costs nothing, and then on all scores, where
two Newton steps are left to do. Where slopes come out negative that a family holds at zero, the others are solved
without them. Columns that are no smooth problem are left to the fit of one sample: labels of one class, or separable by
a threshold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fitontest.data.entries import Entries
from fitontest.families.base import Family
from fitontest.families.few_rows import remembered
from fitontest.families.fits import Fits
from fitontest.families.newton_many import Features, minimise_columns, probabilities
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.links import clip_unit
from fitontest.results.typing import BoolArray, FloatArray, IntArray

NODES = 256  # means of scores that the first steps are made on
ROUGH, FINE = 1e-7, 1e-12  # largest gradient per unit weight there, and on all scores
MAX_CONDITION = 1e8  # of the features: beyond it parameters are hardly determined


def maximise_columns(
    family: Family,
    entries: Entries,
    positives: IntArray,
    make_features: Callable[[FloatArray], FloatArray],
    *,
    eps: float,
    n_slopes: int = 0,
    threshold: float | None = None,
    at: FloatArray | None = None,
) -> FloatArray:
    """Return the values at the distinct scores, or at others, of the maps of maximum likelihood, shape (G, B).

    Parameters
    ----------
    family : Family
        Fits the columns that are no smooth problem, one by one.
    make_features : callable
        Of the clipped scores, shape (G,): the columns that the parameters multiply, shape (G, d).
    eps : float
        Scores are clipped to [eps, 1 - eps].
    n_slopes : int, default=0
        How many of the first parameters must not be negative.
    threshold : float, optional
        The only score at which labels can be separable; by default any.
    at : array, optional
        Other scores, shape (G,).
    """
    p = clip_unit(entries.distinct_p, eps) if eps else entries.distinct_p
    w, wy = entries.distinct_w, entries.distinct_wy(positives)
    features = entries.memory.get((make_features, eps))
    if features is None:
        x = make_features(p)
        unit = _Unit.of(x, w)
        features = entries.memory[make_features, eps] = _Pyramid(unit.of_features(x), w, unit)
    if not features.regular:
        return _fitted_one_by_one(family, entries, positives, at)
    separable = _separable(p, w, wy, threshold)
    theta, converged = features.solve(w, wy if not separable.any() else np.where(separable, 0.5 * w[:, None], wy))
    smooth = converged & ~separable
    held = np.flatnonzero(smooth & (theta[:n_slopes] <= 0).any(axis=0))
    if held.size:
        theta[:, held], smooth[held] = _solve_at_bounds(features, w, wy[:, held], n_slopes)
    x = features.all.x if at is None else features.unit.of_features(make_features(clip_unit(at, eps) if eps else at))
    values = probabilities(x, theta)
    rest = np.flatnonzero(~smooth)
    if rest.size:
        values[:, rest] = _fitted_one_by_one(family, entries, positives[:, rest], at)
    return values


def _solve_at_bounds(
    features: "_Pyramid", w: FloatArray, wy: FloatArray, n_slopes: int
) -> tuple[FloatArray, BoolArray]:
    """Return the minima of columns in which a slope is held at 0, and which columns have one.

    The loss is convex, so that a minimum is known by its slopes: those that are free are positive, and it rises with
    those that are held.
    """
    n_features, columns = features.all.x.shape[1], wy.shape[1]
    theta, found = np.zeros((n_features, columns)), np.zeros(columns, dtype=bool)
    for free in _free_features(n_features, n_slopes):
        left = np.flatnonzero(~found)
        if not left.size:
            break
        tried = np.zeros((n_features, left.size))
        tried[free], converged = features.of(free).solve(w, wy[:, left])
        slope = features.all.x.T @ (w[:, None] * probabilities(features.all.x, tried) - wy[:, left])
        held = np.setdiff1d(np.arange(n_slopes), free)
        slopes = [k for k in free if k < n_slopes]
        least = -FINE * float(w.sum())
        good = converged & (slope[held] >= least).all(axis=0) & (tried[slopes] > 0).all(axis=0)
        theta[:, left[good]], found[left[good]] = tried[:, good], True
    return theta, found


def _free_features(n_features: int, n_slopes: int) -> list[list[int]]:
    """Return the features that are left where one or more of the slopes, the first features, are held at 0."""
    others = list(range(n_slopes, n_features))
    kept = [one for size in range(n_slopes - 1, -1, -1) for one in combinations(range(n_slopes), size)]
    return [[*one, *others] for one in kept if one or others]


def _fitted_one_by_one(family: Family, entries: Entries, positives: IntArray, at: FloatArray | None) -> FloatArray:
    name = str(family), None if at is None else at.tobytes()
    return remembered(entries, name, positives, lambda labels: Fits(family.fit_map, entries, labels).at(at))


@dataclass(frozen=True, eq=False)
class _Unit:
    """What makes the mean square of a feature 1, and its mean 0 where there is an intercept.

    The gradients at which a fit ends are small then beside the features, however little the scores differ.
    """

    middle: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, x: FloatArray, w: FloatArray) -> "_Unit":
        share = w / w.sum()
        constant = x[0] == x[-1]  # the scores are sorted
        middle = np.where(constant, 0.0, share @ x) if constant.any() else np.zeros(x.shape[1])
        size = np.sqrt(share @ (x - middle) ** 2)
        return cls(middle, np.where(constant | (size == 0.0), 1.0, size))

    def of_features(self, x: FloatArray) -> FloatArray:
        """Return features in this unit."""
        return np.asarray((x - self.middle) / self.size)


class _Pyramid:
    """The features at all scores, in their unit, and at a few means of neighbouring ones."""

    def __init__(self, x: FloatArray, w: FloatArray, unit: _Unit) -> None:
        self.all, self.weights, self.unit = Features(x), w, unit
        self.parts: dict[tuple[int, ...], _Pyramid] = {}
        self.regular = bool(
            x.shape[0] > x.shape[1] and np.linalg.cond(x * np.sqrt(w / w.sum())[:, None]) < MAX_CONDITION
        )
        self.first = cell_starts(equal_mass_cells(w, NODES))
        self.w = np.add.reduceat(w, self.first)
        self.few = Features(np.add.reduceat(w[:, None] * x, self.first, axis=0) / self.w[:, None])

    def of(self, chosen: list[int]) -> "_Pyramid":
        """Return some of the features alone."""
        key = tuple(chosen)
        if key not in self.parts:
            self.parts[key] = _Pyramid(self.all.x[:, chosen], self.weights, self.unit)
        return self.parts[key]

    def solve(self, w: FloatArray, wy: FloatArray) -> tuple[FloatArray, BoolArray]:
        start = np.zeros((self.all.x.shape[1], wy.shape[1]))
        if self.first.size < w.size:
            few = np.add.reduceat(wy, self.first, axis=0)
            start, _ = minimise_columns(self.few, self.w[:, None], few, start, ROUGH)
        return minimise_columns(self.all, w[:, None], wy, start, FINE)


def _separable(p: FloatArray, w: FloatArray, wy: FloatArray, threshold: float | None) -> BoolArray:
    """Return the labellings of one class, and those that a score (or only `threshold`) separates."""
    positive, negative = wy > 0, wy < w[:, None] * (1.0 - 1e-12)
    low1, high1 = _span(p, positive)
    low0, high0 = _span(p, negative)
    one_class = ~(positive.any(axis=0) & negative.any(axis=0))
    if threshold is not None:
        return np.asarray(one_class | ((high0 <= threshold) & (threshold <= low1)))
    return np.asarray(one_class | (high0 <= low1) | (high1 <= low0))


def _span(p: FloatArray, present: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest score that is present in each column."""
    return p[present.argmax(axis=0)], p[p.size - 1 - present[::-1].argmax(axis=0)]
