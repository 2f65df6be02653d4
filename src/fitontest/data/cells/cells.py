"""Cells: any number of rows as counts and sums by score cell, from arrays, frames of any engine, files, or streams.

One pass over the rows makes about ten thousand cells of them. Cells of parts of the data add up to the cells of all,
and are a sample like any other: every measure, family, interval and diagram takes them.
"""

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_ids
from fitontest.data.cells.cell_sums import FINE, MIXED, MOST_EDGES, WIDTH, CellSums, Resolution, added_up
from fitontest.data.cells.frames import BadRowsError, FrameColumns, as_frame, refuse_bad, sums_by_segment
from fitontest.data.cells.group_ids import ordered_ids
from fitontest.data.cells.plain_names import with_plain_names
from fitontest.data.class_rows import NOT_OF_CLASSES, ClassRows
from fitontest.data.columns import NAMES, Columns, Names
from fitontest.data.counted_sample import CountedSample
from fitontest.data.ordering import Rows
from fitontest.data.reading.options import OfRows
from fitontest.data.row_groups import GROUP, places_of_rows, ranks_of_groups
from fitontest.data.sample import NO_FACTS, changed
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import (
    EXACT_COUNT,
    WEIGHT_TYPES,
    WeightType,
    are_plausible,
    check_kind,
    check_total,
    in_doubt,
    read_weights,
)
from fitontest.data.written import PLAIN, Written
from fitontest.results.checks import as_names, brief, choose, is_real, is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.frames import Backend, Records, records, to_frame
from fitontest.results.options import spell_out
from fitontest.results.serialising import as_text, from_text
from fitontest.results.several import CLASS, Kind
from fitontest.results.text import count, percent, short
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, IntArray, Label

SCHEMA = 1
IDS = "groups"  # what groups are called, in JSON
CLASS_ROWS = "class_rows"  # what is known of rows of a score for each class, in JSON
BY_GROUP_BLOCK = 1_000_000  # rows that are put into cells by group together
ROUNDING = 1e-6  # of sums over very many rows, as engines add them up
FEW_CELLS = 0.001  # share of the pairs of rows that may be tied by cells alone before the user is told
BY_CHANCE = 10.0  # rows, times which that share may be as large: of few rows a pair or two are near by chance
TINY = 1e-300  # where squares of weights are rounded to 0
_CAUTION: tuple[WeightType, ...] = ("counts", "auto", "importances")  # what the sum of two takes is the later one
COLUMNS = ("low", "high", "rows_0", "rows_1", "weight_0", "weight_1", "squares_0", "squares_1", "weighted_scores")


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Compact summary of any number of scored rows: counts, scores and labels summed over tiny ranges of the score.

    Each range is a cell of the score; the cells stand in place of the rows.

    A cell is an interval of scores of about 1/1024 in probability and 1/1024 in logit, so that rare and certain
    scores are told apart too; there are 10,000 to 40,000 of them, however many the rows are. A cell counts its rows by
    label and sums their weights, squared weights and scores. As a sample it stands for its rows at their mean score.
    Everything that takes ``(y_true, y_prob)`` takes cells in place of the first, without the second.

    Parameters
    ----------
    sums : CellSums
        The counts and sums.
    resolution : Resolution
        Which scores share a cell. Users make cells by `of`, `of_frame`, `of_file`, `from_json` and `from_frame`.
    weights : {"auto", "counts", "importances"}, default="auto"
        What the weights mean. "auto" is decided by the sums of all cells, each time that the cells are measured: counts
        where all weights are whole numbers and the rows stand for 10 rows each at most, on average.

    Attributes
    ----------
    n : int
        Rows of positive weight.
    total : float
        Sum of their weights.
    exact : bool
        Whether each distinct score has a cell of its own, so that nothing is lost but the order of the rows.
    edges : tuple of float
        Scores at which a cell ends beside the usual ones.
    groups : array of shape (K,) or None
        The groups that rows belong to, where the cells are by group.

    Notes
    -----
    What cells lose is the place of a score inside its cell. Errors by equal width in a power of two of at most 1024
    bins, or with the borders as `edges`, are those of the rows to rounding, as is everything where a cell holds one
    distinct score (scores of 16 bits, scores of few values, ``exact=True``). Other l1 and l2 errors of a million rows
    differ from those of the rows by less than a tenth of a thousandth (`benchmarks/scale_accuracy.py`). This does not
    hold for the largest gap (``norm="max"``), for TCE, for what is chosen by cross-validation, whose folds are drawn
    anew, nor for k nearest neighbours, of which a cell has too many: there is a `CalibrationWarning`, and one where
    more than .1 % (by group .8 %) of the pairs of rows share a cell of several scores. How many values the scores have
    is not kept, so that the probabilistic count is refused. Below 100,000 rows take ``exact=True``, which loses nothing
    and is small then.

    Cross-validation splits the rows behind a cell as it would split rows: the counts of a fold are drawn from the
    multivariate hypergeometric distribution.

    With `groups` the rows of each group have cells of their own, of intervals eight times as wide (of 1/128), because
    there may be as many cells as groups times intervals; the sums of groups are then known, and folds hold out whole
    groups. The mean score of a cell is that of the rows of all groups in its interval.

    Cells add up: ``a + b`` and ``sum(parts)`` are the cells of all rows, whatever the order, counts exactly and sums to
    rounding. An error of a sum, and its interval, are of all rows together, not of each part: where the calibration
    drifts in time, periods with errors of opposite sign cancel.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> days = []
    >>> for _ in range(3):
    ...     p = rng.random(1000)
    ...     days.append(fot.Cells.of(rng.random(1000) < p**1.3, p))
    >>> cells = sum(days)
    >>> cells
    Cells(n=3,000 in 2,435 cells, share of positives 0.443)
    >>> round(float(fot.calibration_error(cells, family="beta")), 4)
    0.0632
    """

    kind: ClassVar[None] = None  # what keys would be, of which there are none

    sums: CellSums
    resolution: Resolution
    weights: WeightType = "auto"

    def __post_init__(self) -> None:
        if not isinstance(self.sums, CellSums) or not isinstance(self.resolution, Resolution):
            raise ValueError("Cells are made by Cells.of(y_true, y_prob), of_frame, of_file, from_json or from_frame")

    @classmethod
    def of(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput,
        sample_weight: ArrayInput = None,
        *,
        pos_label: Label | None = None,
        weights: WeightType = "auto",
        edges: ArrayInput = (),
        exact: bool = False,
        groups: ArrayInput = None,
    ) -> "Cells":
        """Return the summary of labels and scores, of one batch for example.

        Parameters
        ----------
        y_true, y_prob, sample_weight, pos_label
            As for `calibration_error`. Batches without a row make cells without rows, which change no sum.
        weights : {"auto", "counts", "importances"}, default="auto"
            What the weights mean, see `Cells`.
        edges : sequence of float, optional
            Borders of bins inside (0, 1), at which cells end too. A score that equals one counts above it.
        exact : bool, default=False
            Give each distinct score its own cell: for scores that have few values.
        groups : array-like of shape (n,), optional
            What each row belongs to, such as a patient or a hospital: ids of any kind that can be hashed. The cells are
            then by group.

        Returns
        -------
        Cells
            The counts and sums of the rows.

        Raises
        ------
        ValueError
            As for `calibration_error`; edges that are not inside (0, 1).

        Examples
        --------
        >>> import fitontest as fot
        >>> cells = fot.Cells.of([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.3], groups=["b", "a", "a", "c"])
        >>> cells
        Cells(n=4 in 4 cells of 3 groups, share of positives 0.500)
        >>> cells.sample().groups.rows.tolist()
        [1, 2, 1]
        >>> sum([fot.Cells.of([0, 1], [0.2, 0.9]), fot.Cells.of([], [])])
        Cells(n=2 in 2 cells, share of positives 0.500)
        """
        resolution = read_resolution(edges, exact, by_group=groups is not None)
        check_kind(weights, has_weights=sample_weight is not None)
        given = [column for column in (sample_weight, groups) if column is not None]
        if all(map(_is_empty, (y_true, y_prob, *given))):
            return cls(CellSums.none(), resolution, weights)
        w = sample_weight
        if w is not None:  # "auto" is decided by all cells that will be added to these
            w = read_weights(w, "sample_weight", "importances" if weights == "auto" else weights, rescale=False)
        sample = ScoreSample.of_columns(Columns.read(y_true, y_prob, w, groups=groups), y_prob, pos_label)
        return cls(sums_of_sample(sample, resolution), resolution, weights)

    @classmethod
    @spell_out("sample_weight")
    def of_frame(
        cls,
        frame: Any,
        *,
        label: str,
        prob: str | Sequence[str],
        weight: str | None = None,
        by: str | Sequence[str] | None = None,
        edges: ArrayInput = (),
        exact: bool = False,
        written: Written = PLAIN,
        **options: Unpack[OfRows],
    ) -> Any:
        """Return the summary of a data frame, eager or lazy, of any engine; of each segment with `by`.

        The rows are read once, by the engine: nothing but the cells comes into memory.

        Parameters
        ----------
        frame : data frame
            Of pandas, polars (eager or lazy), pyarrow, DuckDB (a relation), Dask or PySpark.
        label, prob : str
            The columns of labels and scores; with `reduction` the columns of scores of all classes.
        weight : str, optional
            The column of weights. A row of weight 0 is absent, whatever else it holds.
        by : str or list of str, optional
            Columns whose values make segments: texts, numbers, booleans, dates or times. Timestamps with a time zone
            become those of UTC.
        reduction : {"confidence", "classwise", "binary"}, optional
            How several columns of scores are read, see `calibration_error`.
        labels : sequence, optional
            The class of each column of `prob`, needed with `reduction`.
        edges, exact
            As for `of`.
        groups : str or list of str, optional
            The column of what each row belongs to, such as a hospital; of what `by` may hold. Of several columns rows
            belong together that share the values of all.
        written : Written, optional
            How scores are written, and what becomes of rows in which a value is missing.

        Returns
        -------
        Cells, or ClassCells with ``reduction="classwise"``
            With `by` a dict from the value of the segment, a tuple for several columns, to these. A segment whose rows
            all have weight 0 has cells without rows.

        Raises
        ------
        ValueError
            Columns that are missing or do not hold what they should; rows that cannot be read, with a count of each
            reason; no rows.

        Examples
        --------
        >>> import polars, fitontest as fot
        >>> frame = polars.LazyFrame({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9], "region": ["a", "b", "b"]})
        >>> fot.Cells.of_frame(frame, label="y", prob="p", by="region")["b"].n
        2
        """
        reading: dict[str, Any] = dict(options)
        weights, groups = reading.pop("weights"), reading.pop("groups")
        reduction, labels = reading["reduction"], reading["labels"]
        resolution = read_resolution(edges, exact, by_group=groups is not None)
        check_kind(weights, has_weights=weight is not None)
        named: dict[str, Any] = {"label": label, "prob": prob, "weight": weight, "by": by, "groups": groups}
        frame, named = with_plain_names(frame, named)
        label, prob, weight = named["label"], named["prob"], named["weight"]
        segments, of_groups = as_names(named["by"], "by"), as_names(named["groups"], "groups")
        columns = FrameColumns(label, prob, weight, segments, **reading, groups=of_groups, written=written)
        each = sums_by_segment(frame, columns, resolution)
        if weights == "counts" and not all(sums.whole for sums in each.values()):
            raise ValueError(f"weight column {weight!r} must hold whole numbers with weights='counts'")
        found = {key: cls(sums, resolution, weights) for key, sums in each.items()}
        rows = [sums.class_rows for key, sums in each.items() if reduction != "classwise" or key[0] == "0"]
        sum(rows, NOT_OF_CLASSES).warn()
        made: dict[Any, Any] = dict(found)
        if reduction == "classwise":
            made = _by_class(found, list(labels or ()), cls(CellSums.none(), resolution, weights))
        if not segments:
            return made[()]
        return {key[0] if len(segments) == 1 else key: cells for key, cells in made.items()}

    @classmethod
    def of_file(cls, path: str | Path, **columns: Any) -> Any:
        """Return the summary of a Parquet file, or of all files that fit a pattern such as ``"scores/*.parquet"``.

        DuckDB reads them, in a memory that does not grow with the rows.

        Parameters
        ----------
        path : str or Path
            A pattern may name folders such as ``"scores/day=*/*.parquet"``; their values are columns, here ``day``.
        **columns
            As for `of_frame`.

        Returns
        -------
        Cells, or ClassCells with ``reduction="classwise"``
            With `by` a dict of these, as `of_frame` returns.

        Raises
        ------
        ValueError
            No such file, no Parquet; and as for `of_frame`.
        """
        from fitontest.data.files.parquet import (  # imports DuckDB, which cells of arrays do without
            FILE_NAME,
            ROW_NUMBER,
            is_pattern,
            parquet_rows,
        )

        with parquet_rows(path) as rows:
            try:
                return cls.of_frame(rows, **columns)
            except BadRowsError as error:
                bad, known = error, rows.columns
        if not {ROW_NUMBER, FILE_NAME} & set(known):  # columns that DuckDB adds
            with parquet_rows(path, numbered=True) as rows:
                refuse_bad(as_frame(rows), bad.columns, ROW_NUMBER, FILE_NAME if is_pattern(path) else "")
        raise bad

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded: each distinct score is kept by itself."""
        return self.resolution.exact

    @property
    def edges(self) -> tuple[float, ...]:
        """Scores at which a range ends beside the usual ones."""
        return self.resolution.edges

    @property
    def by_group(self) -> bool:
        """Whether counts are kept by group."""
        return self.resolution.by_group

    @property
    def groups(self) -> Any:
        """What the groups of rows are called, where counts are kept by group; None where they are not."""
        if not self.resolution.by_group:
            return None
        return np.empty(0, dtype=object) if self.sums.ids is None else self.sums.ids

    @cached_property
    def n(self) -> int:
        """Rows of positive weight."""
        return self.sums.n

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.sums.w.sum())

    @property
    def whole(self) -> bool:
        """Whether the weights are counts of rows."""
        return _could_count(self) and (self.weights == "counts" or are_plausible(self.total, self.n))

    @property
    def doubtful(self) -> bool:
        """Whether the weights are whole numbers so large that "auto" takes them for importances, not for counts."""
        return _could_count(self) and not self.whole

    @property
    def base_rate(self) -> float:
        """Weighted share of positives."""
        _refuse_no_rows(self)
        return float(self.sums.w[:, 1].sum() / self.total)

    def __len__(self) -> int:
        return len(self.sums)

    def __add__(self, other: object) -> "Cells":
        if is_whole(other) and other == 0:  # where sum() starts
            return self
        if not isinstance(other, Cells):
            return NotImplemented
        if other.resolution.by_group != self.resolution.by_group:
            raise ValueError(MIXED)
        if other.resolution != self.resolution:
            raise ValueError(
                f"cells must have one resolution to be added, got {_in_words(self.resolution)} and "
                f"{_in_words(other.resolution)}"
            )
        sums = CellSums.added((self.sums, other.sums))
        return _of_sums(sums, self.resolution, _joint_kind(self, other))

    __radd__ = __add__

    def discounted(self, factor: float) -> "Cells":
        """Return the summary with all weights times a factor in (0, 1], so that older rows count less than newer ones.

        Weights are then importances. The rows of a label in a cell are dropped, and `n` counts
        them no longer, once their weight is less than 1e-30 of the total. A factor of 1 changes nothing.

        Parameters
        ----------
        factor : float
            In (0, 1].

        Raises
        ------
        ValueError
            Another factor.
        """
        if not is_real(factor) or not 0.0 < factor <= 1.0:
            raise ValueError(f"factor must be a number in (0, 1], got {factor!r}")
        if factor == 1.0:
            return self
        weights: WeightType = "auto" if self.weights == "counts" else self.weights  # no whole numbers: importances
        return _of_sums(self.sums.scaled(float(factor)), self.resolution, weights)

    def sample(self) -> ScoreSample:
        """Return the summary as data that every function of this package takes.

        Each cell gives two entries, at its mean score, that stand for its rows.
        """
        return self._made

    @cached_property
    def _made(self) -> ScoreSample:
        return _make_sample(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-ready values."""
        facts = {"schema": SCHEMA, "exact": self.exact, "edges": list(self.edges), "whole": self.sums.whole}
        facts["weights"] = self.weights
        if self.sums.class_rows.n:
            facts[CLASS_ROWS] = self.sums.class_rows.to_dict()
        columns = {name: column.tolist() for name, column in columns_of(self.sums).items()}
        if self.groups is not None:
            columns |= {GROUP: [] if self.sums.group is None else self.sums.group.tolist(), IDS: self.groups.tolist()}
        return {**facts, **columns}

    def to_json(self) -> str:
        """Return the summary as JSON text, from which `from_json` makes the same one bit by bit.

        Raises
        ------
        ValueError
            Groups that are called by something else than texts, numbers, booleans and tuples of these.
        """
        values = self.to_dict()
        parts = [part for each in values.get(IDS, ()) for part in (each if isinstance(each, tuple) else (each,))]
        strange = [part for part in parts if not isinstance(part, str | int | float | bool)]
        if strange:
            raise ValueError(
                f"groups must be texts, numbers, booleans or tuples of these to be written as JSON, got "
                f"{brief(strange[0])}"
            )
        return as_text(values, "cells")

    @classmethod
    def from_json(cls, text: str) -> "Cells":
        """Return the summary that `to_json` wrote.

        Parameters
        ----------
        text : str
            What `to_json` wrote.

        Raises
        ------
        ValueError
            Text that is not of cells.
        """
        values = from_text(text, "text")
        values = {"weights": "auto", **values} if isinstance(values, dict) else values  # which older texts lack
        wanted = {"schema", "exact", "edges", "whole", "weights", "key", *COLUMNS}
        if set(values) - {CLASS_ROWS} not in (wanted, wanted | {GROUP, IDS}):
            raise ValueError(f"text must hold cells, with the keys {sorted(wanted)}, got {brief(sorted(values))}")
        if not is_whole(values["schema"]) or values["schema"] != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, got {brief(values['schema'])}")
        groups = (values[IDS], values[GROUP]) if IDS in values else None
        how = (values["exact"], values["edges"], values["whole"], values["weights"])
        found = _cells_of_columns(values, *how, None if groups is None else _ids_by_code(*groups))
        rows = ClassRows.from_dict(values[CLASS_ROWS]) if CLASS_ROWS in values else NOT_OF_CLASSES
        return replace(found, sums=replace(found.sums, class_rows=rows))

    def to_records(self) -> Records:
        """Return a record for each range of scores, and where counts are kept by group for each group in it."""
        columns = columns_of(self.sums)
        if self.groups is not None:
            columns[GROUP] = self.groups[self.sums.group] if len(self) else []
        return records(**columns)

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return a data frame with a row for each range of scores, to be written to Parquet, for example.

        What the weights mean, and the resolution, are not in it: `from_frame` is told. Cells by group have a column
        ``"group"``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the frame.

        Raises
        ------
        ValueError
            Cells without rows, of which `to_json` keeps all there is.
        """
        _refuse_no_rows(self)
        return to_frame(self.to_records(), backend)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        exact: bool = False,
        edges: ArrayInput = (),
        whole: bool = True,
        weights: WeightType = "auto",
    ) -> "Cells":
        """Return the summary kept in a data frame that `to_frame` made.

        Parameters
        ----------
        frame : data frame
            What `to_frame` returned, or the same read from a file.
        exact, edges
            As the cells were made.
        whole : bool, default=True
            Whether all weights were whole numbers, or there were none.
        weights : {"auto", "counts", "importances"}, default="auto"
            What the weights mean, as the cells were made.

        Raises
        ------
        ValueError
            A frame that is not of cells; sums that do not belong together, such as weights that are no whole numbers
            without ``whole=False``.
        """
        columns = {}
        for name in ("key", *COLUMNS):
            try:
                columns[name] = np.asarray(frame[name])
            except (KeyError, LookupError, TypeError, ValueError) as error:
                raise ValueError(f"frame must have the column {name!r}, as Cells.to_frame makes it") from error
        ids = as_ids(frame[GROUP], GROUP) if GROUP in as_frame(frame).columns else None
        return _cells_of_columns(columns, exact, edges, whole, weights, ids)

    def __repr__(self) -> str:
        if not self.n:
            return "Cells(no rows)"
        weights = "" if isclose(self.total, self.n, rel_tol=1e-12) else f", total weight {count(self.total)}"
        weights += f" of {self.weights}" if weights and self.weights != "auto" else ""
        groups = "" if self.groups is None else f" of {len(self.groups):,} group{'s' if len(self.groups) > 1 else ''}"
        return (
            f"Cells(n={self.n:,} in {len(self):,} cells{groups}{weights}, share of positives {short(self.base_rate)})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ClassCells(Mapping[Label, Cells]):
    """Compact summary of any number of scored rows of several classes, each class against the rest.

    The cells are what ``reduction="classwise"`` keeps of a matrix of scores.

    A mapping from the class to its cells, in the order of the columns. It stands in place of the labels wherever
    ``reduction="classwise"`` is taken.

    Parameters
    ----------
    cells : dict
        From each class to its cells.
    names : Names, optional
        What the caller calls the arguments, for error messages; by default their usual names.

    Attributes
    ----------
    classes : list of length K
        The classes, in the order of the columns.

    Examples
    --------
    >>> import pandas, fitontest as fot
    >>> frame = pandas.DataFrame({"y": ["a", "b", "a"], "a": [0.8, 0.4, 0.6], "b": [0.2, 0.6, 0.4]})
    >>> columns = {"label": "y", "prob": ["a", "b"], "labels": ["a", "b"]}
    >>> cells = fot.Cells.of_frame(frame, reduction="classwise", **columns)
    >>> list(cells), cells["a"].n
    (['a', 'b'], 3)
    """

    cells: Mapping[Label, Cells]
    classes: list[Label] = field(init=False)
    names: Names = NAMES
    keeps_rows = False  # that is, which scores belong to one row
    kind: ClassVar[Kind] = CLASS  # of the keys

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", list(self.cells))
        if len({cells.groups is None for cells in self.cells.values()}) > 1:
            raise ValueError("cells must be by group of every class, or of none")

    @property
    def n(self) -> int:
        """Rows of positive weight, which the classes share."""
        return next(iter(self.cells.values())).n

    @property
    def size(self) -> int:
        """Scores of all classes together."""
        return sum(cells.n for cells in self.cells.values())

    def against_rest(self, column: int) -> ScoreSample:
        """Return the summary of one class against the rest.

        Parameters
        ----------
        column : int
            The place of the class in `classes`, from 0.
        """
        return self.cells[self.classes[column]].sample()

    def __getitem__(self, label: Label) -> Cells:
        return self.cells[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __add__(self, other: object) -> "ClassCells":
        if is_whole(other) and other == 0:
            return self
        if not isinstance(other, ClassCells):
            return NotImplemented
        if other.classes != self.classes:
            raise ValueError(f"cells must be of the same classes to be added, got {self.classes} and {other.classes}")
        return ClassCells({label: cells + other[label] for label, cells in self.cells.items()})

    __radd__ = __add__

    def discounted(self, factor: float) -> "ClassCells":
        """Return the summary with all weights times a factor in (0, 1], see `Cells.discounted`.

        Parameters
        ----------
        factor : float
            In (0, 1]; 1 changes nothing.

        Raises
        ------
        ValueError
            Another factor.
        """
        return ClassCells({label: cells.discounted(factor) for label, cells in self.cells.items()}, self.names)

    def __repr__(self) -> str:
        return f"ClassCells({len(self)} classes, n={self.n:,})"


def _is_empty(column: object) -> bool:
    """Return whether a column is a sequence, array or series without a value."""
    return isinstance(column, Sized) and not isinstance(column, str | bytes | Mapping) and len(column) == 0


def _refuse_no_rows(cells: Cells) -> None:
    """Raise ValueError for cells without rows, of which nothing can be said."""
    if not cells.n:
        raise ValueError("cells must have rows, got none")


def _make_sample(cells: Cells) -> ScoreSample:
    """Return the sample of two entries per cell, with a warning where cells lose much."""
    _refuse_no_rows(cells)
    sums, whole = cells.sums, cells.whole
    p, y = np.repeat(sums.p, 2), np.tile([0.0, 1.0], len(sums))
    w = sums.w.ravel()
    w2 = w if whole else sums.w2.ravel()
    present = np.flatnonzero(sums.rows.ravel())
    columns: list[Any] = [column[present] for column in (p, y, w, sums.parts.ravel(), w2)]
    group = None if sums.group is None else np.repeat(sums.group, 2)[present]
    if group is not None or np.any(np.diff(columns[0]) <= 0):  # logarithms of engines may differ in the last bit
        order = np.lexsort((columns[2], columns[1], columns[0]))
        columns = [column[order] for column in columns]
        group = None if group is None else group[order]
    facts = NO_FACTS
    if group is not None and sums.ids is not None:
        order = _by_rank(group, *columns[:3])
        columns, facts = [column[order] for column in columns], {GROUP: sums.ids[group[order]]}
    together = sums.ungrouped
    several = together.low < together.high
    pooled = bool(several.any())
    sample = CountedSample(Rows(*columns), whole=whole, has_pooled_scores=pooled, doubtful=cells.doubtful, facts=facts)
    sample = changed(sample, n=cells.n, rows_each=_rows_each(sums), class_rows=sums.class_rows)
    _warn_of_few_cells(together, several, cells.total, FINE / cells.resolution.fine)
    if cells.doubtful:
        warn_user(in_doubt("weights of cells", cells.total, cells.n), CalibrationWarning)
    return sample


def _rows_each(sums: CellSums) -> IntArray | None:
    """Return the rows of each distinct mean score, where entries are parts of rows."""
    if not sums.class_rows.split:
        return None
    place = np.unique(sums.p, return_inverse=True)[1]
    return np.rint(np.bincount(place, sums.rows.sum(axis=1))).astype(np.intp)


def _by_rank(group: IntArray, p: FloatArray, y: FloatArray, w: FloatArray) -> IntArray:
    """Return the order of sorted entries in which equal ones are in the order of their groups, whatever their names."""
    place = places_of_rows(p, y, w)
    return np.lexsort((ranks_of_groups(group, place)[group], place))


def _warn_of_few_cells(sums: CellSums, several: BoolArray, total: float, wider: float) -> None:
    """Warn where many pairs of rows share one of the cells that hold several scores; `wider`: times the usual ones."""
    shared = float(np.sum((sums.w[several].sum(axis=1) / total) ** 2)) if several.any() else 0.0
    alone = float(np.sum(sums.w2 / total**2))  # one over the effective rows
    if shared > max(FEW_CELLS * wider, BY_CHANCE * alone):
        warn_user(
            f"few cells hold most of the rows: of pairs of rows {percent(shared)} share a cell, whose scores "
            "differ. What depends on their order is not that of the rows, such as AUC, TCE and bins that cut a "
            "cell; Cells made with exact=True, or with edges inside these cells, lose less",
            CalibrationWarning,
        )


def sums_of_sample(sample: ScoreSample, resolution: Resolution) -> CellSums:
    """Return the counts and sums of the rows of a sample, which belong to its groups where cells are by group."""
    found = _sums_of_parts(sample, resolution) if sample.split is not None else _sums_of_rows(sample, resolution)
    return replace(found, class_rows=sample.class_rows)


def _sums_of_parts(sample: ScoreSample, resolution: Resolution) -> CellSums:
    """Return those of rows of which some are split."""
    given, at = sample.split.given, sample.split.at
    groups = None
    if resolution.by_group:
        ids, code = ordered_ids(given.facts[GROUP])
        groups = ids, code[at]
    return CellSums.of_rows(given.p[at], sample.split.y, sample.split.w, resolution, groups, sample.split.share)


def _sums_of_rows(sample: ScoreSample, resolution: Resolution) -> CellSums:
    if not resolution.by_group:
        return added_up(CellSums.of_rows(*block, resolution) for block in sample.blocks())
    ids, code = ordered_ids(sample.facts[GROUP])
    starts = range(0, code.size, BY_GROUP_BLOCK)
    p, y, w = sample.p, sample.y, None if sample.unit else sample.w
    pieces = (slice(start, start + BY_GROUP_BLOCK) for start in starts)
    return added_up(
        CellSums.of_rows(p[at], y[at], None if w is None else w[at], resolution, (ids, code[at])) for at in pieces
    )


def _ids_by_code(ids: object, code: object) -> NDArray[Any]:
    """Return the group of each cell, of a list of ids and a list of their places in it."""
    known = np.empty(len(ids) if isinstance(ids, list) else 0, dtype=object)
    known[:] = (
        [tuple(each) if isinstance(each, list) and len(each) > 1 else each for each in ids]
        if isinstance(ids, list)
        else []
    )
    try:
        hash(tuple(known))
        place = np.asarray(code if np.size(code) else np.empty(0, dtype=np.intp))  # type: ignore[arg-type]
        if place.dtype.kind not in "iu" or _holds_booleans(code) or place.ndim != 1:
            raise TypeError("they are no whole numbers")
        if place.size and not 0 <= int(place.min()) <= int(place.max()) < known.size:
            raise ValueError("they are not places in groups")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"group must hold places in the list of groups, got {brief(code)} and {brief(ids)}") from error
    return np.asarray(known[place])


def _cells_of_columns(
    values: Mapping[str, Any], exact: object, edges: Any, whole: object, weights: Any, ids: NDArray[Any] | None
) -> Cells:
    """Return the cells of columns that come from outside, or refuse them; `ids` has the group of each."""
    resolution = read_resolution(edges, exact, by_group=ids is not None)
    if not isinstance(whole, bool):
        raise ValueError(f"whole must be True or False, got {brief(whole)}")
    choose(weights, WEIGHT_TYPES, "weights")
    if weights == "counts" and not whole:
        raise ValueError("weights must not be 'counts' where they are not whole numbers, got whole=False")
    empty = all(np.ndim(values[name]) == 1 and np.size(values[name]) == 0 for name in ("key", *COLUMNS))
    sums = CellSums.none() if empty else checked_sums(values, whole, resolution, ids)
    return _of_sums(sums, resolution, weights)


def columns_of(sums: CellSums) -> dict[str, Any]:
    """Return the columns in which cells are stored, by name."""
    columns: dict[str, Any] = {"key": sums.key, "low": sums.low, "high": sums.high}
    for name, of_labels in (("rows", sums.rows), ("weight", sums.w), ("squares", sums.w2)):
        columns |= {f"{name}_{label}": of_labels[:, label] for label in (0, 1)}
    return {**columns, "weighted_scores": sums.wp}


def _could_count(cells: Cells) -> bool:
    """Return whether the weights of cells are whole numbers that may count rows."""
    return cells.sums.whole and cells.total <= EXACT_COUNT and cells.weights != "importances"


def read_resolution(edges: ArrayInput, exact: object, *, by_group: bool = False) -> Resolution:
    """Return which scores share a cell, or refuse what says no such thing."""
    if not isinstance(exact, bool | np.bool_):
        raise ValueError(f"exact must be True or False, got {brief(exact)}")
    try:
        values = np.asarray(edges)
        if values.dtype.kind in "USb":  # numpy makes numbers of texts such as "0.5"
            raise TypeError(f"they are of dtype {values.dtype}")
        if values.ndim != 1:
            raise ValueError("they are no sequence")
        values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"edges must be a sequence of numbers, got {brief(edges)}") from error
    values = np.unique(values)
    if values.size and not (values[0] > 0.0 and values[-1] < 1.0):
        raise ValueError(f"edges must lie inside (0, 1), got {brief(edges)}")
    if values.size > MOST_EDGES:
        raise ValueError(f"edges must be at most {MOST_EDGES}, got {values.size}; exact=True keeps every score")
    if exact and values.size:
        raise ValueError("edges must be left out with exact=True, which keeps every score")
    return Resolution(bool(exact), tuple(values.tolist()), by_group)


def _joint_kind(one: Cells, other: Cells) -> WeightType:
    """Return what the weights of the sum mean: what is said of those of both; cells of weight one agree with any."""
    weighted: list[WeightType] = [cells.weights for cells in (one, other) if cells.total != cells.n]
    if {"counts", "importances"} <= set(weighted):
        raise ValueError("cells must have one meaning of weights to be added, got counts and importances")
    if not weighted:
        return "auto"
    kind = max(weighted, key=_CAUTION.index)
    return kind if kind != "counts" or (one.sums.whole and other.sums.whole) else "auto"


def _of_sums(sums: CellSums, resolution: Resolution, weights: WeightType = "auto") -> Cells:
    """Return the cells, or refuse a total weight that cannot be reckoned with; no cells are cells."""
    if len(sums):
        with np.errstate(over="ignore"):
            total = float(sums.w.sum())
        check_total(total, "the weights of cells")
    return Cells(sums, resolution, weights)


def _by_class(
    found: Mapping[tuple[Any, ...], Cells], labels: list[Label], none: Cells
) -> dict[tuple[Any, ...], ClassCells]:
    """Return the cells of the classes of each segment, from those by class and segment."""
    segments = dict.fromkeys(key[1:] for key in found)
    return {
        segment: ClassCells({one: found.get((str(k), *segment), none) for k, one in enumerate(labels)})
        for segment in segments
    }


def _in_words(resolution: Resolution) -> str:
    if resolution.exact:
        return "exact scores"
    return f"cells with {len(resolution.edges)} more edges" if resolution.edges else "the usual cells"


def _holds_booleans(column: object) -> bool:
    return isinstance(column, list) and any(isinstance(one, bool) for one in column)


def checked_sums(values: Mapping[str, Any], whole: bool, resolution: Resolution, ids: NDArray[Any] | None) -> CellSums:
    """Return cells that come from outside, or refuse them."""
    columns: dict[str, Any] = {}
    for name in ("key", *COLUMNS):
        whole_numbers = name == "key" or (whole and name in ("rows_0", "rows_1"))
        try:
            column = np.asarray(values[name])
            if column.dtype.kind in "USb" or _holds_booleans(values[name]):  # numpy makes numbers of these
                raise TypeError("they are texts or booleans")
            columns[name] = column if whole_numbers and column.dtype.kind in "iu" else column.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{name} must hold numbers, got {brief(values[name])}") from error
        if columns[name].shape != columns["key"].shape or columns[name].ndim != 1 or not columns[name].size:
            raise ValueError(f"{name} must be one column of numbers, as long as the others, got {brief(values[name])}")
        if not np.isfinite(columns[name]).all() or (name != "key" and columns[name].min() < 0):
            raise ValueError(f"{name} must hold finite numbers, none negative, got {brief(values[name])}")
        if whole_numbers:
            if columns[name].dtype.kind == "f" or columns[name].max() > np.iinfo(np.int64).max:
                raise ValueError(f"{name} must hold whole numbers below 2^63, got {brief(values[name])}")
            columns[name] = columns[name].astype(np.int64)
    groups = None if ids is None else _checked_groups(ids, columns["key"])
    low, high, step = columns["low"], columns["high"], np.diff(columns["key"])
    if np.any(step <= 0 if groups is None else step < 0) or np.any(low > high) or high.max() > 1:
        raise ValueError("cells must be in the order of their scores, low <= high <= 1 in each")
    _check_keys(columns["key"], low, high, resolution)

    for name in ("rows_0", "rows_1"):
        if np.all(columns[name] == np.floor(columns[name])):  # else rows are split between tied classes
            columns[name] = columns[name].astype(np.int64)

    def paired(name: str) -> Any:
        return np.stack((columns[f"{name}_0"], columns[f"{name}_1"]), axis=1)

    sums = CellSums(
        columns["key"],
        low,
        high,
        paired("rows"),
        paired("weight"),
        paired("squares"),
        columns["weighted_scores"],
        whole,
    )
    _check_weights(sums)
    if groups is None:
        return sums
    names, group = groups
    order = np.lexsort((group, sums.key))
    return sums.at(order).in_groups(names, group[order])


def _checked_groups(ids: NDArray[Any], key: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Return the groups in order, and the place of each cell's among them, or refuse them."""
    if ids.shape != key.shape:
        raise ValueError(f"group must be one column, as long as the others, got {ids.size} for {key.size} cells")
    names, group = ordered_ids(as_ids(ids, GROUP))
    order = np.lexsort((group, key))
    if np.any((np.diff(key[order]) == 0) & (np.diff(group[order]) == 0)):
        raise ValueError("group must differ among the cells of one key, got one group there twice")
    return names, group


def _check_keys(key: IntArray, low: FloatArray, high: FloatArray, resolution: Resolution) -> None:
    """Raise ValueError where cells are not at their keys; the logarithms of engines may differ by a last bit."""
    above = len(resolution.edges) + 1
    step = 0 if resolution.exact else WIDTH * above
    wrong = (np.abs(resolution.keys(low) - key) > step) | (np.abs(resolution.keys(high) - key) > step)
    if resolution.edges:
        wrong |= np.searchsorted(resolution.edges, low, side="right") != key % above
        wrong |= np.searchsorted(resolution.edges, high, side="right") != key % above
    if wrong.any():
        raise ValueError("key must be that of the scores low and high; exact and edges must be those of the cells")


def _check_weights(sums: CellSums) -> None:
    """Raise ValueError where rows, weights, squares and scores of cells cannot belong together."""
    rows, w, w2 = sums.rows, sums.w, sums.w2
    has_parts = not sums.whole and (rows.dtype.kind == "f" or np.allclose(rows, w, rtol=ROUNDING))
    if np.any((rows == 0) != (w == 0)) or np.any(rows.sum(axis=1) == 0):
        raise ValueError("every cell must have rows, and weight for a label where it has rows of it, and only there")
    if sums.whole and (np.any(w != np.floor(w)) or np.any(w < rows)):
        raise ValueError("whole must be False where weights are not whole numbers that count rows, got True")
    with np.errstate(over="ignore", under="ignore"):
        squares = w * w
        least = squares / np.maximum(rows, 1)
    too_small = not has_parts and np.any(w2 * (1 + ROUNDING) + TINY < least)  # the parts of a row are smaller
    if np.any(w2 > squares * (1 + ROUNDING) + TINY) or too_small:
        raise ValueError("squares must lie between weight^2 / rows and weight^2, as sums of the squares of weights do")
    weight = w.sum(axis=1)
    beyond = ROUNDING * weight * sums.high + TINY
    if np.any(sums.wp < weight * sums.low - beyond) or np.any(sums.wp > weight * sums.high + beyond):
        raise ValueError("weighted_scores must lie between weight times low and weight times high")
