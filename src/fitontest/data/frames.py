"""One pass over a frame of any engine: its rows become counts and sums by score cell.

A frame is whatever narwhals reads, eager (pandas, polars, pyarrow) or lazy (polars, DuckDB, Dask, PySpark). The pass is
one ``group_by`` of plain counts, sums, minima and maxima, because these mean the same on every engine. Rows that cannot
be read are grouped by what is wrong with them, so that the same pass counts them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from fitontest.checks import brief
from fitontest.data.cell_sums import FINE, FLOOR, WIDTH, CellSums, Resolution
from fitontest.data.class_frames import ClassColumns, reduced_frame
from fitontest.data.labels import listed
from fitontest.typing import FloatArray, Label

GOOD, ABSENT = 0, -1  # codes of rows that can be read; those of weight 0 are absent
BAD = {
    1: "a score that is missing or NaN",
    2: "a score outside [0, 1]",
    3: "a label that is missing",
    4: "a label that is none of the classes",
    5: "a weight that is missing or NaN",
    6: "a weight that is negative or infinite",
    7: "no value of the segment",
}
HUGE = 1e300
LISTED = 4  # distinct labels that are asked for, at most
MOST_SEGMENTS = 10_000


@dataclass(frozen=True)
class FrameColumns:
    """Which columns of a frame hold what.

    Attributes
    ----------
    label : str
    prob : str, or sequence of str with a reduction
    weight : str, optional
    by : tuple of str
        Columns whose values make segments.
    pos_label : label, optional
    reduction : {"confidence", "classwise", "binary"}, optional
    labels : sequence, optional
        The class of each column of `prob`.
    """

    label: str
    prob: str | Sequence[str]
    weight: str | None = None
    by: tuple[str, ...] = ()
    pos_label: Label | None = None
    reduction: str | None = None
    labels: Sequence[Label] | None = None

    def __post_init__(self) -> None:
        if self.reduction is None and not isinstance(self.prob, str):
            raise ValueError(f"prob must be the name of one column unless reduction is given, got {brief(self.prob)}")
        if self.reduction is None and self.labels is not None:
            raise ValueError(f"labels must be None unless reduction is given, got {brief(self.labels)}")


def sums_by_segment(native: Any, columns: FrameColumns, resolution: Resolution) -> dict[tuple[Any, ...], CellSums]:
    """Return the cells of each segment of a frame, in the order of the segments; without `by` of the one ``()``.

    The keys hold first the class, where the reduction is class-wise, then the values of the columns `by`.

    Raises
    ------
    ValueError
        No frame, columns that are missing or hold something else, rows that cannot be read, no rows.
    """
    frame = as_frame(native)
    rows, segments = _rows_of(frame, columns)
    rows = _with_validity(rows, segments)
    rows = _with_key(rows, resolution)
    table = _collected(_grouped(rows, segments))
    _refuse_bad(table)
    return dict(_split(table, segments, resolution))


def as_frame(native: Any) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    """Return a frame as narwhals reads it."""
    try:
        return nw.from_native(native)  # type: ignore[no-any-return]
    except TypeError as error:
        raise ValueError(
            "frame must be a data frame, eager or lazy, of a library that narwhals reads (pandas, polars, pyarrow, "
            f"DuckDB, Dask, PySpark), got one {type(native).__name__}"
        ) from error


def is_frame(value: Any) -> bool:
    """Tell whether a value is an eager or a lazy data frame."""
    return isinstance(nw.from_native(value, pass_through=True), nw.DataFrame | nw.LazyFrame)


def _rows_of(frame: Any, columns: FrameColumns) -> tuple[Any, list[str]]:
    """Return a frame of label, score p, and weight w where there are any; and the names of the columns of segments."""
    schema = frame.collect_schema()
    probs = [columns.prob] if isinstance(columns.prob, str) else list(columns.prob)
    wanted = [("label", columns.label), *(("prob", one) for one in probs), *(("by", one) for one in columns.by)]
    wanted += [("weight", columns.weight)] if columns.weight is not None else []
    for argument, name in wanted:
        if name not in schema:
            raise ValueError(
                f"{argument} must be a column of the frame, got {name!r}; its columns are {brief([*schema])}"
            )
    for argument, name in wanted:
        if argument in ("prob", "weight") and not schema[name].is_numeric():
            raise ValueError(f"{argument} column {name!r} must hold real numbers, got {schema[name]}")
    by = [f"by{i}" for i in range(len(columns.by))]
    chosen = {new: nw.col(name) for new, name in zip(by, columns.by, strict=True)}
    if columns.weight is not None:
        chosen["w"] = nw.col(columns.weight).cast(nw.Float64)
    if columns.reduction is None:
        y = _label(frame, schema[columns.label], columns)
        return frame.select(p=nw.col(probs[0]).cast(nw.Float64), y=y, **chosen), by
    of_classes = ClassColumns(columns.reduction, tuple(probs), columns.label, columns.labels, columns.pos_label)
    rows, more = reduced_frame(frame, schema[columns.label], of_classes, chosen)
    return rows, [*more, *by]


def _label(frame: Any, dtype: Any, columns: FrameColumns) -> Any:
    """Return the label as a number, 1 for the positive class, and 0 or -1 for the other; null where it is missing."""
    column = nw.col(columns.label)
    if columns.pos_label is None:
        if dtype == nw.Boolean:
            return column.cast(nw.Int64).cast(nw.Float64)
        if not dtype.is_numeric():
            raise ValueError(
                f"label column {columns.label!r} must be labelled 0 and 1, -1 and 1, or False and True unless "
                f"pos_label says which class is positive; got {dtype}"
            )
        return column.cast(nw.Float64)
    if not (dtype.is_numeric() or dtype == nw.Boolean):
        column = column.cast(nw.String)
    others = [one for one in _distinct(frame.select(y=column)) if one != columns.pos_label]
    if len(others) > 1:
        raise ValueError(
            f"label column {columns.label!r} must have at most two classes, got others than {columns.pos_label!r}: "
            f"[{listed(others)}]"
        )
    hit = nw.when(column == columns.pos_label).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
    return nw.when(~column.is_null()).then(hit)


def _distinct(frame: Any) -> list[Any]:
    """Return the first distinct values of a frame of one column."""
    rows = frame.unique().head(LISTED)
    return [one for one in rows.lazy().collect()["y"].to_list() if one is not None and one == one]


def _with_validity(rows: Any, segments: list[str]) -> Any:
    """Add what is wrong with a row, which is asked only where something is."""
    p, y, w = nw.col("p"), nw.col("y"), nw.col("w")
    number = y.abs()
    good = p.is_between(0.0, 1.0) & ((number == 1.0) | (number == 0.0))
    wrong: list[tuple[int, Any]] = [
        (1, p.is_null() | p.is_nan()),
        (2, ~p.is_between(0.0, 1.0)),
        (3, y.is_null() | y.is_nan()),
        (4, (number != 1.0) & (number != 0.0)),
        *((7, nw.col(name).is_null()) for name in segments),
    ]
    for name in segments:
        good = good & ~nw.col(name).is_null()
    if "w" in rows.collect_schema():
        good = good & (w > 0.0) & (w < HUGE)
        wrong += [(5, w.is_null() | w.is_nan()), (6, ~w.is_between(0.0, HUGE)), (ABSENT, w == 0.0)]
    code = reduce(lambda last, one: nw.when(one[1]).then(nw.lit(one[0])).otherwise(last), wrong[::-1], nw.lit(GOOD))
    return rows.with_columns(bad=nw.when(good).then(nw.lit(GOOD)).otherwise(code).cast(nw.Int64))


def _with_key(rows: Any, resolution: Resolution) -> Any:
    """Add the key of the cell, as `Resolution.keys` gives it, and what is to be summed.

    Bad rows have the key 0, so that there are few groups of them; what is summed of them is not read.
    """
    p, y, w, q = (nw.col(name) for name in "pywq")
    inside = (p > 0.0) & (p < 1.0)
    made = {"q": nw.when(inside).then(p).otherwise(nw.lit(0.5)), "size": y.abs()}
    if "w" in rows.collect_schema():
        one, other = (y.abs() + y) * 0.5, 1.0 - (y.abs() + y) * 0.5
        made |= {"w0": w * other, "w1": w * one, "v0": w * w * other, "v1": w * w * one, "wp": w * p}
        made["broken"] = nw.when(w == w.floor()).then(nw.lit(0.0)).otherwise(nw.lit(1.0))
    rows = rows.with_columns(**made)
    key = p + 0.0
    if not resolution.exact:
        logit = ((q.log() - (1.0 - q).log()) * float(FINE)).floor()
        ends = nw.when(p <= 0.0).then(nw.lit(float(-FLOOR))).otherwise(nw.lit(float(FLOOR)))
        key = (nw.when(inside).then(logit).otherwise(ends) + float(FLOOR)) * float(WIDTH) + (p * float(FINE)).floor()
    if resolution.edges:
        key = key * float(len(resolution.edges) + 1) + _place(p, resolution.edges, 0)
    return rows.with_columns(key=nw.when(nw.col("bad") == GOOD).then(key).otherwise(nw.lit(0.0)))


def _place(p: Any, edges: Sequence[float], below: int) -> Any:
    """Return how many edges are at or below the score, as a balanced tree of comparisons."""
    if not edges:
        return nw.lit(float(below))
    middle = len(edges) // 2
    lower, upper = _place(p, edges[:middle], below), _place(p, edges[middle + 1 :], below + middle + 1)
    return nw.when(p >= edges[middle]).then(upper).otherwise(lower)


def _grouped(rows: Any, segments: list[str]) -> Any:
    columns = rows.collect_schema()
    summed = [name for name in ("y", "size", "w0", "w1", "v0", "v1", "wp", "broken") if name in columns]
    sums = [nw.col(name).sum().alias(f"sum_{name}") for name in summed]
    if "w" not in columns:
        sums.append(nw.col("p").sum().alias("sum_wp"))
    ends = [nw.col("p").min().alias("low"), nw.col("p").max().alias("high")]
    return rows.group_by("bad", *segments, "key").agg(nw.len().alias("n"), *sums, *ends)


def _collected(grouped: Any) -> dict[str, Any]:
    """Return the columns as arrays."""
    native = grouped.to_native()
    if hasattr(native, "fetchnumpy"):  # of DuckDB, which then needs no other library
        return {name: np.ma.getdata(column) for name, column in native.fetchnumpy().items()}
    frame = grouped.lazy().collect()
    return {name: np.asarray(frame[name].to_numpy()) for name in frame.columns}


def _refuse_bad(table: Mapping[str, Any]) -> None:
    """Raise ValueError where rows cannot be read, or where there are none."""
    n, bad = table["n"].astype(np.int64), table["bad"].astype(np.int64)
    counts = {text: int(n[bad == code].sum()) for code, text in BAD.items()}
    if found := [
        f"{count:,} {'row has' if count == 1 else 'rows have'} {text}" for text, count in counts.items() if count
    ]:
        raise ValueError(
            f"frame must hold labels, scores and weights that can be read: of {int(n.sum()):,} rows {'; '.join(found)}"
        )
    good = bad == GOOD
    if not good.any():
        raise ValueError("frame must have rows" + (" of positive weight" if n.sum() else "") + ", got none")
    absolute, total = float(table["sum_size"][good].sum()), float(table["sum_y"][good].sum())
    zeros, minus = int(n[good].sum() - absolute), int(absolute - total) // 2
    if minus and zeros:
        raise ValueError(f"the label column must have at most two classes, got -1 in {minus:,} rows and 0 in {zeros:,}")


def _split(
    table: Mapping[str, Any], segments: list[str], resolution: Resolution
) -> Iterator[tuple[tuple[Any, ...], CellSums]]:
    """Yield the segments with their cells."""
    good = np.flatnonzero(table["bad"].astype(np.int64) == GOOD)
    if not segments:
        yield (), _sums(table, good, resolution)
        return
    places: dict[tuple[Any, ...], list[int]] = {}
    for row, values in zip(good, zip(*(table[name][good].tolist() for name in segments), strict=True), strict=True):
        places.setdefault(values, []).append(int(row))
    if len(places) > MOST_SEGMENTS:
        raise ValueError(f"by must give at most {MOST_SEGMENTS:,} segments, got {len(places):,}")
    for values in sorted(places, key=lambda one: tuple((str(type(each)), each) for each in one)):
        yield values, _sums(table, np.array(places[values]), resolution)


def _sums(table: Mapping[str, Any], rows: Any, resolution: Resolution) -> CellSums:
    """Return the cells that stand in some rows of the table."""
    rows = rows[np.argsort(table["key"][rows], kind="stable")]

    def numbers(name: str) -> FloatArray:
        return np.asarray(table[name][rows], dtype=np.float64)

    y, key = (numbers("sum_size") + numbers("sum_y")) / 2, numbers("key") + 0.0
    counts = w = w2 = np.stack((numbers("n") - y, y), axis=1)
    whole = True
    if "sum_w0" in table:
        w, w2 = (np.stack((numbers(f"sum_{name}0"), numbers(f"sum_{name}1")), axis=1) for name in "wv")
        whole = not numbers("sum_broken").any()
    return CellSums(
        key=key.view(np.int64) if resolution.exact else key.astype(np.int64),
        low=numbers("low") + 0.0,
        high=numbers("high") + 0.0,
        rows=np.rint(counts).astype(np.int64),
        w=w,
        w2=w2,
        wp=numbers("sum_wp"),
        whole=whole,
    )
