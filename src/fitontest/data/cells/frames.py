"""One pass over a frame of any engine: its rows become counts and sums by score cell.

A frame is whatever narwhals reads, eager (pandas, polars, pyarrow) or lazy (polars, DuckDB, Dask, PySpark). The pass is
one ``group_by`` of plain counts, sums, minima and maxima, because these mean the same on every engine. A row that
cannot be read shows in the sums, counts or ends of its group; then a second pass counts such rows by what is wrong.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from fitontest.data.arrays import is_missing, is_score, say_clipped
from fitontest.data.cells.cell_sums import FLOOR, WIDTH, CellSums, Resolution
from fitontest.data.cells.class_frames import SUM, WAYS, ClassColumns, any_of, reduced_frame
from fitontest.data.cells.frame_labels import as_label, comparable
from fitontest.data.cells.frame_segments import (
    check_segment,
    group_values,
    only_hashable,
    segment_column,
    segment_values,
)
from fitontest.data.cells.group_ids import ordered_ids
from fitontest.data.class_rows import ADDS_UP, ClassRows
from fitontest.data.labels import listed
from fitontest.data.row_groups import GROUP, combined_ids
from fitontest.data.weights import EXACT_COUNT, check_total
from fitontest.data.written import PLAIN, Written
from fitontest.results.checks import brief, meant
from fitontest.results.typing import BoolArray, FloatArray, IntArray, Label

HUGE = 1e300  # weights below count as finite
ABSENT = 3.0  # the label of rows of weight 0, of which only the segments are wanted
LISTED = 4  # distinct labels that are asked for, at most
MOST_SEGMENTS = 10_000
ROW = "row of the frame"


class BadRowsError(ValueError):
    """Rows of a frame cannot be read; `columns` says which columns they were to be read from."""

    def __init__(self, message: str, columns: "FrameColumns") -> None:
        super().__init__(message)
        self.columns = columns

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor."""
        return type(self), (str(self), self.columns)


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
    groups : tuple of str
        The columns whose values, or combinations of values, are the groups of rows.
    written : Written
        How scores are written, and what becomes of rows in which a value is missing.
    """

    label: str
    prob: str | Sequence[str]
    weight: str | None = None
    by: tuple[str, ...] = ()
    pos_label: Label | None = None
    reduction: str | None = None
    labels: Sequence[Label] | None = None
    groups: tuple[str, ...] = ()
    written: Written = PLAIN

    def __post_init__(self) -> None:
        if self.reduction is None and not isinstance(self.prob, str):
            raise ValueError(f"prob must be the name of one column unless reduction is given, got {brief(self.prob)}")
        if self.reduction is None and self.labels is not None:
            raise ValueError(f"labels must be None unless reduction is given, got {brief(self.labels)}")

    @property
    def of_groups(self) -> dict[str, str]:
        """The columns of groups, by what they are called within a pass."""
        return {f"{GROUP}{place}": name for place, name in enumerate(self.groups)}


def sums_by_segment(native: Any, columns: FrameColumns, resolution: Resolution) -> dict[tuple[Any, ...], CellSums]:
    """Return the cells of each segment of a frame, in the order of the segments; without `by` of the one ``()``.

    The keys hold first the class, where the reduction is class-wise, then the values of the columns `by`.

    Raises
    ------
    ValueError
        No frame, columns that are missing or hold something else, rows that cannot be read, no rows.
    """
    frame = as_frame(native)
    rows, segments, about = _rows_of(frame, columns, keep_absent=True)
    of_groups = [*columns.of_groups]
    with only_hashable():
        ways = [WAYS] if columns.reduction == "confidence" else []
        grouped = _grouped(_with_key(rows, resolution), [*segments, *of_groups, *ways])
        table = _collected(grouped, segments, of_groups)
        table, empty = _without_absent(table, segments)
        if _has_bad(table, [*segments, *of_groups]):
            refuse_bad(frame, columns)
        _check_labels(table)
        say_clipped("frame", min(table["low"]), max(table["high"]))
        if of_groups:
            table[GROUP] = combined_ids([table.pop(name) for name in of_groups])
        each = dict(_split(table, segments, resolution, empty))
        return {key: replace(sums, class_rows=sums.class_rows + about) for key, sums in each.items()}


def as_frame(native: Any) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    """Return a frame as narwhals reads it."""
    try:
        return nw.from_native(native)  # type: ignore[no-any-return]
    except TypeError as error:
        raise ValueError(
            "frame must be a data frame, eager or lazy, of a library that narwhals reads (pandas, polars, pyarrow, "
            f"DuckDB, Dask, PySpark), got one {type(native).__name__}"
        ) from error
    except ValueError as error:  # several columns of one name
        raise ValueError(f"frame must have columns of different names: {error}") from error


def _rows_of(
    frame: Any, columns: FrameColumns, *, keep_absent: bool = False, places: Sequence[str] = ()
) -> tuple[Any, list[str], ClassRows]:
    """Return a frame of label, score p, and weight w where there are any; and the names of the columns of segments.

    The last is what is to be known of labels of more than two classes.

    A row of weight 0 is absent, whatever else it holds. Where there are segments such rows can be kept, for theirs.
    Columns that say the place of a row can be kept too.
    """
    schema = frame.collect_schema()
    probs = [columns.prob] if isinstance(columns.prob, str) else list(columns.prob)
    wanted = [("label", columns.label), *(("prob", one) for one in probs), *(("by", one) for one in columns.by)]
    wanted += [("weight", columns.weight)] if columns.weight is not None else []
    wanted += [("groups", one) for one in columns.groups]
    for argument, name in wanted:
        if name not in schema:
            columns_of = f"{brief([*schema])}{meant(name, schema)}"
            raise ValueError(f"{argument} must be a column of the frame, got {name!r}; its columns are {columns_of}")
    for argument, name in wanted:
        if argument in ("prob", "weight") and not schema[name].is_numeric():
            raise ValueError(f"{argument} column {name!r} must hold real numbers, got {schema[name]}")
        if argument in ("by", "groups"):
            check_segment(name, schema[name], argument)
    if not columns.written.is_plain:
        frame = _as_probabilities(frame, dict.fromkeys(name for _, name in wanted), probs, columns.written)
    by = [f"by{i}" for i in range(len(columns.by))]
    chosen = {new: segment_column(name, schema[name]) for new, name in zip(by, columns.by, strict=True)}
    chosen |= {new: segment_column(name, schema[name]) for new, name in columns.of_groups.items()}
    chosen |= {name: nw.col(name) for name in places}
    if columns.weight is not None:
        w = chosen["w"] = nw.col(columns.weight).cast(nw.Float64)
        present = frame.filter((w != 0.0) | w.is_null())
    else:
        present = frame
    frame = frame if keep_absent and by else present
    if columns.reduction is None:
        y, about = _label(present, schema[columns.label], columns)
        return frame.select(p=nw.col(probs[0]).cast(nw.Float64), y=y, **chosen), by, about
    of_classes = ClassColumns(columns.reduction, tuple(probs), columns.label, columns.labels, columns.pos_label)
    rows, more = reduced_frame(frame, schema[columns.label], of_classes, chosen)
    return rows, [*more, *by], ClassRows()


def _as_probabilities(frame: Any, names: Iterable[str], probs: Sequence[str], written: Written) -> Any:
    """Return a frame whose scores are probabilities, without rows in which a value is missing where these are dropped.

    What is changed or left out is counted in a pass of its own.
    """
    schema = frame.collect_schema()
    scaled = {name: written.scaled(nw.col(name).cast(nw.Float64)) for name in probs}
    frame = frame.with_columns(**scaled)
    if written.drops:
        absent = {name: _is_absent(name, schema[name]) for name in names}
        flags = {f"absent{place}": flag for place, flag in enumerate(absent.values())}
        n, dropped, *counts = _count(frame, {"any": any_of([*absent.values()]), **flags})
        written.say_dropped({f"column {name!r}": count for name, count in zip(absent, counts, strict=True)}, dropped, n)
        frame = frame.filter(~any_of([*absent.values()]))
    if written.clip:
        n, *counts = _count(frame, {name: ~is_score(nw.col(name)) & ~nw.col(name).is_nan() for name in probs})
        for name, count in zip(probs, counts, strict=True):
            written.say_clipped(count, n, f"column {name!r}")
        frame = frame.with_columns(*(nw.col(name).clip(0.0, 1.0) for name in probs))
    return frame


def _count(frame: Any, flags: Mapping[str, Any]) -> list[int]:
    """Return the number of rows, and how many have each flag."""
    ones = {name: nw.when(flag).then(nw.lit(1)).otherwise(nw.lit(0)) for name, flag in flags.items()}
    sums = [nw.col(name).sum() for name in ones]
    table = _collected(frame.select(**ones).select(nw.len().alias("n"), *sums))
    return [int(np.nan_to_num(table[name][0])) for name in ("n", *ones)]


def _label(frame: Any, dtype: Any, columns: FrameColumns) -> tuple[Any, ClassRows]:
    """Return the label as a number, 1 for the positive class, and 0 or -1 for the other; null where it is missing.

    The second is what is to be known of labels of more than two classes.
    """
    column = nw.col(columns.label)
    if columns.pos_label is None:
        if dtype == nw.Boolean:
            return column.cast(nw.Int64).cast(nw.Float64), ClassRows()
        if not dtype.is_numeric():
            raise ValueError(
                f"label column {columns.label!r} must be labelled 0 and 1, -1 and 1, or False and True unless "
                f"pos_label says which class is positive; got {dtype}"
            )
        return column.cast(nw.Float64), ClassRows()
    positive = as_label(columns.pos_label, dtype, "pos_label", columns.label)
    column = comparable(columns.label, dtype)
    others = [one for one in _distinct(frame.select(y=column)) if one != positive]
    if len(others) > 1 and not _distinct(frame.filter(column == positive).select(y=column)):
        raise ValueError(
            f"pos_label must be one of the labels in label column {columns.label!r}, [{listed(sorted(others))}]; got "
            f"{brief(columns.pos_label)}"
        )
    hit = nw.when(column == positive).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
    about = ClassRows(positive=brief(columns.pos_label)) if len(others) > 1 else ClassRows()
    return nw.when(~column.is_null()).then(hit), about


def _distinct(frame: Any) -> list[Any]:
    """Return the first distinct values of a frame of one column."""
    rows = frame.unique().head(LISTED)
    return [one for one in rows.lazy().collect()["y"].to_list() if not is_missing(one)]


def _faults(schema: Mapping[str, Any], columns: FrameColumns) -> list[tuple[Any, str, str]]:
    """Return what may be wrong with a row of a frame of this schema, how it is called, and in which column it is."""
    p, y, w = nw.col("p"), nw.col("y"), nw.col("w")
    probs = [columns.prob] if isinstance(columns.prob, str) else columns.prob
    prob = f"column{'s' if len(probs) > 1 else ''} {', '.join(map(repr, probs))}"
    label = f"column {columns.label!r}"
    faults = [
        (p.is_null() | p.is_nan(), "a score that is missing or NaN", prob),
        (~is_score(p), "a score outside [0, 1]", prob),
        (y.is_null() | y.is_nan(), "a label that is missing", label),
        ((y.abs() != 1.0) & (y != 0.0), "a label that is not among the classes", label),
    ]
    for place, name in enumerate(columns.by):
        by = f"by{place}"
        faults.append((_is_absent(by, schema[by]), "no value of the segment", f"column {name!r}"))
    for new, name in columns.of_groups.items():
        faults.append((_is_absent(new, schema[new]), "no group", f"column {name!r}"))
    if "w" in schema:
        weight = f"column {columns.weight!r}"
        faults.append((w.is_null() | w.is_nan(), "a weight that is missing or NaN", weight))
        faults.append((~w.is_between(0.0, HUGE), "a weight that is negative or infinite", weight))
    return faults


def _is_absent(name: str, dtype: Any) -> Any:
    column = nw.col(name)
    return column.is_null() | column.is_nan() if dtype.is_float() else column.is_null()


def _with_key(rows: Any, resolution: Resolution) -> Any:
    """Add the key of the cell, as `Resolution.keys` gives it, and what is to be summed.

    Labels are cut at 2, so that a column of something else makes few groups. Scores outside of (0, 1) are in the cells
    of 0 and 1; `raw` keeps them as they are, to tell what is none from what misses [0, 1] by a rounding.
    """
    p, w, q = nw.col("p").clip(0.0, 1.0), nw.col("w"), nw.col("q")
    weighted = "w" in rows.collect_schema()
    inside = (p > 0.0) & (p < 1.0)
    made = {
        "p": p,
        "raw": nw.col("p"),
        "q": nw.when(inside).then(p).otherwise(nw.lit(0.5)),
        "y": nw.col("y").clip(-2.0, 2.0),
    }
    if weighted:
        absent = w == 0.0
        made["y"] = nw.when(absent).then(nw.lit(ABSENT)).otherwise(made["y"])
        made |= {"w2": w * w, "wp": w * p}
        small = nw.when(w.abs() < EXACT_COUNT).then(w).otherwise(nw.lit(0.0))  # SQL has no floor of huge numbers
        made["broken"] = nw.when(small == small.floor()).then(nw.lit(0.0)).otherwise(nw.lit(1.0))
    rows = rows.with_columns(**made)
    if resolution.exact:
        return _at_one_key(rows, nw.col("p") + 0.0, weighted)
    fine = float(resolution.fine)
    logit = ((q / (1.0 - q)).log() * fine).floor()
    ends = nw.when(p <= 0.0).then(nw.lit(float(-FLOOR))).otherwise(nw.lit(float(FLOOR)))
    key = (nw.when(inside).then(logit).otherwise(ends) + float(FLOOR)) * float(WIDTH) + (
        q * float(resolution.fine)
    ).floor()
    if resolution.edges:
        key = key * float(len(resolution.edges) + 1) + _place(p, resolution.edges, 0)
    return _at_one_key(rows, key, weighted)


def _at_one_key(rows: Any, key: Any, weighted: bool) -> Any:
    """Add the key; rows of weight 0 have one, so that they make a group for each segment and no more."""
    return rows.with_columns(key=nw.when(nw.col("w") == 0.0).then(nw.lit(0.0)).otherwise(key) if weighted else key)


def _place(p: Any, edges: Sequence[float], below: int) -> Any:
    """Return how many edges are at or below the score, as a balanced tree of comparisons."""
    if not edges:
        return nw.lit(float(below))
    middle = len(edges) // 2
    lower, upper = _place(p, edges[:middle], below), _place(p, edges[middle + 1 :], below + middle + 1)
    return nw.when(p >= edges[middle]).then(upper).otherwise(lower)


def _grouped(rows: Any, segments: list[str]) -> Any:
    """Return counts, sums and ends by segment, cell and label. What is bad shows in them: nothing is asked of a row."""
    sums = [nw.col("p").sum().alias("wp")]
    if "w" in rows.collect_schema():
        sums = [nw.col(name).sum().alias(name) for name in ("w", "w2", "wp", "broken")]
        sums += [
            nw.col("w").count().alias("weights"),
            nw.col("w").min().alias("least"),
            nw.col("w").max().alias("most"),
        ]
    if SUM in rows.collect_schema():
        off = nw.when((nw.col(SUM) - 1.0).abs() > ADDS_UP).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        rows = rows.with_columns(off=off)
        sums += [nw.col("off").sum(), nw.col(SUM).min().alias("least_sum"), nw.col(SUM).max().alias("most_sum")]
    raw = nw.col("raw")
    ends = [raw.min().alias("low"), raw.max().alias("high"), raw.count().alias("scores")]
    return rows.group_by(*segments, "key", "y").agg(nw.len().alias("n"), *sums, *ends)


def _collected(grouped: Any, segments: Sequence[str] = (), of_groups: Sequence[str] = ()) -> dict[str, Any]:
    """Return the columns as arrays, with NaN where a number is missing, and those of segments as lists of values.

    Columns of groups, which may be long, stay arrays where they hold whole numbers, and become arrays of values else.
    """
    native = grouped.to_native()
    columns: dict[str, Any]
    if hasattr(native, "fetchnumpy"):  # of DuckDB, which then needs no other library
        schema, columns = grouped.collect_schema(), native.fetchnumpy()
    else:
        frame = grouped.lazy().collect()
        schema, columns = frame.schema, {name: frame[name].to_numpy() for name in frame.columns}
    made: dict[str, Any] = {}
    for name, column in columns.items():
        if name in of_groups:
            made[name] = group_values(column, schema[name])
        else:
            is_segment = name in segments
            made[name] = segment_values(column, schema[name]) if is_segment else _unmasked(np.ma.asarray(column))
    return made


def _unmasked(column: Any) -> Any:
    """Return a masked array of numbers as a plain one, with NaN where it is masked."""
    mask = np.ma.getmaskarray(column)
    return np.where(mask, np.nan, np.ma.getdata(column)) if mask.any() else np.ma.getdata(column)


def _without_absent(table: dict[str, Any], segments: list[str]) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Return the table without the groups of rows of weight 0, and the segments that these have."""
    absent = np.asarray(table["y"], dtype=np.float64) == ABSENT
    if not absent.any():
        return table, []
    each = [[table[name][row] for name in segments] for row in np.flatnonzero(absent)]
    kept = np.flatnonzero(~absent)
    left = {name: [column[row] for row in kept] if name in segments else column[kept] for name, column in table.items()}
    return left, [tuple(values) for values in each if None not in values]


def _has_bad(table: Mapping[str, Any], segments: list[str]) -> bool:
    """Return whether any row cannot be read, by what it does to the sums and ends of its group."""
    if not table["n"].size:
        return False
    numbers = {name: np.asarray(column, dtype=np.float64) for name, column in table.items() if name not in segments}
    bad = (numbers["scores"] < numbers["n"]) | ~is_score(numbers["low"]) | ~is_score(numbers["high"])
    bad |= np.isnan(numbers["wp"]) | ~np.isin(numbers["y"], (-1.0, 0.0, 1.0))
    if "w" in table:
        bad |= (numbers["weights"] < numbers["n"]) | ~(numbers["least"] >= 0.0) | ~(numbers["most"] <= HUGE)
        bad |= np.isnan(numbers["w"])
    return bool(bad.any()) or any(_has_none(table[name]) for name in segments)


def _has_none(values: Any) -> bool:
    """Return whether a value of segments or groups is missing."""
    return None in values if isinstance(values, list) else values.dtype == object and None in values.tolist()


#: what is said where sums show a fault that no row has: statistics of a Parquet file hide NaN from DuckDB
UNSEEN = "some hold NaN, which the engine finds in no row; DuckDB finds it after SET parquet_can_have_nan = true"


def refuse_bad(frame: Any, columns: FrameColumns, row: str = ROW, file: str = "") -> None:
    """Raise ValueError with the number of rows that have each fault, the first one of a row, and where they stand.

    Parameters
    ----------
    frame : frame of narwhals
    columns : FrameColumns
    row, file : str
        Columns that say the number of a row in its file, from 0, and the file; without a column of that name rows have
        no numbers.
    """
    if columns.reduction == "classwise":  # which has a row for each class; this one finds the same faults
        columns = replace(columns, reduction="confidence")
    if isinstance(frame, nw.DataFrame) and ROW not in frame.columns:
        frame = frame.with_row_index(ROW)
    places = [name for name in (row, file) if name in frame.collect_schema()]
    rows, *_ = _rows_of(frame, columns, places=places)
    faults = _faults(rows.collect_schema(), columns)
    code = nw.lit(len(faults))
    for at, (fault, _, _) in reversed(list(enumerate(faults))):
        code = nw.when(fault).then(nw.lit(at)).otherwise(code)
    first = [nw.col(row).min().alias("first")] if row in places else []
    files = [file] if file in places else []
    grouped = rows.with_columns(fault=code.cast(nw.Int64)).group_by("fault", *files).agg(nw.len().alias("n"), *first)
    table = _collected(grouped, files)
    counts: dict[int, int] = {}
    for at, n in zip(table["fault"], table["n"], strict=True):
        counts[int(at)] = counts.get(int(at), 0) + int(n)
    found = [
        f"{counts[at]:,} {'row has' if counts[at] == 1 else 'rows have'} {text} in {column}"
        f"{_first_of(at, counts[at], table, file)}"
        for at, (_, text, column) in enumerate(faults)
        if at in counts
    ]
    counting = " (rows counted from 1)" if first else ""
    raise BadRowsError(
        f"frame must hold labels, scores and weights that can be read: of {sum(counts.values()):,} rows "
        f"{'; '.join(found) or UNSEEN}{counting if found else ''}",
        columns,
    )


def _first_of(fault: int, n: int, table: Mapping[str, Any], file: str) -> str:
    """Return where the first of n rows with a fault stands, in words, or "" where rows have no numbers."""
    if "first" not in table:
        return ""
    having = np.flatnonzero(np.asarray(table["fault"]) == fault)
    names = table[file] if file in table else [""] * len(table["fault"])
    name, number = min((names[row], int(table["first"][row])) for row in having)
    return f"{' at' if n == 1 else ', the first at'} row {number + 1}{f' of {name}' if name else ''}"


def _check_labels(table: Mapping[str, Any]) -> None:
    """Raise ValueError where there are no rows, or where labels 0 and -1 both stand for the negative class."""
    if not table["n"].size:
        raise ValueError("frame must have rows" + (" of positive weight" if "w" in table else "") + ", got none")
    n, y = np.asarray(table["n"], dtype=np.float64), np.asarray(table["y"], dtype=np.float64)
    zeros, minus = int(n[y == 0.0].sum()), int(n[y == -1.0].sum())
    if minus and zeros:
        raise ValueError(f"the label column must have at most two classes, got -1 in {minus:,} rows and 0 in {zeros:,}")


def _split(
    table: Mapping[str, Any], segments: list[str], resolution: Resolution, empty: Sequence[tuple[Any, ...]] = ()
) -> Iterator[tuple[tuple[Any, ...], CellSums]]:
    """Yield the segments with their cells; those whose rows all have weight 0, `empty` among others, have none."""
    if not segments:
        yield (), _sums(table, np.arange(table["key"].size), resolution)
        return
    places = _rows_by_segment([table[name] for name in segments])
    for values in empty:
        places.setdefault(values, np.empty(0, dtype=np.intp))
    if len(places) > MOST_SEGMENTS:
        raise ValueError(f"by must give at most {MOST_SEGMENTS:,} segments, got {len(places):,}")
    for values in sorted(places, key=lambda one: tuple((str(type(each)), each) for each in one)):
        rows = places[values]
        yield values, _sums(table, rows, resolution) if rows.size else CellSums.none()


def _rows_by_segment(columns: Sequence[list[Any]]) -> dict[tuple[Any, ...], IntArray]:
    """Return the rows of the table that each segment has, by the values of the columns that make it."""
    joint = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        codes: dict[Any, int] = {}
        code = np.array([codes.setdefault(value, len(codes)) for value in column], dtype=np.intp)
        joint = np.unique(joint * max(len(codes), 1) + code, return_inverse=True)[1]  # stays as small as the rows many
    if not joint.size:
        return {}
    order = np.argsort(joint, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(joint[order])) + 1)
    return {tuple(column[rows[0]] for column in columns): rows for rows in parts}


def _sums(table: Mapping[str, Any], rows: Any, resolution: Resolution) -> CellSums:
    """Return the cells that stand in some rows of the table, which are of one label each.

    Rows with a class among several that share the largest score are right in a share, and wrong with the rest.
    """
    positive = np.asarray(table["y"], dtype=np.float64)[rows] > 0.0
    ids, group = ordered_ids(table[GROUP][rows]) if resolution.by_group else (None, np.zeros(rows.size, dtype=np.intp))
    right = 1.0 / np.asarray(table[WAYS], dtype=np.float64)[rows] if WAYS in table else np.ones(rows.size)
    parts = [(~positive, 0, np.ones(rows.size)), (positive, 1, right), (positive & (right < 1.0), 0, 1.0 - right)]
    each = [
        _of_label(table, rows[chosen], label, share[chosen], resolution, ids, group[chosen])
        for chosen, label, share in parts
        if chosen.any()
    ]
    sums = replace(CellSums.joined(each), class_rows=_class_rows(table, rows, positive & (right < 1.0)))
    check_total(float(sums.w.sum()), "weight")
    return sums


def _class_rows(table: Mapping[str, Any], rows: Any, split: BoolArray) -> ClassRows:
    """Return what is to be known of rows of a score for each class."""
    if "off" not in table:
        return ClassRows()
    n = np.asarray(table["n"], dtype=np.int64)[rows]
    tied = np.asarray(table[WAYS])[rows] > 1.0 if WAYS in table else np.zeros(rows.size, dtype=bool)
    return ClassRows(
        int(n.sum()),
        int(n[tied].sum()),
        int(n[split].sum()),
        int(np.asarray(table["off"])[rows].sum()),
        float(np.asarray(table["least_sum"])[rows].min()),
        float(np.asarray(table["most_sum"])[rows].max()),
        weighted="w" in table,
    )


def _of_label(
    table: Mapping[str, Any],
    rows: Any,
    label: int,
    share: FloatArray,
    resolution: Resolution,
    ids: Any,
    group: IntArray,
) -> CellSums:
    """Return the cells that stand in rows of one label, with a share of their weight, and with their groups if any."""
    order = np.lexsort((group, table["key"][rows]))
    rows, group, share = rows[order], group[order], share[order]

    def numbers(name: str) -> FloatArray:
        return np.asarray(table[name][rows], dtype=np.float64)

    def of_both(values: FloatArray) -> FloatArray:
        return np.where(np.arange(2) == label, values[:, None], 0.0)  # squares may be infinite until they are refused

    key, n = numbers("key") + 0.0, numbers("n")
    w, w2, whole = n, n, True
    if "w" in table:
        w, w2, whole = numbers("w"), numbers("w2"), not numbers("broken").any()
    sums = CellSums(
        key=key.view(np.int64) if resolution.exact else key.astype(np.int64),
        low=np.clip(numbers("low"), 0.0, 1.0) + 0.0,
        high=np.clip(numbers("high"), 0.0, 1.0) + 0.0,
        rows=of_both(n).astype(np.int64) if np.all(share == 1.0) else of_both(n * share),
        w=of_both(w * share),
        w2=of_both(w2 * share**2),
        wp=numbers("wp") * share,
        whole=whole and bool(np.all(share == 1.0)),
    )
    return sums if ids is None else sums.in_groups(ids, group)
