"""The general calibration error: a loss per bin, a partition and a norm, chosen independently of one another.

GCE = || (L(D_1), ..., L(D_B)) ||. The expected calibration error is one such triplet, its maximum and its adaptive form
two others, the probability deviation error a fourth; with the share of rejected predictions it is the test-based
calibration error.
"""

from collections.abc import Callable
from typing import Literal

from fitontest.data.predictions import Reduction
from fitontest.families.base import Family
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.binning import DEFAULT_BINS
from fitontest.measures.classwise import ClasswiseError, over_classes
from fitontest.measures.losses.base import DEFAULT_ALPHA, DEFAULT_TEST, SignificanceName, find_bin_loss
from fitontest.measures.triplet import Triplet, general_error
from fitontest.partitions.partitioner import Partitioner
from fitontest.typing import ArrayInput, FloatArray, Label, RandomState


def gce(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    loss: Literal["bias", "deviation", "rejection"] | Callable[..., float] = "bias",
    partition: str | Partitioner | Family | ArrayInput = "equal_width",
    n_bins: int = DEFAULT_BINS,
    norm: Literal["l1", "l2", "squared", "max"] | Callable[[FloatArray, FloatArray], float] = "l1",
    alpha: float = DEFAULT_ALPHA,
    test: SignificanceName = DEFAULT_TEST,
    null_draws: int = 0,
    random_state: RandomState = 0,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> BinnedError | ClasswiseError:
    r"""Return the general calibration error: a norm of one loss per bin.

    GCE = || (L(D_1), ..., L(D_B)) ||, where D_b are the rows in bin b, of weight W_b and W in total. The norms are
    l1, sum W_b |L_b| / W; l2, the root of sum W_b L_b^2 / W; squared, that without the root; max, the largest |L_b|.
    Empty bins have no loss and no weight.

    ======================  ===============  ==============  ======
    error                   loss             partition       norm
    ======================  ===============  ==============  ======
    ECE                     ``"bias"``       equal_width     l1
    ACE                     ``"bias"``       equal_mass      l1
    MCE                     ``"bias"``       equal_width     max
    PDE                     ``"deviation"``  any             l1
    TCE (as a fraction)     ``"rejection"``  pava_bc         l1
    ======================  ===============  ==============  ======

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, or of any number with `reduction`.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1]; of shape (n, K) with `reduction`.
    loss : {"bias", "deviation", "rejection"} or callable, default="bias"
        With the means pbar of the scores and ybar of the labels in a bin: bias is abs(ybar - pbar); deviation the mean
        of abs(p_i - ybar); rejection the share of the scores p_i that the test rejects as the probability of the bin's
        labels. A callable is called as ``loss(y, p)`` with the labels (0.0 and 1.0) and scores of each occupied bin, or
        as ``loss(y, p, sample_weight=w)`` where there are weights other than one, as scikit-learn's metrics are.
    partition : str, Partitioner, Family or array-like, default="equal_width"
        The name of a partition, a partitioner such as ``EqualMass(15)``, a list of edges, or a fitted family, which
        lends its `partition_` whatever it was fitted to (`FamilyBins` has it fitted to these rows).
    n_bins : int, default=10
        Bins asked for, where `partition` is the name of a rule that is told a number.
    norm : {"l1", "l2", "squared", "max"} or callable, default="l1"
        A callable gets the losses and the weights of the occupied bins.
    alpha : float in (0, 1), default=0.05
        Level of the test; a score is rejected if its p-value is at most alpha.
    test : {"binomial", "t"}, default="binomial"
        The exact two-sided binomial test (p-value: the probability of all outcomes at most as likely as the count that
        was seen), or the t-test, T = sqrt(n) abs(ybar - p) / sqrt(ybar (1 - ybar)) with n - 1 degrees of freedom; where
        all labels of a bin are equal it rejects every p but ybar, and in a bin of one row nothing.
    null_draws : int, default=0
        How often the error is measured again with labels drawn from the scores, the partition made anew each time
        (edges and the bins of a fitted family are held fixed). ``.null`` then tells the error to expect of calibrated
        scores, and its spread.
    random_state : int, RandomState or None, default=0
        Seed of these draws.
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; the mean over the classes of each against the rest; or the column of the positive class
        of two. Without it only a column of scores is accepted. Null draws are made for each class by itself.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`; by default the labels that occur, sorted.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice, weight 0 not at all. For the rejection they must be whole numbers: a test counts
        rows.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    BinnedError
        ``float()`` of it is the error, a fraction; it holds the table of the bins. A `ClasswiseError` with
        ``reduction="classwise"``.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    sklearn.exceptions.NotFittedError
        For a family that is not fitted.

    Notes
    -----
    Deviations from the paper: equal scores are never in different bins; the t-test divides by the standard deviation of
    a label, where the authors' code divides by its variance; the loss and the norm take weights.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI.
    https://doi.org/10.48550/arXiv.2306.14343

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> round(float(fot.gce(y, p, n_bins=2)), 12)
    0.15
    >>> round(float(fot.gce(y, p, n_bins=2, norm="max")), 12)
    0.25
    >>> isotonic = fot.make_family("isotonic").fit(p, y)
    >>> round(float(fot.gce(y, p, loss="deviation", partition=isotonic)), 12)
    0.175
    """
    triplet = Triplet(find_bin_loss(loss, alpha, test), partition, norm, n_bins)
    return over_classes(
        lambda sample: general_error(sample, triplet, null_draws, random_state),
        (y_true, y_prob, sample_weight),
        reduction=reduction,
        labels=labels,
        pos_label=pos_label,
    )
