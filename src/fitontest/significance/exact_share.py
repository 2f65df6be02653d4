"""The exact interval of a probability, of Clopper and Pearson: all that an exact binomial test does not reject."""

from scipy.special import betainc, betaincinv


def share_interval(positives: float, rows: float, level: float) -> tuple[float, float]:
    """Return between which values the probability of a positive lies, with a confidence of at least `level`.

    With k positives among n rows the ends are the (1 - level) / 2 quantile of Beta(k, n - k + 1) and the
    (1 + level) / 2 quantile of Beta(k + 1, n - k); 0 for k = 0, and 1 for k = n. Numbers need not be whole.

    References
    ----------
    Clopper, Pearson (1934), The use of confidence or fiducial limits, Biometrika 26.
    https://doi.org/10.1093/biomet/26.4.404

    Examples
    --------
    >>> low, high = share_interval(0, 200, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0183)
    """
    tail = (1.0 - level) / 2.0
    low = 0.0 if positives <= 0 else float(betaincinv(positives, rows - positives + 1.0, tail))
    high = 1.0 if positives >= rows else float(betaincinv(positives + 1.0, rows - positives, 1.0 - tail))
    return low, high


def share_p_value(positives: float, rows: float, probability: float) -> float:
    """Return the two-sided p-value of a probability: 1 - level of the widest interval that leaves it out.

    Twice the smaller one of P(K >= k) and P(K <= k) of a binomial count, at most 1.

    Examples
    --------
    >>> round(share_p_value(0, 200, 0.0183), 3), share_p_value(5, 10, 0.5)
    (0.05, 1.0)
    """
    at_least = 1.0 if positives <= 0 else float(betainc(positives, rows - positives + 1.0, probability))
    at_most = 1.0 if positives >= rows else float(betainc(rows - positives, positives + 1.0, 1.0 - probability))
    return min(1.0, 2.0 * min(at_least, at_most))
