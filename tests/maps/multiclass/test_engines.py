"""Maps of several classes on data frames and in SQL."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.maps.multiclass.one_vs_rest import ByClassMap
from tests.maps.engines import engine_params, make_frame, names_of, read_columns
from tests.maps.multiclass.test_maps import MAPS as FIRST

pytestmark = pytest.mark.multiplies

NAMES = ["p a", "p b", "p c"]
PART = fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0]], [[-2.0, -1.5, 2.5]])
MAPS = {
    **{name: c_hat for name, c_hat in FIRST.items() if name != "order_preserving"},  # which has no formula to write out
    "temperature": fot.maps.SoftmaxMap(np.ones(3), np.zeros(3), beta=1.7),
    "warm": fot.maps.SoftmaxMap([1.0, 0.5, 2.0], np.zeros(3), beta=30.0),
    "bias-corrected": fot.maps.SoftmaxMap([1.2, 1.2, 1.2], [0.3, -0.1, -0.2], beta=0.8, mix=1e-6),
    "nothing": fot.maps.SoftmaxMap(np.zeros((3, 3)), [0.5, 0.0, -0.5]),
    "polygons": fot.maps.OneVsRestMap(
        [PART, fot.maps.StepsMap([0.5], [0.2, 0.7], [0.2]), fot.maps.BetaMap(0.7, 1.9, 0.1, 1e-16)]
    ),
    "zeros": fot.maps.OneVsRestMap([fot.maps.KnotsMap([0], [0])] * 3),
    "by class": ByClassMap([PART, fot.maps.StepsMap([0.5], [0.2, 0.7], [0.2]), fot.maps.BetaMap(0.7, 1.9, 0.1, 1e-16)]),
    "shared polygon": fot.maps.SharedMap(PART),
}


def rows():
    """Return rows of ordinary, sharp and extreme probabilities that add up to 1."""
    rng = np.random.default_rng(3)
    corners = [[1, 0, 0], [0, 0.5, 0.5], [1e-300, 1 - 2.0**-53, 2.0**-53], [1e-17, 1, 0], [0.4, 0.4, 0.2], [1 / 3] * 3]
    P = np.concatenate((rng.dirichlet(np.ones(3), 200), rng.dirichlet(np.full(3, 0.02), 200), corners))
    return P / P.sum(axis=1, keepdims=True)


def assert_promised(found, c_hat, P):
    np.testing.assert_allclose(found, c_hat.evaluate(P), rtol=0, atol=1.5e-15)


@pytest.mark.parametrize("engine", engine_params())
def test_every_kind_on_every_engine(engine):
    P = rows()
    names = MAPS if engine == "polars" else ("full", "polygons")  # SQL is tried with all below
    for name in names:
        frame = make_frame(engine, dict(zip(NAMES, P.T.copy(), strict=True)))
        found = MAPS[name].apply_to(frame, NAMES)
        assert type(found) is type(frame)
        assert names_of(found) == [
            "row",
            *NAMES,
            *(f"calibrated_{one}" for one in NAMES),
        ]
        assert_promised(np.column_stack(read_columns(found, [f"calibrated_{one}" for one in NAMES])), MAPS[name], P)


@pytest.mark.parametrize("name", MAPS)
def test_sql_executed_as_text(name):
    P = rows()
    sql = ", ".join(f"{one} AS c{k}" for k, one in enumerate(MAPS[name].to_sql(NAMES)))
    with duckdb.connect() as connection:
        connection.register("scores", dict(zip(NAMES, P.T.copy(), strict=True)))
        found = connection.execute(f"SELECT {sql} FROM scores").fetchnumpy()
    assert_promised(np.column_stack([found[f"c{k}"] for k in range(3)]), MAPS[name], P)


def test_sums_are_mended_as_for_arrays():
    P = rows().astype(np.float32)
    frame = pd.DataFrame(P, columns=NAMES)
    found = MAPS["full"].apply_to(frame, NAMES, ["a", "b", "c"])
    np.testing.assert_allclose(found[["a", "b", "c"]], MAPS["full"](P), rtol=0, atol=1e-15)


@pytest.mark.parametrize("engine", engine_params())
def test_rows_that_are_no_probabilities(engine):
    P = np.array([[0.2, 0.3, 0.5], [0.2, 0.3, 0.6], [0.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    frame = make_frame(engine, dict(zip(NAMES, P.T.copy(), strict=True)))
    with pytest.raises(ValueError, match=r"add up to 1 in each row \(within 0.001\), got 2 of 4 rows that do not"):
        MAPS["full"].apply_to(frame, NAMES)
    found = read_columns(MAPS["full"].apply_to(frame, NAMES, ["a", "b", "c"], check=False), ["a", "b", "c"])
    assert np.isnan(np.array(found)).tolist() == [[False, True, True, False]] * 3
    worse = make_frame(engine, dict(zip(NAMES, np.array([[1.5, -0.5, 0.0]]).T.copy(), strict=True)))
    with pytest.raises(ValueError, match=r"got 0 NaN and 1 outside in 'p a', 0 NaN and 1 outside in 'p b' \(of 1 rows"):
        MAPS["full"].apply_to(worse, NAMES)


@pytest.mark.exhaustive
def test_twenty_classes():
    K = 20
    P = np.random.default_rng(0).dirichlet(np.full(K, 0.1), 5)
    c_hat = fot.maps.SoftmaxMap(np.full(K, 1.5), np.linspace(0, 1, K), beta=0.5)
    names = [f"p{k}" for k in range(K)]
    found = c_hat.apply_to(pd.DataFrame(P, columns=names), names, [f"c{k}" for k in range(K)])
    assert_promised(found.iloc[:, K:].to_numpy(), c_hat, P)
    first = c_hat.to_sql(names)[0]
    with duckdb.connect() as connection:
        connection.register("scores", dict(zip(names, P.T.copy(), strict=True)))
        values = connection.execute(f"SELECT {first} AS c FROM scores").fetchnumpy()["c"]
    np.testing.assert_allclose(values, c_hat.evaluate(P)[:, 0], rtol=0, atol=1e-15)


REFUSED = {
    "probs must name a column for each of the map's 3 classes": {"probs": ["p a", "p b"]},
    "probs must name a column for each of two classes or more, each once": {"probs": ["p a", "p a", "p b"]},
    r"probs must be a non-empty list of probs, got 'p a'": {"probs": "p a"},
    "names must hold a name for each of the 3 classes": {"names": ["a"]},
    "name must not be a column of the frame already, got 'a'": {"names": ["a", "A", "b"]},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    given = {"frame": pd.DataFrame([[0.2, 0.3, 0.5]], columns=NAMES), "probs": NAMES, **REFUSED[message]}
    with pytest.raises(ValueError, match=message):
        MAPS["full"].apply_to(**given)


def test_cells_of_the_simplex_have_no_formula():
    P = rows()
    y = np.arange(len(P)) % 3
    c_hat = fot.gce(y, P, reduction="canonical", partition=fot.partitions.MedianVariance(20)).map
    with pytest.raises(ValueError, match=r"joint bins of several classes can be applied to arrays only"):
        c_hat.to_sql(NAMES)
