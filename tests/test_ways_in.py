"""A rule of the door holds on every way in: arrays, frames of each engine, files and cells refuse the same rows."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fitontest as fot

N = 40
RNG = np.random.default_rng(0)
ROWS = {"y": (RNG.random(N) < 0.4).astype(float), "p": RNG.random(N).round(3), "w": RNG.integers(1, 4, N).astype(float)}
COLUMNS = {"label": "y", "prob": "p", "weight": "w"}


def arrays(kind):
    def read(rows, _folder):
        y, p, w = (kind(rows[name]) for name in ROWS)
        return fot.read(y, p, sample_weight=w)

    return read


def frame(make, **options):
    def read(rows, _folder):
        return fot.read(make({name: rows[name] for name in ROWS}), **COLUMNS, **options)

    return read


def of_frame(make):
    return lambda rows, _folder: fot.Cells.of_frame(make({name: rows[name] for name in ROWS}), **COLUMNS)


def csv(rows, folder):
    pd.DataFrame(rows).to_csv(folder / "rows.csv", index=False)
    return fot.read(folder / "rows.csv", **COLUMNS)


def json_lines(rows, folder):
    text = pd.DataFrame(rows).to_json(orient="records", lines=True, double_precision=15)
    infinite = [name for name, column in rows.items() if np.isinf(column).any()]  # which pandas writes as null
    text = re.sub(rf'"{infinite[0]}":null', f'"{infinite[0]}":1e999', text) if infinite else text
    (folder / "rows.jsonl").write_text(text)
    return fot.read(folder / "rows.jsonl", **COLUMNS)


def parquet(rows, folder):
    pq.write_table(pa.table(dict(rows)), folder / "rows.parquet")
    return fot.read(folder / "rows.parquet", **COLUMNS)


def parquet_by_batches(rows, folder):
    pq.write_table(pa.table(dict(rows)), folder / "rows.parquet")
    return fot.read(folder / "rows.parquet", **COLUMNS, cells="always")


def pattern(rows, folder):
    for k in range(2):
        half = {name: column[k::2] for name, column in rows.items()}
        pq.write_table(pa.table(half), folder / f"part_{k}.parquet")
    return fot.read(folder / "part_*.parquet", **COLUMNS)


def scanned(rows, folder):
    pq.write_table(pa.table(dict(rows)), folder / "rows.parquet")
    return fot.read(pl.scan_parquet(folder / "rows.parquet"), **COLUMNS)


def relation(rows, folder):
    pq.write_table(pa.table(dict(rows)), folder / "rows.parquet")
    duckdb = pytest.importorskip("duckdb")
    return fot.read(duckdb.read_parquet(str(folder / "rows.parquet")), **COLUMNS)


def npz(rows, folder):
    np.savez(folder / "rows.npz", **rows)
    return fot.read(folder / "rows.npz", **COLUMNS)


WAYS = {
    "lists": arrays(list),
    "numpy": arrays(np.asarray),
    "series of pandas": arrays(pd.Series),
    "series of polars": arrays(pl.Series),
    "frame of pandas": frame(pd.DataFrame),
    "frame of polars": frame(pl.DataFrame),
    "table of pyarrow": frame(pa.table),
    "lazy frame": frame(pl.LazyFrame),
    "frame as cells": frame(pl.DataFrame, cells="always"),
    "cells of arrays": lambda rows, _: fot.Cells.of(rows["y"], rows["p"], sample_weight=rows["w"]),
    "cells of a frame": of_frame(pl.DataFrame),
    "CSV": csv,
    "JSON lines": json_lines,
    "Parquet": parquet,
    "Parquet by batches": parquet_by_batches,
    "several Parquet files": pattern,
    "scan of Parquet": scanned,
    "relation of DuckDB": relation,
    "npz": npz,
}

#: what is wrong with row 4, in which column, and what every refusal says
RULES = {
    "a score above 1": ("p", 1.5, r"must lie in \[0, 1\]|score outside \[0, 1\]"),
    "a negative score": ("p", -0.25, r"must lie in \[0, 1\]|score outside \[0, 1\]"),
    "a missing score": (
        "p",
        np.nan,
        "must (be finite|not have missing values)|score that is missing or NaN|some hold NaN",
    ),
    "an infinite score": ("p", np.inf, r"must (be finite|lie in \[0, 1\])|score outside \[0, 1\]"),
    "a missing label": ("y", np.nan, "must (be finite|not have missing values)|a label that is (missing|not among)"),
    "a third label": ("y", 2.0, "must have at most two classes|label that is not among the classes"),
    "a negative weight": ("w", -1.0, "must not be negative|weight that is negative"),
    "a missing weight": (
        "w",
        np.nan,
        "must (be finite|not have missing values)|weight that is missing or NaN|some hold NaN",
    ),
    "an infinite weight": (
        "w",
        np.inf,
        "must (be finite|have a positive finite sum)|weight that is negative or infinite",
    ),
    "no weight at all": ("w", None, "must have a positive (finite )?sum|rows of positive weight"),
}


def broken(rule):
    column, value, _ = RULES[rule]
    rows = {name: values.copy() for name, values in ROWS.items()}
    if value is None:
        rows[column][:] = 0.0
    else:
        rows[column][3] = value
    return rows


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_refuses(way, rule, tmp_path):
    with pytest.raises(ValueError, match=r"(?s)" + RULES[rule][2]) as refused:
        WAYS[way](broken(rule), tmp_path)
    if "some hold NaN" in str(refused.value):  # statistics of the file hide it from the connection of a user
        return
    named = {"y": "label|y_true", "p": "prob|score", "w": "weight"}[RULES[rule][0]]
    assert re.search(named, str(refused.value))


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_takes_the_same_rows(way, tmp_path):
    data = WAYS[way](ROWS, tmp_path)
    assert (data.n, round(data.base_rate, 12)) == (N, round(float(ROWS["w"] @ ROWS["y"] / ROWS["w"].sum()), 12))
