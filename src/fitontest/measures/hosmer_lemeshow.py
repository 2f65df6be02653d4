"""The Hosmer-Lemeshow test: observed and expected positives of tenths of the rows, by their scores."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtrc

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.binning import BinnedSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.losses.chi_square import ChiSquare
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.numerics.quantiles import quantiles_of_columns
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import check_n_bins
from fitontest.results.frames import Records, records
from fitontest.results.table import Section
from fitontest.results.text import count, p_in_words, short
from fitontest.results.typing import FloatArray

OF_BINS = "hangs on the number of bins, and explodes where nothing is expected of one"


@register("hosmer_lemeshow")
@dataclass(frozen=True)
class HosmerLemeshow(Measure):
    """The Hosmer-Lemeshow statistic: how far bins of about equal size are from the positives that they expect.

    sum_b (O_b - E_b)^2 / E_b + (O_b - E_b)^2 / (N_b - E_b) over bins between the quantiles 0, .1, ..., 1 of the scores
    (type 7 of R, closed on the right; equal ones once, and empty bins left out), with N_b rows, O_b positives and
    E_b = sum of the scores.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins; ties leave fewer.

    Notes
    -----
    On test data it is about chi-square with as many degrees of freedom as bins
    (``estimate.evidence.asymptotic_p_value``; none where rows belong to groups); G - 2 degrees are right only of rows
    that a logistic model was fitted to (``evidence.p_value_of_fitted``). The law is a poor one where a bin expects few
    positives: ``null_draws=200`` compares it with redrawn labels. The statistic hangs on the number of bins, grows with
    the number of rows, and is no size of an error. Importances count as their effective rows.

    Raises
    ------
    NoValueError
        All scores of a bin are 0 or all are 1, and a label is another.
    ValueError
        A number of bins that is not whole or below 1.

    References
    ----------
    Hosmer, Lemeshow (1980), Goodness of fit tests for the multiple logistic regression model, Communications in
    Statistics - Theory and Methods 9. https://doi.org/10.1080/03610928008827941

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> test = fot.measure(rng.random(2000) < p, p, "hosmer_lemeshow")
    >>> test.n_bins, round(float(test), 1), round(test.evidence.asymptotic_p_value, 2)
    (10, 11.6, 0.32)
    """

    unit: ClassVar[Unit] = "chi-square"

    n_bins: int = 10

    def __post_init__(self) -> None:
        check_n_bins(self.n_bins)

    @property
    def words(self) -> Words:
        """The names of its inventors."""
        return Words(title="Hosmer-Lemeshow")

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the statistic, with the bins."""
        partition = self.partition(sample)
        binned = BinnedSample(sample, partition)
        per_row = ChiSquare().per_bin(binned)
        kept = binned.table.occupied
        rows = binned.table.w / sample.row_weight
        value, bins = float(rows[kept] @ per_row[kept]), int(kept.sum())
        independent = sample.groups is None
        evidence = ExpectedCounts(
            partition=partition,
            bins=partition,
            binned=binned,
            chi_squares=(rows * per_row)[kept],
            degrees=bins,
            asymptotic_p_value=float(chdtrc(bins, value)) if independent else None,
            p_value_of_fitted=float(chdtrc(bins - 2, value)) if independent and bins > 2 else None,
        )
        return Estimate.of(self, sample, value, evidence)

    def partition(self, sample: ScoreSample) -> Partition:
        """Return the bins between the quantiles of the scores.

        Parameters
        ----------
        sample : ScoreSample
        """
        rows, shares = sample.distinct, np.arange(1, self.n_bins) / self.n_bins
        edges = [float(quantiles_of_columns(rows.p[:, None], rows.w, q, counts=sample.whole)[0]) for q in shares]
        inner = np.unique(edges)
        return Partition(inner[(inner > rows.p[0]) & (inner < rows.p[-1])], "right")


@dataclass(frozen=True, kw_only=True, eq=False)
class ExpectedCounts(Evidence):
    """The bins, with observed and expected positives.

    Attributes
    ----------
    bins : Partition
    binned : BinnedSample
    chi_squares : array of shape (G,)
        The part of each occupied bin.
    degrees : int
        Number of occupied bins, G.
    asymptotic_p_value : float or None
        By the chi-square law of G degrees; None where rows belong to groups.
    p_value_of_fitted : float or None
        By that of G - 2 degrees, for rows that a logistic model was fitted to.
    """

    recorded = ("degrees", "asymptotic_p_value", "p_value_of_fitted")

    bins: Partition
    binned: BinnedSample
    chi_squares: FloatArray
    degrees: int
    asymptotic_p_value: float | None
    p_value_of_fitted: float | None

    def rows(self) -> Records:
        """Return one record for each occupied bin."""
        table, unit = self.binned.table, self.binned.sample.row_weight
        kept, borders = table.occupied, self.bins.borders
        return records(
            low=borders[:-1][kept],
            high=borders[1:][kept],
            rows=table.w[kept] / unit,
            observed=table.sum_y[kept] / unit,
            expected=table.sum_p[kept] / unit,
            chi_square=self.chi_squares,
        )

    def section(self) -> Section:
        """Return the bins as a table, with the p-value."""
        header = ["scores", "rows", "observed", "expected", "chi-square"]
        body = [
            [
                f"{short(row['low'])} to {short(row['high'])}",
                count(row["rows"]) if float(row["rows"]).is_integer() else short(row["rows"]),
                short(row["observed"]),
                short(row["expected"]),
                short(row["chi_square"]),
            ]
            for row in self.rows()
        ]
        tested = self.asymptotic_p_value
        p = "" if tested is None else f": {p_in_words(tested)}"
        return Section("", header, body, f"chi-square, {self.degrees} degrees of freedom{p}\nThe statistic {OF_BINS}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the test and the bins."""
        return {**self.record(), "bins": self.rows()}
