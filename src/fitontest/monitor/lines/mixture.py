"""The mean likelihood of lines of the logits under a normal prior of shift and logarithm of the slope."""

import numpy as np

from fitontest.monitor.bettors.line import SHIFT_SPREAD, SLOPE_SPREAD
from fitontest.monitor.lines.likelihood import LineLikelihood
from fitontest.numerics.log_sums import log_sum_exp
from fitontest.results.typing import FloatArray

PRECISION = np.array([SHIFT_SPREAD, SLOPE_SPREAD]) ** -2.0
FARTHEST = 7.5  # standard deviations from the mode that are summed over
POINTS = np.linspace(-FARTHEST, FARTHEST, 25)
BELOW = POINTS[POINTS < 0.0]
MOST_STEPS, MOST_HALVINGS = 50, 30
LONGEST = 2.0  # step, so that no slope is beyond all numbers
SMALL = 1e-4  # last step to the mode, in standard deviations: it only places the sum
STEEPEST = np.log(6.0)  # of the slopes that are summed over: of steeper lines the likelihood is not known well
AT_STEEPEST = STEEPEST - 1e-9  # sums of steps are rounded


def log_mixture(likelihood: LineLikelihood, mode: FloatArray) -> float:
    """Return the logarithm of the mean likelihood under the prior, from its largest value times the prior.

    The integral over shift and logarithm of the slope is a sum over a lattice about the mode, as wide as the normal
    distribution with its curvature there; for functions so smooth it is right to 1e-5, where the mode is not at slope
    6. There it is a sum that lies below the integral, of slopes below 6 alone: a smaller mean is valid too.
    """
    _, gradient, curvature = _posterior(likelihood, mode)
    across = 1.0 / np.sqrt(curvature[0, 0])  # of the shift where the slope is given
    along = 1.0 / np.sqrt(curvature[1, 1] - curvature[0, 1] ** 2 / curvature[0, 0])
    points = POINTS
    if mode[1] > AT_STEEPEST:
        along, points = 1.0 / max(1.0 / along, gradient[1]), BELOW
    log_slopes = mode[1] + along * points
    shifts = mode[0] - curvature[0, 1] / curvature[0, 0] * (log_slopes - mode[1])[:, None] + across * POINTS
    logs = likelihood.log(shifts, np.exp(log_slopes))
    logs -= 0.5 * (PRECISION[0] * shifts**2 + PRECISION[1] * log_slopes[:, None] ** 2)
    cell = across * along * (POINTS[1] - POINTS[0]) ** 2
    return float(log_sum_exp(logs.ravel()) + np.log(cell / (2.0 * np.pi * SHIFT_SPREAD * SLOPE_SPREAD)))


def mode_of(likelihood: LineLikelihood) -> FloatArray:
    """Return shift and logarithm of the slope where likelihood times prior is largest, by Newton's method.

    Of slopes up to 6.
    """
    mode = np.zeros(2)
    height, gradient, curvature = _posterior(likelihood, mode)
    for _ in range(MOST_STEPS):
        step = _step(mode, gradient, curvature)
        if step @ curvature @ step < SMALL**2:
            break
        for _ in range(MOST_HALVINGS):
            moved = _posterior(likelihood, mode + step)
            if moved[0] >= height:
                break
            step = step / 2.0
        mode = mode + step
        height, gradient, curvature = moved
    return mode


def _step(mode: FloatArray, gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    """Return Newton's step, of a limited length, to slopes of 6 at most; at 6 that of the shift alone."""
    step = np.linalg.solve(curvature, gradient)
    if mode[1] > AT_STEEPEST and max(step[1], gradient[1]) > 0.0:
        step = np.array([gradient[0] / curvature[0, 0], 0.0])
    step *= min(1.0, LONGEST / np.abs(step).max()) if step.any() else 1.0
    room = max(STEEPEST - mode[1], 0.0)
    return np.asarray([step[0] * room / step[1], room] if step[1] > room else step)


def _posterior(likelihood: LineLikelihood, at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return log likelihood plus log prior, its gradient, and minus its second derivatives.

    The gradient of the likelihood in the logarithm of the slope is part of these where it makes them larger alone, so
    that they are positive definite.
    """
    slope = np.exp(at[1])
    log, gradient, second = likelihood.derivatives(np.array([[at[0], slope]]))
    scale = np.array([1.0, slope])
    height = float(log[0] - 0.5 * PRECISION @ at**2)
    upward = gradient[0] * scale
    bent = np.diag(PRECISION + np.array([0.0, max(0.0, -upward[1])]))
    return height, upward - PRECISION * at, -second[0] * np.outer(scale, scale) + bent
