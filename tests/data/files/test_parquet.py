"""Parquet files as DuckDB reads them."""

import pyarrow as pa
import pyarrow.parquet as pq

from fitontest.data.files.copies import append_expressions
from fitontest.data.files.parquet import parquet_rows


def test_statistics_that_leave_nan_out_hide_none(tmp_path):
    """Writers leave NaN out of the statistics of a file, which DuckDB takes for the ends of all values by default."""
    pq.write_table(pa.table({"p": [0.1, float("nan"), 0.3]}), tmp_path / "scores.parquet")
    written = tmp_path / "written.parquet"
    append_expressions(tmp_path / "scores.parquet", written, ["kept"], ['CASE WHEN "p" <= 1.0 THEN "p" END'])
    assert pq.read_table(written)["kept"].to_pylist() == [0.1, None, 0.3]
    with parquet_rows(tmp_path / "scores.parquet") as rows:
        assert rows.query("given", "SELECT isnan(p) FROM given").fetchall() == [(False,), (True,), (False,)]
