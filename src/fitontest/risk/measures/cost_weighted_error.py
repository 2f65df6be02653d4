"""The calibration error over thresholds of a beta law: decision losses, weighed by how often a threshold decides."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import check_family
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import register
from fitontest.results.checks import brief, is_real
from fitontest.results.typing import FloatArray
from fitontest.risk.measures.decision_regret import FAMILY, DecisionRegret


@register("cost_weighted_error")
@dataclass(frozen=True, eq=False)
class CostWeightedError(DecisionRegret):
    r"""What miscalibration costs on average, where the threshold is not known but thresholds follow a beta law.

    2 int (1 - t) L(t) b(t) dt = 2 mean |int_p^c_hat |c_hat - t| b(t) dt|

    with the decision loss L(t) (`DecisionLoss`) and the density b of the beta law of a and b. Of the uniform law,
    a = b = 1, it is the squared calibration error, the mean of (c_hat - p)^2.

    Parameters
    ----------
    a, b : float, default=1.0
        Of the law of the thresholds, above 0: its mean is a / (a + b), and a + b says how narrow it is.
        ``a=2, b=8`` has mean .2 and most of its weight between .05 and .45.
    family : str, Family or CalibrationMap, default="isotonic"
        A family is cloned and fitted to the sample; a map is used as it is, cut to [0, 1].

    Raises
    ------
    ValueError
        Parameters that are not above 0; what is no family.

    Notes
    -----
    The integral of each row is exact. With I the regularised incomplete beta function and m = a / (a + b) it is
    ``c (I_c(a, b) - I_p(a, b)) - m (I_c(a + 1, b) - I_p(a + 1, b))``, which is cut at 0 where rounding has it below.

    Label noise adds to it, as to any mean of squares; with an interval there is a debiased value.

    References
    ----------
    Schervish (1989), A general method for comparing probability assessors, Annals of Statistics 17.
    https://doi.org/10.1214/aos/1176347398
    Buja, Stuetzle, Shen (2005), Loss functions for binary class probability estimation and classification: structure
    and applications, working paper, University of Pennsylvania.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**2
    >>> flat = fot.measure(y, p, "cost_weighted_error")
    >>> squares = fot.calibration_error(y, p, family="isotonic", norm="squared", interval=None)
    >>> bool(abs(float(flat) - float(squares)) < 1e-12)
    True
    """

    call = "cost_weighted_error"

    a: float = 1.0
    b: float = 1.0
    family: Any = FAMILY

    def __post_init__(self) -> None:
        for name, value in (("a", self.a), ("b", self.b)):
            if not (is_real(value) and 0.0 < value < np.inf):
                raise ValueError(f"{name} must be a finite number above 0, got {brief(value)}")
        check_family(self.family, maps=True)

    @property
    def is_raw(self) -> bool:
        """Whether label noise adds to the value: to the squares of distances from a map that is fitted."""
        return True

    def losses(self, p: FloatArray, c: FloatArray) -> FloatArray:
        """Return the integral of each row.

        Parameters
        ----------
        p, c : arrays that broadcast
            Scores and probabilities.
        """
        a, b = float(self.a), float(self.b)
        if a == b == 1.0:
            return np.asarray((c - p) ** 2)
        weight = betainc(a, b, c) - betainc(a, b, p)
        mean = a / (a + b) * (betainc(a + 1.0, b, c) - betainc(a + 1.0, b, p))
        return np.asarray(np.maximum(2.0 * (c * weight - mean), 0.0))

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the mean under the fitted calibration map, or under the one that was given."""
        c_hat, fitted = self.fitted_to(sample)
        rows = sample.rows
        c = np.clip(c_hat.evaluate(rows.p), 0.0, 1.0)
        evidence = RegretMap(map=c_hat, estimator=fitted, partition=getattr(fitted, "partition_", None))
        return Estimate.of(self, sample, float(rows.w @ self.losses(rows.p, c) / rows.w.sum()), evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class RegretMap(Evidence):
    """The map whose decisions are compared with those of the scores."""

    def to_dict(self) -> dict[str, Any]:
        """Return the map."""
        return {**self.record(), "map": self.map.to_dict()}
