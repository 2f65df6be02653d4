"""Maps applied to data frames: on every engine what `evaluate` gives, and the same refusals."""

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from tests.maps.engines import engine_params, make_frame, names_of, read_columns
from tests.maps.scores import EXACT, MAPS, STEEP, assert_promised, edge_set

pytestmark = pytest.mark.multiplies

every_engine = pytest.mark.parametrize("engine", engine_params())
SLOW = ("dask", "pyspark")  # engines that take seconds for each map; the mixture holds three other kinds
FEW = [  # one of each formula; the others differ in numbers, which SQL is tested with
    "identity",
    "binned",
    "steps",
    "steps, none",
    "steps, ends",
    "knots",
    "knots, jump",
    "knots, unbounded",
    "hermite",
    "hermite, short",
    "logistic",
    "logistic, identity",
    "beta",
    "beta, least eps",
    "polygon 0",
    "restricted_cubic",
    "mixture",
    "atoms",
]


@every_engine
def test_every_kind_on_every_engine(engine):
    for name in FEW if engine not in SLOW else ("steps", "beta", "mixture"):
        c_hat, p = MAPS[name], edge_set(MAPS[name])
        frame = make_frame(engine, {"p": p})
        found = c_hat.apply_to(frame, "p")
        assert type(found) is type(frame)
        assert names_of(found) == ["row", "p", "calibrated"]
        read, values = read_columns(found, ["p", "calibrated"])
        np.testing.assert_array_equal(read, p)
        assert_promised(values, c_hat, p)


@pytest.mark.parametrize("name", STEEP)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_steep_slope_multiplies_the_rounding_of_the_logit(engine, name):
    p = np.concatenate((edge_set(STEEP[name]), np.linspace(0.5, 0.75, 2000)))
    values = read_columns(STEEP[name].apply_to(make_frame(engine, {"p": p}), "p"), ["calibrated"])[0]
    assert_promised(values, STEEP[name], p, slack=9.0)


def test_every_registered_kind_is_tried():
    from tests.maps.multiclass.test_engines import MAPS as SEVERAL

    tried = {c_hat.kind for c_hat in (*MAPS.values(), *SEVERAL.values())}
    of_features = set(fot.maps.names("features"))  # which take other columns too: tests/segments/maps
    sorted_rows = {"order_preserving"}  # a network of sorted scores has no formula: tests/maps/multiclass/test_maps.py
    own = set(fot.maps.registry._modules)  # kinds of other packages bring tests of their own
    assert own - of_features - sorted_rows <= tried
    assert {MAPS[name].kind for name in FEW} == {c_hat.kind for c_hat in MAPS.values()}
    assert set(EXACT) < tried


@every_engine
def test_a_missing_score_gives_a_missing_value(engine):
    scores = pd.DataFrame({"row": [0, 1, 2], "p": pd.array([0.25, None, 0.75], dtype="Float64")})
    frame = make_frame(engine, {"p": np.array([0.25, 0.5, 0.75])})
    if engine == "pandas":
        frame = scores
    elif engine == "duckdb":
        frame = frame.project("row, CASE WHEN row <> 1 THEN p END AS p")
    elif engine == "pyspark":
        frame = frame.selectExpr("row", "CASE WHEN row <> 1 THEN p END AS p")
    elif engine.startswith("polars"):
        import polars as pl

        frame = frame.with_columns(p=pl.when(pl.col("row") != 1).then(pl.col("p")))
    elif engine == "pyarrow":
        import pyarrow as pa

        frame = pa.table({"row": [0, 1, 2], "p": pa.array([0.25, None, 0.75])})
    else:
        frame = frame.assign(p=frame.p.where(frame.row != 1))
    values = read_columns(MAPS["binned"].apply_to(frame, "p"), ["calibrated"])[0]
    assert_promised(values[[0, 2]], MAPS["binned"], np.array([0.25, 0.75]))
    assert np.isnan(values[1])


@every_engine
def test_scores_that_are_none_are_counted_and_refused(engine):
    p = np.array([0.5, -1e-5, np.nan, 1.5, np.inf, 0.25])
    frame = make_frame(engine, {"p": p, "q": np.array([2.0, 0, 0, 0, 0, 0])})
    nan = 0 if engine in ("pandas", "dask") else 1  # there it is a missing value
    message = rf"prob must hold scores in \[0, 1\], got {nan} NaN and 3 outside in 'p' \(of 6 rows\)"
    with pytest.raises(ValueError, match=message):
        MAPS["beta"].apply_to(frame, "p")
    with pytest.raises(ValueError, match="0 NaN and 1 outside in 'q'"):
        MAPS["beta"].apply_to(frame, "q")
    values = read_columns(MAPS["binned"].apply_to(frame, "p", check=False), ["calibrated"])[0]
    np.testing.assert_array_equal(values, [0.5, np.nan, np.nan, np.nan, np.nan, 0.5])


@every_engine
def test_scores_that_miss_the_unit_interval_by_a_rounding_are_0_and_1(engine):
    p = np.array([-1e-6, -1e-17, np.nextafter(1.0, 2.0), 1.0000001, 0.25])
    near = np.clip(p, 0.0, 1.0)
    for name in ("identity", "beta", "binned", "knots", "steps"):
        found = read_columns(MAPS[name].apply_to(make_frame(engine, {"p": p}), "p"), ["calibrated"])[0]
        np.testing.assert_allclose(found, np.clip(MAPS[name](near), 0.0, 1.0), rtol=0, atol=1e-14)


@every_engine
def test_columns_of_other_kinds_of_numbers(engine):
    frame = make_frame(engine, {"p": np.array([0, 1, 1, 0]), "f": np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32)})
    found = MAPS["knots"].apply_to(MAPS["knots"].apply_to(frame, "p", "of p"), "f", "of f")
    of_p, of_f, f = read_columns(found, ["of p", "of f", "f"])
    np.testing.assert_array_equal(of_p, MAPS["knots"]([0, 1, 1, 0]))
    np.testing.assert_array_equal(of_f, MAPS["knots"](f))


def test_pandas_keeps_its_index_and_the_frame():
    frame = pd.DataFrame({"p": [0.5, 0.25], "_calibration1": ["a", "b"]}, index=["x", "x"])
    before = frame.copy()
    found = MAPS["polygon 0"].apply_to(frame, "p", name="c")
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(found.drop(columns="c"), before)
    assert_promised(found["c"].to_numpy(), MAPS["polygon 0"], np.array([0.5, 0.25]))


REFUSED = {
    r"prob must be a column of the frame, got 'q'; its columns are \['p', 's'\]": {"prob": "q"},
    "prob must be a column of numbers, got 's' of": {"prob": "s"},
    "name must not be a column of the frame already, got 'p'": {"name": "P"},
    "name must be that of a new column, got ''": {"name": ""},
    "frame must be a data frame that narwhals reads, got dict": {"frame": {"p": [0.5]}},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    given = {"frame": pd.DataFrame({"p": [0.5], "s": ["a"]}), "prob": "p", **REFUSED[message]}
    with pytest.raises(ValueError, match=message):
        MAPS["beta"].apply_to(**given)


def test_a_map_without_a_formula_says_so():
    class Half(fot.CalibrationMap):
        kind = "half"

        def evaluate(self, p):
            return p / 2

    for use in (lambda: Half().to_sql("p"), lambda: Half().apply_to(pd.DataFrame({"p": [0.5]}), "p")):
        with pytest.raises(ValueError, match=r"kind 'half' can be applied to arrays only: Half defines no expression"):
            use()


def test_a_map_of_ones_own_brings_a_formula():
    class Power(fot.CalibrationMap):
        kind = "power"

        def evaluate(self, p):
            return p * p

        def expression(self, p):
            return p * p

    assert Power().apply_to(pd.DataFrame({"p": [0.5]}), "p")["calibrated"].tolist() == [0.25]
    assert Power().to_sql("p").count('"p"::DOUBLE') == 5  # of which three are comparisons


@pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")
def test_lazy_frames_stay_lazy():
    """Without the pass that counts, nothing is computed: a frame that cannot be computed is taken."""
    pl = pytest.importorskip("polars")

    def fail(frame):
        raise AssertionError("computed")

    lazy = pl.LazyFrame({"p": [0.5]}).map_batches(fail, schema={"p": pl.Float64})
    assert isinstance(MAPS["mixture"].apply_to(lazy, "p", check=False), pl.LazyFrame)
    with pytest.raises(Exception, match="computed"):  # older versions of narwhals wrap the error
        MAPS["mixture"].apply_to(lazy, "p")
