"""The segment in which scores are most wrong, of all that a search looks at, and how wrong that is by chance."""

from dataclasses import dataclass

import numpy as np

from fitontest.maps.rules.conditions import Rule
from fitontest.segments.features.redrawn_maxima import redrawn_maxima
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.scan import Scan
from fitontest.segments.features.walks import WalkNodes, Walks
from fitontest.segments.uncertainty.row_redraws import labels_of_rows
from fitontest.segments.uncertainty.segment_scan import tested_rows


@dataclass(frozen=True)
class WorstSegment:
    """The segment whose residuals stand out most, and the multicalibration error.

    Attributes
    ----------
    rule : Rule
    n : int
        Rows.
    residual : float
        Share of positives less mean score; that of a winner, larger than the truth.
    standardised : float
        The sum of its residuals in standard errors.
    multicalibration_error : float
        Of all segments, and of walks along the score in single conditions, the largest statistic in units of all rows:
        max_h T_h times sqrt(sum w^2 p (1 - p)) / sum w.
    segments : int
        How many were looked at.
    """

    rule: Rule
    n: int
    residual: float
    standardised: float
    multicalibration_error: float
    segments: int


def worst_segment(rows: FeatureRows, seed: int) -> WorstSegment | None:
    """Return the segment that stands out most; None where none has enough to be tested.

    Parameters
    ----------
    rows : FeatureRows
        With the probabilities that are judged.
    seed : int
        Of the half of the rows that is looked at where there are too many conditions.
    """
    tested, cut = tested_rows(rows.in_row_units(), seed)
    worst = Scan.of(cut, tested).largest() if cut.columns else None
    if worst is None:
        return None
    walk = Walks(WalkNodes.of(cut, tested)).largest(tested)
    largest = max(abs(worst.statistic), 0.0 if walk is None else walk.statistic)
    part = tested.take(cut.meets(worst.segment))
    n = round(float(part.w.sum())) if rows.whole else len(part)
    residual = float(part.residuals.sum() / part.w.sum())
    error = largest * float(np.sqrt(tested.variances.sum()) / tested.w.sum())
    return WorstSegment(cut.rule(worst.segment), n, residual, worst.statistic, error, worst.segments)


def worst_if_calibrated(rows: FeatureRows, draws: int, seed: int) -> tuple[float, float] | None:
    """Return the mean size of `standardised` and the mean `multicalibration_error` of labels drawn from the scores.

    Parameters
    ----------
    rows : FeatureRows
        With the probabilities that are judged.
    draws, seed : int
    """
    tested, cut = tested_rows(rows.in_row_units(), seed)
    if not cut.columns:
        return None
    labels, _ = labels_of_rows(tested)
    maxima = redrawn_maxima(cut, tested, labels, draws, seed, WalkNodes.of(cut, tested))
    assert maxima.walks is not None
    unit = float(np.sqrt(tested.variances.sum()) / tested.w.sum())
    return float(maxima.scan.mean()), float(np.maximum(maxima.scan, maxima.walks).mean()) * unit
