"""The identity family: do nothing. The baseline that every other family must beat."""

import numpy as np

from fitontest.data.class_rows import ClassRows
from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import register_family
from fitontest.families.multiclass.either import EitherFamily
from fitontest.maps.identity import IdentityMap
from fitontest.maps.multiclass.identity import MulticlassIdentityMap
from fitontest.typing import FloatArray, IntArray


@register_family("identity")
class Identity(EitherFamily):
    """Leave the scores as they are, c_hat(p) = p; its plug-in calibration error is 0 by definition.

    A column of scores means two classes, a matrix with K >= 2 columns K classes.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.make_family("identity").fit([0.2, 0.7], [0, 1]).predict([0.4])
    array([0.4])
    """

    calibrator = True

    @property
    def n_parameters_(self) -> float:
        """None."""
        return 0

    def fit_map(self, sample: ScoreSample) -> IdentityMap:  # noqa: ARG002 - nothing is fitted
        """Return the identity map."""
        return IdentityMap()

    def fit_class_map(self, rows: ClassRows) -> MulticlassIdentityMap:  # noqa: ARG002 - nothing is fitted
        """Return the identity map of several classes."""
        return MulticlassIdentityMap()

    def fitted_values(self, entries: Entries, positives: IntArray) -> FloatArray:
        """Return the scores, for every labelling."""
        return self.fitted_values_at(entries, positives, entries.group_p)

    def fitted_values_at(self, entries: Entries, positives: IntArray, at: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the scores, for every labelling."""
        return np.repeat(at[:, None], positives.shape[1], axis=1)
