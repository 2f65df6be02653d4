"""Parquet files, read by DuckDB, also those that are larger than the memory."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from fitontest.data.files.file_error import FileError
from fitontest.data.files.kinds import PARQUET, kind_of
from fitontest.data.files.sql import name_in_sql, text_in_sql
from fitontest.results.checks import brief, meant

MOST_DISTINCT = 10_000  # labels
ROWS = "read_parquet(?, hive_partitioning=false)"
ROW_NUMBER = "file_row_number"  # the columns that DuckDB adds where rows are numbered
FILE_NAME = "filename"


@contextmanager
def connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection that finds NaN in Parquet files.

    The statistics of these files leave NaN out, and by default newer versions of DuckDB take them for the ends of all
    values: ``isnan(p)`` is then false, and ``p <= 1`` true, in rows where p is NaN.
    """
    with duckdb.connect() as connection:
        with suppress(duckdb.CatalogException):  # of versions that take no such statistics
            connection.execute("SET parquet_can_have_nan = true")
        yield connection


@contextmanager
def parquet_rows(path: str | Path, *, numbered: bool = False) -> Iterator[duckdb.DuckDBPyRelation]:
    """Give the rows of a Parquet file, or of all files that fit a pattern, as a relation of DuckDB.

    With `numbered` two more columns say the number of each row in its file, from 0, and the file.
    What DuckDB refuses in the block is a FileError.
    """
    text = str(path)
    several = is_pattern(text) and not Path(text).is_file()
    if not several and kind_of(Path(text)) != PARQUET:
        found = f"{text}; other files are read by a frame library, whose frame Cells.of_frame takes"
        raise FileError("path", f"must be a Parquet file, or a pattern of several, got {found}")
    with connected() as connection:
        try:
            yield connection.read_parquet(
                text if several else as_named(text),
                hive_partitioning=several,
                file_row_number=numbered,
                filename=numbered,
            )
        except (duckdb.Error, UnicodeDecodeError, RuntimeError) as error:  # names that are no text are the last two
            raise FileError("path", f"must be readable as parquet, got {text}: {reason_of(error)}") from error


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
        return as_array(found.fetchnumpy()[column])


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
        return as_array(found.fetchnumpy()[column]), int(missing)


def count_rows_in_parquet(path: str | Path) -> int:
    """Return the number of rows of a Parquet file, or of all that fit a pattern."""
    with parquet_rows(path) as rows:
        ((count,),) = rows.aggregate("count(*)").fetchall()
    return int(count)


def find_parquet_numbers(path: Path, wanted: Mapping[str, str]) -> list[str] | None:
    """Return the names by which SQL knows columns of a Parquet file; None unless all of them hold numbers.

    DuckDB numbers the columns whose names are equal but for upper and lower case.

    Raises
    ------
    ValueError
        As `read_columns`.
    """
    with opened(path) as connection:
        unique = find_columns(columns_of(connection, path), wanted, path)
        chosen = ", ".join(name_in_sql(unique[column]) for column in wanted.values())
        types = connection.sql(f"SELECT {chosen} FROM read_parquet({text_in_sql(as_named(path))})").types
    return [unique[column] for column in wanted.values()] if all(map(_is_number, types)) else None


def count_in_parquet(path: Path, conditions: Sequence[str]) -> tuple[int, list[int]]:
    """Return the number of rows of a Parquet file, and for how many each of the SQL conditions is true."""
    counts = "".join(f", count(*) FILTER (WHERE {condition})" for condition in conditions)
    with opened(path) as connection:
        row = connection.execute(f"SELECT count(*){counts} FROM {ROWS}", [as_named(path)]).fetchone()
    assert row is not None
    return int(row[0]), [int(count) for count in row[1:]]


def _name_in(rows: duckdb.DuckDBPyRelation, path: str | Path, argument: str, column: str) -> str:
    """Return a column as SQL names it, or refuse one that is missing or there twice."""
    if rows.columns.count(column) != 1:
        known = f"{brief(rows.columns)}{meant(column, rows.columns)}"
        raise FileError(argument, f"must be a column of {path}, got {column!r}; its columns are {known}")
    return name_in_sql(column)


def find_columns(names: list[tuple[str, str]], wanted: Mapping[str, str], path: Path) -> dict[str, str]:
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


def columns_of(connection: duckdb.DuckDBPyConnection, path: Path) -> list[tuple[str, str]]:
    """Return the name of each column, and that by which DuckDB tells it from one of the same letters."""
    unique = list(connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [as_named(path)]).fetchnumpy())
    schema = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [as_named(path)]).fetchall()
    names, inner = [], 0
    for name, children in schema[1:]:  # depth first; the first is the table
        if not inner:
            names.append(name)
        inner += (children or 0) - (inner > 0)
    return list(zip(names, unique, strict=True))


def as_named(path: str | Path) -> str:
    """Return a path by which DuckDB opens the file of that very name, whatever a pattern would mean."""
    return re.sub(r"[*?\[]", r"[\g<0>]", from_here(path))


def from_here(path: str | Path) -> str:
    """Return a path in which a tilde at the beginning is no home."""
    return f"./{path}" if str(path).startswith("~") else str(path)


@contextmanager
def opened(path: Path, kind: str = PARQUET) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection; what DuckDB refuses in the block is a FileError."""
    with connected() as connection:
        try:
            yield connection
        except (duckdb.Error, UnicodeDecodeError) as error:  # names too are bytes
            raise FileError(
                "path", f"must be readable as {'parquet' if kind == PARQUET else kind}, got {path}: {reason_of(error)}"
            ) from error


def reason_of(error: Exception) -> str:
    """Return what an error says, in one line."""
    return " ".join(str(error).split())[:300]


def as_array(column: Any) -> NDArray[Any]:
    """Return a column as an array; DuckDB hands ENUM columns over as pandas categoricals."""
    return column if isinstance(column, np.ndarray) else np.asarray(column)
