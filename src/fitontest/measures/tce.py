"""The test-based calibration error (TCE): the share of predictions that the labels of their bin contradict."""

from fitontest.data.predictions import Reduction
from fitontest.families.base import Family
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.binning import DEFAULT_BINS
from fitontest.measures.classwise import ClasswiseError, over_classes
from fitontest.measures.losses.base import DEFAULT_ALPHA, DEFAULT_TEST, SignificanceName
from fitontest.measures.triplet import general_error, tce_triplet
from fitontest.partitions.partitioner import Partitioner
from fitontest.typing import ArrayInput, Label, RandomState


def tce(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    partition: str | Partitioner | Family | ArrayInput = "pava_bc",
    n_bins: int = DEFAULT_BINS,
    alpha: float = DEFAULT_ALPHA,
    test: SignificanceName = DEFAULT_TEST,
    null_draws: int = 0,
    random_state: RandomState = 0,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> BinnedError | ClasswiseError:
    """Return the test-based calibration error, in percent: how many predictions their bin's labels contradict.

    Every prediction p_i of a bin is tested as the probability of the bin's labels, k positives among n:

    TCE = 100 / W sum_i w_i [p-value(k_b(i), n_b(i); p_i) <= alpha],

    which is 100 times ``gce(loss="rejection")``.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, or of any number with `reduction`.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1]; of shape (n, K) with `reduction`.
    partition : str, Partitioner, Family or array-like, default="pava_bc"
        See `gce`. The default holds a twentieth to a fifth of the rows in each bin.
    n_bins : int, default=10
        Bins asked for, where `partition` is the name of a rule that is told a number.
    alpha : float in (0, 1), default=0.05
        Level of the test: 0.05 is 5 %.
    test : {"binomial", "t"}, default="binomial"
        The exact two-sided binomial test, or the t-test.
    null_draws : int, default=0
        Redrawings of the labels from the scores, for the TCE to expect of calibrated scores in ``.null``.
    random_state : int, RandomState or None, default=0
        Seed of these draws.
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; the mean over the classes of each against the rest; or the column of the positive class
        of two. Without it only a column of scores is accepted.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`; by default the labels that occur, sorted.
    sample_weight : array-like of shape (n,), optional
        Whole numbers: how often each row counts.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    BinnedError
        ``float()`` of it is the error in percent, 0 to 100. It holds the table of the bins; ``rejects(p)`` tells the
        decision on each score, ``p_values(p)`` what it rests on. A `ClasswiseError` with ``reduction="classwise"``.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    sklearn.exceptions.NotFittedError
        For a family that is not fitted.

    Notes
    -----
    "TCE equals alpha if the scores are calibrated" is true only while a bin is narrow against its sampling error. Bins
    that hold a fixed share of the data become wide against it: perfectly calibrated scores from Beta(0.5, 2) have a TCE
    of 81 % with a million rows. Ask for `null_draws` and compare with ``.null.mean``, not with alpha.

    PAVA-BC makes its blocks from the lowest score up, so the TCE of the other class, ``tce(1 - y, 1 - p)``, rests on
    other blocks and differs, often by a few points: always name the same class positive. Equal-mass bins differ less.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI.
    https://doi.org/10.48550/arXiv.2306.14343

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**2
    >>> error = fot.tce(y, p, null_draws=20)
    >>> error
    BinnedError(92.4 %, loss='rejection', norm='l1', n_bins=13, n=2000, if_calibrated=10.29 %)
    >>> bool(error.rejects(p).mean() * 100 == float(error)), error.rejects([0.2, 0.5])
    (True, array([ True,  True]))
    """
    triplet = tce_triplet(partition, n_bins, alpha, test)
    return over_classes(
        lambda sample: general_error(sample, triplet, null_draws, random_state),
        (y_true, y_prob, sample_weight),
        reduction=reduction,
        labels=labels,
        pos_label=pos_label,
    )
