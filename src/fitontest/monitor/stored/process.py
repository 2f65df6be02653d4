"""The evidence of one stream as JSON-ready values and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.cells.cells import COLUMNS, checked_sums, columns_of
from fitontest.monitor.bettors.fixed_share import FixedShare
from fitontest.monitor.bettors.kinds import read_bettor
from fitontest.monitor.capital import ErrorCapital
from fitontest.monitor.lines.sequence import LineSequence
from fitontest.monitor.past import OF_PAST, Past
from fitontest.monitor.process import Process
from fitontest.monitor.settings import Settings
from fitontest.monitor.stored.records import columns_of_records, records_of_columns
from fitontest.monitor.stored.values import (
    optional,
    read_array,
    read_each,
    read_number,
    read_object,
    read_place,
    read_text,
)
from fitontest.results.checks import brief, check_flag, choose

NAMES = ("whole", "key", *COLUMNS)


def columns_of_cells(sums: CellSums) -> dict[str, Any]:
    """Return cells, which are of no groups, as JSON-ready columns."""
    columns = columns_of(sums)
    if sums.whole:  # half the characters
        counts = [name for name in columns if name.startswith(("weight_", "squares_"))]
        columns |= {name: columns[name].astype(np.int64) for name in counts}
    return {"whole": sums.whole, **{name: column.tolist() for name, column in columns.items()}}


def cells_of_columns(columns: object, resolution: Resolution, place: str) -> CellSums:
    """Return the cells of columns that `columns_of_cells` returned, or refuse them."""
    values = read_object(columns, NAMES, place)
    try:
        whole = check_flag(values["whole"], "whole")
        if all(isinstance(values[name], list) and not values[name] for name in NAMES[1:]):
            return CellSums.none()
        return checked_sums(values, whole, resolution, None)
    except ValueError as error:
        raise ValueError(f"{place} must hold cells: {error}") from error


SCORES = "scores"  # what a process is of
LOGS = ("log_e", "log_cusum")  # what the last record holds too
CELLS = ("past", "before", "since")
KEYS = ("of", "bettors", "shares", *LOGS, "refuted_by", "refuted_at", "records", "capital", "lines", *CELLS)


def process_to_dict(process: Process) -> dict[str, Any]:
    """Return the process as JSON-ready values."""
    return {
        "of": SCORES,
        "bettors": [bettor.to_dict() for bettor in process.bettors],
        "shares": {"prior": process.shares.prior.tolist(), "weights": process.shares.weights.tolist()},
        **{name: getattr(process, name) for name in LOGS},
        "refuted_by": process.refuted_by,
        "refuted_at": process.refuted_at,
        "records": columns_of_records(process.records),
        "capital": process.capital.to_dict(),
        "lines": None if process.lines is None else process.lines.to_dict(),
        "past": columns_of_cells(process.past.sums),
        "before": columns_of_cells(process.before),
        "since": columns_of_cells(process.since),
    }


def process_of_dict(values: object, settings: Settings, place: str) -> Process:
    """Return the process of values that `process_to_dict` returned, or refuse them by the name of their place."""
    if not isinstance(values, dict):
        raise ValueError(f"{place} must be an object, got {brief(values)}")
    choose(values.get("of"), (SCORES,), f"{place}.of")
    held = read_object(values, KEYS, place)
    past, before, since = (cells_of_columns(held[name], OF_PAST, f"{place}.{name}") for name in CELLS)
    return Process(
        **_evidence_of_dict(held, settings, place),
        capital=_capital_of_dict(held["capital"], settings, f"{place}.capital"),
        lines=None if held["lines"] is None else LineSequence.from_dict(held["lines"], f"{place}.lines"),
        past=Past(past),
        before=before,
        since=since,
    )


def _capital_of_dict(values: object, settings: Settings, place: str) -> ErrorCapital:
    """Return the capital of a process, whose signs and mean errors are those of its settings."""
    capital = ErrorCapital.from_dict(values, place)
    if capital.families != tuple(settings.families):
        raise ValueError(f"{place}.families must be those of the settings, got {brief(list(capital.families))}")
    if settings.max_error is not None and settings.max_error not in capital.errors:
        raise ValueError(f"{place}.errors must hold the max_error of the settings, {settings.max_error:g}")
    return capital


def _evidence_of_dict(held: Mapping[str, Any], settings: Settings, place: str) -> dict[str, Any]:
    """Return who bets, the evidence, what refuted the hypothesis, and the records."""
    bettors = read_each(held["bettors"], read_bettor, f"{place}.bettors")
    _check_families(bettors, settings, f"{place}.bettors")
    records = records_of_columns(held["records"], f"{place}.records")
    logs = {name: read_number(held[name], f"{place}.{name}") for name in LOGS}
    for name in LOGS if records else ():
        if logs[name] != getattr(records[-1], name):
            raise ValueError(f"{place}.{name} must be that of the last record, got {logs[name]!r}")
    refuted_by = optional(read_text)(held["refuted_by"], f"{place}.refuted_by")
    refuted_at = read_place(held["refuted_at"], f"{place}.refuted_at")
    if (refuted_by is None) != (refuted_at == -1) or refuted_at >= len(records):
        raise ValueError(f"{place}.refuted_at must be the place of a record, -1 without refuted_by; got {refuted_at}")
    return {
        "bettors": tuple(bettors),
        "shares": _shares_of_dict(held["shares"], max(1, len(bettors)), settings, f"{place}.shares"),
        **logs,
        "refuted_by": refuted_by,
        "refuted_at": refuted_at,
        "records": records,
    }


def _check_families(bettors: list[Any], settings: Settings, place: str) -> None:
    """Refuse bettors on maps of families that are not fitted."""
    of_maps = tuple(family for bettor in bettors for family in bettor.families)
    if bettors and of_maps != tuple(settings.families):
        families = ", ".join(settings.families)
        raise ValueError(f"{place} must be on the families of the settings, {families}; got {brief(of_maps)}")


def _shares_of_dict(values: object, bettors: int, settings: Settings, place: str) -> FixedShare:
    held = read_object(values, ("prior", "weights"), place)
    prior, weights = (read_array(held[name], (bettors,), f"{place}.{name}") for name in ("prior", "weights"))
    try:
        return FixedShare(prior, prior, settings.share).at(weights)
    except ValueError as error:
        raise ValueError(f"{place}.{error}") from error
