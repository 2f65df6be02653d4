"""Temperature scaling: the logit of the score, or the scores of all classes, divided by one number."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.columns import Columns, warn_separable
from fitontest.families.cutting import Eps, eps_of_sample, eps_of_scores, read_eps
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.likelihood_many import maximise_columns
from fitontest.families.logistic import LogisticProblem, fit_logistic
from fitontest.families.multiclass.base import Input
from fitontest.families.multiclass.either import EitherFamily
from fitontest.families.multiclass.fitting import problem_of
from fitontest.families.multiclass.softmax_slope import fit_slope
from fitontest.families.registry import register
from fitontest.maps.logistic import LogisticMap
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.numerics.links import LOGIT, logit
from fitontest.numerics.newton import SEPARABLE_RIDGE
from fitontest.results.checks import check_flag
from fitontest.results.typing import FloatArray, IntArray


@register("temperature")
@dataclass(eq=False, repr=False)
class Temperature(EitherFamily):
    """Fit temperature scaling: divide the logits by one number.

    By maximum likelihood, c_hat(p) = 1 / (1 + exp(-logit(p) / T)), T > 0.

    A column of scores means two classes. A matrix with K >= 2 columns means K classes, whose map is softmax(ln p / T),
    by default mixed with the uniform distribution afterwards.

    T > 1 draws the scores towards 1/2, T < 1 away from it; 1/2 stays. It is `Platt` without the intercept, and
    the map of ``Beta("a")``. One parameter, so that few rows suffice; it cannot mend a wrong base rate.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The logit clips scores to [eps, 1 - eps]; of K classes smaller probabilities are taken for it, unless they are
        given as logits. "auto" is 1e-16 where no score is exactly 0 or 1; otherwise the logits
        of these certain scores are cut at 1 beyond the largest of the others, as `Spline` does, because a line in the
        logit would be theirs alone. The map holds the number.
    mix : bool, default=True
        Of K classes: whether the map is mixed with the uniform distribution, (1 - a) softmax(ln p / T) + a / K with
        a = 1 / (n + 1), so that no row is certain of more than n rows can show. A column is never mixed.
    input : {"probabilities", "logits"}, default="probabilities"
        Of K classes: what `fit` and `predict_proba` are given. Of logits ln p is their log-softmax.

    Attributes
    ----------
    map_ : LogisticMap or SoftmaxMap
        With the slope 1 / T and the intercept 0; of K classes with beta = 1 / T.
    classes_ : array of shape (K,)
        Of K classes: the class of each column.
    temperature_ : float
        T; inf where the scores point the wrong way, so that the map is 1/2 everywhere. (1 where all scores are 1/2.)
    n_iter_ : int
        Newton steps on the raw data.

    Warns
    -----
    SeparableDataWarning
        Every positive has a score of 1/2 or more and every negative one of 1/2 or less, as single-class data may, or
        the label of every row is the class of its largest probability: the likelihood grows for ever as T falls.

    Notes
    -----
    Only without mixing, ``mix=False``, is the map of two columns that of the second column by itself.

    A whole weight repeats its row, so that n is the sum of whole weights; of others it is the number of rows.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML.
    https://doi.org/10.48550/arXiv.1706.04599
    Berta, Holzmueller, Jordan, Bach (2025), Structured matrix scaling for multi-class calibration (mixing).
    https://doi.org/10.48550/arXiv.2511.03685

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.9] * 5 + [0.1] * 5, [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    >>> temperature = fot.families.make("temperature").fit(p, y)
    >>> temperature.predict([0.9, 0.5]).round(12), round(temperature.temperature_, 3)
    (array([0.8, 0.5]), 1.585)
    >>> P = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1]] * 20
    >>> three = fot.families.make("temperature").fit(P, [0, 1, 1] * 10 + [0, 0, 2] * 10, labels=[0, 1, 2])
    >>> three.predict_proba([[0.8, 0.1, 0.1]]).round(3), round(three.temperature_, 3)
    (array([[0.76, 0.12, 0.12]]), 1.103)
    """

    calibrator = True

    eps: Eps = "auto"
    mix: bool = True
    input: Input = "probabilities"

    n_parameters_ = 1

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the temperature-scaling maps of many sets of labels, whose likelihoods are maximised at once."""
        return SharedFits(self.fit_map, entries, positives, self._maximise_columns, self._maximise_columns)

    def _maximise_columns(self, entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
        eps = eps_of_scores(self.eps, entries.distinct_p)
        return maximise_columns(self, entries, positives, _logits, eps=eps, n_slopes=1, threshold=0.5, at=at)

    def solve(self, sample: Any) -> Solution:
        """Return the map and its temperature."""
        return sample.either(self._solve_scores, self._solve_classes)(sample)  # type: ignore[no-any-return]

    def _solve_scores(self, sample: ScoreSample) -> Solution:
        eps = eps_of_sample(self.eps, sample)
        columns = Columns.of(sample, eps)
        x = logit(columns.p, eps)
        if not x.any():  # at 1/2 every temperature is as good as another
            return _solution(1.0, eps, 0)
        separable = columns.separable_at_half
        if separable:
            warn_separable("temperature")
        problem = LogisticProblem((x,), columns.y, columns.w, columns.total, intercept=False, bounded=True)
        optimum = fit_logistic(problem, x, SEPARABLE_RIDGE if separable else 0.0)
        return _solution(float(optimum.theta[0]), eps, optimum.n_iter)

    def _solve_classes(self, rows: SimplexSample) -> Solution:
        read_eps(self.eps)
        check_flag(self.mix, "mix")
        eps, K = self._smallest(rows), rows.n_classes
        slope = fit_slope(problem_of(rows, eps))
        if slope.separable:
            warn_separable("temperature")
        mix = 1.0 / (rows.counted + 1.0) if self.mix else 0.0
        fitted = SoftmaxMap(np.ones(K), np.zeros(K), slope.beta, mix, eps)
        temperature = 1.0 / slope.beta if slope.beta > 0 else np.inf
        return Solution(fitted, None, {"temperature_": temperature, "n_iter_": slope.n_iter})


def _solution(slope: float, eps: float, n_iter: int) -> Solution:
    temperature = 1.0 / slope if slope > 0 else np.inf
    return Solution(LogisticMap(slope, 0.0, LOGIT.name, eps), None, {"temperature_": temperature, "n_iter_": n_iter})


def _logits(p: FloatArray) -> FloatArray:
    return logit(p, 0.0)[:, None]
