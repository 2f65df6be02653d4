"""What PL and PL3 share: choosing the number of bins, averaging the fold maps, and what a fit reports."""

import sys
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fitontest.data.score_sample import ScoreSample
from fitontest.families.atoms import solve_beside_atoms
from fitontest.families.base import Family, Solution
from fitontest.families.piecewise.fitting import CONVERGED, Fitter, Polygons, Settings, room_of, separated
from fitontest.families.piecewise.grid import EPS
from fitontest.families.piecewise.tasks import Fits
from fitontest.families.spline import Spline
from fitontest.families.tuning import CVScores
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import constant
from fitontest.numerics.links import LOGIT, Link
from fitontest.numerics.random import check_cv
from fitontest.numerics.search import interpolated
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import check_n_bins
from fitontest.results.checks import check_flag, check_not_negative, choose, is_real, is_whole
from fitontest.results.exceptions import warn_user
from fitontest.results.typing import FloatArray, IntArray, RandomState

ROWS_PER_BIN = 200  # the number of bins is chosen among 1, ..., n // 200 + 1
PAPERS_ROWS = 1e4  # the most rows that the paper tried its tolerance on


@dataclass(eq=False, repr=False)
class PiecewiseFamily(Family):
    """Base of `PL` and `PL3`: polygons whose knots, values and number are fitted; it describes what they share.

    Parameters
    ----------
    n_bins : int or "cv", default="cv"
        Number of segments b. "cv" takes the fewest within `tolerance` of the best of 1, ...,
        min(`max_bins`, n // 200 + 1).
    loss : {"log_loss", "brier"}, default="log_loss"
        What a fit minimises.
    scoring : {"log_loss", "brier"}, default="log_loss"
        Held-out loss that chooses the number of segments; the log loss clips predictions to [1e-6, 1 - 1e-6].
    cv : int, default=10
        Folds, shuffled over the sorted rows.
    max_bins : int, default=16
        Largest number of segments to try.
    ensemble : bool, default=True
        Predict with the average of the maps fitted with one fold left out each (the paper's way), or with one map
        fitted to all rows.
    alpha : float, default=1.0
        Strength of a Dirichlet prior on the shares of the data in the segments: keeps knots apart. 0 is the paper's
        bare objective.
    kappa : float, default=2.0
        Rows of pseudo-observations of the identity, spread as the scores are: a weak pull to c_hat(p) = p, which
        also keeps values off 0 and 1. 0 is the paper's bare objective.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    exact : bool, default=False
        Finish the chosen maps on all distinct scores instead of on a grid of at most 4096 nodes, with time and memory
        in proportion to n times the folds. It changes c_hat by some 1e-4 on average.
    vary_bins : bool, default=True
        With ``n_bins="cv"`` and the average: let the averaged maps differ in their number of segments. The choice is
        made 200 times with random weights of the folds (the Bayesian bootstrap of their mean losses), and each number
        is given to so many of the maps as it was chosen; with few folds the shares are coarse. False gives all maps
        `n_bins_` segments, the paper's way.
    atoms : bool, default=False
        Whether scores that many rows share have levels of their own: the mean label there, with their share of the
        `kappa` rows. These are scores of at least 2 % of the rows and at least 30 rows, if there are at most ten; else
        those of at least 10 % of the rows. The polygons are fitted to the other rows, unless all scores are such.

    Attributes
    ----------
    n_bins_ : int
        Number of segments: what cross-validation chose.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per number of segments; only with ``n_bins="cv"`` where there was
        a choice.
    map_n_bins_ : array of shape (F,)
        Number of segments of each of the F averaged maps.
    knots_, knots_logit_, values_ : arrays of shape (F, B + 1)
        Knots of the averaged maps, as scores and as logits, and the values there: one row per map, which is not
        the polygon of the mean knots. B is the largest number of segments; a map of fewer has points on its widest
        segment that make up the number. To draw the map, draw ``predict(grid)``.
    converged_ : bool
        Whether, for all of these maps, no step found could gain more than 1e-6 per unit weight: neither of all
        parameters nor, with the knots fixed, of the values alone. The optimum is a local one: maps of as many segments
        with knots far from these may have a lower loss.
    n_iter_ : int
        The most optimiser steps that any of these maps took.

    Raises
    ------
    RuntimeError
        By ``fit``, in a process that was forked after jax had been started (`fitontest.families.piecewise.process`).

    Warns
    -----
    ConvergenceWarning
        `converged_` is False; the best point found is used.

    Notes
    -----
    The first fit in a process imports jax and compiles, which takes two or three seconds; after that the whole
    cross-validation takes some tenths of a second for any n up to 10^6 with the default arguments, since the rows are
    first reduced to masses on 1024 nodes (`fitontest.families.piecewise.grid`); nothing is lost where there are at most
    1024 distinct scores. Places for the knots are found on 256 or 512 nodes; the chosen maps are finished on 4096. Time
    grows with `cv` times `max_bins`; each family and loss, each further 18 segments and each further 16 folds compile
    anew, as does every worker process. The arithmetic is float64, on the CPU, and leaves jax's configuration alone.

    *Processes.* jax has threads, and a fork copies none. Of multiprocessing take the start method "spawn" or
    "forkserver"; joblib's default, loky, does not fork.

    *Objective.* Knots and values minimise

        sum_i w_i loss(y_i, c_hat(p_i)) + kappa / W sum_i w_i loss(p_i, c_hat(p_i)) - alpha sum_k ln(tau_(k+1) - tau_k)

    with loss(t, q) that of the label t, or of a share t of positive and 1 - t of negative rows, and t_k = Q(tau_k). Q
    is the quantile function of .99 of the distribution of the scores (of PL3, of their logits) and .01 of the uniform
    one, straight between the shares 0, 1/64, ..., 1.

    *Local optima.* As a function of the knots the loss has many local minima. Where two segments are asked for, by
    ``n_bins=2`` or by the choice of a single map (``ensemble=False``), their one knot is tried at 64 places, at each
    with its best values, and the fit goes on from the best four. In 22 samples of 40 to 500 rows without priors a scan
    of all places found no better one. Of more segments, and while their number is chosen, each map is fitted from two
    starting points.

    *Numbers of segments.* At least 200 rows stand behind each candidate; where `n_bins_` is the last of
    ``cv_scores_.candidates``, that limit has decided. At most `n` folds are made. A single distinct score determines a
    level and no slope: the map is then constant. Separable labels give no warning: the priors, or without them the
    limits of the values (1e-7 from 0 and 1 for PL, logits of 40 for PL3), bound the map.

    *Weights.* Whole weights are repeated rows, and the priors count them so: with weights of 1000 each, the priors all
    but vanish. Any other weights are taken as importances, whose scale means nothing: the n rows then count as
    (sum w)^2 / sum w^2 rows in all against the priors, and multiplying the weights by a constant changes nothing
    (unless it makes them whole). Folds and the candidates for `n_bins` count rows in both cases, so with
    ``n_bins="cv"`` or the fold average a row of weight 2 is not quite that row twice: its copies share a fold, and the
    choice of the number may come out another.

    *Deviations from the paper.* The fit starts at the identity map and is optimised by Levenberg-Marquardt steps to
    convergence, not by Adam with early stopping; knots keep their order by construction; the priors; log loss instead
    of the Brier score to choose the number of segments; the finer tolerance for n > 10^4; averaged maps of several
    numbers of segments.

    *Why these defaults.* Averaging maps of several numbers of segments is for few rows: with 1,000 the maps come nearer
    to the true one, with 10,000 no difference can be seen. The tolerance of the paper costs most of the accuracy for
    n > 10^4; no tolerance at all gives more segments for little. With the number of segments chosen by cross-validation
    the priors change little; they are there for what cross-validation does not see: values at 0 or 1 and knots on top
    of one another where few rows stand. The tables are in docs/measurements/families.md, made by
    ``benchmarks/piecewise_truth.py``.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6
    """

    has_partition = True
    has_knots = True
    calibrator = False  # loads jax, and a mixture of the default candidates predicts as well without it
    _link: ClassVar[Link]
    _tolerance_up_to_papers_rows: ClassVar[float]

    n_bins: int | Literal["cv"] = "cv"
    loss: Literal["log_loss", "brier"] = "log_loss"
    scoring: Literal["brier", "log_loss"] = "log_loss"
    cv: int = 10
    max_bins: int = 16
    tolerance: float | Literal["auto"] = "auto"
    ensemble: bool = True
    alpha: float = 1.0
    kappa: float = 2.0
    random_state: RandomState = 0
    exact: bool = False
    vary_bins: bool = True
    atoms: bool = False

    def stand_in(self) -> Family:
        """Return a faster approximation: a logistic spline with as many segments.

        Its numbers of segments may be chosen by cross-validation.
        """
        if isinstance(self.n_bins, str):
            return Spline(random_state=self.random_state)
        return Spline(self.n_bins, random_state=self.random_state)

    def prepare(self, pool: Executor) -> None:
        """Import jax, and have the program compiled in a thread of the pool.

        Parameters
        ----------
        pool : Executor
            Of threads.
        """
        from fitontest.families.piecewise.program import begin_to_compile  # imports jax

        self._check()
        settings = self._settings()
        folds = self.cv if self.ensemble or self.n_bins == "cv" else 1
        begin_to_compile(pool, settings.space, settings.loss, room_of(self._most(sys.maxsize)), folds + 1)

    @abstractmethod
    def _map_of(self, polygons: Polygons) -> CalibrationMap:
        """Return the average of the fold maps."""

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map, its segments, its knots, and how the number of bins was chosen."""
        self._check()
        return solve_beside_atoms(sample, self.atoms, lambda rest: self._solve(rest)[0], float(self.kappa))

    def solve_and_hold_out(self, sample: ScoreSample, folds: Sequence[IntArray]) -> tuple[Solution, FloatArray]:
        """Return the fit to all rows, and out-of-fold values.

        Its own maps make these where the folds are its own.

        The number of segments is then chosen on the rows that are held out too.
        """
        if check_flag(self.atoms, "atoms"):
            return super().solve_and_hold_out(sample, folds)
        cut, own = self._folds(sample, chooses=False) if is_whole(self.random_state) else (sample, [])
        if cut is not sample or len(own) < 2 or len(own) != len(folds) or not all(map(np.array_equal, own, folds)):
            return super().solve_and_hold_out(sample, folds)
        solution, polygons = self._solve(sample)
        p = sample.rows.p
        values = np.empty(p.size)
        for fold, held_out in enumerate(folds):
            values[held_out] = self._map_of(polygons.take(slice(fold, fold + 1))).evaluate(p[held_out])
        return solution, values

    def _solve(self, sample: ScoreSample) -> tuple[Solution, Polygons]:
        """Return the result, and the fold maps or the one map of all rows."""
        self._check()
        most = self._most(sample.n)
        chooses = self.n_bins == "cv" and most > 1
        sample, folds = self._folds(sample, chooses)
        fitter = Fitter(sample, folds, self._settings(), most)
        scores, by_bins, b = None, {}, most
        if chooses:
            by_bins = fitter.candidates(most)
            scores = CVScores(tuple(range(1, most + 1)), fitter.held_out(by_bins, self.scoring))
            b = scores.choose(self._tolerance(sample.n))
        # the fold maps that the choice was made with are the result; one map of all rows is yet to be fitted
        left_out = np.arange(len(folds)) if self.ensemble and len(folds) > 1 else np.array([-1])
        bins = np.full(left_out.size, b)
        if scores is None or not self.ensemble:
            polygons = fitter.finish(fitter.fit(b, left_out), bins, left_out, exact=self.exact)
            return self._solution(polygons, polygons.x, scores, sample), polygons
        if self.vary_bins:
            bins = np.array(scores.choices(self._tolerance(sample.n)))
        fits = Fits.stacked([by_bins[k].take(slice(fold, fold + 1)) for fold, k in enumerate(bins.tolist())])
        polygons = fitter.finish(fits, bins, left_out, exact=self.exact)
        segments = polygons.x if np.all(bins == b) else fitter.knots(by_bins[b].tau[:, : b + 1])
        return self._solution(polygons, segments, scores, sample), polygons

    def _count_parameters(self) -> float:
        """Return two for each segment, a value and a knot, the mean over the averaged maps; and one for each atom."""
        return 2.0 * float(np.mean(self.map_n_bins_)) + self.map_.split_atoms()[1].size

    def _folds(self, sample: ScoreSample, chooses: bool) -> tuple[ScoreSample, list[IntArray]]:
        """Return the sample with what each fold holds out.

        All rows are one fold where none is needed, or none can be held out.
        """
        if sample.n > 1 and (self.ensemble or chooses):
            return sample.in_folds(self.cv, self.random_state)
        return sample, [np.arange(len(sample.rows))]

    def _solution(
        self, polygons: Polygons, segments: FloatArray, scores: CVScores | None, sample: ScoreSample
    ) -> Solution:
        """Return what a fit reports; `segments` are the knots whose means are the edges of the partition."""
        x, values = polygons.x, LOGIT.inverse(polygons.u)
        edges = np.concatenate(([0.0], self._link.inverse(segments.mean(axis=0)[1:-1]), [1.0]))
        converged = polygons.left <= CONVERGED
        one_class = sample.base_rate in (0.0, 1.0)
        attributes = {
            "converged_": converged,
            "n_iter_": polygons.steps,
            "knots_": self._link.inverse(x),
            "knots_logit_": x if self._link is LOGIT else LOGIT.forward(x, EPS),
            "values_": values,
            "map_n_bins_": polygons.bins,
        }
        if scores is not None:
            attributes["cv_scores_"] = scores
        if not converged:
            warn_user(
                f"{type(self).__name__} stopped after {polygons.steps} steps while another could gain "
                f"{polygons.left:.1e} per unit weight (converged: {CONVERGED:.0e}); the best point found is used",
                ConvergenceWarning,
            )
        if one_class and self.kappa == 0:  # the maximum of the likelihood is at infinity: use the limit
            fitted: CalibrationMap = constant(sample.base_rate)
        else:
            fitted = self._map_of(polygons)
        return Solution(fitted, Partition(separated(edges[None, :], 0.0)[0, 1:-1]), attributes)

    def _settings(self) -> Settings:
        return Settings(self._link, self.loss, float(self.alpha), float(self.kappa))

    def _most(self, n: int) -> int:
        """Return the largest number of bins to try, which is the number where one is given."""
        if self.n_bins == "cv":
            return min(int(self.max_bins), n // ROWS_PER_BIN + 1)
        return int(self.n_bins)

    def _tolerance(self, n: int) -> float:
        if self.tolerance == "auto":
            return self._tolerance_up_to_papers_rows * min(1.0, PAPERS_ROWS / n)
        return float(self.tolerance)

    def _check(self) -> None:
        if self.n_bins != "cv" and not (is_whole(self.n_bins) and self.n_bins >= 1):
            raise ValueError(f"n_bins must be 'cv' or a whole number, at least 1; got {self.n_bins!r}")
        choose(self.loss, ("log_loss", "brier"), "loss")
        choose(self.scoring, ("brier", "log_loss"), "scoring")
        check_cv(self.cv)
        check_n_bins(self.max_bins, "max_bins")
        if not (self.tolerance == "auto" or (is_real(self.tolerance) and 0 <= self.tolerance < np.inf)):
            raise ValueError(f"tolerance must be 'auto' or a finite number, at least 0; got {self.tolerance!r}")
        for name in ("ensemble", "vary_bins", "exact"):
            check_flag(getattr(self, name), name)
        for name in ("alpha", "kappa"):
            check_not_negative(getattr(self, name), name, below=1e9)


def fold_average(x: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return knots and values of the mean of polygons, one per row of x and c."""
    union = np.unique(x)
    mean = np.mean([interpolated(union, knots, values) for knots, values in zip(x, c, strict=True)], axis=0)
    return union, np.clip(mean, 0.0, 1.0)  # an interpolated value may be a rounding above both its ends
