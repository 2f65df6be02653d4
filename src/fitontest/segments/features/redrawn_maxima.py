"""The largest statistics of all segments for redrawn labels: what those of the real labels are held against."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.row_labels import RowLabels
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.progress import track
from fitontest.results.typing import FloatArray
from fitontest.segments.features.cell_tables import CellTables
from fitontest.segments.features.cuts import CutColumns
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.scan import RedrawnScan
from fitontest.segments.features.walks import RedrawnWalks, WalkNodes

ROWS = 4095  # of a block, which stays in the cache with its labels; two labels share a number below 4,096
DRAWS = 256  # labellings that are drawn together
ROUNDING = 1e-5  # relative, of sums in single precision


@dataclass(frozen=True, eq=False)
class Maxima:
    """The largest statistics of labellings.

    Attributes
    ----------
    scan : array of shape (B,)
        The largest |z| of a scan.
    walks : array of shape (B,) or None
        The largest range of a walk within a condition, in its units.
    """

    scan: FloatArray
    walks: FloatArray | None = None


def redrawn_maxima(
    cut: CutColumns, rows: FeatureRows, labels: RowLabels, draws: int, seed: int, nodes: WalkNodes | None = None
) -> Maxima:
    """Return the largest statistics of redrawn labellings.

    Parameters
    ----------
    cut : CutColumns
        With at least one condition.
    rows : FeatureRows
        In an order of their own.
    labels : RowLabels
        Of the rows.
    draws, seed : int
    nodes : WalkNodes, optional
        Where walks are known; without them there is a scan alone.
    """
    of_scan = RedrawnScan(cut, rows)
    of_walks = None if nodes is None else RedrawnWalks(nodes, rows)
    scan, walks = [], []
    with one_blas_thread():  # many small products: threads would wait for each other
        for start in track(range(0, draws, DRAWS), "draws"):
            columns = min(DRAWS, draws - start)
            drawn = (seed, start)
            numbers = labels.numbers(columns, drawn)
            tables = CellTables.zeros(cut, columns)
            along = [] if of_walks is None else of_walks.zeros(columns)
            for block in labels.blocks(ROWS):
                each = labels.draw(block, columns, drawn, numbers)
                tables.add(each, block, single=labels.are_single)
                if of_walks is not None:
                    of_walks.add(along, each, block)
            scan.append(of_scan.maxima(tables))
            if of_walks is not None:
                walks.append(of_walks.maxima(along))
    return Maxima(np.concatenate(scan), np.concatenate(walks) if walks else None)


def p_value_of(statistic: float, maxima: FloatArray) -> float:
    """Return the share of labellings, the real one counted too, whose largest statistic is at least as large.

    Parameters
    ----------
    statistic : float
    maxima : array of shape (B,)

    Examples
    --------
    >>> p_value_of(2.0, np.array([1.0, 2.0, 3.0]))
    0.75
    """
    return float((1 + np.count_nonzero(maxima >= statistic * (1.0 - ROUNDING))) / (1 + maxima.size))


def critical_value(maxima: FloatArray, alarms: float) -> float:
    """Return the least statistic that would have a p-value of at most `alarms`; infinite where none could.

    Parameters
    ----------
    maxima : array of shape (B,)
    alarms : float in (0, 1)

    Examples
    --------
    >>> round(critical_value(np.arange(1.0, 20.0), 0.1), 3)
    18.0
    """
    exceed = int(np.floor(alarms * (1 + maxima.size) + 1e-9)) - 1  # maxima that may be as large
    if exceed < 0:
        return float("inf")
    ordered = np.sort(maxima)[::-1]
    return float(np.nextafter(ordered[exceed] / (1.0 - ROUNDING), np.inf)) if exceed < ordered.size else 0.0
