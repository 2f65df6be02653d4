"""Copies of tables in files, with more columns, written by DuckDB."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

import duckdb
import numpy as np

from fitontest.data.files.file_error import FileError
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.parquet import ROWS, as_named, columns_of, connected, from_here, opened, reason_of
from fitontest.data.files.sql import name_in_sql, text_in_sql
from fitontest.data.files.tables import opened_table
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

WRITERS = {  # what is between the columns of a file; nothing in Parquet
    ".csv": ",",
    ".csv.gz": ",",
    ".tsv": "\t",
    ".tsv.gz": "\t",
    ".parquet": "",
    ".pq": "",
}
COPIED_WITHIN = "300MB"  # of memory, where a table is copied by SQL alone


def check_ending(target: Path) -> None:
    """Raise FileError unless `append_columns` can write a table to the path."""
    _between(target)


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
    with opened_table(source, layout, wanted or {}) as table:
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
    with opened(source) as connection:
        names = [name for name, _ in columns_of(connection, source)]
        _refuse_any_same(columns, names, source)
        row = connection.execute(f"SELECT count(*) FROM {ROWS}", [as_named(source)]).fetchone()
        how = _how_written(target, delimiter, (*names, *columns), no_rows=row == (0,))
        query = f"SELECT *, {new} FROM {ROWS}"
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
    with connected() as connection:
        connection.execute("SET temp_directory = ''")  # by default a folder in the current one
        if memory is not None:
            connection.execute(f"SET memory_limit = {text_in_sql(memory)}")
        _copy(connection, query, [as_named(source)], target, how)


def _copy(connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[str], target: Path, how: str) -> None:
    try:
        connection.execute(f"COPY ({query}) TO {text_in_sql(from_here(target))} ({how})", parameters)
    except duckdb.IOException as error:  # the source has just been read
        raise OSError(f"the new table cannot be written: {reason_of(error)}") from error


def _refuse_any_same(columns: Sequence[str], header: Sequence[str], path: Path) -> None:
    """Raise FileError where a new column is called like another, old or new."""
    for k, column in enumerate(columns):
        _refuse_same(column, [*header, *columns[:k]], path)


def _refuse_same(column: str, names: list[str], source: Path) -> None:
    same = [name for name in names if name.lower() == column.lower()]
    if same:
        raise FileError("column", f"must not be a column of {source} already, got {brief(same[0])}")


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


def _cell(text: str, delimiter: str) -> str:
    """Return a text as a cell of CSV, in quotes where it must be."""
    return name_in_sql(text) if any(mark in text for mark in (delimiter, '"', "\n", "\r")) else text


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
