"""Segments one after the other: the largest statistic, what its labels ask for, and the next largest after that.

First the scan, whose segments get an offset of the logit; then the walks within conditions, whose segments get a line.
Each of the two is tested at its share of the level. The first step is exact; the later ones rest on offsets that were
fitted to the same rows, and are approximate.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fitontest.features.adjusting import line_of, offset_of
from fitontest.features.conditions import Rule
from fitontest.features.cuts import CutColumns
from fitontest.features.redrawn_maxima import Maxima, critical_value, p_value_of
from fitontest.features.rows import FeatureRows
from fitontest.features.scan import Largest, Scan
from fitontest.features.walks import WalkNodes, Walks
from fitontest.typing import FloatArray, IntArray

By: TypeAlias = Literal["level", "shape", "tree"]


@dataclass(frozen=True)
class FoundSegment:
    """A segment with what was found in it.

    Attributes
    ----------
    rule : Rule
    by : {"level", "shape", "tree"}
        Whether the sum of its residuals stood out, their walk along the score, or a node of a tree.
    statistic : float
        In standard errors, after what was found before: the sum of the residuals, with its sign; or the range of a
        walk.
    p_value : float
        Adjusted for all segments that were looked at.
    n : int
        Rows.
    base_rate, mean_score : float
        Share of positives and mean of the probabilities that were tested, after what was found before.
    residual : float
        Share of positives less mean, shrunk by 1 - 1 / statistic^2, since a winner is larger than the truth.
    offset : float
        Of the logits of its rows, shrunk as much; 0 of a shape.
    """

    rule: Rule
    by: By
    statistic: float
    p_value: float
    n: int
    base_rate: float
    mean_score: float
    residual: float
    offset: float


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes
    ----------
    segments : tuple of FoundSegment
        Those that stand out, in the order in which they were found.
    nearest : FoundSegment or None
        Of those that do not the one of the smallest p-value.
    scanned : int
        How many segments were large enough to be tested.
    critical : float
        The |z| of the scan that would have stood out.
    logits : array of shape (n,)
        Of the rows, with all that was found taken into account.
    """

    segments: tuple[FoundSegment, ...]
    nearest: FoundSegment | None
    scanned: int
    critical: float
    logits: FloatArray


def search(
    cut: CutColumns, rows: FeatureRows, maxima: Maxima, level: float, most: int, nodes: WalkNodes | None = None
) -> Found:
    """Return the segments that stand out, one after the other.

    Parameters
    ----------
    cut : CutColumns
        With at least one condition.
    rows : FeatureRows
    maxima : Maxima
        Of redrawn labels.
    level : float
        Of each part: of the scan, and of the walks where there are nodes.
    most : int
        Segments at most.
    nodes : WalkNodes, optional
        Where walks are known.
    """
    scan, now, scanned = Scan.of(cut, rows), rows, 0
    found: list[FoundSegment] = []
    misses: list[FoundSegment] = []
    while (largest := scan.largest()) is not None:
        scanned = max(scanned, largest.segments)
        p_value = p_value_of(abs(largest.statistic), maxima.scan)
        at = np.flatnonzero(largest.rule.meets(now.columns))
        step = _level_step(largest, now.take(at), p_value)
        if p_value > level or len(found) == most:
            misses.append(step)
            break
        found.append(step)
        after = now.at(_added(now.logits, at, step.offset))
        scan.move(now.take(at), after.take(at), at)
        now = after
    if nodes is not None and maxima.walks is not None:
        walks = Walks(nodes)
        while (largest := walks.largest(now)) is not None:
            p_value = p_value_of(largest.statistic, maxima.walks)
            at = np.flatnonzero(largest.rule.meets(now.columns))
            step, moved = _shape_step(largest, now.take(at), p_value)
            if p_value > level or len(found) == most:
                misses.append(step)
                break
            found.append(step)
            logits = now.logits.copy()
            logits[at] = moved
            now = now.at(logits)
    nearest = min(misses, key=lambda step: step.p_value, default=None)
    return Found(tuple(found), nearest, scanned, critical_value(maxima.scan, level), now.logits)


def _added(logits: FloatArray, at: IntArray, offset: float) -> FloatArray:
    moved = logits.copy()
    moved[at] += offset
    return moved


def _level_step(largest: Largest, rows: FeatureRows, p_value: float) -> FoundSegment:
    shrinkage = _shrinkage(largest.statistic)
    offset = shrinkage * offset_of(rows.y, rows.logits, rows.w)
    return _segment(largest, rows, "level", p_value, offset)


def _shape_step(largest: Largest, rows: FeatureRows, p_value: float) -> tuple[FoundSegment, FloatArray]:
    """Return the segment, and the logits of its rows on a line that is shrunk towards no change."""
    intercept, slope = line_of(rows.y, rows.logits, rows.w)
    moved = rows.logits + _shrinkage(largest.statistic) * (intercept + (slope - 1.0) * rows.logits)
    return _segment(largest, rows, "shape", p_value, 0.0), moved


def _segment(largest: Largest, rows: FeatureRows, by: By, p_value: float, offset: float) -> FoundSegment:
    total = float(rows.w.sum())
    base_rate, mean_score = float(rows.w @ rows.y) / total, float(rows.w @ rows.q) / total
    residual = _shrinkage(largest.statistic) * (base_rate - mean_score)
    return FoundSegment(
        largest.rule, by, largest.statistic, p_value, len(rows), base_rate, mean_score, residual, offset
    )


def _shrinkage(statistic: float) -> float:
    """Return 1 - 1 / z^2, or 0 of a statistic below 1."""
    return 1.0 - 1.0 / max(statistic**2, 1.0)
