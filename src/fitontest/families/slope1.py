"""Slope-1 binning: the family whose plug-in error is the expected calibration error (ECE)."""

from typing import ClassVar

from fitontest.families.binned import BinnedFamily
from fitontest.families.registry import register
from fitontest.results.docstrings import take_descriptions


@register("slope1")
@take_descriptions(BinnedFamily, "Attributes")
class Slope1(BinnedFamily):
    """Fit the calibration map behind the ECE: each bin shifts its scores by mean label less mean score.

    That is c_hat(p) = p + ybar_b - pbar_b for p in bin b.

    The plug-in error mean_i |c_hat(p_i) - p_i| of this map is the binned ECE, sum_b (w_b / W) |ybar_b - pbar_b|,
    on every data set (Theorem 2 of the paper). The map leaves [0, 1] near its ends, and must not be clipped for
    that identity to hold; ``predict(p, clip=True)``, ``predict_proba`` and ``transform`` clip it.

    Attributes
    ----------
    map_ : BinnedMap
        p plus the gap of its bin; it may leave [0, 1].

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
    >>> slope1 = fot.families.make("slope1", n_bins=2).fit(p, y)
    >>> slope1.predict([0.1, 0.8]).round(12), slope1.predict([0.8], clip=True).round(12)
    (array([0.45, 1.05]), array([1.]))
    """

    _slope: ClassVar[float] = 1.0
