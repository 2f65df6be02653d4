"""Tables in CSV and Parquet files: reading columns, and copying a table with more columns.

What is not there, or cannot be read, is refused with a clear message. Parquet is read and written by DuckDB.
"""

import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice, zip_longest
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from fitontest.checks import brief, meant
from fitontest.data.places import BadValueError
from fitontest.files.csv_files import STANDARD, CsvFile, Layout, either, line_of, read_csv
from fitontest.files.file_error import FileError
from fitontest.files.unpacked import check_parquet_size
from fitontest.typing import FloatArray

T = TypeVar("T")

MOST_DISTINCT = 10_000  # labels
CSV = "CSV"
PARQUET = "Parquet"
READERS = {".csv": CSV, ".csv.gz": CSV, ".tsv": CSV, ".tsv.gz": CSV, ".parquet": PARQUET, ".pq": PARQUET}
WRITERS = {  # what is between the columns of a file; nothing in Parquet
    ".csv": ",",
    ".csv.gz": ",",
    ".tsv": "\t",
    ".tsv.gz": "\t",
    ".parquet": "",
    ".pq": "",
}
_ROWS = "read_parquet(?, hive_partitioning=false)"
ROW_NUMBER = "file_row_number"  # the columns that DuckDB adds where rows are numbered
FILE_NAME = "filename"
COPIED_WITHIN = "300MB"  # of memory, where a table is copied by SQL alone
_DECIMAL_COMMA = re.compile(r"'[-+]?[0-9]*,[0-9]+'")  # a cell, as messages quote it


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
        A CSV, TSV (also gzipped) or Parquet file; its ending gives the format.
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
    if _kind(path) == CSV:
        values = read_csv(path, layout, wanted, set(numbers))
    else:
        layout.refuse_for(PARQUET)
        values = _read_parquet(path, wanted, layout.max_unpacked)
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
        if error.name not in columns or _kind(path) != CSV:
            raise
        line = line_of(path, layout, columns, error.name, error.row)
        comma = layout.decimal is None and _DECIMAL_COMMA.search(error.got)
        place = (f"line {line}", "the header is line 1")
        remedy = ("decimal", "',' reads a decimal comma") if comma else None
        raise FileError(error.name, error.problem(*place), remedy) from error


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
    return _quoted(column)


def count_rows_in_parquet(path: str | Path) -> int:
    """Return the number of rows of a Parquet file, or of all that fit a pattern."""
    with parquet_rows(path) as rows:
        ((count,),) = rows.aggregate("count(*)").fetchall()
    return int(count)


def check_ending(target: Path) -> None:
    """Raise FileError unless `append_columns` can write a table to the path."""
    _by_ending(target, WRITERS, "target")


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
    if _kind(path) == CSV:
        return either(path, layout, wanted, lambda file: _first_cells(file, choose(file.header), most))
    with _opened(path) as connection:
        unique = _names(connection, path)
        chosen = choose([name for name, _ in unique])
        if not chosen:
            return {}
        columns = ", ".join(_quoted(dict(unique)[name]) for name in chosen)
        found = connection.execute(f"SELECT {columns} FROM {_ROWS} LIMIT {most:d}", [_as_named(path)]).fetchall()
    return dict(zip(chosen, map(list, zip(*found, strict=True)), strict=True)) if found else {}


def _first_cells(file: CsvFile, chosen: Sequence[str], most: int) -> dict[str, list[Any]]:
    if not chosen:
        return {}
    places = [file.header.index(name) for name in chosen]
    rows = [[row[place] for place in places] for _, row in islice(file.rows(), most)]
    return dict(zip(chosen, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


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
    delimiter = _by_ending(target, WRITERS, "target")
    if delimiter == "," and layout.sep:
        delimiter = layout.sep
    if _kind(source) == CSV:
        either(source, layout, wanted or {}, lambda file: _append_to_rows(file, target, delimiter, columns, values))
    else:
        layout.refuse_for(PARQUET)
        _append_to_parquet(source, target, delimiter, columns, values)


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
        chosen = ", ".join(_quoted(unique[column]) for column in wanted.values())
        types = connection.sql(f"SELECT {chosen} FROM read_parquet({_text(_as_named(path))})").types
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
    delimiter = _by_ending(target, WRITERS, "target")
    new = ", ".join(f"{value} AS {_quoted(column)}" for value, column in zip(expressions, columns, strict=True))
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


def _copy_within(memory: str | None, query: str, source: Path, target: Path, how: str) -> None:
    """Copy within a limit of the memory, in a connection of its own: DuckDB 1.3 keeps a limit that is reset."""
    with duckdb.connect() as connection:
        connection.execute("SET temp_directory = ''")  # by default a folder in the current one
        if memory is not None:
            connection.execute(f"SET memory_limit = {_text(memory)}")
        _copy(connection, query, source, target, how)


def _refuse_any_same(columns: Sequence[str], header: Sequence[str], path: Path) -> None:
    """Raise FileError where a new column is called like another, old or new."""
    for k, column in enumerate(columns):
        _refuse_same(column, [*header, *columns[:k]], path)


def _append_to_rows(file: CsvFile, target: Path, delimiter: str, columns: Sequence[str], values: FloatArray) -> None:
    """Write the rows of a CSV file and the values, as CSV or, without a delimiter, as Parquet."""
    _refuse_any_same(columns, file.header, file.path)
    if not delimiter:
        _append_as_parquet(file, target, columns, values)
        return
    decimal = file.layout.decimal or "."
    with _written(target) as text:
        text.write(delimiter.join(_cell(name, delimiter) for name in (*file.header, *columns)) + "\n")
        for numbers, row, line in _paired(file, values):
            if delimiter != file.sep or file.escaped:
                if file.escaped or '"' in line or delimiter in line:
                    cells = zip(row, file.is_quoted(line), strict=True)
                    row = [_quoted(cell) if quoted else _cell(cell, delimiter) for cell, quoted in cells]
                line = delimiter.join(row)
            new = ("" if isnan(number) else _cell(repr(number).replace(".", decimal), delimiter) for number in numbers)
            text.write(f"{delimiter.join((line, *new))}\n")


def _append_as_parquet(file: CsvFile, target: Path, columns: Sequence[str], values: FloatArray) -> None:
    """Write the cells of a CSV file as texts, by way of a file that quotes every text and nothing that is null."""
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.csv"
        with _written(plain) as text:
            for numbers, row, line in _paired(file, values):
                if '"' in line:
                    cells = zip(row, file.is_quoted(line), strict=True)
                    texts = [_quoted(cell) if cell or quoted else "" for cell, quoted in cells]
                else:
                    texts = [f'"{cell}"' if cell else "" for cell in row]
                ends = ("" if isnan(number) else repr(number) for number in numbers)
                text.write(f"{','.join((*texts, *ends))}\n")
        names, new = (
            [f"{letter}{i}" for i in range(len(each))] for letter, each in (("c", file.header), ("n", columns))
        )
        types = ", ".join([*(f"'{name}': 'VARCHAR'" for name in names), *(f"'{name}': 'DOUBLE'" for name in new)])
        called = zip((*names, *new), _numbered((*file.header, *columns)), strict=True)
        chosen = ", ".join(f"{name} AS {_quoted(one)}" for name, one in called)
        reader = (
            f"read_csv(?, auto_detect=false, header=false, hive_partitioning=false, columns={{{types}}}, nullstr='', "
            f"comment='', allow_quoted_nulls=false, delim=',', quote='\"', escape='\"')"
        )
        with duckdb.connect() as connection:
            _copy(connection, f"SELECT {chosen} FROM {reader}", plain, target, "FORMAT parquet")


def _paired(file: CsvFile, values: FloatArray) -> Iterator[tuple[list[float], list[str], str]]:
    """Yield a row of numbers with each row of the file and its text."""
    for numbers, row in zip_longest(values.tolist(), file.texts()):
        if numbers is None or row is None:  # the file has changed
            raise ValueError(f"the file must have {len(values)} rows, as many as values")
        yield numbers, *row


def _cell(text: str, delimiter: str) -> str:
    """Return a text as a cell of CSV, in quotes where it must be."""
    return _quoted(text) if any(mark in text for mark in (delimiter, '"', "\n", "\r")) else text


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    """Give a text to write to a file, gzipped by its ending."""
    try:
        with (
            gzip.open(path, "wt", encoding="utf-8", newline="")
            if path.name.lower().endswith(".gz")
            else path.open("w", encoding="utf-8", newline="")
        ) as text:
            yield text
    except OSError as error:
        raise OSError(f"the new table cannot be written: {error}") from error


def _append_to_parquet(source: Path, target: Path, delimiter: str, columns: Sequence[str], values: FloatArray) -> None:
    with _opened(source) as connection:
        names = [name for name, _ in _names(connection, source)]
        _refuse_any_same(columns, names, source)
        connection.register("numbers", {f"value{k}": np.ascontiguousarray(column) for k, column in enumerate(values.T)})
        new = [_quoted(column) for column in columns]
        # positions pair the rows with the numbers and pad the shorter side with NULL, which a guard on each side finds
        paired = f"(SELECT *, {', '.join(f'1 AS {one}' for one in new)} FROM {_ROWS}) AS file POSITIONAL JOIN numbers"
        refusal = f"error('the file must have {len(values)} rows, as many as values')"
        guarded = ", ".join(
            f"CASE WHEN file.{one} = 1 AND {value} IS NOT NULL THEN if(isnan({value}), NULL, {value}) ELSE {refusal} "
            f"END AS {one}"
            for value, one in ((f"numbers.value{k}", one) for k, one in enumerate(new))
        )
        how = _how_written(target, delimiter, (*names, *columns), no_rows=not len(values))
        _copy(connection, f"SELECT file.* REPLACE ({guarded}) FROM {paired}", source, target, how)


def _how_written(target: Path, delimiter: str, header: Sequence[str], *, no_rows: bool) -> str:
    """Return the options of COPY for a file of this ending, and of these columns where it is CSV."""
    if not delimiter:
        return "FORMAT parquet"
    line = delimiter.join(_cell(name, delimiter) for name in header)
    packed = "gzip" if target.name.lower().endswith(".gz") else "none"
    # the writer needs a suffix too: that is the newline after the last line, which may be the first
    first = line if no_rows else line + "\n"
    return (
        f"FORMAT csv, COMPRESSION {packed}, DELIMITER {_text(delimiter)}, HEADER false, PREFIX {_text(first)}, "
        f"SUFFIX '\n'"
    )


def _copy(connection: duckdb.DuckDBPyConnection, query: str, source: Path, target: Path, how: str) -> None:
    try:
        connection.execute(f"COPY ({query}) TO {_text(_from_here(target))} ({how})", [_as_named(source)])
    except duckdb.IOException as error:  # the source has just been read
        raise OSError(f"the new table cannot be written: {_reason(error)}") from error


def _read_parquet(path: Path, wanted: Mapping[str, str], limit: int) -> dict[str, NDArray[Any]]:
    with _opened(path) as connection:
        unique = _find(_names(connection, path), wanted, path)
        chosen = list(dict.fromkeys(wanted.values()))
        check_parquet_size(connection, _as_named(path), chosen, path, limit)
        columns = ", ".join(_quoted(unique[column]) for column in chosen)
        found = connection.execute(f"SELECT {columns} FROM read_parquet(?)", [_as_named(path)]).fetchnumpy()
    return {argument: _array(found[unique[column]]) for argument, column in wanted.items()}


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
def _opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection; what DuckDB refuses in the block is a FileError."""
    with duckdb.connect() as connection:
        try:
            yield connection
        except (duckdb.Error, UnicodeDecodeError) as error:  # names too are bytes
            raise FileError("path", f"must be readable as parquet, got {path}: {_reason(error)}") from error


def _kind(path: Path) -> str:
    """Return the format of a file that is there, by its ending."""
    if not path.is_file():
        raise FileError("path", f"must be an existing file, got {path}")
    return _by_ending(path, READERS, "path")


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


def _quoted(text: str) -> str:
    """Return the text in double quotes, as an SQL identifier and as a cell of CSV."""
    return '"' + text.replace('"', '""') + '"'


def _text(value: object) -> str:
    """Return the value as an SQL string."""
    return "'" + str(value).replace("'", "''") + "'"


def _array(column: Any) -> NDArray[Any]:
    """Return a column as an array; DuckDB hands ENUM columns over as pandas categoricals."""
    return column if isinstance(column, np.ndarray) else np.asarray(column)


def _by_ending(path: Path, known: Mapping[str, T], argument: str) -> T:
    for ending, value in known.items():
        if path.name.lower().endswith(ending):
            return value
    raise FileError(argument, f"must end in one of {', '.join(known)}; got {path}")
