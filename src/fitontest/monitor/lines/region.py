"""The ends of a convex set of lines: how far shift and slope reach where the likelihood is above a limit."""

import numpy as np

from fitontest.monitor.lines.likelihood import LineLikelihood
from fitontest.results.typing import FloatArray

LOWEST, HIGHEST = np.array([-40.0, -1.0]), np.array([40.0, 6.0])  # shift and slope that are looked at
VALUE = np.array([0, 0, 1, 1])  # of the four ends: whether of shift or slope
OTHER = 1 - VALUE
SIDE = np.array([-1.0, 1.0, -1.0, 1.0])
EDGE = np.where(SIDE < 0.0, LOWEST[VALUE], HIGHEST[VALUE])
ENDS = np.arange(4)
MOST_STEPS = 60
CLOSE = 1e-9  # last step to an end
AT_EDGE = 1e-6  # from the edge of what is looked at
GAIN = 1e-12  # of likelihood that is left in the other value
SPECK = 1e-6  # of curvature, where rows tell nothing of the slope


def ends_of(likelihood: LineLikelihood, inside: FloatArray, limit: float) -> FloatArray:
    """Return the lowest and the highest shift and slope of all lines whose log likelihood is at least `limit`.

    The largest likelihood of all slopes is a concave function of the shift, and lies below its tangents. Newton's
    method therefore comes to an end from outside, so that it never leaves a line out that belongs to the set.

    Parameters
    ----------
    likelihood : LineLikelihood
    inside : array of shape (2,)
        Shift and slope of a line of the set.
    limit : float

    Returns
    -------
    array of shape (2, 2)
        The ends for the shift, and for the slope; infinite where lines at the edge of what is looked at belong to the
        set: shifts from -40 to 40 and slopes from -1 to 6. So is an end for the shift at which the likeliest slope is
        at this edge, since steeper lines may have shifts that are farther out, and the other way round.
    """
    lines = _first_guess(likelihood, np.clip(inside, LOWEST, HIGHEST), limit)
    for _ in range(MOST_STEPS):
        lines, log, gradient = _best(likelihood, lines)
        at = lines[ENDS, VALUE]
        falling = SIDE * gradient < 0.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            tangent = at - (log - limit) / gradient
        moved = np.clip(np.where(falling, tangent, EDGE), LOWEST[VALUE], HIGHEST[VALUE])
        lines[ENDS, VALUE] = moved
        if np.abs(moved - at).max() < CLOSE:
            break
    other = lines[ENDS, OTHER]
    at_edge = (other < LOWEST[OTHER] + AT_EDGE) | (other > HIGHEST[OTHER] - AT_EDGE)
    unknown = ((moved == EDGE) & (log >= limit)) | at_edge
    return np.asarray(np.where(unknown, SIDE * np.inf, moved).reshape(2, 2))


def _first_guess(likelihood: LineLikelihood, inside: FloatArray, limit: float) -> FloatArray:
    """Return the lines at the four ends if the log likelihood were a quadratic form, shape (4, 2)."""
    log, _, second = likelihood.derivatives(inside[None])
    covariance = np.linalg.inv(SPECK * np.eye(2) - second[0])
    reach = np.sqrt(2.0 * max(float(log[0]) - limit, 0.0) / np.diag(covariance))
    return np.asarray(np.clip(inside + (SIDE * reach[VALUE])[:, None] * covariance[VALUE], LOWEST, HIGHEST))


def _best(likelihood: LineLikelihood, lines: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the likeliest lines of the value of each end, their log likelihood, and its derivative in that value.

    Newton's steps that leave the interval of the root of the derivative are replaced by its middle.
    """
    lines, low, high = lines.copy(), LOWEST[OTHER], HIGHEST[OTHER]
    for _ in range(MOST_STEPS):
        log, gradient, second = likelihood.derivatives(lines)
        at, slope = lines[ENDS, OTHER], gradient[ENDS, OTHER]
        curvature = np.maximum(-second[ENDS, OTHER, OTHER], np.finfo(float).tiny)
        low, high = np.where(slope >= 0.0, at, low), np.where(slope <= 0.0, at, high)
        with np.errstate(over="ignore"):
            newton = at + slope / curvature
        moved = np.where((newton >= low) & (newton <= high), newton, 0.5 * (low + high))
        if np.all((slope**2 < GAIN * curvature) | (np.abs(moved - at) < CLOSE)):
            break
        lines[ENDS, OTHER] = moved
    return lines, log, gradient[ENDS, VALUE]
