"""Cells: a commutative monoid, a sample that means its rows, text and frames that read back, and one door."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.cells.cell_sums import Resolution
from fitontest.data.cells.cells import ClassCells

COLUMNS = ("key", "low", "high", "rows", "w", "w2", "wp")
EXACT = ("key", "low", "high", "rows")

SCORES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, -0.0, 1.0, 0.5, 5e-324, 1e-300, 1e-17, np.nextafter(1, 0)]))
BATCH = st.lists(
    st.tuples(st.booleans(), SCORES, st.sampled_from([0.0, 0.3, 1.0, 2.0, 7.5])), min_size=1, max_size=12
).filter(lambda rows: any(w > 0 for _, _, w in rows))


def cells_of(batch, **options):
    y, p, w = zip(*batch, strict=True)
    return fot.Cells.of(np.array(y), np.array(p), np.array(w), **options)


def assert_same(a, b, rtol=1e-13):
    assert a.resolution == b.resolution
    assert a.sums.whole == b.sums.whole
    for name in COLUMNS:
        compare = np.testing.assert_array_equal if name in EXACT else np.testing.assert_allclose
        compare(getattr(a.sums, name), getattr(b.sums, name), **({} if name in EXACT else {"rtol": rtol}))


def drawn(n, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if levels is None else rng.integers(0, levels + 1, n) / levels
    return (rng.random(n) < p**1.3).astype(int), p


@given(BATCH, BATCH, BATCH, st.booleans())
@settings(max_examples=60)
def test_addition_is_associative_and_commutative(a, b, c, exact):
    x, y, z = (cells_of(batch, exact=exact) for batch in (a, b, c))
    assert_same((x + y) + z, x + (y + z))
    assert_same(x + y, y + x)
    assert_same(sum([x, y, z]), cells_of([*a, *b, *c], exact=exact))


@given(BATCH)
@settings(max_examples=60)
def test_text_reads_back_bit_by_bit(batch):
    cells = cells_of(batch, edges=[0.1, 0.29])
    assert_same(fot.Cells.from_json(cells.to_json()), cells, rtol=0)
    assert fot.Cells.from_json(cells.to_json()).to_json() == cells.to_json()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_reads_back_bit_by_bit(backend):
    cells = fot.Cells.of(*drawn(500))
    assert_same(fot.Cells.from_frame(cells.to_frame(backend)), cells, rtol=0)


@given(BATCH)
@settings(max_examples=60)
def test_the_sample_has_the_rows_weights_and_means_of_the_cells(batch):
    y, p, w = map(np.array, zip(*batch, strict=True))
    sample = cells_of(batch).sample()
    whole = bool(np.all(w == np.floor(w)))
    assert sample.n == np.count_nonzero(w)
    assert sample.whole == whole
    np.testing.assert_allclose(sample.total, w.sum(), rtol=1e-13)
    np.testing.assert_allclose(sample.w @ sample.y, w @ y, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(sample.w @ sample.p, w @ p, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(sample.w2.sum(), (w if whole else w**2).sum(), rtol=1e-13)
    assert np.all(np.diff(sample.rows.p) >= 0)


def test_a_cell_has_one_score_for_both_labels():
    sample = fot.Cells.of([0, 1, 1], [0.50001, 0.50002, 0.50003]).sample()
    assert np.unique(sample.p).size == 1
    assert sample.p[0] == pytest.approx(0.50002, abs=1e-15)


def test_a_cell_of_one_distinct_score_has_exactly_that_score():
    p = np.full(1000, 0.1)  # a mean of tenths is not a tenth
    assert set(fot.Cells.of(np.arange(1000) % 2, p, np.full(1000, 0.3)).sample().p) == {0.1}


def test_keys_tell_apart_rare_certain_and_bordering_scores():
    rare = fot.Cells.of([0, 1, 0, 1], [1e-6, 1.1e-6, 1 - 1e-9, 1 - 2e-9])
    assert len(rare) == 4
    assert len(fot.Cells.of([0, 1, 0], [0.0, 1.0, 5e-324])) == 3
    at_edge = fot.Cells.of([0, 1], [np.nextafter(0.29, 0), 0.29])
    assert len(at_edge) == 1
    assert len(fot.Cells.of([0, 1], [np.nextafter(0.29, 0), 0.29], edges=[0.29])) == 2


@given(st.lists(SCORES, min_size=2, max_size=30), st.booleans())
def test_keys_are_ordered_as_scores(scores, exact):
    p = np.sort(np.abs(scores))
    edges = () if exact else (0.25, 0.3)
    assert np.all(np.diff(Resolution(exact, edges).keys(p)) >= 0)


@pytest.mark.parametrize("family", ["identity", "platt", "beta", "temperature", "isotonic", "pava_bc", "knn"])
def test_nothing_is_lost_where_scores_have_few_values(family):
    y, p = drawn(4000, levels=200)
    rows, cells = (fot.calibration_error(*data, family=family) for data in ((y, p), (fot.Cells.of(y, p),)))
    assert float(cells) == pytest.approx(float(rows), abs=1e-12)
    assert cells.n == rows.n


def test_dyadic_bins_lose_nothing():
    y, p = drawn(5000)
    for partition, n_bins in (("equal_width", 16), ("equal_width", 64)):
        rows = fot.gce(y, p, partition=partition, n_bins=n_bins)
        assert float(fot.gce(fot.Cells.of(y, p), partition=partition, n_bins=n_bins)) == pytest.approx(
            float(rows), abs=1e-15
        )
    edges = np.arange(1, 10) / 10
    rows = fot.gce(y, p, partition="equal_width", n_bins=10)
    cells = fot.Cells.of(y, p, edges=edges)
    assert float(fot.gce(cells, partition="equal_width", n_bins=10)) == pytest.approx(float(rows), abs=1e-15)


def test_whole_weights_count_rows_and_others_do_not():
    y, p = drawn(300, levels=20)
    w = np.random.default_rng(1).integers(0, 4, 300)
    whole, other = fot.Cells.of(y, p, w), fot.Cells.of(y, p, w * 0.5)
    assert whole.sample().whole
    assert not other.sample().whole
    assert whole.n == other.n == np.count_nonzero(w)
    assert float(fot.tce(whole)) == pytest.approx(float(fot.tce(y, p, sample_weight=w)), abs=1e-12)
    with pytest.raises(ValueError, match="must be counts"):
        fot.tce(other)
    assert not whole.discounted(0.5).sample().whole
    np.testing.assert_allclose(whole.discounted(0.5).sums.w2, whole.sums.w2 / 4)


def test_displays_and_evaluations_take_cells():
    from matplotlib.figure import Figure

    y, p = drawn(2000)
    cells = fot.Cells.of(y, p)
    assert "n = 2,000" in str(fot.evaluate(cells, families=["beta"], interval=None))
    display = fot.ReliabilityDisplay.from_predictions(cells, family=fot.Slope1(5), ax=Figure())
    assert sum(row["weight"] for row in display.parts()["histogram"]) == 2000
    tested = fot.tce(cells, partition="equal_mass", n_bins=5, null_draws=0).plot(Figure())
    assert tested.error.n == 2000


def test_class_wise_cells_are_a_class_wise_evaluation():
    import pandas as pd

    rng = np.random.default_rng(3)
    P = rng.dirichlet([1, 1, 1], 900).round(2)
    P[:, 2] = np.abs(1 - P[:, 0] - P[:, 1])
    y = np.array(list("abc"))[(P.cumsum(axis=1) < rng.random((900, 1))).sum(axis=1).clip(0, 2)]
    frame = pd.DataFrame(P, columns=["pa", "pb", "pc"]).assign(y=y)
    columns = {"label": "y", "prob": ["pa", "pb", "pc"], "labels": ["a", "b", "c"]}
    cells = fot.Cells.of_frame(frame, reduction="classwise", exact=True, **columns)
    rows = fot.calibration_error(y, P, family="beta", reduction="classwise")
    for reduction in (None, "classwise"):
        assert float(fot.calibration_error(cells, family="beta", reduction=reduction)) == pytest.approx(
            float(rows), abs=1e-12
        )
    assert float(fot.evaluate(cells, families=["platt"])["b"]["platt"]) > 0
    doubled = cells + cells
    assert doubled["a"].n == 1800
    assert sum([cells, cells])["c"].n == 1800
    top = fot.Cells.of_frame(frame, reduction="confidence", exact=True, **columns)
    assert float(fot.calibration_error(top, family="beta")) == pytest.approx(
        float(fot.calibration_error(y, P, family="beta", reduction="confidence")), abs=1e-12
    )


CELLS = fot.Cells.of(*drawn(20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fot.calibration_error(CELLS, [0.5] * 20), "y_prob must be left out where y_true is Cells"),
        (lambda: fot.calibration_error(CELLS, sample_weight=[1] * 20), "sample_weight must be left out"),
        (lambda: fot.calibration_error(CELLS, pos_label=1), "pos_label must be left out"),
        (lambda: fot.calibration_error(CELLS, reduction="classwise"), "reduction must be left out"),
        (lambda: fot.calibration_error(CELLS, reduction="canonical"), "reduction must be left out"),
        (lambda: fot.calibration_error([0, 1]), "y_prob"),
        (lambda: fot.Cells.of([0, 1], [0.2, 1.2]), "y_prob"),
        (lambda: fot.Cells.of([0, 1], [0.2, 0.3], edges=[0.0, 0.5]), r"edges must lie inside \(0, 1\)"),
        (lambda: fot.Cells.of([0, 1], [0.2, 0.3], edges=["a"]), "edges must be a sequence of numbers"),
        (lambda: fot.Cells.of([0, 1], [0.2, 0.3], edges=[0.5], exact=True), "edges must be left out"),
        (lambda: fot.Cells.of([0, 1], [0.2, 0.3], exact="yes"), "exact must be True or False"),
        (lambda: CELLS + fot.Cells.of([0, 1], [0.2, 0.3], exact=True), "one resolution"),
        (lambda: CELLS.discounted(0.0), "factor must be"),
        (lambda: fot.Cells.from_json("{}"), "text must hold cells"),
        (lambda: fot.Cells.from_frame({"key": [1]}), "column 'low'"),
        (lambda: fot.Cells(1, 2), "made by"),
    ],
)
def test_what_cells_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 2}, "schema must be 1"),
        ({"low": [0.5]}, "low must be one column"),
        ({"low": ["a"] * len(CELLS)}, "low must hold numbers"),
        ({"low": [str(one) for one in CELLS.to_dict()["low"]]}, "low must hold numbers"),
        ({"rows_0": [one == 1 or one for one in CELLS.to_dict()["rows_0"]]}, "rows_0 must hold numbers"),
        ({"edges": [10**400]}, "edges must be a sequence of numbers"),
        ({"edges": 0.5}, "edges must be a sequence of numbers, got 0.5"),
        ({"edges": [[[0.5]]]}, "edges must be a sequence of numbers"),
        ({"edges": ["0.5"]}, "edges must be a sequence of numbers"),
        ({"rows_0": [-1] * len(CELLS)}, "none negative"),
        ({"high": [0.0] * len(CELLS)}, "low <= high"),
        ({"exact": True}, "key must be that of the scores"),
        ({"whole": 1}, "whole must be True or False"),
        ({"weight_1": [1.0] * len(CELLS), "rows_1": [0] * len(CELLS)}, "weight for a label"),
    ],
)
def test_damaged_text_is_refused(change, message):
    text = json.dumps({**CELLS.to_dict(), **change})
    with pytest.raises(ValueError, match=message):
        fot.Cells.from_json(text)


def test_cells_that_overlap_by_a_last_bit_stay_in_order():
    """Engines whose logarithms differ put one score into neighbouring cells."""
    p = 0.3
    key = Resolution().keys(np.array([p]))
    one = fot.Cells.of([0, 1], [p, p])
    values = one.to_dict()
    other = fot.Cells.from_json(json.dumps({**values, "key": (key + 1).tolist()}))
    both = one + other
    assert len(both) == 2
    assert both.sample().distinct.p.tolist() == [p]
    assert float(fot.calibration_error(both, family=fot.Flat(1))) == pytest.approx(0.2)


def changed(cells, **columns):
    return json.dumps({**cells.to_dict(), **columns})


@pytest.mark.parametrize("edges", [[], [0.1, 0.29, 0.7]])
def test_keys_off_by_a_last_bit_of_a_logarithm_are_read(edges):
    cells = fot.Cells.of(*drawn(50), edges=edges)
    step = 2048 * (len(edges) + 1)
    keys = cells.sums.key + step
    assert fot.Cells.from_json(changed(cells, key=keys.tolist())).n == 50
    with pytest.raises(ValueError, match="key must be that of the scores"):
        fot.Cells.from_json(changed(cells, key=(keys + step).tolist()))


def test_a_cell_that_spans_an_edge_is_refused():
    cells = fot.Cells.of([0, 1], [0.28999, 0.29001])
    key = [4 * key for key in cells.to_dict()["key"]]
    with pytest.raises(ValueError, match="key must be that of the scores"):
        fot.Cells.from_json(changed(cells, key=key, edges=[0.1, 0.29, 0.7]))


def test_weights_that_are_not_whole_are_not_read_as_whole():
    cells = fot.Cells.of([0, 1, 1], [0.2, 0.5, 0.8], [0.5, 1.5, 2.0])
    with pytest.raises(ValueError, match="whole must be False where weights are not whole numbers"):
        fot.Cells.from_frame(cells.to_frame())
    with pytest.raises(ValueError, match="whole must be False where weights are not whole numbers"):
        fot.Cells.from_json(changed(cells, whole=True))
    assert_same(fot.Cells.from_frame(cells.to_frame(), whole=False), cells, rtol=0)
    few = fot.Cells.of([0, 0, 1], [0.2, 0.2, 0.8])
    with pytest.raises(ValueError, match="whole must be False"):
        fot.Cells.from_json(changed(few, weight_0=[1.0, 0.0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": True}, "schema must be 1, got True"),
        ({"rows_0": [2.5, 0]}, "rows_0 must hold whole numbers"),
        ({"rows_0": [True, False]}, "rows_0 must hold numbers"),
        ({"rows_0": [True, 0]}, "rows_0 must hold numbers"),
        ({"exact": "x" * 1000}, r"exact must be True or False, got .{1,200}$"),
        ({"squares_0": [5.0, 0.0]}, "squares must lie between"),
        ({"squares_0": [1.9, 0.0]}, "squares must lie between"),
        ({"weighted_scores": [0.5, 0.8]}, "weighted_scores must lie between"),
        ({"weighted_scores": [0.3, 0.8]}, "weighted_scores must lie between"),
        ({"weight_0": [1e200, 0.0], "squares_0": [1e300, 0.0], "weighted_scores": [2e199, 0.8]}, "must"),
    ],
)
def test_sums_that_do_not_belong_together_are_refused(change, message):
    cells = fot.Cells.of([0, 0, 1], [0.2, 0.2, 0.8])
    assert_same(fot.Cells.from_json(changed(cells)), cells, rtol=0)
    with pytest.raises(ValueError, match=message):
        fot.Cells.from_json(changed(cells, **change))


def test_weights_out_of_the_range_of_squares_are_refused():
    with pytest.raises(ValueError, match="sample_weight must have a sum between 1e-150 and 1e150"):
        fot.Cells.of([0, 1], [0.2, 0.8], [1e150, 1e150])  # which can be scaled in a sample, but not be added
    huge = fot.Cells.of([0, 1], [0.2, 0.8], [4e149, 4e149])
    with pytest.raises(ValueError, match="the weights of cells must have a sum between 1e-150 and 1e150"):
        huge + huge
    text = huge.to_dict()
    text |= {name: [1e3 * one for one in text[name]] for name in ("weight_0", "weight_1", "weighted_scores")}
    text |= {name: [1e6 * one for one in text[name]] for name in ("squares_0", "squares_1")}
    with pytest.raises(ValueError, match="the weights of cells must have a sum between 1e-150 and 1e150"):
        fot.Cells.from_json(json.dumps(text))


def test_whole_weights_beyond_exact_sums_count_no_rows():
    y, p, w = [0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], [2.0**53, 2.0**52, 2.0**52, 2.0**54]
    sample = fot.Cells.of(y, p, w).sample()
    assert not sample.whole
    np.testing.assert_allclose(sample.w2, np.square(sample.w))


@pytest.mark.exhaustive
def test_cells_that_are_discounted_for_years_lose_what_weighs_nothing():
    rng = np.random.default_rng(0)
    cells = fot.Cells.of([0, 1, 1], [1e-5, 0.5, 1 - 1e-5])
    for _ in range(1200):
        p = rng.random(20)
        cells = cells.discounted(0.5) + fot.Cells.of(rng.random(20) < p, p)
    sums = cells.sums
    assert np.all((sums.rows > 0) == (sums.w > 0))
    assert sums.w[sums.w > 0].min() > 1e-32
    assert sums.low.min() > 1e-5  # the first rows are gone
    assert cells.n < 20 * 110
    assert cells.total == pytest.approx(40)
    assert np.all((sums.p >= sums.low) & (sums.p <= sums.high))
    assert np.isfinite(float(fot.calibration_error(cells, family="beta")))
    assert_same(fot.Cells.from_json(cells.to_json()), cells, rtol=0)


def test_a_label_that_weighs_nothing_leaves_its_cell():
    cells = fot.Cells.of([0, 1, 1], [0.50001, 0.50003, 0.9], [1e-32, 1.0, 1.0]).discounted(0.5)
    assert cells.sums.rows.tolist() == [[0, 1], [0, 1]]
    np.testing.assert_allclose(cells.sums.w, [[0, 0.5], [0, 0.5]])
    assert cells.sums.p == pytest.approx([0.50003, 0.9])


def test_a_factor_of_one_changes_nothing():
    assert CELLS.discounted(1.0) is CELLS
    with pytest.raises(ValueError, match="the weights of cells must have a sum between 1e-150"):
        CELLS.discounted(1e-200)


@pytest.mark.parametrize("other", [False, np.zeros(2), "a", 1])
def test_only_cells_are_added(other):
    with pytest.raises(TypeError):
        CELLS + other
    classes = ClassCells({"a": CELLS})
    with pytest.raises(TypeError):
        classes + other
    assert classes + 0 is classes


def test_cells_of_classes_are_discounted_class_by_class():
    classes = ClassCells({"a": CELLS, "b": CELLS}).discounted(0.5)
    assert [one.total for one in classes.values()] == [10.0, 10.0]


def test_nearest_rows_of_cells_are_told_from_those_of_scores():
    y, p = drawn(3000)
    with pytest.warns(fot.CalibrationWarning, match="exact=True keep every score"):
        fot.calibration_error(fot.Cells.of(y, p), family="knn")
    rows, cells = (fot.calibration_error(*data, family="knn") for data in ((y, p), (fot.Cells.of(y, p, exact=True),)))
    assert float(cells) == pytest.approx(float(rows), abs=1e-12)


@pytest.mark.parametrize("by", [3, 0, [3], {"s": 1}])
def test_segments_are_named_by_texts(by):
    with pytest.raises(ValueError, match="by must be the name of a column, or a list of several, got"):
        fot.Cells.of_frame({}, label="y", prob="p", by=by)


def test_parts_of_single_rows_keep_their_folds():
    y, p = [0, 0, 1, 1, 0, 1], [0.2, 0.2, 0.2, 0.2, 0.6, 0.6]
    sample = fot.Cells.of(y, p).sample()
    parts, folds = sample.in_folds(6, 0)
    assert parts.rows.single
    again, same = parts.in_folds(6, 0)
    assert again is parts
    assert [fold.tolist() for fold in same] == [fold.tolist() for fold in folds]


def test_cells_without_rows():
    frame = pd.DataFrame({"y": [0, 1], "p": [0.2, 0.7], "g": ["a", "b"], "w": [0, 1]})
    none = fot.Cells.of_frame(frame, label="y", prob="p", weight="w", by="g")["a"]
    again = fot.Cells.from_json(none.to_json())
    assert (again.n, len(again), repr(again)) == (0, 0, "Cells(no rows)")
    with pytest.raises(ValueError, match="cells must have rows, got none"):
        fot.calibration_error(again, family="platt")


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"edges": [0.5]}, {"groups": []}, {"sample_weight": []}])
def test_a_batch_without_rows_is_the_empty_sum(options):
    y, p = drawn(50)
    named = {"groups": np.arange(50) % 7, "sample_weight": np.linspace(0.5, 2.0, 50)}
    day = fot.Cells.of(y, p, **{name: named.get(name, value) for name, value in options.items()})
    none = fot.Cells.of([], np.array([]), **options)
    assert (none.n, len(none), none.total) == (0, 0, 0.0)
    for added in (none + day, day + none, sum([none, day, none])):
        assert added.to_dict() == day.to_dict()
    assert (none + none).to_dict() == none.to_dict() == fot.Cells.from_json(none.to_json()).to_dict()
    for refused in (fot.evaluate, fot.Cells.sample, fot.Cells.to_frame, lambda cells: cells.base_rate):
        with pytest.raises(ValueError, match="cells must have rows, got none"):
            refused(none)


@pytest.mark.parametrize("columns", [([], [0.2]), ([0], []), ([], None), ("", ""), ([0], [0.2], [])])
def test_one_empty_column_is_no_empty_batch(columns):
    with pytest.raises(ValueError, match=r"must (not be empty|be a|have (the same|one) length)"):
        fot.Cells.of(*columns)


def test_the_warning_of_few_cells_is_at_the_line_of_the_user():
    p = np.random.default_rng(0).beta(200, 200, 20_000)
    with pytest.warns(fot.CalibrationWarning, match="few cells hold most") as caught:
        fot.Cells.of(p > 0.5, p).sample()
    assert caught[0].filename == __file__
