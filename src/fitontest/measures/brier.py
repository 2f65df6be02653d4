"""The Brier score: the mean squared difference between predictions and labels."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from fitontest.data.sample import Sample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.losses import OF_ALL_CLASSES
from fitontest.results.table import Section


@register("brier")
@dataclass(frozen=True)
class Brier(Measure):
    """The Brier score: the mean squared difference between predicted probabilities and labels; smaller is better.

    Of scores it is (1/W) sum_i w_i (p_i - y_i)^2, scikit-learn's ``brier_score_loss``; of whole distributions
    (1/W) sum_i w_i sum_k (p_ik - [y_i = k])^2, in [0, 2]: of two classes twice that of a score. It measures accuracy
    as well as calibration, and is not 0 for the true probabilities: its p-value is two-sided.

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather Review 78.
    https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.measure([0, 1], [0.3, 0.6], "brier")), 4)
    0.125
    >>> round(float(fot.measure(["a", "b"], [[0.7, 0.3], [0.4, 0.6]], "brier", reduction="canonical")), 4)
    0.25
    """

    words = Words(title="Brier score")

    classes: ClassVar[Literal["two", "any", "both"]] = "both"
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: Sample) -> Estimate:
        """Return the weighted mean of the squares."""
        evidence = Evidence() if sample.classes is None else OverClasses()
        return Estimate.of(self, sample, sample.mean_loss("brier"), evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class OverClasses(Evidence):
    """A sum over the classes, which differs from the score of one column."""

    def section(self) -> Section:
        """Return what is summed."""
        return Section(notes=OF_ALL_CLASSES)
