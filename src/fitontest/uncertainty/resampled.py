"""Scores that are wrong by one factor of their odds: those of a model that was trained on resampled classes.

Oversampled positives, or negatives that were left out, multiply the odds of all scores by one factor and change nothing
else, so that one shift of the logits mends them. That is asked where the slope is near 1, with 1 in its interval, where
the shift is 1.5 logits or more, and where the shifted scores are calibrated as far as the test of Hosmer and Lemeshow
tells, at 5 %.
"""

import math

from scipy.special import chdtrc

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import level_of, uncertain_rows
from fitontest.measures.hosmer_lemeshow import HosmerLemeshow
from fitontest.measures.separation import LEAST
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.text import short
from fitontest.uncertainty.tendency import Tendency

LEAST_SHIFT = 1.5  # logits
NEAR = 0.25  # of the slope to 1
FITS = 0.05  # p-value


def ask_if_resampled(sample: ScoreSample, tendency: Tendency) -> str:
    """Return the question whether the classes were resampled for the training, or "".

    Parameters
    ----------
    sample : ScoreSample
    tendency : Tendency
        Of the same rows.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from fitontest.uncertainty.tendency import tendency_of
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(-3, 1, 2000)
    >>> sample = fot.ScoreSample(rng.random(2000) < sigmoid(x), sigmoid(x + 3.0))
    >>> ask_if_resampled(sample, tendency_of(sample))
    'Odds that are all divided by 20.6 fit: was the model trained on resampled classes?'
    """
    slope, interval = tendency.slope, tendency.slope_interval
    if slope is None or interval is None or abs(slope - 1.0) > NEAR or not interval.low <= 1.0 <= interval.high:
        return ""
    uncertain = uncertain_rows(sample)
    shift = None if uncertain is None else level_of(uncertain)
    if uncertain is None or shift is None or abs(shift) < LEAST_SHIFT or _misfit(uncertain, shift) < FITS:
        return ""
    by = f"{'multiplied' if shift > 0.0 else 'divided'} by {short(math.exp(abs(shift)))}"
    return f"Odds that are all {by} fit: was the model trained on resampled classes?"


def _misfit(sample: ScoreSample, shift: float) -> float:
    """Return the p-value of scores after a shift of their logits, by ranges of the scores, as of independent rows."""
    shifted = sample.rescored(sigmoid(logit(sample.rows.p, LEAST) + shift))
    estimate = HosmerLemeshow().estimate(shifted)
    return float(chdtrc(estimate.evidence.degrees, float(estimate)))  # type: ignore[attr-defined] # of this measure
