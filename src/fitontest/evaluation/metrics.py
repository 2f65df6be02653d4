"""Calibration errors as functions of labels and scores: the measures under the names and defaults of the field.

Each reads its arguments, chooses a measure and measures.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Unpack

from fitontest.data.arrays import count_columns
from fitontest.data.reading.read import read
from fitontest.data.simplex_sample import CANONICAL, AnyReduction
from fitontest.evaluation.measuring import measure_one
from fitontest.families.base import Family, family_class
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.maps.base import CalibrationMap
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.binned import Binned
from fitontest.measures.binning import DEFAULT_BINS, AnyPartition
from fitontest.measures.estimate import Estimate
from fitontest.measures.losses.base import BinLoss
from fitontest.measures.losses.rejection import DEFAULT_ALPHA, DEFAULT_TEST
from fitontest.measures.plug_in import PlugIn, takes_classes_alone
from fitontest.measures.proper_error import SEVERAL, TWO, ProperError
from fitontest.numerics.norms import Norm
from fitontest.numerics.significance.choice import TestChoice
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE, Distance
from fitontest.partitions.simplex.uniform_grid import UniformGrid
from fitontest.results.docstrings import take_descriptions
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.uncertainty.options import Options, read_options, split_options

DistanceLike = str | Distance | Callable[[FloatArray, FloatArray], FloatArray]
NormLike = Literal["l1", "l2", "squared", "max", "q50", "q90"] | str | Norm | Callable[[FloatArray, FloatArray], float]


@spell_out()
def calibration_error(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    family: str | Family | CalibrationMap | MulticlassFamily | MulticlassMap | None = None,
    norm: NormLike = "l1",
    distance: DistanceLike = DEFAULT_DISTANCE,
    debias: bool = False,
    **options: Unpack[Options],
) -> Estimate:
    """Return the calibration error: the mean distance between the scores and a calibration map fitted to these data.

    The plug-in value of it, of a family of maps, and what the data say about the true one.

    With g_i = |c_hat(p_i) - p_i| and weights of sum W: l1 is sum w g / W, squared is sum w g^2 / W, l2 its square
    root, max the largest g.

    Of K classes, with a score p_ik for each, `reduction` makes samples of two, or takes the distributions as they are:

    ================  ========================================  ===============================================
    ``reduction``     scores and labels                         the error is
    ================  ========================================  ===============================================
    ``"confidence"``  max_k p_ik, 1[argmax_k p_ik = y_i]        of that one sample, whose base rate is the accuracy
    ``"classwise"``   p_ik, 1[y_i = k] for each class k         the plain mean over the K classes
    ``"binary"``      p_ik, 1[y_i = k] for the positive class   of that one sample; K = 2
    ``"canonical"``   the rows p_i, y_i                         the norm of d(g(p_i), p_i), g a map of K classes
    ================  ========================================  ===============================================

    Where m scores of a row are the largest, the row counts as m parts of weight 1 / m, which predict one class each. So
    no order of the columns changes a result, and sums are what they are on average if ties are broken by chance; what
    counts row by row, such as the rejections of `tce`, refuses such rows. Rows need not add up to 1, but for the last
    reduction (they must, within a thousandth, and are divided by their sums); where most do not, there is a note.
    Canonical calibration, E[y | p] = p, is of the whole vector p; that of the confidence and of each class follow from
    it, not the reverse.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, or of any number with `reduction`; or, without `y_prob`, what `read` returns, or a file
        or a data frame whose columns `label` and `prob` name.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1]; of shape (n, K) with `reduction`.
    family : str, Family or CalibrationMap, optional
        By default "spline", "slope1" with `debias`, and "vector" of all classes at once, which take the families of
        ``fot.families.names("any")``, maps of several classes, and families of two classes: these are fitted to
        each class against the rest, and called one_vs_rest(...).
        A family, by name or as an estimator, is cloned and fitted on these rows, whether it was fitted before or not. A
        map, such as ``other.map_``, is used as it is. "slope1" is the ECE, with a number of bins that cross-validation
        chooses: the default of version 0.1, which the spline replaces because it was nearer the true error, and
        steadier, on simulated and on real scores (`benchmarks/default_family.py`).
    norm : {"l1", "l2", "squared", "max"}, name of a quantile, Norm or callable, default="l1"
        l1 is the mean of the distances, which clinicians call ICI under the families "lowess" and "loess"; "q50", "q90"
        or any other quantile (`fot.norms.Quantile`) are their E50 and E90, "max" is Emax: the largest over the rows.
        l2 is the root mean square, squared is without the root; a `Norm` is one of your own, a callable gets the
        distances and their weights.
    distance : {"total_variation", "cityblock", "squared_euclidean"}, Distance or callable, default="total_variation"
        d with ``reduction="canonical"``: half the sum of abs(p_k - q_k), all of it, or the sum of squares; a callable
        takes two matrices and returns a number for each row; one of a single pair of rows must be wrapped, as
        ``lambda P, Q: [d(p, q) for p, q in zip(P, Q)]``. Of two classes total variation is abs(p - q).
    debias : bool, default=False
        Take off what label noise adds to a binned error; for families that shift bins, as slope1 does, under l1, l2
        (then the root of the debiased square, or 0) and squared, with whole weights. It assumes the label variance
        ybar (1 - ybar) and so over-corrects in wide bins, where the noise of ybar - pbar is Var(y - p).
    null_draws : int, default=0
        Sets of labels simulated from the scores, for what to expect of calibrated ones; 200 with an `interval`.

    Returns
    -------
    Estimate
        ``float()`` of it is the error, a fraction; with the fitted map, the bins, and a standard error that holds the
        map fixed (`fitontest.measures.plug_in.FittedMap`). With ``reduction="classwise"`` it holds those of the
        classes.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Warns
    -----
    CalibrationWarning
        Where the data chose a single bin: the slope-1 error is then only the difference of the means. Give the number,
        as ``family=Slope1(n_bins=10)``, for another one. Also where all scores are 0 or 1.

    Notes
    -----
    For an `interval` labels are simulated from truths between calibrated scores and a smooth map fitted to the real
    labels, and beyond; the family is fitted anew each time, its hyper-parameters too. The interval holds the true
    errors under which the error found here would be ordinary (`fitontest.uncertainty.inversion`); the debiased error is
    the one under which it would be the middle one. It needs l1, l2, squared, max or a quantile as norm. For pl and pl3
    a spline is refitted in their stead. Where a test finds that a smooth map does not fit, the truths go towards an
    isotonic map or the means of neighbouring rows (``.interval.roughness``); of the latter quantiles and the maximum
    have none, since they tell how large errors are, not how they are distributed. ``.limit(resolution)`` bounds errors
    of any shape that persist over a share of the rows. Rows must be independent: repeated rows, or several of one
    patient or user without `groups`, make the interval too narrow. It is of all rows together, not of each period in
    time. All classes at once have none (``interval_reason`` says why), but `gce` has one of them.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8]
    >>> error = fot.calibration_error(y, p, family=fot.families.make("slope1", n_bins=2))
    >>> round(float(error), 12), error.n_bins, error.fitted_on_these_rows
    (0.3, 2, True)

    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> error = fot.calibration_error(["a", "b", "b", "c"], p, family=fot.Slope1(1), reduction="confidence")
    >>> error, error.base_rate  # mean confidence 0.65, accuracy 3 of 4
    (Estimate(0.1, family='slope1', norm='l1', reduction='confidence', n_bins=1, n=4), 0.75)
    >>> error = fot.calibration_error(["a", "b", "b", "c"], p, family="temperature", reduction="canonical")
    >>> print(error)
    canonical calibration error: 0.077, the plug-in
    reduction canonical, family temperature, distance total_variation, n = 4
    no interval: of whole distributions the ECE on the simplex has one, gce(..., interval='always')
    """
    data, redrawing = read_options(y_true, y_prob, options)
    seed = redrawing.random_state
    if data.has_distributions:
        _refuse("debias", debias, False, "with reduction='canonical'")
        return measure_one(PlugIn(family, norm, distance=distance).seeded(seed), data, redrawing)
    _refuse("distance", distance, DEFAULT_DISTANCE, "unless reduction='canonical'")
    if family is None:
        family = "slope1" if debias is True else "spline"
    if isinstance(family, str):
        family_class(family)  # refuses one that takes no column of scores
    elif takes_classes_alone(family):
        rule = "reduction must be 'canonical' for a family or map of several classes"
        raise ValueError(f"{rule}, got {data.reduction!r}")
    return measure_one(PlugIn(family, norm, debias).seeded(seed), data, redrawing)


@take_descriptions(calibration_error)
@spell_out()
def gce(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    loss: Literal["bias", "deviation", "rejection"] | str | BinLoss | Callable[..., float] = "bias",
    partition: AnyPartition | None = None,
    n_bins: int = DEFAULT_BINS,
    norm: NormLike = "l1",
    distance: DistanceLike = DEFAULT_DISTANCE,
    alpha: float = DEFAULT_ALPHA,
    test: TestChoice = DEFAULT_TEST,
    **options: Unpack[Options],
) -> Estimate:
    r"""Return a binned calibration error such as ECE, ACE or MCE: one loss per bin, summed up by a norm.

    It is the general calibration error.

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
    TCE                     ``"rejection"``  pava_bc         l1
    ======================  ===============  ==============  ======

    Parameters
    ----------
    loss : {"bias", "deviation", "rejection"}, BinLoss or callable, default="bias"
        With the means pbar of the scores and ybar of the labels in a bin: bias is abs(ybar - pbar); deviation the mean
        of abs(p_i - ybar); rejection the share of the scores p_i that the test rejects as the probability of the bin's
        labels. A `BinLoss` brings its own settings, as ``Rejection(alpha=0.01)``. A callable is called as
        ``loss(y, p)`` with the labels (0.0 and 1.0) and scores of each occupied bin, or as
        ``loss(y, p, sample_weight=w)`` where there are weights other than one, as scikit-learn's metrics are.
    partition : str, Partitioner, Family or array-like, optional
        By default "equal_width"; "median_variance" with ``reduction="canonical"``.
        The name of a partition, a partitioner such as ``EqualMass(15)``, a list of edges, or a fitted family, which
        lends its `partition_` whatever it was fitted to (`FamilyBins` has it fitted to these rows); or a
        `CellPartition`, which has the cell of each row. With
        ``reduction="canonical"`` cells of the simplex: "median_variance" (then the default), "uniform_grid", a
        `SimplexPartitioner` such as ``MedianVariance(20)``, any object with its method, or a whole number for each row.
    n_bins : int, default=10
        Number of bins, where `partition` is the name of a rule that has one.
    norm : {"l1", "l2", "squared", "max"}, name of a quantile, Norm or callable, default="l1"
        A callable gets the losses and the weights of the occupied bins.
    distance : {"total_variation", "cityblock", "squared_euclidean"}, Distance or callable, default="total_variation"
        With ``reduction="canonical"``, where the error is the norm of d(pbar, ybar), the distance between the mean
        prediction and the mean label, as a distribution, of each cell. A callable takes the matrices of both, with a
        row for each cell, see `calibration_error`.
    alpha : float in (0, 1), default=0.05
        Level of the test; a score is rejected if its p-value is at most alpha.
    test : {"binomial", "t", "bayes"} or callable, default="binomial"
        The exact two-sided binomial test (p-value: the probability of all outcomes at most as likely as the count that
        was seen); the t-test, T = sqrt(n) abs(ybar - p) / sqrt(ybar (1 - ybar)) with n - 1 degrees of freedom, which
        rejects every p but ybar where all labels of a bin are equal, and nothing in a bin of one row; or whether p lies
        outside of the shortest credible interval of level 1 - `alpha` of the posterior Beta(k + 1, n - k + 1), for k
        positives of n rows. A function gets arrays of scores, of the rows of their bins and of the positives among
        these, and returns p-values.
    null_draws : int or "auto", default=0
        How often the error is measured again with labels drawn from the scores, the partition made anew each time
        (edges and the bins of a fitted family are held fixed). ``.null`` then tells the error to expect of calibrated
        scores, and its spread. "auto" draws for the rejection under l1 alone, as `tce` does by default.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; the mean over the classes of each against the rest; the column of the positive class of
        two; or all classes at once, with the bias as loss. Without it only a column of scores is accepted. Null draws
        are made for each class by itself.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent. For the rejection they must be counts: a test counts
        rows.

    Returns
    -------
    Estimate
        ``float()`` of it is the error, a fraction; it holds the table of the bins. With ``reduction="classwise"`` it
        holds the estimates of the classes.

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
    >>> isotonic = fot.families.make("isotonic").fit(p, y)
    >>> round(float(fot.gce(y, p, loss="deviation", partition=isotonic)), 12)
    0.175

    >>> P = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]]
    >>> print(fot.gce([0, 1, 2, 0, 1], P, reduction="canonical", partition=fot.partitions.MedianVariance(2)))
    canonical ECE: 0.540, the plug-in
    reduction canonical, partition MedianVariance(2), distance total_variation, 2 bins, n = 5
    cell  n  distance  class  mean prediction  empirical
    ----  -  --------  -----  ---------------  ---------
    1     3     0.533      2            0.533          0
    0     2     0.550      0            0.550          0
    class: where the means differ most
    no interval: coverage is known for median_variance by default, total_variation or cityblock, and the norm l1 alone
    """
    data, redrawing = read_options(y_true, y_prob, options)
    if data.has_distributions:
        _refuse("loss", loss, "bias", "with reduction='canonical'")
        _refuse("alpha", alpha, DEFAULT_ALPHA, "with reduction='canonical'")
        _refuse("test", test, DEFAULT_TEST, "with reduction='canonical'")
        return measure_one(Binned(partition=_cells(partition, n_bins), norm=norm, distance=distance), data, redrawing)
    _refuse("distance", distance, DEFAULT_DISTANCE, "unless reduction='canonical'")
    measure = Binned(loss, "equal_width" if partition is None else partition, norm, n_bins, alpha, test)
    return measure_one(measure, data, redrawing)


@take_descriptions(gce)
@spell_out()
def ece(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    n_bins: int = DEFAULT_BINS,
    norm: NormLike = "l1",
    **options: Unpack[Options],
) -> Estimate:
    """Return the expected calibration error: the mean gap between scores and labels over bins of equal width.

    ECE = sum_b W_b / W abs(ybar_b - pbar_b), with the mean label and the mean score of the rows in bin b. It is
    ``gce(y_true, y_prob, n_bins=n_bins)``, to the last bit. Bins are closed on the left, at the edges b / n_bins; other
    ends, other bins and losses are settings of `gce`.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins of equal width.
    norm : {"l1", "l2", "squared", "max"}, name of a quantile, Norm or callable, default="l1"
        "max" is the MCE. A callable gets the gaps and the weights of the occupied bins.

    Returns
    -------
    Estimate
        ``float()`` of it is the error, a fraction; it holds the table of the bins. With ``reduction="classwise"`` it
        holds the estimates of the classes.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    The number depends on the number of bins, and is above 0 of calibrated scores too: `calibration_error` needs no
    number of bins, and has a debiased value and an interval that hold without one.

    References
    ----------
    Naeini, Cooper, Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning, AAAI.
    https://doi.org/10.1609/aaai.v29i1.9602

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> round(float(fot.ece(y, p, n_bins=2)), 12), round(float(fot.ece(y, p, n_bins=2, norm="max")), 12)
    (0.15, 0.25)
    """
    return gce(y_true, y_prob, n_bins=n_bins, norm=norm, **options)


@take_descriptions(gce)
@spell_out("interval", "level", "draws", null_draws="auto")
def tce(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    partition: AnyPartition = "pava_bc",
    n_bins: int = DEFAULT_BINS,
    alpha: float = DEFAULT_ALPHA,
    test: TestChoice = DEFAULT_TEST,
    **options: Unpack[Options],
) -> Estimate:
    """Return the share of predictions that a significance test rejects, given the labels of their bin (TCE).

    It is the test-based calibration error.

    Every prediction p_i of a bin is tested as the probability of the bin's labels, k positives among n:

    TCE = 1 / W sum_i w_i [p-value(k_b(i), n_b(i); p_i) <= alpha],

    which is ``gce(loss="rejection", partition="pava_bc")``.

    Parameters
    ----------
    partition : str, Partitioner, Family or array-like, default="pava_bc"
        See `gce`. The default holds a twentieth to a fifth of the rows in each bin.
    alpha : float in (0, 1), default=0.05
        Level of the test: 0.05 is 5 %.
    null_draws : int or "auto", default="auto"
        Sets of labels simulated from the scores, for the TCE to expect of calibrated scores in ``.null``: a TCE means
        little without it. "auto" makes 100 for up to 10,000 scores (rows, times the classes with
        ``reduction="classwise"``) of up to five classes and none for more, as the result then says. 0 draws none.
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; the mean over the classes of each against the rest; or the column of the positive class
        of two. Without it only a column of scores is accepted.
    sample_weight : array-like of shape (n,), optional
        Counts, whole numbers of at most 10 on average: how often each row stands in the data.

    Returns
    -------
    Estimate
        ``float()`` of it is the error, a fraction; in print it is in percent. It holds the table of the bins;
        ``rejects(p)`` is the decision on each score, ``p_values(p)`` what it rests on. With ``reduction="classwise"``
        it holds the estimates of the classes.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    sklearn.exceptions.NotFittedError
        For a family that is not fitted.

    Notes
    -----
    The paper gives the TCE in percent.

    "TCE equals alpha if the scores are calibrated" is true only while a bin is narrow against its sampling error. Bins
    that hold a fixed share of the data become wide against it: perfectly calibrated scores from Beta(0.5, 2) have a TCE
    of 81 % with a million rows. Compare with ``.null.mean``, not with alpha.

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
    Estimate(0.924, loss='rejection', norm='l1', n_bins=13, n=2000, if_calibrated=0.1028)
    >>> bool(error.rejects(p).mean() == float(error)), error.rejects([0.2, 0.5])
    (True, array([ True,  True]))
    """
    data, redrawing = read_options(y_true, y_prob, options)
    return measure_one(Binned("rejection", partition, "l1", n_bins, alpha, test), data, redrawing)


@take_descriptions(calibration_error)
@spell_out("interval", "level", "draws", "reduction")
def proper_error(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    family: str | Family | MulticlassFamily | Sequence[str | Family | MulticlassFamily] | None = None,
    loss: Literal["log_loss", "brier"] = "log_loss",
    cv: int = 10,
    **options: Unpack[Options],
) -> Estimate:
    r"""Return by how much recalibration lowers the log loss, or another proper loss, on held-out rows.

    It is the proper calibration error.

    CE_S = 1 / W sum_i w_i (S(p_i, y_i) - S(g_i(p_i), y_i)),

    where g_i is fitted to the rows outside the fold of row i. For one family that is named beforehand it is in
    expectation a lower bound of the calibration part of the loss, E S(p, y) - E S(E[y | p], y): with the log loss the
    mean Kullback-Leibler divergence of E[y | p] from p, in nats, with the Brier score their mean squared distance. Of
    several families the one that is best on folds of the training rows is chosen for each fold, so that the choice has
    not seen the rows that it is judged on.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels: of two classes with a column of scores, of K classes with a matrix; or what `read` returns.
    y_prob : array-like of shape (n,) or (n, K)
        Predicted probabilities of the positive class, or of all classes in rows that add up to 1.
    family : str, Family, MulticlassFamily, or list of them, optional
        By default "beta" for a column and "vector" for a matrix, of which a family of two classes is fitted to each
        class against the rest.
    loss : {"log_loss", "brier"}, default="log_loss"
        -ln q_y with probabilities clipped to [1e-6, 1 - 1e-6]; or the squared error, (y - q)^2 of a column and
        sum_k ([y = k] - q_k)^2 of a matrix, which is twice as large for two classes.
    cv : int, default=10
        Number of folds. Ten, as in all comparisons: each map is fitted to nine tenths of the rows, nearly as many as in
        use.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent. The copies of a row share a fold.

    Returns
    -------
    Estimate
        ``float()`` of it is the mean gain. It may be negative, which says that the family finds nothing to mend in
        these rows, and is not clipped. With ``standard_error``, ``loss_before``, ``loss_after`` (the refinement) and
        ``chosen``, the family of each fold.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    Under calibration a map of d free numbers, fitted without a penalty, has a mean gain of -d cv / (2 n (cv - 1)) nats;
    fitted to the rows on which it is judged it would have + d / (2 n).

    References
    ----------
    Berta, Bach, Jordan (2025), Rethinking early stopping: refine, then calibrate.
    https://doi.org/10.48550/arXiv.2501.19195
    Gruber, Buettner (2022), Better uncertainty calibration via proper scores for classification and beyond, NeurIPS.
    https://doi.org/10.48550/arXiv.2203.07835

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> print(fot.evaluation.proper_error(y, p))
    proper calibration error 0.0217 nats: family beta, log loss, 10 folds, n = 1,000
    standard error 0.0064; log loss 0.4800, held out 0.4583 after calibration
    """
    reading, redrawing = split_options(options)
    prob, labels = reading["prob"], reading["labels"]
    columns = count_columns(y_prob) if prob is None else 1 if isinstance(prob, str) else len(prob)
    reduction: AnyReduction | None = CANONICAL if (columns or 1) > 1 else None
    if reduction is None and labels is not None:
        raise ValueError(f"labels must be left out for a column of scores, got {labels!r}")
    data = read(y_true, y_prob, **reading, reduction=reduction)
    default = SEVERAL if data.has_distributions else TWO
    measure = ProperError(default if family is None else family, loss, cv, redrawing.random_state)
    return measure_one(measure, data, redrawing)


def _cells(partition: Any, n_bins: int) -> Any:
    """Return the partition of the simplex that is meant."""
    if isinstance(partition, str) and partition == "uniform_grid":
        return UniformGrid(n_bins)
    _refuse("n_bins", n_bins, DEFAULT_BINS, "with reduction='canonical' unless partition='uniform_grid'")
    if isinstance(partition, str) and partition == "equal_width":
        raise ValueError(
            "partition must be 'median_variance', 'uniform_grid' or a SimplexPartitioner with "
            "reduction='canonical', got 'equal_width'; cells of equal width are those of 'uniform_grid'"
        )
    return "median_variance" if partition is None else partition


def _refuse(name: str, value: object, default: object, where: str) -> None:
    """Raise ValueError for an argument that means nothing here and is not at its default."""
    if not (isinstance(value, type(default)) and value == default):
        raise ValueError(f"{name} must be left at {default!r} {where}, got {value!r}")
