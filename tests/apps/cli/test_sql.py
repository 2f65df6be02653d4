"""``fitontest sql``: the map as text that a database runs."""

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main

BETA = fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16)
VECTOR = fot.maps.SoftmaxMap([0.5, 1.5], [0.1, 0.0])


@pytest.fixture
def run(tmp_path):
    def run(c_hat, *options):
        (tmp_path / "map.json").write_text(c_hat.to_json())
        return CliRunner().invoke(main, ["sql", str(tmp_path / "map.json"), *options])

    return run


def test_the_printed_line_is_an_expression(run):
    result = run(BETA, "--prob", 'my "score"')
    assert result.exit_code == 0
    assert result.stdout == BETA.to_sql('my "score"') + "\n"
    assert run(BETA).stdout == BETA.to_sql("p") + "\n"
    (value,) = duckdb.sql(f"SELECT {run(BETA).stdout} FROM (SELECT 0.3 AS p)").fetchall()[0]
    assert value == pytest.approx(BETA(0.3), abs=1e-15)


def test_a_line_for_each_class(run):
    lines = run(VECTOR, "--prob", "a", "--prob", "b").stdout.splitlines()
    assert lines == VECTOR.to_sql(["a", "b"])
    values = duckdb.sql(f"SELECT {', '.join(lines)} FROM (SELECT 0.3 AS a, 0.7 AS b)").fetchall()[0]
    np.testing.assert_allclose(values, VECTOR([[0.3, 0.7]])[0], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("c_hat", "options", "message"),
    [
        (BETA, ("--prob", "a", "--prob", "b"), "--prob must be given once, for a map of two classes; got a, b"),
        (VECTOR, (), "--prob must be given for each class of the map, once; got p"),
        (VECTOR, ("--prob", "a", "--prob", "b", "--prob", "c"), "--prob must name a column for each of the map's 2"),
        (BETA, ("--max-bytes", "5"), "MAP must have at most 5 bytes"),
    ],
)
def test_refusals(run, c_hat, options, message):
    result = run(c_hat, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
