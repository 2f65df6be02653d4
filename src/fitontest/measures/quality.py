"""The quality index Q = D - U: what recalibrated scores gain in likelihood per row, less what recalibrating gains."""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.discrimination import Discrimination
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.unreliability import Unreliability
from fitontest.measures.words import Words


@register("quality")
@dataclass(frozen=True)
class Quality(Measure):
    """The quality index Q of R's val.prob: discrimination less unreliability; greater is better.

    Q = D - U of `Discrimination` and `Unreliability`.

    Raises
    ------
    NoValueError
        As for these two.

    References
    ----------
    Miller, Hui, Tierney (1991), Validation techniques for logistic regression models, Statistics in Medicine 10.
    https://doi.org/10.1002/sim.4780100805

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p
    >>> D, U, Q = (float(fot.measure(y, p, name)) for name in ("discrimination", "unreliability", "quality"))
    >>> Q == D - U
    True
    """

    words = Words(title="quality Q")
    unit: ClassVar[Unit] = "deviance"
    greater_is_better: ClassVar[bool] = True
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return D - U."""
        return Estimate.of(
            self, sample, Discrimination().estimate(sample).value - Unreliability().estimate(sample).value
        )
