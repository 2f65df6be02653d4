"""Violins of the predictions per bin, from counts on a fine grid: the rows are visited once and never kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from fitontest.data.sample import Sample
from fitontest.displays.scales import Scale
from fitontest.measures.binned_error import BinnedError
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.path import Path

CELLS = 150  # along the axis: one is as high as a thick line
MANY = 60  # bins, beyond which there is no room for the outline of a line, nor a path each
HALF = 0.42  # half the width of the widest place of a violin, in bins


@dataclass(frozen=True, eq=False)
class Violin:
    """How the predictions of one bin spread.

    Attributes
    ----------
    bin : int
    lower, upper : arrays of shape (M,)
        The cells between the first and the last with a prediction in it.
    weight, rejected : arrays of shape (M,)
        Weight of the predictions in each cell, and of those that the test rejects.
    width : array of shape (M,)
        Smoothed density, 1 at its largest.
    """

    bin: int
    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    rejected: FloatArray
    width: FloatArray

    @property
    def share_rejected(self) -> FloatArray:
        """Share of the rejected among the predictions of each cell, between cells with any by interpolation."""
        held = np.flatnonzero(self.weight)
        return np.interp(np.arange(self.weight.size), held, self.rejected[held] / self.weight[held])


def violins(error: BinnedError, sample: Sample, scale: Scale) -> list[Violin]:
    """Return the violin of each bin that holds predictions."""
    cells = scale.cells(CELLS)
    weight, rejected = _counts(error, sample, cells)
    ends = scale.ends(cells)
    found = []
    for b in range(error.partition.n_bins):
        held = np.flatnonzero(weight[b])
        if held.size:
            span = slice(held[0], held[-1] + 1)
            width = _density(weight[b, span])
            found.append(Violin(b, ends[:-1][span], ends[1:][span], weight[b, span], rejected[b, span], width))
    return found


def outline(violin: Violin, run: slice, share: FloatArray | float = 1.0) -> FloatArray:
    """Return the outline of the cells of a violin in the run, stepwise, its width shrunk to a share."""
    half = (HALF * violin.width * share)[run].repeat(2)
    height = np.stack((violin.lower[run], violin.upper[run]), axis=1).ravel()
    x = violin.bin + 1
    return np.concatenate((np.column_stack((x - half, height)), np.column_stack((x + half, height))[::-1]))


def closed_paths(polygons: list[FloatArray]) -> "list[Path]":
    """Return closed paths; of very many one path of them all, which takes a fraction of the space in a file."""
    from matplotlib.path import Path

    paths = [Path(np.concatenate((polygon, polygon[:1])), closed=True) for polygon in polygons]
    return paths if 0 < len(paths) <= MANY else [Path.make_compound_path(*paths)]


def rejected_runs(violin: Violin) -> list[slice]:
    """Return the stretches of cells with rejected predictions."""
    steps = np.diff(np.concatenate(([0], violin.share_rejected > 0, [0])))
    starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return [slice(start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def violin_records(violin: Violin) -> Records:
    """Return one record per cell of a violin."""
    cells = records(
        lower=violin.lower,
        upper=violin.upper,
        weight=violin.weight,
        rejected=violin.rejected.astype(np.int64),
        width=violin.width,
    )
    return [{"bin": violin.bin + 1, **cell} for cell in cells]


def _counts(error: BinnedError, sample: Sample, cells: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the weight, and the rejected weight, of the predictions per bin (row) and cell (column)."""
    groups = sample.groups
    bins = error.partition.n_bins
    at = error.partition.locate_checked(groups.p) * cells.n_bins + cells.locate_checked(groups.p)
    columns = (groups.w, np.where(error.rejects(groups.p), groups.w, 0.0))
    sums: list[Any] = [np.bincount(at, w, bins * cells.n_bins).reshape(bins, -1) for w in columns]
    return sums[0], sums[1]


def _density(weight: FloatArray) -> FloatArray:
    """Return the density over the cells, smoothed with Scott's bandwidth, within the range of the data."""
    place, total = np.arange(weight.size), weight.sum()
    mean = weight @ place / total
    sd = np.sqrt(weight @ (place - mean) ** 2 / total)
    smooth = gaussian_filter1d(weight, sd * total**-0.2, mode="constant") if sd > 0 else weight
    width: FloatArray = smooth / smooth.max()
    return width
