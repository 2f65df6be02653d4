"""Tables in files of any kind: reading columns, and which line of a file a value is on.

What is not there, or cannot be read, is refused with a clear message.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from numpy.typing import NDArray

from fitontest.data.files.csv_files import CsvFile, MalformedError, has_escaped_quotes, opened_csv
from fitontest.data.files.file_error import FileError
from fitontest.data.files.kinds import CSV, JSON, NUMPY, PARQUET, WORKBOOK, kind_of
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.parquet import ROWS, as_array, as_named, columns_of, find_columns, opened
from fitontest.data.files.plain_text import plain_text
from fitontest.data.files.sql import name_in_sql
from fitontest.data.files.text_columns import read_labels, read_numbers
from fitontest.data.files.unpacked import check_parquet_size
from fitontest.data.files.workbooks import read_npz, workbook_as_csv
from fitontest.data.places import BadValueError
from fitontest.results.writing import PREFIX

_JSON_ROWS = "read_json(?, format='newline_delimited', sample_size=-1, maximum_object_size=268435456)"
_CELLS = "cells"  # the table of the cells of a file of text
LINES_EACH = 2  # of a row that is looked at, at most
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
    if kind_of(path) == NUMPY:
        values = _arrays(path, wanted, layout)
    else:
        with opened_table(path, layout, wanted) as table:
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
        kind = kind_of(path)
        if error.name not in columns or kind in (PARQUET, NUMPY):
            raise
        found, remedy = error.got, None
        if layout.decimal is None and layout.thousands is None and _DECIMAL_COMMA.search(found):
            remedy = ("decimal", "',' reads a decimal comma")
            if _THOUSANDS.search(found):
                remedy = ("decimal", "',' reads a decimal comma; there is an option for one between thousands too")
        line, counting = _line_of(path, layout, columns, error.name, error.row), layout.first_line
        if kind != CSV:
            counting = "lines counted from 1"
        raise FileError(error.name, error.problem(f"line {line}", counting), remedy) from error


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
    kind = kind_of(path)
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
    with opened_table(path, layout, {}) as table:
        chosen = choose([name for name, _ in table.names])
        if not chosen:
            return {}
        columns = ", ".join(name_in_sql(dict(table.names)[name]) for name in chosen)
        query = f"SELECT {columns} FROM {table.rows} LIMIT {most:d}"
        found = table.connection.execute(query, table.parameters).fetchall()
    return dict(zip(chosen, map(list, zip(*found, strict=True)), strict=True)) if found else {}


def _line_of(path: Path, layout: Layout, columns: Mapping[str, str], name: str, row: int) -> int:
    """Return the line of the cell of a column in a row, counted from 0, of a file of text."""
    with ExitStack() as stack:
        if kind_of(path) != JSON:
            file, _, _ = _enter_csv(stack, path, layout, columns)
            return file.line_of(row, name, columns[name])
        lines = stack.enter_context(stack.enter_context(plain_text(path, layout)).open(encoding="utf-8"))
        return next(islice((line for line, each in enumerate(lines, 1) if each.strip()), row, None))


@dataclass(frozen=True)
class Table:
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
            return {argument: as_array(found[column]) for argument, column in columns.items()}
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
def opened_table(path: Path, layout: Layout, wanted: Mapping[str, str]) -> Iterator[Table]:
    """Give a table in a file of any kind; what DuckDB refuses in the block is a FileError.

    `wanted` are columns of it, by which the separator of a CSV file is known.
    """
    kind = kind_of(path)
    if kind != CSV:
        layout.refuse_for(kind)
    with ExitStack() as stack:
        if kind in (CSV, WORKBOOK):
            file, rows, n = _enter_csv(stack, path, layout, wanted)
            names = [(name, f"c{place}") for place, name in enumerate(file.header)]
            yield Table(stack.enter_context(opened(path, kind)), rows, names, file.find, file.layout, n)
            return
        text = stack.enter_context(plain_text(path, layout)) if kind == JSON else path
        connection = stack.enter_context(opened(path, kind))
        if kind == PARQUET:
            names, rows, parameters = columns_of(connection, path), ROWS, (as_named(path),)
            chosen = [name for name in dict.fromkeys(wanted.values()) if name in dict(names)]
            check_parquet_size(connection, as_named(path), chosen, path, layout.max_unpacked)
        elif kind == JSON:
            rows, parameters = _JSON_ROWS, (str(text),)
            names = [
                (name, name) for name in connection.execute(f"SELECT * FROM {rows} LIMIT 0", parameters).fetchnumpy()
            ]
        else:
            raise FileError("path", f"must be a table of rows, got {path}, which holds arrays")

        def find(argument: str, column: str) -> int:
            find_columns(names, {argument: column}, path)
            return [name for name, _ in names].index(column)

        yield Table(connection, rows, names, find, parameters=parameters)


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
    if kind_of(path) == CSV:
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
    find_columns([(name, name) for name in arrays], wanted, path)
    return {argument: arrays[name] for argument, name in wanted.items()}
