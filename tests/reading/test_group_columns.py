"""Columns that look like those of groups: by their names and how often their values repeat."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot
from fitontest.data.group_hint import NO_HINT, GroupHint, IdColumn
from fitontest.data.repeated_rows import Repeats
from fitontest.reading.id_columns import looks_like_id

RNG = np.random.default_rng(0)
N = 600
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
ID = RNG.integers(0, 100, N)
COLUMNS = {"label": Y, "score": P, "patient_id": ID}
CALLED = {"label": "label", "prob": "score"}
FOUND = IdColumn("patient_id", 100, N)
ENGINES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": lambda columns: pa.table({name: pa.array(column) for name, column in columns.items()}),
}


def column_of(columns, **more):
    return fot.read(pd.DataFrame(columns), **CALLED | more).hint.column


@pytest.mark.parametrize(
    "name",
    [
        *("patient_id", "PatientID", "patientId", "patientid", "patient", "Patient-ID", "patient no", "PATIENT_NUMBER"),
        *("subject", "subject.id", "user_id", "anonymous user", "uid", "customerID", "session_id", "sessionid"),
        *("hospital", "site", "encounter", "mrn", "MRN", "MRN_hash", "prompt_id", "device_id", "household", "id", "ID"),
        *("id_device", "loan_id", "hospital_patient_id", "school", "group", "cluster_id", "speaker"),
    ],
)
def test_names_of_ids(name):
    assert looks_like_id(name)


@pytest.mark.parametrize(
    "name",
    [
        *("valid", "grid", "paid", "humid", "covid", "idle", "index", "identity", "void", "", "123", "_"),
        *("patient_age", "hospital_beds", "user_count", "days_since_visit", "site_temperature", "subject line"),
        *("visit", "session", "device", "age", "region", "split", "score", "id_score_mean"),
        *("row_id", "label_id", "class_id", "model_id", "fold_id", "time_id", "record_id", "line_uid"),
    ],
)
def test_names_that_are_none(name):
    assert not looks_like_id(name)


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
def test_a_column_of_a_frame_is_found(make):
    assert fot.read(make(COLUMNS), **CALLED).hint == GroupHint("groups", FOUND)
    names = {**COLUMNS, "patient_id": np.char.add("p", ID.astype(str))}
    assert fot.read(make(names), **CALLED).hint.column == FOUND


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_a_column_of_a_file_is_found(tmp_path, ending):
    path = tmp_path / f"rows.{ending}"
    frame = pd.DataFrame({**COLUMNS, "note": "a, b"})
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert fot.read(path, **CALLED).hint == GroupHint("groups", FOUND)
    assert fot.read(path, **CALLED, groups="patient_id").hint == NO_HINT
    assert fot.read(path, **CALLED, by="note").whole.hint.column == FOUND


@pytest.mark.parametrize(
    "values",
    [
        np.arange(N),  # rows
        np.arange(N) // 1.15,  # hardly any repeats
        np.full(N, 7),
        np.arange(N) % 9,  # fewer groups than can be learnt from
        np.arange(N) % 2 == 0,
        np.arange(N) % 50 / 4,
        np.full(N, None),
        np.full(N, ""),
    ],
    ids=["rows", "few repeats", "constant", "few", "truth", "measured", "missing", "empty"],
)
def test_values_that_are_no_groups(values, tmp_path):
    columns = {**COLUMNS, "patient_id": values}
    assert column_of(columns) is None
    path = tmp_path / "rows.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    assert fot.read(path, **CALLED).hint.column is None


def test_missing_ids_are_left_out():
    ids = np.where(np.arange(N) < 100, np.nan, ID)
    assert column_of({**COLUMNS, "patient_id": ids}) == IdColumn("patient_id", len(set(ID[100:])), 500)


def test_the_first_rows_are_looked_at():
    many = {name: np.tile(column, 50) for name, column in COLUMNS.items()}
    column = column_of(many)
    assert (column.values, column.rows, column.of_all) == (100, 20_000, False)
    assert str(column) == "100 values in the first 20,000 rows"


def test_the_first_column_that_repeats_is_told_of():
    columns = {"encounter": np.arange(N), "hospital": ID % 20, **COLUMNS}
    assert column_of(columns).name == "hospital"


def test_named_columns_are_not_looked_at():
    assert column_of(COLUMNS, groups="patient_id") is None
    assert fot.read(pd.DataFrame({**COLUMNS, "patient_id": ID % 40}), **CALLED, by="patient_id").whole.hint == NO_HINT
    weights = column_of({**COLUMNS, "patient_id": ID + 1}, weight="patient_id", weights="importances")
    assert weights is None


def test_lazy_frames_and_cells_have_no_hint(tmp_path):
    lazy = pl.LazyFrame(COLUMNS)
    assert fot.read(lazy, **CALLED).hint == NO_HINT
    assert fot.read(lazy, **CALLED, cells="never").hint.column is None
    assert fot.read(pd.DataFrame(COLUMNS), **CALLED, cells="always").hint == NO_HINT


def test_a_file_is_read_again_only_where_a_name_fits(tmp_path, monkeypatch):
    from fitontest.files import tables

    read = []
    plain = tables.CsvFile.rows
    monkeypatch.setattr(tables.CsvFile, "rows", lambda file: read.append(1) or plain(file))
    for name, passes in (("age", 1), ("patient_id", 2)):
        path = tmp_path / f"{name}.csv"
        pd.DataFrame({"label": Y, "score": P, name: ID}).to_csv(path, index=False)
        read.clear()
        fot.read(path, **CALLED)
        assert len(read) == passes


def test_classes_and_segments_have_the_hint():
    frame = pd.DataFrame({**COLUMNS, "other": 1 - P, "half": np.arange(N) % 2})
    both = {"label": "label", "prob": ["other", "score"]}
    for reduction in ("confidence", "binary", "canonical"):
        assert fot.read(frame, **both, reduction=reduction).hint.column == FOUND
    classes = fot.read(frame, **both, reduction="classwise")
    assert [sample.hint.column for sample in classes.values()] == [FOUND, FOUND]
    segments = fot.read(frame, **CALLED, by="half")
    assert segments[0] is segments[0]
    assert {segments.whole.hint.column, *(each.hint.column for each in segments.values())} == {FOUND}


@pytest.mark.parametrize("by", [None, "half"])
def test_a_column_is_told_of_once_and_printed(by):
    frame = pd.DataFrame({**COLUMNS, "half": np.arange(N) % 2})
    told = (
        "column 'patient_id' looks like one of groups (100 values in 600 rows): rows that belong together need "
        "groups='patient_id'; intervals and p-values take rows for independent"
    )
    with pytest.warns(fot.CalibrationWarning, match="looks like one of groups") as caught:
        result = fot.evaluate(frame, **CALLED, families=["platt"], by=by)
    assert [str(one.message) for one in caught if "looks like" in str(one.message)] == [told]
    assert told in " ".join(str(result).split())
    if by is None:
        assert told in json.dumps(result.to_dict())


def test_runs_name_the_column():
    rng = np.random.default_rng(0)
    p = np.repeat(rng.random(200), 5)
    columns = {"label": (rng.random(1000) < p).astype(int), "score": p, "patient": np.repeat(np.arange(200), 5)}
    note = Repeats.of(fot.read(pd.DataFrame(columns), **CALLED)).note
    assert note.startswith("rows come in runs of nearly equal ones (")
    assert "such as visits of one patient, need groups='patient' (200 values in 1,000 rows);" in note
    shuffled = Repeats.of(fot.read(pd.DataFrame(columns).sample(frac=1, random_state=0), **CALLED)).note
    assert shuffled.startswith("column 'patient' looks like one of groups")


def test_an_option_of_the_command_line_is_named_as_one():
    assert str(GroupHint("--group", FOUND)) == "--group patient_id"
    assert str(GroupHint("--group")) == "--group"
