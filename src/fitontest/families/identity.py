"""The identity family: do nothing. The baseline that every other family must beat."""

from typing import Any

import numpy as np

from fitontest.data.entries import Entries
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.multiclass.either import EitherFamily
from fitontest.families.registry import register
from fitontest.maps.identity import IdentityMap
from fitontest.maps.multiclass.identity import MulticlassIdentityMap
from fitontest.results.typing import FloatArray, IntArray


@register("identity")
class Identity(EitherFamily):
    """Leave the scores as they are: the baseline without calibration.

    With c_hat(p) = p the plug-in calibration error is 0 by definition.

    A column of scores means two classes, a matrix with K >= 2 columns K classes.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.families.make("identity").fit([0.2, 0.7], [0, 1]).predict([0.4])
    array([0.4])
    """

    calibrator = True
    evaluator = False  # its error is 0, whatever the scores
    does_nothing = True

    n_parameters_ = 0

    def fit_map(self, sample: Any) -> Any:
        """Return the map that leaves scores, or the probabilities of all classes, as they are."""
        return sample.either(IdentityMap, MulticlassIdentityMap)()

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the identity for each of many sets of labels."""
        return SharedFits(self.fit_map, entries, positives, _scores, _scores)


def _scores(entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
    """Return the scores, once for each labelling."""
    return np.repeat((entries.distinct_p if at is None else at)[:, None], positives.shape[1], axis=1)
