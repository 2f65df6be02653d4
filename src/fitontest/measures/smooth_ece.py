r"""The smooth calibration error: the residuals smoothed over the scores, with a bandwidth that the data choose.

    smECE_s = integral over t in [0, 1] of |(1/W) sum_i w_i K_s(t, p_i) (y_i - p_i)| dt

with K_s the Gaussian of standard deviation s, reflected at 0 and at 1 as often as it takes. smECE_s falls as s grows;
smECE is the one value that equals its own bandwidth, smECE_s = s.

The reflected Gaussian is diagonal in cosines:

    K_s(t, p) = 1 + 2 sum_{k >= 1} exp(-(pi k s)^2 / 2) cos(pi k t) cos(pi k p)

So the residuals are laid on a grid once and transformed once; every bandwidth then takes one more transform.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.fft import dct
from scipy.optimize import brentq

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.distances import farthest
from fitontest.results.checks import is_real
from fitontest.results.typing import FloatArray

NARROWEST = 1e-4  # bandwidth that may be given
COARSEST, FINEST = 2**10, 2**19  # cells of the grid
CELLS_PER_BANDWIDTH = 32  # at least; the grid then adds a part in 6000 to the variance of the Gaussian


@register("smooth_ece")
@dataclass(frozen=True)
class SmoothECE(Measure):
    r"""The smooth calibration error of two classes: an ECE without bins, in [0, 1].

    It is the mean absolute residual after residuals of near scores have been averaged by a Gaussian, whose width is by
    default the error itself.

    smECE_s = integral over t in [0, 1] of |(1/W) sum_i w_i K_s(t, p_i) (y_i - p_i)| dt, K_s the Gaussian of standard
    deviation s reflected at 0 and 1; smECE is the s with smECE_s = s.

    Parameters
    ----------
    bandwidth : float, optional
        s, at least 1e-4. By default the bandwidth that equals the value.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    It is computed on a grid in O(n + grid log grid) and differs from the integral by no more than 2e-5. Values below
    6e-5, which the finest grid does not tell apart, are only known to be that small.

    The authors' package relplot takes 200 points for the integral and steps of 1/1024 for the bandwidth; its Gaussian
    ends at a distance of 1/2. Most of its values are within 0.0015 of these. Few tied scores, and bandwidths above 0.2,
    make it differ more.

    References
    ----------
    Błasiok, Nakkiran (2023), Smooth ECE: principled reliability diagrams via kernel smoothing.
    https://doi.org/10.48550/arXiv.2309.12236

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8])
    >>> error = fot.measures.make("smooth_ece").estimate(sample)
    >>> round(error.value, 4), round(error.bandwidth, 4)
    (0.3, 0.3)
    >>> round(fot.measures.make("smooth_ece", bandwidth=0.1).estimate(sample).value, 4)
    0.3
    """

    words = Words(title="smooth ECE")

    bandwidth: float | None = None

    def __post_init__(self) -> None:
        s = self.bandwidth
        if s is not None and not (is_real(s) and NARROWEST <= s < np.inf):
            raise ValueError(f"bandwidth must be None or a finite number, at least {NARROWEST:g}; got {s!r}")

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the integral of the smoothed residuals, with the bandwidth."""
        distinct = sample.distinct
        value, bandwidth = self._measured(distinct.p, distinct.wy - distinct.w * distinct.p, float(distinct.w.sum()))
        return Estimate.of(self, sample, value, Smoothed(bandwidth=bandwidth))

    def target(self, sample: ScoreSample, c: FloatArray) -> float | None:
        """Return the same with c in place of y."""
        order = np.lexsort((sample.w, c, sample.p))  # so that the order of the rows does not show
        p, w = sample.p[order], sample.w[order]
        return self._measured(p, w * (c[order] - p), float(w.sum()))[0]

    def ceiling(self, sample: ScoreSample) -> float:
        """Return the largest mean |c - p|: smoothing moves residuals, which may cancel, and adds nothing to them."""
        return float(sample.w @ np.abs(farthest(sample.p) - sample.p) / sample.w.sum())

    def _measured(self, p: FloatArray, residuals: FloatArray, total: float) -> tuple[float, float]:
        """Return the value and the bandwidth."""
        smoothing = _Smoothing(p, residuals / total)
        bandwidth = smoothing.fixed_point() if self.bandwidth is None else float(self.bandwidth)
        return smoothing.value(bandwidth), bandwidth


@dataclass(frozen=True, kw_only=True, eq=False)
class Smoothed(Evidence):
    """The bandwidth of the Gaussian with which the residuals were smoothed.

    Attributes
    ----------
    bandwidth : float
        As given, or the one that equals the value.
    """

    recorded = ("bandwidth",)

    bandwidth: float


@dataclass(frozen=True, eq=False)
class _Smoothing:
    """Residuals, as shares of the total weight, and their transforms on grids of several widths."""

    p: FloatArray
    residuals: FloatArray
    transforms: dict[int, FloatArray] = field(default_factory=dict)

    def value(self, s: float) -> float:
        """Return smECE_s on a grid that is fine enough for it."""
        cells = COARSEST
        while cells < FINEST and s * cells < CELLS_PER_BANDWIDTH:
            cells *= 2
        return self._on_grid(cells, s)

    def fixed_point(self) -> float:
        """Return the s with smECE_s = s, on the coarsest grid that is fine enough for it."""
        if not self.residuals.any():
            return 0.0
        cells = COARSEST
        while cells < FINEST and self._excess(CELLS_PER_BANDWIDTH / cells, cells) < 0:
            cells *= 2
        low = CELLS_PER_BANDWIDTH / cells
        if self._excess(low, cells) < 0:  # on the finest grid
            low = 0.0
        return float(brentq(self._excess, low, 2.0, args=(cells,), xtol=1e-12))

    def _excess(self, s: float, cells: int) -> float:
        return self._on_grid(cells, s) - s

    def _on_grid(self, cells: int, s: float) -> float:
        if cells not in self.transforms:
            self.transforms[cells] = _cosine_transform(self.p, self.residuals, cells)
        damping = np.exp(-0.5 * (np.pi * s * np.arange(cells + 1)) ** 2)
        return _integral_of_absolute(dct(damping * self.transforms[cells], type=1)) / cells


def _cosine_transform(p: FloatArray, masses: FloatArray, cells: int) -> FloatArray:
    """Return a_k = sum_i m_i cos(pi k p_i), k = 0..cells, of masses that are shared by the two nearest grid points."""
    at = p * cells
    left = np.minimum(at.astype(np.intp), cells - 1)
    to_right = masses * (at - left)
    grid = np.zeros(cells + 1)
    grid += np.bincount(left, masses - to_right, cells + 1)
    grid += np.bincount(left + 1, to_right, cells + 1)
    grid[1:-1] *= 0.5  # the transform counts inner points twice
    return np.asarray(dct(grid, type=1))


def _integral_of_absolute(values: FloatArray) -> float:
    """Return the integral of |g| over cells of width 1, g being linear between the values, also where it crosses 0."""
    a, b = np.abs(values[:-1]), np.abs(values[1:])
    crossing = np.signbit(values[:-1]) != np.signbit(values[1:])
    areas = (a + b) / 2.0
    both = 2.0 * (a + b)
    np.divide(a * a + b * b, both, out=areas, where=crossing & (both > 0))
    return float(areas.sum())
