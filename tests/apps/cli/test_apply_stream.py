"""``fitontest apply`` on Parquet files that are not read into memory: the same table, notes and refusals."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli import apply as module
from fitontest.apps.cli.main import main

pytestmark = pytest.mark.multiplies

BETA = fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16)
SHIFT = fot.maps.BinnedMap(fot.partitions.Partition([0.5]), [-0.3, 0.3], [1.0, 1.0])
VECTOR = fot.maps.SoftmaxMap([0.5, 1.5, 2.0], [0.1, 0.0, -0.3])
N = 3000


@dataclass(frozen=True, eq=False)
class Half(fot.CalibrationMap):
    """A map that defines no formula."""

    kind = "half"

    def evaluate(self, p):
        return p / 2


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), N)
    odd = pd.DataFrame({"p": rng.random(N), "P": rng.random(N), 'odd "name", é': [f"row {i}" for i in range(N)]})
    few = pd.DataFrame({"f": rng.random(N).astype(np.float32), "n": pd.array([1, None, 3] * (N // 3), dtype="Int16")})
    return pd.concat([odd, few, pd.DataFrame(P, columns=["a", "b", "c"])], axis=1)


@pytest.fixture
def apply(tmp_path, monkeypatch):
    """Return a function that applies a map to a frame, by arrays or, with `streamed`, by SQL."""

    def run(c_hat, frame, *probs, streamed=True, target="out.parquet"):
        monkeypatch.setattr(module, "MOST_IN_MEMORY", -1 if streamed else 10**9)
        (tmp_path / "map.json").write_text(c_hat.to_json())
        frame.to_parquet(tmp_path / "in.parquet", row_group_size=500)
        (tmp_path / target).unlink(missing_ok=True)
        columns = [word for prob in probs for word in ("--prob", prob)]
        files = [str(tmp_path / name) for name in ("map.json", "in.parquet", target)]
        return CliRunner().invoke(main, ["apply", *files[:2], *columns, "-o", files[2]]), tmp_path / target

    return run


@pytest.fixture
def no_arrays(monkeypatch):
    """Let the command fail where it would read a column as an array."""

    def fail(*_, **__):
        raise AssertionError("read into memory")

    monkeypatch.setattr(module, "read_columns", fail)


@pytest.mark.parametrize("target", ["out.parquet", "out.csv", "out.tsv.gz"])
@pytest.mark.parametrize(
    ("c_hat", "probs"),
    [(BETA, ["p"]), (BETA, ["P"]), (SHIFT, ["f"]), (VECTOR, ["a", "b", "c"])],
    ids=["beta", "names in two cases", "float32", "classes"],
)
def test_the_same_table_as_by_arrays(apply, frame, monkeypatch, c_hat, probs, target):
    by_arrays, path = apply(c_hat, frame, *probs, streamed=False, target=target)
    expected = pd.read_parquet(path) if "parquet" in target else pd.read_csv(path, sep=None, engine="python")
    monkeypatch.setattr(module, "read_columns", None)
    by_sql, path = apply(c_hat, frame, *probs, target=target)
    assert by_sql.exit_code == 0, by_sql.output
    assert (by_sql.stdout, by_sql.stderr) == (by_arrays.stdout, by_arrays.stderr)
    found = pd.read_parquet(path) if "parquet" in target else pd.read_csv(path, sep=None, engine="python")
    assert found.dtypes.tolist() == expected.dtypes.tolist()
    new = [name for name in expected if name.startswith("calibrated")]
    assert len(new) == len(probs)
    pd.testing.assert_frame_equal(found.drop(columns=new), expected.drop(columns=new))
    np.testing.assert_allclose(found[new], expected[new], rtol=0, atol=0 if c_hat is SHIFT else 1e-15)


def test_clipped_values_are_counted(apply, frame, no_arrays):
    result, path = apply(SHIFT, frame, "p")
    values = SHIFT(frame.p.to_numpy())
    outside = int(((values < 0) | (values > 1)).sum())
    assert result.stderr == f"Note: {outside} of {N} calibrated probabilities were clipped to [0, 1]\n"
    np.testing.assert_array_equal(pd.read_parquet(path).calibrated, np.clip(values, 0, 1))


@pytest.mark.parametrize(
    ("column", "probs", "message"),
    [
        ({"p": 1.5}, ["p"], r"prob column 'p' must lie in \[0, 1\], got 1.5 at row 8"),
        ({"p": np.inf}, ["p"], "prob column 'p' must be finite"),
        ({"a": 0.99}, ["a", "b", "c"], "--prob must have rows that add up to 1"),
    ],
)
def test_bad_scores_are_refused_by_their_rows(apply, frame, column, probs, message):
    ((name, value),) = column.items()
    frame.loc[7, name] = value
    result, path = apply(BETA if probs == ["p"] else VECTOR, frame, *probs)
    assert result.exit_code == 2
    with pytest.raises(ValueError, match=message):
        raise ValueError(result.stderr)
    assert not path.exists()


def test_missing_scores_stay_missing(apply, frame, no_arrays):
    frame.loc[[7, 9], "p"] = np.nan
    result, path = apply(BETA, frame, "p")
    assert result.stderr == f"Note: 2 of {N} rows have no score, and no calibrated probability\n"
    assert np.flatnonzero(pd.read_parquet(path).calibrated.isna()).tolist() == [7, 9]


def test_columns_of_texts_and_taken_names_are_refused(apply, frame):
    texts, _ = apply(BETA, frame, 'odd "name", é')
    assert "must hold real numbers, got str values such as 'row 0'" in texts.stderr
    taken, path = apply(BETA, frame.assign(Calibrated=0), "p")
    assert "--column must not be a column of" in taken.stderr
    assert not path.exists()


def test_no_rows(apply, frame, no_arrays):
    result, path = apply(BETA, frame[:0], "p", target="out.csv")
    assert "0 rows" in result.stdout
    assert path.read_text().count("\n") == 1


def test_maps_without_a_formula_are_applied_by_arrays(apply, frame):
    fot.maps.register(Half)
    try:
        result, path = apply(Half(), frame, "p")
    finally:
        fot.maps.unregister("half")
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(pd.read_parquet(path).calibrated, frame.p / 2)
