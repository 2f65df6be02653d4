"""PL_DE: polynomials between knots that differential evolution places, by least squares."""

from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.optimize import differential_evolution

from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.piecewise.truncated_powers import TruncatedPowers
from fitontest.families.registry import register
from fitontest.families.tuning import held_out_scores
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import constant
from fitontest.maps.hermite import HermiteMap
from fitontest.maps.knots import KnotsMap
from fitontest.numerics.random import check_cv, check_seed, one_seed
from fitontest.partitions.partition import Partition
from fitontest.results.checks import check_not_negative, is_whole
from fitontest.results.typing import FloatArray, RandomState

MOST = {1: 7, 2: 5}  # segments that the paper tried, by degree
ROWS_PER_SEGMENT = 20  # of the candidates
NEAREST = 1e-9  # of two knots, as a share of the range of the scores
GENERATIONS = 1000
POPULATION = 50  # times the number of knots
SETTLED = 1e-3  # spread of the sums of squares, as a share of their mean


@register("pl_de")
@dataclass(eq=False, repr=False)
class PLDE(Family):
    """Fit lines or parabolas between knots that differential evolution places: PL_DE of the fit-on-test paper.

    Values and knots minimise sum_i w_i (y_i - c(p_i))^2 over continuous c that are polynomials of a degree between the
    knots; with t_0 the smallest score and t_1, ..., t_(b-1) the knots

        c(p) = a + sum_(k=0..b-1) sum_(d=1..degree) a_kd max(p - t_k, 0)^d

    For each choice of knots the coefficients solve linear equations; the knots are searched for by differential
    evolution. Beyond the scores of the data c keeps its end values. It may leave [0, 1].

    Parameters
    ----------
    n_bins : int or "cv", default="cv"
        Number of segments b, at least 1, which is one line or parabola. "cv" takes the fewest whose held-out Brier
        score is within `tolerance` of the best of 1, ..., min(`max_bins`, n // 20).
    degree : {1, 2}, default=1
        Lines, or parabolas, which need not be smooth at the knots.
    max_bins : int, optional
        The most segments to try; by default 7 of lines and 5 of parabolas, as in the paper.
    cv : int, default=10
        Folds.
    tolerance : float, default=0.001
        As a share of the best score; 0 is the plain minimum.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the evolution.

    Attributes
    ----------
    map_ : KnotsMap or HermiteMap
        Of lines, and of parabolas. (A constant BinnedMap of a single distinct score.)
    n_bins_ : int
        Number of segments.
    knots_ : array of shape (b + 1,)
        Smallest score, knots, largest score.
    partition_ : Partition
        The segments.
    cv_scores_ : CVScores
        Held-out Brier scores, with ``n_bins="cv"`` where there was a choice.

    Notes
    -----
    It is slow and in no default: by name alone. 10 folds of 7 numbers of segments are some 70 searches, seconds to
    minutes. `PL` is the one to use: its knots are found in tenths of a second, and its maps are closer to the truth.
    Each search ends after at most 1,000 generations of 50 candidates a knot, or when their sums of squares differ by
    .1 %; the best goes on by L-BFGS. Sums of squares come from moments of the scores, in a time that does not depend on
    the number of rows.

    The paper runs the package pwlf, without a seed. The settings of the evolution are those of pwlf, but here all
    candidates of a generation are looked at together.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6
    Jekel, Venter (2019), pwlf: a Python library for fitting 1D continuous piecewise linear functions.
    Storn, Price (1997), Differential evolution. https://doi.org/10.1023/A:1008202821328

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < np.interp(p, [0, 0.4, 1], [0, 0.1, 1])
    >>> family = fot.families.make("pl_de", n_bins=2).fit(p, y)
    >>> family.knots_.round(1), family.predict([0.2, 0.4, 0.7]).round(1)
    (array([0. , 0.4, 1. ]), array([0.1, 0.1, 0.5]))
    """

    evaluator: ClassVar[bool] = False  # its fit is slow
    has_partition = True

    n_bins: int | Literal["cv"] = "cv"
    degree: Literal[1, 2] = 1
    max_bins: int | None = None
    cv: int = 10
    tolerance: float = 0.001
    random_state: RandomState = 0

    def _count_parameters(self) -> float:
        """Return the coefficients and the inner knots."""
        return 1 + self.n_bins_ * self.degree + self.n_bins_ - 1

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the calibration map, and how its number of segments was chosen."""
        most, distinct = self._check(sample), sample.distinct
        chosen: dict[str, Any] = {}
        n_bins = 1 if self.n_bins == "cv" else int(self.n_bins)
        if self.n_bins == "cv" and most > 1:
            parts, folds = sample.in_folds(self.cv, self.random_state)
            if folds:
                scores = held_out_scores(self, "n_bins", list(range(1, most + 1)), parts, folds, "brier")
                n_bins, chosen = int(scores.choose(self.tolerance)), {"cv_scores_": scores}
        n_bins = min(n_bins, max(len(distinct) - 1, 1))
        if len(distinct) == 1:
            return Solution(constant(sample.base_rate), Partition([]), {**chosen, "knots_": np.repeat(distinct.p, 2)})
        powers = TruncatedPowers.of(distinct, self.degree)
        inner = self._search(powers, n_bins - 1)
        low, high = float(distinct.p[0]), float(distinct.p[-1])
        places = low + inner * (high - low)
        between = (np.diff(places, prepend=low) > 0.0) & (places < high)  # scores may be neighbouring floats
        inner, knots = inner[between], np.concatenate(([low], places[between], [high]))
        return Solution(self._map(powers, inner, knots), Partition(knots[1:-1]), {**chosen, "knots_": knots})

    def _search(self, powers: TruncatedPowers, knots: int) -> FloatArray:
        """Return the inner knots of the smallest sum of squares that is found."""
        if knots == 0:
            return np.empty(0)
        found = differential_evolution(
            powers.losses,
            [(0.0, 1.0)] * knots,
            maxiter=GENERATIONS,
            popsize=POPULATION,
            tol=SETTLED,
            mutation=(0.5, 1.0),
            recombination=0.7,
            updating="deferred",
            vectorized=True,
            **_drawn_by(np.random.default_rng(one_seed(self.random_state))),
        )
        return _apart(np.sort(found.x))

    def _map(self, powers: TruncatedPowers, inner: FloatArray, knots: FloatArray) -> CalibrationMap:
        values, left, right = powers.curve(inner, powers.coefficients(inner))
        if self.degree == 1:
            return KnotsMap(knots, values, unbounded=True)
        return HermiteMap(knots, values, left, right)

    def _check(self, sample: ScoreSample) -> int:
        """Return the most segments to try."""
        if self.degree not in MOST or isinstance(self.degree, bool):
            raise ValueError(f"degree must be 1 or 2, got {self.degree!r}")
        if self.n_bins != "cv" and not (is_whole(self.n_bins) and self.n_bins >= 1):
            raise ValueError(f'n_bins must be a whole number, at least 1, or "cv"; got {self.n_bins!r}')
        if self.max_bins is not None and not (is_whole(self.max_bins) and self.max_bins >= 1):
            raise ValueError(f"max_bins must be a whole number, at least 1, or None; got {self.max_bins!r}")
        check_cv(self.cv)
        check_seed(self.random_state)
        check_not_negative(self.tolerance, "tolerance")
        most = MOST[self.degree] if self.max_bins is None else self.max_bins
        return max(1, min(most, sample.n // ROWS_PER_SEGMENT))


def _drawn_by(rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """Return the argument by which differential evolution takes a generator: scipy 1.15 renamed it (SPEC 7)."""
    return {"rng" if "rng" in signature(differential_evolution).parameters else "seed": rng}


def _apart(knots: FloatArray) -> FloatArray:
    """Return increasing knots without those that are as good as equal to the one before or to an end."""
    kept = [0.0]
    for knot in knots:
        if knot - kept[-1] > NEAREST and 1.0 - knot > NEAREST:
            kept.append(float(knot))
    return np.array(kept[1:])
