"""Kernel density estimation: the share of the positives among the densities of both classes."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.atoms import solve_beside_atoms, values_beside_atoms
from fitontest.families.base import Family, Solution
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.families.triweight import CANCELLED, TriweightSums, triweight
from fitontest.maps.binned import constant
from fitontest.maps.knots import KnotsMap
from fitontest.results.checks import is_real
from fitontest.results.typing import BoolArray, FloatArray, IntArray

LEAST = 1e-12  # bandwidth: floats near 1 are hardly closer
REACH = 3.0  # standard deviations of the triweight kernel from its middle to its end
KNOTS, KNOTS_IN_GAPS = 64, 256  # to a half-width, where there are fewer scores, and in gaps longer than half of one


@register("kde")
@dataclass(eq=False, repr=False)
class KDE(Family):
    """Fit a calibration map by kernel densities of the scores of the two classes.

    Their ratio is c_hat(p) = pi f1(p) / (pi f1(p) + (1 - pi) f0(p)).

    pi is the base rate, and f1, f0 are kernel density estimates of the scores of the positive and of the negative rows,
    reflected at 0 and 1, with one bandwidth. So c_hat(p) = sum_i w_i y_i k_i(p) / sum_i w_i k_i(p) with
    k_i(p) = K(p - p_i) + K(p + p_i) + K(2 - p - p_i), the triweight K(d) = (1 - (d / 3h)^2)^3 for |d| < 3h, else 0, and
    h the standard deviation of the kernel. Where both densities are 0, farther than 3h from all scores, c_hat(p) = p.

    Parameters
    ----------
    bandwidth : float, optional
        h, in (0, 1/3]. By default s (2 n)^(-1/5), but at most 1/3, with s the standard deviation (of the population)
        of all scores and n the number of rows.
    atoms : bool, default=False
        Whether scores that many rows share have levels of their own: the mean label there. These are scores of at
        least 2 % of the rows and at least 30 rows, if there are at most ten; else those of at least 10 % of the rows.
        The densities are those of the other rows, unless all scores are such.

    Attributes
    ----------
    map_ : KnotsMap
        Not monotone in general. (A constant BinnedMap, the base rate, when there is one distinct score; with `atoms`
        an AtomsMap around it, where there are any.)
    bandwidth_ : float
        h; NaN where the map is constant.
    degrees_of_freedom_ : float
        The sum over the rows of what each counts in its own value: the trace of the smoother.

    Raises
    ------
    ValueError
        At ``fit``, a `bandwidth` that is no number in [1e-12, 1/3]: floats near 1 are hardly closer.

    Notes
    -----
    Whole weights count rows; of other weights n is the effective number, (sum w)^2 / sum w^2.

    The map has the values of the formula at the scores of the data, to 1e-10, and at places between them, at distances
    of 3h / 64 or less. From one to the next it is a straight line, also over the last of these steps before the
    densities become 0. The error there is below 1e-3 unless the densities are less than 1/1000 of what one row adds at
    its own score. Sorting apart, a fit takes O(n log n), except that a place is summed row by row if the densities are
    below 1/1000 of what the weight around it could give.

    Deviations from the authors' code: its formula is pi f1 / f, with f the density of all scores, which is the same for
    one bandwidth; it computes the bandwidth of all scores, but overwrites it with that of the positive rows' scores; it
    reflects the scores below 1/2 at 0 and the others at 1, here all at both; and it looks the densities up on a grid.
    There too h is the standard deviation of the kernel, by the convention of the package KDEpy, not its half-width.

    References
    ----------
    Zhang, Kailkhura, Han (2020), Mix-n-Match: Ensemble and compositional methods for uncertainty calibration in deep
    learning, ICML. https://doi.org/10.48550/arXiv.2003.07329

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> kde = fot.families.make("kde").fit(p, rng.random(5000) < p**2)
    >>> kde.predict([0.3, 0.5, 0.7]).round(1), round(kde.bandwidth_, 3)
    (array([0.1, 0.3, 0.5]), 0.046)
    """

    evaluator = False

    bandwidth: float | None = None
    atoms: bool = False

    def _count_parameters(self) -> float:
        """Return the degrees of freedom of the smoother, and one for each atom."""
        return float(self.degrees_of_freedom_) + self.map_.split_atoms()[1].size

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map, the bandwidth and the degrees of freedom."""
        self._check()
        return solve_beside_atoms(sample, self.atoms, self._solve)

    def _solve(self, sample: ScoreSample) -> Solution:
        distinct = sample.distinct
        if len(distinct) == 1:
            shares = distinct.wy / distinct.w
            return Solution(constant(float(shares[0])), None, {"bandwidth_": np.nan, "degrees_of_freedom_": 1.0})
        scale = _Scale.of(distinct.p, distinct.w, distinct.w2, self.bandwidth)
        density = _Density(scale, distinct.p, np.stack((distinct.w, distinct.wy), axis=1))
        x, vanishing = _places(distinct.p, scale)
        sums = density.at(x)
        own = distinct.w * density.kernels_at_own_place / sums[np.searchsorted(x, distinct.p), 0]
        reached = sums[:, 0] > 0.0  # at the end of a reach that is a few floats long a distance is rounded
        knots = np.concatenate((x[reached], vanishing))
        values = np.concatenate((_shares(sums[reached])[:, 0], vanishing))
        order = np.argsort(knots)
        attributes = {"bandwidth_": scale.half_width / REACH, "degrees_of_freedom_": float(own.sum())}
        return Solution(KnotsMap(knots[order], values[order]), None, attributes)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the calibration maps of many sets of labels, which share the density of all rows."""
        self._check()
        own_values = partial(values_beside_atoms, atoms=self.atoms, own_values=self._values)
        return SharedFits(self.fit_map, entries, positives, own_values)

    def _values(self, entries: Entries, positives: IntArray) -> FloatArray:
        p, w, wy = entries.distinct_p, entries.distinct_w, entries.distinct_wy(positives)
        if p.size == 1:
            return np.minimum(wy / w[:, None], 1.0)
        scale = _Scale.of(p, w, entries.unlabelled.distinct.w2, self.bandwidth)
        return _shares(_Density(scale, p, np.concatenate((w[:, None], wy), axis=1)).at(p))

    def _check(self) -> None:
        if self.bandwidth is not None and not (is_real(self.bandwidth) and LEAST <= self.bandwidth <= 1 / REACH):
            raise ValueError(f"bandwidth must be None or a number in [{LEAST:g}, 1/3], got {self.bandwidth!r}")


@dataclass(frozen=True)
class _Scale:
    """The half-width of the kernel, as `width` times a `span`, so that no span of scores is too small for squares."""

    span: float
    width: float

    @classmethod
    def of(cls, p: FloatArray, w: FloatArray, w2: FloatArray, bandwidth: float | None) -> "_Scale":
        """Return the scale for scores p of weights w, whose squares sum to w2."""
        if bandwidth is not None:
            return cls(REACH * float(bandwidth), 1.0)
        span, total = float(p[-1] - p[0]), w.sum()
        along = (p - p[0]) / span
        deviation = np.sqrt(w @ (along - w @ along / total) ** 2 / total)
        width = float(REACH * deviation * (2.0 * total**2 / w2.sum()) ** -0.2)
        return cls(span, width) if width * span < 1.0 else cls(1.0, 1.0)

    @property
    def half_width(self) -> float:
        """Half-width of the kernel, on the scale of the scores."""
        return self.width * self.span

    def units(self, distance: FloatArray) -> FloatArray:
        """Return distances in half-widths; far ones may be infinite."""
        with np.errstate(over="ignore"):
            return np.asarray(distance / self.span / self.width)


class _Density:
    """Sums of kernels over the scores and over their reflections, which stand within a half-width of 0 and 1."""

    def __init__(self, scale: _Scale, p: FloatArray, columns: FloatArray) -> None:
        self._scale, self._p = scale, p
        self._upward = TriweightSums(scale.units(p - p[0]), columns)
        self._downward = TriweightSums(scale.units(p[-1] - p)[::-1], columns[::-1])

    def at(self, x: FloatArray) -> FloatArray:
        """Return the sums at increasing places within a half-width of a score, shape (m, C)."""
        p, units = self._p, self._scale.units
        below, above = units(x + p[0]), units((1.0 - x) + (1.0 - p[-1]))  # from the nearest reflection
        parts: list[tuple[BoolArray, TriweightSums, FloatArray]] = [
            (np.ones(x.size, dtype=bool), self._upward, units(x - p[0])),
            (below < 1.0, self._upward, -below),
            (above < 1.0, self._downward, -above),
        ]
        sums, weight = np.zeros((x.size, self._upward.columns.shape[1])), np.zeros(x.size)
        for reached, kernels, places in parts:
            found, around = kernels.at(places[reached])
            sums[reached] += found
            weight[reached] += around
        for i in np.flatnonzero(sums[:, 0] <= CANCELLED * weight):
            sums[i] = sum(kernels.one_by_one(places[i]) for reached, kernels, places in parts if reached[i])
        return sums

    @property
    def kernels_at_own_place(self) -> FloatArray:
        """What a row counts at its own score: its kernel there, and those of its reflections."""
        units = self._scale.units
        return 1.0 + triweight(units(2.0 * self._p)) + triweight(units(2.0 * (1.0 - self._p)))


def _shares(sums: FloatArray) -> FloatArray:
    """Return the other columns over the first, in [0, 1] whatever the rounding."""
    return np.clip(sums[:, 1:] / sums[:, :1], 0.0, 1.0)


def _places(p: FloatArray, scale: _Scale) -> tuple[FloatArray, FloatArray]:
    """Return where to evaluate the densities, the scores p among it, and where they become 0; both are increasing."""
    reach = scale.half_width
    low, high = p[0] - reach, p[-1] + reach
    wide = scale.units(np.diff(p)) >= 2.0
    below, above = p[1:][wide] - reach, p[:-1][wide] + reach
    starts = np.concatenate(([max(low, 0.0)], p[:-1], below, p[-1:]))
    ends = np.concatenate((p[:1], p[1:], p[1:][wide], [min(high, 1.0)]))
    ends[1 : p.size][wide] = above
    length = scale.units(ends - starts)
    pieces = np.maximum(np.ceil(np.where(length > 0.5, KNOTS_IN_GAPS, KNOTS) * length), 1.0).astype(np.intp)
    piece = np.repeat(np.arange(pieces.size), pieces)
    step = np.arange(piece.size) - (np.cumsum(pieces) - pieces)[piece]  # 0, 1, ... within each piece
    inner = (starts[piece] + (ends - starts)[piece] * (step / pieces[piece]))[step > 0]
    x = np.unique(np.concatenate(([0.0] if low < 0 else [], p, inner, [1.0] if high > 1 else [])))
    vanishing = ([0.0, low] if low >= 0 else [], above, below, [high, 1.0] if high <= 1 else [])
    return x, np.setdiff1d(np.concatenate(vanishing), x)
