"""Beta calibration: a logistic curve in ln p and ln(1 - p), with the identity among its members."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.columns import Columns, warn_separable
from fitontest.families.cutting import Eps, eps_of_sample, eps_of_scores, read_eps
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.likelihood_many import maximise_columns
from fitontest.families.logistic import LogisticProblem, fit_logistic
from fitontest.families.platt import constant_solution
from fitontest.families.registry import register
from fitontest.maps.beta import BetaMap
from fitontest.numerics.newton import SEPARABLE_RIDGE
from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray, IntArray

UNCUT = 2.2e-16  # where scores are clipped if none is certain: the machine epsilon, as in the betacal package


class _Model(NamedTuple):
    """Which parameters are free: two slopes or one shared, and whether the intercept is."""

    two_slopes: bool
    intercept: bool


_MODELS = {
    "abm": _Model(two_slopes=True, intercept=True),
    "am": _Model(two_slopes=False, intercept=True),
    "ab": _Model(two_slopes=True, intercept=False),
    "a": _Model(two_slopes=False, intercept=False),
}


@register("beta")
@dataclass(eq=False, repr=False)
class Beta(Family):
    """Fit beta calibration (Kull et al.): a curve of three parameters that bends each end of the scores by itself.

    By maximum likelihood, c_hat(p) = 1 / (1 + exp(-(a ln p - b ln(1 - p) + c))), a, b >= 0.

    Parameters
    ----------
    parameters : {"abm", "am", "ab", "a"}, default="abm"
        Free parameters; m is the score that maps to 1/2, c = b ln(1 - m) - a ln m. "am": a = b. "ab": m = 1/2.
        "a": both.
    solver : {"mle", "betacal"}, default="mle"
        "mle" solves the likelihood to its optimum under a, b >= 0. "betacal" runs the betacal package, whose
        stopping rule leaves the fit approximate and whose slopes can be negative; the warning filters that
        it changes are put back.
    eps : float or "auto", default="auto"
        Scores are clipped to [eps, 1 - eps]. "auto" is 2.2e-16 where no score is exactly 0 or 1; otherwise the logits
        of these certain scores are cut at 1 beyond the largest of the others, as `Spline` does, because a line in the
        logit would be theirs alone. The map holds the number. (The betacal
        package always uses the machine epsilon.)

    Attributes
    ----------
    map_ : BetaMap
        (A constant BinnedMap when there is one class or one distinct score: the base rate.)
    a_, b_, intercept_ : float
        NaN where the map is constant.
    n_iter_ : int
        Newton steps on the raw data ("mle").

    Warns
    -----
    SeparableDataWarning
        A threshold separates the labels; see `fitontest.families.columns`.

    Notes
    -----
    Solved to a projected gradient of 1e-10 per unit weight, also at base rates of 1e-4. With two distinct scores
    and an intercept the two slopes are not determined and a = b is used. The paper drops a feature whose slope comes
    out negative and fits the other again; solving under the constraints gives the true optimum instead.

    References
    ----------
    Kull, Silva Filho, Flach (2017), Beyond sigmoids: How to obtain well-calibrated probabilities from binary
    classifiers with beta calibration, Electronic Journal of Statistics 11(2). https://doi.org/10.1214/17-EJS1338SI

    Examples
    --------
    >>> import fitontest as fot
    >>> beta = fot.families.make("beta", parameters="am").fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> beta.predict([0.5]).round(6)
    array([0.5])
    """

    calibrator = True

    parameters: Literal["abm", "am", "ab", "a"] = "abm"
    solver: Literal["mle", "betacal"] = "mle"
    eps: Eps = "auto"

    def _count_parameters(self) -> float:
        """Return one or two slopes, and an intercept where it is free."""
        return len(self.parameters)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the calibration maps of many sets of labels, whose likelihoods are maximised at once."""
        self._check()
        if self.solver == "betacal":
            return super().fit_many(entries, positives)
        return SharedFits(self.fit_map, entries, positives, self._maximise_columns, self._maximise_columns)

    def _maximise_columns(self, entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
        model, columns = _MODELS[self.parameters], _COLUMNS[self.parameters]
        eps = eps_of_scores(self.eps, entries.distinct_p, UNCUT)
        slopes, threshold = 2 if model.two_slopes else 1, None if model.intercept else 0.5
        return maximise_columns(self, entries, positives, columns, eps=eps, n_slopes=slopes, threshold=threshold, at=at)

    def _check(self) -> None:
        choose(self.parameters, _MODELS, "parameters")
        choose(self.solver, ("mle", "betacal"), "solver")
        read_eps(self.eps)

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the beta map and its parameters."""
        self._check()
        mle = self.solver == "mle"
        eps = eps_of_sample(self.eps, sample, UNCUT) if mle else read_eps(self.eps) or UNCUT
        columns = Columns.of(sample, eps)
        if columns.one_class or columns.span[0] == columns.span[1]:
            return constant_solution(sample.base_rate, ("a_", "b_", "intercept_"))
        if not mle:
            return _solution(_run_betacal(columns, self.parameters), float(np.finfo(float).eps), {})
        return self._maximise(columns, eps)

    def _maximise(self, columns: Columns, eps: float) -> Solution:
        model = _MODELS[self.parameters]
        if model.intercept and columns.at_most_two_scores:
            model = model._replace(two_slopes=False)
        features, link = _features(columns.p, model)
        separable = columns.separable_upward if model.intercept else columns.separable_at_half
        if separable:
            warn_separable("beta")
        problem = LogisticProblem(features, columns.y, columns.w, columns.total, model.intercept, bounded=True)
        optimum = fit_logistic(problem, link, SEPARABLE_RIDGE if separable else 0.0)
        a, b = optimum.theta[0], optimum.theta[1 if model.two_slopes else 0]
        intercept = optimum.theta[-1] if model.intercept else (a - b) * np.log(2.0)
        return _solution((float(a), float(b), float(intercept)), eps, {"n_iter_": optimum.n_iter})


def _features(q: FloatArray, model: _Model) -> tuple[tuple[FloatArray, ...], FloatArray]:
    """Return the features of the model at clipped scores, and the logit; without an intercept both vanish at 1/2."""
    up, down = np.log(q), -np.log1p(-q)
    link = up + down
    if not model.two_slopes:
        return (link,), link
    if not model.intercept:
        up, down = up + np.log(2.0), down - np.log(2.0)
    return (up, down), link


def _solution(parameters: tuple[float, float, float], eps: float, attributes: dict[str, int]) -> Solution:
    a, b, intercept = parameters
    fitted = {"a_": a, "b_": b, "intercept_": intercept, **attributes}
    return Solution(BetaMap(a, b, intercept, eps), None, fitted)


def _run_betacal(columns: Columns, parameters: str) -> tuple[float, float, float]:
    """Return a, b and the intercept that the betacal package finds, keeping its side effects in here.

    Its fit calls ``warnings.filterwarnings("ignore")`` for the whole process.
    """
    from betacal import BetaCalibration

    with warnings.catch_warnings():
        fitted = BetaCalibration(parameters).fit(columns.p.copy(), columns.y.copy(), columns.w)
    inner = fitted.calibrator_
    a, b = (float(slope) for slope in inner.map_[:2])
    intercept = float(inner.lr_.intercept_[0]) if _MODELS[parameters].intercept else (a - b) * float(np.log(2.0))
    return a, b, intercept


def _columns_of(model: _Model, p: FloatArray) -> FloatArray:
    """Return the features of the model as columns, with one of ones where the intercept is free."""
    features, _ = _features(p, model)
    return np.stack([*features, *([np.ones(p.size)] if model.intercept else [])], axis=1)


_COLUMNS = {name: partial(_columns_of, model) for name, model in _MODELS.items()}
