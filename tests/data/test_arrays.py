"""What may be passed as a column, that every way of passing it gives the same numbers, and what is refused."""

import array
import datetime
import decimal
import fractions

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fitontest as fot
from fitontest.data.arrays import (
    as_column,
    as_numbers,
    as_probabilities,
    check_finite,
    check_same_length,
    check_unit_interval,
    to_real,
)

pytestmark = pytest.mark.multiplies

SCORES = [0.25, 0.5, 0.75, 1.0, 0.0]  # exact in every float type, float8 included
LABELS = [0, 1, 1, 0, 1]
NAN, INF = float("nan"), float("inf")


def read_only(values):
    result = np.array(values)
    result.flags.writeable = False
    return result


def strided(values):
    wide = np.full((len(values), 3), 0.123)
    wide[:, 1] = values
    return wide[:, 1]


def torch_tensor(values, dtype, **options):
    torch = pytest.importorskip("torch")
    return torch.tensor(values, dtype=getattr(torch, dtype), **options)


def torch_float8(values):
    return torch_tensor(values, "float32").to(pytest.importorskip("torch").float8_e4m3fn)


ANY_NUMBERS = {
    "list": list,
    "tuple": tuple,
    "list of numpy scalars": lambda v: [np.float32(x) for x in v],
    "list of Decimal": lambda v: [decimal.Decimal(str(x)) for x in v],
    "list of Fraction": lambda v: [fractions.Fraction(x) for x in v],
    "list of jax scalars": lambda v: list(jnp.array(v, dtype=jnp.float32)),
    "array.array": lambda v: array.array("d", v),
    "numpy float16": lambda v: np.array(v, dtype=np.float16),
    "numpy float32": lambda v: np.array(v, dtype=np.float32),
    "numpy float64": lambda v: np.array(v, dtype=np.float64),
    "numpy longdouble": lambda v: np.array(v, dtype=np.longdouble),
    "numpy big-endian": lambda v: np.array(v, dtype=">f8"),
    "numpy big-endian float32": lambda v: np.array(v, dtype=">f4"),
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy object column": lambda v: np.array(v, dtype=object)[:, np.newaxis],
    "numpy strided": strided,
    "numpy reversed": lambda v: np.array(v[::-1], dtype=float)[::-1],
    "numpy read-only": read_only,
    "numpy column": lambda v: np.array(v, dtype=float)[:, np.newaxis],
    "numpy masked array without a mask": np.ma.array,
    "numpy bfloat16": lambda v: np.array(v, dtype=ml_dtypes.bfloat16),
    "pandas float64": lambda v: pd.Series(v, dtype="float64"),
    "pandas Float64": lambda v: pd.Series(v, dtype="Float64"),
    "pandas Float32": lambda v: pd.Series(v, dtype="Float32"),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas arrow": lambda v: pd.Series(v, dtype="double[pyarrow]"),
    "pandas sparse": lambda v: pd.Series(v, dtype="Sparse[float]"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas odd index": lambda v: pd.Series(v, index=[7, 7, 1, 0, 3]),
    "pandas Index": pd.Index,
    "pandas extension array": lambda v: pd.array(v, dtype="Float64"),
    "pandas frame": lambda v: pd.DataFrame({"a": v}),
    "pandas frame, integer name": pd.DataFrame,
    "pandas frame, tuple name": lambda v: pd.DataFrame({("a", "b"): v}),
    "pandas frame, no name": lambda v: pd.DataFrame({None: v}),
    "polars Float64": lambda v: pl.Series(v, dtype=pl.Float64, strict=False),
    "polars Float32": lambda v: pl.Series(v, dtype=pl.Float32, strict=False),
    "polars Decimal": lambda v: pl.Series(v, dtype=pl.Float64, strict=False).cast(pl.Decimal(10, 4)),
    "polars frame": lambda v: pl.DataFrame({"a": v}),
    "pyarrow": pa.array,
    "pyarrow float32": lambda v: pa.array(v, pa.float32()),
    "pyarrow halffloat": lambda v: pa.array(np.array(v, dtype=np.float16)),
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "pyarrow chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "pyarrow table": lambda v: pa.table({"a": v}),
    "pyarrow record batch": lambda v: pa.record_batch({"a": v}),
    "jax float32": lambda v: jnp.array(v, dtype=jnp.float32),
    "jax float16": lambda v: jnp.array(v, dtype=jnp.float16),
    "jax bfloat16": lambda v: jnp.array(v, dtype=jnp.bfloat16),
    "jax float8_e4m3fn": lambda v: jnp.array(v, dtype=jnp.float8_e4m3fn),
    "jax float8_e5m2": lambda v: jnp.array(v, dtype=jnp.float8_e5m2),
    "jax column": lambda v: jnp.array(v, dtype=jnp.float32)[:, None],
    "torch float64": lambda v: torch_tensor(v, "float64"),
    "torch float32": lambda v: torch_tensor(v, "float32"),
    "torch float16": lambda v: torch_tensor(v, "float16"),
    "torch bfloat16": lambda v: torch_tensor(v, "bfloat16"),
    "torch float8": torch_float8,
    "torch with gradient": lambda v: torch_tensor(v, "float32", requires_grad=True),
    "torch bfloat16 with gradient": lambda v: torch_tensor(v, "bfloat16", requires_grad=True),
    "torch column": lambda v: torch_tensor(v, "float64")[:, None],
    "torch strided": lambda v: torch_tensor([v, v], "float64").T[:, 0],
    "list of numpy arrays of no dimension": lambda v: [np.array(x) for x in v],
    "list of numpy float32 of no dimension": lambda v: [np.array(x, dtype=np.float32) for x in v],
    "tuple of jax arrays of no dimension": lambda v: tuple(jnp.array(x) for x in v),
    "list of jax bfloat16 of no dimension": lambda v: [jnp.array(x, dtype=jnp.bfloat16) for x in v],
    "list of torch tensors of no dimension": lambda v: [torch_tensor(x, "float32", requires_grad=True) for x in v],
}

WHOLE_NUMBERS = {
    **{f"numpy {dtype}": lambda v, t=dtype: np.array(v, dtype=t) for dtype in "bBhHiIlLqQ?"},
    "numpy big-endian int16": lambda v: np.array(v, dtype=">i2"),
    "numpy object of numpy integers": lambda v: np.array([np.int8(x) for x in v], dtype=object),
    "numpy object of booleans": lambda v: np.array([bool(x) for x in v], dtype=object),
    "numpy object of numpy booleans": lambda v: np.array([np.bool_(x) for x in v], dtype=object),
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas UInt8": lambda v: pd.Series(v, dtype="UInt8"),
    "pandas boolean": lambda v: pd.Series(v).astype("boolean"),
    "pandas arrow boolean": lambda v: pd.Series(v).astype("bool[pyarrow]"),
    "pandas extension array of integers": lambda v: pd.array(v, dtype="Int64"),
    "polars Int8": lambda v: pl.Series(v, dtype=pl.Int8),
    "polars UInt64": lambda v: pl.Series(v, dtype=pl.UInt64),
    "polars Boolean": lambda v: pl.Series(v).cast(pl.Boolean),
    "pyarrow int8": lambda v: pa.array(v, pa.int8()),
    "pyarrow boolean": lambda v: pa.array([bool(x) for x in v]),
    "pyarrow chunked boolean": lambda v: pa.chunked_array([[bool(x) for x in v[:2]], [bool(x) for x in v[2:]]]),
    "jax int8": lambda v: jnp.array(v, dtype=jnp.int8),
    "jax boolean": lambda v: jnp.array(v, dtype=bool),
    "torch int64": lambda v: torch_tensor(v, "int64"),
    "torch uint8": lambda v: torch_tensor(v, "uint8"),
    "torch boolean": lambda v: torch_tensor(v, "bool"),
    "list of numpy integers of no dimension": lambda v: [np.array(int(x)) for x in v],
    "list of jax booleans of no dimension": lambda v: [jnp.array(bool(x)) for x in v],
    "list of torch integers of no dimension": lambda v: [torch_tensor(x, "int64") for x in v],
}


def assert_same_bits(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected, dtype=np.float64)
    assert actual.dtype == np.float64
    assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize("build", ANY_NUMBERS.values(), ids=ANY_NUMBERS)
def test_scores_and_weights_are_the_same_numbers_in_every_container(build):
    sample = fot.ScoreSample(LABELS, build(SCORES), build(SCORES))
    assert_same_bits(sample.p, SCORES)
    assert_same_bits(sample.w, SCORES)
    assert_same_bits(as_probabilities(build(SCORES), "p").reshape(-1), SCORES)


@pytest.mark.parametrize("build", (ANY_NUMBERS | WHOLE_NUMBERS).values(), ids=ANY_NUMBERS | WHOLE_NUMBERS)
def test_labels_are_the_same_numbers_in_every_container(build):
    assert_same_bits(fot.ScoreSample(build(LABELS), SCORES).y, LABELS)


@pytest.mark.parametrize("build", WHOLE_NUMBERS.values(), ids=WHOLE_NUMBERS)
def test_whole_numbers_may_be_scores_and_weights(build):
    sample = fot.ScoreSample(LABELS, build(LABELS), build(LABELS))
    assert_same_bits(sample.p, LABELS)
    assert_same_bits(sample.w, LABELS)


@pytest.mark.parametrize("build", [np.asarray, jnp.asarray, pl.Series, pa.array, pd.Series])
def test_float32_scores_equal_their_float64_conversion(build):
    scores = np.random.default_rng(0).random(1000, dtype=np.float32)
    sample = fot.ScoreSample(np.arange(1000) % 2, build(scores))
    assert_same_bits(sample.p, scores.astype(np.float64))
    assert_same_bits(sample.rows.p, np.sort(scores).astype(np.float64))


@pytest.mark.exhaustive
@settings(deadline=None, max_examples=50)
@given(
    hnp.arrays(st.sampled_from(["<f2", ">f4", "<f8", ">f8"]), st.integers(1, 20), elements=st.floats(0, 1, width=16))
)
def test_scores_of_every_float_type_keep_their_value(scores):
    assert np.array_equal(fot.ScoreSample(np.ones(scores.size), scores).p, scores.astype(np.float64))


def test_a_column_keeps_its_dtype_and_its_memory():
    scores = np.array(SCORES, dtype=np.float32)
    assert np.shares_memory(as_column(scores, "p"), scores)
    assert as_numbers(scores, "p").dtype == np.float32
    assert as_column(["a", "b"], "y").tolist() == ["a", "b"]


MISSING = {
    "list": [0.0, None, 1.0],
    "numpy object None": np.array([0, None, 1], dtype=object),
    "numpy object NaN": np.array([0, NAN, 1], dtype=object),
    "numpy object float32 NaN": np.array([0, np.float32("nan"), 1], dtype=object),
    "numpy object NA": np.array([0, pd.NA, 1], dtype=object),
    "numpy object NaT": np.array([0, pd.NaT, 1], dtype=object),
    "numpy masked array": np.ma.array([0.0, 0.5, 1.0], mask=[False, True, False]),
    "pandas float64": pd.Series([0.0, None, 1.0]),
    "pandas Float64": pd.Series([0.0, None, 1.0], dtype="Float64"),
    "pandas Float64 NaN": pd.Series([0, 0, 1], dtype="Float64") / pd.Series([1, 0, 1], dtype="Float64"),
    "pandas Int64": pd.Series([0, None, 1], dtype="Int64"),
    "pandas boolean": pd.Series([False, None, True], dtype="boolean"),
    "pandas object": pd.Series([0, None, 1], dtype=object),
    "pandas category": pd.Series([0.0, None, 1.0], dtype="category"),
    "pandas arrow": pd.Series([0, None, 1], dtype="int64[pyarrow]"),
    "pandas frame": pd.DataFrame({"a": [0, None, 1]}, dtype="Int64"),
    "polars": pl.Series([0.0, None, 1.0]),
    "polars integer": pl.Series([0, None, 1]),
    "polars boolean": pl.Series([False, None, True]),
    "polars frame": pl.DataFrame({"a": [0, None, 1]}),
    "pyarrow": pa.array([0.0, None, 1.0]),
    "pyarrow boolean": pa.array([False, None, True]),
    "pyarrow dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([0.0, None, 1.0])),
    "pyarrow chunked": pa.chunked_array([[0, None], [1]]),
    "pyarrow table": pa.table({"a": [0, None, 1]}),
}


NAN_IN_OLDER = ("pandas Float64 NaN", "pyarrow dictionary")  # before pandas 3; before pyarrow has looked at the values


@pytest.mark.parametrize("container", MISSING)
@pytest.mark.parametrize("place", [0, 1, 2], ids=["y_true", "y_prob", "sample_weight"])
def test_missing_values_are_refused_in_every_container(place, container):
    values = MISSING[container]
    arguments = [[0, 1, 1], [0.1, 0.2, 0.3], [1, 1, 1]]
    arguments[place] = values
    name = ("y_true", "y_prob", "sample_weight")[place]
    rule = r"must not have missing values \(None, NaN or NA\), got 1, the first at row 2 \(rows counted from 1\)"
    if container in NAN_IN_OLDER:
        rule = rf"({rule}|must be finite, got nan at row 2 \(rows counted from 1; 1 such value\))"
    with pytest.raises(ValueError, match=f"^{name} {rule}$"):
        fot.ScoreSample(*arguments)


MISSING_TEXT = {
    "list None": ["a", None, "b"],
    "list NaN": ["a", NAN, "b"],
    "list NaN, one class": ["a", NAN, "a"],
    "tuple NaN": ("a", NAN, "b"),
    "numpy object NaN": np.array(["a", NAN, "b"], dtype=object),
    "numpy StringDType": np.array(["a", NAN, "b"], dtype=np.dtypes.StringDType(na_object=NAN)),
    "pandas": pd.Series(["a", None, "b"]),
    "pandas object": pd.Series(["a", NAN, "b"], dtype=object),
    "pandas category": pd.Series(["a", None, "b"], dtype="category"),
    "pandas Categorical": pd.Categorical(["a", None, "b"]),
    "pandas Index": pd.Index(["a", None, "b"]),
    "pandas arrow": pd.Series(["a", None, "b"], dtype="string[pyarrow]"),
    "polars": pl.Series(["a", None, "b"]),
    "pyarrow": pa.array(["a", None, "b"]),
    "pyarrow dictionary": pa.array(["a", None, "b"]).dictionary_encode(),
    "pyarrow record batch": pa.record_batch({"a": ["a", None, "b"]}),
}


@pytest.mark.parametrize("values", MISSING_TEXT.values(), ids=MISSING_TEXT)
def test_missing_values_among_text_labels_never_become_a_class(values):
    with pytest.raises(
        ValueError,
        match=r"^y_true must not have missing values .*NaN.*, got 1, the first at row 2 \(rows counted from 1\)$",
    ):
        fot.ScoreSample(values, [0.1, 0.2, 0.3], pos_label="a")


NOT_FINITE = {
    "list": list,
    "numpy float16": lambda v: np.array(v, dtype=np.float16),
    "numpy float32": lambda v: np.array(v, dtype=np.float32),
    "numpy longdouble": lambda v: np.array(v, dtype=np.longdouble),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda v: pa.chunked_array([v]),
    "jax": jnp.array,
    "jax bfloat16": lambda v: jnp.array(v, dtype=jnp.bfloat16),
    "torch": lambda v: torch_tensor(v, "float32", requires_grad=True),
    "torch bfloat16": lambda v: torch_tensor(v, "bfloat16"),
}


@pytest.mark.parametrize("bad", [NAN, INF, -INF], ids=str)
@pytest.mark.parametrize("build", NOT_FINITE.values(), ids=NOT_FINITE)
@pytest.mark.parametrize("place", [0, 1, 2], ids=["y_true", "y_prob", "sample_weight"])
def test_nan_and_infinities_are_refused_in_every_container(place, build, bad):
    arguments = [[0, 1, 1], [0.1, 0.2, 0.3], [1, 1, 1]]
    arguments[place] = build([0.0, 1.0, bad])
    name = ("y_true", "y_prob", "sample_weight")[place]
    with pytest.raises(
        ValueError, match=rf"^{name} must be finite, got {bad} at row 3 \(rows counted from 1; 1 such value\)$"
    ):
        fot.ScoreSample(*arguments)


@pytest.mark.parametrize(
    ("scores", "description"),
    [
        ([0.1, 1.5, -0.2], r"1\.5 at row 2 \(rows counted from 1; 2 of 3 values outside, from -0\.2 to 1\.5\)"),
        (
            [0.1, 0.2, -1e-5],
            r"-1e-05 at row 3 \(rows counted from 1; 1 of 3 values outside, from -1e-05 to 0\.2; if these are meant",
        ),
        (np.array([0.1, 0.2, 1.00001], dtype=np.float32), r"1\.00001 at row 3 \(rows counted from 1; 1 of 3"),
        (
            np.array([0, 1, 7], dtype=np.uint8),
            r"7 at row 3 \(rows counted from 1; 1 of 3 values outside, from 0 to 7; whole numbers look like labels\)",
        ),
        (
            np.array([0, -1, 1], dtype=np.int8),
            r"-1 at row 2 \(rows counted from 1; 1 of 3 values outside, from -1 to 1; whole numbers look like labels\)",
        ),
        (
            pl.Series([0.1, 2.0, 0.3]),
            r"2\.0 at row 2 \(rows counted from 1; 1 of 3 values outside, from 0\.1 to 2\.0\)",
        ),
        (
            [-4.5, 0.5, 2.0],
            r"-4\.5 at row 1 \(rows counted from 1; 2 of 3 values outside, from -4\.5 to 2\.0; if these are log odds",
        ),
        ([1.61, 3.23, 10.89], r"1\.61 at row 1 .*; if these are decimal odds, 1 / odds are probabilities once"),
        ([1.61, 30.23, 80.89], r"1\.61 at row 1 .*; if these are percents, divide by 100"),
        ([-1.61, -0.1, 0.0], r"-1\.61 at row 1 .*; if these are log probabilities, numpy\.exp makes"),
        (jnp.array([0.5, 2.0, 0.25], dtype=jnp.bfloat16), r"2(\.0)? at row 2"),
        ([decimal.Decimal("0.5"), decimal.Decimal(2), 0], r"2\.0 at row 2"),
    ],
)
def test_scores_outside_the_unit_interval_are_refused(scores, description):
    with pytest.raises(ValueError, match=rf"^y_prob must lie in \[0, 1\], got {description}"):
        fot.ScoreSample([0, 1, 1], scores)
    with pytest.raises(ValueError, match=rf"^p must lie in \[0, 1\], got {description}"):
        as_probabilities(scores, "p")


ROUNDED = [np.nextafter(1.0, 2.0), -1e-17, 1 - 1e-9, 1 + 1e-13]


@pytest.mark.parametrize("build", [list, np.array, pd.Series, pl.Series, pa.array])
def test_scores_that_miss_the_unit_interval_by_a_rounding_are_0_and_1(build):
    near = [1.0, 0.0, 1 - 1e-9, 1.0]
    assert fot.ScoreSample([0, 1, 1, 0], build(ROUNDED)).p.tolist() == near
    assert as_probabilities(build(ROUNDED), "p").tolist() == near
    assert fot.ece([0, 1, 1, 0], build(ROUNDED)).value == fot.ece([0, 1, 1, 0], near).value
    family = fot.Isotonic().fit(near, [0, 1, 1, 0])
    np.testing.assert_array_equal(fot.Isotonic().fit(build(ROUNDED), [0, 1, 1, 0]).predict(near), family.predict(near))
    np.testing.assert_array_equal(family.predict(build(ROUNDED)), family.predict(near))
    np.testing.assert_array_equal(family.map_(build(ROUNDED)), family.map_(near))


def test_a_rounding_of_single_precision_is_told():
    scores = np.array([0.0, 1.0, 0.5], dtype=np.float32)
    scores[1] = np.nextafter(scores[1], np.float32(2))
    given = scores.copy()
    with pytest.warns(fot.CalibrationWarning, match=r"y_prob has scores from 0\.0 to 1\.0000001; those"):
        sample = fot.ScoreSample([0, 1, 1], scores)
    assert sample.p.tolist() == [0.0, 1.0, 0.5]
    np.testing.assert_array_equal(scores, given)  # the array of the user stays as it was


@pytest.mark.parametrize(
    ("values", "description"),
    [
        (["0.1", "0.2", "0.3"], r"str values such as '0\.1'"),
        (np.array(["0.1", "0.2", "0.3"]), r"<U3 values such as np\.str_\('0\.1'\)"),
        ([0.1, "0.2", 0.3], r"str values such as '0\.2'"),
        (np.array([0.1, "much", 0.3], dtype=object), r"str values such as 'much'"),
        ([b"1", b"2", b"3"], r"bytes values such as b'1'"),
        (pd.Series(["0.1", "0.2", "0.3"]), r"(str|<U3) values such as .*'0\.1'"),
        (pl.Series(["0.1", "0.2", "0.3"]), r"(str|<U3) values such as .*'0\.1'"),
        (pa.array(["0.1", "0.2", "0.3"]), r"str values such as '0\.1'"),
        (np.array(["0.1", "0.2", "0.3"], dtype=np.dtypes.StringDType()), r"str values such as '0\.1'"),
        ([0.1j, 0.2, 0.3], r"complex128 values such as np\.complex128\(0\.1j\)"),
        (np.array([0.1, 0.2j, 0.3], dtype=object), r"complex values such as 0\.2j"),
        (np.array([0.1, np.complex64(0.5), 0.3], dtype=object), r"complex64 values such as np\.complex64\(0\.5\+0j\)"),
        (jnp.array([0.1j, 0.2, 0.3]), r"complex64 values"),
        (np.array(["2020-01-01"] * 3, dtype="M8[D]"), r"datetime64\[D\] values such as .*2020-01-01"),
        (np.array([1, 2, 3], dtype="m8[s]"), r"timedelta64\[s\] values"),
        ([datetime.date(2020, 1, 1)] * 3, r"date values such as datetime\.date\(2020, 1, 1\)"),
        (pd.Series(pd.to_datetime(["2020-01-01"] * 3)), r"datetime64\[.*\] values such as .*2020-01-01"),
        (pl.Series([datetime.date(2020, 1, 1)] * 3), r"datetime64\[D\] values"),
        (pa.array([{"a": 0.1}] * 3), r"dict values such as \{'a': 0\.1\}"),
        (np.zeros(3, dtype=[("a", float)]), r"\[\('a', '<f8'\)\] values"),
    ],
)
@pytest.mark.parametrize("name", ["y_prob", "sample_weight"])
def test_what_is_no_real_number_is_refused(name, values, description):
    columns = {"y_prob": [0.1, 0.2, 0.3], "sample_weight": [1, 1, 1], name: values}
    with pytest.raises(ValueError, match=rf"^{name} must hold real numbers, got {description}"):
        fot.ScoreSample([0, 1, 1], **columns)


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (
            np.repeat(np.arange(1, 11), 3),
            "from 1 to 10; all whole numbers from 1 to 10 look like ranks, such as deciles",
        ),
        (np.repeat(np.arange(1, 5), 3), "; all whole numbers from 1 to 4 look like ranks"),
        (np.repeat(np.arange(1, 101), 3)[1:], "; all whole numbers from 1 to 100 look like ranks"),
        (np.repeat([1, 2, 3, 50, 90, 100], 3), "; if these are percents, divide by 100"),
        (np.repeat(np.arange(1, 101), 1 + np.arange(100) % 5), "; if these are percents, divide by 100"),
        (np.repeat(np.arange(10), 3), "; whole numbers look like labels"),
        ([1, 2] * 5, "; whole numbers look like labels"),
    ],
)
def test_whole_numbers_are_told_by_which_of_them_occur(scores, told):
    with pytest.raises(ValueError, match=rf"^y_prob must lie in \[0, 1\].*{told}"):
        fot.ScoreSample([0, 1] * (len(scores) // 2) + [0] * (len(scores) % 2), scores)


def test_arrays_of_no_dimension_are_values_wherever_they_stand_in_lists():
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4]
    assert fot.ece([np.array(v) for v in y], [jnp.array(v) for v in p]).value == pytest.approx(fot.ece(y, p).value)
    assert fot.ece([np.array(v) for v in "abba"], p, pos_label="b").value == fot.ece(y, p).value
    groups = fot.read(y, p, groups=[np.array(v) for v in (1, 1, 2, 2)]).named_groups
    assert len(groups) == 2
    assert list(fot.read(y, p, by=[jnp.array(v) for v in (1, 1, 2, 2)])) == [1, 2]
    with pytest.warns(fot.CalibrationWarning, match="1 of 4 rows are left out"):
        assert fot.read(y, [np.array(v) for v in (0.2, NAN, 0.9, 0.4)], missing="drop").p.tolist() == [0.2, 0.9, 0.4]
    with pytest.raises(ValueError, match=r"^y_prob must lie in \[0, 1\], got 1\.5 at row 2"):
        fot.ece(y, [np.array(v) for v in (0.2, 1.5, 0.9, 0.4)])


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
def test_hints_fit_the_argument_that_they_speak_of(form):
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 30), rng.random(30)
    one_hot, labels, scores = (
        np.eye(3, dtype=int)[rng.integers(0, 3, 30)],
        rng.integers(0, 2, (30, 4)),
        rng.random((30, 4)),
    )

    def refused(*arguments, **options):
        with pytest.raises(ValueError, match="must be one") as found:
            fot.read(*arguments, **options)
        return str(found.value)

    for matrix, options in ((p, {}), (rng.dirichlet([1, 1, 1], 30), {"reduction": "confidence"})):
        assert "argmax(axis=1) makes labels" in refused(form(one_hot), matrix, **options)
        told = refused(form(labels), scores if options else p, **options)
        assert "make a dict of samples, one for each" in told
        assert told.endswith("{k: fot.read(y[:, k], p[:, k]) for k in range(4)}")
    for matrix in (np.c_[p, p], np.c_[y, 1 - y]):
        told = refused(y, p, sample_weight=form(matrix))
        assert told.startswith("sample_weight must be one")
        assert "argmax" not in told
        assert "predict_proba" not in told
    assert "argmax" not in refused(form(np.c_[p, p]), p)


TWO_COLUMNS = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]


@pytest.mark.parametrize(
    "build",
    [list, np.array, jnp.array, lambda v: torch_tensor(v, "float32"), lambda v: np.array(v, dtype=object)],
    ids=["list", "numpy", "jax", "torch", "numpy object"],
)
def test_a_matrix_is_refused_with_a_hint(build):
    rule = r"^y_prob must be one-dimensional, got an array of shape \(3, 2\); .* pass the column .*classes_.*$"
    with pytest.raises(ValueError, match=rule):
        fot.ScoreSample([0, 1, 1], build(TWO_COLUMNS))
    assert fot.ScoreSample([0, 1, 1], np.array(TWO_COLUMNS)[:, 1]).p.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("values", "description"),
    [
        (pd.DataFrame(TWO_COLUMNS, columns=["a", "b"]), r"columns \['a', 'b'\]"),
        (pd.DataFrame(TWO_COLUMNS), r"columns \[0, 1\]"),
        (pd.DataFrame(TWO_COLUMNS, columns=["a", "a"]), r"Expected unique column names, got:\n- 'a' 2 times"),
        (pd.DataFrame(), r"columns \[\]"),
        (pl.DataFrame(TWO_COLUMNS, schema=["a", "b"], orient="row"), r"columns \['a', 'b'\]"),
        (pa.table({"a": [1.0], "b": [2.0]}), r"columns \['a', 'b'\]"),
    ],
)
def test_a_frame_of_several_columns_is_refused(values, description):
    with pytest.raises(ValueError, match=rf"^y_prob must be one column, got a data frame.*{description}"):
        fot.ScoreSample([0, 1, 1], values)


def test_a_lazy_frame_is_refused():
    rule = "^y_prob must be a column in memory, got a lazy frame; collect it first$"
    with pytest.raises(ValueError, match=rule):
        fot.ScoreSample([0, 1, 1], pl.LazyFrame({"a": [0.1, 0.2, 0.3]}))


@pytest.mark.parametrize(
    ("values", "description"),
    [
        (None, "one NoneType"),
        (0.5, "one float"),
        (np.float64(0.5), r"an array of shape \(\)"),
        (np.array(0.5), r"an array of shape \(\)"),
        (np.zeros((3, 1, 1)), r"an array of shape \(3, 1, 1\)"),
        (jnp.array(0.5), r"an array of shape \(\)"),
        (pa.scalar(0.5), "one DoubleScalar"),
        (pl.col("a"), "one Expr"),
        ("abc", "one str"),
        ({0.1, 0.2}, "one set"),
        (frozenset({0.1, 0.2}), "one frozenset"),
        ({"a": 0.1}, "one dict"),
        ((x for x in SCORES), "one generator"),
    ],
)
def test_what_is_no_sequence_is_refused(values, description):
    with pytest.raises(ValueError, match=f"^y_prob must be a one-dimensional array or sequence, got {description}$"):
        fot.ScoreSample([0, 1, 1], values)
    if values is not None:  # no weights is the default
        with pytest.raises(ValueError, match=f"^sample_weight must be a one-dimensional .*, got {description}$"):
            fot.ScoreSample([0, 1, 1], [0.1, 0.2, 0.3], values)


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"^y_prob must be one-dimensional: .*inhomogeneous shape"):
        fot.ScoreSample([0, 1], [[0.1], [0.2, 0.3]])


@pytest.mark.parametrize("kind", ["sparse", "meta", "list with gradient"])
def test_tensors_without_a_plain_array_form_are_refused(kind):
    torch = pytest.importorskip("torch")
    values = {
        "sparse": lambda: torch.tensor([0.1, 0.2]).to_sparse(),
        "meta": lambda: torch.empty(2, device="meta"),
        "list with gradient": lambda: [torch.tensor(0.1, requires_grad=True)] * 2,
    }[kind]()
    type_name = "list" if kind == "list with gradient" else "Tensor"
    with pytest.raises(
        ValueError, match=f"^y_prob must be an array or a sequence that numpy can read, got one {type_name}:"
    ):
        fot.ScoreSample([0, 1], values)


@pytest.mark.parametrize(
    "empty",
    [[], (), np.empty(0), np.empty((0, 1)), pd.Series([], dtype=float), pl.Series([]), pa.array([]), jnp.array([])],
    ids=lambda empty: f"{type(empty).__module__}.{type(empty).__name__}",
)
def test_empty_columns_are_refused(empty):
    with pytest.raises(ValueError, match=r"^y_true must not be empty, got 0 rows$"):
        fot.ScoreSample(empty, empty)
    with pytest.raises(ValueError, match=r"^y_prob must not be empty, got 0 rows$"):
        fot.ScoreSample([0, 1], empty)
    with pytest.raises(ValueError, match=r"^sample_weight must not be empty, got 0 rows$"):
        fot.ScoreSample([0, 1], [0.1, 0.2], empty)


def test_numbers_beyond_float64_are_refused():
    with pytest.raises(
        ValueError, match=r"^sample_weight must hold numbers within the range of a float64: .*too large"
    ):
        fot.ScoreSample([0, 1], [0.1, 0.2], [10**400, 1])


def test_probabilities_keep_their_shape():
    assert as_probabilities(0.25, "p").shape == ()
    assert float(as_probabilities(np.float32(0.25), "p")) == 0.25
    assert as_probabilities(np.full((2, 3), 0.5, order="F"), "p").shape == (2, 3)
    assert as_probabilities([], "p").shape == (0,)
    assert as_probabilities(np.array([], dtype=str), "p").dtype == np.float64
    assert as_probabilities(pl.DataFrame({"a": SCORES}), "p").shape == (5,)
    assert np.array_equal(as_probabilities(np.array([[0.0, 0.25], [0.5, 1.0]]).T, "p"), [[0.0, 0.5], [0.25, 1.0]])


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([0.1, NAN], r"must be finite, got nan at row 2"),
        ([0.1, -INF], r"must be finite, got -inf at row 2"),
        ([0.1, None], r"must not have missing values .*, got 1, the first at row 2 \(rows counted from 1\)"),
        (1.5, r"must lie in \[0, 1\], got 1\.5 \(1 of 1 values outside"),
        (None, r"must not have missing values .*, got 1"),
        ({0.1}, r"must hold real numbers, got set values such as \{0\.1\}"),
        ("a", r"must hold real numbers, got str values such as 'a'"),
    ],
)
def test_probabilities_are_checked(values, rule):
    with pytest.raises(ValueError, match=f"^p {rule}"):
        as_probabilities(values, "p")
    with pytest.raises(ValueError, match=f"^p {rule}"):
        fot.families.Identity().fit([0.2, 0.7], [0, 1]).predict(values)


@pytest.mark.parametrize("build", [np.array, pd.Series, lambda v: torch_tensor(v, "float64"), list])
def test_inputs_are_left_as_they_are(build):
    labels, scores, weights = build([1, 0, 1]), build([0.3, 0.1, 0.2]), build([2.0, 0.0, 1.5])
    sample = fot.ScoreSample(labels, scores, weights)
    assert (len(sample.rows), len(sample.distinct)) == (2, 2)
    as_probabilities(scores, "p")
    assert list(labels) == [1, 0, 1]
    assert list(scores) == [0.3, 0.1, 0.2]
    assert list(weights) == [2.0, 0.0, 1.5]
    scores[0] = 0.5  # still the caller's to write
    assert scores[0] == 0.5


def test_to_real_passes_what_numpy_computes_with():
    for dtype in (bool, np.int8, np.uint64, np.float16, np.float32, np.longdouble):
        assert to_real(np.ones(2, dtype=dtype), "p").dtype == dtype
    assert to_real(np.array([1, 0.5], dtype=object), "p").dtype == np.float64


def test_checks_accept_what_obeys_the_rule():
    check_unit_interval(np.array([0.0, -0.0, 5e-324, 1.0]), "p")
    check_unit_interval(np.empty(0), "p")
    check_finite(np.array([1e308, -1e308, 5e-324]), "p")
    check_same_length(y_true=np.ones(3), y_prob=np.ones(3), sample_weight=None)


def test_lengths_that_differ_are_refused_by_name():
    rule = "must have the same number of rows, got: y_true has 3, y_prob has 2$"
    with pytest.raises(ValueError, match=f"^y_true and y_prob {rule}"):
        check_same_length(y_true=np.ones(3), y_prob=np.ones(2), sample_weight=None)
    with pytest.raises(ValueError, match=r"rows, got: y_true has 3, y_prob has 3, sample_weight has 1$"):
        check_same_length(y_true=np.ones(3), y_prob=np.ones(3), sample_weight=np.ones(1))
