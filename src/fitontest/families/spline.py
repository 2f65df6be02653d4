"""Logistic splines: smooth calibration maps of a few numbers of segments, averaged by how well they predict."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fitontest.data.entries import Entries, count_effective_rows, entries_of_rows, in_tie_order
from fitontest.data.score_sample import ScoreSample
from fitontest.families.atoms import Atoms
from fitontest.families.base import Family, Solution
from fitontest.families.certainty import LEAST as EPS
from fitontest.families.cutting import eps_of_scores
from fitontest.families.fits import Fits
from fitontest.families.increasing_many import minimise_increasing
from fitontest.families.newton_many import Features, minimise_columns, pieces
from fitontest.families.registry import register
from fitontest.maps.atoms import AtomsMap
from fitontest.maps.base import CalibrationMap
from fitontest.maps.logit_knots import LogitKnotsMap
from fitontest.maps.mixture import MixtureMap
from fitontest.numerics.cells import equal_mass_cells
from fitontest.numerics.links import SAME, logit, sigmoid
from fitontest.numerics.log_sums import softplus
from fitontest.numerics.random import check_cv
from fitontest.results.checks import as_list, check_flag, is_real, is_whole
from fitontest.results.exceptions import warn_user
from fitontest.results.typing import BoolArray, FloatArray, IntArray, RandomState

#: From features, weights, weighted targets, a start and a tolerance to parameters, and which of them converged.
Minimise: TypeAlias = Callable[[Features, FloatArray, FloatArray, FloatArray, float], tuple[FloatArray, BoolArray]]

NODES = 256  # means of neighbouring scores that the likelihood is computed on
SEGMENTS = (1, 2, 3, 5, 8, 12, 20)  # by default, each K of at least 12 K^2 rows
ROWS_PER_SEGMENT_SQUARED = 12
FINE_SEGMENTS = (40, 80)  # beside them, each K of at least 750 K^2 rows
ROWS_PER_FINE_SEGMENT_SQUARED = 750
ROUNDING = 1e-12  # of sums of weights
RIDGE = 0.001  # on the distance of the logits at the knots from the identity
OUTER = 0.005  # share of the rows beyond the outer knots, on either side
OUTER_OF_SEGMENT = 0.1  # the same, of the rows of a segment: the smaller one counts
KEPT = 100_000  # logits at which the functions of a polygon are kept for the next labellings
TOGETHER, FEWEST = 160_000, 16  # numbers of columns that are computed together, and such columns at least
FIT, FOLD = 1e-11, 1e-5  # largest gradient per unit weight: of the map, and of the maps that only judge it


@register("spline")
@dataclass(eq=False, repr=False)
class Spline(Family):
    """Fit a smooth calibration map of any shape, whose flexibility cross-validation chooses.

    An average of logistic polygons, c_hat(p) = sum_K a_K / (1 + exp(-z_K(logit p))), weighted by held-out log loss.

    z_K is a polygon with K segments and knots at the quantiles .005, 1/K, 2/K, ..., .995 of the logits of the scores,
    of more than 20 segments 1/(10 K) in place of .005; where ties make two of them one it has fewer. Beyond the outer
    knots it has slope 1: the logits of the outermost scores are moved as far as those at the knots. Its values at the
    knots minimise the log loss plus a prior: rows of total weight `prior`, spread over the scores as the data are,
    whose labels are the scores themselves, and a normal
    prior with a standard deviation of 32 logits around the identity at each knot, without which a segment of one class
    would go to infinity. The weights are a_K = exp(-L_K) / sum exp(-L), with L_K the held-out log loss of K segments
    summed over the rows (pseudo-Bayesian model averaging). The map is continuous but at atoms, need not be monotone,
    and is close to the identity where few rows speak against it.

    Scores that many rows share, *atoms*, have levels of their own instead: the mean label there, the prior rows among
    them. These are scores of at least 2 % of the rows and at least 30 rows, if there are at most ten; else those of at
    least 10 % of the rows. Their rows leave the polygons, unless all scores are atoms. A score is an atom only if it is
    the same float: apply the map to scores of the precision it was fitted to.

    Parameters
    ----------
    n_segments : int, iterable of int or "auto", default="auto"
        Numbers of segments to average over. K > 1 needs at least 12 K^2 rows, so that large samples see finer shapes.
        "auto": 1, 2, 3, 5, 8, 12, 20; and 40 from 1.2 million rows on, 80 from 4.8 million on, where the error is told
        so closely that 20 segments would be too coarse for it.
    cv : int, default=5
        Folds of the held-out loss.
    prior : float, default=2.0
        Total weight of the prior rows, positive.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    atoms : bool, default=True
        Whether scores that many rows share have levels of their own; else the polygons are fitted to all rows.
    monotone : bool, default=False
        Whether the map must not decrease: no polygon decreases between its knots, and there are no atoms. A calibrator
        that keeps the ranking of the scores, but for ties where the map is level.

    Attributes
    ----------
    map_ : MixtureMap or AtomsMap
        Of one `LogitKnotsMap` for each number of segments; with atoms around it, where there are any.
    n_segments_ : tuple of int
        The numbers of segments that the data allowed, each once.
    weights_ : array
        Their weights a_K, of sum 1.
    held_out_losses_ : array
        L_K less the smallest.

    Notes
    -----
    The likelihood is computed on at most 256 means of neighbouring scores of equal weight, so that its cost does not
    grow with the rows. The values are solved to a gradient of 1e-10 per unit weight. Logits are cut off at 36. Where
    there are scores of 0 or 1, they are cut off at 1 beyond the largest of the others: certainty does not say how
    certain. Whole weights count rows; other weights are importances, on the scale of their effective number of rows.
    Where all scores are one, the polygon shifts the logit.

    References
    ----------
    Lucena (2018), Spline-based probability calibration. https://doi.org/10.48550/arXiv.1809.07751 (natural cubic
    splines of the score; here they are linear in the logit).
    Yao, Vehtari, Simpson, Gelman (2018), Using stacking to average Bayesian predictive distributions, Bayesian Analysis
    13(3) (pseudo-BMA). https://doi.org/10.1214/17-BA1091

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> spline = fot.families.make("spline").fit(p, rng.random(2000) < p**2)
    >>> spline.predict([0.3, 0.5, 0.7]).round(1)
    array([0.1, 0.2, 0.5])
    """

    calibrator = True

    n_segments: int | Iterable[int] | Literal["auto"] = "auto"
    cv: int = 5
    prior: float = 2.0
    random_state: RandomState = 0
    atoms: bool = True
    monotone: bool = False

    def as_calibrator(self) -> Self:
        """Return the spline that never decreases."""
        return clone(self).set_params(monotone=True)  # type: ignore[no-any-return]

    def _count_parameters(self) -> float:
        """Return a value for each knot, averaged as the polygons are, and one for each atom."""
        return float(self.weights_ @ (np.array(self.n_segments_) + 1.0)) + self.map_.split_atoms()[1].size

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the averaged map, the numbers of segments and their weights."""
        self._prior()  # checks the settings before folds are drawn
        sample, folds = sample.in_folds(self.cv, self.random_state) if sample.n > 1 else (sample, [])
        entries = entries_of_rows(sample)
        labels = sample.rows.y * entries.n
        fits = self._averages(entries, labels.astype(np.intp)[:, None], ordered=True, folds=folds)
        weights = fits.weights[:, 0]
        attributes: dict[str, Any] = {
            "n_segments_": tuple(polygon.n_segments for polygon in fits.polygons),
            "weights_": weights,
            "held_out_losses_": fits.losses[:, 0] - fits.losses[:, 0].min(),
        }
        return Solution(fits.to_map(0), None, attributes)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the smooth maps of many sets of labels, all of which are computed at once."""
        return _SplineFits(self.fit_map, entries, positives, self._averages)

    def _averages(
        self, entries: Entries, positives: IntArray, *, ordered: bool = False, folds: list[IntArray] | None = None
    ) -> "_Averages":
        settings = self.cv, self._prior(), repr(self.random_state), self.atoms, self.monotone
        key = ("spline", tuple(self._segments().items()), *settings)
        design = entries.memory.get(key)
        if design is None or not is_whole(self.random_state):
            if folds is None:
                folds = entries.hold_out(self.cv, self.random_state) if len(entries) > 1 else []
            atoms = self.atoms and not self.monotone
            minimise = minimise_increasing if self.monotone else minimise_columns
            entries.memory[key] = design = _Design(entries, folds, self._segments(), self._prior(), minimise, atoms)
        return design.fit(positives if ordered else in_tie_order(entries, positives))

    def _segments(self) -> dict[int, int]:
        """Return the rows that each number of segments needs."""
        given, fine = self.n_segments, {}
        if isinstance(given, str) and given == "auto":
            given, fine = SEGMENTS, {number: ROWS_PER_FINE_SEGMENT_SQUARED * number**2 for number in FINE_SEGMENTS}
        listed = [given] if isinstance(given, int | np.integer | str) else as_list(given, "n_segments")
        for number in listed:
            if not is_whole(number) or number < 1:
                raise ValueError(f"n_segments must be 'auto' or whole numbers, at least 1; got {number!r}")
        numbers = sorted({int(number) for number in listed})
        return {number: ROWS_PER_SEGMENT_SQUARED * number**2 if number > 1 else 0 for number in numbers} | fine

    def _prior(self) -> float:
        if not (is_real(self.prior) and 0 < self.prior < np.inf):
            raise ValueError(f"prior must be a positive finite number, got {self.prior!r}")
        check_cv(self.cv)
        check_flag(self.atoms, "atoms")
        check_flag(self.monotone, "monotone")
        return float(self.prior)


@dataclass(frozen=True, eq=False)
class _Averages:
    """The polygons of each number of segments, of shape (K + 1, B), and what they weigh, of shape (polygons, B).

    Beside them the levels of single scores, of shape (atoms, B).
    """

    polygons: "list[_Polygon]"
    theta: list[FloatArray]
    losses: FloatArray
    atoms: Atoms
    levels: FloatArray

    @cached_property
    def weights(self) -> FloatArray:
        relative = np.exp(self.losses.min(axis=0) - self.losses)
        return np.asarray(relative / relative.sum(axis=0))

    def values(self, x: FloatArray) -> FloatArray:
        """Return the values of the averaged maps of the polygons at logits x, shape (size of x, B)."""
        values = np.zeros((x.size, self.weights.shape[1]))
        parts = [polygon.basis(x) for polygon in self.polygons]
        for piece in pieces(*values.shape):
            for (hats, offset), theta, weights in zip(parts, self.theta, self.weights, strict=True):
                part = hats[piece] @ -theta
                if offset[piece].any():
                    part -= offset[piece]
                with np.errstate(over="ignore"):
                    np.exp(part, out=part)
                part += 1.0
                np.divide(weights, part, out=part)
                values[piece] += part
        return np.minimum(values, 1.0, out=values)

    def to_map(self, column: int) -> CalibrationMap:
        """Return the averaged map of a column."""
        parts = (polygon.to_map(theta[:, column]) for polygon, theta in zip(self.polygons, self.theta, strict=True))
        smooth = MixtureMap(self.weights[:, column], tuple(parts))
        return AtomsMap(self.atoms.p, self.levels[:, column], smooth) if len(self.atoms) else smooth


@dataclass(frozen=True, eq=False)
class _SplineFits(Fits):
    """The averaged polygons of many labellings, fitted at once where folds can be drawn before the labels."""

    average: Callable[[Entries, IntArray], _Averages]
    shared: ClassVar[bool] = True

    @cached_property
    def _averages(self) -> _Averages:
        return self.average(self.entries, self.positives)

    @property
    def _are_shared(self) -> bool:
        """Whether the folds of all labellings are the same: the order of tied rows depends on their labels."""
        return self.entries.placed or (self.entries.single and not self.entries.tied)

    def at(self, scores: FloatArray | None = None) -> FloatArray:
        """Return the values of the maps, shape (scores, B)."""
        return self._own_values() if scores is None else self._values_at(scores)

    def maps(self) -> Iterator[CalibrationMap]:
        """Yield the maps."""
        if not self._are_shared:
            return super().maps()
        return map(self._averages.to_map, range(self.positives.shape[1]))

    def _own_values(self) -> FloatArray:
        entries = self.entries
        if entries.single and entries.tied and not entries.placed:  # the order within a tie depends on the labels
            return super().at()
        fits = self._averages
        eps = fits.polygons[0].eps
        x = entries.memory.get(("logits", eps))
        if x is None:
            x = entries.memory[("logits", eps)] = logit(entries.distinct_p, eps)
        values = fits.values(x)
        values[fits.atoms.place] = fits.levels
        return values

    def _values_at(self, scores: FloatArray) -> FloatArray:
        if not self._are_shared:
            return super().at(scores)
        fits = self._averages
        values = fits.values(logit(scores, fits.polygons[0].eps))
        for score, level in zip(fits.atoms.p, fits.levels, strict=True):
            values[scores == score] = level
        return values


class _Design:
    """What the scores alone decide: nodes, knots, folds, and the weights of each fold at each node."""

    def __init__(
        self,
        entries: Entries,
        folds: list[IntArray],
        segments: dict[int, int],
        prior: float,
        minimise: Minimise,
        atoms: bool,
    ) -> None:
        self.minimise = minimise
        size = float(entries.n.sum()) if entries.whole else count_effective_rows(entries)
        self.atoms = Atoms.of_entries(entries) if atoms else Atoms.none(entries)
        rest = self.atoms.rest if len(self.atoms) else slice(None)
        self.eps = eps_of_scores("auto", entries.distinct_p, EPS)
        x, w = logit(entries.distinct_p[rest], self.eps), entries.distinct_w[rest]
        size *= float(w.sum() / entries.distinct_w.sum())
        node = _nodes(w)
        n_nodes = int(node[-1]) + 1
        mass = np.bincount(node, w, n_nodes)
        self.x = np.clip(np.bincount(node, w * x, n_nodes) / mass, x[0], x[-1])
        self.total = float(entries.w.sum())
        self.scale = 1.0 if entries.whole else count_effective_rows(entries) / self.total
        node_of = np.full(entries.first.size, -1)
        node_of[rest] = node
        self.cells = _fold_cells(entries, node_of, n_nodes, folds)
        self.at_atoms = _gathered(entries, self.atoms)
        self.w = self.scale * np.asarray(self.cells @ entries.w).reshape(n_nodes, -1)  # (nodes, folds)
        self.weight = prior
        self.prior = prior * mass / self.total
        self.share = self.scale * entries.w / entries.n
        allowed = [number for number, rows in segments.items() if size >= rows]
        knots: dict[int, FloatArray] = {}
        for number in allowed or (1,):
            at = _knots(x, w, number)
            knots.setdefault(at.size, at)  # ties may leave fewer, of which one polygon is enough
        several = [at for size, at in sorted(knots.items()) if size > 1] or [*knots.values()]
        self.polygons = [_Polygon(at, self.x, self.eps) for at in several]

    def fit(self, positives: IntArray) -> _Averages:
        """Return the fits to the labels of each column, which stand as the folds count them."""
        step = max(FEWEST, TOGETHER // self.w.size)
        parts = [self._fit(positives[:, at : at + step]) for at in range(0, positives.shape[1], step)]
        if len(parts) == 1:
            return parts[0]
        theta = [np.concatenate(of_parts, axis=1) for of_parts in zip(*(part.theta for part in parts), strict=True)]
        losses, levels = (np.concatenate([getattr(part, of) for part in parts], axis=1) for of in ("losses", "levels"))
        return _Averages(self.polygons, theta, losses, self.atoms, levels)

    def _fit(self, positives: IntArray) -> _Averages:
        """Return the fits to so few columns that what is computed of them stays in the cache."""
        n_nodes, columns = self.x.size, positives.shape[1]
        weights = positives * self.share[:, None]
        wy = np.asarray(self.cells @ weights).reshape(n_nodes, -1, columns)
        w, folded = self._with_prior(self.w.sum(axis=1)[:, None], wy.sum(axis=1)), self._folded(wy)
        theta, losses = [], np.empty((len(self.polygons), columns))
        for k, polygon in enumerate(self.polygons):
            full = self._solve(polygon, *w, polygon.start(columns), FIT)
            theta.append(full)
            losses[k] = self._held_out(polygon, wy, folded, full) if len(self.polygons) > 1 else 0.0
        at_atoms = np.asarray(self.at_atoms @ weights) / self.scale
        levels = self.atoms.levels(at_atoms, self.weight / self.scale, self.total)
        return _Averages(self.polygons, theta, losses, self.atoms, levels)

    def _folded(self, wy: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights without each fold, and with its labels: those of all folds beside each other."""
        n_nodes, folds, columns = wy.shape
        w = np.repeat(self.w.sum(axis=1)[:, None] - self.w, columns, axis=1)
        return self._with_prior(w, (wy.sum(axis=1, keepdims=True) - wy).reshape(n_nodes, folds * columns))

    def _held_out(
        self, polygon: "_Polygon", wy: FloatArray, folded: tuple[FloatArray, FloatArray], full: FloatArray
    ) -> FloatArray:
        """Return the summed log loss of each column, every fold under the polygon that was fitted without it."""
        theta = self._solve(polygon, *folded, full, FOLD)
        z = polygon.features.logits(theta).reshape(wy.shape)
        loss = softplus(z)
        loss *= self.w[:, :, None]
        z *= wy
        loss -= z
        return np.asarray(loss.sum(axis=(0, 1)))

    def _with_prior(self, w: FloatArray, wy: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights, and weights times targets, with those of the prior rows."""
        return w + self.prior[:, None], wy + (self.prior * sigmoid(self.x))[:, None]

    def _solve(
        self, polygon: "_Polygon", total: FloatArray, target: FloatArray, start: FloatArray, tolerance: float
    ) -> FloatArray:
        theta, converged = self.minimise(polygon.features, total, target, start, tolerance)
        if not converged.all():
            warn_user("spline: the likelihood was not maximised to the tolerance", ConvergenceWarning)
        return theta


class _Polygon:
    """A polygon in the logit with fixed knots, of slope 1 beyond them; of one knot the logit is shifted."""

    def __init__(self, knots: FloatArray, x: FloatArray, eps: float) -> None:
        self.knots, self.eps = knots, eps
        self.last: tuple[FloatArray, FloatArray, FloatArray] | None = None
        self.features = Features(self.hats(x), RIDGE, knots, self.offset(x))

    def basis(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return hats and offset at logits x; those of the last x, which many labellings share, are kept if few."""
        last = self.last  # another thread may put its own there
        if last is not None and last[0] is x:
            return last[1:]
        found = self.hats(x), self.offset(x)
        if x.size <= KEPT:
            self.last = x, *found
        return found

    @property
    def n_segments(self) -> int:
        return max(self.knots.size - 1, 1)

    def start(self, columns: int) -> FloatArray:
        """Return the identity."""
        return np.repeat(self.knots[:, None], columns, axis=1)

    def to_map(self, theta: FloatArray) -> CalibrationMap:
        """Return the map, which moves scores beyond the outer knots as far as those at them."""
        x = np.concatenate(([self.knots[0] - 1.0], self.knots, [self.knots[-1] + 1.0]))
        z = np.concatenate(([theta[0] - 1.0], theta, [theta[-1] + 1.0]))
        return LogitKnotsMap(x[None], z[None], self.eps)

    def hats(self, x: FloatArray) -> FloatArray:
        """Return the functions that the values at the knots multiply, at logits x: shape (size of x, knots)."""
        hats = np.zeros((x.size, self.knots.size))
        if self.knots.size == 1:
            hats[:] = 1.0
            return hats
        x = self._between(x)
        right = np.clip(np.searchsorted(self.knots, x, side="right"), 1, self.knots.size - 1)
        share = (x - self.knots[right - 1]) / (self.knots[right] - self.knots[right - 1])
        hats[np.arange(x.size), right - 1] = 1.0 - share
        hats[np.arange(x.size), right] = share
        return hats

    def offset(self, x: FloatArray) -> FloatArray:
        """Return what is added to them: how far logits x lie beyond the outer knots, shape (size of x, 1)."""
        return np.asarray((x - self._between(x))[:, None])

    def _between(self, x: FloatArray) -> FloatArray:
        return np.clip(x, self.knots[0], self.knots[-1])


def _nodes(w: FloatArray) -> IntArray:
    """Return the node, 0, 1, ..., of each distinct score: runs of equal weight, none of them empty."""
    if w.size <= NODES:
        return np.arange(w.size)
    node = equal_mass_cells(w, NODES)
    return np.asarray(np.cumsum(np.diff(node, prepend=node[0]) > 0))


def _knots(x: FloatArray, w: FloatArray, n_segments: int) -> FloatArray:
    """Return the distinct quantiles of the logits, of which the outer ones lie a little within the ends.

    Those that may differ by rounding alone are one; scores that a classifier hardly tells apart may lie within 1e-8.
    """
    cumulative, outer = np.cumsum(w), min(OUTER, OUTER_OF_SEGMENT / n_segments)
    shares = np.concatenate(([outer], np.arange(1, n_segments) / n_segments, [1.0 - outer])) * cumulative[-1]
    knots = x[np.searchsorted(cumulative, shares * (1.0 - ROUNDING))]  # the first with that share at or below it
    apart = knots[np.diff(knots, prepend=-np.inf) >= SAME]
    if apart.size > 1:
        apart[-1] = knots[-1]
    return np.asarray(apart)


def _fold_cells(entries: Entries, node: IntArray, n_nodes: int, folds: list[IntArray]) -> Any:
    """Return the matrix that adds up entries into cells, node by node and fold by fold, shape (nodes * folds, m).

    `node` is that of each distinct score; scores of node -1 are left out.
    """
    m, n_folds, of = len(entries), max(len(folds), 1), node[entries.place] if entries.tied else node
    cell = np.maximum(of, 0) * n_folds
    for number, held_out in enumerate(folds):
        cell[held_out] += number
    return sparse.csc_array(((of >= 0).astype(float), cell, np.arange(m + 1)), shape=(n_nodes * n_folds, m))


def _gathered(entries: Entries, atoms: Atoms) -> Any:
    """Return the matrix that adds up the entries of each atom, shape (atoms, m)."""
    if len(atoms) == 0:
        return sparse.csr_array((0, len(entries)))
    row = np.full(atoms.rest.size, -1)
    row[atoms.place] = np.arange(len(atoms))
    of = row[entries.place]
    at = np.flatnonzero(of >= 0)
    return sparse.csr_array((np.ones(at.size), (of[at], at)), shape=(len(atoms), len(entries)))
