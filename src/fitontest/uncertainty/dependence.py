"""How alike the labels of a group are, learnt from the residuals of a spline, and labels redrawn with as much.

The residuals of rows that belong together have products that are not 0 on average. Their sum over all pairs gives the
latent correlation rho of the Gaussian copula under which labels are redrawn
(`fitontest.data.dependence`); to first order also its two parts, one that all rows of a group share and one that grows
with the score, as where groups differ in their calibration slope. Residuals of a fitted map are too small: the
correlations are multiplied by K / (K - d), with K groups of at least two rows and d parameters of the map, at most
K / 2.

Residuals of rows that mirror each other cancel over a group. There they are of events, the one row of each with
p >= 1/2: rho tells how alike the labels of these are.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fitontest.data.dependence import (
    ALIKE,
    LARGEST_PARTS,
    MOST_SHARED,
    REACH,
    Dependence,
    design_effect,
    standardised_logits,
)
from fitontest.data.entries import LEAST_NODES, NODES, Entries, grouped_entries
from fitontest.data.kinds import Data
from fitontest.data.known_groups import CANCELS, NOT_LEARNT
from fitontest.data.mirrored_rows import mirrored_rows
from fitontest.data.redraws import Redraws
from fitontest.data.row_groups import RowGroups
from fitontest.data.samples import Samples
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_redraws import SimplexRedraws
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import read_family
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import SCORES
from fitontest.numerics.pair_products import LARGEST, Pairs, intercept_and_slope, labels_agree, latent_correlation
from fitontest.numerics.standard_error import LEAST_GROUPS
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.shared_columns import dependent_columns

CANCELLED = 0.05  # of the squares of residuals, that those of sums over groups are at most where these cancel
ONE_EVENT = 1.5  # positives of a group, on average, above which its rows are of several events
OWN = 20  # effective groups of a segment, from which its dependence is learnt from its own rows
MEMORY = "dependence"
OF_DISTRIBUTIONS = (
    "groups must be left out for intervals and p-values of whole distributions, whose dependence within groups was not "
    "studied; reduction='classwise' and 'confidence' have them"
)


def dependence_of(sample: Any) -> Dependence | None:
    """Return how alike the labels of a group are, or None where rows are independent.

    Parameters
    ----------
    sample : ScoreSample, SimplexSample or Samples
        Which remembers it. Of distributions it is that of the confidences, of classes that of the first one.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(200), 10)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < np.clip(p + 0.3 * rng.standard_normal(200)[patient], 0, 1)
    >>> dependence = dependence_of(fot.read(y, p, groups=patient))
    >>> dependence.groups, dependence.rho > 3 * dependence.se > 0
    (200, True)
    """
    scores: ScoreSample = sample.shared.confidence
    if scores.groups is None:
        return None
    if MEMORY not in scores.memory:
        scores.memory[MEMORY] = _learn(scores, scores.groups)
    dependence: Dependence = scores.memory[MEMORY]
    return dependence


def redraws_of(sample: Data) -> Redraws:
    """Return the redraws of a sample, of which labels of one group depend on each other as the real ones do.

    Raises
    ------
    ValueError
        Where rows of whole distributions belong to groups.
    """
    redraw: Callable[[Any], Redraws] = sample.either(score_redraws, _simplex_redraws)
    return redraw(sample)


def _simplex_redraws(sample: SimplexSample) -> SimplexRedraws:
    if sample.groups is not None:
        raise ValueError(OF_DISTRIBUTIONS)
    return SimplexRedraws.of(sample)


def score_redraws(sample: ScoreSample, nodes: int | None = None) -> ScoreRedraws:
    """Return the redraws of scores; with `nodes` very many rows are pooled into so many entries."""
    dependence = dependence_of(sample)
    if nodes is None:
        return ScoreRedraws.of(sample, dependence)
    return ScoreRedraws(sample, nodes, dependence)


def bound_to(measure: Measure, sample: Any) -> Any:
    """Return the data with the columns that a measure needs, and what is known of the dependence of its rows."""
    bound = measure.bind(sample)
    if sample.has_one_score and bound.has_one_score and MEMORY in sample.memory:
        bound.memory.setdefault(MEMORY, sample.memory[MEMORY])
    return bound


def reason_of_groups(dependence: Dependence | None) -> str:
    """Return why nothing is concluded of so few groups, or ""."""
    if dependence is None or not dependence.too_few:
        return ""
    if dependence.cancels:
        return CANCELS
    if dependence.learnt_from < dependence.effective:
        return f"{NOT_LEARNT} of several rows, got {dependence.learnt_from:.0f}"
    effective = f"{dependence.effective:.3g}"
    count = f"{dependence.groups:,}"
    of = "" if effective == count else f", which tell as much as {effective} of equal weight"
    return f"{NOT_LEARNT}, got {count}{of}"


def with_dependence(estimate: Estimate, sample: Data) -> tuple[Estimate, str]:
    """Return the estimate with the dependence of its rows, and why nothing is concluded of so few groups, or ""."""
    dependence = dependence_of(sample) if sample.has_one_score else None
    return estimate.with_uncertainty(dependence=dependence), reason_of_groups(dependence)


def share_dependence(segments: Samples) -> None:
    """Let segments of few groups know the dependence of all rows, since their own would be noise.

    A segment of a single group is left out: nothing varies between its groups, and no fold could hold it out.

    Parameters
    ----------
    segments : Samples
        By segment, each of one sample of scores.
    """
    whole = dependence_of(segments.whole) if segments.has_one_score else None
    if whole is None:
        return
    for sample in segments.values():
        groups = sample.groups
        if groups is not None and len(groups) >= LEAST_GROUPS and groups.learnt_from < OWN:
            own = _counted(sample, groups)
            sample.memory[MEMORY] = replace(
                whole,
                groups=own.groups,
                rows=own.rows,
                effective=own.effective,
                several=own.several,
                design_effect=design_effect(groups.code, sample.rows.w, sample.rows.w2, whole.icc),
                learnt_from=whole.learnt_from,
            )


def _counted(sample: ScoreSample, groups: RowGroups) -> Dependence:
    """Return the groups with no correlation."""
    count, effective = len(groups), groups.effective
    rows = int(groups.rows.sum()) if sample.whole else sample.n
    known = Dependence(count, rows, effective, groups.several, 0.0, np.inf, 0.0, 0.0, 0.0, 1.0)
    return replace(known, learnt_from=groups.learnt_from)


def _learn(sample: ScoreSample, groups: RowGroups) -> Dependence:
    """Return the dependence of the labels, from residuals of a spline."""
    counted = _counted(sample, groups)
    if counted.too_few or groups.several == 0:
        return counted
    nodes = NODES if len(groups) * LEAST_NODES <= NODES else None  # joined groups would tell of other pairs
    entries, positives = grouped_entries(sample, groups, nodes)
    assert entries.group is not None
    g, parameters = _fit(entries, positives)
    code, p, w, n = entries.group, entries.p, entries.w, entries.n
    mirrored = mirrored_rows(p, positives, code, n)
    if mirrored is not None:
        p, g = mirrored.folded, np.where(mirrored.upper, g, 1.0 - g)
        positives, kept = mirrored.folded_positives(positives), mirrored.kept
        p, w, g = p[kept], w[kept], g[kept]
        code, n, positives = code[kept], n[kept], positives[kept]
        counted = replace(counted, events=mirrored.events)
    pairs = Pairs(code, w / n, n)
    if mirrored is None and _cancel(pairs, positives, g):
        return replace(counted, cancels=True)
    several = pairs.several
    if several == 0:  # each group is one event
        return _with_icc(counted, sample, groups, 0.0)
    correlation = latent_correlation(pairs, positives, g)
    larger = several / (several - min(parameters, several / 2.0))
    h = standardised_logits(p, w)
    rho = min(correlation.rho * larger, LARGEST)
    first, second = intercept_and_slope(pairs, positives, g, h)
    at_limit = rho >= LARGEST and labels_agree(pairs, positives, g)
    intercept = min(first * larger, max(LARGEST_PARTS[0], rho))  # to first order it is too large where labels are alike
    slope = min(second * larger, LARGEST_PARTS[1], (MOST_SHARED - intercept) / REACH**2)
    spread = float(pairs.products_of(np.sqrt(g * (1.0 - g))).sum())
    icc = float(pairs.residual_products(positives, g).sum()) / spread if spread > 0.0 else 0.0
    icc = float(np.clip(icc * larger, 0.0, 1.0))
    counted = replace(
        counted,
        rho=rho,
        se=correlation.se * larger,
        intercept=ALIKE if at_limit else intercept,
        slope=0.0 if at_limit else slope,
        at_limit=at_limit,
        alone=_columns_alone(sample, groups),
    )
    return _with_icc(counted, sample, groups, icc)


def _cancel(pairs: Pairs, positives: IntArray, g: FloatArray) -> bool:
    """Return whether the residuals of a group add up to nothing although it has positives of several events.

    Rows of one event, of which exactly one is positive, hide no dependence: nothing else is in their group.
    """
    alone = pairs.squares_of_residuals(positives, g)
    together = float(pairs.residual_products(positives, g).sum() + alone.sum())
    return together <= CANCELLED * float(alone.sum()) and float(positives.sum()) > ONE_EVENT * pairs.size


def _with_icc(known: Dependence, sample: ScoreSample, groups: RowGroups, icc: float) -> Dependence:
    """Return the dependence with the correlation of residuals of two rows, and the design effect of a mean of rows.

    Of events the mean of all rows, of which two tell as much as one event, has twice the design effect: with M rows a
    group 2 (1 + (M / 2 - 1) icc).
    """
    code, w, w2 = groups.code, sample.rows.w, sample.rows.w2
    if known.events:
        rows = design_effect(code, w, w2, 1.0)
        icc = (1.0 + (rows - 2.0) * icc) / (rows - 1.0)
    return replace(known, icc=icc, design_effect=design_effect(code, w, w2, icc))


def _columns_alone(sample: ScoreSample, groups: RowGroups) -> tuple[tuple[int, float], ...]:
    """Return which columns show dependence by themselves, where groups are combinations of columns."""
    columns = groups.of_columns
    if not columns:
        return ()
    entries, positives = grouped_entries(sample, groups)
    assert entries.group is not None
    g, _ = _fit(entries, positives)
    residuals = np.asarray(entries.w / entries.n * (positives - entries.n * g))
    return dependent_columns(columns, np.bincount(entries.group, residuals, len(groups)).astype(np.float64))


def _fit(entries: Entries, positives: IntArray) -> tuple[FloatArray, float]:
    """Return a spline of the labels at the entries, and how many parameters it has."""
    with without_warnings():
        fitted = read_family(SCORES).fit_sample(entries.sample(positives))
        return np.clip(fitted.map_.evaluate(entries.p), 0.0, 1.0), float(fitted.n_parameters_)
