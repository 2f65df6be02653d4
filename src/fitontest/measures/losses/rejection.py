"""The rejected share of a bin: the loss behind the test-based calibration error (TCE)."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.binning import BinnedSample
from fitontest.measures.losses.base import BinLoss, mean_over_bins, register
from fitontest.numerics.significance.choice import SignificanceTest, TestChoice, check_alpha, find_test
from fitontest.results.typing import FloatArray

DEFAULT_ALPHA: float = 0.05
DEFAULT_TEST: TestChoice = "binomial"


@register("rejection")
@dataclass(frozen=True)
class Rejection(BinLoss):
    """The share of the scores of a bin that a significance test rejects, given the labels of the bin.

    Parameters
    ----------
    alpha : float in (0, 1), default=0.05
        A score is rejected if its p-value is at most alpha.
    test : {"binomial", "t", "bayes"} or callable, default="binomial"
        The exact two-sided binomial test, the t-test, or the shortest credible interval of a uniform prior; or a
        function of arrays of scores, of the rows of their bins and of the positives among these, which returns
        p-values.

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 0, 0, 0, 0, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> float(fot.gce(y, p, loss=fot.bin_losses.Rejection(alpha=0.3), n_bins=1))
    0.625
    >>> float(fot.tce(y, p, alpha=0.3, partition=[], null_draws=0))
    0.625

    Another test, here of the normal approximation:

    >>> import numpy as np
    >>> from scipy.special import ndtr
    >>> def normal(p, n, positives):
    ...     return 2 * ndtr(-abs(positives - n * p) / np.sqrt(n * p * (1 - p)))
    >>> loss = fot.bin_losses.Rejection(alpha=0.3, test=normal)
    >>> float(fot.gce(y, p, loss=loss, n_bins=1)), loss.in_words()
    (0.625, 'rejection (normal test, alpha 0.3)')
    """

    alpha: float = DEFAULT_ALPHA
    test: TestChoice = DEFAULT_TEST

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        find_test(self.test)

    def check(self, sample: ScoreSample) -> None:
        """Raise ValueError for weights that are no counts of rows.

        Rows of one group are counted as if they were independent, of which notes of the value tell.

        Raises
        ------
        ValueError
            Weights that are importances.
        """
        if not sample.whole:
            got = sample.why_not_whole if sample.weighting is None else f"importances: {sample.weighting}"
            raise ValueError(
                f"sample_weight must be counts for loss='rejection', because a significance test counts rows; got {got}"
            )

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the shares of rejected predictions."""
        distinct, table = binned.distinct, binned.table  # summed over the sorted scores, which are needed here
        test = find_test(self.test)
        if binned.ascends:
            rejected = test.rejected(table.sum_y, table.w, distinct.p, binned.starts, self.alpha)
        else:  # which decides one by one, and needs no order
            rejected = test.p_values(binned.spread(table.sum_y), binned.spread(table.w), distinct.p) <= self.alpha
        return mean_over_bins(binned, rejected)

    def in_words(self) -> str:
        """Return the name with the test and its level."""
        return f"{self.name} ({find_test(self.test).name} test, alpha {self.alpha:g})"

    @property
    def significance(self) -> tuple[SignificanceTest, float]:
        """The test and its level."""
        return find_test(self.test), self.alpha
