"""Numpy archives and workbooks: arrays by their names, and the first sheet of a workbook as CSV."""

import csv
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from fitontest.data.files.file_error import FileError
from fitontest.data.files.unpacked import too_large


def read_npz(path: Path, limit: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file; none is made by running what the file says.

    Parameters
    ----------
    path : Path
    limit : int
        Bytes to which it may unpack.
    """
    try:
        _check_size(path, limit)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, OSError, BadZipFile, EOFError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError("path", f"must be readable as npz, got {path}: {error}") from error


def workbook_as_csv(path: Path, target: Path, limit: int) -> Path:
    """Write the first sheet of a workbook as CSV, a line for each of its rows, and return the target.

    Parameters
    ----------
    path, target : Path
    limit : int
        Bytes to which it may unpack.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise FileError(
            "path", f"must be read by openpyxl (pip install openpyxl), which is not there, got {path}"
        ) from error
    try:
        _check_size(path, limit)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError("path", f"must be readable as xlsx, got {path}: {error}") from error
    try:
        rows = [list(map(_as_text, row)) for row in book.worksheets[0].iter_rows(values_only=True)]
    finally:
        book.close()
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=0)
    while rows and not any(rows[-1]):
        rows.pop()
    with target.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text, lineterminator="\n").writerows(row[:width] for row in rows)
    return target


def _as_text(cell: Any) -> str:
    """Return a cell of a workbook as CSV has it; numbers are read back bit by bit."""
    if isinstance(cell, float):
        return repr(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    return "" if cell is None else str(cell)


def _check_size(path: Path, limit: int) -> None:
    with ZipFile(path) as archive:
        if sum(each.file_size for each in archive.infolist()) > limit:
            raise too_large(path, limit)
