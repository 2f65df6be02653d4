"""The band of a reference sample: between which values the true rates lie at all scores at once, if they never fall."""

import numpy as np

from fitontest.data.cells.cell_sums import CellSums
from fitontest.monitor.nulls.rates import Band
from fitontest.numerics.significance.exact_share import share_limits
from fitontest.results.typing import FloatArray, IntArray

BLOCKS = 160  # runs of scores, of equal sums of sqrt(p (1 - p))
LENGTHS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128])  # of intervals, in blocks


def band_of_reference(sums: CellSums, alpha: float) -> Band:
    """Return the band that holds the true rates of a reference at all scores at once with probability 1 - alpha.

    The scores are cut into 160 blocks, and runs of 1, 2, 3, 4, 6, 8, ... blocks are intervals I, with n rows and k
    positives. The mean rate of an interval lies between its exact limits of Clopper and Pearson; with M intervals each
    limit has the level alpha / (2 M), and all hold at once. Where rates never fall with the score, the rate at x is at
    most the mean rate of every interval to the right of x, and at least that of every interval to the left:

        l(x) = max {low(I) : I <= x},    u(x) = min {high(I) : I >= x}.

    Nothing else is assumed of the rates: they may jump, be constant over wide ranges, or be off by any amount. What is
    assumed is that they never fall, and that labels are independent given the scores. Where rates fall somewhere, the
    band may leave them out there.

    Parameters
    ----------
    sums : CellSums
        Whose weights count independent rows.
    alpha : float

    Raises
    ------
    ValueError
        Limits that no rates can keep that never fall.

    References
    ----------
    Clopper, Pearson (1934), The use of confidence or fiducial limits, Biometrika 26.
    https://doi.org/10.1093/biomet/26.4.404
    Yang, Barber (2019), Contraction and uniform convergence of isotonic regression, Electronic Journal of Statistics
    13. https://doi.org/10.1214/18-EJS1520 (There of all intervals, and by a bound for sub-Gaussian errors.)
    """
    knots = _knots(sums)
    first, last = _intervals(knots.size - 1)
    rows, positives = (np.append(0.0, np.cumsum(column))[knots] for column in (sums.w.sum(axis=1), sums.w[:, 1]))
    lows, highs = share_limits(positives[last] - positives[first], rows[last] - rows[first], 0.5 * alpha / first.size)
    lower, upper = np.zeros(knots.size), np.ones(knots.size)
    np.maximum.at(lower, last, lows)
    np.minimum.at(upper, first, highs)
    lower = np.maximum.accumulate(lower)[1:]
    upper = np.minimum.accumulate(upper[::-1])[::-1][:-1]
    ends, starts = sums.high[knots[1:] - 1], sums.low[knots[:-1]]
    rises, last_of = np.diff(lower, prepend=0.0) > 0.0, np.diff(upper, append=1.0) > 0.0
    band = Band(
        alpha=alpha,
        ends=ends[rises],
        lows=lower[rises],
        starts=starts[last_of],
        highs=upper[last_of],
        n=int(rows[-1]),
        events=int(positives[-1]),
    )
    _check(band)
    return band


def _knots(sums: CellSums) -> IntArray:
    """Return the places of cells at which blocks begin, and the number of cells."""
    p, rows = sums.p, sums.w.sum(axis=1)
    mass = np.cumsum(rows * (np.sqrt(p * (1.0 - p)) + 1e-6))  # scores that are all 0 and 1 are cut into blocks too
    inner = np.searchsorted(mass, mass[-1] * np.arange(1, BLOCKS) / BLOCKS)
    return np.unique(np.concatenate(([0], inner, [len(sums)])))


def _intervals(blocks: int) -> tuple[IntArray, IntArray]:
    """Return the blocks with which intervals begin, and those before which they end."""
    lengths = LENGTHS[blocks >= LENGTHS]
    first = np.concatenate([np.arange(blocks - length + 1) for length in lengths])
    return first, first + np.repeat(lengths, blocks - lengths + 1)


def _check(band: Band) -> None:
    """Refuse limits that cross: rates that keep them fall somewhere."""
    upper: FloatArray = band.upper(band.ends)
    crossed = np.flatnonzero(band.lows > upper)
    if crossed.size:
        k = crossed[np.argmax(band.lows[crossed] - upper[crossed])]
        raise ValueError(
            "reference must have rates that never fall with the score; "
            f"up to the score {band.ends[k]:.4g} some are at least {band.lows[k]:.4g}, "
            f"and above it some are at most {upper[k]:.4g}"
        )
