"""Whether a fitted calibrator keeps the ranking of the scores."""

from typing import Any

import numpy as np

from fitontest.maps.decreases import find_decreases

LEVEL = 1e-9  # by how much a map must rise to be none of one value


def keeps_ranking(family: Any) -> bool:
    """Return whether the map never decreases and has more than one value; True of maps of more than one score.

    Examples
    --------
    >>> import fitontest as fot
    >>> [keeps_ranking(fot.families.make("platt").fit([0.1, 0.4, 0.6, 0.9], y)) for y in ([0, 1, 0, 1], [1, 0, 1, 0])]
    [True, False]
    """
    fitted = family.map_
    if fitted.takes_features or fitted.takes_classes:
        return True
    low, high = np.clip(fitted.evaluate(np.array([0.0, 1.0])), 0.0, 1.0)
    return bool(high - low > LEVEL) and not find_decreases(fitted)
