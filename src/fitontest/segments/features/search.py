"""Segments one after the other: the largest statistic, what its labels ask for, and the next largest after that.

First the scan, whose segments get an offset of the logit; then the walks within conditions, whose segments get a line.
Each of the two has its share of the false alarms. A pair of conditions gives way to one of them that stands out by
itself, unless the other adds more than chance would. The first step is exact; the later ones rest on offsets that were
fitted to the same rows, and are approximate. Where one line for all rows was taken off first, it is fitted again beside
each offset: rows of a segment that was found had pulled it their way, and all others would be found in turn.

A segment is named once. Where its sum of residuals stands out again, as after the line has been fitted again, what its
labels ask for is added to the offset it has.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from fitontest.maps.rules.conditions import Rule
from fitontest.numerics.adjusting import line_of, offset_of
from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.cuts import CutColumns, Segment
from fitontest.segments.features.redrawn_maxima import Maxima, critical_value, p_value_of
from fitontest.segments.features.residuals import Residual, residual_of
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.scan import Scan
from fitontest.segments.features.walks import WalkNodes, Walks

By: TypeAlias = Literal["level", "shape", "tree"]
LEAST_SLOPE = 1e-6  # of a line that tells scores apart
MOST_AGAIN = 100  # times that segments which have been found get more of an offset


@dataclass(frozen=True)
class FoundSegment(Residual):
    """A segment with what was found in it: positives and scores of its rows, after what was found before.

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
    residual : float
        Share of positives less mean score, shrunk by 1 - 1 / statistic^2, since a winner is larger than the truth.
    offset : float
        Of the logits of its rows, shrunk as much; 0 of a shape.
    line : tuple of float
        Intercept and slope by which the search moved the logits of its rows before it went on.
    shape_too : bool
        Of a level, whether its residuals add up along the score even after the offset.
    """

    rule: Rule
    by: By
    statistic: float
    p_value: float
    residual: float
    offset: float
    line: tuple[float, float]
    shape_too: bool = False

    def moved(self, logits: FloatArray) -> FloatArray:
        """Return the logits of its rows after it was taken into account.

        Parameters
        ----------
        logits : array of shape (n,)
        """
        return self.line[0] + self.line[1] * logits


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
    line : tuple of float
        Intercept and slope, in the logits of the scores, beside the offsets.
    logits : array of shape (n,)
        Of the rows, with all that was found taken into account.
    critical_shape : float
        The range of a walk that would have stood out.
    stopped : bool
        Whether the search stopped while a segment stood out: at `most` segments, or since offsets did not settle.
    moves : tuple of FoundSegment
        What was taken into account, step by step; a segment is among them as often as it was found.
    """

    segments: tuple[FoundSegment, ...]
    nearest: FoundSegment | None
    scanned: int
    critical: float
    line: tuple[float, float]
    logits: FloatArray
    critical_shape: float = float("inf")
    stopped: bool = False
    moves: tuple[FoundSegment, ...] = ()

    def stop_note(self, most: int) -> str:
        """Return what is to be said where the search stopped, else "".

        Parameters
        ----------
        most : int
            Segments that could be named.
        """
        if not self.stopped:
            return ""
        return f"The search stopped at {len(self.segments)} segments (most = {most}), though more stands out."


@dataclass
class _Steps:
    """What was found so far: each segment once, by its place among the conditions."""

    alarms: float
    most: int
    found: dict[Segment, FoundSegment] = field(default_factory=dict)
    moves: list[FoundSegment] = field(default_factory=list)
    misses: list[FoundSegment] = field(default_factory=list)
    stopped: bool = False

    def takes(self, segment: Segment, step: FoundSegment) -> bool:
        """Add a segment that stands out, or one that does not to the misses; return whether the search goes on."""
        if step.p_value > self.alarms:
            self.misses.append(step)
            return False
        if segment not in self.found and len(self.found) >= self.most:
            self.stopped = True
            return False
        self.moves.append(step)
        before = self.found.get(segment)
        self.found[segment] = step if before is None else _joined(before, step)
        return True


class _Probabilities:
    """The rows with what was found so far: line(scores) + offsets."""

    def __init__(self, rows: FeatureRows, line: tuple[float, float] | None) -> None:
        self.rows = rows
        self.line = (0.0, 1.0) if line is None else line
        self._refits = line is not None and abs(line[1]) > LEAST_SLOPE
        self._scores = (rows.logits - self.line[0]) / self.line[1] if self._refits else rows.logits
        self._offsets = np.zeros(len(rows))

    def add(self, at: IntArray, offset: float) -> IntArray:
        """Add an offset to some rows, and return which rows have changed."""
        self._offsets[at] += offset
        if not self._refits:
            logits = self.rows.logits.copy()
            logits[at] += offset
            self.rows = self.rows.at(logits)
            return at
        self.line = line_of(self.rows.y, self._scores, self.rows.w, self._offsets)
        self.rows = self.rows.at(self.line[0] + self.line[1] * self._scores + self._offsets)
        return np.arange(len(self.rows))


def search(
    cut: CutColumns,
    rows: FeatureRows,
    maxima: Maxima,
    alarms: float,
    most: int,
    nodes: WalkNodes | None = None,
    line: tuple[float, float] | None = None,
) -> Found:
    """Return the segments that stand out, one after the other.

    Parameters
    ----------
    cut : CutColumns
        With at least one condition.
    rows : FeatureRows
    maxima : Maxima
        Of redrawn labels.
    alarms : float
        The share of false alarms, of each part: of the scan, and of the walks where there are nodes.
    most : int
        Segments at most.
    nodes : WalkNodes, optional
        Where walks are known.
    line : tuple of float, optional
        Intercept and slope of the line that was fitted to the rows before; it is fitted again beside what is found.
    """
    now, steps = _Probabilities(rows, line), _Steps(alarms, most)
    scanned = _by_level(cut, now, maxima.scan, steps)
    logits, critical_shape = now.rows.logits, float("inf")
    if nodes is not None and maxima.walks is not None:
        logits = _by_shape(Walks(nodes), now.rows, maxima.walks, steps)
        critical_shape = critical_value(maxima.walks, alarms)
    return Found(
        segments=tuple(steps.found.values()),
        nearest=min(steps.misses, key=lambda step: step.p_value, default=None),
        scanned=scanned,
        critical=critical_value(maxima.scan, alarms),
        line=now.line,
        logits=logits,
        critical_shape=critical_shape,
        stopped=steps.stopped,
        moves=tuple(steps.moves),
    )


def _by_level(cut: CutColumns, now: _Probabilities, maxima: FloatArray, steps: _Steps) -> int:
    """Add the segments whose sum of residuals stands out, and the first that does not; return how many were scanned."""
    scan, scanned, again = Scan.of(cut, now.rows), 0, 0
    while (largest := scan.largest()) is not None:
        scanned = max(scanned, largest.segments)
        simpler = scan.simpler(largest)
        if p_value_of(abs(simpler.statistic), maxima) <= steps.alarms:
            largest = simpler
        p_value = p_value_of(abs(largest.statistic), maxima)
        at = np.flatnonzero(cut.meets(largest.segment))
        step = segment_of(cut.rule(largest.segment), largest.statistic, now.rows.take(at), "level", p_value)
        again += p_value <= steps.alarms and largest.segment in steps.found
        if again > MOST_AGAIN:  # segments that overlap may ask for offsets in turn without an end
            steps.stopped = True
            break
        if not steps.takes(largest.segment, step):
            break
        before = now.rows
        changed = now.add(at, step.offset)
        scan.move(before.take(changed), now.rows.take(changed), changed)
    return scanned


def _by_shape(walks: Walks, rows: FeatureRows, maxima: FloatArray, steps: _Steps) -> FloatArray:
    """Add the segments whose walk stands out, and the first that does not; return the logits after them."""
    seen: set[Segment] = set()
    while (largest := walks.largest(rows, seen)) is not None:
        p_value = p_value_of(largest.statistic, maxima)
        at = np.flatnonzero(walks.at.cut.meets(largest.segment))
        rule = walks.at.cut.rule(largest.segment)
        step = _shape_step(rule, largest.statistic, rows.take(at), p_value)
        if not steps.takes(largest.segment, step):
            break
        seen.add(largest.segment)
        logits = rows.logits.copy()
        logits[at] = step.moved(logits[at])
        rows = rows.at(logits)
    return rows.logits


def _joined(before: FoundSegment, step: FoundSegment) -> FoundSegment:
    """Return a segment that was found before with more of an offset, or with the word that its shape is off too."""
    if step.by == "shape":
        return replace(before, shape_too=True)
    offset = before.offset + step.offset
    return replace(before, offset=offset, line=(offset, 1.0))


def segment_of(rule: Rule, statistic: float, rows: FeatureRows, by: By, p_value: float) -> FoundSegment:
    """Return a segment whose rows get an offset.

    Parameters
    ----------
    rule : Rule
    statistic : float
    rows : FeatureRows
        Those of the segment.
    by : {"level", "tree"}
    p_value : float
    """
    offset = _shrinkage(statistic) * offset_of(rows.y, rows.logits, rows.w)
    return _described(rule, statistic, rows, by, p_value, offset, (offset, 1.0))


def _shape_step(rule: Rule, statistic: float, rows: FeatureRows, p_value: float) -> FoundSegment:
    """Return a segment whose rows get no offset, and whose logits went to a line that is shrunk towards no change."""
    intercept, slope = line_of(rows.y, rows.logits, rows.w)
    share = _shrinkage(statistic)
    return _described(rule, statistic, rows, "shape", p_value, 0.0, (share * intercept, 1.0 + share * (slope - 1.0)))


def _described(
    rule: Rule, statistic: float, rows: FeatureRows, by: By, p_value: float, offset: float, line: tuple[float, float]
) -> FoundSegment:
    found = residual_of(rows)
    return FoundSegment(
        **vars(found),
        rule=rule,
        by=by,
        statistic=statistic,
        p_value=p_value,
        residual=_shrinkage(statistic) * found.value,
        offset=offset,
        line=line,
    )


def _shrinkage(statistic: float) -> float:
    """Return 1 - 1 / z^2, or 0 of a statistic below 1."""
    return 1.0 - 1.0 / max(statistic**2, 1.0)
