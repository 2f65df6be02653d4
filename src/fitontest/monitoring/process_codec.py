"""The evidence of one stream as JSON-ready values and back."""

from dataclasses import fields
from typing import Any

from fitontest.monitoring.bettor_kinds import read_bettor
from fitontest.monitoring.capital import ErrorCapital
from fitontest.monitoring.fixed_share import FixedShare
from fitontest.monitoring.past import OF_PAST, Past
from fitontest.monitoring.process import Process
from fitontest.monitoring.sequences import LineSequence
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.stored_cells import cells_of_columns, columns_of_cells
from fitontest.monitoring.stored_records import columns_of_records, records_of_columns
from fitontest.monitoring.stored_values import (
    optional,
    read_array,
    read_each,
    read_number,
    read_object,
    read_place,
    read_text,
)

NAMES = tuple(field.name for field in fields(Process))
OF_LAST = ("log_e", "log_e_max", "log_cusum")  # what the last record holds too


def process_to_dict(process: Process) -> dict[str, Any]:
    """Return the process as JSON-ready values."""
    return {
        "bettors": [bettor.to_dict() for bettor in process.bettors],
        "shares": {"prior": process.shares.prior.tolist(), "weights": process.shares.weights.tolist()},
        "log_e": process.log_e,
        "log_e_max": process.log_e_max,
        "log_cusum": process.log_cusum,
        "capital": process.capital.to_dict(),
        "lines": None if process.lines is None else process.lines.to_dict(),
        "past": columns_of_cells(process.past.sums),
        "before": columns_of_cells(process.before),
        "since": columns_of_cells(process.since),
        "refuted_by": process.refuted_by,
        "refuted_at": process.refuted_at,
        "records": columns_of_records(process.records),
    }


def process_of_dict(values: object, settings: Settings, place: str) -> Process:
    """Return the process of values that `process_to_dict` returned, or refuse them by the name of their place."""
    held = read_object(values, NAMES, place)
    bettors = read_each(held["bettors"], read_bettor, f"{place}.bettors")
    cells = {name: cells_of_columns(held[name], OF_PAST, f"{place}.{name}") for name in ("past", "before", "since")}
    records = records_of_columns(held["records"], f"{place}.records")
    logs = {name: read_number(held[name], f"{place}.{name}") for name in OF_LAST}
    for name in OF_LAST if records else ():
        if logs[name] != getattr(records[-1], name):
            raise ValueError(f"{place}.{name} must be that of the last record, got {logs[name]!r}")
    return Process(
        bettors=tuple(bettors),
        shares=_shares_of_dict(held["shares"], max(1, len(bettors)), settings, f"{place}.shares"),
        **logs,
        capital=ErrorCapital.from_dict(held["capital"], f"{place}.capital"),
        lines=None if held["lines"] is None else LineSequence.from_dict(held["lines"], f"{place}.lines"),
        past=Past(cells["past"]),
        before=cells["before"],
        since=cells["since"],
        refuted_by=optional(read_text)(held["refuted_by"], f"{place}.refuted_by"),
        refuted_at=read_place(held["refuted_at"], f"{place}.refuted_at"),
        records=records,
    )


def _shares_of_dict(values: object, bettors: int, settings: Settings, place: str) -> FixedShare:
    held = read_object(values, ("prior", "weights"), place)
    prior, weights = (read_array(held[name], (bettors,), f"{place}.{name}") for name in ("prior", "weights"))
    try:
        return FixedShare(prior, prior, settings.share).at(weights)
    except ValueError as error:
        raise ValueError(f"{place}.{error}") from error
