"""Where the calibration curve of a new group lies: the spread of curves over groups about the map that they share.

Labels of a group are alike because the group has a curve of its own. With the shared map c and the dependence of
`fitontest.data.dependence`, the curve of a group that has the numbers Z0, Z1 ~ N(0, 1) is

    c(p | Z) = Phi((Phi^-1(c(p)) - sqrt(rho0) Z0 - sqrt(rho1) h(p) Z1) / sqrt(1 - rho(p))),
    rho(p) = rho0 + rho1 h(p)^2,

whose mean over groups is c(p). At each score a share `level` of the groups has a curve between

    Phi((Phi^-1(c(p)) -+ z sqrt(rho(p))) / sqrt(1 - rho(p))).

c is not known but estimated, as surely as its confidence band tells. On the scale of Phi^-1 the reach r(p) of that band
and the spread over groups add as squares: z sqrt(rho) becomes sqrt(t^2 rho + r^2), with Student's t, whose degrees of
freedom are the groups less one. That rho itself is estimated is not covered.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

from fitontest.data.dependence import FEWEST, Dependence, standardised_logits
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.results.typing import FloatArray, RandomState
from fitontest.uncertainty.bands import Band, confidence_bands, read_band
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups

EPS = 1e-12  # probabilities are cut there before they are taken to the scale of Phi^-1
NEW_GROUP: Final = "new group"


def new_group_bands(
    estimate: Estimate,
    sample: ScoreSample,
    x: FloatArray,
    draws: int,
    level: float,
    random_state: RandomState,
) -> tuple[Band | None, Band]:
    """Return the confidence band of the shared map, and the band in which the curve of a new group lies.

    Parameters
    ----------
    estimate : Estimate
        With the shared map. Of a map that was given nothing is estimated: there is no confidence band then, and the
        other one has the spread over groups alone.
    sample : ScoreSample
        Rows with groups.
    x : array of shape (M,)
        Scores, which increase.
    draws : int
        Labellings of the confidence band.
    level : float
        Share of the new groups whose curve lies in the band, at each score.
    random_state : int, RandomState or None
        Of the labellings.

    Returns
    -------
    confidence : Band or None
    new_group : Band
        Of kind "new group", with the dependence; of the same scores.

    Raises
    ------
    ValueError
        Rows without groups, or with too few.

    Notes
    -----
    It is a prediction interval for the next group, as meta-analyses have for the next study. Barrenada, De Cock Campo,
    Wynants and Van Calster (2025, https://doi.org/10.1017/rsm.2025.10046) draw such intervals about flexible curves by
    meta-analysis of the curves of the groups, and by mixed models. Here the groups need not be large enough for a curve
    each: pairs of rows tell the spread, on the probit scale, at all scores or, with rho1, more at the ends. A new
    group is one of the population that these groups are drawn from.

    How often it holds the curve is measured by ``benchmarks/new_group_coverage.py``.
    """
    read_band("confidence", draws, level, least=1)
    dependence = known_dependence(sample, "band='new group'")
    assert estimate.map is not None
    if estimate.estimator is None:
        confidence, reach = None, None
    else:
        confidence = confidence_bands(estimate, sample, x, draws, level, random_state)[0]
        x, reach = confidence.x, (confidence.lower, confidence.upper)
    c = estimate.map.split_atoms()[0].evaluate(x)
    lower, upper = spread(c, rho_at(x, sample, dependence), level, dependence.degrees, reach)
    known = Band(x, lower, upper, float(level), draws) if confidence is None else confidence
    return confidence, replace(known, kind=NEW_GROUP, lower=lower, upper=upper, dependence=dependence)


def spread(
    c: FloatArray,
    rho: FloatArray,
    level: float,
    degrees: float = np.inf,
    reach: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return between which values a share `level` of the curves of groups lie.

    Parameters
    ----------
    c : array of shape (M,)
        The shared map, the mean of the curves.
    rho : array of shape (M,)
        The latent correlation at each score, in [0, 1).
    level : float
    degrees : float
        Of Student's t, whose quantile t stands for z.
    reach : tuple of arrays, optional
        The ends of a confidence band of c, which are added as squares.

    Returns
    -------
    lower, upper : arrays of shape (M,)
        Phi((Phi^-1(c) -+ sqrt(t^2 rho + r^2)) / sqrt(1 - rho)), with r the distance of either end of `reach` from c on
        the scale of Phi^-1.
    """
    q = to_probits(c)
    over_groups = float(student.ppf(0.5 + level / 2, degrees)) ** 2 * rho
    below, above = (0.0, 0.0) if reach is None else (q - to_probits(reach[0]), to_probits(reach[1]) - q)
    own = np.sqrt(1.0 - rho)
    lower, upper = ndtr((q - np.sqrt(over_groups + below**2)) / own), ndtr((q + np.sqrt(over_groups + above**2)) / own)
    return np.asarray(lower), np.asarray(upper)


def known_dependence(sample: ScoreSample, what: str) -> Dependence:
    """Return the dependence of the rows.

    Raises
    ------
    ValueError
        Where nothing is known of it, naming `what` needs it.
    """
    if sample.groups is None:
        found = "none" if sample.named_groups is None else f"{len(sample.named_groups):,} groups of one row each"
        raise ValueError(f"groups must be given, with several rows in a group, for {what}; got {found}")
    dependence = dependence_of(sample)
    assert dependence is not None
    if reason := reason_of_groups(dependence):
        raise ValueError(f"groups must be at least {FEWEST} for {what}: {reason}")
    if dependence.events:  # a group whose side p is more often right has a side 1 - p that is less often
        raise ValueError(f"rows must be one of each event for {what}, got both rows of {dependence.events:,} events")
    return dependence


def rho_at(x: FloatArray, sample: ScoreSample, dependence: Dependence) -> FloatArray:
    """Return the latent correlation of two labels of a group at scores: rho0 + rho1 h^2."""
    return np.asarray(dependence.intercept + dependence.slope * standardised_at(x, sample) ** 2)


def standardised_at(x: FloatArray, sample: ScoreSample) -> FloatArray:
    """Return h of `fitontest.data.dependence` at any scores, standardised by those of the sample."""
    rows = sample.rows
    scores, weights = np.concatenate((rows.p, x)), np.concatenate((rows.w, np.zeros(x.size)))
    return standardised_logits(scores, weights)[rows.p.size :]


def to_probits(c: FloatArray) -> FloatArray:
    """Return Phi^-1 of probabilities, cut so that it is finite."""
    return np.asarray(ndtri(np.clip(c, EPS, 1.0 - EPS)))
