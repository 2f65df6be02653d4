"""One pass over frames of every engine: the same cells, the same counts of bad rows."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot
from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.cells.cells import sums_of_sample
from tests.maps.engines import connected, spark_session

ENGINES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": duckdb.from_df,
    "duckdb, own connection": lambda frame: connected().from_df(frame),
    "dask": lambda frame: dask_frame(frame),
    "pyspark": lambda frame: spark_frame(frame),
}
engines = pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=pytest.mark.pyspark) if one == "pyspark" else one for one in ENGINES]
)
pytestmark = [
    pytest.mark.multiplies,
    pytest.mark.filterwarnings("ignore:Dask support is moving out of Narwhals:FutureWarning"),
]
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


@pytest.mark.exhaustive
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
@pytest.mark.parametrize("options", [{}, {"exact": True}, {"weight": "w"}])
def test_scores_that_miss_the_unit_interval_by_a_rounding_are_0_and_1(engine, options):
    frame = pd.DataFrame({"y": [0, 1, 1, 0], "p": [-1e-17, 1.0000000000000002, 0.5, 1 + 1e-13], "w": [1.0, 2, 1, 1]})
    near = frame.assign(p=frame.p.clip(0.0, 1.0))
    found = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, **options)
    assert_same(found, fot.Cells.of_frame(near, **COLUMNS, **options))
    both = frame.assign(q=1 - frame.p)
    each = [
        fot.Cells.of_frame(one, label="y", prob=["q", "p"], labels=[0, 1], reduction="confidence")
        for one in (ENGINES[engine](both), both.assign(p=both.p.clip(0.0, 1.0), q=both.q.clip(0.0, 1.0)))
    ]
    assert_same(*each)
    if not options:
        with pytest.warns(fot.CalibrationWarning, match=r"frame has scores from -1e-07 to 0\.9; those outside"):
            fot.Cells.of_frame(ENGINES[engine](frame.assign(p=[-1e-7, 0.5, 0.9, 0.2])), **COLUMNS)


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
    frame.loc[2:11, "w"] = 1.0
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
        f"of {np.count_nonzero(frame.w)} rows",
        "2 rows have a score that is missing or NaN",
        "2 rows have a score outside [0, 1]",
        "1 row has a label that is missing",
        "1 row has a label that is not among the classes",
        "1 row has a weight that is missing or NaN",
        "1 row has a weight that is negative or infinite",
        "1 row has no value of the segment",
    ):
        assert text in str(refused.value)


@engines
@pytest.mark.parametrize("pos_label", [None, 1, 1.0])
def test_float_labels_that_are_nan_are_missing(engine, pos_label):
    frame = pd.DataFrame({"y": [0.0, 1.0, np.nan, 1.0], "p": [0.1, 0.4, 0.6, 0.8]})
    with pytest.raises(ValueError, match="of 4 rows 1 row has a label that is missing"):
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, pos_label=pos_label)


@engines
@pytest.mark.parametrize("reduction", ["confidence", "classwise"])
def test_float_labels_of_classes_that_are_nan_are_missing(engine, reduction):
    p = np.array([0.1, 0.4, 0.6, 0.8])
    frame = pd.DataFrame({"y": [0.0, 1.0, np.nan, 1.0], "p": p, "q": 1 - p})
    with pytest.raises(ValueError, match="of 4 rows 1 row has a label that is missing"):
        fot.Cells.of_frame(ENGINES[engine](frame), label="y", prob=["q", "p"], labels=[0, 1], reduction=reduction)


WHEN = datetime(2024, 1, 1, 5)
SEGMENTS = {
    "whole numbers": (pl.Series([1, 2, 1, 2]), [1, 2]),
    "numbers": (pl.Series([1.5, 2.0, 1.5, 2.0]), [1.5, 2.0]),
    "texts": (pl.Series(["a", "b", "a", "b"]), ["a", "b"]),
    "categories": (pl.Series(["a", "b", "a", "b"], dtype=pl.Categorical), ["a", "b"]),
    "booleans": (pl.Series([True, False, True, False]), [False, True]),
    "dates": (pl.Series([date(2024, 1, 1), date(2024, 1, 2)] * 2), [date(2024, 1, 1), date(2024, 1, 2)]),
    "times": (pl.Series([WHEN, WHEN + timedelta(1)] * 2, dtype=pl.Datetime("us")), [WHEN, WHEN + timedelta(1)]),
    "nanoseconds": (pl.Series([WHEN, WHEN + timedelta(1)] * 2, dtype=pl.Datetime("ns")), [WHEN, WHEN + timedelta(1)]),
    "zones": (
        pl.Series([WHEN, WHEN + timedelta(1)] * 2).dt.replace_time_zone("Europe/Berlin"),
        [(WHEN + timedelta(days=k, hours=-1)).replace(tzinfo=UTC) for k in (0, 1)],
    ),
}
NATIVE = {
    "polars": lambda frame: frame,
    "polars lazy": lambda frame: frame.lazy(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "duckdb": lambda frame: connected().from_arrow(frame.to_arrow()),
    "pandas": lambda frame: frame.to_pandas(),
    "dask": lambda frame: dask_frame(frame.to_pandas()),
}


@pytest.mark.parametrize("engine", NATIVE)
@pytest.mark.parametrize("kind", SEGMENTS)
def test_segments_have_the_same_values_on_every_engine(engine, kind):
    values, expected = SEGMENTS[kind]
    frame = pl.DataFrame({"y": [0, 1, 1, 0], "p": [0.1, 0.2, 0.6, 0.8], "s": values})
    if kind == "dates" and engine in ("pandas", "dask"):  # which have none
        expected = [datetime(one.year, one.month, one.day) for one in expected]
    found = fot.Cells.of_frame(NATIVE[engine](frame), **COLUMNS, by="s")
    assert list(found) == expected
    assert [type(one) for one in found] == [type(one) for one in expected]
    assert [cells.n for cells in found.values()] == [2, 2]


@pytest.mark.parametrize("engine", NATIVE)
@pytest.mark.parametrize("kind", SEGMENTS)
def test_rows_without_a_segment_are_counted_on_every_engine(engine, kind):
    values, _ = SEGMENTS[kind]
    values = pl.select(s=pl.when(pl.Series([True, False, True, True])).then(values))
    frame = pl.DataFrame({"y": [0, 1, 1, 0], "p": [0.1, 0.2, 0.6, 0.8]}).hstack(values)
    with pytest.raises(ValueError, match="of 4 rows 1 row has no value of the segment"):
        fot.Cells.of_frame(NATIVE[engine](frame), **COLUMNS, by="s")


@pytest.mark.parametrize("engine", NATIVE)
def test_a_segment_that_is_nan_is_none(engine):
    frame = pl.DataFrame({"y": [0, 1, 1, 0], "p": [0.1, 0.2, 0.6, 0.8], "s": [1.0, np.nan, 1.0, 2.0]})
    with pytest.raises(ValueError, match="of 4 rows 1 row has no value of the segment"):
        fot.Cells.of_frame(NATIVE[engine](frame), **COLUMNS, by="s")


@pytest.mark.parametrize("engine", NATIVE)
@pytest.mark.parametrize("values", [[[1], [2], [1], [2]], [b"a", b"b", b"a", b"b"], [{"a": 1}, {"a": 2}] * 2])
def test_segments_of_nested_values_are_refused(engine, values):
    if engine in ("pandas", "dask") or (engine == "pyarrow" and values[0] == b"a"):
        pytest.skip("they have objects, texts or bytes")
    frame = pl.DataFrame({"y": [0, 1, 1, 0], "p": [0.1, 0.2, 0.6, 0.8], "s": values})
    with pytest.raises(ValueError, match="by column 's' must hold texts, numbers, booleans, dates or times, got"):
        fot.Cells.of_frame(NATIVE[engine](frame), **COLUMNS, by="s")


def test_segments_of_objects_and_of_nanoseconds_are_refused():
    frame = table(4)
    for value in ([1], {"a": 1}):
        with pytest.raises(ValueError, match=r"by .*columns must hold texts, numbers, booleans, dates or times, got"):
            fot.Cells.of_frame(frame.assign(s=[value] * 4), **COLUMNS, by="s")
    with pytest.raises(ValueError, match="must hold timestamps of whole microseconds"):
        fot.Cells.of_frame(frame.assign(s=np.arange(4).astype("datetime64[ns]")), **COLUMNS, by="s")


@engines
def test_a_row_of_weight_zero_is_absent_whatever_else_it_holds(engine):
    frame = table(40).assign(w=1.0, y=["no", "yes"] * 20)
    frame.loc[5:8, "w"] = 0.0
    expected = fot.Cells.of(frame.y[frame.w > 0] == "yes", frame.p[frame.w > 0])
    frame.loc[5, "p"] = np.nan
    frame.loc[6, "p"] = 1.5
    frame.loc[7, "y"] = "maybe"
    frame.loc[8, "s"] = None
    found = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", pos_label="yes", by="s")
    assert_same(sum(found.values()), expected)
    frame.loc[9, "p"] = 2.0
    with pytest.raises(ValueError, match="of 36 rows 1 row has a score outside"):
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", pos_label="yes", by="s")


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "polars lazy", "duckdb"])
def test_bad_rows_are_found_where_rows_have_an_order(engine):
    frame = table(40).assign(w=1.0)
    frame.loc[4, "w"] = 0.0  # absent, and counted where it stands
    frame.loc[[7, 9], "p"], frame.loc[8, "w"] = np.nan, -1.0
    with pytest.raises(ValueError) as refused:
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w")
    score, weight = "2 rows have a score that is missing or NaN in column 'p'", "negative or infinite in column 'w'"
    if engine in ("polars lazy", "duckdb"):
        assert str(refused.value).endswith(f"of 39 rows {score}; 1 row has a weight that is {weight}")
        return
    found = f"{score}, the first at row 8; 1 row has a weight that is {weight} at row 9 (rows counted from 1)"
    assert str(refused.value).endswith(found)


def test_bad_rows_of_parquet_files_are_found(tmp_path):
    frame = table(40)
    for name, row in (("a", 30), ("b", 2)):
        bad = frame.copy()
        bad.loc[row, "p"] = np.nan
        bad.to_parquet(tmp_path / f"{name}.parquet")
    one, several = (
        "has a score that is missing or NaN in column 'p' at row 3",
        "have a score .* in column 'p', the first",
    )
    with pytest.raises(ValueError, match=rf"of 40 rows 1 row {one} \(rows counted from 1\)$"):
        fot.Cells.of_file(tmp_path / "b.parquet", **COLUMNS)
    with pytest.raises(ValueError, match=rf"2 rows {several} at row 31 of .*a\.parquet \(rows counted from 1\)$"):
        fot.Cells.of_file(tmp_path / "*.parquet", **COLUMNS)
    bad.assign(filename="x").to_parquet(tmp_path / "b.parquet")  # a column that DuckDB would add
    with pytest.raises(ValueError, match=r"1 row has a score that is missing or NaN in column 'p'$"):
        fot.Cells.of_file(tmp_path / "b.parquet", **COLUMNS)


@engines
@pytest.mark.parametrize("exact", [False, True])
def test_segments_of_weight_zero_have_cells_without_rows(engine, exact):
    frame = table(40).assign(s="a", t=np.resize([1, 2], 40))
    frame.loc[:9, "s"], frame.loc[10:12, "s"] = "b", None
    frame["w"] = np.where(frame.s == "a", 1.0, 0.0)
    found = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", by="s", exact=exact)
    assert {key: cells.n for key, cells in found.items()} == {"a": 27, "b": 0}
    assert repr(found["b"]) == "Cells(no rows)"
    assert_same(sum(found.values()), found["a"])
    two = fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w", by=["s", "t"], exact=exact)
    assert [key for key, cells in two.items() if not cells.n] == [("b", 1), ("b", 2)]
    classes = fot.Cells.of_frame(
        ENGINES[engine](frame.assign(q=1 - frame.p)),
        label="y",
        prob=["q", "p"],
        labels=[0, 1],
        reduction="classwise",
        weight="w",
        by="s",
        exact=exact,
    )
    assert {key: [each.n for each in cells.values()] for key, cells in classes.items()} == {"a": [27] * 2, "b": [0] * 2}


@engines
def test_a_row_counts_once_where_each_class_is_held_against_the_rest(engine):
    frame = pd.DataFrame({"y": ["a", "b", "c", "d"], "a": [0.5, np.nan, 0.2, 0.1], "b": [0.5, np.nan, 0.8, 1.9]})
    with pytest.raises(
        ValueError, match=r"of 4 rows 1 row .* missing or NaN .*; 1 row .* outside .*; 1 row has a label"
    ):
        fot.Cells.of_frame(ENGINES[engine](frame), label="y", prob=["a", "b"], labels=["a", "b"], reduction="classwise")


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (pd.Series([False, True, True, False], dtype=object), True),
        (pd.Categorical([0, 1, 1, 0]), 1),
        (pd.Categorical(["n", "p", "p", "n"]), "p"),
        (pd.Series([0, 1, 1, 0]), True),
        (pd.Series([False, True, True, False]), 1),
        (pd.Series([0, 1, 1, 0]), np.int64(1)),
    ],
)
def test_labels_of_pandas_of_every_type(labels, pos_label):
    frame = pd.DataFrame({"y": labels, "p": [0.1, 0.2, 0.6, 0.8], "q": [0.9, 0.8, 0.4, 0.2]})
    expected = fot.Cells.of([0, 1, 1, 0], frame.p)
    assert_same(fot.Cells.of_frame(frame, **COLUMNS, pos_label=pos_label), expected)


@engines
@pytest.mark.parametrize(("labels", "pos_label"), [([0, 1], "1"), (["0", "1"], 1), ([False, True], "True")])
def test_labels_of_another_type_than_the_column_are_refused(engine, labels, pos_label):
    frame = table(20)
    frame["y"] = np.array(labels)[frame.y]
    with pytest.raises(ValueError, match="pos_label must be of the type of the label column 'y'"):
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, pos_label=pos_label)
    columns = {"label": "y", "prob": ["p", "w"], "labels": [pos_label, type(pos_label)(2)]}
    with pytest.raises(ValueError, match="labels must be of the type of the label column 'y'"):
        fot.Cells.of_frame(ENGINES[engine](frame), reduction="confidence", **columns)


@engines
@pytest.mark.parametrize("weight", [1e-160, 1e200])
def test_weights_out_of_the_range_of_squares_are_refused(engine, weight):
    frame = table(20).assign(w=weight)
    with pytest.raises(ValueError, match="weight must have a sum between 1e-150 and 1e150"):
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, weight="w")


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
    P[:60, 1] = P[:60, 0] = P[:60, :2].mean(axis=1)  # ties of two classes, where these are the largest
    P[:5] = 0.25  # and of all
    y = rng.choice(list("abcd"), 600)
    frame = pd.DataFrame(P, columns=["pa", "pb", "pc", "pd"]).assign(y=y)
    columns = {"label": "y", "prob": ["pa", "pb", "pc", "pd"], "labels": list("abcd"), "reduction": reduction}
    found = fot.Cells.of_frame(ENGINES[engine](frame), exact=True, **columns)
    if reduction == "confidence":
        sample = fot.read(y, P, reduction="confidence")
        assert_same(found, fot.Cells(sums_of_sample(sample, Resolution(exact=True)), Resolution(exact=True)))
        assert (found.n, found.sums.class_rows.tied) == (600, np.sum((P.max(axis=1)[:, None] == P).sum(axis=1) > 1))
        assert found.base_rate == pytest.approx(sample.base_rate)
        again = fot.Cells.of_frame(ENGINES[engine](frame.iloc[::-1]), exact=True, **turned(columns))
        assert_same(again, found)
    else:
        for k, label in enumerate("abcd"):
            assert_same(found[label], fot.Cells.of(y == label, P[:, k], exact=True))


def turned(columns):
    """Return the same columns in another order."""
    return {**columns, "prob": columns["prob"][::-1], "labels": columns["labels"][::-1]}


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
        (
            table(20).assign(y=list("abc") + ["a"] * 17),
            {**COLUMNS, "pos_label": "d"},
            "pos_label must be one of the labels in",
        ),
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
