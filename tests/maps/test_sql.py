"""Maps as scalar expressions of DuckDB's SQL, executed as text."""

import duckdb
import numpy as np
import pytest

import fitontest as fot
from tests.maps.scores import MAPS, STEEP, assert_promised, edge_set

pytestmark = pytest.mark.multiplies


def executed(sql, **columns):
    """Return the values of an expression in a SELECT over columns."""
    rows = {"row": np.arange(len(next(iter(columns.values())))), **columns}
    with duckdb.connect() as connection:
        connection.register("scores", rows)
        return connection.execute(f"SELECT {sql} AS value FROM scores ORDER BY row").fetchnumpy()["value"]


@pytest.mark.parametrize("name", MAPS)
def test_every_map_is_within_the_promise(name):
    p = edge_set(MAPS[name])
    found = executed(MAPS[name].to_sql("p"), p=p)
    assert found.dtype == np.float64
    assert_promised(found, MAPS[name], p)


@pytest.mark.parametrize("name", STEEP)
def test_steep_slopes(name):
    p = edge_set(STEEP[name])
    assert_promised(executed(STEEP[name].to_sql("p"), p=p), STEEP[name], p, slack=9.0)


@pytest.mark.parametrize("name", ["identity", "beta", "binned", "polygon 0"])
def test_what_is_no_score_gives_null(name):
    p = np.array([0.5, np.nan, -1e-5, 1.5, np.inf, -np.inf])
    found = executed(MAPS[name].to_sql("p"), p=p)  # numpy's NaN is NULL here
    assert np.ma.getmaskarray(found).tolist() == [False, True, True, True, True, True]
    with duckdb.connect() as connection:
        for other in ("NULL", "'NaN'::DOUBLE"):
            rows = connection.execute(f"SELECT {MAPS[name].to_sql('p')} FROM (SELECT {other} AS p)").fetchall()
            assert rows == [(None,)]


@pytest.mark.parametrize("column", ["score", "Score of (a)", 'odd ")" name', "v0", "select", "é"])
def test_a_column_may_have_any_name(column):
    p = np.array([0.1, 0.9])
    for name in ("mixture", "polygon 0"):
        assert_promised(executed(MAPS[name].to_sql(column), **{column: p}), MAPS[name], p)


def test_it_stands_wherever_a_value_stands():
    c_hat = MAPS["polygon 0"]
    sql, p = c_hat.to_sql("p"), np.linspace(0, 1, 101)
    with duckdb.connect() as connection:
        connection.register("scores", {"p": p})
        mean, n = connection.execute(f"SELECT avg({sql}), count(*) FROM scores WHERE {sql} > 0.5").fetchone()
        groups = connection.execute(f"SELECT round({sql}, 1) AS k, count(*) FROM scores GROUP BY 1").fetchall()
    above = c_hat(p)[c_hat(p) > 0.5]
    assert n == above.size
    assert mean == pytest.approx(above.mean(), rel=1e-12)
    assert sum(count for _, count in groups) == p.size


@pytest.mark.parametrize("kind", ["REAL", "DECIMAL(4, 3)", "VARCHAR"])
def test_columns_of_other_types_count_as_double(kind):
    p = np.array([0.125, 0.25, 0.7])
    found = executed(f"{MAPS['beta'].to_sql('p')}", p=p)
    with duckdb.connect() as connection:
        connection.register("scores", {"p": p})
        rows = connection.execute(f"SELECT {MAPS['beta'].to_sql('p')} FROM (SELECT p::{kind} AS p FROM scores)")
        values = [value for (value,) in rows.fetchall()]
    np.testing.assert_allclose(values, found, rtol=1e-6 if kind == "REAL" else 1e-15)


def test_a_thousand_bins_are_not_too_deep():
    edges = np.arange(1, 1200) / 1200
    c_hat = fot.maps.BinnedMap(
        fot.partitions.Partition(edges), np.random.default_rng(0).normal(0, 0.01, 1200), np.ones(1200)
    )
    p = np.concatenate((edges, np.nextafter(edges, 0)))
    assert_promised(executed(c_hat.to_sql("p"), p=p), c_hat, p)
