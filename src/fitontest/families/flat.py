"""Flat binning (histogram binning): the family whose plug-in error is the probability deviation error (PDE)."""

from typing import ClassVar

from fitontest.families.binned import BinnedFamily
from fitontest.families.registry import register
from fitontest.results.docstrings import take_descriptions


@register("flat", aliases=("histogram",))
@take_descriptions(BinnedFamily, "Attributes")
class Flat(BinnedFamily):
    """Fit histogram binning: the mean label of each bin replaces its scores.

    That is c_hat(p) = ybar_b for p in bin b.

    This is histogram binning, and ``"histogram"`` another name of the family. Its plug-in error is
    PDE_1 = sum_b (w_b / W) mean_{i in b} |p_i - ybar_b|. In a bin without data the map is the identity.

    Attributes
    ----------
    map_ : BinnedMap
        The mean label of each bin.

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
    >>> fot.families.make("flat", n_bins=2).fit(p, y).predict([0.1, 0.8])
    array([0.5, 1. ])
    """

    _slope: ClassVar[float] = 0.0
