"""Segments: the samples of the parts of the data, and that of the whole, from rows or from cells."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.cells.cells import Cells
from fitontest.checks import brief
from fitontest.data.arrays import as_column, check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.labels import coded
from fitontest.data.predictions import NAMES, Columns, Names, ReadBefore, reduced
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import CANONICAL
from fitontest.data.weights import WeightType
from fitontest.typing import ArrayInput, IntArray, Label

MOST_SEGMENTS = 100  # beyond, hardly any adjusted p-value could be small, and no table is read
ANY_NAME = "segment"  # what the column of the table is called where the column of the data has no name
NO_ROWS = "no rows"  # of a segment whose rows all have weight 0

Segment: TypeAlias = Hashable


@dataclass(frozen=True, eq=False)
class Segments:
    """The samples of the segments.

    Attributes
    ----------
    samples : dict from the segment's value, a tuple for several columns, to its ScoreSample
    whole : ScoreSample
        Of all rows.
    name : str
        Of the column whose values make the segments.
    empty : tuple
        Segments whose rows all have weight 0, in order.
    """

    samples: Mapping[Segment, ScoreSample]
    whole: ScoreSample
    name: str = ANY_NAME
    empty: tuple[Segment, ...] = ()

    @classmethod
    def of_cells(cls, cells: Mapping[Segment, Any], name: str = ANY_NAME) -> "Segments":
        """Return the segments of a dict of cells, as ``Cells.of_frame(by=...)`` returns it.

        Raises
        ------
        ValueError
            Values that are not the cells of one sample each, or are of several resolutions; no segments, or too many.
        """
        for segment, each in cells.items():
            if not isinstance(each, Cells):
                raise ValueError(
                    "y_true must be labels, or a dict from segments to Cells of one sample each; got one "
                    f"{type(each).__name__} for {brief(segment)}"
                )
        present = {segment: each for segment, each in cells.items() if each.n}
        _check_number(len(present))
        whole: Any = sum(present.values())
        empty = tuple(segment for segment in cells if segment not in present)
        kind: WeightType = "counts" if whole.whole else "importances"  # decided once, for all segments together
        alike = (each if each.whole and whole.whole else replace(each, weights=kind) for each in present.values())
        samples = {key: each.sample() for key, each in zip(present, alike, strict=True)}
        return cls(samples, whole.sample(), name, empty)

    @classmethod
    def of_rows(
        cls,
        columns: Columns,
        by: Sequence[ArrayInput],
        reduction: str | None = None,
        labels: ArrayInput = None,
        pos_label: Label | None = None,
        names: Names = NAMES,
        name: str = ANY_NAME,
    ) -> "Segments":
        """Return the segments of rows.

        Parameters
        ----------
        columns
            Labels, scores and weights.
        by : sequence of array-like of shape (n,)
            Columns whose values make the segments.
        reduction, labels, pos_label, names
            As for `reduced`.
        name : str
            Of the columns.
        """
        if isinstance(columns[0], ReadBefore):
            raise ValueError(
                f"by must be left out where {names.y_true} is {type(columns[0]).__name__}, which have no rows any "
                "more; make cells of each segment, by Cells.of_frame(by=...), and evaluate the dict of them"
            )
        if reduction in ("classwise", CANONICAL):
            raise ValueError(
                f"by must be left out with {names.reduction}={reduction!r}: segments are of one sample each, with no "
                "reduction, 'confidence' or 'binary'"
            )
        whole = reduced(columns, reduction, labels, pos_label, names)
        for column in by:
            check_same_order(**dict(zip((*names.of_sample, "by"), (*columns, column), strict=True)))
        keys, code = _coded(by, whole.y.size, names)
        present = np.flatnonzero(whole.w)
        order = present[np.argsort(code[present], kind="stable")]  # rows of a segment together, in their own order
        parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
        _check_number(len(parts))
        seen = {int(code[rows[0]]) for rows in parts}
        empty = tuple(key for place, key in enumerate(keys) if place not in seen)
        return cls({keys[code[rows[0]]]: _taken(whole, rows) for rows in parts}, whole, name, empty)


def read_segments(
    columns: Columns,
    by: ArrayInput,
    reduction: str | None = None,
    labels: ArrayInput = None,
    pos_label: Label | None = None,
    names: Names = NAMES,
) -> Segments | None:
    """Return the segments of rows, or of a dict of cells in place of the labels; None where there are none."""
    by_segment = isinstance(columns[0], Mapping) and not isinstance(columns[0], ReadBefore)
    if by is None and not by_segment:
        return None
    if by_segment:
        further = (*columns[1:], reduction, labels, pos_label, by)
        said = (names.y_prob, names.sample_weight, names.reduction, names.labels, names.pos_label, "by")
        if given := [name for name, value in zip(said, further, strict=True) if value is not None]:
            raise ValueError(f"{given[0]} must be left out where {names.y_true} is a dict of cells, made with it")
        return Segments.of_cells(columns[0])
    parts, name = columns_of(by)
    return Segments.of_rows(columns, parts, reduction, labels, pos_label, names, name)


def read_frame(
    columns: Columns,
    reduction: str | None,
    labels: ArrayInput,
    pos_label: Label | None,
    *,
    label: str | None,
    prob: str | Sequence[str] | None,
    weight: str | None,
    by: ArrayInput,
) -> Any:
    """Return the cells of a data frame that stands in place of the labels, or with `by` its `Segments`."""
    frame, y_prob, sample_weight = columns
    if label is None or prob is None:
        raise ValueError(
            "label and prob must both name a column of the data frame that y_true then is, got "
            f"label={label!r} and prob={brief(prob)}"
        )
    for name, value in (("y_prob", y_prob), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(f"{name} must be left out where label and prob name columns; weight names that of weights")
    if by is not None and not (isinstance(by, str) or (isinstance(by, list | tuple) and by)):
        raise ValueError(f"by must be the name of a column of the frame, or several, got {brief(by)}")
    cells = Cells.of_frame(
        frame,
        label=label,
        prob=prob,
        weight=weight,
        by=by,
        pos_label=pos_label,
        reduction=reduction,
        labels=labels,
    )
    return cells if by is None else Segments.of_cells(cells, by if isinstance(by, str) else ", ".join(by))


def columns_of(by: ArrayInput) -> tuple[list[ArrayInput], str]:
    """Return the columns of a matrix or data frame, or the one column that is given, and what they are called."""
    if len(getattr(by, "shape", ())) != 2:
        name = getattr(by, "name", None)
        return [by], name if isinstance(name, str) else ANY_NAME
    names = list(getattr(by, "column_names", getattr(by, "columns", ())))  # of pyarrow; of pandas and polars
    if names:
        return [by[name] for name in names], ", ".join(map(str, names))
    return list(np.asarray(by).T), ANY_NAME


def _check_number(segments: int) -> None:
    if segments == 0:
        raise ValueError("by must give at least one segment, got none")
    if segments > MOST_SEGMENTS:
        raise ValueError(
            f"by must give at most {MOST_SEGMENTS} segments, got {segments:,}; evaluate some of them, or join them"
        )


def _taken(whole: ScoreSample, rows: IntArray) -> ScoreSample:
    """Return the sample of some rows, as these rows alone would make it."""
    w = None if whole.weights is None else replace(whole.weights, w=whole.w[rows])
    return ScoreSample(whole.y[rows], whole.p[rows], w)


def _coded(by: Sequence[ArrayInput], size: int, names: Names) -> tuple[list[Segment], IntArray]:
    """Return the segments in order, and the place of each row's segment among them."""
    columns = [as_column(_plain(column), "by") for column in by]
    for column in columns:
        check_same_length(**{names.y_true: np.empty(size, dtype=bool), "by": column})
        _check_present(column)
    if len(columns) == 1:
        keys, code = coded(columns[0], "by")
        return list(keys), code
    each = [coded(column, "by") for column in columns]
    joint = np.zeros(size, dtype=np.intp)
    for keys, code in each:
        joint = np.unique(joint * len(keys) + code, return_inverse=True)[1]  # stays as small as the rows are many
    first = np.unique(joint, return_index=True)[1]
    return [tuple(keys[code[row]] for keys, code in each) for row in first], joint


def _plain(column: ArrayInput) -> Any:
    """Return categories as their values, and times as numpy turns them into those of Python."""
    dtype = getattr(column, "dtype", None)
    if hasattr(dtype, "categories"):
        column = np.asarray(column)
    return np.asarray(column).astype("datetime64[us]") if getattr(dtype, "kind", "") == "M" else column


def _check_present(column: NDArray[Any]) -> None:
    missing = column != column
    if column.dtype.kind in "mM":
        missing = np.isnat(column)
    if np.any(missing):
        raise ValueError(f"by must have a value in every row, got none in {int(np.sum(missing)):,} rows")
