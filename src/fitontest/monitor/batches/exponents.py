"""Exponents: how much each row of a batch counts, of its weight and of the size of its group."""

from dataclasses import replace
from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums
from fitontest.data.places import BadValueError, such
from fitontest.monitor.batches.layout import HEAVIER, Layout
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

ROUNDING = 1e-9  # of sums of weights
UNSAID = (
    "must be left out unless Monitor(weights='counts') says that they count independent rows, or "
    f"Monitor(max_weight=...) declares the largest that there may ever be: {HEAVIER}"
)


def check_weights(w: FloatArray, name: str, layout: Layout) -> None:
    """Raise ValueError for weights of rows that cannot be exponents; 1, and 0 of absent rows, need no rule.

    Parameters
    ----------
    w : array of shape (n,)
    name : str
        What the caller calls them.
    layout : Layout
    """
    if np.all((w == 1.0) | (w == 0.0)):
        return
    if layout.weights == "counts":
        if np.any(w != np.floor(w)):
            raise ValueError(f"{name} must be whole numbers with Monitor(weights='counts')")
        return
    if layout.max_weight is None:
        raise ValueError(f"{name} {UNSAID}")
    bad = np.flatnonzero(w > layout.max_weight)
    if bad.size:
        rule = f"be at most {layout.max_weight:g}, the largest that was declared by max_weight"
        raise BadValueError(name, rule, str(w[bad[0]]), int(bad[0]), w.shape, such(bad.size))


def check_cells(cells: Any, where: str, layout: Layout) -> None:
    """Raise ValueError for weights of cells that cannot be exponents, as far as sums tell.

    The largest weight is at least sum w^2 / sum w. A larger one beside many small ones is not seen in the sums.

    Parameters
    ----------
    cells : Cells
    where : str
        What messages call them.
    layout : Layout
    """
    sums = cells.sums
    if np.array_equal(sums.w, sums.rows):
        return
    if layout.weights == "counts":
        if not sums.whole or cells.weights == "importances":
            raise ValueError(
                f"{where} must have weights that count rows with Monitor(weights='counts'), got {brief(cells)}"
            )
        return
    if layout.max_weight is None:
        raise ValueError(f"the weights of {where} {UNSAID}")
    present = sums.w > 0.0
    least = np.divide(sums.w2, sums.w, out=np.zeros_like(sums.w2), where=present)
    if np.any(least > layout.max_weight * (1.0 + ROUNDING)):
        cell, label = np.unravel_index(int(np.argmax(least)), least.shape)
        raise ValueError(
            f"the weights of {where} must be at most {layout.max_weight:g}, the largest that was declared by "
            f"max_weight; got one of at least {least[cell, label]:g} among the rows of label {label} with scores from "
            f"{sums.low[cell]:g} to {sums.high[cell]:g}"
        )


def counted(sums: CellSums, layout: Layout) -> CellSums:
    """Return cells whose weights count rows with these as rows; others as they are."""
    if layout.weights != "counts":
        return sums
    rows = np.rint(sums.w).astype(np.int64) if sums.whole else sums.w  # rows may be split between tied classes
    return replace(sums, rows=rows, w2=sums.w)


def with_exponents(sums: CellSums, divisor: float = 1.0, shares: int = 1) -> CellSums:
    """Return the cells of all groups together with exponents as weights.

    Exponents that sum to at most 1 in each group are valid whatever the dependence inside it, since the mean of a
    product of m powers X^(1/m) is at most the product of the powers of their means (Hoelder).

    Parameters
    ----------
    sums : CellSums
        Of weights, with the groups where there are any.
    divisor : float
        What weights are divided by.
    shares : int
        How many entries share a row, such as the classes of its scores. Where there are groups their sizes count them.
    """
    if not len(sums) or (sums.group is None and divisor * shares == 1.0):
        return sums
    factor: Any = np.full(len(sums), 1.0 / (divisor * shares))
    if sums.group is not None:
        sizes = np.bincount(sums.group, sums.rows.sum(axis=1))
        factor = 1.0 / (divisor * sizes[sums.group])
    both = factor[:, None]
    made = replace(sums, w=sums.w * both, w2=sums.w2 * both**2, wp=sums.wp * factor, whole=False)
    return made.ungrouped
