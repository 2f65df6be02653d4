"""Reading tables: columns of a data frame of any engine, or of a file, as rows or reduced to cells."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_ids, as_scores
from fitontest.data.cells.cells import Cells
from fitontest.data.cells.frame_rows import (
    column_names,
    count_rows,
    distinct_labels,
    frame_columns,
    is_lazy,
    is_without_rows,
)
from fitontest.data.cells.plain_names import with_plain_names
from fitontest.data.cells.segments import samples_of_cells
from fitontest.data.class_columns import read_class_order
from fitontest.data.columns import Names
from fitontest.data.group_hint import GroupHint
from fitontest.data.read import Data, read_arrays
from fitontest.data.reading.group_columns import find_group_column
from fitontest.data.row_groups import combined_ids
from fitontest.data.simplex_sample import CANONICAL
from fitontest.data.two_columns import check_few_columns
from fitontest.data.weights import WeightType, check_kind
from fitontest.data.written import PLAIN, Written, counting_from, taken_rows
from fitontest.results.checks import as_names, brief, check_name, choose
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import ArrayInput, IntArray, Label

CellsWanted: TypeAlias = Literal["auto", "always", "never"]
CELLS = ("auto", "always", "never")
WRITTEN = ("scale", "clip", "missing")
MOST_IN_MEMORY = 1_000_000  # rows, beyond which "auto" reads cells


@dataclass(frozen=True)
class Table:
    """A data frame or a file, and which of its columns hold what.

    Attributes
    ----------
    source : data frame, str or Path
    label : str
    probs : tuple of str
    weight : str or None
    by : tuple of str
        Columns whose values make segments.
    groups : tuple of str
        The columns that say which rows belong together: those that share the values of all.
    names : Names
        What messages call the columns and the arguments.
    layout : Layout or None
        How a CSV file is written; None of a frame.
    written : Written
        How the scores are written, and what becomes of rows in which a value is missing.
    """

    source: Any
    label: str
    probs: tuple[str, ...]
    weight: str | None
    by: tuple[str, ...]
    groups: tuple[str, ...]
    names: Names
    layout: Any = None
    written: Written = PLAIN

    @classmethod
    def of(cls, source: Any, columns: dict[str, Any], names: Names, layout: dict[str, Any]) -> "Table":
        """Return the table after a check of the names of its columns.

        Parameters
        ----------
        source : data frame, str or Path
        columns : dict
            What the caller passed as label, prob, weight, by and groups.
        names : Names
            What the caller calls the arguments.
        layout : dict
            What the caller passed of how a CSV file is written, and how scores are.

        Raises
        ------
        ValueError
            Names that are missing, or there twice.
        """
        is_file = isinstance(source, str | Path)
        if not is_file:
            source, columns = with_plain_names(source, columns)
        label, prob, weight, by, groups = (columns[name] for name in ("label", "prob", "weight", "by", "groups"))
        if label is None or prob is None:
            what = "file" if is_file else "data frame"
            raise ValueError(
                f"label and prob must both name a column of the {what} passed as {names.y_true}, got "
                f"label={label!r} and prob={brief(prob)}"
            )
        probs = (prob,) if isinstance(prob, str) or not isinstance(prob, Iterable) else tuple(prob)
        for argument, one in (("label", label), ("weight", weight), *((_prob(names), one) for one in probs)):
            check_name(one, argument)
        if len(set(probs)) < len(probs):
            raise ValueError(f"{_prob(names)} must name every column once, got {', '.join(map(str, probs))}")
        segments, of_groups = as_names(by, names.by), as_names(groups, names.groups)
        called = replace(
            names,
            y_true=f"label column {label!r}",
            y_prob=_of_scores(probs[0]) if len(probs) == 1 else _prob(names),
            sample_weight=f"weight column {weight!r}",
            groups=_of_groups(of_groups[0]) if of_groups else names.groups,
            columns=probs if len(probs) > 1 else None,
        )
        said = {name: value for name, value in layout.items() if value is not None}
        written = Written(**{name: said.pop(name) for name in WRITTEN if name in said})
        given = said
        for name, value in given.items():
            if not is_file:
                raise ValueError(f"{name} must be left out of a data frame, got {value!r}")
        how = _layout(given, written) if is_file else None
        return cls(source, label, probs, weight, segments, of_groups, called, how, written)

    def read(
        self,
        weights: WeightType,
        reduction: str | None,
        labels: ArrayInput,
        pos_label: Label | None,
        cells: CellsWanted,
    ) -> Data:
        """Return the rows, or the cells of them, as samples.

        Parameters
        ----------
        weights, reduction, labels, pos_label, cells
            As for `fitontest.data.reading.read.read`.
        """
        check_kind(weights, self.names.weights, has_weights=self.weight is not None)
        if reduction is None:
            check_few_columns(self.names, len(self.probs), 1)
        if self.is_reduced_to_cells(cells, reduction):
            made, _ = self.read_cells(weights, reduction, labels, pos_label)
            return samples_of_cells(made, self.by, reduction)
        values = self._columns()
        rows = self._kept(values)
        with self._naming_lines(), counting_from(rows):
            values = taken_rows(values, rows)
            column = values["label"]
            data = read_arrays(
                column,
                self._scores([values[key] for key in self._keys(self.probs, "prob")]),
                values.get("weight"),
                weights=weights,
                reduction=reduction,
                labels=None if labels is None else [self._typed(one, column, self.names.labels) for one in labels],
                pos_label=self._typed(pos_label, column, self.names.pos_label),
                by={name: values[key] for name, key in zip(self.by, self._keys(self.by, "by"), strict=True)} or None,
                groups=self._groups([values[key] for key in self._keys(self.groups, "groups")]),
                names=self.names,
            )
        if self.groups:
            return data.with_hint(GroupHint(combined=self.groups)) if len(self.groups) > 1 else data
        named = (self.label, *self.probs, *self.by, *(() if self.weight is None else (self.weight,)))
        column = find_group_column(self.source, data, dict(zip(named, named, strict=True)), self.layout, rows)
        return data.with_hint(GroupHint(self.names.groups, column))

    def kept_rows(self) -> IntArray | None:
        """Return the rows that are not left out, as `read` leaves rows out; None: all of them."""
        with without_warnings():
            return self._kept(self._columns()) if self.written.drops else None

    def _kept(self, values: dict[str, Any]) -> IntArray | None:
        return self.written.kept_rows(dict(zip(self._called(), values.values(), strict=True)))

    @property
    def _is_file(self) -> bool:
        return isinstance(self.source, str | Path)

    def is_reduced_to_cells(self, cells: CellsWanted, reduction: str | None) -> bool:
        """Return whether the rows are reduced to cells while they are read.

        Parameters
        ----------
        cells, reduction
            As for `fitontest.data.reading.read.read`.
        """
        choose(cells, CELLS, "cells")
        refused = "'canonical'" if reduction == CANONICAL else None
        if self._is_file:
            wanted = _file_needs_cells(self.source, cells, allowed=refused is None)
        elif cells == "auto" and refused is None:
            wanted = is_lazy(self.source) or count_rows(self.source) > MOST_IN_MEMORY
        else:
            wanted = cells == "always"
        if wanted and refused is not None:
            raise ValueError(f"cells must not be 'always' with {refused}, which needs whole rows")
        return wanted

    def _columns(self) -> dict[str, Any]:
        """Return the columns by what the arguments are called: arrays of a file, and of a frame its own."""
        wanted = {"label": self.label, **dict(zip(self._keys(self.probs, "prob"), self.probs, strict=True))}
        wanted |= {} if self.weight is None else {"weight": self.weight}
        numbers = [key for key in wanted if key != "label"]
        wanted |= dict(zip(self._keys(self.by, "by"), self.by, strict=True))
        wanted |= dict(zip(self._keys(self.groups, "groups"), self.groups, strict=True))
        if self._is_file:
            from fitontest.data.files.tables import read_columns  # imports DuckDB, which arrays do without

            return dict(read_columns(Path(self.source), wanted, numbers, self.layout))
        found = frame_columns(self.source, ((key.partition(" ")[0], name) for key, name in wanted.items()))
        return {key: found[name] for key, name in wanted.items()}

    def _groups(self, columns: Sequence[Any]) -> Any:
        """Return the ids of groups, of several columns their combinations; None without any."""
        if len(columns) < 2:
            return columns[0] if columns else None
        return combined_ids(
            [as_ids(column, _of_groups(name)) for name, column in zip(self.groups, columns, strict=True)]
        )

    def _scores(self, columns: Sequence[Any]) -> Any:
        """Return the column of scores, or the matrix of several."""
        each = [self.written.scores(column, _of_scores(prob)) for prob, column in zip(self.probs, columns, strict=True)]
        if len(each) == 1:
            return each[0]
        return np.column_stack(
            [as_scores(column, _of_scores(prob)) for prob, column in zip(self.probs, each, strict=True)]
        )

    def _called(self) -> list[str]:
        """Return what messages call the columns, in the order in which they are read."""
        weight = () if self.weight is None else (self.names.sample_weight,)
        by = (f"{self.names.by} column {name!r}" for name in self.by)
        return [self.names.y_true, *map(_of_scores, self.probs), *weight, *by, *map(_of_groups, self.groups)]

    @staticmethod
    def _keys(names: Sequence[str], argument: str) -> list[str]:
        """Return what messages call columns that one argument names."""
        return [argument] if len(names) == 1 else [f"{argument} {name}" for name in names]

    def _naming_lines(self) -> AbstractContextManager[None]:
        """Say the line of a CSV file where a value is refused in the block."""
        if not self._is_file:
            return nullcontext()
        from fitontest.data.files.tables import naming_lines

        weight = () if self.weight is None else (self.weight,)
        named = (self.label, *self.probs, *weight, *self.by, *self.groups)
        return naming_lines(Path(self.source), dict(zip(self._called(), named, strict=True)), self.layout)

    def _typed(self, label: Any, column: Any, argument: str) -> Any:
        """Return a label in the type of the column of labels: in a file every label is written as a text."""
        return read_label(label, column, argument) if self._is_file and isinstance(label, str) else label

    def read_cells(
        self,
        weights: WeightType,
        reduction: str | None,
        labels: ArrayInput,
        pos_label: Label | None,
        *,
        exact: bool = False,
    ) -> tuple[Any, ArrayInput]:
        """Return the cells of the rows, of each segment in a dict, and the classes of the columns of a matrix.

        Parameters
        ----------
        weights, reduction, labels, pos_label
            As for `fitontest.data.reading.read.read`.
        exact : bool, default=False
            Whether each distinct score has a cell of its own.
        """
        if reduction is not None or isinstance(pos_label, str):
            known = self._distinct_labels()
            pos_label = self._typed(pos_label, known, self.names.pos_label)
            if labels is not None:
                labels = [self._typed(one, known, self.names.labels) for one in labels]
            elif reduction is not None:
                labels = read_class_order(self.probs, known.tolist(), _prob(self.names), self.names.labels)
        elif labels is not None:
            raise ValueError(
                f"{self.names.labels} must be left out unless {self.names.reduction} is given, got {labels!r}"
            )
        if self._is_file:
            self.layout.refuse_for("Parquet")
        make: Any = Cells.of_file if self._is_file else Cells.of_frame
        cells = make(
            self.source,
            label=self.label,
            prob=self.probs[0] if reduction is None else list(self.probs),
            weight=self.weight,
            by=list(self.by) or None,
            pos_label=pos_label,
            reduction=reduction,
            labels=labels,
            weights=weights,
            groups=self.groups or None,
            exact=exact,
            written=self.written,
        )
        return cells, labels

    def has_no_rows(self) -> bool:
        """Return whether the table has all columns that are named, and no row."""
        named = (self.label, *self.probs, *self.by, *self.groups, *(() if self.weight is None else (self.weight,)))
        if self._is_file:
            return _file_has_no_rows(self.source, dict(zip(named, named, strict=True)), self.layout)
        return set(named) <= set(column_names(self.source)) and is_without_rows(self.source)

    def _distinct_labels(self) -> NDArray[Any]:
        """Return the labels that occur, in order."""
        if not self._is_file:
            return np.array(distinct_labels(self.source, self.label))
        from fitontest.data.files.parquet import distinct_in_parquet

        return distinct_in_parquet(self.source, "label", self.label)


def read_label(text: str, labels: NDArray[Any], argument: str) -> Label:
    """Return a label that is written as a text in the type of the labels of a file.

    Parameters
    ----------
    text : str
        What was written.
    labels : array
        Labels of the file.
    argument : str
        What the caller calls the argument.

    Raises
    ------
    ValueError
        A text for labels that are numbers, or true and false.
    """
    if labels.dtype.kind == "b":
        from fitontest.data.files.text_columns import BOOLEANS

        if text.lower() not in BOOLEANS:
            raise ValueError(f"{argument} must be one of {', '.join(BOOLEANS)} for true/false labels, got {text!r}")
        return BOOLEANS[text.lower()]
    if np.issubdtype(labels.dtype, np.number):
        try:
            return int(text) if labels.dtype.kind in "iu" and text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            raise ValueError(f"{argument} must be a number for a column of numbers, got {text!r}") from None
    return text


def _file_needs_cells(path: str | Path, cells: CellsWanted, *, allowed: bool) -> bool:
    """Return whether a file is read as cells: a pattern always, other files of Parquet if asked, or if they are large.

    `allowed` is whether "auto" may ask for cells.
    """
    from fitontest.data.files.kinds import is_parquet
    from fitontest.data.files.parquet import count_rows_in_parquet, is_pattern

    if is_pattern(path) and not Path(path).exists():
        if not str(path).lower().endswith((".parquet", ".pq")):
            raise ValueError(f"path must be one file unless it is a pattern of Parquet files, got {path}")
        if cells == "never":
            raise ValueError(f"path must be one file with cells='never', got the pattern {path}")
        return True
    if not is_parquet(Path(path)):
        if cells == "always":
            raise ValueError(f"path must be Parquet with cells='always', got {path}")
        return False
    return cells == "always" or (cells == "auto" and allowed and count_rows_in_parquet(path) > MOST_IN_MEMORY)


def _file_has_no_rows(path: str | Path, wanted: dict[str, str], layout: Any) -> bool:
    """Return whether a file, or all that fit a pattern, have the columns and no row."""
    from fitontest.data.files.kinds import is_parquet
    from fitontest.data.files.parquet import count_rows_in_parquet, is_pattern
    from fitontest.data.files.tables import read_columns

    if is_pattern(path) and not Path(path).exists():
        return count_rows_in_parquet(path) == 0
    if is_parquet(Path(path)) and count_rows_in_parquet(path):
        return False
    return not any(column.size for column in read_columns(Path(path), wanted, (), layout, no_rows=True).values())


def _layout(given: dict[str, Any], written: Written) -> Any:
    """Return how a file and its scores are written, as far as that is said."""
    from fitontest.data.files.layout import Layout

    return Layout(**given, written=written)


def _prob(names: Names) -> str:
    """Return what the caller calls the argument that names the columns of scores."""
    return "prob" if names.y_prob == "y_prob" else names.y_prob


def _of_groups(column: str) -> str:
    return f"group column {column!r}"


def _of_scores(column: str) -> str:
    return f"prob column {column!r}"
