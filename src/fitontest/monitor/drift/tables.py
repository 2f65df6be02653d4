"""The two tables of cells that are compared: given as cells, or made of rows."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from fitontest.data.cells.cell_sums import Resolution
from fitontest.data.cells.cells import Cells, ClassCells, sums_of_sample
from fitontest.data.columns import Names
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import ArrayInput, Label

#: Cells, rows that were read, or (y_true, y_prob) or (y_true, y_prob, sample_weight).
Table: TypeAlias = Cells | ClassCells | ScoreSample | Samples | tuple[ArrayInput, ...]
Pair: TypeAlias = tuple[Cells, Cells]


def read_pairs(before: Table, after: Table) -> Pair | dict[Label, Pair]:
    """Return the cells of both tables, or those of each class against the rest, checked."""
    one, other = _read_rows(before, "before"), _read_rows(after, "after")
    several = [isinstance(table, Mapping) for table in (one, other)]
    if not any(several):
        return _pair(one, other)
    if not all(several):
        raise ValueError("before and after must be of the same classes, got one score and a score for each class")
    if list(one) != list(other):
        raise ValueError(f"before and after must be of the same classes, got {list(one)} and {list(other)}")
    return {label: _pair(one[label], other[label]) for label in one}


def _read_rows(table: Any, name: str) -> Any:
    """Return cells or a sample, or those of each class."""
    if isinstance(table, Cells | ClassCells | ScoreSample):
        return table
    if isinstance(table, Samples):
        if table.is_by_segment:
            raise ValueError(f"{name} must be read without by: segments are compared one by one; got {table!r}")
        return dict(table)
    if isinstance(table, tuple) and len(table) in (2, 3):
        if np.ndim(table[1]) > 1 and np.shape(table[1])[1] > 1:
            raise ValueError(
                f"{name}[1] must be one column of scores, got an array of shape {np.shape(table[1])}; of several "
                "classes pass what read(labels, scores, reduction='classwise') returns"
            )
        return ScoreSample(*table, names=Names(f"{name}[0]", f"{name}[1]", f"{name}[2]"))
    if getattr(table, "has_distributions", False):
        raise ValueError(
            f"{name} must be rows of one score, or of one for each class, whose cells are compared: "
            f"probabilities of all classes at once have no cells; got a {type(table).__name__}"
        )
    raise ValueError(
        f"{name} must be Cells, as Cells.of(y_true, y_prob) makes them, got one {type(table).__name__}; rows are taken "
        "too, as (y_true, y_prob) or (y_true, y_prob, sample_weight)"
    )


def _pair(before: Cells | ScoreSample, after: Cells | ScoreSample) -> Pair:
    """Return the cells of both; rows beside cells are put into cells of their resolution."""
    known = [table.resolution for table in (before, after) if table.resolution is not None]
    by_group = [table.by_group for table in (before, after)]
    if len(set(by_group)) > 1:
        with_groups, without = ("before", "after") if by_group[0] else ("after", "before")
        raise ValueError(
            f"before and after must both have groups, or neither, got groups of {with_groups} alone; give {without} "
            "groups too, by read(..., groups=...) or Cells.of(..., groups=...)"
        )
    resolution = known[0] if known else Resolution(exact=True, by_group=by_group[0])
    one, other = (_cells(table, resolution, name) for table, name in ((before, "before"), (after, "after")))
    if one.resolution != other.resolution:
        _ = one + other  # which says what is wrong
    return one, other


def _cells(table: Any, resolution: Resolution, name: str) -> Cells:
    cells: Cells = _cells_of(table, resolution, name) if table.resolution is None else table
    if cells.n == 0:
        raise ValueError(f"{name} must have rows, got none")
    if not cells.whole:
        raise ValueError(
            f"{name} must have weights that are counts, or none: the test counts positives row by row; got a "
            f"total weight of {cells.total:g} in {cells.n:,} rows; weights='counts', to Cells.of, says that large "
            "whole weights are counts"
        )
    return cells


def _cells_of(sample: ScoreSample, resolution: Resolution, name: str) -> Cells:
    if sample.split is not None:
        raise ValueError(
            f"{name} must have one largest score in each row: the test counts positives row by row, and "
            f"{sample.class_rows.tied:,} of {sample.n:,} rows have several"
        )
    if sample.aggregated:
        raise ValueError(f"{name} must be the Cells themselves where rows were counted, got the sample made of them")
    sums = sums_of_sample(sample, resolution)
    return Cells(sums, resolution, "auto" if sample.unit else "counts" if sample.whole else "importances")
