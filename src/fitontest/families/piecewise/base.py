"""What PL and PL3 share: choosing the number of bins, averaging the fold maps, and what a fit reports."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from fitontest.checks import choose, is_real, is_whole
from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import warn_user
from fitontest.families.atoms import check_atoms, count_atoms, solve_beside_atoms
from fitontest.families.base import Family, Solution
from fitontest.families.piecewise.fitting import CONVERGED, Fitter, Polygons, Settings, separated
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
from fitontest.typing import FloatArray, IntArray, RandomState

ROWS_PER_BIN = 200  # the number of bins is chosen among 1, ..., n // 200 + 1
PAPERS_ROWS = 1e4  # the most rows that the paper tried its tolerance on


class PiecewiseFamily(Family):
    """Base of `PL` and `PL3`: polygons whose knots, values and number are fitted."""

    has_partition = True
    has_knots = True
    calibrator = True
    _link: ClassVar[Link]
    _tolerance_up_to_papers_rows: ClassVar[float]

    def __init__(
        self,
        n_bins: int | Literal["cv"] = "cv",
        loss: Literal["log_loss", "brier"] = "log_loss",
        scoring: Literal["brier", "log_loss"] = "log_loss",
        cv: int = 10,
        max_bins: int = 16,
        tolerance: float | Literal["auto"] = "auto",
        ensemble: bool = True,
        alpha: float = 1.0,
        kappa: float = 2.0,
        random_state: RandomState = 0,
        exact: bool = False,
        vary_bins: bool = True,
        atoms: bool = False,
    ) -> None:
        self.n_bins = n_bins
        self.loss = loss
        self.scoring = scoring
        self.cv = cv
        self.max_bins = max_bins
        self.tolerance = tolerance
        self.ensemble = ensemble
        self.alpha = alpha
        self.kappa = kappa
        self.random_state = random_state
        self.exact = exact
        self.vary_bins = vary_bins
        self.atoms = atoms

    def stand_in(self) -> Family:
        """Return a logistic spline with as many segments, or with numbers of segments chosen by cross-validation."""
        if isinstance(self.n_bins, str):
            return Spline(random_state=self.random_state)
        return Spline(self.n_bins, random_state=self.random_state)

    @abstractmethod
    def _map_of(self, polygons: Polygons) -> CalibrationMap:
        """Return the average of the fold maps."""

    def fit_map(self, sample: ScoreSample) -> CalibrationMap:
        """Return the fitted map of the sample."""
        return self.solve(sample).map

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map, its segments, its knots, and how the number of bins was chosen."""
        self._check()
        return solve_beside_atoms(sample, self.atoms, lambda rest: self._solve(rest)[0], float(self.kappa))

    def solve_and_hold_out(self, sample: ScoreSample, folds: Sequence[IntArray]) -> tuple[Solution, FloatArray]:
        """Return the result of all rows, and held-out values, which its own maps make where the folds are its own.

        The number of segments is then chosen on the rows that are held out too.
        """
        if check_atoms(self.atoms):
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
        settings = Settings(self._link, self.loss, float(self.alpha), float(self.kappa))
        fitter = Fitter(sample, folds, settings, most)
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

    @property
    def n_parameters_(self) -> float:
        """Two for each segment, a value and a knot, the mean over the averaged maps; and one for each atom."""
        check_is_fitted(self, "map_n_bins_")
        return 2.0 * float(np.mean(self.map_n_bins_)) + count_atoms(self.map_)

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
            value = getattr(self, name)
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {value!r}")
        for name in ("alpha", "kappa"):
            value = getattr(self, name)
            if not (is_real(value) and 0 <= value < 1e9):
                raise ValueError(f"{name} must be a finite number, at least 0; got {value!r}")


def fold_average(x: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return knots and values of the mean of polygons, one per row of x and c."""
    union = np.unique(x)
    mean = np.mean([interpolated(union, knots, values) for knots, values in zip(x, c, strict=True)], axis=0)
    return union, np.clip(mean, 0.0, 1.0)  # an interpolated value may be a rounding above both its ends
