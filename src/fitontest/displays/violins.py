"""Violins of the predictions per bin, computed from counts on a fine grid, and the spans that the test rejects."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.scales import Scale
from fitontest.measures.binned import Bins
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.path import Path

CELLS = 150  # along the axis; the height of one is that of a thick line
MANY_BINS = 60  # above this number of bins, lines have no outline, and all violins are one path
HALF_WIDTH = 0.42  # of the widest cell of a violin, in bins
BISECTIONS = 30  # of a limit of acceptance, between a prediction and the next


@dataclass(frozen=True, eq=False)
class Violin:
    """The distribution of the predictions of one bin.

    Attributes
    ----------
    bin : int
    lower, upper : arrays of shape (M,)
        Bounds of the cells from the first to the last that holds predictions.
    weight, rejected : arrays of shape (M,)
        Weight of the predictions in each cell, and of those that the test rejects.
    width : array of shape (M,)
        Smoothed density, with a maximum of 1.
    spans : array of shape (R, 2)
        The intervals of the violin in which the test rejects predictions. They end at the limits of acceptance.
    """

    bin: int
    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    rejected: FloatArray
    width: FloatArray
    spans: FloatArray

    @property
    def wholly_rejected(self) -> bool:
        """Whether the test rejects every prediction of the bin."""
        return bool(np.array_equal(self.rejected, self.weight))


def compute_violins(bins: Bins, sample: ScoreSample, scale: Scale) -> list[Violin]:
    """Return the violin of each bin that holds predictions."""
    cells = scale.cells(CELLS)
    weight, rejected = _count_predictions(bins, sample, cells)
    ends = scale.ends(cells)
    places = {}
    for b in range(bins.bins.n_bins):
        occupied = np.flatnonzero(weight[b])
        if occupied.size:
            places[b] = slice(occupied[0], occupied[-1] + 1)
    spans = _find_rejected_spans(bins, sample, {b: np.append(ends[:-1][at], ends[at.stop]) for b, at in places.items()})
    return [
        Violin(
            bin=b,
            lower=ends[:-1][at],
            upper=ends[1:][at],
            weight=weight[b, at],
            rejected=rejected[b, at],
            width=_estimate_density(weight[b, at]),
            spans=spans[b],
        )
        for b, at in places.items()
    ]


def trace_outline(violin: Violin, lower: float = -np.inf, upper: float = np.inf) -> FloatArray:
    """Return the stepwise outline of a violin, cut off at two heights."""
    low, high = np.maximum(violin.lower, lower), np.minimum(violin.upper, upper)
    kept = low < high
    half = (HALF_WIDTH * violin.width[kept]).repeat(2)
    height = np.stack((low[kept], high[kept]), axis=1).ravel()
    x = violin.bin + 1
    return np.concatenate((np.column_stack((x - half, height)), np.column_stack((x + half, height))[::-1]))


def close_paths(polygons: list[FloatArray]) -> "list[Path]":
    """Return closed paths. Many polygons are joined to one path, which makes files much smaller."""
    from matplotlib.path import Path

    paths = [Path(np.concatenate((polygon, polygon[:1])), closed=True) for polygon in polygons]
    return paths if 0 < len(paths) <= MANY_BINS else [Path.make_compound_path(*paths)]


def tabulate_violin(violin: Violin) -> Records:
    """Return one record per cell of a violin."""
    cells = records(
        lower=violin.lower,
        upper=violin.upper,
        weight=violin.weight,
        rejected=violin.rejected.astype(np.int64),
        width=violin.width,
    )
    return [{"bin": violin.bin + 1, **cell} for cell in cells]


def tabulate_spans(violin: Violin) -> Records:
    """Return one record per interval of a violin in which the test rejects predictions."""
    return [{"bin": violin.bin + 1, "lower": lower, "upper": upper} for lower, upper in violin.spans.tolist()]


def _find_rejected_spans(bins: Bins, sample: ScoreSample, ends: dict[int, FloatArray]) -> dict[int, FloatArray]:
    """Return the intervals of each violin that the test rejects. `ends` holds the borders of the cells of each.

    The test is asked at the borders of the cells and at the predictions. Where two neighbouring answers of a bin
    differ, the limit of acceptance between them is bisected.
    """
    p, partition = sample.distinct.p, bins.bins_of_scores()
    (first, last), starts = find_bounds(partition), partition.starts(p)
    heights = [
        np.unique(np.concatenate((np.clip(borders, first[b], last[b]), p[starts[b] : starts[b + 1]])))
        for b, borders in ends.items()
    ]
    rejected = np.split(bins.rejects(np.concatenate(heights)), np.cumsum([h.size for h in heights])[:-1])
    turns = [np.flatnonzero(answers[1:] != answers[:-1]) for answers in rejected]
    below = np.concatenate([h[k] for h, k in zip(heights, turns, strict=True)])
    above = np.concatenate([h[k + 1] for h, k in zip(heights, turns, strict=True)])
    answer = np.concatenate([answers[k] for answers, k in zip(rejected, turns, strict=True)])
    for _ in range(BISECTIONS if below.size else 0):
        middle = (below + above) / 2
        same = bins.rejects(middle) == answer
        below, above = np.where(same, middle, below), np.where(same, above, middle)
    limits = np.split((below + above) / 2, np.cumsum([k.size for k in turns])[:-1])
    spans = {}
    for (b, borders), inner, answers in zip(ends.items(), limits, rejected, strict=True):
        cuts = np.concatenate((borders[:1], np.clip(inner, borders[0], borders[-1]), borders[-1:]))
        pairs = np.column_stack((cuts[:-1], cuts[1:]))[0 if answers[0] else 1 :: 2]
        spans[b] = pairs[pairs[:, 0] < pairs[:, 1]]
    return spans


def _count_predictions(evidence: Bins, sample: ScoreSample, cells: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the weight, and the rejected weight, of the predictions per bin (row) and cell (column)."""
    distinct = sample.distinct
    partition, bins = evidence.bins_of_scores(), evidence.bins.n_bins
    index = partition.locate_checked(distinct.p) * cells.n_bins + cells.locate_checked(distinct.p)
    columns = (distinct.w, np.where(evidence.rejects(distinct.p), distinct.w, 0.0))
    sums: list[Any] = [np.bincount(index, w, bins * cells.n_bins).reshape(bins, -1) for w in columns]
    return sums[0], sums[1]


def _estimate_density(weight: FloatArray) -> FloatArray:
    """Return the density over the cells, smoothed with the bandwidth of Scott within the range of the data."""
    position, total = np.arange(weight.size), weight.sum()
    mean = weight @ position / total
    sd = np.sqrt(weight @ (position - mean) ** 2 / total)
    smooth = gaussian_filter1d(weight, sd * total**-0.2, mode="constant") if sd > 0 else weight
    width: FloatArray = smooth / smooth.max()
    return width


def find_bounds(pieces: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last float of each bin, at which a map has the value of that bin."""
    lower, upper = pieces.borders[:-1].copy(), pieces.borders[1:].copy()
    if pieces.closed == "left":
        upper[:-1] = np.nextafter(upper[:-1], 0.0)
    else:
        lower[1:] = np.nextafter(lower[1:], 1.0)
    return lower, np.maximum(lower, upper)
