"""How far estimates are from a truth that is known: the measures of a simulation study.

Where data are simulated, the true probability c of each row is known, and with it everything that data alone can only
estimate. Section 6 of the fit-on-test paper gives a calibrator two errors: how far its map is from the true one
(calibration map estimation error, CMEE), and how far its outputs are from being calibrated (calibration error after
calibration, CEAC), which is never larger. It measures an evaluator by the error of its estimate, and by whether it
ranks models as the truth does.

The distance of a prediction q from a true probability c is one of

    absolute    |q - c|
    brier       (q - c)^2
    log_loss    c log(c / q) + (1 - c) log((1 - c) / (1 - q)),   q clipped to [1e-6, 1 - 1e-6]

The last two are the Bregman divergences of the Brier score and the log loss: what a map gains in expected divergence
from c, it gains in expected loss (Theorem 1 of the paper).
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import rel_entr
from scipy.stats import spearmanr

from fitontest.data.arrays import as_numbers, as_scores, check_finite, check_same_length
from fitontest.data.weights import read_weights
from fitontest.numerics.losses import LOG_LOSS_EPS
from fitontest.numerics.norms import l1
from fitontest.results.checks import choose
from fitontest.results.typing import ArrayInput, FloatArray

Distance: TypeAlias = Literal["absolute", "brier", "log_loss"]


def true_error(
    p: ArrayInput, c: ArrayInput, *, distance: Distance = "absolute", sample_weight: ArrayInput = None
) -> float:
    """Return the true calibration error of scores: their mean distance from the true probabilities.

    With the default distance it is sum w |p - c| / sum w: what `calibration_error` estimates from labels. With
    "brier" it is the square of what ``norm="l2"`` estimates.

    Parameters
    ----------
    p : array-like of shape (n,)
        Scores in [0, 1].
    c : array-like of shape (n,)
        True probability of a positive at each score, in [0, 1].
    distance : {"absolute", "brier", "log_loss"}, default="absolute"
        See `fitontest.truth`.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the rows.

    Returns
    -------
    error : float
        At least 0: a fraction, with "brier" a squared one, with "log_loss" in nats.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> from fitontest.truth import true_error
    >>> round(true_error([0.2, 0.6], [0.3, 0.6]), 3)
    0.05
    """
    return _mean_distance(as_scores(p, "p"), c, sample_weight, distance, "p")


def map_error(
    c_hat: ArrayInput, c: ArrayInput, *, distance: Distance = "absolute", sample_weight: ArrayInput = None
) -> float:
    """Return how far a fitted calibration map is from the true one, where true probabilities are known (CMEE).

    The calibration map estimation error, the mean distance between c_hat and c.

    With "brier" or "log_loss" it is the expected Bregman divergence of the map from the true one.

    Parameters
    ----------
    c_hat : array-like of shape (n,)
        Values of a fitted map at n scores, finite; bins of slope 1 may leave [0, 1].
    c : array-like of shape (n,)
        True probability of a positive at each of them, in [0, 1].
    distance : {"absolute", "brier", "log_loss"}, default="absolute"
        See `fitontest.truth`.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights of the rows.

    Returns
    -------
    error : float
        At least 0: a fraction, with "brier" a squared one, with "log_loss" in nats.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114, section 6.1. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> from fitontest.datasets import Derivate
    >>> from fitontest.truth import map_error
    >>> problem = Derivate("square", error=0.1)
    >>> y, p, _ = problem.draw(3000, random_state=0)
    >>> platt = fot.families.make("platt").fit(p, y)
    >>> _, p_new, c_new = problem.draw(100_000, random_state=1)
    >>> round(map_error(platt.predict(p_new), c_new), 3)
    0.01
    """
    return _mean_distance(_as_values(c_hat, "c_hat"), c, sample_weight, distance, "c_hat")


def error_after_calibration(
    c_hat: ArrayInput, c: ArrayInput, *, distance: Distance = "absolute", sample_weight: ArrayInput = None
) -> float:
    """Return the true calibration error that is left after calibration, where true probabilities are known (CEAC).

    The mean distance between c_hat and E[c | c_hat].

    The conditional mean is taken over rows whose c_hat is the same float. For maps of a few levels (binning, isotonic)
    that is the frequency of positives at each level; for strictly increasing maps every row is its own group and the
    error is that of `map_error`. It is never larger (Theorem 3 of the reference): a constant map at the base rate has a
    CEAC of 0 and may be far from the truth everywhere.

    Parameters
    ----------
    c_hat, c, distance, sample_weight
        As for `map_error`.

    Returns
    -------
    error : float
        At least 0: a fraction, with "brier" a squared one, with "log_loss" in nats.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114, section 6.1. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> from fitontest.truth import error_after_calibration, map_error
    >>> c = [0.1, 0.3, 0.8]
    >>> constant = [0.4, 0.4, 0.4]
    >>> error_after_calibration(constant, c) < 1e-15, round(map_error(constant, c), 3)
    (True, 0.267)
    """
    q, truth, w = _columns(_as_values(c_hat, "c_hat"), c, sample_weight, "c_hat")
    return l1(_find(distance)(q, mean_given(q, truth, w)), w)


def rank_correlation(estimates: ArrayInput, truths: ArrayInput) -> float:
    """Return Spearman's correlation between estimated and true errors of several models, from -1 to 1.

    It is the correlation of the ranks, equal values sharing their mean rank: 1 if the estimates rank the models as the
    truth does. NaN where all estimates or all truths are equal.

    Parameters
    ----------
    estimates, truths : array-like of shape (m,)
        One finite number for each of m >= 2 models.

    Returns
    -------
    correlation : float
        In [-1, 1], or NaN.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> from fitontest.truth import rank_correlation
    >>> rank_correlation([0.03, 0.05, 0.11], [0.01, 0.06, 0.10])
    1.0
    """
    a, b = _as_values(estimates, "estimates"), _as_values(truths, "truths")
    check_same_length(estimates=a, truths=b)
    if a.size < 2:
        raise ValueError(f"estimates must be those of at least two models, got {a.size}")
    if a.min() == a.max() or b.min() == b.max():  # scipy would warn and return the same
        return float("nan")
    return float(spearmanr(a, b).statistic)


def mean_given(q: FloatArray, c: FloatArray, w: FloatArray) -> FloatArray:
    """Return E[c | q] at each row: the weighted mean of c over the rows with the same q."""
    _, where = np.unique(q, return_inverse=True)
    mass = np.bincount(where, w)
    return np.asarray((np.bincount(where, w * c) / np.where(mass > 0, mass, 1.0))[where])


def _absolute(q: FloatArray, c: FloatArray) -> FloatArray:
    return np.abs(q - c)


def _brier(q: FloatArray, c: FloatArray) -> FloatArray:
    return (q - c) ** 2


def _log_loss(q: FloatArray, c: FloatArray) -> FloatArray:
    q = np.clip(q, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS)
    return np.asarray(rel_entr(c, q) + rel_entr(1.0 - c, 1.0 - q))


_DISTANCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "absolute": _absolute,
    "brier": _brier,
    "log_loss": _log_loss,
}


def _find(distance: str) -> Callable[[FloatArray, FloatArray], FloatArray]:
    return _DISTANCES[choose(distance, _DISTANCES, "distance")]


def _mean_distance(q: FloatArray, c: ArrayInput, weights: ArrayInput, distance: str, name: str) -> float:
    q, truth, w = _columns(q, c, weights, name)
    return l1(_find(distance)(q, truth), w)


def _columns(q: FloatArray, c: ArrayInput, weights: ArrayInput, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    truth = as_scores(c, "c")
    if q.size == 0:
        raise ValueError(f"{name} must not be empty, got 0 rows")
    w = np.ones_like(q) if weights is None else read_weights(weights, "sample_weight").w
    check_same_length(**{name: q, "c": truth, "sample_weight": None if weights is None else w})
    return q, truth, w


def _as_values(values: ArrayInput, name: str) -> FloatArray:
    """Return a column of finite numbers as float64."""
    numbers = as_numbers(values, name).astype(np.float64)
    check_finite(numbers, name)
    return numbers
