"""Logits of base scores as calibrators that see features take them: those of certain scores are cut."""

import numpy as np

from fitontest.families.certainty import MARGIN
from fitontest.numerics.links import CERTAIN
from fitontest.results.typing import FloatArray


def reach_of(logits: FloatArray) -> float | None:
    """Return the size at which logits are cut, None where no score is certain, exactly 0 or 1.

    It is 1 beyond the largest logit of the other scores, as for families that see scores alone, and 1 where there are
    no others.

    Parameters
    ----------
    logits : array of shape (n,)
        Of scores that were clipped to [1e-16, 1 - 1e-16].

    Examples
    --------
    >>> reach_of(np.array([-36.8, 1.5, 2.0])), reach_of(np.array([1.5, 2.0])), reach_of(np.array([-36.8, 36.8]))
    (3.0, None, 1.0)
    """
    size = np.abs(logits)
    inside = size <= CERTAIN
    if inside.all():
        return None
    return float(min(size[inside].max(initial=0.0) + MARGIN, CERTAIN))
