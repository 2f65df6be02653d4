"""The two identities of calibration maps and proper losses, both sides of each computed apart.

Let q = c_hat(p) be what a map predicts, c the true probability, and d a Bregman divergence. Then

    E loss(q, Y) - E loss(c, Y)  =  E d(q, c)                                        (Theorem 1 of the reference)
    E d(q, c)                    =  E d(q, E[c | q])  +  E d(E[c | q], c)            (Theorem 3)
    error of the map                calibration error    grouping

Both hold of any rows, with E the mean over them, once labels are averaged by their true probabilities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import rel_entr, xlog1py, xlogy

from fitontest.data.arrays import as_numbers, check_finite
from fitontest.numerics.losses import LOG_LOSS_EPS
from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray
from fitontest.simulation.problem import Problem, Seed
from fitontest.simulation.truth import mean_given

Divergence: TypeAlias = Literal["brier", "log_loss"]
DRAWN = 100_000


@dataclass(frozen=True)
class Decomposition:
    """The error of a calibration map, in what is left to calibrate and in what was joined that differs.

    Attributes
    ----------
    error : float
        Mean divergence of the map from the true probabilities, E d(c_hat, c).
    calibration : float
        Mean divergence from what its values mean, E d(c_hat, E[c | c_hat]).
    grouping : float
        Mean divergence of that from the true probabilities, E d(E[c | c_hat], c): 0 unless scores of different true
        probabilities have one value.
    excess_loss : float
        Expected loss of the map less that of the true probabilities, from the losses of labels.

    Examples
    --------
    >>> from fitontest.truth import decompose
    >>> from fitontest.datasets import Derivate
    >>> parts = decompose(Derivate("square", error=0.1), lambda p: 0 * p + 0.5)
    >>> bool(abs(parts.calibration + parts.grouping - parts.error) < 1e-12)
    True
    """

    error: float
    calibration: float
    grouping: float
    excess_loss: float


def decompose(
    problem: Problem, calibration_map: Any, *, distance: Divergence = "brier", n: int = DRAWN, random_state: Seed = 0
) -> Decomposition:
    """Decompose the error of a calibration map into calibration and grouping, where the truth is known.

    The mean divergence from the true probabilities is that from what the values of the map mean, plus that of these
    from the true probabilities; and it is what the map loses in expected loss. All four are computed apart, of n scores
    drawn from the problem, and are equal to rounding.

    Parameters
    ----------
    problem : Problem
        Where scores and true probabilities come from.
    calibration_map : fitted family, CalibrationMap, or callable
        From n scores to n finite values; anything with a method ``predict`` is asked by it.
    distance : {"brier", "log_loss"}, default="brier"
        The squared difference, or the Kullback-Leibler divergence, for which values are cut to [1e-6, 1 - 1e-6].
    n : int, default=100,000
        Scores to draw.
    random_state : int, numpy Generator or None, default=0
        Seed of the scores.

    Returns
    -------
    Decomposition

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found: a distance that is no divergence, or values that are no n
        finite numbers.

    Notes
    -----
    E[c | c_hat] is the mean over the scores of one value, as in `error_after_calibration`. The absolute distance is no
    divergence: for it calibration and grouping do not add up.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114, Theorems 1 and 3. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> from fitontest.datasets import Derivate
    >>> from fitontest.truth import decompose
    >>> problem = Derivate("square", error=0.1)
    >>> y, p, _ = problem.draw(1000)
    >>> parts = decompose(problem, fot.families.make("flat", n_bins=5).fit(p, y))
    >>> print(*(f"{name} {value:.5f}" for name, value in vars(parts).items()))
    error 0.00463 calibration 0.00127 grouping 0.00336 excess_loss 0.00463
    """
    divergence, loss, cut = _DIVERGENCES[choose(distance, _DIVERGENCES, "distance")]
    _, p, c = problem.draw(n, random_state)
    q = cut(_values(calibration_map, p))
    after = mean_given(q, c, np.ones_like(c))
    return Decomposition(
        error=float(divergence(q, c).mean()),
        calibration=float(divergence(q, after).mean()),
        grouping=float(divergence(after, c).mean()),
        excess_loss=float((loss(q, c) - loss(c, c)).mean()),
    )


def _values(calibration_map: Any, p: FloatArray) -> FloatArray:
    predict = getattr(calibration_map, "predict", calibration_map)
    if not callable(predict):
        rule = "calibration_map must be a fitted family, a CalibrationMap or a callable"
        raise ValueError(f"{rule}, got {type(calibration_map).__name__}")
    values = as_numbers(predict(p), "calibration_map").astype(np.float64)
    if values.shape != p.shape:
        raise ValueError(f"calibration_map must return one value for each of {p.size} scores, got shape {values.shape}")
    check_finite(values, "calibration_map")
    return values


def _squared(q: FloatArray, c: FloatArray) -> FloatArray:
    return (q - c) ** 2


def _expected_brier(q: FloatArray, c: FloatArray) -> FloatArray:
    """Return E (q - Y)^2 with Y of probability c."""
    return c * (q - 1.0) ** 2 + (1.0 - c) * q**2


def _kullback_leibler(q: FloatArray, c: FloatArray) -> FloatArray:
    below_one = np.minimum(q, np.nextafter(1.0, 0.0))  # a mean of numbers below 1 may be rounded to it
    return np.asarray(rel_entr(c, q) + rel_entr(1.0 - c, 1.0 - below_one))


def _expected_log_loss(q: FloatArray, c: FloatArray) -> FloatArray:
    return -np.asarray(xlogy(c, q) + xlog1py(1.0 - c, -q))


def _off_the_ends(q: FloatArray) -> FloatArray:
    return np.clip(q, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS)


_Function: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_DIVERGENCES: dict[str, tuple[_Function, _Function, Callable[[FloatArray], FloatArray]]] = {
    "brier": (_squared, _expected_brier, np.asarray),
    "log_loss": (_kullback_leibler, _expected_log_loss, _off_the_ends),
}
