"""Which segments are miscalibrated at one report, and what each counts in the evidence of all together."""

from collections.abc import Mapping
from math import log
from typing import Any

from scipy.special import logsumexp


def list_segments(log_es: Mapping[Any, float], alpha: float) -> tuple[Any, ...]:
    """Return the segments that the e-BH procedure names, the one with most evidence first.

    They are the k segments of most evidence, with the largest k for which E_(k) >= S / (k alpha), E_(1) >= ... >= E_(S)
    (Wang, Ramdas, 2022, https://doi.org/10.1111/rssb.12489). Segments of the same evidence are named together or not at
    all.

    Of the segments that are named wrongly the expected share is at most alpha, whatever the dependence between
    segments, at one report. Its time may be chosen by the evidence, if all segments had appeared in the first batch.
    All lists of several reports together have no such bound. Alarms that stay have: with prior weights gamma, see
    `prior_weights`, the probability that any calibrated segment ever reaches 1 / (alpha gamma) is at most alpha.

    Parameters
    ----------
    log_es : mapping from key to float
        The evidence of each segment now, as a logarithm; inf where it is refuted. Never the largest so far, which is no
        e-value.
    alpha : float in (0, 1)
        The expected share of wrong names.

    Examples
    --------
    >>> from math import log
    >>> list_segments({"north": log(100), "south": log(45), "west": log(2), "east": log(0.5)}, alpha=0.05)
    ('north', 'south')
    """
    ranked = sorted(log_es, key=lambda key: -log_es[key])
    limits = [log(len(ranked)) - log(k) - log(alpha) for k in range(1, len(ranked) + 1)]
    reached = [k for k, (key, limit) in enumerate(zip(ranked, limits, strict=True), start=1) if log_es[key] >= limit]
    return tuple(ranked[: max(reached, default=0)])


def prior_weights(new: list[Any], before: int) -> dict[Any, float]:
    """Return the prior weights of segments that appear, of which the labels are not known yet.

    Those of the S segments of the first batch are 1 / (S + 1), and that of the j-th to appear, j > S, is 1 / (j (j +
    1)): the sum of 1 / (j (j + 1)) over all j > S is 1 / (S + 1), so that all of them together are 1 at most.

    Parameters
    ----------
    new : list
        The segments.
    before : int
        How many have appeared in batches before.
    """
    if not before:
        return dict.fromkeys(new, 1.0 / (len(new) + 1))
    return {key: 1.0 / (j * (j + 1)) for j, key in enumerate(new, start=before + 1)}


def log_mean_of_segments(log_es: Mapping[Any, float], priors: Mapping[Any, float]) -> float:
    """Return the logarithm of the mean evidence by prior weight; segments that have not appeared count 1."""
    unseen = max(0.0, 1.0 - sum(priors.values()))
    parts = [log(priors[key]) + log_e for key, log_e in log_es.items()]
    return float(logsumexp([*parts, *([log(unseen)] if unseen > 0.0 else [])]))
