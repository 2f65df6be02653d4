"""From masses on a grid to fitted maps: priors, starting points, the runs of the program, and held-out losses.

Given the knots, the best values are a smooth problem, and a convex one for the log loss; as a function of the knots the
loss has many local minima. A map of two bins, whose number was given or chosen, has its one knot tried at many places.
Maps of more bins are fitted from two starting points each, and so are all maps while their number is chosen: the
optimum is then a local one.

Here is numpy; jax comes in with the program, which is imported when it is run.
"""

from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.families.piecewise.grid import EPS, Grid, grid_of
from fitontest.families.piecewise.mass_scale import POINTS, quantiles
from fitontest.families.piecewise.scan import gains_of_a_bend, places_between, promising
from fitontest.families.piecewise.tasks import FAR, LIMIT, ROOM, TINY, Fits, Loss, Nodes, Space, Stop, Tasks
from fitontest.numerics.links import IDENTITY, LOGIT, Link
from fitontest.numerics.losses import find_loss
from fitontest.results.typing import FloatArray, IntArray

ROUGH = 256  # nodes on which the places of the knots are found; twice as many where a node has few rows
COARSE = 1024  # nodes while the number of bins is chosen
FINE = 4096  # nodes on which the chosen maps are finished
EXPLORED = 1e-6  # gain at which a search on the rough grid ends
SEARCH = Stop(gain=1e-7, steps=200)
ENOUGH_TO_CHOOSE = 5  # steps on the coarse grid, while the number of bins is chosen
FINISH = Stop(gain=1e-9, steps=300)
SETTLE = Stop(gain=1e-14, steps=100)  # of the values alone
SCAN = Stop(gain=1e-6, steps=100)  # of the values while the knots stand still
TRIED = 64  # places of a single inner knot
CONTINUED = 4  # of them, with the knot free
DETOUR = 2  # bins beyond the requested ones with which a search begins
LEAST = 1e-9  # distance from 0 and 1 of probabilities whose curvature is taken
CLOSEST = 1e-9  # distance of two knots of PL3, as logits, or as a share of their range where that is below 1
CONVERGED = 1e-6  # gain per unit weight that another step may still bring in a converged fit


@dataclass(frozen=True)
class Settings:
    """How the maps of a family are fitted.

    Attributes
    ----------
    link : Link
        The scale on which the map is a polygon: identity for PL, logit for PL3.
    loss : {"log_loss", "brier"}
        What the fit minimises.
    alpha, kappa : float
        Strength of the prior on the widths, and of the pull to the identity, in rows.
    """

    link: Link
    loss: Loss
    alpha: float
    kappa: float

    @property
    def space(self) -> Space:
        """The scale on which the map is straight between its knots."""
        return "logit" if self.link is LOGIT else "probability"


@dataclass(frozen=True, eq=False)
class Polygons:
    """Fitted maps; one with fewer bins than another has points on its widest segment that make up the number.

    Attributes
    ----------
    x : array of shape (F, b + 1)
        Knots on the family's own scale, b being the largest number of bins.
    u : array of shape (F, b + 1)
        Logits of the values there.
    bins : array of shape (F,)
        How many bins each map has, before points were added.
    steps : int
        The most steps that any of them took.
    left : float
        The most that another step could gain for any of them, per unit weight.
    """

    x: FloatArray
    u: FloatArray
    bins: IntArray
    steps: int
    left: float

    def take(self, which: slice) -> "Polygons":
        """Return some of the maps."""
        return replace(self, x=self.x[which], u=self.u[which], bins=self.bins[which])


class Fitter:
    """Fits maps to a sample, leaving out folds or not.

    Parameters
    ----------
    sample : ScoreSample
    folds : list of int arrays
        Sorted rows that each fold holds out; together all of them.
    settings : Settings
    most : int
        The largest number of bins of a map.
    """

    def __init__(self, sample: ScoreSample, folds: list[IntArray], settings: Settings, most: int) -> None:
        self.sample = sample
        self.folds = folds
        self.settings = settings
        self.space = settings.space
        self.room = room_of(most)
        by_fold = _grid_in_rows(sample, folds, settings.link, FINE)
        self.held_out_grid = by_fold.coarse(COARSE)
        self.fine = _seen(by_fold, settings)
        self.coarse = self.fine.coarse(COARSE)
        self.rough = self.fine.coarse(ROUGH if len(sample.distinct) > FINE else 2 * ROUGH)
        self.quantiles = quantiles(by_fold, (0.0, 1.0) if settings.link is IDENTITY else None)
        self.placed: dict[Grid, Nodes] = {}

    def candidates(self, most: int) -> dict[int, Fits]:
        """Fit maps of 1 to `most` bins to all folds but one, closely enough to choose a number."""
        left_out = np.arange(len(self.folds))
        _, best = self._explored(1, most, left_out)
        return self._refined(best, left_out, SEARCH._replace(steps=min(ENOUGH_TO_CHOOSE, SEARCH.steps)))

    def search(self, lowest: int, highest: int, left_out: IntArray) -> dict[int, Fits]:
        """Fit maps of `lowest` to `highest` bins to all folds but one (-1: to all folds)."""
        direct, best = (self._refined(fits, left_out, SEARCH) for fits in self._explored(lowest, highest, left_out))
        return {b: direct[b].better_of(best[b]) for b in best}

    def _explored(self, lowest: int, highest: int, left_out: IntArray) -> tuple[dict[int, Fits], dict[int, Fits]]:
        """Find places for the knots on few nodes: return the maps from a first starting point, and the better of two.

        The loss has many local minima. So each map is fitted twice: from the identity with knots at equal shares of
        the data, and from the better map with one bin more, less its least useful knot. The search begins with a few
        more bins than `highest`.
        """
        counts = np.arange(highest + DETOUR, lowest - 1, -1)
        stop = SEARCH._replace(gain=EXPLORED)
        bins, folds = np.repeat(counts, left_out.size), np.tile(left_out, counts.size)
        fits = self._run(self.rough, self._identity(bins), bins, folds, stop)
        direct = {b: fits.take(bins == b) for b in counts.tolist()}
        best = {counts[0]: direct[counts[0]]}
        for b in counts[1:].tolist():
            start = self._without_a_knot(best[b + 1], b + 1)
            swept = self._run(self.rough, start, np.full(left_out.size, b), left_out, stop)
            best[b] = direct[b].better_of(swept)
        return tuple({b: found[b] for b in range(lowest, highest + 1)} for found in (direct, best))  # type: ignore[return-value]

    def _refined(self, found: dict[int, Fits], left_out: IntArray, stop: Stop) -> dict[int, Fits]:
        """Go on with fits on the coarse grid."""
        bins, folds = np.repeat(list(found), left_out.size), np.tile(left_out, len(found))
        start = Fits.stacked(list(found.values()))
        fits = self._run(self.coarse, (start.u, start.tau), bins, folds, stop)
        fits = replace(fits, steps=start.steps + fits.steps)
        return {b: fits.take(bins == b) for b in found}

    def fit(self, b: int, left_out: IntArray) -> Fits:
        """Fit maps of b bins to all folds but one (-1: to all folds).

        Two bins have one knot, whose places can be searched; of more knots a local optimum is found.
        """
        fits = self.search(b, b, left_out)[b]
        return self._scanned(fits, left_out) if b == 2 else fits

    def _without_a_knot(self, fits: Fits, b: int) -> tuple[FloatArray, FloatArray]:
        """Return the maps of b bins without the inner knot whose absence should cost the least.

        Taking out knot k bends the map by d_k there. Where scores are spread evenly over the share w_k of the data
        between its neighbours, that costs about w_k d_k^2 / 6 times the curvature of the loss.
        """
        u, tau = fits.u[:, : b + 1], fits.tau[:, : b + 1]
        x = self.knots(tau)
        q = LOGIT.inverse(u)
        f = u if self.space == "logit" else q
        width = np.maximum(x[:, 2:] - x[:, :-2], TINY)
        bend = f[:, 1:-1] - f[:, :-2] - (f[:, 2:] - f[:, :-2]) * (x[:, 1:-1] - x[:, :-2]) / width
        curvature = _curvature(q[:, 1:-1] * LOGIT.inverse(-u[:, 1:-1]), self.settings)
        least = 1 + np.argmin((tau[:, 2:] - tau[:, :-2]) * bend**2 * curvature, axis=1)
        kept = np.arange(self.room) + (np.arange(self.room) >= least[:, None])
        spare = [(0, 0), (0, 1)]
        u, tau = (np.pad(np.take_along_axis(a, kept, 1), spare, mode="edge") for a in (fits.u, fits.tau))
        return u, tau

    def _scanned(self, fits: Fits, left_out: IntArray) -> Fits:
        """Return the maps of two bins, or better ones: the knot is tried at many places, at each with its best values.

        From the best of the places, knot and values are fitted together.
        """
        at = places_between(self.coarse.x, *self.quantiles[[0, -1]])
        if at.size == 0:
            return fits
        tried = promising(_gains(self, at, fits, left_out), TRIED)
        n, size = tried.shape
        start = _moved_knot(self, fits, at[tried])
        tries = self._run(self.coarse, start, np.full(n * size, 2), np.repeat(left_out, size), SCAN, moving=False)
        value = tries.value.reshape(n, size)
        beside = np.pad(value, ((0, 0), (1, 1)), constant_values=np.inf)
        lowest = (value <= beside[:, :-2]) & (value <= beside[:, 2:])
        chosen = np.argsort(np.where(lowest, value, np.inf), axis=1, kind="stable")[:, :CONTINUED]
        best = tries.take((chosen + size * np.arange(n)[:, None]).ravel())
        of = np.repeat(left_out, chosen.shape[1])
        moved = self._run(self.coarse, (best.u, best.tau), np.full(of.size, 2), of, SEARCH)
        for k in range(chosen.shape[1]):
            fits = fits.better_of(moved.take(np.arange(k, of.size, chosen.shape[1])))
        return fits

    def finish(self, current: Fits, bins: IntArray, left_out: IntArray, *, exact: bool) -> Polygons:
        """Go on with fits on the fine grid, and with `exact` on all distinct scores, to a finer tolerance.

        A step of all the parameters may gain nothing where a knot stands on a node. So the values are settled by
        themselves first, and last, when the knots have stopped.
        """
        grids = [self.fine]
        if exact and len(self.sample.distinct) > FINE:
            grids.append(_seen(_grid_in_rows(self.sample, self.folds, self.settings.link, None), self.settings))
        for grid in grids:
            for moving in (False, True, False):
                stop = FINISH if moving else SETTLE
                start = current.u, current.tau
                fits = self._run(grid, start, bins, left_out, stop, moving)
                left = fits.left if moving else np.maximum(fits.left, current.left)
                current = replace(fits, steps=current.steps + fits.steps, left=left)
        rows = [self._polygon(u[: b + 1], tau[: b + 1]) for u, tau, b in zip(current.u, current.tau, bins, strict=True)]
        most = int(bins.max()) + 1
        x, u = (np.stack(columns) for columns in zip(*(filled_up(*row, most, self.space) for row in rows), strict=True))
        return Polygons(x, u, bins, int(current.steps.max()), float(current.left.max()))

    def _polygon(self, u: FloatArray, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the knots of one map, and the logits of its values there."""
        x = self.knots(tau)
        x[[0, -1]] = self.quantiles[[0, -1]]  # the last share is 1 up to rounding
        apart = 0.0 if self.space == "probability" else CLOSEST * min(1.0, float(x[-1] - x[0]))
        x = separated(x[None, :], apart)[0]
        if self.fine.x.size == 1:  # a single score determines a level and no slope
            level = LOGIT.forward(values_at(self.fine.x, x, u, self.settings.link), EPS)
            return x, np.full(u.size, level[0])
        return x, u

    def knots(self, tau: FloatArray) -> FloatArray:
        """Return Q(tau): where the knots stand on the family's scale."""
        return np.asarray(np.interp(tau, np.linspace(0.0, 1.0, POINTS), self.quantiles))

    def held_out(self, fits: dict[int, Fits], scoring: str) -> FloatArray:
        """Return the mean loss of each fold's fits on the fold they have not seen, shape (folds, numbers of bins)."""
        grid, loss, losses = self.held_out_grid, find_loss(scoring), []
        for b in sorted(fits):
            knots = zip(self.knots(fits[b].tau[:, : b + 1]), fits[b].u[:, : b + 1], strict=True)
            q = np.stack([values_at(grid.x, x, u, self.settings.link) for x, u in knots])
            cost = grid.mass[:, 0] * loss(np.ones_like(q), q) + grid.mass[:, 1] * loss(np.zeros_like(q), q)
            losses.append(cost.sum(axis=1) / grid.mass.sum(axis=(1, 2)))
        return np.stack(losses, axis=1)

    def _identity(self, bins: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the starting point: equal shares of the data, and the identity map."""
        tau = np.minimum(np.arange(self.room + 1) / bins[:, None], 1.0)
        x = self.knots(tau)
        u = x if self.space == "logit" else LOGIT.forward(x, EPS)
        return np.clip(u, -LIMIT[self.space], LIMIT[self.space]), tau

    def _run(
        self,
        grid: Grid,
        start: tuple[FloatArray, FloatArray],
        bins: IntArray,
        left_out: IntArray,
        stop: Stop,
        moving: bool = True,
    ) -> Fits:
        from fitontest.families.piecewise.program import placed, run  # imports jax

        if grid not in self.placed:
            self.placed[grid] = placed(grid.x, grid.mass)
        rows = np.where(left_out < 0, len(self.folds), left_out)
        tasks = Tasks(self.placed[grid], rows, bins, *start, self.quantiles, self.settings.alpha, moving)
        return run(tasks, self.space, self.settings.loss, stop)


def room_of(most: int) -> int:
    """Return how many segments a map has room for, where at most so many are asked for."""
    return -(-(most + DETOUR) // ROOM) * ROOM


def separated(x: FloatArray, apart: float) -> FloatArray:
    """Return rows that increase strictly, by at least `apart` or one float, moving nothing but what is too close.

    The first and the last entry of a row keep their places.
    """
    x = np.array(x)
    for k in range(1, x.shape[1] - 1):
        x[:, k] = np.maximum(x[:, k], np.maximum(np.nextafter(x[:, k - 1], np.inf), x[:, k - 1] + apart))
    for k in range(x.shape[1] - 2, 0, -1):
        x[:, k] = np.minimum(x[:, k], np.minimum(np.nextafter(x[:, k + 1], -np.inf), x[:, k + 1] - apart))
    return x


def values_at(at: FloatArray, x: FloatArray, u: FloatArray, link: Link) -> FloatArray:
    """Return the polygon through (x, u) at scores on the family's scale, as probabilities."""
    if link is IDENTITY:
        return np.interp(at, x, LOGIT.inverse(u))
    k = np.searchsorted(x[1:-1], at, side="right")
    right = (at - x[k]) / np.maximum(x[k + 1] - x[k], TINY)
    return LOGIT.inverse(u[k] + (u[k + 1] - u[k]) * np.clip(right, -FAR, FAR))


def _grid_in_rows(sample: ScoreSample, folds: list[IntArray], link: Link, size: int | None) -> Grid:
    """Return the masses on a grid, in rows."""
    grid = grid_of(sample, folds, link, size)
    return replace(grid, mass=grid.mass / sample.row_weight)


def _seen(grid: Grid, settings: Settings) -> Grid:
    """Return the masses without each fold, and last (at -1) all of them, the pull to the identity included."""
    # sums of the folds before and after: total less one fold would round where that fold holds heavy rows
    nothing = np.zeros((1, *grid.mass.shape[1:]))
    before = np.concatenate((nothing, np.cumsum(grid.mass, axis=0)))
    after = np.concatenate((np.cumsum(grid.mass[::-1], axis=0)[::-1], nothing))
    pull = settings.kappa * grid.total / grid.total.sum()
    p = settings.link.inverse(grid.x)
    seen = np.concatenate((before[:-1] + after[1:], before[-1:]))
    return Grid(grid.x, seen + np.stack((pull * p, pull * (1.0 - p))))


def _curvature(spread: FloatArray, settings: Settings) -> FloatArray:
    """Return d2L/df2 per unit weight, in expectation, where q (1 - q) is `spread`."""
    if settings.loss == "brier":
        return 2.0 * spread**2 if settings.space == "logit" else np.full_like(spread, 2.0)
    return spread if settings.space == "logit" else 1.0 / spread


def filled_up(x: FloatArray, u: FloatArray, size: int, space: Space) -> tuple[FloatArray, FloatArray]:
    """Return the same polygon with `size` knots: those that are missing are put on its widest segment."""
    k = int(np.argmax(np.diff(x)))
    share = np.linspace(0.0, 1.0, size - x.size + 2)[1:-1]
    if space == "logit":
        there = u[k] + share * (u[k + 1] - u[k])
    else:
        low, high = LOGIT.inverse(u[k : k + 2])
        there = LOGIT.forward(low + share * (high - low), EPS)
    return np.insert(x, k + 1, x[k] + share * (x[k + 1] - x[k])), np.insert(u, k + 1, there)


def _gains(fitter: Fitter, at: FloatArray, fits: Fits, left_out: IntArray) -> FloatArray:
    """Return what a knot at each place should gain over a straight line, by the curvature at the fits."""
    q = np.clip(_values_of_two_bins(fitter, fitter.coarse.x, fits), LEAST, 1.0 - LEAST)
    positive, negative = np.moveaxis(fitter.coarse.mass[left_out], 1, 0)
    spread, total = q * (1.0 - q), positive + negative
    curvature = _curvature(spread, fitter.settings)
    f, per_f = (LOGIT.forward(q, EPS), spread) if fitter.space == "logit" else (q, np.ones_like(q))  # dq/df
    w = total * curvature
    return gains_of_a_bend(at, fitter.coarse.x, w, w * f - (total * q - positive) * curvature / per_f)


def _moved_knot(fitter: Fitter, fits: Fits, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the maps of two bins as starting points with other knots, of shape (B, C), row by row."""
    limit = LIMIT[fitter.space]
    tau = np.ones((*at.shape, fitter.room + 1))
    tau[:, :, 0] = 0.0
    tau[:, :, 1] = np.interp(at, fitter.quantiles, np.linspace(0.0, 1.0, POINTS))
    u = np.repeat(fits.u[:, None, :], at.shape[1], axis=1)
    u[:, :, 1] = np.clip(LOGIT.forward(_values_of_two_bins(fitter, at, fits), EPS), -limit, limit)
    return u.reshape(-1, fitter.room + 1), tau.reshape(-1, fitter.room + 1)


def _values_of_two_bins(fitter: Fitter, at: FloatArray, fits: Fits) -> FloatArray:
    """Return the maps at places on the family's scale, of shape (C,) or (B, C), as probabilities."""
    places = np.broadcast_to(at, (len(fits.u), at.shape[-1]))
    x, u = fitter.knots(fits.tau[:, :3]), fits.u[:, :3]
    return np.stack([values_at(*row, fitter.settings.link) for row in zip(places, x, u, strict=True)])
