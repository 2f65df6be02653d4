"""Where the logits of certain scores, those of exactly 0 or 1, are cut.

The logit of a certain score is infinite, and every number that stands for it is a choice: a score of 0 does not say how
certain it is. A number far out, such as the logit of 1e-16, lets the certain rows alone decide the slope of a line in
the logit. Here the number follows from the other scores: one logit beyond the largest of them.
"""

import numpy as np

from fitontest.numerics.links import CERTAIN, logit, sigmoid
from fitontest.results.typing import FloatArray

LEAST = float(sigmoid(np.array(-CERTAIN)))  # the score of that logit
MARGIN = 1.0  # of logits of certain scores beyond those of other scores


def certain_logit(p: FloatArray) -> float | None:
    """Return the size of the logits of the scores 0 and 1, or None where no score is certain, or all are.

    It is min(max |logit p_i| + 1, 36), the maximum over the scores strictly between 0 and 1.

    Parameters
    ----------
    p : array of shape (n,)
        Scores in [0, 1].

    Examples
    --------
    >>> certain_logit(np.array([0.0, 0.5, 0.5, 1.0])), certain_logit(np.array([0.2, 0.8]))
    (1.0, None)
    """
    if p.min() > 0.0 and p.max() < 1.0:  # as a rule: two passes, and no copy
        return None
    inside = p[(p > 0.0) & (p < 1.0)]
    return _beyond(inside.min(), inside.max()) if inside.size else None


def certain_class_logit(P: FloatArray) -> float | None:
    """Return the size of the logits of zeros among probabilities of classes, or None where there are none.

    It is min(-logit(smallest other probability) + 1, 36). Of two columns that are certain in the same rows it is what
    `certain_logit` returns of one.
    None where all rows are certain, too.

    Parameters
    ----------
    P : array of shape (n, K)
        Rows that add up to 1.

    Examples
    --------
    >>> certain_class_logit(np.array([[1.0, 0.0], [0.5, 0.5]])), certain_class_logit(np.array([[0.2, 0.8]]))
    (1.0, None)
    """
    if P.min() > 0.0:
        return None
    smallest = float(P.min(initial=1.0, where=P > 0.0))
    return _beyond(smallest, smallest) if smallest < 1.0 else None


def _beyond(low: float, high: float) -> float:
    return min(float(np.abs(logit(np.array([low, high]), LEAST)).max()) + MARGIN, CERTAIN)
