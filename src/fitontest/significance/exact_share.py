"""The exact interval of a probability, of Clopper and Pearson: all that an exact binomial test does not reject."""

from scipy.special import betaincinv


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
