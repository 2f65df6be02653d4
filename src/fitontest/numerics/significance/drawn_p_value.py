"""A p-value that is counted from labels drawn under the hypothesis, and how well so many draws tell it."""

from dataclasses import dataclass

from fitontest.numerics.significance.exact_share import share_interval

SURE = 0.99  # level of the interval


@dataclass(frozen=True)
class DrawnPValue:
    """The share of draws whose statistic is as large as the observed one, which counts as one more draw.

    Another seed gives another p-value. Where the decision hangs on it, more draws are needed: their number is doubled
    while the interval of the p-value holds that of the decision (Davidson and MacKinnon, 2000).

    Attributes
    ----------
    as_large : int
        Draws with a statistic as large as the observed one.
    draws : int

    References
    ----------
    Davidson, MacKinnon (2000), Bootstrap tests: how many bootstraps? Econometric Reviews 19.
    https://doi.org/10.1080/07474930008800459

    Examples
    --------
    >>> few, more = DrawnPValue(12, 200), DrawnPValue(240, 3200)
    >>> round(few.value, 3), few.leaves_open(0.05), more.leaves_open(0.05)
    (0.065, True, False)
    """

    as_large: int
    draws: int

    @property
    def value(self) -> float:
        """The p-value."""
        return (1.0 + self.as_large) / (1.0 + self.draws)

    @property
    def interval(self) -> tuple[float, float]:
        """Between which values the p-value of endless draws lies, with a confidence of at least 99 %."""
        return share_interval(self.as_large, self.draws, SURE)

    def leaves_open(self, alarms: float) -> bool:
        """Return whether the draws do not tell on which side of a share of false alarms the p-value lies.

        None as large is an answer, however small that share is.
        """
        low, high = self.interval
        return self.as_large > 0 and low <= alarms <= high
