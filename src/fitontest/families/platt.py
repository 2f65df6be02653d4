"""Platt scaling: a logistic curve in the score, by default in its logit."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.columns import Columns, warn_separable
from fitontest.families.cutting import UNCUT, Eps, eps_of_sample, eps_of_scores, read_eps
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.likelihood_many import maximise_columns
from fitontest.families.logistic import LogisticProblem, fit_logistic
from fitontest.families.registry import register
from fitontest.maps.binned import constant
from fitontest.maps.logistic import LogisticMap
from fitontest.numerics.links import LOGIT, find_link, logit
from fitontest.numerics.newton import SEPARABLE_RIDGE
from fitontest.results.checks import check_flag
from fitontest.results.typing import FloatArray, IntArray


@register("platt", aliases=("sigmoid",))
@dataclass(eq=False, repr=False)
class Platt(Family):
    """Fit Platt scaling: a logistic regression of the labels on the score.

    By maximum likelihood, c_hat(p) = 1 / (1 + exp(-(slope g(p) + intercept))).

    Parameters
    ----------
    link : {"logit", "identity"}, default="logit"
        g. On the logit, calibrated scores need no change (slope 1, intercept 0); on the score itself, as in
        scikit-learn's sigmoid calibration of probabilities, they cannot be left alone.
    smoothing : bool, default=False
        Platt's targets (N1 + 1) / (N1 + 2) and 1 / (N0 + 2) instead of 1 and 0, with N1 and N0 the weights of the
        classes. They change every answer a little, so they are not the default.
    eps : float or "auto", default="auto"
        The logit clips scores to [eps, 1 - eps]. "auto" is 1e-16 where no score is exactly 0 or 1; otherwise the logits
        of these certain scores are cut at 1 beyond the largest of the others, as `Spline` does, because a line in the
        logit would be theirs alone. The map holds the number.

    Attributes
    ----------
    map_ : LogisticMap
        (A constant BinnedMap when there is one class or one distinct score: the base rate.)
    slope_, intercept_ : float
        NaN where the map is constant.
    n_iter_ : int
        Newton steps on the raw data.

    Warns
    -----
    SeparableDataWarning
        A threshold separates the labels; see `fitontest.families.columns`.

    Notes
    -----
    Solved to a projected gradient of 1e-10 per unit weight, also at base rates of 1e-4.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods, Advances in Large Margin Classifiers (no doi).
    Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML (scaling of logits).
    https://doi.org/10.48550/arXiv.1706.04599

    Examples
    --------
    >>> import fitontest as fot
    >>> platt = fot.families.make("platt").fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> platt.predict([0.5]).round(6)
    array([0.5])
    """

    calibrator = True

    link: Literal["logit", "identity"] = "logit"
    smoothing: bool = False
    eps: Eps = "auto"

    n_parameters_ = 2  # slope and intercept

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the logistic maps of many sets of labels, whose likelihoods are maximised at once."""
        find_link(self.link)
        read_eps(self.eps)
        if self.smoothing is not False:
            return super().fit_many(entries, positives)
        return SharedFits(self.fit_map, entries, positives, self._maximise_columns, self._maximise_columns)

    def _maximise_columns(self, entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
        if find_link(self.link) is LOGIT:
            eps = eps_of_scores(self.eps, entries.distinct_p)
            return maximise_columns(self, entries, positives, _logit_line, eps=eps, at=at)
        return maximise_columns(self, entries, positives, _line, eps=0.0, at=at)

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the logistic map and its parameters."""
        link = find_link(self.link)
        read_eps(self.eps)
        check_flag(self.smoothing, "smoothing")
        eps = eps_of_sample(self.eps, sample) if link is LOGIT else read_eps(self.eps) or UNCUT
        columns = Columns.of(sample, eps if link is LOGIT else 0.0)
        targets = _smoothed(columns) if self.smoothing else columns.y
        if columns.one_class or columns.span[0] == columns.span[1]:
            return constant_solution(_mean(targets, columns), ("slope_", "intercept_"))
        x = link.forward(columns.p, eps)
        ridge = 0.0
        if not self.smoothing and (columns.separable_upward or columns.separable_downward):
            warn_separable("platt")
            ridge = SEPARABLE_RIDGE
        problem = LogisticProblem((x,), targets, columns.w, columns.total, intercept=True, bounded=False)
        optimum = fit_logistic(problem, x, ridge)
        slope, intercept = (float(value) for value in optimum.theta)
        fitted = LogisticMap(slope, intercept, self.link, eps)
        return Solution(fitted, None, {"slope_": slope, "intercept_": intercept, "n_iter_": optimum.n_iter})


def _line(x: FloatArray) -> FloatArray:
    return np.stack([x, np.ones(x.size)], axis=1)


def _logit_line(p: FloatArray) -> FloatArray:
    return _line(logit(p, 0.0))


def constant_solution(value: float, parameters: tuple[str, ...]) -> Solution:
    """Return the constant map for data that determine nothing else."""
    return Solution(constant(value), None, {**dict.fromkeys(parameters, np.nan), "n_iter_": 0})


def _mean(values: FloatArray, columns: Columns) -> float:
    return float(values.mean()) if columns.w is None else float(columns.w @ values) / columns.total


def _smoothed(columns: Columns) -> FloatArray:
    positives = _mean(columns.y, columns) * columns.total
    negatives = columns.total - positives
    return np.where(columns.y > 0.5, (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0))
