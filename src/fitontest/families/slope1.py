"""Slope-1 binning: the family whose plug-in error is the expected calibration error (ECE)."""

from typing import ClassVar

from fitontest.families.base import register_family
from fitontest.families.binned import BinnedFamily


@register_family("slope1")
class Slope1(BinnedFamily):
    """Shift the scores of each bin by its gap, c_hat(p) = p + ybar_b - pbar_b for p in bin b.

    The plug-in error mean_i |c_hat(p_i) - p_i| of this map is the binned ECE, sum_b (w_b / W) |ybar_b - pbar_b|,
    on every data set (Theorem 2 of the paper). The map leaves [0, 1] near its ends, and must not be clipped for
    that identity to hold; ``predict(p, clip=True)``, ``predict_proba`` and ``transform`` clip it.

    Parameters
    ----------
    n_bins : int, {"cv", "sweep", "cube_root"} or array-like of edges, default="cv"
        Number of bins. "cv" chooses among 1..max_bins by cross-validation, "sweep" takes bins while their mean
        labels stay in order (`MonotoneSweep`, at most 1000 bins), "cube_root" is max(1, round(n^(1/3))) with n
        the number of rows of positive weight; edges make the bins directly (see `Partition`).
    scheme : {"equal_mass", "equal_width"}, another registered name, or Partitioner, default="equal_mass"
        Rule that makes the bins. A partitioner with an ``n_bins`` parameter gets the number; one without, such as
        ``"pava"``, makes its bins alone and goes with the default n_bins="cv".
    closed : {"left", "right"}, default="left"
        Whether a score on an edge belongs to the bin above it or below it. (A Partitioner brings its own rule.)
    scoring : {"brier", "log_loss"}, default="brier"
        Held-out loss for "cv". The log loss clips predictions to [1e-6, 1 - 1e-6]; it visits the held-out rows once
        per candidate and takes several times as long.
    cv : int, default=10
        Folds for "cv": KFold, shuffled, over the rows sorted by (p, y, w); at most n.
    max_bins : int, default=40
        Largest candidate for "cv".
    tolerance : float, default=1e-3
        "cv" takes the fewest bins whose score is at most (1 + tolerance) times the best; 0 is the plain argmin.
    random_state : int, RandomState or None, default=0
        Seed of the folds.

    Attributes
    ----------
    map_ : BinnedMap
        p plus the gap of its bin; it may leave [0, 1].
    partition_ : Partition
        The bins.
    n_bins_ : int
        Bins really used: fewer than requested where scores are tied.
    bin_table_ : BinTable
        n, w, sum p and sum y per bin.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per candidate (only for "cv").

    Notes
    -----
    Deviations from the authors' code: tied scores are never split over bins, an empty bin is left as it is
    (c_hat(p) = p, not 0), and index and map use the same edges. Without these the identity fails on ties.
    With one bin, which cross-validation may choose for calibrated scores and for rare events, the error is just the
    difference between the mean label and the mean score; look at another family too.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.2, 0.7, 0.8], [0, 1, 1, 1]
    >>> slope1 = fot.make_family("slope1", n_bins=2).fit(p, y)
    >>> slope1.predict([0.1, 0.8]).round(12), slope1.predict([0.8], clip=True).round(12)
    (array([0.45, 1.05]), array([1.]))
    """

    _slope: ClassVar[float] = 1.0
