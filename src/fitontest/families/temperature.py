"""Temperature scaling: the logit of the score divided by one number."""

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.sample import Sample
from fitontest.families.base import Family, Solution, register_family
from fitontest.families.columns import Columns, warn_separable
from fitontest.families.likelihood_many import maximise_columns
from fitontest.maps.base import CalibrationMap, clipping
from fitontest.maps.logistic import LogisticMap
from fitontest.numerics.links import LOGIT, logit
from fitontest.numerics.newton import SEPARABLE_RIDGE, LogisticProblem, fit_logistic
from fitontest.typing import FloatArray, IntArray


@register_family("temperature")
class Temperature(Family):
    """Fit the temperature T > 0 by maximum likelihood, c_hat(p) = 1 / (1 + exp(-logit(p) / T)).

    T > 1 draws the scores towards 1/2, T < 1 away from it; 1/2 stays. It is `Platt` without the intercept, and
    the map of ``Beta("a")``. One parameter, so that few rows suffice; it cannot mend a wrong base rate.

    Parameters
    ----------
    eps : float, default=1e-16
        The logit clips scores to [eps, 1 - eps].

    Attributes
    ----------
    map_ : LogisticMap
        With the slope 1 / T and the intercept 0.
    temperature_ : float
        T; inf where the scores point the wrong way, so that the map is 1/2 everywhere. (1 where all scores are 1/2.)
    n_iter_ : int
        Newton steps on the raw data.

    Warns
    -----
    SeparableDataWarning
        Every positive has a score of 1/2 or more and every negative one of 1/2 or less, as single-class data may: the
        likelihood grows for ever as T falls.

    Notes
    -----
    For two classes only; scikit-learn's ``method="temperature"`` divides the logits of all classes by one number.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML.
    https://doi.org/10.48550/arXiv.1706.04599

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.9] * 5 + [0.1] * 5, [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    >>> temperature = fot.make_family("temperature").fit(p, y)
    >>> temperature.predict([0.9, 0.5]).round(12), round(temperature.temperature_, 3)
    (array([0.8, 0.5]), 1.585)
    """

    calibrator = True

    def __init__(self, eps: float = 1e-16) -> None:
        self.eps = eps

    @property
    def n_parameters_(self) -> float:
        """One."""
        return 1

    def fit_map(self, sample: Sample) -> CalibrationMap:
        """Return the map of maximum likelihood."""
        return self.solve(sample).map

    def fitted_values(self, entries: Entries, positives: IntArray) -> FloatArray:
        """Return the values at the distinct scores of the maps fitted to each labelling."""
        clipping(self.eps, "eps")
        return maximise_columns(self, entries, positives, _logits, eps=self.eps, n_slopes=1, threshold=0.5)

    def solve(self, sample: Sample) -> Solution:
        """Return the map and its temperature."""
        clipping(self.eps, "eps")
        columns = Columns.of(sample, self.eps)
        x = logit(columns.p, self.eps)
        if not x.any():  # at 1/2 every temperature is as good as another
            return _solution(1.0, self.eps, 0)
        separable = columns.separable_at_half
        if separable:
            warn_separable("temperature")
        problem = LogisticProblem((x,), columns.y, columns.w, columns.total, intercept=False, bounded=True)
        optimum = fit_logistic(problem, x, SEPARABLE_RIDGE if separable else 0.0)
        return _solution(float(optimum.theta[0]), self.eps, optimum.n_iter)


def _solution(slope: float, eps: float, n_iter: int) -> Solution:
    temperature = 1.0 / slope if slope > 0 else np.inf
    return Solution(LogisticMap(slope, 0.0, LOGIT.name, eps), None, {"temperature_": temperature, "n_iter_": n_iter})


def _logits(p: FloatArray) -> FloatArray:
    return logit(p, 0.0)[:, None]
