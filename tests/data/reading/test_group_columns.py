"""Columns within whose values labels agree beyond what scores say, whatever they are called."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.special import ndtri

import fitontest as fot
from fitontest.data.group_hint import NO_HINT, GroupColumn, GroupHint
from fitontest.data.reading.group_columns import agreement_within
from fitontest.data.repeated_rows import Repeats

pytestmark = pytest.mark.multiplies

N = 600


def alike(ids, icc, seed=0):
    """Return calibrated labels and scores of which labels of one id have a latent correlation."""
    rng = np.random.default_rng(seed)
    p = rng.random(ids.size)
    shared = rng.standard_normal(ids.max() + 1)[ids]
    return (np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal(ids.size) < ndtri(p)).astype(int), p


ID = np.random.default_rng(1).integers(0, 100, N)
Y, P = alike(ID, 0.7)
COLUMNS = {"label": Y, "score": P, "who": ID, "code": np.arange(N) % 30}
CALLED = {"label": "label", "prob": "score"}
ENGINES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": lambda columns: pa.table({name: pa.array(column) for name, column in columns.items()}),
}


def column_of(columns, **more):
    return fot.read(pd.DataFrame(columns), **CALLED | more).hint.column


def is_found(column, name="who", values=None, rows=N):
    values = np.unique(ID).size if values is None else values
    return column is not None and (column.name, column.values, column.rows) == (name, values, rows)


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
def test_the_column_within_which_labels_agree_is_found_in_a_frame(make):
    assert is_found(fot.read(make(COLUMNS), **CALLED).hint.column)
    assert is_found(fot.read(make({**COLUMNS, "who": np.char.add("p", ID.astype(str))}), **CALLED).hint.column)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_a_column_of_a_file_is_found(tmp_path, ending):
    path = tmp_path / f"rows.{ending}"
    frame = pd.DataFrame({**COLUMNS, "note": "a, b"})
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert is_found(fot.read(path, **CALLED).hint.column)
    assert fot.read(path, **CALLED, groups="who").hint == NO_HINT
    assert is_found(fot.read(path, **CALLED, by="note").whole.hint.column)


def test_a_quarter_and_not_the_ids_of_a_survey():
    rng = np.random.default_rng(0)
    quarter, person = np.repeat(np.arange(80), 25), np.tile(np.arange(25), 80)
    recession = np.repeat(np.repeat(rng.random(20) < 0.3, 4), 25)  # for a year each, so that next quarters are alike
    p = np.clip(0.1 + 0.5 * recession + 0.15 * rng.standard_normal(2000), 0, 1)
    frame = {
        "label": recession.astype(int),
        "score": p,
        "patient_id": person,
        "q": [f"{1990 + k // 4}Q{k % 4 + 1}" for k in quarter],
    }
    order = rng.permutation(2000)
    assert is_found(column_of({name: np.asarray(each)[order] for name, each in frame.items()}), "q", 80, 2000)


@pytest.mark.parametrize(
    "values",
    [
        ID,
        np.arange(N) // 2,
        np.random.default_rng(2).integers(0, 12, N),
        np.sort(ID),
        np.floor(40 * P),
    ],
    ids=["ids", "pairs", "codes", "blocks", "bins of the score"],
)
@pytest.mark.parametrize("name", ["patient_id", "charge_id", "x"])
def test_columns_within_which_labels_do_not_agree_raise_none(values, name):
    y, p = alike(np.arange(N), 0.0, seed=3)
    assert column_of({"label": y, "score": p, name: values}) is None


def test_codes_on_which_labels_depend_somewhat_raise_none():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 60, 6000)
    p = rng.random(6000)
    of_code = 0.15 * rng.standard_normal(60)[code]  # of each kind of charge some rates are a little higher
    y = (rng.random(6000) < np.clip(p + of_code * 4 * p * (1 - p), 0, 1)).astype(int)
    assert column_of({"label": y, "score": p, "charge_id": code}) is None


def test_what_labels_depend_on_smoothly_raises_none():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(-(age - 50) / 6))).astype(int)
    columns = {"label": y, "score": np.full(4000, y.mean())}
    assert column_of({**columns, "age": age}) is None
    assert column_of({**columns, "age": rng.permutation(100)[age]}).name == "age"  # the next value says nothing of it


@pytest.mark.parametrize(
    "values",
    [np.arange(N), np.full(N, 7), ID % 9, ID % 2 == 0, ID / 4, np.full(N, None), np.full(N, "")],
    ids=["rows", "constant", "few", "truth", "measured", "missing", "empty"],
)
def test_values_that_are_no_groups(values, tmp_path):
    columns = {**COLUMNS, "who": values}
    assert column_of(columns) is None
    path = tmp_path / "rows.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    assert fot.read(path, **CALLED).hint.column is None


def test_agreement_is_that_of_all_pairs():
    y, p = Y.astype(float), np.full(N, 0.5)
    residual = y - y.mean()
    pairs = [(i, j) for i in range(N) for j in range(N) if i != j and ID[i] == ID[j]]
    one, other = np.array(pairs).T
    code = np.unique(ID, return_inverse=True)[1]
    spread = y.mean() * (1 - y.mean())
    assert agreement_within(code, p, y) == pytest.approx(np.mean(residual[one] * residual[other]) / spread)


def test_missing_ids_are_left_out():
    ids = np.where(np.arange(N) < 100, np.nan, ID)
    assert is_found(column_of({**COLUMNS, "who": ids}), values=len(set(ID[100:])), rows=500)


def test_the_first_rows_are_looked_at():
    many = {name: np.tile(column, 50) for name, column in COLUMNS.items()}
    del many["code"]
    column = column_of(many)
    assert (column.rows, column.of_all) == (20_000, False)
    assert str(column).endswith("values in the first 20,000 rows")


def test_of_columns_of_equal_agreement_the_one_of_fewest_values_is_told_of():
    finer = 10 * ID + np.arange(N) % 2
    assert column_of({"finer": finer, **COLUMNS}).name == "who"
    noisy = np.where(np.arange(N) % 3 == 0, np.random.default_rng(0).permutation(ID), ID)
    assert column_of({"noisy": noisy, **COLUMNS}).name == "who"


def test_named_columns_are_not_looked_at():
    assert column_of(COLUMNS, groups="who") is None
    assert fot.read(pd.DataFrame(COLUMNS), **CALLED, by="who").whole.hint == NO_HINT
    weights = column_of({**COLUMNS, "who": ID + 1}, weight="who", weights="importances")
    assert weights is None


def test_lazy_frames_and_cells_have_no_hint():
    lazy = pl.LazyFrame(COLUMNS)
    assert fot.read(lazy, **CALLED).hint == NO_HINT
    assert fot.read(lazy, **CALLED, cells="never").hint.column is None
    assert fot.read(pd.DataFrame(COLUMNS), **CALLED, cells="always").hint == NO_HINT


def test_classes_and_segments_have_the_hint():
    frame = pd.DataFrame({**COLUMNS, "other": 1 - P, "half": np.arange(N) % 2})
    both = {"label": "label", "prob": ["other", "score"]}
    for reduction in ("binary", "classwise"):
        data = fot.read(frame, **both, reduction=reduction)
        each = data.values() if reduction == "classwise" else [data]
        assert all(is_found(sample.hint.column) for sample in each)
    segments = fot.read(frame, **CALLED, by="half")
    assert segments[0] is segments[0]
    assert all(is_found(each.hint.column) for each in (segments.whole, *segments.values()))


def test_whole_distributions_are_looked_at_by_their_confidences():
    rng = np.random.default_rng(0)
    P3 = rng.dirichlet([1, 1, 1], N)
    hit = (rng.standard_normal(100)[ID] < ndtri(P3.max(axis=1))).astype(int)
    label = np.where(hit, P3.argmax(axis=1), P3.argmin(axis=1))
    frame = pd.DataFrame({"label": label, "0": P3[:, 0], "1": P3[:, 1], "2": P3[:, 2], "who": ID})
    for reduction in ("confidence", "canonical"):
        data = fot.read(frame, label="label", prob=["0", "1", "2"], reduction=reduction)
        assert is_found(data.hint.column)


@pytest.mark.parametrize("by", [None, "half"])
def test_a_column_is_told_of_once_and_printed(by):
    frame = pd.DataFrame({**COLUMNS, "half": np.arange(N) % 2})
    values = np.unique(ID).size
    told = (
        f"labels agree within column 'who' ({values} values in 600 rows) beyond what scores say: rows that belong "
        "together may need groups='who'; intervals and p-values take rows for independent"
    )
    with pytest.warns(fot.CalibrationWarning, match="labels agree within column") as caught:
        result = fot.evaluate(frame, **CALLED, families=["platt"], by=by)
    assert [str(one.message) for one in caught if "labels agree" in str(one.message)] == [told]
    assert told in " ".join(str(result).split())
    if by is None:
        assert told in json.dumps(result.to_dict())


def test_runs_and_copies_name_the_column():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(200), 5)
    y, _ = alike(patient, 0.8)
    p = np.repeat(rng.random(200), 5)
    columns = {"label": y, "score": p + 0.001 * rng.random(1000), "patient": patient}
    note = Repeats.of(fot.read(pd.DataFrame(columns), **CALLED)).note
    assert note.startswith("rows come in runs of nearly equal ones (")
    assert "such as visits of one patient, may need groups='patient' (200 values in 1,000 rows);" in note
    shuffled = Repeats.of(fot.read(pd.DataFrame(columns).sample(frac=1, random_state=0), **CALLED)).note
    assert shuffled.startswith("labels agree within column 'patient'")
    copies = {"label": np.repeat(y[::5], 5), "score": p, "patient": patient}
    assert Repeats.of(fot.read(pd.DataFrame(copies), **CALLED)).note.endswith("belongs together by groups='patient'")


def test_an_option_of_the_command_line_is_named_as_one():
    assert str(GroupHint("--group", GroupColumn("who", 100, N, 0.5))) == "--group who"
    assert str(GroupHint("--group")) == "--group"
