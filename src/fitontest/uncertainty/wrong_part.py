"""Where scores are wrong by a good deal: parts of the simultaneous band that lie wholly away from the diagonal.

The mean error and the line in logits hardly move where one row in a hundred is wrong. The band that holds the true map
at all scores at once shows it, and so does the exact interval of scores that many rows share, which the band passes by.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import line_of, uncertain_rows
from fitontest.measures.estimate import Estimate
from fitontest.measures.separation import LEAST
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.text import distinct, percent, short
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.uncertainty.bands import QUICK_DRAWS, QUICK_NODES, confidence_bands
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups
from fitontest.uncertainty.effective_rows import effective_rows, nothing_learnt

FAR = 0.05  # from the diagonal
LEAST_SHARE = 0.005  # of the rows
LEVEL = 0.95
CELLS = 200  # of equally many rows, each as many as a part must have
SHARED_BY = 10  # rows, from which on a score has an interval of its own
FEW_ROWS = 5_000  # up to which rows are refitted one by one
ROUNDING = 1e-9


@dataclass(frozen=True)
class WrongPart:
    """Neighbouring scores that are surely wrong by more than 0.05.

    Attributes
    ----------
    low, high : float
        The smallest and the largest of these scores.
    share : float
        Of the rows.
    gap : float
        Probability less score, on average: below 0 the scores are too high.
    at_start, at_end : bool
        Whether there are no smaller, or no larger, scores.
    by_line : bool
        Whether the line in logits is as wrong there: what slope and O:E say is all there is to say.
    """

    low: float
    high: float
    share: float
    gap: float
    at_start: bool
    at_end: bool
    by_line: bool

    @property
    def where(self) -> str:
        """Which scores these are."""
        low, high = distinct([self.low, self.high], 2)
        if self.low == self.high:
            return f"scores of {low}"
        if self.at_start == self.at_end:
            return f"scores of {low} to {high}"
        return f"scores up to {high}" if self.at_start else f"scores from {low} up"

    def __str__(self) -> str:
        side = "low" if self.gap > 0.0 else "high"
        return f"{self.where} are {short(abs(self.gap), 2)} too {side} ({percent(self.share)} of the rows)"


def wrong_parts(estimate: Estimate, sample: ScoreSample) -> tuple[WrongPart, ...]:
    """Return the parts of at least .5 % of the rows whose scores are surely wrong by more than 0.05, the worst first.

    Parameters
    ----------
    estimate : Estimate
        The error under a spline.
    sample : ScoreSample
        The same rows.
    """
    if estimate.estimator is None or reason_of_groups(dependence_of(sample)) or nothing_learnt(sample):
        return ()
    shared = _are_shared(sample)
    cells = [*_of_band(estimate, sample, ~shared), *_of_shared_scores(sample, np.flatnonzero(shared))]
    if not any(cell.is_far for cell in cells):
        return ()
    line = _line(sample)
    cells = [cell.beside(line) for cell in sorted(cells, key=lambda cell: cell.x)]
    parts = [part for part in _runs(cells) if part.share >= LEAST_SHARE * (1.0 - ROUNDING)]
    return tuple(sorted(parts, key=lambda part: -part.share * abs(part.gap)))


@dataclass(frozen=True)
class _Cell:
    """Rows of neighbouring scores, and between which values their probability lies."""

    first: float
    last: float
    x: float
    share: float
    c_hat: float
    low: float
    high: float
    by_line: bool = True

    @property
    def side(self) -> int:
        """1 where the scores are surely too low by more than 0.05, -1 where they are too high, else 0."""
        return int(self.low > self.x + FAR) - int(self.high < self.x - FAR)

    @property
    def is_far(self) -> bool:
        return self.side != 0

    def beside(self, line: tuple[float, float] | None) -> "_Cell":
        """Return the cell with whether the line in logits explains that it is far."""
        if line is None or not self.is_far:
            return self
        at = float(sigmoid(line[0] + line[1] * logit(np.array([self.x]), LEAST))[0])
        explained = self.low - FAR <= at <= self.high + FAR
        return _Cell(self.first, self.last, self.x, self.share, self.c_hat, self.low, self.high, explained)


def _line(sample: ScoreSample) -> tuple[float, float] | None:
    uncertain = uncertain_rows(sample)
    line = None if uncertain is None else line_of(uncertain)
    return None if line is None else (line.intercept, line.slope)


def _are_shared(sample: ScoreSample) -> BoolArray:
    """Return which distinct scores so many rows share that they have an interval of their own."""
    w = sample.distinct.w
    return np.asarray((w >= LEAST_SHARE * w.sum()) & (w >= SHARED_BY * sample.row_weight))


def _of_band(estimate: Estimate, sample: ScoreSample, beside: BoolArray) -> Iterator[_Cell]:
    """Yield cells of equally many rows, of some of the distinct scores, with the simultaneous band there."""
    assert estimate.map is not None
    rest, _ = estimate.map.split_atoms()
    own = sample.distinct
    p, w = own.p[beside], own.w[beside]
    if p.size < 2:
        return
    most = max(1, round(CELLS * float(w.sum() / own.w.sum())))
    first = cell_starts(equal_mass_cells(w, most))
    last = np.append(first[1:], p.size) - 1
    weight = np.add.reduceat(w, first)
    x = np.add.reduceat(w * p, first) / weight
    if x.size < 2:
        return
    nodes = None if len(sample.rows) <= FEW_ROWS else QUICK_NODES
    _, band = confidence_bands(estimate, sample, x, QUICK_DRAWS, LEVEL, 0, nodes=nodes, tested=False)
    low, high = (np.interp(x, band.x, ends) for ends in (band.lower, band.upper))
    columns: tuple[FloatArray, ...] = (p[first], p[last], x, weight / own.w.sum(), rest.evaluate(x), low, high)
    for row in np.column_stack(columns).tolist():
        yield _Cell(*row)


def _of_shared_scores(sample: ScoreSample, places: IntArray) -> Iterator[_Cell]:
    """Yield shared scores with the exact interval of the share of events at each, all of which hold at once."""
    own, rows = sample.distinct, sample.rows
    share = own.w / own.w.sum()
    level = 1.0 - (1.0 - LEVEL) / max(places.size, 1)
    starts = np.searchsorted(rows.p, own.p[places], side="left")
    ends = np.searchsorted(rows.p, own.p[places], side="right")
    for place, start, end in zip(places.tolist(), starts.tolist(), ends.tolist(), strict=True):
        at = slice(start, end)
        rate = float(rows.w[at] @ rows.y[at] / rows.w[at].sum())
        effective, score = effective_rows(sample, at), float(own.p[place])
        yield _Cell(score, score, score, float(share[place]), rate, *share_interval(effective * rate, effective, level))


def _runs(cells: list[_Cell]) -> Iterator[WrongPart]:
    """Yield the runs of neighbouring cells that are far on the same side."""
    start = 0
    for end in range(1, len(cells) + 1):
        if end < len(cells) and cells[end].side == cells[start].side:
            continue
        run = cells[start:end]
        if run[0].is_far:
            share = sum(cell.share for cell in run)
            gap = sum(cell.share * (cell.c_hat - cell.x) for cell in run) / share
            unexplained = sum(cell.share for cell in run if not cell.by_line)
            explained = unexplained < LEAST_SHARE * (1.0 - ROUNDING)
            yield WrongPart(run[0].first, run[-1].last, share, gap, start == 0, end == len(cells), explained)
        start = end
