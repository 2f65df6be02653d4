"""Tables in files: reading columns, and copying a table with more columns, by DuckDB.

What is not there, or cannot be read, is refused with a clear message.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from fitontest.checks import brief, meant
from fitontest.data.places import BadValueError
from fitontest.files.csv_files import CsvFile, MalformedError, has_escaped_quotes, opened_csv
from fitontest.files.file_error import FileError
from fitontest.files.layout import STANDARD, Layout
from fitontest.files.plain_text import PACKED, member_of, plain_text
from fitontest.files.sql import name_in_sql, text_in_sql
from fitontest.files.text_columns import read_labels, read_numbers
from fitontest.files.unpacked import check_parquet_size
from fitontest.files.workbooks import read_npz, workbook_as_csv
from fitontest.results.writing import PREFIX
from fitontest.typing import FloatArray

T = TypeVar("T")

MOST_DISTINCT = 10_000  # labels
CSV = "CSV"
JSON = "JSON lines"
PARQUET = "Parquet"
NUMPY = "npz"
WORKBOOK = "xlsx"
TEXTS = {".csv": CSV, ".tsv": CSV, ".jsonl": JSON, ".ndjson": JSON}  # and these with an ending of what packs them
BINARY = {".parquet": PARQUET, ".pq": PARQUET, ".npz": NUMPY, ".xlsx": WORKBOOK}
READERS = (*TEXTS, *BINARY, *(f"{ending}{packing}" for packing in PACKED for ending in TEXTS), ".zip")
WRITERS = {  # what is between the columns of a file; nothing in Parquet
    ".csv": ",",
    ".csv.gz": ",",
    ".tsv": "\t",
    ".tsv.gz": "\t",
    ".parquet": "",
    ".pq": "",
}
_ROWS = "read_parquet(?, hive_partitioning=false)"
_JSON_ROWS = "read_json(?, format='newline_delimited', sample_size=-1, maximum_object_size=268435456)"
_CELLS = "cells"  # the table of the cells of a file of text
LINES_EACH = 2  # of a row that is looked at, at most
ROW_NUMBER = "file_row_number"  # the columns that DuckDB adds where rows are numbered
FILE_NAME = "filename"
COPIED_WITHIN = "300MB"  # of memory, where a table is copied by SQL alone
_DECIMAL_COMMA = re.compile(r"'[-+]?[0-9]*,[0-9]+'")  # a cell, as messages quote it
_THOUSANDS = re.compile(r"'[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?'")


def read_columns(
    path: Path,
    wanted: Mapping[str, str],
    numbers: Iterable[str] = (),
    layout: Layout = STANDARD,
    *,
    no_rows: bool = False,
) -> dict[str, NDArray[Any]]:
    """Return columns of a table as numpy arrays; missing entries are None, or come as masked arrays.

    Parameters
    ----------
    path : Path
        A CSV, TSV, JSON lines, Parquet or xlsx file; its ending gives the format.
    wanted : dict of str to str
        What the caller calls a column (for error messages), and the column's name in the file.
    numbers : iterable of str
        Which of them, by what the caller calls them, are to hold numbers. In a CSV file each of their cells is read as
        a number, or left as a text where it is none. The cells of other columns are read alike: as whole numbers, as
        numbers or as true and false where all of them are, and as texts otherwise.
    layout : Layout
        How a CSV file is written; nothing of it may be given for Parquet.
    no_rows : bool
        Whether a table may be without rows.

    Returns
    -------
    dict
        The arrays, by what the caller calls them.

    Raises
    ------
    ValueError
        No such file, an unknown ending, a file that is not in the format of its ending, a column that is missing or
        there twice, a table without rows.
    """
    if _kind(path) == NUMPY:
        values = _arrays(path, wanted, layout)
    else:
        with _opened_table(path, layout, wanted) as table:
            values = table.read(wanted, set(numbers))
    if not no_rows and not all(column.size for column in values.values()):
        raise FileError("path", f"must have rows, got {path}, which has no rows below its header")
    return values


@contextmanager
def naming_lines(path: Path, columns: Mapping[str, str], layout: Layout = STANDARD) -> Iterator[None]:
    """Say the line of a CSV file where a value of one of its columns is refused in the block.

    `columns` maps what messages call a column to its name in the file. Parquet has no lines, only rows.
    """
    try:
        yield
    except BadValueError as error:
        kind = _kind(path)
        if error.name not in columns or kind in (PARQUET, NUMPY):
            raise
        found, remedy = error.got, None
        if layout.decimal is None and layout.thousands is None and _DECIMAL_COMMA.search(found):
            remedy = ("decimal", "',' reads a decimal comma")
            if _THOUSANDS.search(found):
                remedy = ("decimal", "',' reads a decimal comma, and thousands ',' one between thousands")
        line, counting = _line_of(path, layout, columns, error.name, error.row), layout.first_line
        if kind != CSV:
            counting = "lines counted from 1"
        raise FileError(error.name, error.problem(f"line {line}", counting), remedy) from error


def _line_of(path: Path, layout: Layout, columns: Mapping[str, str], name: str, row: int) -> int:
    """Return the line of the cell of a column in a row, counted from 0, of a file of text."""
    with ExitStack() as stack:
        if _kind(path) != JSON:
            file, _, _ = _enter_csv(stack, path, layout, columns)
            return file.line_of(row, name, columns[name])
        lines = stack.enter_context(stack.enter_context(plain_text(path, layout)).open(encoding="utf-8"))
        return next(islice((line for line, each in enumerate(lines, 1) if each.strip()), row, None))


@dataclass(frozen=True)
class _Table:
    """A table that is open: what stands behind FROM, and what its columns are called.

    Attributes
    ----------
    connection : DuckDBPyConnection
    rows : str
    names : list of (str, str)
        The name of each column, and that by which DuckDB tells it from others.
    find : callable
        From what the caller calls a column and its name to its place.
    layout : Layout or None
        Of cells that are texts, and are yet to be read as numbers.
    n : int or None
        Rows, as far as they have been counted.
    parameters : tuple of str
        Of the SQL.
    """

    connection: duckdb.DuckDBPyConnection
    rows: str
    names: list[tuple[str, str]]
    find: Callable[[str, str], int]
    layout: Layout | None = None
    n: int | None = None
    parameters: tuple[str, ...] = ()

    def read(self, wanted: Mapping[str, str], numbers: set[str]) -> dict[str, NDArray[Any]]:
        """Return columns as arrays, by what the caller calls them."""
        columns = {argument: self.names[self.find(argument, column)][1] for argument, column in wanted.items()}
        query = f"SELECT {', '.join(map(name_in_sql, dict.fromkeys(columns.values())))} FROM {self.rows}"
        if self.layout is None:
            found = self.connection.execute(query, self.parameters).fetchnumpy()
            return {argument: _array(found[column]) for argument, column in columns.items()}
        self.connection.execute(f"CREATE TEMP TABLE {_CELLS} AS {query}")
        ((found,),) = self.connection.execute(f"SELECT count(*) FROM {_CELLS}").fetchall()
        if found != self.n:
            raise FileError("path", f"must be read alike by two readers, which found {self.n} and {found} rows")
        readers = {argument: read_numbers if argument in numbers else read_labels for argument in columns}
        return {
            argument: readers[argument](self.connection, _CELLS, column, self.layout)
            for argument, column in columns.items()
        }


@contextmanager
def _opened_table(path: Path, layout: Layout, wanted: Mapping[str, str]) -> Iterator[_Table]:
    """Give a table in a file of any kind; what DuckDB refuses in the block is a FileError.

    `wanted` are columns of it, by which the separator of a CSV file is known.
    """
    kind = _kind(path)
    if kind != CSV:
        layout.refuse_for(kind)
    with ExitStack() as stack:
        if kind in (CSV, WORKBOOK):
            file, rows, n = _enter_csv(stack, path, layout, wanted)
            names = [(name, f"c{place}") for place, name in enumerate(file.header)]
            yield _Table(stack.enter_context(_opened(path, kind)), rows, names, file.find, file.layout, n)
            return
        text = stack.enter_context(plain_text(path, layout)) if kind == JSON else path
        connection = stack.enter_context(_opened(path, kind))
        if kind == PARQUET:
            names, rows, parameters = _names(connection, path), _ROWS, (_as_named(path),)
            chosen = [name for name in dict.fromkeys(wanted.values()) if name in dict(names)]
            check_parquet_size(connection, _as_named(path), chosen, path, layout.max_unpacked)
        elif kind == JSON:
            rows, parameters = _JSON_ROWS, (str(text),)
            names = [
                (name, name) for name in connection.execute(f"SELECT * FROM {rows} LIMIT 0", parameters).fetchnumpy()
            ]
        else:
            raise FileError("path", f"must be a table of rows, got {path}, which holds arrays")

        def find(argument: str, column: str) -> int:
            _find(names, {argument: column}, path)
            return [name for name, _ in names].index(column)

        yield _Table(connection, rows, names, find, parameters=parameters)


def _enter_csv(stack: ExitStack, path: Path, layout: Layout, wanted: Mapping[str, str]) -> tuple[CsvFile, str, int]:
    """Open a file of cells until the end of the stack; return it, its rows as DuckDB reads them, and their number.

    Quotes are doubled in it, or else have backslashes before them.
    """
    malformed = None
    for escaped in (False, True):
        with ExitStack() as own:
            try:
                file = own.enter_context(_csv_of(path, layout, wanted, escaped=escaped))
                rows, n = file.in_sql()
            except MalformedError as error:
                if malformed is not None or not has_escaped_quotes(path, layout):
                    raise malformed or error from None
                malformed = error
                continue
            stack.push(own.pop_all())
            return file, rows, n
    raise AssertionError  # one of the two returns or raises


@contextmanager
def _csv_of(path: Path, layout: Layout, wanted: Mapping[str, str], **how: Any) -> Iterator[CsvFile]:
    """Give a CSV file, or a workbook as one."""
    if _kind(path) == CSV:
        with opened_csv(path, layout, wanted, **how) as file:
            yield file
        return
    with TemporaryDirectory(prefix=PREFIX) as folder:
        copy = workbook_as_csv(path, Path(folder) / path.with_suffix(".csv").name, layout.max_unpacked)
        with opened_csv(copy, replace(layout, sep=","), wanted, **how) as file:
            yield replace(file, path=path)


def _arrays(path: Path, wanted: Mapping[str, str], layout: Layout) -> dict[str, NDArray[Any]]:
    """Return arrays of an npz file."""
    layout.refuse_for(NUMPY)
    arrays = read_npz(path, layout.max_unpacked)
    _find([(name, name) for name in arrays], wanted, path)
    return {argument: arrays[name] for argument, name in wanted.items()}


@contextmanager
def parquet_rows(path: str | Path, *, numbered: bool = False) -> Iterator[duckdb.DuckDBPyRelation]:
    """Give the rows of a Parquet file, or of all files that fit a pattern, as a relation of DuckDB.

    With `numbered` two more columns say the number of each row in its file, from 0, and the file.
    What DuckDB refuses in the block is a FileError.
    """
    text = str(path)
    several = is_pattern(text) and not Path(text).is_file()
    if not several and _kind(Path(text)) != PARQUET:
        found = f"{text}; other files are read by a frame library, whose frame Cells.of_frame takes"
        raise FileError("path", f"must be a Parquet file, or a pattern of several, got {found}")
    with duckdb.connect() as connection:
        try:
            yield connection.read_parquet(
                text if several else _as_named(text),
                hive_partitioning=several,
                file_row_number=numbered,
                filename=numbered,
            )
        except (duckdb.Error, UnicodeDecodeError, RuntimeError) as error:  # names that are no text are the last two
            raise FileError("path", f"must be readable as parquet, got {text}: {_reason(error)}") from error


def is_pattern(path: str | Path) -> bool:
    """Return whether a path stands for several files, unless there is a file of that very name."""
    return bool(set(str(path)) & set("*?["))


def distinct_in_parquet(path: str | Path, argument: str, column: str) -> NDArray[Any]:
    """Return the distinct values of a column in a Parquet file, or in all that fit a pattern, in order; none missing.

    Values beyond the first `MOST_DISTINCT` are left out: no column of labels has as many.
    """
    with parquet_rows(path) as rows:
        name = _name_in(rows, path, argument, column)
        query = f"SELECT DISTINCT {name} FROM given WHERE {name} IS NOT NULL ORDER BY {name} LIMIT {MOST_DISTINCT}"
        found = rows.query("given", query)
        assert found is not None  # of a SELECT
        return _array(found.fetchnumpy()[column])


def latest_in_parquet(path: str | Path, argument: str, column: str) -> tuple[NDArray[Any], int]:
    """Return the largest value of a column of times or numbers, of texts all distinct ones; and how many are missing.

    There is no value in a file without rows.
    """
    with parquet_rows(path) as rows:
        name = _name_in(rows, path, argument, column)
        ((missing,),) = rows.aggregate(f"count(*) - count({name})").fetchall()
        is_text = str(rows.types[rows.columns.index(column)]) == "VARCHAR"
        chosen = f"SELECT DISTINCT {name} FROM given" if is_text else f"SELECT max({name}) AS {name} FROM given"
        found = rows.query("given", f"SELECT * FROM ({chosen}) WHERE {name} IS NOT NULL")
        assert found is not None  # of a SELECT
        return _array(found.fetchnumpy()[column]), int(missing)


def _name_in(rows: duckdb.DuckDBPyRelation, path: str | Path, argument: str, column: str) -> str:
    """Return a column as SQL names it, or refuse one that is missing or there twice."""
    if rows.columns.count(column) != 1:
        known = f"{brief(rows.columns)}{meant(column, rows.columns)}"
        raise FileError(argument, f"must be a column of {path}, got {column!r}; its columns are {known}")
    return name_in_sql(column)


def count_rows_in_parquet(path: str | Path) -> int:
    """Return the number of rows of a Parquet file, or of all that fit a pattern."""
    with parquet_rows(path) as rows:
        ((count,),) = rows.aggregate("count(*)").fetchall()
    return int(count)


def check_ending(target: Path) -> None:
    """Raise FileError unless `append_columns` can write a table to the path."""
    _between(target)


def first_cells(
    path: Path,
    choose: Callable[[Sequence[str]], list[str]],
    most: int,
    wanted: Mapping[str, str],
    layout: Layout = STANDARD,
) -> dict[str, list[Any]]:
    """Return some columns of a table in its first rows: of a CSV file texts; nothing of others is read.

    Parameters
    ----------
    path : Path
    choose : callable
        From the names of all columns to those that are read, each of which must occur once.
    most : int
        How many rows, at most.
    wanted : dict of str to str
        As for `read_columns`: columns of a CSV file, by which its separator is known.
    layout : Layout
        How a CSV file is written.
    """
    kind = _kind(path)
    if kind in (CSV, WORKBOOK):
        with _csv_of(path, layout, wanted, lines=LINES_EACH * most) as file, suppress(MalformedError):
            chosen = choose(file.header)
            places = [file.header.index(name) for name in chosen]
            rows = [[row[place] for place in places] for _, row in islice(file.rows() if chosen else (), most)]
            return dict(zip(chosen, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        return {}
    if kind == NUMPY:
        arrays = {name: array for name, array in read_npz(path, layout.max_unpacked).items() if array.ndim == 1}
        return {name: arrays[name][:most].tolist() for name in choose([*arrays])}
    with _opened_table(path, layout, {}) as table:
        chosen = choose([name for name, _ in table.names])
        if not chosen:
            return {}
        columns = ", ".join(name_in_sql(dict(table.names)[name]) for name in chosen)
        query = f"SELECT {columns} FROM {table.rows} LIMIT {most:d}"
        found = table.connection.execute(query, table.parameters).fetchall()
    return dict(zip(chosen, map(list, zip(*found, strict=True)), strict=True)) if found else {}


def append_columns(
    source: Path,
    target: Path,
    columns: Sequence[str],
    values: FloatArray,
    wanted: Mapping[str, str] | None = None,
    layout: Layout = STANDARD,
) -> None:
    """Write the table of one file to another, with more columns.

    Rows and columns keep their order. The cells of a CSV file keep their text, whatever it looks like, and an empty
    cell stays one that is not ``""``; in a Parquet target they are texts too, and names that occur twice are numbered.
    The columns of a Parquet file keep their types in a Parquet target. The new numbers read back bit by bit. CSV is
    written in UTF-8, with commas (tabs in a TSV file) or the separator of the layout, and its decimal separator.

    Parameters
    ----------
    source : Path
        A file that `read_columns` reads.
    target : Path
        The file to write, in a format by its ending; what is there is overwritten.
    columns : sequence of C str
        Names of the new columns.
    values : array of shape (n, C)
        Numbers, a row for each of `source`; NaN where there is none, which is a missing value of the table.
    wanted : dict of str to str, optional
        As for `read_columns`: columns of a CSV source, by which its separator is known.
    layout : Layout
        How a CSV source is written.

    Raises
    ------
    ValueError
        As `read_columns`; an unknown ending of `target`, a column of that name (in upper or lower case) in `source`,
        another number of rows than values.
    OSError
        A `target` that cannot be written.
    """
    delimiter = _between(target)
    if delimiter == "," and layout.sep:
        delimiter = layout.sep
    with _opened_table(source, layout, wanted or {}) as table:
        header, are_texts = [name for name, _ in table.names], table.layout is not None
        _refuse_any_same(columns, header, source)
        new = {f"value{k}": np.ascontiguousarray(column) for k, column in enumerate(values.T)}
        table.connection.register("numbers", {**new, "there": np.ones(len(values), dtype=np.int8)})
        # positions pair the rows with the numbers and pad the shorter side with NULL, which a guard on each side finds
        refusal = f"error('the file must have {len(values)} rows, as many as values')"
        comma = delimiter and table.layout is not None and table.layout.point == ","
        numbers = [f"replace({name}::VARCHAR, '.', ',')" if comma else f"{name}::DOUBLE" for name in new]
        guarded = [f"CASE WHEN file.there = 1 AND numbers.there = 1 THEN {each} ELSE {refusal} END" for each in numbers]
        olds = [f"file.{name_in_sql(name)}" for _, name in table.names]
        called = _numbered((*header, *columns)) if are_texts else [*(name for _, name in table.names), *columns]
        each = zip((*olds, *guarded), called, strict=True)
        chosen = ", ".join(f"{value} AS {name_in_sql(name)}" for value, name in each)
        rows = f"(SELECT *, 1 AS there FROM {table.rows}) AS file POSITIONAL JOIN numbers"
        how = _how_written(target, delimiter, (*header, *columns), no_rows=not len(values))
        _copy(table.connection, f"SELECT {chosen} FROM {rows}", table.parameters, target, how)


def is_parquet(path: Path) -> bool:
    """Return whether a file that is there is Parquet, by its ending."""
    return _kind(path) == PARQUET


def find_parquet_numbers(path: Path, wanted: Mapping[str, str]) -> list[str] | None:
    """Return the names by which SQL knows columns of a Parquet file; None unless all of them hold numbers.

    DuckDB numbers the columns whose names are equal but for upper and lower case.

    Raises
    ------
    ValueError
        As `read_columns`.
    """
    with _opened(path) as connection:
        unique = _find(_names(connection, path), wanted, path)
        chosen = ", ".join(name_in_sql(unique[column]) for column in wanted.values())
        types = connection.sql(f"SELECT {chosen} FROM read_parquet({text_in_sql(_as_named(path))})").types
    return [unique[column] for column in wanted.values()] if all(map(_is_number, types)) else None


def count_in_parquet(path: Path, conditions: Sequence[str]) -> tuple[int, list[int]]:
    """Return the number of rows of a Parquet file, and for how many each of the SQL conditions is true."""
    counts = "".join(f", count(*) FILTER (WHERE {condition})" for condition in conditions)
    with _opened(path) as connection:
        row = connection.execute(f"SELECT count(*){counts} FROM {_ROWS}", [_as_named(path)]).fetchone()
    assert row is not None
    return int(row[0]), [int(count) for count in row[1:]]


def append_expressions(source: Path, target: Path, columns: Sequence[str], expressions: Sequence[str]) -> None:
    """Write the table of a Parquet file to another file, with more columns, in one pass that needs little memory.

    Rows, columns and types are kept as by `append_columns`.

    Parameters
    ----------
    source : Path
    target : Path
        The file to write, in a format by its ending; what is there is overwritten.
    columns : sequence of C str
        Names of the new columns.
    expressions : sequence of C str
        Their values as expressions of DuckDB's SQL over the columns of `source`.

    Raises
    ------
    ValueError
        As `append_columns`.
    OSError
        A `target` that cannot be written.
    """
    delimiter = _between(target)
    new = ", ".join(f"{value} AS {name_in_sql(column)}" for value, column in zip(expressions, columns, strict=True))
    with _opened(source) as connection:
        names = [name for name, _ in _names(connection, source)]
        _refuse_any_same(columns, names, source)
        row = connection.execute(f"SELECT count(*) FROM {_ROWS}", [_as_named(source)]).fetchone()
        how = _how_written(target, delimiter, (*names, *columns), no_rows=row == (0,))
        query = f"SELECT *, {new} FROM {_ROWS}"
        # without a limit DuckDB keeps all rows that wait
        try:
            _copy_within(COPIED_WITHIN, query, source, target, how)
        except duckdb.OutOfMemoryException:  # a table of very many columns
            _copy_within(None, query, source, target, how)


def _between(target: Path) -> str:
    """Return what stands between the columns of a file that can be written; nothing in Parquet."""
    for ending, between in WRITERS.items():
        if target.name.lower().endswith(ending):
            return between
    raise FileError("target", f"must end in one of {', '.join(WRITERS)}; got {target}")


def _copy_within(memory: str | None, query: str, source: Path, target: Path, how: str) -> None:
    """Copy within a limit of the memory, in a connection of its own: DuckDB 1.3 keeps a limit that is reset."""
    with duckdb.connect() as connection:
        connection.execute("SET temp_directory = ''")  # by default a folder in the current one
        if memory is not None:
            connection.execute(f"SET memory_limit = {text_in_sql(memory)}")
        _copy(connection, query, [_as_named(source)], target, how)


def _refuse_any_same(columns: Sequence[str], header: Sequence[str], path: Path) -> None:
    """Raise FileError where a new column is called like another, old or new."""
    for k, column in enumerate(columns):
        _refuse_same(column, [*header, *columns[:k]], path)


def _cell(text: str, delimiter: str) -> str:
    """Return a text as a cell of CSV, in quotes where it must be."""
    return name_in_sql(text) if any(mark in text for mark in (delimiter, '"', "\n", "\r")) else text


def _how_written(target: Path, delimiter: str, header: Sequence[str], *, no_rows: bool) -> str:
    """Return the options of COPY for a file of this ending, and of these columns where it is CSV."""
    if not delimiter:
        return "FORMAT parquet"
    line = delimiter.join(_cell(name, delimiter) for name in header)
    packed = "gzip" if target.name.lower().endswith(".gz") else "none"
    # the writer needs a suffix too: that is the newline after the last line, which may be the first
    first = line if no_rows else line + "\n"
    return (
        f"FORMAT csv, COMPRESSION {packed}, DELIMITER {text_in_sql(delimiter)}, HEADER false, "
        f"PREFIX {text_in_sql(first)}, SUFFIX '\n'"
    )


def _copy(connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[str], target: Path, how: str) -> None:
    try:
        connection.execute(f"COPY ({query}) TO {text_in_sql(_from_here(target))} ({how})", parameters)
    except duckdb.IOException as error:  # the source has just been read
        raise OSError(f"the new table cannot be written: {_reason(error)}") from error


def _find(names: list[tuple[str, str]], wanted: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return the name that DuckDB has for each column, and refuse a wanted one that is missing or there twice."""
    for argument, column in wanted.items():
        count = sum(name == column for name, _ in names)
        if count != 1:
            times = f", {count} times; its" if count else "; its"
            columns = [name for name, _ in names]
            known = brief(columns) if count else f"{brief(columns)}{meant(column, columns)}"
            raise FileError(argument, f"must be a column of {path}, got {column!r}{times} columns are {known}")
    return dict(names)


def _is_number(kind: Any) -> bool:
    name = str(kind)
    return name.endswith(("INT", "INTEGER")) or name.startswith(("FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN"))


def _names(connection: duckdb.DuckDBPyConnection, path: Path) -> list[tuple[str, str]]:
    """Return the name of each column, and that by which DuckDB tells it from one of the same letters."""
    unique = list(connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [_as_named(path)]).fetchnumpy())
    schema = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [_as_named(path)]).fetchall()
    names, inner = [], 0
    for name, children in schema[1:]:  # depth first; the first is the table
        if not inner:
            names.append(name)
        inner += (children or 0) - (inner > 0)
    return list(zip(names, unique, strict=True))


def _as_named(path: str | Path) -> str:
    """Return a path by which DuckDB opens the file of that very name, whatever a pattern would mean."""
    return re.sub(r"[*?\[]", r"[\g<0>]", _from_here(path))


def _from_here(path: str | Path) -> str:
    """Return a path in which a tilde at the beginning is no home."""
    return f"./{path}" if str(path).startswith("~") else str(path)


@contextmanager
def _opened(path: Path, kind: str = PARQUET) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection; what DuckDB refuses in the block is a FileError."""
    with duckdb.connect() as connection:
        try:
            yield connection
        except (duckdb.Error, UnicodeDecodeError) as error:  # names too are bytes
            raise FileError(
                "path", f"must be readable as {'parquet' if kind == PARQUET else kind}, got {path}: {_reason(error)}"
            ) from error


def _kind(path: Path) -> str:
    """Return the format of a file that is there, by its ending."""
    if not path.is_file():
        raise FileError("path", f"must be an existing file, got {path}")
    packing = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    name = Path(member_of(path)) if packing == ".zip" else path.with_suffix("") if packing else path
    kind = TEXTS.get(name.suffix.lower()) or (None if packing else BINARY.get(name.suffix.lower()))
    if kind is None:
        texts, found = ", ".join(TEXTS), f"{path} with {name}" if packing == ".zip" else path
        known = f"{texts}, {', '.join(BINARY)}, or {texts} and {', '.join(PACKED)}"
        raise FileError("path", f"must end in one of {known}; got {found}")
    return kind


def _refuse_same(column: str, names: list[str], source: Path) -> None:
    same = [name for name in names if name.lower() == column.lower()]
    if same:
        raise FileError("column", f"must not be a column of {source} already, got {brief(same[0])}")


def _numbered(names: Iterable[str]) -> list[str]:
    """Return names of which no two are equal in lower case, as Parquet needs them for most readers."""
    taken: set[str] = set()
    unique = []
    for i, name in enumerate(names):
        stem = name or f"column{i}"
        tried = chain((stem,), (f"{stem}_{k}" for k in count(1)))
        unique.append(next(one for one in tried if one.lower() not in taken))
        taken.add(unique[-1].lower())
    return unique


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _array(column: Any) -> NDArray[Any]:
    """Return a column as an array; DuckDB hands ENUM columns over as pandas categoricals."""
    return column if isinstance(column, np.ndarray) else np.asarray(column)
