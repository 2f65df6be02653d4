"""The rows of a batch as counts and sums, from whatever holds them: arrays, a frame, a file, cells, what was read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fitontest.data.arrays import count_columns
from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.cells.cells import Cells, ClassCells, sums_of_sample
from fitontest.data.cells.frame_rows import frame_in_words
from fitontest.data.columns import NAMES, Names
from fitontest.data.predictions import REDUCTIONS
from fitontest.data.reading.read import read
from fitontest.data.reading.table import Table
from fitontest.data.repeated_rows import Repeats
from fitontest.data.row_groups import GROUP
from fitontest.data.sample import Sample
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.data.weights import WeightType
from fitontest.monitor.batches.exponents import check_cells, check_weights, counted
from fitontest.monitor.batches.layout import CLASSWISE, Layout
from fitontest.results.checks import as_plain, brief
from fitontest.results.several import CLASS, MODEL, SEGMENT

READ = (Cells, ClassCells, ScoreSample, SimplexSample, Mapping)
COLUMNS = ("label", "prob", "weight", "by", "groups")
CONFIDENCE = "confidence"
_TAKEN = ", ".join(map(repr, REDUCTIONS))


@dataclass(frozen=True)
class BatchFile:
    """A file of rows that is not written as usual, or whose arguments have other names where it comes from.

    Attributes
    ----------
    path : Path
    layout : mapping from str to object
        How CSV is written: sep, encoding, decimal and max_unpacked of `fitontest.data.reading.read.read`.
    names : Names
        What messages call the arguments.
    """

    path: Path
    layout: Mapping[str, Any]
    names: Names


@dataclass(frozen=True, eq=False)
class BatchRows:
    """The rows of a batch by cell, with their weights as they were given, and their groups.

    Attributes
    ----------
    together : CellSums
        Of all rows; of several classes those of all classes.
    parts : mapping from key to CellSums
        Of the segments or the classes that have rows; empty without any.
    holds : mapping from str to object
        What the batch tells of its layout, see `Layout.after`; nothing of a batch without rows.
    """

    together: CellSums = field(default_factory=CellSums.none)
    parts: Mapping[Any, CellSums] = field(default_factory=dict)
    holds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Rows; of classes, each against the rest, those of all classes."""
        return self.together.n

    @classmethod
    def of_one(cls, sums: CellSums, holds: Mapping[str, Any]) -> "BatchRows":
        """Return the rows of one stream."""
        return cls(sums, {}, holds) if len(sums) else cls()

    @classmethod
    def of_several(cls, sums: Mapping[Any, CellSums], holds: Mapping[str, Any]) -> "BatchRows":
        """Return the rows of several streams by their keys."""
        parts = {as_plain(key): each for key, each in sums.items() if len(each)}
        return cls(CellSums.added([*parts.values()]), parts, holds) if parts else cls()


def read_rows(layout: Layout, y_true: Any, y_prob: Any, given: Mapping[str, Any], *, hint: bool = False) -> BatchRows:
    """Return the rows of a batch; none of an empty one.

    Parameters
    ----------
    layout : Layout
        What is known of all batches.
    y_true, y_prob : object
        As for `Monitor.update`.
    given : mapping from str to object
        The other columns of `Monitor.update`: sample_weight, groups, by, label, prob and weight.
    hint : bool, default=False
        Whether rows that look like copies, and columns that look like groups, are warned of.
    """
    if isinstance(y_true, READ):
        where = f"where y_true is {type(y_true).__name__}, which is made already: say it where that is made"
        _refuse({"y_prob": y_prob, **given}, where)
        if isinstance(y_true, Sample | Samples):
            return _of_samples(y_true, layout, {}, hint=hint)
        return _of_cells(y_true, layout, {})
    named = {name: given[name] for name in ("label", "prob", "weight")}
    is_alone = y_prob is None or any(name is not None for name in named.values())
    if isinstance(y_true, str | Path | BatchFile) or (is_alone and frame_in_words(y_true) is not None):
        _refuse({"y_prob": y_prob, "sample_weight": given["sample_weight"]}, "where y_true is a data frame or a file")
        return _of_table(y_true, layout, given, hint=hint)
    _refuse(named, "unless y_true is a data frame or a file")
    if _has_no_rows(y_true) and (y_prob is None or _has_no_rows(y_prob)):
        return BatchRows()
    return _of_arrays(y_true, y_prob, layout, given, hint=hint)


def _refuse(values: Mapping[str, Any], where: str) -> None:
    """Raise ValueError for the first argument that is given."""
    for name, value in values.items():
        if value is not None:
            raise ValueError(f"{name} must be left out {where}; got {brief(value)}")


def _has_no_rows(column: Any) -> bool:
    return hasattr(column, "__len__") and len(column) == 0


def _of_arrays(y_true: Any, y_prob: Any, layout: Layout, given: Mapping[str, Any], *, hint: bool) -> BatchRows:
    """Return the rows of arrays."""
    weight, groups, by = given["sample_weight"], given["groups"], given["by"]
    holds = {"by": by is not None, "groups": groups is not None, "weight": weight is not None}
    layout.after(holds)
    if isinstance(by, str):
        raise ValueError(
            f"by must have a value for each row of arrays, got the text {brief(by)}, which can name a column where "
            "y_true is a data frame or a file"
        )
    _refuse_several(count_columns(y_prob) or 1, layout, NAMES)
    kind = _kind(layout, has_weights=weight is not None)
    data = read(y_true, y_prob, sample_weight=weight, weights=kind, by=by, groups=groups, **_of_classes(layout))
    return _of_rows(data, layout, holds, NAMES.sample_weight, hint=hint)


def _of_table(source: Any, layout: Layout, given: Mapping[str, Any], *, hint: bool) -> BatchRows:
    """Return the rows of a data frame or a file, of which many are reduced to cells by its engine."""
    columns = {name: _or_known(given[name], getattr(layout, name)) for name in COLUMNS}
    if isinstance(source, BatchFile):
        table = Table.of(source.path, columns, source.names, dict(source.layout))
    else:
        table = Table.of(source, columns, NAMES, {})
    holds = {name: getattr(table, name) or False for name in ("by", "weight")}
    of_groups = table.groups[0] if len(table.groups) == 1 else table.groups or False  # as states have it
    holds |= {"label": table.label, "prob": table.probs, "groups": of_groups}
    layout.after(holds)
    _refuse_several(len(table.probs), layout, table.names)
    kind = _kind(layout, has_weights=table.weight is not None)
    try:
        if table.is_reduced_to_cells("auto", layout.reduction):
            labels, positive = layout.labels, layout.pos_label
            cells, classes = table.read_cells(kind, layout.reduction, labels, positive, exact=layout.exact)
            return _of_cells(cells, layout, {**holds, **({} if classes is None else _told_classes(classes, layout))})
        data = table.read(kind, cells="never", **_of_classes(layout))
    except ValueError:
        if _is_without_rows(table):
            return BatchRows()
        raise
    return _of_rows(data, layout, holds, table.names.sample_weight, hint=hint)


def _refuse_several(columns: int, layout: Layout, names: Names) -> None:
    """Raise ValueError for scores of several columns where the monitor was not told how to read them."""
    if columns > 1 and layout.reduction is None:
        raise ValueError(
            f"{names.y_prob} must be one column unless the monitor has a {names.reduction}, one of {_TAKEN}; got "
            f"{columns} columns"
        )


def _or_known(given: Any, known: Any) -> Any:
    """Return the name of a column: the one that is given, or else that of the batches before."""
    return known if given is None and not isinstance(known, bool) else given


def _is_without_rows(table: Table) -> bool:
    """Return whether a table that could not be read has its columns and no row."""
    try:
        return table.has_no_rows()
    except ValueError:
        return False


def _kind(layout: Layout, *, has_weights: bool) -> WeightType:
    """Return as what weights are read."""
    if not has_weights:
        return "auto"
    return "counts" if layout.weights == "counts" else "importances"


def _of_classes(layout: Layout) -> dict[str, Any]:
    """Return how a matrix of scores is read: all of its classes also where confidences are wanted, to know them."""
    reduction = CLASSWISE if layout.reduction == CONFIDENCE else layout.reduction
    labels = None if layout.labels is None else [*layout.labels]
    return {"reduction": reduction, "labels": labels, "pos_label": layout.pos_label}


def _told_classes(classes: Any, layout: Layout) -> dict[str, Any]:
    """Return the classes of rows that were read as the layout has them: of a file it may name numbers by texts."""
    return {"labels": tuple(classes) if layout.labels is None else layout.labels}


def _of_rows(data: Any, layout: Layout, holds: Mapping[str, Any], weight: str, *, hint: bool) -> BatchRows:
    """Return the rows of arrays or a table that were just read; `weight` is what weights are called."""
    if hint:
        Repeats.of(data.shared).warn()
    check_weights(data.shared.w, weight, layout)
    if layout.reduction not in (CLASSWISE, CONFIDENCE):
        return _of_samples(data, layout, holds)
    holds = {**holds, **_told_classes(data.classes, layout)}
    return _of_samples(_confidences(data) if layout.reduction == CONFIDENCE else data, layout, holds)


def _confidences(data: Samples) -> Any:
    """Return the largest score of each row and whether its class is the label, of segments each by itself."""
    if data.is_by_class:
        return data.whole.confidence()
    each = {key: _confidences(part) for key, part in data.items()}
    return Samples.of_segments(each, _confidences(data.whole), data.name, data.empty, data.columns)


def _of_samples(data: Any, layout: Layout, holds: Mapping[str, Any], *, hint: bool = False) -> BatchRows:
    """Return the rows of what `read` returns."""
    if data.kind == MODEL:
        raise ValueError(f"y_true must be the scores of one model, got those of {len(data)}")
    if data.reduction != layout.reduction:
        raise ValueError(
            f"y_true must have been read with the reduction of the monitor, {layout.reduction!r}, got that of "
            f"{data.reduction!r}; a monitor takes {_TAKEN}"
        )
    shared = data.shared
    rows = shared if shared.split is None else shared.split.given
    if rows.aggregated or rows.has_pooled_scores:
        raise ValueError("y_true must be the Cells themselves, got what was read of them, which has only mean scores")
    check_weights(rows.w, "the weights of y_true", layout)
    if layout.weights == "counts" and shared.said and not shared.whole:
        raise ValueError("the weights of y_true must be counts with Monitor(weights='counts'), got importances")
    if hint:
        Repeats.of(shared).warn()
    told = {"by": data.kind == SEGMENT, "groups": GROUP in shared.facts, **holds}
    if data.kind is None:
        return BatchRows.of_one(_sums_of(data, layout), told)
    told = {"labels": tuple(data.labels), **told} if data.kind == CLASS else told
    layout.after(told)  # before a segment of several classes is taken for one of scores
    return BatchRows.of_several({key: _sums_of(data[key], layout) for key in data}, told)


def _sums_of(sample: ScoreSample, layout: Layout) -> CellSums:
    """Return the cells of rows, by group where they have groups."""
    return counted(sums_of_sample(sample, Resolution(exact=layout.exact, by_group=GROUP in sample.facts)), layout)


def _of_cells(data: Any, layout: Layout, holds: Mapping[str, Any]) -> BatchRows:
    """Return the rows of cells, of those of the classes, or of a dict by segment."""
    kind = getattr(data, "kind", SEGMENT)  # a dict is by segment
    of_classes, is_one = kind == CLASS, kind is None
    if of_classes != (layout.keys == CLASS):
        raise ValueError(
            f"y_true must be {'Cells' if of_classes else 'ClassCells'} where the reduction of the monitor is "
            f"{layout.reduction!r}, got {type(data).__name__}"
        )
    each = {None: data} if is_one else dict(data)
    for key, cells in each.items():
        _check_made(cells, "y_true" if key is None else f"y_true[{key!r}]", layout)
    each = {key: cells for key, cells in each.items() if cells.n}
    if len({cells.resolution for cells in each.values()}) > 1:
        raise ValueError("y_true must have cells of one resolution, and all by group or none of them")
    by_group = any(cells.resolution.by_group for cells in each.values())
    told = {"by": kind == SEGMENT, "groups": by_group, **holds}
    told = {"labels": tuple(data.classes), **told} if of_classes else told
    sums = {key: counted(cells.sums, layout) for key, cells in each.items()}
    if is_one:
        return BatchRows.of_one(sums.get(None, CellSums.none()), told)
    return BatchRows.of_several(sums, told)


def _check_made(cells: Any, where: str, layout: Layout) -> None:
    """Raise ValueError for what is no cells, or cells that lack what the monitor needs."""
    if not isinstance(cells, Cells):
        raise ValueError(f"{where} must be Cells, got one {type(cells).__name__}")
    if layout.exact and not cells.exact:
        raise ValueError(f"{where} must be made with exact=True, as the monitor was, got cells of several scores")
    check_cells(cells, where, layout)
