"""Segments of rows and of cells, each as if it had been measured alone."""

import datetime as dt
import json
import pickle
import re
import warnings
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.numerics.significance.holm import holm_adjusted

pytestmark = pytest.mark.multiplies

QUICK = {"families": [fot.Slope1(10), "isotonic"], "interval": None, "null_draws": 130}
NULLS = {"families": [fot.Slope1(4)], "interval": None}


def rows(n=900, seed=0):
    """Return labels, scores and regions, of which the scores of the south are too high."""
    rng = np.random.default_rng(seed)
    p, region = rng.beta(1, 2, n), rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    return (rng.random(n) < np.where(region == "south", p**1.8, p)).astype(int), p, region


@pytest.fixture(scope="module")
def segmented():
    y, p, region = rows()
    return fot.evaluate(y, p, by=region, **QUICK)


def same(one, other):
    """Tell whether two estimates are the same number with the same null."""
    return one.value == other.value and one.n == other.n and np.array_equal(one.null.values, other.null.values)


def alone(*rows, **settings):
    """Return the evaluation of one segment. Its null is that of an interval, which segments have without one too."""
    return fot.evaluate(*rows, **{"null_draws": 200, **settings, "interval": "always", "level": 0.9, "draws": 15})


def test_a_segment_is_as_it_is_alone_and_the_total_is_that_of_all_rows(segmented):
    y, p, region = rows()
    for segment in segmented:
        single = alone(y[region == segment], p[region == segment], **QUICK)
        assert all(map(same, segmented[segment], single))
        assert segmented[segment].names == single.names == ["slope1", "isotonic"]
    assert all(map(same, segmented.total, alone(y, p, **QUICK)))
    assert isinstance(segmented.total, fot.evaluation.Evaluation)
    assert sum(segmented[segment].sample.n for segment in segmented) == y.size


def test_intervals_and_debiased_values_are_those_of_the_segment_alone():
    y, p, region = rows(300)
    settings = {"families": [fot.Slope1(3)], "null_draws": 120, "draws": 15}
    segmented = fot.evaluate(y, p, by=region, **settings)
    records = {row["segment"]: row for row in segmented.rows()}
    for segment in segmented:
        (single,) = fot.evaluate(y[region == segment], p[region == segment], **settings)
        assert same(segmented[segment]["slope1"], single)
        assert records[segment]["debiased"] == single.debiased is not None
        assert (records[segment]["low"], records[segment]["high"]) == (single.interval.low, single.interval.high)
    assert "95 % CI" in str(segmented)


def test_holm_is_over_the_segments_of_one_measure(segmented):
    for name in segmented.names:
        p_values = np.array([segmented[segment][name].null.p_value for segment in segmented])
        assert [*segmented.adjusted_p_values(name).values()] == holm_adjusted(p_values).tolist()
        assert segmented.adjusted_p_values(name)["south"] == pytest.approx(3 / 131)
    assert segmented.to_dict()["smallest_p_value"] == 1 / 131
    assert "at least 0.0076; Holm p: adjusted for 3 segments, so at least 0.023" in str(segmented.table())
    first = "Miscalibration is shown in 1 of 3 segments: south (Holm p-value at most 0.05)."
    assert str(segmented).splitlines()[0] == str(segmented.table()).splitlines()[0] == first


def test_the_table_at_length_has_the_same_records_and_more_columns(segmented):
    table = segmented.table()
    assert table.rows() == segmented.rows()
    assert table.to_dict() == segmented.to_dict()
    brief, full = (str(one).splitlines()[2].split("  ") for one in (segmented, table))
    assert {word.strip() for word in full} - {word.strip() for word in brief} == {"p-value"}


def test_the_table_has_the_worst_first_and_the_total_last(segmented):
    y, p, region = rows()
    frame = segmented.to_frame()
    assert frame["measure"].tolist() == ["slope1"] * 4 + ["isotonic"] * 4
    for name, table in frame.groupby("measure"):
        assert table["segment"].tolist()[0] == "south"
        assert table["segment"].tolist()[-1] == "all rows"
        assert table["total"].tolist() == [False, False, False, True]
        nulls = [segmented[segment][name].null for segment in table["segment"][:-1]]
        least = np.array([null.mean + 2 * null.sd for null in nulls])
        excess = table["value"].to_numpy()[:-1] - least
        assert np.all(np.diff(excess) <= 0)
        south = table.iloc[0]
        assert south["n"] == np.sum(region == "south")
        assert south["mean_score"] == pytest.approx(p[region == "south"].mean(), rel=1e-14)
        assert south["mean_residual"] == pytest.approx((y - p)[region == "south"].mean(), rel=1e-12)
        assert south["value"] == segmented["south"][name].value
    assert segmented.to_frame("polars").height == len(frame)
    loaded = json.loads(segmented.to_json())
    assert loaded["segments"] == segmented.rows()
    assert (loaded["draws"], loaded["n_segments"], loaded["by"]) == (130, 3, "segment")


def test_text_and_html_show_every_segment(segmented):
    text = str(segmented)
    first = text.split("\n\n")[0].splitlines()
    assert first[1] == "calibration error (family slope1, norm l1) in 3 segments, n = 900"
    assert {len(line) for line in first[2:8]} == {len(first[2])}
    assert first[7].split()[:3] == ["all", "rows", "900"]
    assert segmented._repr_html_().count("<table>") == 2
    assert repr(segmented) == text


def test_a_frame_and_a_dict_of_cells_give_the_evaluation_of_the_cells():
    y, p, region = rows()
    half = np.where(p < 0.3, "low", "high")
    frame = pl.LazyFrame({"y": y, "p": p, "region": region, "half": half})
    columns = {"label": "y", "prob": "p"}
    one = fot.evaluate(frame, by="region", **columns, **NULLS)
    cells = fot.Cells.of_frame(frame, by="region", **columns)
    other = fot.evaluate(cells, **NULLS)
    for segment in ("north", "south", "west"):
        (single,) = alone(cells[segment], **NULLS)
        assert same(one[segment]["slope1"], single)
        assert same(other[segment]["slope1"], single)
    (total,) = alone(sum(cells.values()), **NULLS)
    assert same(one.total["slope1"], total)
    assert total.n == y.size
    assert str(one).splitlines()[2].startswith("region ")
    frame = frame.collect().to_pandas()
    two = fot.evaluate(frame, by=["region", "half"], **columns, families=["identity"], interval=None)
    assert set(two) == {(r, h) for r in ("north", "south", "west") for h in ("low", "high")}
    assert "region = south, half = low" in two.to_frame()["segment"].tolist()
    assert str(two).splitlines()[2].startswith("region, half ")


def test_a_small_frame_is_measured_as_its_columns_are():
    y, p, region = rows()
    p = np.round(p, 2)  # tied scores are what folds of cells and of rows tell apart
    w = np.arange(y.size) % 3 + 0.5
    frame = pd.DataFrame({"y": y, "p": p, "w": w, "region": region})
    columns = {"label": "y", "prob": "p", "weight": "w"}
    quick = {"families": ["platt"], "interval": None}
    of_frame = fot.evaluate(frame, **quick, **columns)
    assert str(of_frame) == str(fot.evaluate(y, p, **quick, sample_weight=w))
    quick = {"measures": ["ece"], "interval": None, "null_draws": 160}
    by_name = fot.evaluate(frame, by="region", **quick, **columns)
    by_array = fot.evaluate(y, p, by=region, **quick, sample_weight=w)
    for key in by_array:
        assert float(by_name[key]["ece"]) == float(by_array[key]["ece"])


@pytest.mark.parametrize("kind", ["large", "lazy"])
def test_a_large_or_lazy_frame_is_the_evaluation_of_its_cells(kind, monkeypatch):
    y, p, _ = rows()
    w = np.arange(y.size) % 3
    frame = pl.DataFrame({"y": y, "p": p, "w": w})
    if kind == "large":
        monkeypatch.setattr(import_module("fitontest.evaluation.evaluate"), "MOST_BY_ROW", y.size - 1)
    else:
        frame = frame.lazy()
    (one,) = fot.evaluate(frame, label="y", prob="p", weight="w", families=["beta"], interval=None)
    (other,) = fot.evaluate(fot.Cells.of(y, p, w), families=["beta"], interval=None)
    assert one.value == other.value
    assert one.n == np.sum(w > 0)


def test_segments_that_are_many_numbers_are_told_how_to_make_few():
    y, p, _ = rows(240)
    age = np.arange(y.size) % 24
    settings = {"measures": ["probabilistic_count"], "interval": None}  # which labels say nothing of
    note = "24 segments, one for each number: ranges of numbers, such as pd.qcut(values, 5) makes, have more rows."
    assert note in str(fot.evaluate(y, p, by=age, **settings))
    assert "qcut" not in str(fot.evaluate(y, p, by=age % 10, **settings))
    assert "qcut" not in str(fot.evaluate(y, p, by=[f"region {one}" for one in age], **settings))


def test_a_mean_residual_of_rounding_alone_is_zero():
    y, p = [0, 1, 0, 1], [0.6, 0.4, 0.3, 0.7]
    whole = fot.read(y, p)
    assert whole.base_rate != whole.mean_score  # by rounding alone
    segmented = fot.evaluate(y, p, by=["a"] * 4, measures=["ece"], interval=None)
    assert [record["mean_residual"] for record in segmented.rows()] == [0.0, 0.0]


def test_weights_positive_labels_and_reductions_reach_the_segments():
    y, p, region = rows(300)
    w = np.where(region == "west", 0.0, np.arange(300) % 4 + 0.5)
    names = np.where(y == 1, "yes", "no")
    settings = {"families": ["platt"], "interval": None, "null_draws": 80}
    segmented = fot.evaluate(names, p, by=region, sample_weight=w, pos_label="yes", **settings)
    assert list(segmented) == ["north", "south"]  # the west weighs nothing
    north = region == "north"
    (single,) = alone(y[north], p[north], sample_weight=w[north], **settings)
    assert same(segmented["north"]["platt"], single)
    matrix = np.stack((1 - p, p), axis=1)
    confidence = fot.evaluate(y, matrix, by=region, reduction="confidence", **NULLS)
    (single,) = alone(y[north], matrix[north], reduction="confidence", **NULLS)
    assert same(confidence["north"]["slope1"], single)


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        (np.array([2, 1, 2, 1]), [1, 2]),
        (np.array([True, False, True, False]), [False, True]),
        (pd.Series(["b", "a", "b", "a"], dtype="category", name="group"), ["a", "b"]),
        (pd.to_datetime(["2024-01-02", "2024-01-01"] * 2), [dt.datetime(2024, 1, day) for day in (1, 2)]),
        (pl.Series("group", ["b", "a", "b", "a"]), ["a", "b"]),
        (pd.DataFrame({"a": ["x", "y"] * 2, "b": [1, 1, 2, 2]}), [("x", 1), ("x", 2), ("y", 1), ("y", 2)]),
        (pl.DataFrame({"a": ["x", "y"] * 2, "b": [1, 1, 2, 2]}), [("x", 1), ("x", 2), ("y", 1), ("y", 2)]),
        (pa.table({"a": ["x", "y"] * 2, "b": [1, 1, 2, 2]}), [("x", 1), ("x", 2), ("y", 1), ("y", 2)]),
        (np.array([[1, 5], [1, 6], [1, 5], [1, 6]]), [(1, 5), (1, 6)]),
    ],
)
def test_segments_are_the_values_of_a_column_in_order(by, keys):
    segmented = fot.evaluate([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.2], by=by, measures=["ece"], null_draws=160)
    assert list(segmented) == keys
    named = [*getattr(by, "column_names", getattr(by, "columns", []))] or [getattr(by, "name", None) or "segment"]
    assert segmented.segments.name == ", ".join(named)
    assert json.loads(segmented.to_json())["n_segments"] == len(keys)


def test_segments_that_print_alike_are_told_apart():
    cells = {key: fot.Cells.of([0, 1], [0.2, 0.8]) for key in (1, "1")}
    segmented = fot.evaluate(cells, measures=["ece"])
    assert sorted(segmented.to_frame()["segment"]) == ["'1'", "1", "all rows"]


def test_few_rows_and_one_class_break_nothing():
    y, p, region = rows(300)
    region = region.astype(object)
    region[:1], region[1:6] = "one row", "negatives"
    y[1:6] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        segmented = fot.evaluate(y, p, by=region, families=["beta", "isotonic"], interval=None)
    assert len(segmented.rows()) == 2 * 6
    assert all(row["value"] is not None for row in segmented.rows())
    assert segmented["one row"].sample.n == 1
    assert any(line.startswith("beta: negatives") and "all labels are 0" in line for line in segmented.notes)


@dataclass(frozen=True)
class Picky(fot.Measure):
    """The mean label, of at least ten rows."""

    greater_is_better = True

    def estimate(self, sample):
        if sample.n < 10:
            raise ValueError(f"there must be ten rows, got {sample.n}")
        return fot.measures.Estimate.of(self, sample, sample.base_rate)


def test_a_segment_that_a_measure_refuses_is_a_row_without_a_value():
    y, p, region = rows(200)
    region = region.astype(object)
    region[:3] = "few"
    segmented = fot.evaluate(y, p, by=region, measures=[Picky(), "ece"])
    few = next(row for row in segmented.rows() if row["segment"] == "few")
    assert (few["value"], few["p_value"], few["failure"]) == (None, None, "there must be ten rows, got 3")
    assert few["n"] == 3
    assert segmented.worst("Picky")[-1] == "few"
    assert [estimate.measure.name for estimate in segmented["few"]] == ["ece"]
    assert "few: not measured: there must be ten rows, got 3" in str(segmented)
    assert len(segmented.adjusted_p_values("Picky")) == 3
    assert segmented.worst("Picky")[0] == "south"  # too few positives are bad where more are better
    with pytest.raises(ValueError, match="there must be ten rows"):  # what the whole refuses is refused
        fot.evaluate(y[:6], p[:6], by=region[:6], measures=[Picky()])


@pytest.mark.parametrize("kind", ["rows", "cells"])
def test_a_segment_of_weight_zero_is_listed_without_rows(kind):
    y, p, region = rows(300)
    w = np.where(region == "south", 0.0, 1.0)
    options = {"families": ["beta"], "interval": None}
    if kind == "rows":
        segmented = fot.evaluate(y, p, by=region, sample_weight=w, **options)
    else:
        frame = pd.DataFrame({"y": y, "p": p, "region": region, "w": w})
        segmented = fot.evaluate(frame, label="y", prob="p", weight="w", by="region", **options)
    assert "south" not in list(segmented)
    record = json.loads(json.dumps(segmented.to_dict(), allow_nan=False))["segments"][-2]
    assert {name: value for name, value in record.items() if value is not None} == {
        "measure": "beta",
        "segment": "south",
        "n": 0,
        "total": False,
        "failure": "no rows",
    }
    lines = str(segmented).splitlines()
    assert lines[-2] == "south: no rows"
    assert next(line for line in lines if line.startswith("south ")).split()[:3] == ["south", "0", "-"]
    with pytest.raises(KeyError, match="'south' has no rows of positive weight"):
        segmented["south"]


@pytest.mark.exhaustive
def test_draws_are_forty_for_each_segment():
    y, p, _ = rows(40)
    segments = np.arange(40) % 8
    assert fot.evaluate(y, p, by=segments, measures=["ece"]).draws == 320
    with pytest.raises(ValueError, match="null_draws must be at least 40 times the number of segments, 320 for 8"):
        fot.evaluate(y, p, by=segments, measures=["ece"], null_draws=319)


def test_by_default_one_family_measures_the_segments():
    y, p, region = rows(60)
    assert fot.evaluate(y, p, by=region, interval=None, null_draws=120).names == ["spline"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda y, p: ((y, p), {"by": np.arange(300)}), "by must give at most 100 segments, got 300"),
        (lambda y, p: ((y, p), {"by": ["a"] * 299}), "y_true and by must have the same number of rows"),
        (lambda y, p: ((y, p), {"by": np.where(p > 0.5, np.nan, 1.0)}), "by must"),
        (lambda y, p: ((y, p), {"by": ["a", None] * 150}), "by must"),
        (lambda y, p: ((fot.Cells.of(y, p),), {"by": ["a"] * 300}), "by must be left out where y_true is Cells"),
        (lambda y, p: (({"a": fot.Cells.of(y, p)}, p), {}), "y_prob must be left out where y_true is a dict of cells"),
        (lambda y, p: (({"a": (y, p)},), {}), "dict from segments to Cells of one sample each; got one tuple for 'a'"),
        (lambda y, p: (({},), {}), "by must give at least one segment, got none"),
        (
            lambda y, p: (({"a": fot.Cells.of(y, p), "b": fot.Cells.of(y, p, exact=True)},), {}),
            "cells must have one resolution",
        ),
        (lambda y, p: ((pd.DataFrame({"y": y, "p": p}),), {"label": "y"}), "label and prob must both name a column"),
        (
            lambda y, p: ((pd.DataFrame({"y": y, "p": p}), p), {"label": "y", "prob": "p"}),
            "y_prob must be left out where y_true is a file or data frame",
        ),
        (
            lambda y, p: ((pd.DataFrame({"y": y, "p": p}),), {"label": "y", "prob": "p", "by": y}),
            "by must be the name of a column, or a list of several, got",
        ),
        (
            lambda y, p: ((pd.DataFrame({"y": y, "p": p, "i": range(300)}),), {"label": "y", "prob": "p", "by": "i"}),
            "by must give at most 100 segments, got 300",
        ),
    ],
)
def test_bad_input_is_refused(arguments, message):
    given, options = arguments(*rows(300)[:2])
    with pytest.raises(ValueError, match=message):
        fot.evaluate(*given, families=["identity"], interval=None, **options)


QCUT = r"group numbers first, such as by pd\.qcut\(values, 5\)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: np.arange(n), f"got 300; {QCUT}"),
        (lambda n: np.random.default_rng(0).normal(size=n), f"got 300; {QCUT}"),
        (lambda n: np.random.default_rng(0).normal(size=n)[:60], f"got 60 distinct numbers in 60 rows; {QCUT}"),
        (lambda n: [f"segment {i}" for i in range(n)], "got 300; evaluate some of them, or join them"),
    ],
)
def test_numbers_of_many_values_are_told_how_to_be_grouped(make, message):
    y, p, _ = rows(300)
    by = make(300)
    with pytest.raises(ValueError, match=message):
        fot.evaluate(y[: len(by)], p[: len(by)], by=by)
    frame = pd.DataFrame({"y": y[: len(by)], "p": p[: len(by)], "by": by})
    if len(by) == 300:
        with pytest.raises(ValueError, match=message):
            fot.evaluate(frame, label="y", prob="p", by="by")


def test_what_the_message_advises_works():
    y, p, _ = rows(300)
    ages = pd.Series(np.random.default_rng(0).normal(40, 10, 300), name="age")
    options = {"families": ["identity"], "interval": None, "null_draws": 0}
    for groups in (pd.qcut(ages, 5), pd.cut(ages, 5)):
        by_age = fot.evaluate(y, p, by=groups, **options)
        assert 4 <= len(by_age) <= 5
        assert "age" in str(by_age)
    assert len(fot.evaluate(y, p, by=ages.round(-1), **options)) < 15  # whole numbers are names of groups
    assert len(fot.evaluate(y[:12], p[:12], by=ages[:12].to_numpy(), **options)) == 12  # few are not forbidden


def test_a_missing_segment_is_named_with_its_column_and_row():
    y, p, _ = rows(6)
    for by, name in (
        (pd.Series(["a", "b", None] * 2), "by"),
        ({"region": ["a"] * 6, "year": [1.0, 2.0, np.nan] * 2}, "by column 'year'"),
        (pd.DataFrame({"region": ["a", "b", None] * 2, "year": [1, 2] * 3}), "by column 'region'"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must .* row 3 \(rows counted from 1"):
            fot.evaluate(y, p, by=by)


def test_what_is_not_there_is_named(segmented):
    with pytest.raises(KeyError, match="east"):
        segmented["east"]
    with pytest.raises(ValueError, match="name must be one of 'slope1', 'isotonic'"):
        segmented.worst("beta")
    assert "east" not in segmented


def test_the_diagrams_are_of_the_worst_segments_on_shared_axes():
    y, p, _ = rows(210)
    segmented = fot.evaluate(y, p, by=np.arange(210) % 7, **NULLS)
    display = segmented.diagrams().plot(Figure())
    assert [*display.axes_] == [*map(str, segmented.worst()[:5]), "all rows"]
    assert len({ax.get_ylim() for ax in display.axes_.values()}) == 1
    assert [*segmented.plot([3, 0], ax=Figure()).diagrams] == ["3", "0", "all rows"]
    with pytest.raises(ValueError, match="segments must be among those measured"):
        segmented.diagrams(segments=[9])
    with pytest.raises(ValueError, match="families must be given for diagrams"):
        fot.evaluate(y, p, by=np.arange(210) % 2, measures=["ece"]).diagrams()


def test_a_copy_of_the_result_says_the_same_of_repeated_rows():
    rng = np.random.default_rng(0)
    p = np.repeat(rng.random(100), 3)
    y = np.repeat(rng.random(100) < p[::3], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        segments = fot.evaluate(y, p, by=np.arange(300) % 2, families=["beta"], interval=None)
    assert "look like copies" in str(segments)
    assert str(pickle.loads(pickle.dumps(segments))) == str(segments)


@pytest.mark.exhaustive
def test_crossed_segments_are_named_by_their_columns_in_every_sentence_and_table():
    y, p, region = rows()
    coded = {"race": np.where(region == "south", 2, 1), "sex": np.arange(y.size) % 2}
    found = fot.evaluate(y, p, by=coded, families=["slope1"])
    assert {"race = 1, sex = 0", "race = 2, sex = 1"} < set(found.to_frame()["segment"])
    first, shown = " ".join(str(found).split()).split(" (Holm")[0].split("). ")
    assert first.startswith("Scores too high: 16 % fewer events than predicted (O:E 0.84, 95 % CI ")
    assert "; the worst segment is race = 2, sex = 0 (O:E 0." in first
    assert re.fullmatch(r"Miscalibration is shown in \d of 4 segments: (race = \d, sex = \d(; |$))+", shown)
    matrix = fot.evaluate(y, p, by=np.column_stack([*coded.values()]), families=["slope1"])
    assert "column 1 = 2, column 2 = 0" in str(matrix)
    gates = fot.check_calibration(y, p, by=coded, max_error=0.01, family="slope1")
    assert "race = 2, sex = 1" in str(gates.table())
    assert "race = 1, sex = 1: " in str(fot.risk.validate(y, p, by=coded).table())


@pytest.mark.exhaustive
def test_a_segment_of_one_row_does_not_stand_before_those_whose_error_is_sure():
    y, p, region = rows()
    y, p, segment = np.append(y, 0), np.append(p, 0.85), np.append(region, "one")
    for options in ({}, {"interval": None, "null_draws": 160}):
        found = fot.evaluate(y, p, by=segment, families=["spline"], **options)
        assert found.worst()[0] == "south"
    single = fot.evaluate(y, p, by=segment, families=["spline"])["one"]["spline"]
    assert single.interval.low == 0.0  # a label of 0 has the probability .15


def test_a_list_of_tuples_is_several_columns():
    rng = np.random.default_rng(0)
    p, region, half = rng.random(80), rng.choice(["north", "south"], 80), rng.integers(0, 2, 80)
    y = rng.random(80) < p
    by_tuples = fot.read(y, p, by=list(zip(region.tolist(), half.tolist(), strict=True)))
    by_columns = fot.read(y, p, by={"region": region, "half": half})
    assert list(by_tuples) == list(by_columns)
    assert all(np.array_equal(by_tuples[key].p, by_columns[key].p) for key in by_columns)
    with pytest.raises(ValueError, match=r"^by must be one-dimensional"):
        fot.read(y, p, by=[("a",)] * 40 + [("a", 1)] * 40)
