"""Data frames of every engine: how a column of scores becomes one, and how a column of it is read."""

from shutil import which

import numpy as np
import pandas as pd
import pytest

ENGINES = ("pandas", "polars", "polars lazy", "pyarrow", "duckdb", "dask", "pyspark")

CONNECTIONS = []  # of relations: a relation of DuckDB 1 does not hold its connection open


def connected():
    """Return a connection to a new database of DuckDB."""
    import duckdb

    CONNECTIONS.append(duckdb.connect())
    return CONNECTIONS[-1]


def engine_params():
    """Return the engines as parameters of a test; Spark takes half a minute to start, and has a mark of its own."""
    marks = {
        "dask": [pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")],
        "pyspark": [pytest.mark.pyspark],
    }
    return [pytest.param(engine, marks=marks.get(engine, ())) for engine in ENGINES]


def make_frame(engine, columns):
    """Return a frame of an engine with columns of float64, and one called "row" that counts them."""
    columns = {"row": np.arange(len(next(iter(columns.values())))), **columns}
    if engine == "pandas":
        return pd.DataFrame(columns)
    if engine.startswith("polars"):
        pl = pytest.importorskip("polars")
        return pl.LazyFrame(columns) if engine.endswith("lazy") else pl.DataFrame(columns)
    if engine == "pyarrow":
        return pytest.importorskip("pyarrow").table(columns)
    if engine == "duckdb":
        connection = connected()
        connection.register("numbers", columns)
        chosen = ", ".join(f'coalesce("{name}", \'NaN\'::DOUBLE) AS "{name}"' for name in columns if name != "row")
        return connection.sql(f"SELECT row, {chosen} FROM numbers")  # DuckDB reads NaN in numpy's arrays as NULL
    if engine == "dask":
        return pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(columns), npartitions=2)
    return spark_session().createDataFrame(
        list(zip(*(column.tolist() for column in columns.values()), strict=True)), list(columns)
    )


def read_columns(frame, names):
    """Return columns of a frame as arrays in the order of the rows; a missing value is NaN."""
    if hasattr(frame, "fetchnumpy"):
        found = frame.order("row").fetchnumpy()
        return [np.ma.filled(found[name], np.nan) for name in names]
    if hasattr(frame, "sparkSession"):
        rows = frame.orderBy("row").collect()
        return [np.array([np.nan if row[name] is None else row[name] for row in rows]) for name in names]
    if hasattr(frame, "dask"):
        frame = frame.compute(scheduler="synchronous")
    elif hasattr(frame, "collect"):
        frame = frame.collect()
    return [np.asarray(frame[name].to_numpy(), dtype=np.float64) for name in names]


def names_of(frame):
    """Return the names of the columns."""
    schema = frame.collect_schema().names() if hasattr(frame, "collect_schema") else frame
    return list(schema.column_names if hasattr(schema, "column_names") else getattr(schema, "columns", schema))


def spark_session():
    """Return a small session on this machine, the same one every time."""
    pytest.importorskip("pyspark")
    if which("java") is None:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
