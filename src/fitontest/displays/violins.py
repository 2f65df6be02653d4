"""Violins of the predictions per bin, computed from counts on a fine grid."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from fitontest.data.sample import Sample
from fitontest.displays.scales import Scale
from fitontest.measures.binned import Bins
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.path import Path

CELLS = 150  # along the axis; the height of one is that of a thick line
MANY_BINS = 60  # above this number of bins, lines have no outline, and all violins are one path
HALF_WIDTH = 0.42  # of the widest cell of a violin, in bins


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
    """

    bin: int
    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    rejected: FloatArray
    width: FloatArray

    @property
    def share_rejected(self) -> FloatArray:
        """Share of rejected predictions in each cell, interpolated in cells without predictions."""
        occupied = np.flatnonzero(self.weight)
        return np.interp(np.arange(self.weight.size), occupied, self.rejected[occupied] / self.weight[occupied])


def compute_violins(bins: Bins, sample: Sample, scale: Scale) -> list[Violin]:
    """Return the violin of each bin that holds predictions."""
    cells = scale.cells(CELLS)
    weight, rejected = _count_predictions(bins, sample, cells)
    ends = scale.ends(cells)
    violins = []
    for b in range(bins.bins.n_bins):
        occupied = np.flatnonzero(weight[b])
        if occupied.size:
            span = slice(occupied[0], occupied[-1] + 1)
            width = _estimate_density(weight[b, span])
            violins.append(Violin(b, ends[:-1][span], ends[1:][span], weight[b, span], rejected[b, span], width))
    return violins


def trace_outline(violin: Violin, run: slice, share: FloatArray | float = 1.0) -> FloatArray:
    """Return the stepwise outline of a run of cells of a violin, with its width multiplied by a share."""
    half = (HALF_WIDTH * violin.width * share)[run].repeat(2)
    height = np.stack((violin.lower[run], violin.upper[run]), axis=1).ravel()
    x = violin.bin + 1
    return np.concatenate((np.column_stack((x - half, height)), np.column_stack((x + half, height))[::-1]))


def close_paths(polygons: list[FloatArray]) -> "list[Path]":
    """Return closed paths. Many polygons are joined to one path, which makes files much smaller."""
    from matplotlib.path import Path

    paths = [Path(np.concatenate((polygon, polygon[:1])), closed=True) for polygon in polygons]
    return paths if 0 < len(paths) <= MANY_BINS else [Path.make_compound_path(*paths)]


def find_rejected_runs(violin: Violin) -> list[slice]:
    """Return the runs of cells with rejected predictions."""
    steps = np.diff(np.concatenate(([0], violin.share_rejected > 0, [0])))
    starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return [slice(start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


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


def _count_predictions(evidence: Bins, sample: Sample, cells: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the weight, and the rejected weight, of the predictions per bin (row) and cell (column)."""
    groups = sample.groups
    bins = evidence.bins.n_bins
    index = evidence.bins.locate_checked(groups.p) * cells.n_bins + cells.locate_checked(groups.p)
    columns = (groups.w, np.where(evidence.rejects(groups.p), groups.w, 0.0))
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
