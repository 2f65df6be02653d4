"""Tables in CSV and Parquet files, by DuckDB: reading columns, and copying a table with one more column.

What is not there, or cannot be read, is refused with a clear message.
"""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from fitontest.typing import FloatArray

T = TypeVar("T")

# all rows decide a column's type: from a sample, a column that begins with 0 and 1 would become integer, and the
# decimals further down would be rounded without a warning; by default DuckDB may drop what follows a # as a comment,
# and take single quotes, which are text, for quotes
_HOW = "sample_size=-1, comment='', quote='\"', nullstr=['', 'NA', 'N/A', 'null', 'NULL']"
_CSV = f"read_csv(?, {_HOW})"
_PARQUET = "read_parquet(?)"
READERS = {
    ".csv": _CSV,
    ".csv.gz": _CSV,
    ".tsv": _CSV,
    ".tsv.gz": _CSV,
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
}
_TO_PARQUET = ("FORMAT parquet", "")
WRITERS = {  # how to write a file, and what is between its columns
    ".csv": ("FORMAT csv, COMPRESSION none", ","),
    ".csv.gz": ("FORMAT csv, COMPRESSION gzip", ","),
    ".tsv": ("FORMAT csv, COMPRESSION none", "\t"),
    ".tsv.gz": ("FORMAT csv, COMPRESSION gzip", "\t"),
    ".parquet": _TO_PARQUET,
    ".pq": _TO_PARQUET,
}


def read_columns(path: Path, wanted: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Return columns of a table as numpy arrays; missing entries come as masked arrays.

    Parameters
    ----------
    path : Path
        A CSV, TSV (also gzipped) or Parquet file; its ending gives the format.
    wanted : dict of str to str
        What the caller calls a column (for error messages), and the column's name in the file.

    Returns
    -------
    dict
        The arrays, by what the caller calls them.

    Raises
    ------
    ValueError
        No such file, an unknown ending, a file that is not in the format of its ending, a missing column.
    """
    with _opened(path) as (connection, reader):
        names = connection.execute(f"SELECT * FROM {reader} LIMIT 0", [str(path)]).fetchnumpy()
        absent = {name: column for name, column in wanted.items() if column not in names}
        if absent:
            name, column = next(iter(absent.items()))
            raise ValueError(f"{name} must be a column of {path}, got {column!r}; its columns are {list(names)}")
        columns = ", ".join(_quoted(column) for column in dict.fromkeys(wanted.values()))
        by_column = connection.execute(f"SELECT {columns} FROM {reader}", [str(path)]).fetchnumpy()
    return {name: _array(by_column[column]) for name, column in wanted.items()}


def check_ending(path: Path, name: str) -> None:
    """Raise ValueError unless `append_column` can write a table to the path."""
    _by_ending(path, WRITERS, name)


def append_column(source: Path, target: Path, column: str, values: FloatArray) -> None:
    """Write the table of one file to another, with one more column.

    Rows and columns keep their order. The cells of a CSV file keep their text, whatever it looks like, and an empty
    cell stays one that is not ``""``; in a Parquet target they are texts too, and names that occur twice are numbered.
    The columns of a Parquet file keep their types in a Parquet target. The new numbers read back bit by bit.

    Parameters
    ----------
    source : Path
        A file that `read_columns` reads.
    target : Path
        The file to write, in a format by its ending; what is there is overwritten.
    column : str
        Name of the new column.
    values : array of shape (n,)
        Finite numbers, one per row of `source`.

    Raises
    ------
    ValueError
        As `read_columns`; an unknown ending of `target`, a column of that name (in upper or lower case) in `source`,
        another number of rows than values.
    OSError
        A `target` that cannot be written.
    """
    how, delimiter = _by_ending(target, WRITERS, "the target")
    with _opened(source) as (connection, reader):
        if reader == _CSV:
            rows, header = _untyped(connection, source)
        else:
            rows, header = "read_parquet(?, hive_partitioning=false)", []
        names = list(connection.execute(f"SELECT * FROM {rows} LIMIT 0", [str(source)]).fetchnumpy())
        same = [name for name in names if name.lower() == column.lower()]
        if same:
            raise ValueError(f"--column must not be a column of {source} already, got {same[0]!r}")
        connection.register("numbers", {"value": values})
        new = _quoted(column)
        # positions pair the rows with the numbers and pad the shorter side with NULL, which a guard on each side finds
        paired = f"(SELECT *, 1 AS {new} FROM {rows}) AS file POSITIONAL JOIN numbers"
        refusal = f"error('the file must have {values.size} rows, as many as values')"
        guarded = f"CASE WHEN file.{new} = 1 AND numbers.value IS NOT NULL THEN numbers.value ELSE {refusal} END"
        query = f"SELECT file.* REPLACE ({guarded} AS {new}) FROM {paired}"
        if delimiter:
            first = _first_line([*(header or names), column], delimiter, values.size > 0)
            how += f", DELIMITER '{delimiter}', {first}"
        try:
            connection.execute(f"COPY ({query}) TO {_text(target)} ({how})", [str(source)])
        except duckdb.IOException as error:  # the source has just been read
            raise OSError(f"the new table cannot be written: {_reason(error)}") from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Give a connection and the reader of a file; what DuckDB refuses in the block is a ValueError about the file."""
    if not path.is_file():
        raise ValueError(f"FILE must be an existing file, got {path}")
    if set(str(path)) & set("*?["):  # DuckDB would read them as a pattern and might open other files
        raise ValueError(f"FILE must not have any of * ? [ in its name, got {path}")
    reader = _by_ending(path, READERS, "FILE")
    with duckdb.connect() as connection:
        try:
            yield connection, reader
        except duckdb.Error as error:
            kind = reader[5:].partition("(")[0]
            raise ValueError(f"FILE must be readable as {kind}, got {path}: {_reason(error)}") from error


def _untyped(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, list[str]]:
    """Return the reader of a CSV file that leaves all cells as texts, and the texts of its header.

    Quotes are double, and doubled within a cell: DuckDB's guesses would drop single quotes and backslashes that are
    text. Only a cell without any text is NULL, so that it is written without quotes again, and a quoted one with them.
    """
    layout = connection.execute(f"SELECT * FROM sniff_csv(?, {_HOW})", [str(path)]).fetchnumpy()
    if layout["SkipRows"][0]:
        raise ValueError(
            f"FILE must begin with its header or its first row, got {path} with {layout['SkipRows'][0]} lines before it"
        )
    columns = ", ".join(f"{_text(column['name'])}: 'VARCHAR'" for column in layout["Columns"][0])
    reader = (
        f"read_csv(?, auto_detect=false, hive_partitioning=false, columns={{{columns}}}, nullstr='', comment='', "
        f"allow_quoted_nulls=false, delim={_text(layout['Delimiter'][0])}, quote='\"'"
    )
    escape = '"'
    if layout["Escape"][0] == "\\":  # as some databases write them; true only of files that are no CSV without it
        try:
            connection.execute(f"SELECT count(*) FROM {reader}, escape='\"', header=false)", [str(path)])
        except duckdb.Error:
            escape = "\\"
    first = f"SELECT * FROM {reader}, escape='{escape}', header=false) LIMIT 1"
    has_header = bool(layout["HasHeader"][0])
    header = connection.execute(first, [str(path)]).fetchone() if has_header else None
    return f"{reader}, escape='{escape}', header={has_header})", [text or "" for text in header or ()]


def _first_line(names: list[str], delimiter: str, any_rows: bool) -> str:
    """Return the options of DuckDB's CSV writer for a first line of just these names, though some be empty or equal.

    The writer needs a suffix too. That is the newline after the last line, which may be the first.
    """
    line = StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n" if any_rows else "").writerow(names)
    return f"HEADER false, PREFIX {_text(line.getvalue())}, SUFFIX '\n'"


def _reason(error: duckdb.Error) -> str:
    return " ".join(str(error).split())[:300]


def _quoted(column: str) -> str:
    """Return the name as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def _text(value: object) -> str:
    """Return the value as an SQL string."""
    return "'" + str(value).replace("'", "''") + "'"


def _array(column: Any) -> NDArray[Any]:
    """Return a column as an array; DuckDB hands ENUM columns over as pandas categoricals."""
    return column if isinstance(column, np.ndarray) else np.asarray(column)


def _by_ending(path: Path, known: Mapping[str, T], name: str) -> T:
    for ending, value in known.items():
        if path.name.lower().endswith(ending):
            return value
    raise ValueError(f"{name} must end in one of {', '.join(known)}; got {path}")
