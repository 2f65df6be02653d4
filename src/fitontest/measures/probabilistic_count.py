"""The probabilistic count: how many values a scorer has in effect, each counting by its share of the rows.

PC = 1 / P(f(x) = f(x')) for two rows drawn independently. A scorer of m values that are equally frequent has a count of
m; one that has a few frequent values and many rare ones has a count of about the frequent ones.
"""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.data.score_sample import ScoreSample, refuse_pooled_scores
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words


@register("probabilistic_count")
@dataclass(frozen=True)
class ProbabilisticCount(Measure):
    """How many different probabilities the scores give, in effect: few are easy to read.

    That is 1 / sum_r P(p = r)^2, from 1 to the number of values.

    A reader can keep few values apart, so that a small count is readable; it says nothing of the labels, which it does
    not use. A score of its own for each row has as many values as there are rows, however many there would be of more.

    Scores are equal where they are the same float: round those that differ by rounding alone. `Cells` do not keep how
    many values the scores of a cell have, and are refused unless each has one, as with ``exact=True``.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    Two values that a quarter of the rows have each, and one that half of them have:

    >>> import fitontest as fot
    >>> count = fot.measures.ProbabilisticCount().estimate(fot.ScoreSample([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.7]))
    >>> round(count.value, 4), count.n_values
    (2.6667, 3)
    """

    words = Words(title="probabilistic count")

    unit: ClassVar[Unit] = "count"
    uses_labels = False

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the effective number, with the number of different values.

        Raises
        ------
        ValueError
            Of `Cells` in which rows of several scores share a cell: how many there are is not kept.
        """
        refuse_pooled_scores(sample, self.name)
        shares = sample.distinct.w / sample.distinct.w.sum()
        return Estimate.of(self, sample, 1.0 / float(shares @ shares), Values(n_values=len(sample.distinct)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Values(Evidence):
    """How many values the scores have.

    Attributes
    ----------
    n_values : int
    """

    recorded = ("n_values",)

    n_values: int
