"""Bands about the fitted map: where maps of calibrated scores would lie, and where the true map lies.

The labels are redrawn and the family is fitted again in full. For the consistency band they are redrawn from the scores
themselves: a map inside the band shows no more than noise does. For the bands of the true map they are redrawn from a
logistic spline g that was fitted to the real labels: by how much a fitted map c*_b misses g tells by how much c_hat
misses the truth.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np
from scipy.special import ndtri
from scipy.stats import t as student
from sklearn.base import clone

from fitontest.data.dependence import Dependence
from fitontest.data.entries import MOST_ROWS
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family
from fitontest.families.registry import family_name
from fitontest.families.registry import make as make_family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Roughness
from fitontest.numerics.random import check_seed, generator, one_seed
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.checks import check_level, choose
from fitontest.results.exceptions import without_warnings
from fitontest.results.progress import track
from fitontest.results.typing import FloatArray, RandomState
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups, score_redraws
from fitontest.uncertainty.ladder import Ladder, ladder_key
from fitontest.uncertainty.null import check_draws

POINTS = 201
BAND_LEVEL = 0.95
BAND_DRAWS = 200  # where a band is asked for without a number of them
QUICK_DRAWS = 100  # of the band of a diagram that nobody asked for a band
QUICK_NODES = 2_000  # entries that very many rows are pooled into for it
TESTED_ROWS = 20_000  # most rows of which such a band tests whether its spline fits, which takes seconds of more
REMEMBERED = 1_000_000  # maps times scores, up to which maps are kept for the next band of the same error
STREAM = 2  # of random numbers, beside those of the intervals
TINY = 1e-12  # variance of labels that are certain, and spread of maps that never differ

BandKind: TypeAlias = Literal["consistency", "confidence", "simultaneous", "new group"]
KINDS = get_args(BandKind)


@dataclass(frozen=True, eq=False)
class Band:
    """Between which values maps lie at each score.

    Attributes
    ----------
    x, lower, upper : arrays of shape (M,)
        Scores, and the ends of the band there.
    level : float
    draws : int
        Labellings that were redrawn.
    kind : {"consistency", "confidence", "simultaneous", "new group"}
        "consistency": the middle `level` of the maps fitted to labels that are redrawn from the scores. "confidence":
        the true map, with a confidence of `level` at each score. "simultaneous": the true map, with that confidence at
        all these scores at once.
    stand_in : str or None
        The family that was refitted, where it was not the estimate's own.
    misfit : float or None
        The p-value of the fit test of the spline from which labels were redrawn, where it rejects: the true map is
        rougher then, and the band is not one of it.
    dependence : Dependence or None
        How alike the labels of a group are, of a band of kind "new group".
    """

    x: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    draws: int
    kind: BandKind = "consistency"
    stand_in: str | None = None
    misfit: float | None = None
    dependence: Dependence | None = None


def band_of(
    estimate: Estimate,
    sample: ScoreSample,
    x: FloatArray,
    *,
    kind: BandKind,
    draws: int,
    level: float,
    random_state: RandomState,
) -> Band:
    """Return a band of the estimate's family at the scores `x`, which increase."""
    read_band(kind, draws, level, least=1)
    if reason := reason_of_groups(dependence_of(sample)):
        raise ValueError(f"band must be None: {reason}")
    if kind == "consistency":
        return consistency_band(estimate, sample, x, draws, level, random_state)
    bands = confidence_bands(estimate, sample, x, draws, level, random_state)
    return bands[kind == "simultaneous"]


def consistency_band(
    estimate: Estimate, sample: ScoreSample, x: FloatArray, draws: int, level: float, random_state: RandomState
) -> Band:
    """Return the middle `level` of the maps fitted to labels that are redrawn from the scores."""
    family = _family_of(estimate, draws)
    rng, dependence = generator(random_state), dependence_of(sample)
    maps = np.empty((draws, x.size))
    for draw in track(range(draws), "draws"):
        with without_warnings():  # of the real labels the user has been warned
            maps[draw] = _beside_atoms(clone(family).fit_sample(redrawn(sample, rng, dependence)).map_, x)
    tail = (1 - level) / 2
    lower, upper = np.quantile(maps, (tail, 1 - tail), axis=0)
    return Band(x, lower, upper, float(level), draws)


def confidence_bands(
    estimate: Estimate,
    sample: ScoreSample,
    x: FloatArray,
    draws: int,
    level: float,
    random_state: RandomState,
    *,
    nodes: int | None = None,
    tested: bool = True,
) -> tuple[Band, Band]:
    """Return the band that holds the true map at each score, and that which holds it at all scores at once.

    They are of the scores `x` within the range of the data, and of both ends of this range. Scores that many rows share
    have values of their own, which the bands pass by.

    With d_b = c*_b - g and quantiles over the draws b, the band at each score x is c_hat(x) -+ q_level |d_b(x)|. The
    simultaneous one is c_hat(x) -+ s(x) q_level M_b with M_b = max_x |d_b(x)| / s(x). There s(x) is the standard
    deviation of d_b(x), or, where that is larger, sqrt(g(x) (1 - g(x))) times the median over the scores of the ratio
    of the two: maps that do not vary at a score, as isotonic ones at the ends, are not known that well. The second band
    contains the first. Both are clipped to [0, 1].

    Families that take too long to be fitted hundreds of times have the deviations d_b of their stand-in. With `nodes`
    very many rows are pooled into so many entries. Unless `tested`, whether the spline fits is not tested here.

    Notes
    -----
    The band assumes that g resembles the truth, and that the family misses g as it misses the truth. It is too narrow
    where the truth jumps, or bends more often than either can follow; where a test finds that, `Band.misfit` says so.
    See ``benchmarks/band_coverage.py``.

    Quantiles of d_b itself, c_hat(x) - q_{1-a/2} d_b(x) to c_hat(x) - q_{a/2} d_b(x), would take off the bias of the
    family as seen under g. That bias is not known well enough: such bands held the truth less often.
    """
    family = _family_of(estimate, draws)
    check_seed(random_state)  # refuses what is no seed
    stand_in = family.stand_in()
    x = _within(x, sample)
    redraws = score_redraws(sample, nodes)
    with one_blas_thread(), without_warnings():
        g, deviations = _deviations(family, redraws, x, draws, one_seed(random_state))
    assert estimate.map is not None
    c_hat = _beside_atoms(estimate.map, x)
    rough = Ladder.of(sample, one_seed(random_state)).roughness if tested else _known_roughness(sample, random_state)
    refitted = None if stand_in is None else family_name(stand_in)

    def band(kind: BandKind, reach: FloatArray) -> Band:
        lower, upper = np.clip(c_hat - reach, 0.0, 1.0), np.clip(c_hat + reach, 0.0, 1.0)
        return Band(x, lower, upper, float(level), draws, kind, refitted, None if rough is None else rough.p_value)

    at_each = np.quantile(np.abs(deviations), level, axis=0)
    wider = _widen(level, dependence_of(sample))
    return band("confidence", wider * at_each), band("simultaneous", wider * _reach_at_once(deviations, g, level))


def _widen(level: float, dependence: Dependence | None) -> float:
    """Return by how much a band of few groups is wider than one of many: the quantiles of Student's t by the normal."""
    if dependence is None:
        return 1.0
    tail = (1.0 + level) / 2.0
    return float(student.ppf(tail, dependence.degrees) / ndtri(tail))


def quick_band(
    estimate: Estimate,
    sample: ScoreSample,
    x: FloatArray,
    random_state: RandomState = 0,
    *,
    level: float = BAND_LEVEL,
) -> Band | None:
    """Return the confidence band that a diagram has unless told otherwise, or None where none is made in a moment.

    It is that of `confidence_bands` from fewer draws. Very many rows are pooled more coarsely, and of many rows it is
    tested whether the spline fits only where that is known already. None: the map was given, its family cannot be
    fitted to hundreds of labellings in a moment, or rows belong to fewer groups than tell of their dependence.
    """
    fitting = estimate.measure.fitting
    if estimate.estimator is None or fitting is None or not fitting.is_quick:
        return None
    if reason_of_groups(dependence_of(sample)):
        return None
    large = sample.whole and sample.total > MOST_ROWS
    bands = confidence_bands(
        estimate,
        sample,
        x,
        QUICK_DRAWS,
        level,
        random_state,
        nodes=QUICK_NODES if large else None,
        tested=sample.n <= TESTED_ROWS,
    )
    return bands[0]


def _known_roughness(sample: ScoreSample, random_state: RandomState) -> Roughness | None:
    """Return what is rougher than a spline can follow, where it was computed before."""
    ladder: Ladder | None = sample.memory.get(ladder_key(one_seed(random_state)))
    return ladder.roughness if ladder is not None and ladder.is_climbed else None


def _family_of(estimate: Estimate, draws: int) -> Family:
    if estimate.estimator is None:
        raise ValueError(f"band_draws must be 0 for a map, which is not fitted again; got {draws}")
    family: Family = estimate.estimator
    return family


def _within(x: FloatArray, sample: ScoreSample) -> FloatArray:
    """Return the scores from the smallest to the largest of the data: beyond, no label tells of the truth."""
    ends = np.clip(sample.distinct.p[[0, -1]], x[0], x[-1])
    return np.unique(np.concatenate((ends, x[(ends[0] < x) & (x < ends[1])])))


def _deviations(
    family: Family, redraws: ScoreRedraws, x: FloatArray, draws: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return g(x), and c*_b(x) - g(x) of maps fitted to labels that are redrawn from g, shape (draws, M)."""
    smooth, maps = _refitted(family, redraws, draws, seed)
    g = _beside_atoms(smooth, x)
    return g, np.array([_beside_atoms(c_star, x) for c_star in maps]) - g


def _refitted(
    family: Family, redraws: ScoreRedraws, draws: int, seed: int
) -> tuple[CalibrationMap, list[CalibrationMap]]:
    """Return g and the maps c*_b.

    The sample remembers the last ones: a page draws the same band on two scales and again beside that of the calibrated
    scores.
    """
    name = f"{family.get_params()!r} {redraws.nodes} {draws} {seed}"
    known: _Refitted | None = redraws.rows.memory.get(_Refitted.KEY)
    if known is None or known.family is not family or known.name != name:
        smooth = make_family("spline").fit_map(redraws.observed_sample())
        truth, fitting = smooth.evaluate(redraws.entries.p), family.stand_in() or family

        def refitted() -> Iterator[CalibrationMap]:
            for block in redraws.blocks(draws):
                (positives,) = redraws.draw([truth], block, (seed, STREAM))
                yield from fitting.fit_many(redraws.entries, positives).maps()

        maps = [c_star for _, c_star in zip(track(range(draws), "draws"), refitted(), strict=True)]
        known = _Refitted(family, name, smooth, maps)
        if draws * len(redraws.entries) <= REMEMBERED:
            redraws.rows.memory[_Refitted.KEY] = known
    return known.smooth, known.maps


@dataclass(frozen=True, eq=False)
class _Refitted:
    """The maps of a band: of which family, and with which settings, nodes, draws and seed."""

    KEY: ClassVar[str] = "maps of the last band"

    family: Family
    name: str
    smooth: CalibrationMap
    maps: list[CalibrationMap]


def _beside_atoms(fitted: CalibrationMap, x: FloatArray) -> FloatArray:
    """Return the values of a map; at scores that many rows share, those that it would have without these rows."""
    return fitted.split_atoms()[0].evaluate(x)


def _reach_at_once(deviations: FloatArray, g: FloatArray, level: float) -> FloatArray:
    """Return how far from the map the band of all scores goes."""
    spread, of_labels = deviations.std(axis=0), np.sqrt(np.maximum(g * (1 - g), TINY))
    s = np.maximum(spread, max(float(np.median(spread / of_labels)), TINY) * of_labels)
    return np.asarray(s * np.quantile((np.abs(deviations) / s).max(axis=1), level))


def read_band(
    kind: BandKind | Literal["auto"] | None, draws: int, level: float, *, least: int = 0
) -> tuple[BandKind | Literal["auto"] | None, int]:
    """Return which band is meant and its number of draws: None and 0 for none, "auto" and 0 for `quick_band`.

    Raises
    ------
    ValueError
        Unless the arguments make sense. There must be so many draws that on average one of them is beyond a band of the
        true map, and none of no band.
    """
    check_draws(draws, "band_draws", least)
    check_level(level, "band_level")
    if kind is None:
        if draws:
            raise ValueError(f"band_draws must be 0 with band=None, which draws no band; got {draws}")
        return None, 0
    if kind == "auto" and not draws and level == BAND_LEVEL:
        return "auto", 0
    chosen = cast(BandKind, choose("confidence" if kind == "auto" else kind, KINDS, "band"))
    wanted = draws or BAND_DRAWS
    needed = 1 if chosen == "consistency" else ceil(1 / (1 - level) - 1e-6)
    if wanted < needed:
        raise ValueError(f"band_draws must be at least {needed} for a {chosen} band of {100 * level:g} %, got {wanted}")
    return chosen, wanted
