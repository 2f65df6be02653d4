"""Records of batches as columns, one list for each field: a tenth of what a list of objects takes, names repeated."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from fitontest.monitor.history import Record
from fitontest.monitor.stored.values import (
    Reader,
    optional,
    read_count,
    read_each,
    read_list,
    read_mapping,
    read_number,
    read_object,
    read_plain,
    read_text,
)

BY_NAME = ("log_factors", "log_gains")  # fields that are numbers by name
NAMES = tuple(field.name for field in fields(Record))


def columns_of_records(records: Sequence[Record]) -> dict[str, Any]:
    """Return the records as JSON-ready columns; a number that a record lacks is None."""
    columns: dict[str, Any] = {}
    for name in NAMES:
        values = [getattr(record, name) for record in records]
        if name in BY_NAME:
            known = dict.fromkeys(key for value in values for key in value)
            columns[name] = {key: [value.get(key) for value in values] for key in known}
        else:
            columns[name] = [list(value) if isinstance(value, tuple) else value for value in values]
    return columns


def records_of_columns(columns: object, place: str) -> tuple[Record, ...]:
    """Return the records of columns that `columns_of_records` returned, or refuse them."""
    values = read_object(columns, NAMES, place)
    n = len(read_list(values["batch"], f"{place}.batch"))
    read = {name: _column(values[name], n, name, f"{place}.{name}") for name in NAMES}
    return tuple(Record(**{name: column[k] for name, column in read.items()}) for k in range(n))


def _column(values: object, n: int, name: str, place: str) -> list[Any]:
    if name not in BY_NAME:
        return read_each(values, READERS.get(name, read_plain), place, n)
    columns = read_mapping(values, lambda column, at: read_each(column, optional(read_number), at, n), place)
    return [{key: column[k] for key, column in columns.items() if column[k] is not None} for k in range(n)]


def _pair(value: object, place: str) -> tuple[Any, ...]:
    return tuple(read_each(value, optional(read_number), place, 2))


READERS: dict[str, Reader] = {
    "batch": read_text,
    "time": optional(read_text),
    "n": read_count,
    "events": optional(read_count),
    "weight": read_number,
    "expected": optional(read_number),
    "log_factor": read_number,
    "log_e": read_number,
    "log_cusum": read_number,
    "level": optional(_pair),
    "slope": optional(_pair),
    "error_low": read_number,
    "left_out": read_count,
}
