"""What batches may be, what is refused of them, and what weights and groups become."""

import json
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas
import polars
import pytest
from scipy.stats import binom

import fitontest as fot
from fitontest.monitor.batches.identity import log_chance, read_name, read_time
from fitontest.monitor.batches.intake import read_update
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.batches.seen_groups import digests_of, digests_of_text, text_of_digests
from fitontest.monitor.monitor import Monitor
from fitontest.monitor.state import Seen

from .conftest import stream

Y, P = stream(n=120, batches=1)[0]
REGION = np.array(["north", "south"])[np.arange(Y.size) % 2]
GROUP = np.arange(Y.size) // 3
FRAME = pandas.DataFrame({"y": Y.astype(int), "p": P, "region": REGION, "g": GROUP})
COLUMNS = {"label": "y", "prob": "p"}


def read(state, y_true, y_prob=None, **columns):
    """Return a batch as it is read."""
    return read_update(state, y_true, y_prob, batch=None, time=None, **columns)


def log_e(*data, settings=None, **columns):
    """Return the evidence of one batch, of all rows and of each segment."""
    evidence = Monitor(**(settings or {})).update(*data, **columns)
    return [evidence.log_e, *(each.log_e for each in evidence.segments.values())]


def of_segments(**columns):
    """Return the cells of each segment."""
    return {
        key: fot.Cells.of(Y[at], P[at], **{name: column[at] for name, column in columns.items()})
        for key, at in (("north", REGION == "north"), ("south", REGION == "south"))
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a CSV file of the batch."""
    path = tmp_path_factory.mktemp("batches") / "batch.csv"
    FRAME.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def segmented():
    """Return what a monitor knows after one batch with segments, of a frame."""
    monitor = Monitor()
    monitor.update(FRAME.assign(y=1 - FRAME["y"]), **COLUMNS, by="region")
    return monitor._state


def test_arrays_frames_files_cells_and_samples_are_one_batch(path):
    ways = [
        log_e(FRAME, **COLUMNS),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS),
        log_e(path, **COLUMNS),
        log_e(fot.Cells.of(Y, P)),
        log_e(fot.Cells.of(Y, P, exact=True)),
        log_e(fot.read(Y, P)),
        log_e(Y[::-1], P[::-1]),
    ]
    np.testing.assert_allclose(ways, [log_e(Y, P)] * len(ways), rtol=1e-12)


def test_segments_of_arrays_frames_files_and_cells_are_the_same(path):
    ways = [
        log_e(FRAME, **COLUMNS, by="region"),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS, by="region"),
        log_e(path, **COLUMNS, settings={"by": "region"}),
        log_e(of_segments()),
        log_e(fot.read(Y, P, by=REGION)),
    ]
    alone = [log_e(Y[at], P[at])[0] for at in (REGION == "north", REGION == "south")]
    expected = log_e(Y, P, by=REGION)
    np.testing.assert_allclose(ways, [expected] * len(ways), rtol=1e-12)
    np.testing.assert_allclose(expected[1:], alone, rtol=1e-12)


def test_groups_of_arrays_frames_files_and_cells_are_the_same(path):
    ways = [
        log_e(FRAME, **COLUMNS, groups="g"),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS, groups="g"),
        log_e(path, **COLUMNS, groups="g"),
        log_e(fot.Cells.of(Y, P, groups=GROUP)),
        log_e(fot.read(Y, P, groups=GROUP)),
    ]
    np.testing.assert_allclose(ways, [log_e(Y, P, groups=GROUP)] * len(ways), rtol=1e-12)


def test_classes_are_segments_whatever_holds_them():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 90)
    labels = np.array(["a", "b", "c"])[(scores.cumsum(axis=1) > rng.random((90, 1))).argmax(axis=1)]
    frame = polars.DataFrame({"y": labels, "a": scores[:, 0], "b": scores[:, 1], "c": scores[:, 2]})
    columns = {"label": "y", "prob": ["a", "b", "c"]}
    for reduction in ("classwise", "confidence"):
        settings = {"reduction": reduction}
        ways = [
            log_e(frame, **columns, settings=settings),
            log_e(frame.lazy(), **columns, settings=settings),
            log_e(fot.read(labels, scores, reduction=reduction), settings=settings),
        ]
        expected = log_e(labels, scores, settings=settings)
        np.testing.assert_allclose(ways, [expected] * len(ways), rtol=1e-12)
    cells = fot.Cells.of_frame(frame, **columns, labels=["a", "b", "c"], reduction="classwise")
    of_classes = Monitor(reduction="classwise")
    evidence = of_classes.update(cells)
    assert list(evidence.segments) == ["a", "b", "c"]
    assert [evidence.rows()[0][name] for name in ("n", "events")] == [90, None]  # rows, not those of each class
    assert evidence.segments["b"].log_e == pytest.approx(log_e(labels == "b", scores[:, 1])[0], rel=1e-12)
    together = of_classes._state.together.before.w.sum() + of_classes._state.together.since.w.sum()
    assert together == pytest.approx(90)  # exponents of a row sum to 1 over the classes


def test_confidences_take_the_classes_of_the_first_batch():
    """A batch that lacks a class would otherwise name the columns after the classes that it has."""
    monitor = Monitor(reduction="confidence")
    scores = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])
    monitor.update(["a", "b", "c"], scores)
    assert monitor.update(["a", "b", "b"], scores).rows()[1]["events"] == 2
    with pytest.raises(ValueError, match=r"labels must list every class in y_true, .* without \['d'\]"):
        monitor.update(["a", "b", "d"], scores)


def test_classes_that_were_told_as_texts_are_those_of_a_file(tmp_path):
    text = "y,a,b,c\n1,0.7,0.2,0.1\n2,0.2,0.7,0.1\n1,0.1,0.2,0.7\n"
    (tmp_path / "batch.csv").write_text(text)
    settings = {"reduction": "classwise", "labels": ["1", "2", "3"]}
    update = read(Monitor(**settings)._state, tmp_path / "batch.csv", label="y", prob=["a", "b", "c"])
    assert [(key, batch.events) for key, batch in update.segments.items()] == [(1, 2), (2, 1), (3, 0)]


def test_columns_that_the_first_batch_named_need_not_be_named_again(path):
    monitor = Monitor()
    monitor.update(FRAME[:60], **COLUMNS, by="region", groups="g")
    evidence = monitor.update(FRAME[60:])
    assert evidence.rows()[1]["n"] == 60
    assert [len(each.rows()) for each in evidence.segments.values()] == [2, 2]


def _no_cells():
    """Return cells of a segment whose rows all have weight 0."""
    frame = pandas.DataFrame({"y": [1, 0], "p": [0.5, 0.5], "by": ["a", "b"], "w": [1.0, 0.0]})
    return fot.Cells.of_frame(frame, label="y", prob="p", weight="w", by="by")["b"]


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (([], []), {}),
        ((np.empty(0), np.empty(0)), {"groups": [], "by": []}),
        ((FRAME[:0],), {**COLUMNS, "by": "region"}),
        ((polars.from_pandas(FRAME[:0]).lazy(),), {**COLUMNS, "by": "region"}),
        ((_no_cells(),), {}),
        (({"north": _no_cells()},), {}),
        (({},), {}),
    ],
)
def test_a_batch_without_rows_changes_nothing_and_has_a_record(segmented, data, columns):
    state = segmented.after(read(segmented, *data, **columns))
    assert state.log_es == (segmented.log_es[0],) * 2
    assert [record.n for record in state.together.records] == [Y.size, 0]
    assert state.settings.layout == segmented.settings.layout


def test_a_file_without_rows_is_a_batch_without_rows(segmented, tmp_path):
    FRAME[:0].to_csv(tmp_path / "none.csv", index=False)
    FRAME[:0].to_parquet(tmp_path / "none.parquet")
    for name in ("none.csv", "none.parquet", "n*.parquet"):
        update = read(segmented, tmp_path / name, **COLUMNS, by="region")
        assert (update.together.n, update.seen.digest) == (0, "")
    with pytest.raises(ValueError, match=r"prob must .*none.csv.* 'q'"):
        read(Monitor()._state, tmp_path / "none.csv", label="y", prob="q")


# weights


def test_counts_are_repetitions():
    w = np.arange(Y.size) % 4
    told = {"settings": {"weights": "counts"}}
    with pytest.warns(fot.CalibrationWarning, match="90 of 180 rows look like copies"):
        expected = log_e(np.repeat(Y, w), np.repeat(P, w), by=np.repeat(REGION, w))
    ways = [
        log_e(Y, P, sample_weight=w, by=REGION, **told),
        log_e(of_segments(sample_weight=w), **told),
        log_e(FRAME.assign(w=w), **COLUMNS, weight="w", by="region", **told),
    ]
    np.testing.assert_allclose(ways, [expected] * len(ways), rtol=1e-12)
    state = Monitor(weights="counts")._state
    batch = read(state, Y, P, sample_weight=w).together
    assert (batch.n, batch.events) == (w.sum(), w[Y].sum())
    grouped = read(state, Y, P, sample_weight=w, groups=GROUP).together
    with pytest.warns(fot.CalibrationWarning, match="90 of 180 rows look like copies"):  # in groups of several scores
        repeated = read(state, np.repeat(Y, w), np.repeat(P, w), groups=np.repeat(GROUP, w)).together
    np.testing.assert_allclose(grouped.sums.w, repeated.sums.w, rtol=1e-12)


def test_importances_are_divided_by_the_largest_that_was_declared():
    w = np.linspace(0.2, 4.0, Y.size)
    state = Monitor(max_weight=8.0, exact=True)._state
    order = np.argsort(P)
    for data in ((Y, P), (FRAME.assign(w=w),), (fot.Cells.of(Y, P, w, exact=True),)):
        columns = {"sample_weight": w} if len(data) == 2 else {**COLUMNS, "weight": "w"} if data[0] is not None else {}
        columns = {} if isinstance(data[0], fot.Cells) else columns
        batch = read(state, *data, **columns).together
        np.testing.assert_allclose(batch.total, w[order] / 8.0, rtol=1e-12)
        np.testing.assert_allclose(batch.p, P[order], rtol=1e-12)
        assert batch.n == Y.size


def test_weights_of_one_need_no_rule():
    assert log_e(Y, P, sample_weight=np.ones(Y.size)) == log_e(Y, P)
    assert log_e(Y, P, sample_weight=np.arange(Y.size) < 60) == log_e(Y[:60], P[:60])


WEIGHTS = np.r_[1.5, np.ones(Y.size - 1)]


@pytest.mark.parametrize(
    ("settings", "data", "message"),
    [
        (
            {},
            (Y, P, WEIGHTS),
            r"^sample_weight must be left out unless .*counts.* mean of 1.44 under the null hypothesis",
        ),
        ({}, (fot.Cells.of(Y, P, WEIGHTS),), "^the weights of y_true must be left out unless"),
        ({}, (fot.read(Y, P, sample_weight=WEIGHTS),), "^the weights of y_true must be left out unless"),
        (
            {"max_weight": 1.2},
            (Y, P, WEIGHTS),
            r"^sample_weight must be at most 1.2, .*declared by max_weight, got 1.5 at row 1 \(rows counted from 1; ",
        ),
        (
            {"max_weight": 1.2},
            (fot.Cells.of(Y, P, WEIGHTS, exact=True),),
            r"y_true must be at most 1.2, .* got one of at least 1.5 among the rows of label 0 with scores from",
        ),
        ({"weights": "counts"}, (Y, P, WEIGHTS), "sample_weight must be whole numbers with weights='counts', got 1.5"),
        ({"weights": "counts"}, (fot.Cells.of(Y, P, WEIGHTS),), "y_true must have weights that count rows"),
        ({"weights": "counts"}, (fot.read(Y, P, sample_weight=WEIGHTS),), "must be whole numbers with Monitor"),
        (
            {"weights": "counts"},
            (fot.read(Y, P, sample_weight=np.arange(Y.size), weights="importances"),),
            "must be counts with Monitor.* got importances",
        ),
        ({"max_weight": 2}, (Y, P, -WEIGHTS), "sample_weight must not be negative"),
    ],
)
def test_weights_that_are_no_exponents_are_refused(settings, data, message):
    y, p, w = (*data, None, None)[:3]
    with pytest.raises(ValueError, match=message):
        read(Monitor(**settings)._state, y, p, sample_weight=w)


# groups


def test_exponents_of_a_group_sum_to_one_in_the_batch_and_in_each_segment():
    p = [0.1, 0.2, 0.3, 0.7, 0.9]
    state = Monitor(exact=True)._state
    update = read(state, [0, 1, 1, 0, 1], p, groups=["a", "a", "b", "a", "c"], by=[1, 1, 2, 2, 2])
    np.testing.assert_allclose(update.together.total, [1 / 3, 1 / 3, 1, 1 / 3, 1])
    np.testing.assert_allclose(update.segments[1].total, [1 / 2, 1 / 2])
    np.testing.assert_allclose(update.segments[2].total, [1, 1, 1])
    np.testing.assert_allclose(update.together.p, p)
    assert (update.together.n, update.together.events) == (5, 3)


def test_exponents_of_groups_multiply_those_of_weights():
    update = read(
        Monitor(exact=True, max_weight=4)._state, [0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[2, 4, 1], groups=[1, 1, 2]
    )
    np.testing.assert_allclose(update.together.total, [2 / 4 / 2, 4 / 4 / 2, 1 / 4])


def test_tied_scores_of_several_groups_share_a_cell():
    update = read(Monitor(exact=True)._state, [0, 1, 1], [0.3, 0.3, 0.3], groups=["a", "a", "b"])
    assert len(update.together) == 1
    np.testing.assert_allclose([*update.together.negatives, *update.together.positives], [0.5, 1.5])


def test_groups_of_an_earlier_batch_are_refused_or_left_out():
    y, p, groups = [0, 1, 1, 0], [0.1, 0.2, 0.3, 0.7], ["a", "a", "b", "c"]
    for once in (False, True):
        monitor = Monitor(once=once, exact=True)
        monitor.update(y, p, groups=groups)
        state = monitor._state
        assert state.groups.tolist() == sorted(digests_of(["a", "b", "c"]).tolist())
        if not once:
            with pytest.raises(
                ValueError, match=r"groups must be new .* got 2 of 3 that a batch before had, such as 'a', 'c'"
            ):
                monitor.update(y, p, groups=["a", "c", "d", "d"])
            assert monitor._state is state
            continue
        evidence = monitor.update(y, p, groups=["a", "c", "d", "d"], by=None)
        record = evidence.records[1]
        assert (record.n, record.left_out) == (2, 2)
        assert monitor._state.groups.size == 4
        again = monitor.update(y[:2], p[:2], groups=["a", "b"])
        assert (again.records[2].n, again.records[2].left_out, again.log_e) == (0, 2, evidence.log_e)


def test_only_the_rows_of_new_groups_count_once():
    state = Monitor(once=True)._state
    state = state.after(read(state, Y[:30], P[:30], groups=GROUP[:30], by=REGION[:30]))
    update = read(state, Y, P, groups=GROUP, by=REGION)
    alone = read(state, Y[30:], P[30:], groups=GROUP[30:], by=REGION[30:])
    for one, other in ((update.together, alone.together), (update.segments["north"], alone.segments["north"])):
        np.testing.assert_allclose(one.sums.w, other.sums.w, rtol=1e-12)
    assert (update.together.left_out, update.segments["north"].left_out) == (30, 15)


def test_groups_are_known_again_by_value_and_kind():
    """Equal numbers of any type are one group, as in Python, and so are texts of whole numbers, as in CSV files."""
    same = [5, 5.0, np.int64(5), np.float32(5), Decimal(5), "5", "05"]
    assert len({*digests_of(same).tolist()}) == 1
    assert digests_of([0.5]) == digests_of([Decimal("0.5")])
    day, moment = date(2026, 10, 1), datetime(2026, 10, 1, 3)
    others = [5, "5 ", 5.5, "5.5", b"5", (5,), (5, 1), (51,), ("a", "b"), ("ab",), day, moment, True, UUID(int=5)]
    assert len({*digests_of(others).tolist()}) == len(others)
    assert digests_of(np.array([moment], dtype="datetime64[ns]")) == digests_of([moment])
    with pytest.raises(ValueError, match=r"groups must be texts, numbers, .* got the object <object"):
        digests_of([object()])


# names, times and digests


def test_batches_have_the_next_number_that_is_free_or_a_name():
    names = []
    for batch in (None, "3", None, None, 7, date(2026, 10, 1), np.datetime64("2026-11-01"), np.int64(8)):
        seen = [Seen(name, None, "") for name in names]
        names.append(read_name(batch, seen))
    assert names == ["1", "3", "4", "5", "7", "2026-10-01", "2026-11-01", "8"]
    for batch, message in (
        ("4", "batch must be new, got '4', which was counted before"),
        (4, "batch must be new"),
        (" ", "batch must be a name that is not empty"),
        (pandas.NaT, "batch must be a name that is not empty or missing"),
        (True, "batch must be a text, a whole number or a date, got True"),
        (1.5, "batch must be a text, a whole number or a date, got 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            read_name(batch, seen)


@pytest.mark.parametrize(
    ("last", "time", "kept"),
    [
        ("2026-09-30", date(2026, 10, 1), "2026-10-01"),
        ("2026-09-30", np.datetime64("2026-10-01"), "2026-10-01"),
        ("2026-09-30T23:00:00", pandas.Timestamp("2026-10-01"), "2026-10-01T00:00:00"),
        ("2026-09-30 23:00", "2026-10-01T00:00", "2026-10-01T00:00"),
        ("2026-10-01", "2026-10-01", "2026-10-01"),
        ("9", 10, "10"),
        ("9.5", np.float64(10), "10.0"),
        ("2026-Q1", "2026-Q2", "2026-Q2"),
        (None, 3, "3"),
        ("9", None, None),
    ],
)
def test_times_are_compared_as_what_they_are(last, time, kept):
    assert read_time(time, [Seen("a", last, ""), Seen("b", None, "")]) == kept


@pytest.mark.parametrize(
    ("last", "time", "message"),
    [
        (
            "2026-10-01",
            "2026-09-30",
            "time must not be before that of the last batch, 2026-10-01 of 'a', got 2026-09-30",
        ),
        ("10", 9, "time must not be before that of the last batch, 10 of 'a', got 9"),
        ("2026-Q2", "2026-Q1", "time must not be before"),
        ("2026-10-01", 20261002, "time must be of one kind .* got the number '20261002' after the date '2026-10-01'"),
        ("2026-10-01T00:00:00", "2026-10-02T00:00:00Z", "got the time with a zone .* after the time '2026-10"),
        (None, pandas.NaT, "time must be a time that is not missing, got NaT"),
        (None, np.datetime64("NaT"), "time must be a time that is not missing"),
        (None, np.nan, "time must be a date, a time, a finite number or a text, got nan"),
        (None, True, "time must be a date, a time, a finite number or a text, got True"),
    ],
)
def test_times_that_go_back_or_cannot_be_compared_are_refused(last, time, message):
    with pytest.raises(ValueError, match=message):
        read_time(time, [Seen("a", last, ""), Seen("b", None, "")])


def test_a_date_and_a_time_are_compared_by_their_days():
    seen = [Seen("a", read_time(pandas.Timestamp("2026-09-30"), []), "")]
    assert read_time("2026-10-31", seen) == "2026-10-31"
    assert read_time("2026-10-31", [Seen("a", "2026-10-31T09:00:00", "")]) == "2026-10-31"
    with pytest.raises(ValueError, match="time must not be before that of the last batch"):
        read_time("2026-09-29", seen)


def test_the_same_rows_are_known_under_another_name():
    monitor = Monitor()
    monitor.update(Y, P, batch="October")
    state = monitor._state
    for data in ((Y, P), (Y[::-1], P[::-1]), (fot.Cells.of(Y, P),), (FRAME,)):
        columns = COLUMNS if data[0] is FRAME else {}
        with pytest.raises(ValueError, match="a batch must have new rows, got those of the batch 'October'"):
            monitor.update(*data, **columns)
    assert monitor._state is state
    monitor.update(Y[1:], P[1:])
    monitor.update(np.r_[~Y[0], Y[1:]], P)


def test_batches_that_may_be_equal_by_chance_are_not_refused():
    """One row a day, and the same subjects with the same scores of whom none had the event, or all of one place."""
    few, none, apart = Monitor(), Monitor(), Monitor()
    for _ in range(2):
        few.update([0, 1], [0.5, 0.5])
        none.update(np.zeros(200), np.linspace(0.001, 0.5, 200))
        apart.update(np.ones(200), np.linspace(0.001, 0.5, 200))
    assert [each.evidence.n for each in (few, none, apart)] == [4, 400, 400]


def test_the_chance_of_labels_is_that_of_binomial_counts_by_cell():
    y, p = np.repeat([1, 0, 1, 0], [3, 2, 1, 6]), np.repeat([0.4, 0.9], [5, 7])
    sums = fot.Cells.of(y, p, exact=True).sums
    at_scores = binom.logpmf([3, 1], [5, 7], [0.4, 0.9]).sum()
    at_one_rate = binom.logpmf([3, 1], [5, 7], 4 / 12).sum()
    assert log_chance(sums) == pytest.approx(max(at_scores, at_one_rate))


# what every batch holds

LATER = [
    ((Y, P), {}, "by must be given with every batch, .*; got a batch without"),
    (
        (Y, P),
        {"by": REGION, "groups": GROUP},
        "groups must be left out, as of the batches before .* got a batch with it",
    ),
    ((Y, P), {"by": REGION, "sample_weight": np.ones(Y.size)}, "weights must be left out"),
    ((FRAME,), {**COLUMNS, "by": "g"}, "by must be the same for every batch, 'region' as of those before; got 'g'"),
    ((FRAME,), {"label": "y", "prob": "q"}, "prob must be the same for every batch, 'p' .*; got 'q'"),
    ((FRAME.drop(columns="p"),), {}, "prob must be a column of the frame, got 'p'"),
    ((FRAME.drop(columns="region"),), {}, "by must be a column of the frame, got 'region'"),
    ((fot.Cells.of(Y, P),), {}, "by must be given with every batch"),
    ((fot.read(Y, P),), {}, "by must be given with every batch"),
    (
        (Y, P),
        {"by": np.stack((REGION, REGION), axis=1)},
        r"by must have as many columns as .* got the segment \('south'",
    ),
    ((Y, P), {"by": np.arange(Y.size) % 99 + 0.0}, "by must give at most 100 segments, got 101"),
]


@pytest.mark.parametrize(("data", "columns", "message"), LATER)
def test_a_later_batch_that_holds_something_else_is_refused(segmented, data, columns, message):
    with pytest.raises(ValueError, match=message):
        read(segmented, *data, **columns)


def test_segments_of_another_type_are_refused():
    """A column of a CSV file is read as numbers in one batch, and as texts in one that has a text too."""
    monitor = Monitor()
    monitor.update([0, 1], [0.2, 0.3], by=[1, 2])
    with pytest.raises(
        ValueError, match="by must have values of one type in all batches, got the segment '1' beside 1"
    ):
        read(monitor._state, [0, 1], [0.2, 0.3], by=["1", "north"])
    monitor.update([0, 1], [0.2, 0.3], by=[1.0, 3.0])
    assert list(monitor.evidence.segments) == [1, 2, 3]


BAD = [
    ({}, ([0, 1], [0.2, 1.2]), {}, r"^y_prob must lie in \[0, 1\], got 1.2 at row 2"),
    ({}, ([0, 1], [0.2]), {}, "y_true and y_prob must have the same number of rows"),
    ({}, ([0, 1], []), {}, "y_prob must not be empty"),
    ({}, ([0, 2], [0.2, 0.3]), {}, "y_true must be labelled 0 and 1"),
    ({}, (["no", "yes"], [0.2, 0.3]), {}, "unless pos_label says"),
    ({}, (FRAME,), {}, "label and prob must both name a column of the data frame"),
    ({}, (FRAME, P), COLUMNS, "y_prob must be left out where y_true is a data frame or a file"),
    ({}, (Y, P), {"label": "y"}, "label must be left out unless y_true is a data frame or a file; got 'y'"),
    ({}, (Y, P), {"by": "region"}, "by must have a value for each row of arrays, got the text 'region'"),
    ({}, (Y, P), {"groups": "g"}, "groups must have an id for each row of arrays, got the text 'g'"),
    ({}, (fot.Cells.of(Y, P), P), {}, "y_prob must be left out where y_true is Cells, which is made already"),
    ({}, (fot.Cells.of(Y, P),), {"by": REGION}, "by must be left out where y_true is Cells"),
    ({}, ({"a": Y},), {}, r"y_true\['a'\] must be Cells, got one ndarray"),
    (
        {},
        ({"a": fot.Cells.of(Y, P), "b": fot.Cells.of(Y, P, exact=True)},),
        {},
        "y_true must have cells of one resolution",
    ),
    ({"exact": True}, (fot.Cells.of(Y, P),), {}, "y_true must be made with exact=True, as the monitor was"),
    ({}, (fot.read(fot.Cells.of(Y, P)),), {}, "y_true must be the Cells themselves"),
    (
        {},
        (fot.read(Y, np.c_[1 - P, P], reduction="confidence"),),
        {},
        "with the reduction of the monitor, None, got that",
    ),
    (
        {},
        (Y, np.c_[1 - P, P]),
        {},
        "must be one column unless the monitor has a reduction, one of 'confidence', 'classwise', 'binary'; got 2",
    ),
    (
        {},
        (fot.read(Y, np.c_[1 - P, P], reduction="canonical"),),
        {},
        "got that of 'canonical'; a monitor takes 'confidence', 'classwise', 'binary'",
    ),
    ({"reduction": "classwise"}, (fot.Cells.of(Y, P),), {}, "y_true must be ClassCells where the reduction"),
    (
        {"reduction": "classwise"},
        (Y, np.c_[1 - P, P]),
        {"by": REGION},
        "by must be left out with reduction='classwise'",
    ),
    ({"once": True}, (Y, P), {}, "groups must be given with every batch, as .* where the monitor was made"),
    ({"by": "region"}, (Y, P), {}, "by must be given with every batch, .* where the monitor was made, by 'region'"),
    ({"groups": False}, (Y, P), {"groups": GROUP}, "groups must be left out, as .* where the monitor was made"),
]


@pytest.mark.parametrize(("settings", "data", "columns", "message"), BAD)
def test_bad_input_is_refused_by_name(settings, data, columns, message):
    with pytest.raises(ValueError, match=message):
        read(Monitor(**settings)._state, *data, **columns)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"by": ["a", "a"]}, "by must be the name of a column, or a list of several, True or False"),
        ({"by": 3}, "by must be the name of a column"),
        ({"groups": 3}, "groups must be the name of a column, or a list of several, True or False"),
        ({"weights": "sums"}, "weights must be one of 'auto', 'counts', 'importances'; got 'sums'"),
        ({"weights": "importances"}, "max_weight must say the largest weight .* mean of 1.44"),
        ({"weights": "counts", "max_weight": 2}, "max_weight must be left out with weights='counts', got 2"),
        ({"max_weight": 0}, "max_weight must be a positive finite number, got 0"),
        ({"reduction": "top"}, "reduction must be one of 'confidence'"),
        ({"labels": ["a", "b"]}, "labels must be left out unless reduction is given"),
        ({"labels": "ab", "reduction": "confidence"}, "labels must be a list of the classes, got 'ab'"),
        ({"labels": [["a"], "b"], "reduction": "confidence"}, "labels must be texts, numbers or booleans"),
        ({"labels": ["a", "a"], "reduction": "confidence"}, "labels must be two different classes or more"),
        ({"pos_label": "a", "reduction": "classwise"}, "pos_label must be left out with reduction='classwise'"),
        ({"by": "a", "reduction": "classwise"}, "by must be left out with reduction='classwise'"),
        ({"exact": 1}, "exact must be True or False, got 1"),
        ({"once": True, "groups": False}, "once must be False where there are no groups"),
    ],
)
def test_settings_that_cannot_be_kept_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Monitor(**settings)


def test_a_layout_goes_through_json():
    layout = Layout(
        ("a", "b"), "g", "auto", 2.0, "confidence", (np.int64(1), 2), None, True, True, "y", ("p", "q"), "w"
    )
    assert Layout.from_dict(json.loads(json.dumps(layout.to_dict()))) == layout
    assert Layout.from_dict(json.loads(json.dumps(Layout().to_dict()))) == Layout()


@pytest.mark.parametrize(
    ("name", "value"),
    [("label", 3), ("prob", 3), ("prob", True), ("prob", ["p", 3]), ("weight", ["w"]), ("pos_label", ["a"])],
)
def test_a_stored_layout_that_is_none_is_refused(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be "):
        Layout.from_dict({**Layout().to_dict(), name: value})


def test_digests_of_groups_go_through_text():
    digests = np.sort(digests_of(range(100)))
    assert digests_of_text(text_of_digests(digests)).tolist() == digests.tolist()
    for text, message in (
        ("?", "base64"),
        ("AAAA", "got 3 bytes"),
        (text_of_digests(digests[::-1]), "do not increase"),
    ):
        with pytest.raises(ValueError, match=message):
            digests_of_text(text)


def test_rows_that_look_like_copies_are_warned_of_with_the_first_batch_alone():
    rng = np.random.default_rng(0)
    p = np.repeat(rng.random(100), 3)
    y = np.repeat(rng.random(100), 3) < p
    monitor = Monitor()
    with pytest.warns(fot.CalibrationWarning, match="200 of 300 rows look like copies"):
        monitor.update(y, p)
    monitor.update(~y, p)
