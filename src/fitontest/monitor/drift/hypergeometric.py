"""Positives dealt out between two parts of the rows, of which it is known how many there are of each."""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray

MOST = 10**9  # numpy's generator takes fewer rows of a kind
MANY = 1e4  # variance from which the normal distribution gives every quantile to a part of a standard deviation


def dealt_positives(
    positives: IntArray, first: IntArray, second: IntArray, draws: int, rng: np.random.Generator
) -> IntArray:
    r"""Return how many positives fall to the first part, for every stratum and draw.

    Of N = n_1 + n_2 rows of a stratum K are positive. If every row is equally likely to be one of them, the number A
    among the n_1 rows of the first part has the hypergeometric distribution, P(A = a) = C(K, a) C(N - K, n_1 - a) /
    C(N, n_1). Where a stratum has 1e9 rows or more, its normal or, where one of the four margins is small, its binomial
    approximation is drawn.

    Parameters
    ----------
    positives, first, second : int arrays of shape (S,)
        K, n_1 and n_2.
    draws : int
    rng : numpy Generator

    Returns
    -------
    a : int array of shape (S, draws)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dealt_positives(np.array([3, 2]), np.array([2, 2]), np.array([2, 0]), 4, rng)
    array([[1, 1, 2, 2],
           [2, 2, 2, 2]])
    """
    total = first + second
    dealt = np.empty((positives.size, draws), dtype=np.int64)
    few = total < MOST
    dealt[few] = rng.hypergeometric(
        positives[few, None], (total - positives)[few, None], first[few, None], (int(few.sum()), draws)
    )
    for at in np.flatnonzero(~few):
        dealt[at] = _approximate(int(positives[at]), int(first[at]), int(total[at]), draws, rng)
    return dealt


def variance_of_dealt(positives: IntArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return the variance n_1 n_2 K (N - K) / (N^2 (N - 1)) of these numbers, shape (S,)."""
    n_1, n_2, k = (np.asarray(column, dtype=np.float64) for column in (first, second, positives))
    total = n_1 + n_2
    share = k / np.maximum(total, 1.0)
    return np.asarray((n_1 / np.maximum(total - 1.0, 1.0)) * n_2 * share * (1.0 - share))


def _approximate(k: int, first: int, total: int, draws: int, rng: np.random.Generator) -> IntArray:
    """Return draws for one stratum of very many rows."""
    variance = first * (total - first) / (total - 1) * (k / total) * (1 - k / total)
    low, high = max(0, k + first - total), min(k, first)
    if variance >= MANY:
        return np.clip(np.rint(rng.normal(first * (k / total), variance**0.5, draws)), low, high).astype(np.int64)
    smallest = min(k, total - k, first, total - first)
    if smallest == k:
        return rng.binomial(k, first / total, draws)
    if smallest == first:
        return rng.binomial(first, k / total, draws)
    if smallest == total - k:  # negatives among the first
        return first - rng.binomial(total - k, first / total, draws)
    return k - rng.binomial(total - first, k / total, draws)  # positives among the second
