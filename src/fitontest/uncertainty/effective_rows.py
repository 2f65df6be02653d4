"""How many independent rows tell as much of a share as rows that belong together."""

from fitontest.data.dependence import are_too_few, design_effect
from fitontest.data.score_sample import ScoreSample
from fitontest.uncertainty.dependence import dependence_of

ALL = slice(None)
FEWEST = 50  # rows that are ever said to be enough: the interval of fewer is cut off at its ends


def effective_rows(sample: ScoreSample, at: slice = ALL) -> float:
    """Return how many independent rows of weight one tell as much of the mean of the labels.

    Those that whole weights count, or (sum w)^2 / sum w^2; where rows belong to groups these less the design effect.

    Parameters
    ----------
    sample : ScoreSample
    at : slice, optional
        Which of the sorted rows; by default all.
    """
    rows, groups = sample.rows, sample.groups
    n = sample.effective_rows
    if at != ALL:
        weight = float(rows.w[at].sum())
        n = weight * weight / float(rows.w2[at].sum())  # whole weights: their sum
    if groups is None:
        return n
    return n / design_effect(groups.code[at], rows.w[at], rows.w2[at], icc_of(sample))


def nothing_learnt(sample: ScoreSample) -> bool:
    """Return whether rows belong to so few groups that dependence was learnt neither from them nor from other rows."""
    if not are_too_few(sample.groups):
        return False
    dependence = dependence_of(sample)
    return dependence is not None and dependence.too_few


def icc_of(sample: ScoreSample) -> float:
    """Return the correlation of the residuals of two rows of one group; 0 where rows are independent."""
    dependence = dependence_of(sample)
    return 0.0 if dependence is None else dependence.icc
