"""Flat binning (histogram binning): the family whose plug-in error is the probability deviation error (PDE)."""

from typing import ClassVar

from fitontest.families.base import register_family
from fitontest.families.binned import BinnedFamily


@register_family("flat", aliases=("histogram",))
class Flat(BinnedFamily):
    """Replace the scores of each bin by its mean label, c_hat(p) = ybar_b for p in bin b.

    This is histogram binning, and ``"histogram"`` another name of the family. Its plug-in error is
    PDE_1 = sum_b (w_b / W) mean_{i in b} |p_i - ybar_b|. In a bin without data the map is the identity.

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
        The mean label of each bin.
    partition_ : Partition
        The bins.
    n_bins_ : int
        Bins really used: fewer than requested where scores are tied.
    bin_table_ : BinTable
        n, w, sum p and sum y per bin.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per candidate (only for "cv").

    References
    ----------
    Zadrozny, Elkan (2001), Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers, ICML (no doi).
    Torabian, Urner (2024), Calibration through the lens of interpretability (the probability deviation error).
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.2, 0.7, 0.8], [0, 1, 1, 1]
    >>> fot.make_family("flat", n_bins=2).fit(p, y).predict([0.1, 0.8])
    array([0.5, 1. ])
    """

    _slope: ClassVar[float] = 0.0
