"""Parquet files of columns of many types and encodings, damaged or not, and what pyarrow reads of them.

`mutated_inputs.py` imports this; it is not run on its own.
"""

import decimal
import io
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fitontest as fot
from fitontest.data.columns import Names
from fitontest.data.files.copies import append_columns
from fitontest.data.files.tables import read_columns

Values = list[Any]
STRANGE = (None, math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.5, -0.1, 1e308, 1.0 + 2**-52, 1 - 2**-53)
CONTEXT = decimal.Context(prec=60)


class UnjudgedError(Exception):
    """The other reader does not read the file, so there is nothing to compare with."""


def _quantized(values: Values, digits: int, scale: int) -> pa.Array:
    unit = decimal.Decimal(1).scaleb(-scale)
    exact = [None if one is None else decimal.Decimal(one).quantize(unit, context=CONTEXT) for one in values]
    return pa.array(exact, pa.decimal128(digits, scale))


def _halved(values: Values) -> pa.Array:
    with np.errstate(over="ignore"):
        return pa.array(np.array(values, dtype=np.float16))


def _of(kind: Any) -> Callable[[Values], pa.Array]:
    return lambda values: pa.array(values, kind)


WHOLE = [_of(kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())]
FLOATS = [_of(kind) for kind in (pa.float32(), pa.float64(), pa.float64(), pa.float64())]
OTHERS = [
    lambda values: pa.array([None if one is None else str(one) for one in values]),
    lambda values: pa.array([None if one is None else str(one) for one in values]).dictionary_encode(),
    lambda values: pa.array([[one] for one in values]),
    lambda values: pa.array([{"a": one} for one in values]),
    lambda values: pa.array([None] * len(values)),
    lambda values: pa.array([None if one is None else str(one).encode() for one in values]),
    lambda values: pa.array([0 if one is None else int(one) for one in values], pa.timestamp("us")),
    lambda values: pa.array([0 if one is None else int(one) for one in values], pa.date32()),
    lambda values: _quantized([0 if one is None else one for one in values], 10, 4),
    lambda values: _quantized([0 if one is None else one for one in values], 38, 20),
    lambda values: _halved([0 if one is None else one for one in values]),
    lambda values: pa.array([None if one is None else bool(one) for one in values]),
]


def parquet_files(rng: np.random.Generator) -> bytes:
    """Return a Parquet file: labels, scores, weights and a text, each of some type, seldom with a strange value."""
    n = int(rng.integers(2, 40))
    y, w = rng.integers(0, 2, n).tolist(), rng.integers(0, 4, n).tolist()
    p = [float(one) for one in np.where(rng.random(n) < 0.3, rng.integers(0, 3, n) / 2, rng.random(n))]
    for values in (y, p, w):
        if rng.random() < 0.1:
            values[int(rng.integers(0, n))] = STRANGE[int(rng.integers(0, len(STRANGE)))]
    columns = {
        "name": pa.array([None if rng.random() < 0.1 else "ab é\n"[: int(rng.integers(0, 6))] for _ in range(n)]),
        "y": _typed(y, (*WHOLE, *FLOATS, *OTHERS[-1:] * 3), rng),
        "p": _typed(p, FLOATS, rng),
        "w": _typed(w, (*WHOLE, *FLOATS), rng),
    }
    names = [str(rng.choice(["y", "P", "p", "x"])) if rng.random() < 0.02 else name for name in columns]
    order = rng.permutation(4)
    table = pa.table([[*columns.values()][k] for k in order], [names[k] for k in order])
    return _written(table, rng)


def _typed(values: Values, usual: Iterable[Callable[[Values], pa.Array]], rng: np.random.Generator) -> pa.Array:
    """Return a column of one of the usual types, seldom of another; of floats where the values do not fit."""
    choices = OTHERS if rng.random() < 0.1 else list(usual)
    try:
        return choices[int(rng.integers(0, len(choices)))](values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, decimal.DecimalException):
        return pa.array(values, pa.float64())


def _written(table: pa.Table, rng: np.random.Generator) -> bytes:
    out = io.BytesIO()
    pq.write_table(
        table,
        out,
        compression=str(rng.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"])),
        use_dictionary=bool(rng.random() < 0.5),
        data_page_version=str(rng.choice(["1.0", "2.0"])),
        row_group_size=int(rng.integers(1, 41)),
        write_statistics=bool(rng.random() < 0.5),
        store_schema=bool(rng.random() < 0.5),
    )
    return out.getvalue()


def check_parquet(raw: bytes, folder: Path, wanted: dict[str, str], called: tuple[str, ...]) -> str | None:
    """Return what is wrong with the reading of a file, if it is read at all."""
    path = folder / "a.parquet"
    path.write_bytes(raw)
    sample = fot.ScoreSample(*read_columns(path, wanted, ("prob", "weight")).values(), names=Names(*called))
    try:
        table = pq.read_table(io.BytesIO(raw))
        columns = {name: table.column(name).to_pylist() for name in "ypw"}
    except Exception as error:
        raise UnjudgedError(str(error)) from error
    for name, values, found in (("p", columns["p"], sample.p), ("w", columns["w"], sample.w)):
        exact = not pa.types.is_decimal(table.schema.field(name).type)
        wrong = _differs(name, values, found, exact)
        if wrong:
            return f"column {name} {wrong}"
    if [one == 1 for one in columns["y"]] != sample.y.tolist():
        return "read as other labels"
    try:
        append_columns(path, folder / "o.parquet", ("c",), sample.p[:, None])
    except ValueError as error:
        # by the name of the new column, or by damage in the column that was not read
        refused = "column must" in str(error) or "path must be readable as parquet" in str(error)
        return None if refused else f"read, but not copied: {error}"
    copied = pq.read_table(folder / "o.parquet")
    if copied.column("c").to_numpy().tobytes() != sample.p.tobytes():
        return "copied with other numbers"
    # by position: names that are equal but for upper and lower case are numbered
    kept = all(
        _same(copied.column(k).to_pylist(), columns[name]) for k, name in enumerate(table.column_names) if name in "ypw"
    )
    return None if kept else "copied with other columns"


def normed(weights: Any) -> Any:
    """Return weights times the power of two that makes the largest at most 1: the package scales extreme ones."""
    largest = float(np.max(weights, initial=0.0))
    return np.ldexp(weights, -math.frexp(largest)[1]) if math.isfinite(largest) else weights


def _differs(name: str, values: Values, found: Any, exact: bool) -> str | None:
    """Return how numbers differ from what was found; decimals may be rounded twice."""
    try:
        expected = np.array([float(one) for one in values])
    except (TypeError, ValueError) as error:
        return f"read, though a value is no number: {error}"
    if expected.shape != found.shape:
        return f"read with {found.size} rows of {expected.size}"
    if name == "w":
        expected, found = normed(expected), normed(found)
    same = expected + 0.0 == found if exact else np.isclose(expected, found, rtol=1e-15, atol=0.0)
    return None if same.all() else f"read as {found.tolist()[:5]}, not {expected.tolist()[:5]}"


def _same(one: Values, other: Values) -> bool:
    return len(one) == len(other) and all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))
