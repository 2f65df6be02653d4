"""The plug-in calibration error: the mean distance between the scores and a calibration map.

One formula for every family, e = || c_hat(p) - p ||. Fitted on the test data itself (fit-on-test), the slope-1
family gives the ECE, the flat family the probability deviation error, beta calibration ECE-beta, and so on.
"""

from typing import Literal

import numpy as np
from sklearn.base import clone

from fitontest.data.predictions import Reduction
from fitontest.data.sample import Sample
from fitontest.families.base import Family, family_name, make_family
from fitontest.families.slope1 import Slope1
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import BinnedMap
from fitontest.measures.classwise import ClasswiseError, over_classes
from fitontest.measures.debiased import debiased
from fitontest.measures.distances import Distances, bin_distances, row_distances
from fitontest.measures.plug_in_error import PlugInError
from fitontest.measures.standard_error import map_fixed
from fitontest.numerics.norms import find_norm
from fitontest.typing import ArrayInput, Label

DEBIASED_NORMS = ("l1", "l2", "squared")


def calibration_error(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    family: str | Family | CalibrationMap = "slope1",
    norm: Literal["l1", "l2", "squared", "max"] = "l1",
    debias: bool = False,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> PlugInError | ClasswiseError:
    """Return the plug-in calibration error of scores under a family of calibration maps.

    With g_i = |c_hat(p_i) - p_i| and weights of sum W: l1 is sum w g / W, squared is sum w g^2 / W, l2 its square
    root, max the largest g.

    Of K classes, with a score p_ik for each, `reduction` makes samples of two:

    ================  ========================================  ===============================================
    ``reduction``     scores and labels                         the error is
    ================  ========================================  ===============================================
    ``"confidence"``  max_k p_ik, 1[argmax_k p_ik = y_i]        of that one sample, whose base rate is the accuracy
    ``"classwise"``   p_ik, 1[y_i = k] for each class k         the plain mean over the K classes
    ``"binary"``      p_ik, 1[y_i = k] for the positive class   of that one sample; K = 2
    ================  ========================================  ===============================================

    Where several scores of a row are the largest, argmax is the first of their columns, as for ``predict``. Rows need
    not add up to 1.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, or of any number with `reduction`.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1]; of shape (n, K) with `reduction`.
    family : str, Family or CalibrationMap, default="slope1"
        A family, by name or as an estimator, is cloned and fitted on these rows, whether it was fitted before or
        not. A map, such as ``other.map_``, is used as it is.
    norm : {"l1", "l2", "squared", "max"}, default="l1"
        l2 is the root mean square, squared is without the root.
    debias : bool, default=False
        Take off what label noise adds to a binned error; for slope1 under l1, l2 (then the root of the debiased
        square, or 0) and squared, with whole weights. It assumes the label variance ybar (1 - ybar) and so
        over-corrects in wide bins, where the noise of ybar - pbar is Var(y - p).
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read, see above. Without it only a column of scores is accepted: nothing is guessed
        from shapes.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`, also those that do not occur; by default the labels
        that occur, sorted. The columns of a data frame that are named after the classes must stand in that order.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice, weight 0 not at all.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    PlugInError
        ``float()`` of it is the error, a fraction. A `ClasswiseError` with ``reduction="classwise"``.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8]
    >>> error = fot.calibration_error(y, p, family=fot.make_family("slope1", n_bins=2))
    >>> round(float(error), 12), error.n_bins, error.fitted_on_these_rows
    (0.3, 2, True)

    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> error = fot.calibration_error(["a", "b", "b", "c"], p, family=fot.Slope1(1), reduction="confidence")
    >>> error, error.base_rate  # mean confidence 0.65, accuracy 3 of 4
    (PlugInError(0.1, family='slope1', norm='l1', reduction='confidence', n_bins=1, n=4), 0.75)
    """
    return over_classes(
        lambda sample: error_of(sample, family, norm, debias=debias),
        (y_true, y_prob, sample_weight),
        reduction=reduction,
        labels=labels,
        pos_label=pos_label,
    )


def error_of(
    sample: Sample, family: str | Family | CalibrationMap, norm: str = "l1", *, debias: bool = False
) -> PlugInError:
    """Return the plug-in calibration error of a sample that has been checked already."""
    compute = find_norm(norm)
    if isinstance(family, CalibrationMap):
        _refuse_debiasing(debias, family, norm, sample)
        distances, fitted, name = row_distances(family, sample), None, family.kind
        found, partition = family, family.partition
    else:
        fitted, name = resolve(family)
        _refuse_debiasing(debias, fitted, norm, sample)
        fitted = fitted.fit_sample(sample)
        found, partition = fitted.map_, getattr(fitted, "partition_", None)
        distances = _distances(fitted, sample)
    se: float | None
    if debias and fitted is not None:
        value = debiased(fitted.bin_table_, norm)
        se, reason = None, "a debiased error corrects for the fit of the map"
    else:
        value = compute(distances.g, distances.w)
        se, reason = map_fixed(distances, norm, fitted_here=fitted is not None)
    return PlugInError(
        value=value,
        family=name,
        norm=norm,
        debiased=debias,
        n=sample.n,
        base_rate=sample.base_rate,
        map=found,
        estimator=fitted,
        partition=partition,
        fitted_on_these_rows=fitted is not None,
        se_map_fixed=se,
        se_reason=reason,
    )


def resolve(family: object) -> tuple[Family, str]:
    """Return an unfitted family of its own and the name it goes by."""
    if isinstance(family, str):
        return make_family(family), family
    if isinstance(family, Family):
        return clone(family), family_name(family)
    hint = "; a class must be called, to make an instance" if isinstance(family, type) else ""
    raise ValueError(f"family must be a name, a Family or a CalibrationMap, got {family!r}{hint}")


def _distances(fitted: Family, sample: Sample) -> Distances:
    if isinstance(fitted, Slope1) and isinstance(fitted.map_, BinnedMap):
        return bin_distances(fitted.map_, fitted.bin_table_, sample)
    return row_distances(fitted.map_, sample)


def _refuse_debiasing(debias: bool, family: Family | CalibrationMap, norm: str, sample: Sample) -> None:
    if not isinstance(debias, bool | np.bool_):
        raise ValueError(f"debias must be True or False, got {debias!r}")
    if not debias:
        return
    if not isinstance(family, Slope1):
        raise ValueError(f"debias must be False unless family is slope1, got family={family!r}")
    if norm not in DEBIASED_NORMS:
        raise ValueError(f"debias must be False unless norm is one of {DEBIASED_NORMS}, got norm={norm!r}")
    if not sample.whole:
        raise ValueError("debias must be False unless all weights are whole numbers: it counts rows per bin")
