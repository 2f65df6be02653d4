"""One pass over frames of every engine: the same cells, the same counts of bad rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot
from fitontest.data.cell_sums import CellSums
from tests.maps.engines import spark_session

ENGINES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": duckdb.from_df,
    "duckdb, own connection": lambda frame: duckdb.connect().from_df(frame),
    "dask": lambda frame: dask_frame(frame),
    "pyspark": lambda frame: spark_frame(frame),
}
engines = pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=pytest.mark.pyspark) if one == "pyspark" else one for one in ENGINES]
)
pytestmark = pytest.mark.filterwarnings("ignore:Dask support is moving out of Narwhals:FutureWarning")
COLUMNS = {"label": "y", "prob": "p"}


def dask_frame(frame):
    dask = pytest.importorskip("dask")
    dask_expr = pytest.importorskip("dask.dataframe")
    dask.config.set(scheduler="synchronous")
    return dask_expr.from_pandas(frame, npartitions=3)


def spark_frame(frame):
    columns = [frame[name].tolist() for name in frame]
    texts = [
        any(isinstance(value, str) for value in column) for column in columns
    ]  # pandas has NaN where one is missing
    rows = [
        tuple(None if text and value != value else value for value, text in zip(row, texts, strict=True))
        for row in zip(*columns, strict=True)
    ]
    return spark_session().createDataFrame(rows, list(frame.columns))


def table(n=3000, seed=0):
    """Scores off the borders of cells, where the logarithms of engines may differ in the last bit."""
    rng = np.random.default_rng(seed)
    p = np.concatenate(([0.0, 1.0, 1e-9, 1 - 1e-9], rng.random(n - 4)))
    z = 1024 * (np.log(np.clip(p, 1e-12, 1)) - np.log(np.clip(1 - p, 1e-12, 1)))
    p = np.where(np.abs(z - np.rint(z)) < 1e-6, 0.123, p)
    y = (rng.random(n) < p**1.2).astype(int)
    return pd.DataFrame({"y": y, "p": p, "w": rng.choice([0.0, 0.5, 1.0, 3.0], n), "s": rng.choice(["a", "b"], n)})


def assert_same(found, expected):
    for name in ("key", "low", "high", "rows"):
        np.testing.assert_array_equal(getattr(found.sums, name), getattr(expected.sums, name))
    for name in ("w", "w2", "wp"):
        np.testing.assert_allclose(getattr(found.sums, name), getattr(expected.sums, name), rtol=1e-13)
    assert found.sums.whole == expected.sums.whole


@engines
@pytest.mark.parametrize("options", [{}, {"exact": True}, {"edges": [0.1, 0.29, 0.7]}])
def test_cells_are_those_of_the_arrays(engine, options):
    frame = table()
    found = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, **options)
    assert_same(found, fot.Cells.of(frame.y, frame.p, **options))


@pytest.mark.parametrize("processes", [False, True])
def test_a_cluster_gives_the_same_cells(processes):
    distributed = pytest.importorskip("distributed")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = table()
    with (
        distributed.LocalCluster(1, threads_per_worker=2, processes=processes, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        found = fot.Cells.of_frame(dataframe.from_pandas(frame, npartitions=3), **COLUMNS, by="s")
    for segment, cells in found.items():
        part = frame[frame.s == segment]
        assert_same(cells, fot.Cells.of(part.y, part.p))


@engines
def test_weights_and_segments(engine):
    frame = table()
    found = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", by="s")
    assert list(found) == ["a", "b"]
    for segment, cells in found.items():
        part = frame[frame.s == segment]
        assert_same(cells, fot.Cells.of(part.y, part.p, part.w))
    two = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, by=["s", "y"])
    assert list(two) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


@engines
def test_bad_rows_are_counted_by_reason(engine):
    frame = table(50)
    frame["y"] = frame.y.astype(float)
    frame.loc[[3, 4], "p"] = np.nan
    frame.loc[5, "p"] = 1.5
    frame.loc[6, "p"] = np.inf
    frame.loc[7, "y"] = 2
    frame.loc[8, "y"] = np.nan
    frame.loc[9, "w"] = -1.0
    frame.loc[10, "w"] = np.nan
    frame.loc[11, "s"] = None
    with pytest.raises(ValueError) as refused:
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", by="s")
    for text in (
        "of 50 rows",
        "2 rows have a score that is missing or NaN",
        "2 rows have a score outside [0, 1]",
        "1 row has a label that is missing",
        "1 row has a label that is none of the classes",
        "1 row has a weight that is missing or NaN",
        "1 row has a weight that is negative or infinite",
        "1 row has no value of the segment",
    ):
        assert text in str(refused.value)


@engines
@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [([False, True], None), ([-1, 1], None), (["no", "yes"], "yes"), ([3, 5], 5), ([0.0, 1.0], None)],
)
def test_labels_of_every_kind(engine, labels, pos_label):
    frame = table(400)
    expected = fot.Cells.of(frame.y, frame.p)
    frame["y"] = np.array(labels)[frame.y]
    assert_same(fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, pos_label=pos_label), expected)


@engines
@pytest.mark.parametrize("reduction", ["confidence", "classwise"])
def test_reductions_are_those_of_a_matrix(engine, reduction):
    rng = np.random.default_rng(5)
    P = rng.dirichlet([1, 1, 1, 1], 600)
    P[:5] = 0.25  # the first of equal columns counts
    y = rng.choice(list("abcd"), 600)
    frame = pd.DataFrame(P, columns=["pa", "pb", "pc", "pd"]).assign(y=y)
    columns = {"label": "y", "prob": ["pa", "pb", "pc", "pd"], "labels": list("abcd"), "reduction": reduction}
    found = fot.Cells.of_frame(ENGINES[engine](frame), exact=True, **columns)
    if reduction == "confidence":
        assert_same(found, fot.Cells.of(np.array(list("abcd"))[P.argmax(axis=1)] == y, P.max(axis=1), exact=True))
    else:
        for k, label in enumerate("abcd"):
            assert_same(found[label], fot.Cells.of(y == label, P[:, k], exact=True))


def test_binary_reads_the_column_of_the_positive_class():
    frame = pd.DataFrame({"y": ["n", "p", "p"], "a": [0.7, 0.4, 0.2], "b": [0.3, 0.6, 0.8]})
    columns = {"label": "y", "prob": ["a", "b"], "labels": ["n", "p"], "reduction": "binary"}
    found = fot.Cells.of_frame(frame, pos_label="p", **columns)
    assert_same(found, fot.Cells.of([0, 1, 1], [0.3, 0.6, 0.8]))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_floats_are_read_exactly(dtype):
    frame = table(400)
    narrow = frame.p.to_numpy().astype(dtype)
    found = fot.Cells.of_frame(pd.DataFrame({"y": frame.y, "p": narrow}), **COLUMNS, exact=True)
    assert_same(found, fot.Cells.of(frame.y, narrow.astype(float), exact=True))


def test_a_file_and_a_pattern_of_files(tmp_path):
    frame = table()
    for day in range(3):
        part = frame[1000 * day : 1000 * (day + 1)]
        folder = tmp_path / f"day={day}"
        folder.mkdir()
        part.to_parquet(folder / "scores.parquet")
    whole = fot.Cells.of(frame.y, frame.p)
    found = fot.Cells.of_file(tmp_path / "*" / "*.parquet", **COLUMNS)
    assert_same(found, whole)
    assert list(fot.Cells.of_file(str(tmp_path / "*/*.parquet"), **COLUMNS, by="day")) == [0, 1, 2]
    one = fot.Cells.of_file(tmp_path / "day=0" / "scores.parquet", **COLUMNS)
    assert one.n == 1000
    with pytest.raises(ValueError, match="existing file"):
        fot.Cells.of_file(tmp_path / "none.parquet", **COLUMNS)
    with pytest.raises(ValueError, match="readable as parquet"):
        fot.Cells.of_file(tmp_path / "none*.parquet", **COLUMNS)
    (tmp_path / "text.csv").write_text("y,p\n1,.5\n")
    with pytest.raises(ValueError, match="must be a Parquet file"):
        fot.Cells.of_file(tmp_path / "text.csv", **COLUMNS)


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (3, COLUMNS, "frame must be a data frame"),
        (table(20), {"label": "y", "prob": "q"}, "prob must be a column of the frame, got 'q'"),
        (table(20), {"label": "y", "prob": "s"}, "prob column 's' must hold real numbers"),
        (table(20), {"label": "s", "prob": "p"}, "unless pos_label says which class"),
        (table(20), {"label": "y", "prob": ["p", "w"]}, "prob must be the name of one column"),
        (table(20), {**COLUMNS, "labels": [0, 1]}, "labels must be None"),
        (table(20).assign(y=[-1, 0] * 10), COLUMNS, "got -1 in 10 rows and 0 in 10"),
        (table(20).assign(y=list("abc") + ["a"] * 17), {**COLUMNS, "pos_label": "a"}, "at most two classes"),
        (table(20)[:0], COLUMNS, "frame must have rows, got none"),
        (table(20).assign(w=0.0), {**COLUMNS, "weight": "w"}, "rows of positive weight"),
        (table(20), {"label": "y", "prob": ["p", "w"], "reduction": "confidence"}, "labels must name the class"),
        (
            table(20),
            {"label": "y", "prob": ["p", "w"], "reduction": "confidence", "labels": [0]},
            "as many as the columns",
        ),
    ],
)
def test_what_is_refused(frame, options, message):
    with pytest.raises(ValueError, match=message):
        fot.Cells.of_frame(frame, **options)


def test_no_cells_add_up_to_none():
    assert len(CellSums.added([CellSums.none(), CellSums.none()])) == 0
