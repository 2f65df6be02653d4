"""Reading columns of a CSV or Parquet file, by DuckDB, with a clear refusal where something is not there."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

# all rows decide a column's type: from a sample, a column that begins with 0 and 1 would become integer, and the
# decimals further down would be rounded without a word
_CSV = "read_csv(?, sample_size=-1, nullstr=['', 'NA', 'N/A', 'null', 'NULL'])"
_PARQUET = "read_parquet(?)"
READERS = {
    ".csv": _CSV,
    ".csv.gz": _CSV,
    ".tsv": _CSV,
    ".tsv.gz": _CSV,
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
}


def read_columns(path: Path, wanted: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Return columns of a table as numpy arrays; missing entries come as masked arrays.

    Parameters
    ----------
    path : Path
        A CSV, TSV (also gzipped) or Parquet file, told apart by its ending.
    wanted : dict of str to str
        What the caller calls a column (for error messages), and the column's name in the file.

    Returns
    -------
    dict
        The arrays, by what the caller calls them.

    Raises
    ------
    ValueError
        No such file, an unknown ending, a file that cannot be read as what its ending says, a missing column.
    """
    reader = _reader(path)
    with duckdb.connect() as connection:
        try:
            names = connection.execute(f"SELECT * FROM {reader} LIMIT 0", [str(path)]).fetchnumpy()
            absent = {name: column for name, column in wanted.items() if column not in names}
            if absent:
                name, column = next(iter(absent.items()))
                raise ValueError(f"{name} must be a column of {path}, got {column!r}; its columns are {list(names)}")
            columns = ", ".join(_quoted(column) for column in dict.fromkeys(wanted.values()))
            found = connection.execute(f"SELECT {columns} FROM {reader}", [str(path)]).fetchnumpy()
        except duckdb.Error as error:
            reason = " ".join(str(error).split())[:300]
            raise ValueError(
                f"FILE must be readable as {reader[5:].partition('(')[0]}, got {path}: {reason}"
            ) from error
    return {name: _array(found[column]) for name, column in wanted.items()}


def _quoted(column: str) -> str:
    """Return the name as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def _array(column: Any) -> NDArray[Any]:
    """Return a column as an array; DuckDB hands ENUM columns over as pandas categoricals."""
    return column if isinstance(column, np.ndarray) else np.asarray(column)


def _reader(path: Path) -> str:
    if not path.is_file():
        raise ValueError(f"FILE must be an existing file, got {path}")
    if set(str(path)) & set("*?["):  # DuckDB would read them as a pattern and might open other files
        raise ValueError(f"FILE must not have any of * ? [ in its name, got {path}")
    for ending, reader in READERS.items():
        if path.name.lower().endswith(ending):
            return reader
    raise ValueError(f"FILE must end in one of {', '.join(READERS)}; got {path}")
