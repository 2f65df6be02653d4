"""Rows that belong to groups: ids of every kind, groups carried with the rows, and what is refused of them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot
from fitontest.data.counted_sample import CountedSample

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = (RNG.random(300) < P).astype(int)
PATIENT = np.arange(300) // 3
HALF = PATIENT % 2
BOTH = np.stack([1 - P, P], axis=1)
ONE = fot.read(Y, P, groups=PATIENT)
CLASSES = fot.read(Y, BOTH, reduction="classwise", groups=PATIENT)
WHOLE = fot.read(Y, BOTH, reduction="canonical", groups=PATIENT)
QUICK = {"families": ["beta"], "interval": None}


def test_the_group_travels_with_the_rows():
    assert ONE.facts["group"].tolist() == PATIENT.tolist()
    assert CLASSES[1].facts["group"].tolist() == WHOLE.facts["group"].tolist() == PATIENT.tolist()
    by_half = fot.read(Y, P, groups=PATIENT, by=HALF)
    assert by_half[1].facts["group"].tolist() == PATIENT[HALF == 1].tolist()


@pytest.mark.parametrize(("data", "scores"), [(ONE, P), (CLASSES, BOTH), (WHOLE, BOTH)])
def test_point_estimates_are_those_without_groups(data, scores):
    reduction = {id(CLASSES): "classwise", id(WHOLE): "canonical"}.get(id(data))
    family = "vector" if reduction == "canonical" else "beta"
    plain = fot.calibration_error(Y, scores, reduction=reduction, family=family)
    assert float(fot.calibration_error(data, family=family)) == float(plain)
    assert float(fot.gce(data)) == float(fot.gce(Y, scores, reduction=reduction))


def test_segments_have_point_estimates():
    found = fot.evaluate(fot.read(Y, P, groups=PATIENT, by=HALF), **QUICK)
    plain = fot.evaluate(Y, P, by=HALF, **QUICK)
    assert [float(found[half]["beta"]) for half in found] == [float(plain[half]["beta"]) for half in plain]
    assert found[0]["beta"].null.p_value > 0


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("intervals and p-values of whole", lambda: fot.gce(WHOLE, interval="always", level=0.9)),
        ("intervals and p-values of whole", lambda: fot.gce(WHOLE, null_draws=10)),
        ("intervals and p-values of whole", lambda: fot.check_calibration(WHOLE, max_error=0.1)),
    ],
)
def test_what_takes_rows_for_independent_is_refused(what, call):
    with pytest.raises(ValueError, match=f"groups must be left out for {what}"):
        call()


IDS = {
    "numbers": (PATIENT, PATIENT),
    "texts": ([f"patient {i}" for i in PATIENT], PATIENT),
    "tuples": ([("Oslo" if i % 2 else "Rome", int(i)) for i in PATIENT], PATIENT),
    "an array of texts": (np.array([f"patient {i}" for i in PATIENT]), PATIENT),
    "whole numbers beyond floats": ([2**60 + int(i) for i in PATIENT], PATIENT),
    "whole numbers beyond numpy": ([2**70 + int(i) for i in PATIENT], PATIENT),
    "several types": ([(int(i), str(i), (int(i),), float(i) + 0.5)[i % 4] for i in PATIENT], PATIENT),
    "a number and its text": ([int(i) if i % 2 else str(i - 1) for i in PATIENT], PATIENT),
    "one column": (PATIENT[:, None], PATIENT),
    "pandas": (pd.Series(PATIENT), PATIENT),
    "pandas, nullable": (pd.Series(PATIENT, dtype="Int64"), PATIENT),
    "pandas objects": (pd.Series([2**60 + int(i) for i in PATIENT], dtype=object), PATIENT),
    "a frame of one column": (pd.DataFrame({"patient": PATIENT}), PATIENT),
    "categories": (pd.Series([f"p{i}" for i in PATIENT], dtype="category"), PATIENT),
    "a categorical": (pd.Categorical([f"p{i}" for i in PATIENT]), PATIENT),
    "times": (pd.Series(pd.Timestamp("2026-01-01") + pd.to_timedelta(PATIENT, "D")), PATIENT),
    "times of a zone": (pd.Series(pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(PATIENT, "D")), PATIENT),
    "polars": (pl.Series(PATIENT), PATIENT),
    "polars texts": (pl.Series([f"p{i}" for i in PATIENT]), PATIENT),
    "polars categories": (pl.Series([f"p{i}" for i in PATIENT], dtype=pl.Categorical), PATIENT),
    "polars dates": (pl.Series(PATIENT).cast(pl.Date), PATIENT),
    "arrow": (pa.array(PATIENT), PATIENT),
    "arrow texts": (pa.chunked_array([[f"p{i}" for i in PATIENT]]), PATIENT),
    "arrow dictionary": (pa.array([f"p{i}" for i in PATIENT]).dictionary_encode(), PATIENT),
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_are_of_any_hashable_type(kind):
    ids, patients = IDS[kind]
    groups = fot.read(Y, P, groups=ids).groups
    assert groups.code.tolist() == fot.read(Y, P, groups=patients).groups.code.tolist()
    whole = fot.read(Y, BOTH, reduction="canonical", groups=ids)
    assert whole.groups.rows.tolist() == [3] * 100
    assert fot.gce(whole) == fot.gce(WHOLE)


def test_ids_are_read_from_torch():
    torch = pytest.importorskip("torch")
    assert fot.read(Y, P, groups=torch.tensor(PATIENT)).groups.code.tolist() == ONE.groups.code.tolist()


MISSING = "groups must not have missing values .None, NaN or NA., got 1, the first at row 3"
DATES = pd.Series(pd.Timestamp("2026-01-01") + pd.to_timedelta(PATIENT, "D"))


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (PATIENT[:5], "y_true and groups must have the same number of rows, got: y_true has 300, groups has 5"),
        ([0, 0, None, *PATIENT[3:]], MISSING),
        ([0.0, 0.0, np.nan, *PATIENT[3:]], MISSING),
        (np.where(np.arange(300) == 2, np.nan, PATIENT), MISSING),
        (["a", "b", float("nan"), *PATIENT[3:]], MISSING),
        (["a", "b", pd.NA, *PATIENT[3:]], MISSING),
        (["a", "b", pd.NaT, *PATIENT[3:]], MISSING),
        ([("a", 1), ("a", 2), ("a", None), *PATIENT[3:]], MISSING),
        (pd.Series([0, 0, None, *PATIENT[3:]]), MISSING),
        (pd.Series(["a", "b", None, *map(str, PATIENT[3:])], dtype="category"), MISSING),
        (DATES.where(DATES.index != 2), MISSING),
        (DATES.where(DATES.index != 2).to_numpy(), MISSING),
        (pl.Series([0, 0, None, *PATIENT[3:].tolist()]), MISSING),
        (pa.array([0, 0, None, *PATIENT[3:].tolist()]), MISSING),
        (
            [*PATIENT[:4], [1, 2], *PATIENT[5:]],
            r"groups must hold ids that can be hashed, such as .*, got the list \[1, 2\] at row 5 \(rows counted",
        ),
        (
            [{"id": 1}] * 300,
            r"groups must hold ids that can be hashed, such as .*, got the dict \{'id': 1\} at row 1 .*300 such",
        ),
        (np.stack([PATIENT, PATIENT], axis=1), r"an id for each row, got an array of shape \(300, 2\); ids of several"),
        (pd.DataFrame({"a": PATIENT, "b": PATIENT}), "groups must be one column, got a data frame with columns"),
        ("patient", "groups must have an id for each row of arrays, got the text 'patient', which can name a column"),
        (7, "groups must be a column with an id for each row, got one int"),
        ([], "groups must not be empty, got 0 rows"),
    ],
)
def test_bad_groups_are_refused(ids, message):
    with pytest.raises(ValueError, match=message):
        fot.read(Y, P, groups=ids)
    with pytest.raises(ValueError, match=message):
        fot.read(Y, BOTH, reduction="classwise", groups=ids)


def test_rows_in_another_order_are_refused():
    ids = pd.Series(PATIENT)
    with pytest.raises(ValueError, match="y_true and groups must have their rows in one order"):
        fot.read(pd.Series(Y), P, groups=ids[::-1])


FRAME = pd.DataFrame({"y": Y, "p": P, "patient": [f"p{i}" for i in PATIENT], "half": HALF})
NAMED = {"label": "y", "prob": "p", "groups": "patient"}


@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, lambda f: pl.from_pandas(f).lazy(), pa.Table.from_pandas]
)
def test_groups_of_a_frame_are_a_column(make):
    assert fot.read(make(FRAME), **NAMED, cells="never").groups.code.tolist() == ONE.groups.code.tolist()


def test_groups_of_a_lazy_frame_are_those_of_its_cells():
    lazy = fot.read(pl.from_pandas(FRAME).lazy(), **NAMED, by="half")
    assert [type(lazy[half]) for half in (0, 1)] == [CountedSample] * 2
    assert lazy.groups.rows.tolist() == [3] * 100
    assert lazy[0].groups.rows.tolist() == [3] * 50


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_groups_of_a_file_are_a_column(tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    (FRAME.to_csv(path, index=False) if ending == "csv" else FRAME.to_parquet(path))
    assert fot.read(path, **NAMED).groups.code.tolist() == ONE.groups.code.tolist()
    by_half = fot.read(path, **NAMED, by="half")
    assert by_half[0].groups.rows.tolist() == [3] * 50


def test_a_missing_id_of_a_file_has_its_line(tmp_path):
    path = tmp_path / "scores.csv"
    FRAME.assign(patient=FRAME["patient"].where(FRAME.index != 2)).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"group column 'patient' must not have missing values .* the first at line 4"):
        fot.read(path, **NAMED)


def test_a_column_that_is_not_there_is_refused_with_what_was_meant(tmp_path):
    message = "groups must be a column of .*, got 'patiant'; its columns are .*: did you mean 'patient'?"
    with pytest.raises(ValueError, match=message):
        fot.read(FRAME, **NAMED | {"groups": "patiant"})
    for ending in ("csv", "parquet"):
        path = tmp_path / f"scores.{ending}"
        (FRAME.to_csv(path, index=False) if ending == "csv" else FRAME.to_parquet(path))
        with pytest.raises(ValueError, match=message):
            fot.read(path, **NAMED | {"groups": "patiant"})


def test_ids_beside_a_frame_are_refused():
    with pytest.raises(ValueError, match="groups must be the name of a column, or a list of several, got"):
        fot.read(FRAME, **NAMED | {"groups": PATIENT})


def test_groups_of_what_was_made_without_them_are_refused():
    cells = fot.Cells.of(Y, P)
    with pytest.raises(ValueError, match=r"groups must be left out where y_true is Cells.*Cells.of_frame\(groups="):
        fot.read(cells, groups=PATIENT)
    with pytest.raises(ValueError, match=r"where y_true is a dict of cells, whose rows .*Cells.of_frame\(groups="):
        fot.evaluate({"north": cells}, groups=PATIENT)
    with pytest.raises(ValueError, match="groups must be left out where y_true is ScoreSample, which is made already"):
        fot.read(fot.read(Y, P), groups=PATIENT)


def test_tests_of_bins_keep_their_value_and_say_that_they_take_rows_as_independent():
    tce = fot.tce(ONE, null_draws=20)
    assert float(tce) == float(fot.tce(Y, P, null_draws=0))
    assert tce.null.values.size == 20
    assert "its tests take rows as independent: compare the value with its null, which does not" in str(tce)
    without = fot.tce(ONE, null_draws=0)
    assert "its tests take rows as independent; means little without its null" in without.note
    few = fot.tce(Y, P, groups=np.arange(300) % 6)
    assert few.null is None
    assert "means little without its null, which cannot be drawn of so few groups" in few.note
    assert "independent" in fot.gce(ONE, loss="rejection").note
    assert "independent" not in str(fot.tce(Y, P, groups=np.arange(300))).replace("so that rows are independent", "")


def test_groups_of_one_table_alone_and_of_test_sets_are_refused():
    for tables in ((ONE, fot.read(Y, P)), (fot.read(Y, P), ONE)):
        with pytest.raises(ValueError, match="before and after must both have groups, or neither"):
            fot.monitor.compare_cells(*tables)


@pytest.mark.parametrize(("data", "scores", "family"), [(ONE, P, "beta"), (WHOLE, BOTH, "vector")])
def test_the_standard_error_is_that_of_groups(data, scores, family):
    plain = fot.calibration_error(Y, scores, reduction=data.reduction, family=family)
    estimate = fot.calibration_error(data, family=family)
    assert estimate.se_map_fixed != plain.se_map_fixed
    assert estimate.se_map_fixed == pytest.approx(plain.se_map_fixed, rel=0.3)


def crossed(n=1200, shared=0.0, seed=0):
    """A question counts within its bench; labels of one question, or of one number in all benches, may be alike."""
    rng = np.random.default_rng(seed)
    bench, question = np.divmod(np.arange(n) // 4, 30)
    p = rng.uniform(0.1, 0.9, n)
    y = (rng.random(n) < np.clip(p + shared * rng.standard_normal(30)[question], 0.0, 1.0)).astype(int)
    return pd.DataFrame({"y": y, "p": p, "bench": np.array(list("abcdefghij"))[bench], "question": question})


@pytest.mark.exhaustive
def test_several_columns_of_groups_are_their_combinations(tmp_path):
    frame = crossed()
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    both = frame["bench"] + frame["question"].astype(str)
    named = {"label": "y", "prob": "p", "groups": ["bench", "question"]}
    sources = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), tmp_path / "a.csv", tmp_path / "a.parquet"]
    expected = fot.evaluate(frame["y"], frame["p"], groups=both, families=["beta"])
    for source in sources:
        found = fot.evaluate(source, **named, families=["beta"])
        assert found["beta"].interval == expected["beta"].interval
        assert found.groups.how_many == "groups: 300 combinations (4 rows each)"
        assert "rows that share only one of bench and question count as independent" in str(found)
    tuples = fot.evaluate(
        frame["y"], frame["p"], groups=list(zip(frame["bench"], both, strict=True)), families=["beta"]
    )
    assert "rows that share only one of part 1 and part 2 count as independent" in str(tuples)


@pytest.mark.parametrize("make", [pl.from_pandas, pl.DataFrame.lazy])
def test_cells_know_combinations_too(make):
    frame = crossed()
    native = make(pl.from_pandas(frame)) if make is pl.DataFrame.lazy else make(frame)
    columns = {"label": "y", "prob": "p"}
    cells = fot.Cells.of_frame(native, **columns, groups=["bench", "question"])
    one = frame.assign(both=frame["bench"] + frame["question"].astype(str))
    assert cells.groups[:2].tolist() == [("a", 0), ("a", 1)]
    assert (
        cells.sample().groups.rows.tolist()
        == fot.Cells.of_frame(one, **columns, groups="both").sample().groups.rows.tolist()
    )
    again = fot.Cells.from_json(cells.to_json())
    assert again.groups.tolist() == cells.groups.tolist()
    missing = frame.assign(question=frame["question"].astype(float).mask(frame.index == 7))
    with pytest.raises(ValueError, match="1 row has no group in column 'question'"):
        fot.Cells.of_frame(missing, **columns, groups=["bench", "question"])


@pytest.mark.exhaustive
def test_a_column_that_shows_dependence_by_itself_is_named():
    columns = {"label": "y", "prob": "p", "groups": ["bench", "question"], "families": ["beta"]}
    text = str(fot.evaluate(crossed(shared=0.25), **columns)).replace("\n", " ")
    assert "labels of rows that share question and nothing else are alike too (p = " in text
    assert "name question alone if such rows belong together" in text
    assert "nothing else" not in str(fot.evaluate(crossed(), **columns).explain())


@pytest.mark.parametrize("groups", [["bench", "bench"], [], ["bench", 3]])
def test_columns_of_groups_are_names_each_once(groups):
    with pytest.raises(ValueError, match=r"^groups must be (the name|names) of"):
        fot.read(crossed(), label="y", prob="p", groups=groups)
