"""How much a file may unpack to: a few kilobytes that were compressed can fill the memory."""

import re
from pathlib import Path
from typing import Any

from fitontest.data.files.file_error import FileError
from fitontest.results.checks import brief

UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12} | {
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
MOST_UNPACKED = 4 * 2**30  # bytes
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([a-z]*)", re.IGNORECASE)


def read_size(text: str, name: str) -> int:
    """Return a number of bytes, as "500MB" or "4GiB" says it.

    Examples
    --------
    >>> read_size("4GiB", "size"), read_size("1.5 kB", "size"), read_size("10", "size")
    (4294967296, 1500, 10)
    """
    found = _SIZE.fullmatch(text.strip())
    unit = UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise ValueError(f"{name} must be a number of bytes such as 500MB or 4GiB, got {brief(text)}")
    return int(found[1]) * unit if found[1].isdigit() else int(float(found[1]) * unit)


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that tells it exactly.

    Examples
    --------
    >>> size_text(4294967296), size_text(500000), size_text(1001)
    ('4GiB', '500kB', '1001 bytes')
    """
    for unit in ("TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "kB"):
        if size % UNITS[unit.lower()] == 0:
            return f"{size // UNITS[unit.lower()]}{unit}"
    return f"{size} bytes"


def too_large(path: object, limit: int, rule: str = "unpack to") -> FileError:
    """Return the refusal of a file that has, or unpacks to, more bytes than a limit."""
    problem = f"must {rule} at most {size_text(limit)}, got {path}, which is larger"
    return FileError("path", problem, ("max_unpacked", "gives another limit"))


def check_parquet_size(connection: Any, file: str, columns: list[str], path: Path, limit: int) -> None:
    """Refuse a Parquet file whose columns are too large to be read into memory.

    A number takes 8 bytes there, also where equal ones are stored once, and a text the bytes that the file says.

    Parameters
    ----------
    connection : DuckDBPyConnection
    file : str
        What DuckDB calls the file.
    columns : list of str
        Which are read.
    path : Path
    limit : int
        Bytes.
    """
    query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
    ((rows,),) = connection.execute(query, [file]).fetchall()
    if not rows:
        return
    query = "SELECT sum(total_uncompressed_size) FROM parquet_metadata(?) WHERE list_contains(?, path_in_schema)"
    ((stored,),) = connection.execute(query, [file, columns]).fetchall()
    if max(8 * int(rows) * len(columns), int(stored or 0)) > limit:
        raise too_large(path, limit)
