"""Cells by group: the same numbers as the cells of all rows, and groups that are those of the rows."""

import json
import warnings
from datetime import date

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.cells.cell_sums import CellSums, Resolution
from tests.quick_families import quick
from tests.test_measure_contracts import NEEDED
from tests.test_measure_contracts import VARIANTS as MEASURES

pytestmark = pytest.mark.multiplies

N, GROUPS = 6000, 40
CROSS_VALIDATED = {"plug_in", "spline", "pl", "pl3", "stacking", "slope1", "flat"}  # whose folds hold out whole groups
SLOW = {"kernel-rbf", "kernel-rbf-block", "a callable", "pl3"}
VARIANTS = {**MEASURES, **{name: fot.measures.PlugIn(quick(name)) for name in fot.families.names("two")}}
WEIGHTS = {
    "none": lambda rng: None,
    "counts": lambda rng: rng.integers(0, 4, N).astype(float),
    "importances": lambda rng: rng.lognormal(0, 0.5, N),
}
ENGINES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": duckdb.from_df,
}
COLUMNS = {"label": "y", "prob": "p"}


def rows(seed=0, n=N):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2, n)
    y = (rng.random(n) < p**1.2).astype(int)
    group = rng.integers(0, GROUPS, n)
    return y, p, np.array([f"hospital {k}" for k in range(GROUPS)])[group]


def assert_same(found, expected):
    for name in ("key", "low", "high", "rows", "group", "ids"):
        np.testing.assert_array_equal(getattr(found.sums, name), getattr(expected.sums, name))
    for name in ("w", "w2", "wp"):
        np.testing.assert_allclose(getattr(found.sums, name), getattr(expected.sums, name), rtol=1e-12)
    assert found.sums.whole == expected.sums.whole
    assert found.resolution == expected.resolution


@pytest.fixture(scope="module", params=WEIGHTS)
def pair(request):
    """Return the sample of cells by group, and that of the same cells of all groups."""
    y, p, group = rows()
    cells = fot.Cells.of(y, p, WEIGHTS[request.param](np.random.default_rng(1)), groups=group)
    together = fot.Cells(cells.sums.ungrouped, cells.resolution)
    return request.param, cells.sample(), together.sample()


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in SLOW])
def test_values_are_those_of_the_cells_without_groups(name, pair):
    weights, by_group, together = pair
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        for sample in (together, by_group):
            try:
                values.append(VARIANTS[name].estimate(sample).value)
            except ValueError as error:  # of what needs every score, counts, or independent rows
                assert any(word in str(error) for word in ("cell", "counts", "groups"))  # noqa: PT017 - others are none
                return
    if name == "eci":  # a hundred squares
        assert values[1] == pytest.approx(values[0], abs=0.05)
        return
    loose = name in CROSS_VALIDATED or (
        name == "pairs" and weights == "importances"
    )  # whose effective rows are rounded
    assert values[1] == pytest.approx(values[0], abs=6e-3 if loose else 1e-10, rel=0.05 if name == "pairs" else 1e-10)


@pytest.mark.parametrize("name", fot.measures.names("two"))
def test_exact_cells_are_the_rows(name):
    y, p, group = rows(n=1500)
    p = np.round(p, 2)
    measure = fot.measures.make(name, **NEEDED.get(name, {}))
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        for sample in (fot.read(y, p, groups=group), fot.Cells.of(y, p, exact=True, groups=group).sample()):
            try:
                values.append(measure.estimate(sample).value)
            except ValueError as error:
                assert "groups must be left out" in str(error)  # noqa: PT017 - what is not done yet says so
                return
    assert values[1] == pytest.approx(values[0], abs={"plug_in": 1e-5, "eci": 0.05}.get(name, 1e-10))  # by other folds


def test_groups_are_those_of_the_rows():
    y, p, group = rows()
    of_rows, of_cells = (
        fot.read(y, p, groups=group).groups,
        fot.Cells.of(y, p, exact=True, groups=group).sample().groups,
    )
    assert of_cells.ids.tolist() == of_rows.ids.tolist()
    assert of_cells.rows.tolist() == of_rows.rows.tolist()
    assert of_cells.code.tolist() == of_rows.code.tolist()
    assert fot.Cells.of(y, p, groups=np.arange(N)).sample().groups is None  # each row is alone


def test_nothing_depends_on_names_or_order():
    y, p, group = rows()
    p = np.round(p, 1)  # so that many entries are equal but for their group
    renamed = np.array([each[::-1] for each in group])
    order = np.random.default_rng(2).permutation(N)
    one, other = (
        fot.Cells.of(y, p, groups=group).sample(),
        fot.Cells.of(y[order], p[order], groups=renamed[order]).sample(),
    )
    assert one.groups.code.tolist() == other.groups.code.tolist()
    assert [each[::-1] for each in one.facts["group"].tolist()] == other.facts["group"].tolist()
    for folds in zip(one.in_folds(5, 0)[1], other.in_folds(5, 0)[1], strict=True):
        assert folds[0].tolist() == folds[1].tolist()
    for family in ("spline", "stacking"):
        assert float(fot.calibration_error(one, family=family)) == float(fot.calibration_error(other, family=family))


def test_folds_hold_out_whole_groups_and_cut_no_entry():
    y, p, group = rows()
    sample = fot.Cells.of(y, p, groups=group).sample()
    parts, folds = sample.in_folds(5, 0)
    assert parts is sample
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(sample.rows)))
    held_out = [set(sample.groups.code[fold].tolist()) for fold in folds]
    assert sum(map(len, held_out)) == GROUPS == len(set.union(*held_out))


@pytest.mark.exhaustive
@given(st.integers(0, 10_000), st.sampled_from([{}, {"exact": True}, {"edges": [0.2, 0.5]}]))
def test_sums_join_by_group_and_cell(seed, options):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    p, y, w = np.round(rng.random(n), 2), rng.integers(0, 2, n), rng.integers(1, 3, n).astype(float)
    group = rng.choice(["x", "y", "z"], n) if seed % 2 else rng.integers(0, 5, n)
    whole = fot.Cells.of(y, p, w, groups=group, **options)
    part = rng.integers(0, 3, n)
    parts = [
        fot.Cells.of(y[part == k], p[part == k], w[part == k], groups=group[part == k], **options)
        for k in range(3)
        if (part == k).any()
    ]
    assert_same(sum(parts), whole)
    assert_same(sum(parts[::-1]), whole)
    assert_same(fot.Cells.from_json(whole.to_json()), whole)


def test_exact_keys_of_many_groups_join_too():
    y, p, _ = rows()
    group = np.arange(N) // 2  # numbers of key and group do not fit into one
    cells = fot.Cells.of(y[::2], p[::2], groups=group[::2], exact=True)
    assert_same(
        cells + fot.Cells.of(y[1::2], p[1::2], groups=group[1::2], exact=True),
        fot.Cells.of(y, p, groups=group, exact=True),
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("options", [{}, {"exact": True}, {"edges": [0.1, 0.7]}])
def test_frames_of_every_engine_give_the_same_cells(engine, options):
    y, p, group = rows()
    frame = pd.DataFrame({"y": y, "p": p, "w": np.random.default_rng(3).choice([0.0, 0.5, 2.0], N), "hospital": group})
    frame["region"] = np.where(frame.index % 3 == 0, "a", "b")
    made = ENGINES[engine](frame)
    found = fot.Cells.of_frame(made, **COLUMNS, groups="hospital", **options)
    assert_same(found, fot.Cells.of(y, p, groups=group, **options))
    by_region = fot.Cells.of_frame(made, **COLUMNS, weight="w", by="region", groups="hospital", **options)
    for region, cells in by_region.items():
        part = frame[frame["region"] == region]
        assert_same(cells, fot.Cells.of(part.y, part.p, part.w, groups=part["hospital"], **options))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["whole numbers", "dates", "numbers"])
def test_groups_of_a_frame_may_be_of_any_kind(engine, kind):
    y, p, _ = rows(n=300)
    number = np.arange(300) % 7
    group = {
        "whole numbers": number,
        "dates": [date(2026, 1, 1 + k) for k in number],
        "numbers": number + 0.5,
    }[kind]
    found = fot.Cells.of_frame(ENGINES[engine](pd.DataFrame({"y": y, "p": p, "g": group})), **COLUMNS, groups="g")
    assert len(found.groups) == 7
    assert sorted(found.sample().groups.rows.tolist()) == sorted(np.bincount(number).tolist())
    assert set(found.groups.tolist()) == set(np.unique(np.array(group, dtype=object)).tolist())


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_without_a_group_are_counted(engine):
    y, p, group = rows(n=50)
    frame = pd.DataFrame({"y": y, "p": p, "g": pd.Series(group, dtype=object).where(np.arange(50) > 2)})
    with pytest.raises(ValueError, match="of 50 rows 3 rows have no group in column 'g'"):
        fot.Cells.of_frame(ENGINES[engine](frame), **COLUMNS, groups="g")
    weighted = frame.assign(w=(np.arange(50) > 2).astype(float))  # rows of weight 0 are absent, whatever they hold
    assert fot.Cells.of_frame(ENGINES[engine](weighted), **COLUMNS, weight="w", groups="g", by="y")[1].n > 0


def test_files_have_groups_too(tmp_path):
    y, p, group = rows()
    pd.DataFrame({"y": y, "p": p, "hospital": group}).to_parquet(tmp_path / "scores.parquet")
    expected = fot.Cells.of(y, p, groups=group)
    assert_same(fot.Cells.of_file(tmp_path / "scores.parquet", **COLUMNS, groups="hospital"), expected)
    read = fot.read(tmp_path / "scores.parquet", **COLUMNS, groups="hospital", cells="always")
    assert read.groups.code.tolist() == expected.sample().groups.code.tolist()


def test_classes_share_their_groups():
    rng = np.random.default_rng(4)
    scores = rng.dirichlet([1, 1, 1], 900)
    frame = pd.DataFrame(scores, columns=["a", "b", "c"]).assign(
        y=np.array(["a", "b", "c"])[(scores.cumsum(axis=1) > rng.random((900, 1))).argmax(axis=1)],
        g=rng.integers(0, 30, 900),
    )
    several = {"label": "y", "prob": ["a", "b", "c"], "labels": ["a", "b", "c"], "groups": "g"}
    cells = fot.Cells.of_frame(frame, reduction="classwise", **several)
    for label, each in cells.items():
        assert_same(each, fot.Cells.of(frame.y == label, frame[label], groups=frame.g))
    confidence = fot.Cells.of_frame(frame, reduction="confidence", **several)
    best = frame[["a", "b", "c"]].idxmax(axis=1)
    assert_same(confidence, fot.Cells.of(best == frame.y, scores.max(axis=1), groups=frame.g))
    evaluation = fot.evaluate(cells, measures=["ece"], families=["platt"], interval=None, null_draws=0)
    plain = fot.evaluate(
        fot.data.ClassCells({label: fot.Cells(each.sums.ungrouped, each.resolution) for label, each in cells.items()}),
        measures=["ece"],
        families=["platt"],
        interval=None,
        null_draws=0,
    )
    assert [one.value for one in evaluation] == pytest.approx([one.value for one in plain], abs=1e-10)
    with pytest.raises(ValueError, match="cells must be by group of every class, or of none"):
        fot.data.ClassCells({"a": cells["a"], "b": fot.Cells.of(frame.y == "b", frame.b)})


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("options", [{}, {"exact": True}])
def test_a_frame_of_cells_keeps_groups(backend, options):
    y, p, group = rows(n=300)
    cells = fot.Cells.of(y, p, groups=group, **options)
    frame = cells.to_frame(backend)
    assert_same(fot.Cells.from_frame(frame, **options), cells)
    assert cells.to_records()[0]["group"] == cells.groups[cells.sums.group[0]]


def test_segments_of_cells_by_group_have_their_groups():
    y, p, group = rows()
    region = np.arange(N) % 2
    cells = {k: fot.Cells.of(y[region == k], p[region == k], groups=group[region == k]) for k in (0, 1)}
    samples = fot.read(cells)
    assert len(samples.groups) == GROUPS
    assert samples.groups.rows.tolist() == fot.Cells.of(y, p, groups=group).sample().groups.rows.tolist()
    assert sum(samples[k].groups.rows.sum() for k in (0, 1)) == N


def test_discounted_cells_lose_groups_that_weigh_nothing():
    old = fot.Cells.of([0, 1], [0.2, 0.3], groups=["old", "old"])
    new = fot.Cells.of([0, 1, 1], [0.2, 0.3, 0.3], groups=["new", "old", "new"])
    cells = old.discounted(1e-40) + new
    assert cells.discounted(0.5).groups.tolist() == ["new", "old"]
    first = fot.Cells.of([0, 1], [0.2, 0.3], groups=["x", "x"]).discounted(1e-40) + fot.Cells.of(
        [0, 1], [0.2, 0.3], groups=["y", "y"]
    )
    assert first.discounted(0.5).groups.tolist() == ["y"]


def test_cells_with_and_without_groups_are_not_added():
    y, p, group = rows(n=100)
    without, by_group = fot.Cells.of(y, p), fot.Cells.of(y, p, groups=group)
    for call in (lambda: without + by_group, lambda: by_group + without):
        with pytest.raises(ValueError, match=r"cells must all be by group, or none .*Cells.of_frame\(\.\.\., groups="):
            call()
    with pytest.raises(ValueError, match="cells must all be by group"):
        CellSums.added([without.sums, by_group.sums])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y, p: fot.Cells.of(y, p, groups=["a"]), "y_true and groups must have the same number of rows"),
        (lambda y, p: fot.Cells.of(y, p, groups=[None] * 9), "groups must not have missing values"),
        (lambda y, p: fot.Cells.of(y, p, groups="hospital"), "groups must have an id for each row"),
        (
            lambda y, p: fot.Cells.of_frame(pd.DataFrame({"y": y, "p": p}), **COLUMNS, groups="g"),
            "groups must be a column of the frame, got 'g'",
        ),
        (
            lambda y, p: fot.Cells.of_frame(pd.DataFrame({"y": y, "p": p}), **COLUMNS, groups=[0]),
            "groups must be the name of a column, or a list of several",
        ),
        (
            lambda y, p: fot.Cells.of_frame(pl.DataFrame({"y": y, "p": p, "g": [[1]] * 9}), **COLUMNS, groups="g"),
            "groups column 'g' must hold texts, numbers",
        ),
        (
            lambda y, p: fot.Cells.of(y, p, groups=[(1, b"2")] * 9).to_json(),
            "groups must be texts, numbers, booleans or tuples of these to be written as JSON, got b'2'",
        ),
    ],
)
def test_bad_groups_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call([0, 1, 1] * 3, np.linspace(0.1, 0.9, 9))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": [0, 5, 1]}, "group must hold places in the list of groups"),
        ({"group": [0, 0.5, 1]}, "group must hold places"),
        ({"group": [0, 1]}, "group must be one column, as long as the others"),
        ({"groups": [["a"], ["b"]]}, "group must hold places"),
        ({"groups": [None, "b"]}, "group must not have missing values"),
        ({"groups": ["a", "a"]}, "group must differ among the cells of one key"),
    ],
)
def test_damaged_texts_are_refused(change, message):
    cells = fot.Cells.of([0, 1, 1], [0.2, 0.2, 0.7], groups=["a", "b", "a"], exact=True)
    values = json.loads(cells.to_json())
    assert values["group"] == [0, 1, 0]
    with pytest.raises(ValueError, match=message):
        fot.Cells.from_json(json.dumps(values | change))


def test_keys_by_group_are_of_an_eighth_of_the_resolution():
    scores = np.linspace(0.001, 0.999, 200_000)
    fine, wide = Resolution().keys(scores), Resolution(by_group=True).keys(scores)
    assert np.all(np.diff(wide) >= 0)
    assert len(np.unique(fine)) / len(np.unique(wide)) > 6
    assert len({tuple(pair) for pair in zip(fine, wide, strict=True)}) == len(np.unique(fine))  # none is cut


def test_no_rows_have_no_groups():
    frame = pd.DataFrame({"y": [0, 1], "p": [0.1, 0.9], "w": [1.0, 0.0], "g": ["a", "b"], "s": ["x", "z"]})
    cells = fot.Cells.of_frame(frame, **COLUMNS, weight="w", by="s", groups="g")
    assert cells["z"].n == 0
    assert cells["z"].groups.tolist() == []
    assert fot.Cells.from_json(cells["z"].to_json()).groups.tolist() == []
    assert (cells["z"] + cells["x"]).groups.tolist() == ["a"]
    assert fot.Cells.of([0, 1], [0.1, 0.9]).groups is None
