"""Segments that nobody named: what is found, what is not, and that nothing but the rows decides it."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.segments.features.cuts import LEAST_VARIANCE
from fitontest.segments.features.read_columns import read_columns


def logit(p):
    return np.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rows(n=2500, seed=0, shift=0.9):
    """Return labels, scores and features, of which a segment of two conditions is off."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "site": rng.choice(["north", "south", "west"], n),
            "flag": rng.random(n) < 0.5,
            "noise": rng.standard_normal(n),
        }
    )
    p = sigmoid(1.2 * rng.standard_normal(n))
    off = (X.age > 50) & (X.site == "west")
    y = (rng.random(n) < sigmoid(logit(p) + shift * off)).astype(int)
    X.loc[rng.random(n) < 0.04, "age"] = np.nan
    return y, p, X


QUICK = {"draws": 79}


@pytest.fixture(scope="module")
def found():
    return fot.segments.find_segments(*rows(), **QUICK)


def test_the_segment_that_is_off_is_found_and_named(found):
    assert len(found) == 1
    assert bool(found)
    (segment,) = found
    assert set(segment.rule.columns) == {"age", "site"}
    assert "site = west" in str(segment.rule)
    assert segment.by == "level"
    assert segment.p_value == pytest.approx(2 / 80)
    assert 0.5 < segment.offset < 1.1
    first, own, every, _ = str(found).splitlines()
    assert first == f"1 segment differs from the map of all rows ({found.scanned} tried, family-wise 5 %)."
    y, p, X = rows()
    inside = segment.rule.meets(read_columns(X))
    ratio = fot.measure(y[inside], p[inside], "observed_expected")
    assert own.startswith(f"{segment.rule}  O:E  {float(ratio):.2f}  (95 % CI ")
    assert own.endswith(f"{segment.n:,} rows")
    assert every.startswith("all rows ")
    assert found.rows()[0]["observed_expected"] == float(ratio)
    assert "shrunk" in str(found.table())
    assert "Family-wise 5 %: where no segment is wrong" in str(found.explain())


def test_many_segments_are_printed_in_eight_lines():
    rng = np.random.default_rng(0)
    site, p = rng.integers(0, 12, 12_000), rng.random(12_000)
    y = rng.random(p.size) < sigmoid(logit(p) + np.where(site % 2, 0.9, -0.9))
    found = fot.segments.find_segments(y, p, {"site": site.astype(str)}, **QUICK)
    assert len(found) > 5
    lines = str(found).splitlines()
    assert len(lines) <= 8
    assert f"{len(found) - 3} more: " in str(found)
    assert all(str(item.rule) in str(found.table()) for item in found)


def test_its_numbers_are_those_of_its_rows(found):
    y, p, X = rows()
    (segment,) = found
    inside = segment.rule.meets(read_columns(X))
    line = fot.Platt().fit(p, y).map_
    q = line(p)
    z = (y - q)[inside].sum() / np.sqrt((q * (1 - q))[inside].sum())
    assert segment.statistic == pytest.approx(z, rel=1e-9)
    assert segment.n == inside.sum()
    assert segment.base_rate == pytest.approx(y[inside].mean())
    assert segment.mean_score == pytest.approx(q[inside].mean(), rel=1e-9)
    assert segment.residual == pytest.approx((1 - 1 / z**2) * (y - q)[inside].mean(), rel=1e-9)
    assert segment.standard_error == pytest.approx(np.sqrt((q * (1 - q))[inside].sum()) / inside.sum(), rel=1e-9)


def test_the_largest_statistic_is_that_of_brute_force_over_all_pairs():
    y, p, X = rows(600)
    found = fot.segments.find_segments(y, p, X, against="scores", **QUICK)
    columns = read_columns(X)
    conditions = [[*column.conditions] for column in found.cut.columns]
    met = [[condition.meets(columns) for condition in each] for each in conditions]
    best, tested = 0.0, 0
    for a in range(len(met)):
        pairs = list(met[a])
        pairs += [one & other for b in range(a + 1, len(met)) for one in met[a] for other in met[b]]
        for rows_of in pairs:
            variance = (p * (1 - p))[rows_of].sum()
            if variance >= LEAST_VARIANCE:
                tested += 1
                best = max(best, abs((y - p)[rows_of].sum()) / np.sqrt(variance))
    largest = found[0] if found else found.nearest
    assert abs(largest.statistic) == pytest.approx(best, rel=1e-9)
    assert found.scanned == tested


def test_calibrated_scores_have_no_segment():
    rng = np.random.default_rng(3)
    _, p, X = rows()
    found = fot.segments.find_segments(rng.random(p.size) < p, p, X, **QUICK)
    assert len(found) == 0
    assert not found
    first, *_ = str(found).splitlines()
    assert first.startswith(f"No segment stands out among {found.scanned:,}; an error ")
    assert first.endswith("of its standard errors would have.")
    assert found.nearest.p_value > 0.05
    assert f"The nearest: {found.nearest.rule}" in str(found)
    assert found.to_sql() == "0.0e0"
    assert found.rows() == found.rules() == []
    assert found.segments(X).tolist() == ["others"] * p.size
    with pytest.raises(ValueError, match="a segment must have been found for a diagram"):
        found.plot()


def test_an_error_of_all_rows_is_none_of_a_segment():
    rng = np.random.default_rng(0)
    _, p, X = rows()
    y = rng.random(p.size) < sigmoid(0.6 * logit(p) + 0.8)
    assert len(fot.segments.find_segments(y, p, X, **QUICK)) == 0
    as_they_are = fot.segments.find_segments(y, p, X, against="scores", **QUICK)
    assert len(as_they_are) > 0
    assert "beyond one map" not in str(as_they_are)


def test_an_error_whose_sign_changes_is_found_along_the_score():
    rng = np.random.default_rng(0)
    _, p, X = rows(4000)
    y = rng.random(p.size) < sigmoid(np.where(X.site == "west", 2.6, 1.0) * logit(p))
    found = fot.segments.find_segments(y, p, X, **QUICK)
    assert [(str(one.rule), one.by) for one in found] == [("site = west", "shape")]
    assert found[0].offset == 0.0
    assert ", wrong along the score" in str(found)
    assert "shape: the residuals add up along the score" in " ".join(str(found.table()).split())
    assert len(found.map_.rules) == 0


def test_the_repair_moves_the_rows_of_the_segment_alone(found):
    _, p, X = rows()
    (segment,) = found
    inside = segment.rule.meets(read_columns(X))
    q = found.map_(X, p)
    line = found.map_.intercept + found.map_.slope * logit(p)
    np.testing.assert_allclose(q, sigmoid(line + segment.offset * inside), rtol=1e-12)
    fresh_y, fresh_p, fresh = rows(20_000, seed=9)
    loss = [np.mean((fresh_y - each) ** 2) for each in (fresh_p, found.map_(fresh, fresh_p))]
    assert loss[1] < loss[0]
    again = fot.segments.FeatureMap.from_json(found.map_.to_json())
    np.testing.assert_array_equal(again(X, p), q)


def test_sql_is_the_map():
    duckdb = pytest.importorskip("duckdb")
    y, p, X = rows()
    found = fot.segments.find_segments(y, p, X, **QUICK)
    frame = X.assign(score=p, row=np.arange(p.size))
    with duckdb.connect() as connection:
        connection.register("given", frame)
        query = f"SELECT {found.to_sql()} AS moved, {found.to_sql('score')} AS q FROM given ORDER BY row"
        told = connection.execute(query).fetchnumpy()
    inside = found[0].rule.meets(read_columns(X))
    np.testing.assert_allclose(np.ma.filled(told["moved"], np.nan), found[0].offset * inside)
    np.testing.assert_allclose(told["q"], found.map_(X, p), rtol=1e-12)


def test_sql_of_several_offsets_can_stand_in_a_product():
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("xyz"), 3000)}
    p = rng.random(3000)
    y = (rng.random(3000) < sigmoid(logit(p) + np.select([X["c"] == "x", X["c"] == "y"], [1.5, -1.5]))).astype(int)
    found = fot.segments.find_segments(y, p, X, against="scores", **QUICK)
    assert len(found) > 1
    frame = pd.DataFrame({**X, "p": p, "row": np.arange(3000)})
    with duckdb.connect() as connection:
        connection.register("given", frame)
        query = f"SELECT 1 / (1 + exp(-1 * (ln(p / (1 - p)) + {{}}{found.to_sql()}))) AS q FROM given ORDER BY row"
        plain, opposite = (connection.execute(query.format(sign)).fetchnumpy()["q"] for sign in ("", "-1 * "))
    np.testing.assert_allclose(plain, found.map_(X, p), rtol=1e-9)
    np.testing.assert_allclose(logit(plain) + logit(opposite), 2 * logit(p), atol=1e-9)


def test_segments_go_into_by(found):
    y, p, X = rows()
    named = found.segments(X)
    assert set(named) == {"others", str(found[0].rule)}
    evaluation = fot.evaluate(y, p, by=named, adjust="max", null_draws=99)
    assert evaluation.worst()[0] == str(found[0].rule)


def test_segments_that_differ_in_the_seventh_digit_stay_apart():
    rng = np.random.default_rng(2)
    t = 1.0 + 1e-6 * rng.random(4000)
    p = rng.uniform(0.05, 0.95, 4000)
    move = 1.5 * (t > 1.0 + 8e-7) - 1.5 * (t <= 1.0 + 3e-7)
    found = fot.segments.find_segments(rng.random(4000) < sigmoid(logit(p) + move), p, {"t": t}, **QUICK)
    rules = dict.fromkeys(item.rule for item in found)
    assert len(rules) > 1
    assert len({record["segment"] for record in found.rows()}) == len(rules)
    assert {record["segment"] for record in found.rules()} == {record["segment"] for record in found.rows()}
    named, first = found.segments({"t": t}), found[0].rule.meets(read_columns({"t": t}))
    assert set(named[first]) == {found.rows()[0]["segment"]}
    assert found.rows()[0]["segment"] not in named[~first]


@pytest.mark.parametrize("frame", ["dict", "polars", "pyarrow", "float32", "object"])
def test_frames_of_any_library(frame, found):
    y, p, X = rows()
    if frame == "dict":
        X = {name: X[name].to_numpy() for name in X}
    elif frame in ("polars", "pyarrow"):
        pytest.importorskip(frame)
        import polars

        X = polars.from_pandas(X)
        X = X.to_arrow() if frame == "pyarrow" else X
    elif frame == "float32":
        X = X.astype({"age": np.float32})
    else:
        X = X.astype(object)
    assert fot.segments.find_segments(y, p, X, **QUICK).rows() == found.rows()


def test_a_matrix_and_its_codes():
    y, p, X = rows()
    codes = X.site.map({"north": 0, "south": 1, "west": 2})
    matrix = np.column_stack((X.age, codes, X.noise))
    as_numbers = fot.segments.find_segments(y, p, matrix, **QUICK)
    assert set(as_numbers[0].rule.columns) == {"x0", "x1"}
    named = fot.segments.find_segments(y, p, matrix, categorical_features=[1], **QUICK)
    assert "x1 = 2" in str(named[0].rule)
    masked = fot.segments.find_segments(y, p, matrix, categorical_features=[False, True, False], **QUICK)
    assert masked.rows() == named.rows()


def test_order_copies_and_read_rows_tell_the_same(found):
    y, p, X = rows()
    order = np.random.default_rng(0).permutation(p.size)
    shuffled = fot.segments.find_segments(y[order], p[order], X.iloc[order], **QUICK)
    assert shuffled.rows() == found.rows()
    assert shuffled.critical == found.critical
    w = np.random.default_rng(1).integers(0, 3, p.size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # that rows look like copies
        weighted = fot.segments.find_segments(y, p, X, sample_weight=w, **QUICK)
        where = np.repeat(np.arange(p.size), w)
        copies = fot.segments.find_segments(y[where], p[where], X.iloc[where].reset_index(drop=True), **QUICK)
    assert weighted.critical == copies.critical
    assert len(weighted) == len(copies) > 0
    for one, other in zip(weighted, copies, strict=True):
        assert (one.rule, one.n, one.p_value) == (other.rule, other.n, other.p_value)
        assert (one.statistic, one.offset) == pytest.approx((other.statistic, other.offset), rel=1e-9)
    assert fot.segments.find_segments(fot.read(y, p), X=X, **QUICK).rows() == found.rows()


def test_importances_count_by_their_squares():
    y, p, X = rows()
    w = np.random.default_rng(0).exponential(size=p.size)
    weighted = fot.segments.find_segments(y, p, X, sample_weight=w, **QUICK)
    (segment,) = weighted
    inside = segment.rule.meets(read_columns(X))
    q = fot.Platt().fit(p, y, w).map_(p)
    z = (w * (y - q))[inside].sum() / np.sqrt((w**2 * q * (1 - q))[inside].sum())
    assert segment.statistic == pytest.approx(z, rel=1e-9)
    assert segment.n == inside.sum()
    assert "importances" in str(weighted)


def test_rows_that_belong_together_make_less_sure():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(150), 12)
    X = {"site": (np.arange(150) % 5)[group].astype(str), "noise": rng.standard_normal(1800)}
    p = sigmoid(rng.standard_normal(1800))
    y = rng.random(1800) < sigmoid(logit(p) + rng.standard_normal(150)[group])
    alone, grouped = (fot.segments.find_segments(y, p, X, groups=given, **QUICK) for given in (None, group))
    assert grouped.critical > 1.3 * alone.critical
    assert "groups: 150" in str(grouped)
    few = fot.segments.find_segments(y, p, X, groups=group // 25, **QUICK)
    assert len(few) == 0
    assert "groups" in str(few).splitlines()[0]


@pytest.mark.exhaustive
def test_too_many_conditions_are_cut_coarser_and_then_chosen_by_other_rows():
    rng = np.random.default_rng(0)
    n = 1600
    p = sigmoid(rng.standard_normal(n))
    X = rng.standard_normal((n, 90))
    y = rng.random(n) < sigmoid(logit(p) + 1.6 * (X[:, 7] > 0))
    middle = fot.segments.find_segments(y, p, X[:, :30], against="scores", draws=39)
    assert middle.cut.conditions <= 400
    assert "More than 400 conditions: numbers at the quantiles" in str(middle.table())
    halved = fot.segments.find_segments(y, p, X, against="scores", draws=39)
    assert halved.cut.conditions <= 400
    assert "chosen by one half of the rows; tested in the other" in " ".join(str(halved.table()).split())
    assert halved[0].rule.columns[0] == "x7"
    assert halved[0].n < 0.7 * n
    order = rng.permutation(n)
    assert fot.segments.find_segments(y[order], p[order], X[order], against="scores", draws=39).rows() == halved.rows()


@pytest.mark.exhaustive
def test_copies_are_dealt_one_by_one_where_one_half_chooses_the_columns():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 12, (400, 75)).astype(float)
    p = rng.uniform(0.2, 0.8, 400).round(2)
    y = (rng.random(400) < np.where(X[:, 3] > 6, 0.95, p)).astype(int)
    w = rng.integers(1, 4, 400)
    copies = rng.permutation(np.repeat(np.arange(400), w))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # that rows look like copies
        one = fot.segments.find_segments(y, p, X, sample_weight=w, **QUICK)
        other = fot.segments.find_segments(y[copies], p[copies], X[copies], **QUICK)
    assert [str(item.rule) for item in one] == [str(item.rule) for item in other]
    assert [item.p_value for item in one] == [item.p_value for item in other]
    assert any("chosen by one half of the rows" in note for note in one.cut.notes)
    assert any("x3" in item.rule.columns for item in one)


def test_three_conditions_are_looked_for_on_request():
    rng = np.random.default_rng(3)
    X = {name: rng.standard_normal(4000) for name in "abc"}
    p = rng.uniform(0.3, 0.7, 4000)
    off = (X["a"] > 0) & (X["b"] > 0) & (X["c"] > 0)
    # pairs of conditions on the same columns are off the other way, so that no pair stands out
    pairs = sum((X[one] > 0) & (X[other] > 0) for one, other in ("ab", "bc", "ac")) >= 1
    c = np.clip(p + np.where(off, 0.25, np.where(pairs, -0.03, 0.0)), 0.01, 0.99)
    y = (rng.random(4000) < c).astype(int)
    found = fot.segments.find_segments(y, p, X, conditions=3, draws=119)
    of_tree = [item for item in found if item.by == "tree"]
    assert of_tree
    assert max(len(item.rule.conditions) for item in of_tree) >= 2
    assert "tree: a node of a tree" in str(found.table())
    assert found.map_.rules == tuple(item.rule for item in found if item.offset != 0.0)
    assert all(item.p_value <= 0.05 for item in found)
    assert found.nearest.p_value > 0.05
    pairs_alone = fot.segments.find_segments(y, p, X, draws=119)
    assert {item.by for item in pairs_alone} <= {"level", "shape"}


def test_what_was_found_is_not_found_by_a_tree_again():
    y, p, X = rows()
    found = fot.segments.find_segments(y, p, X, conditions=3, draws=119)
    assert [item.by for item in found] == ["level"]


def test_columns_that_say_nothing_are_named():
    y, p, X = rows(800)
    X = X.assign(constant=1.0, copy=X.age, empty=np.nan, ids=[f"row {k}" for k in range(800)])
    found = fot.segments.find_segments(y, p, X, **QUICK)
    assert found.cut.dropped == ("constant", "copy", "empty", "ids")
    assert "Without a condition: constant, copy, empty, ids" in str(found.table())


def test_json_and_pickle(found):
    import pickle

    said = json.loads(found.to_json())
    assert said["segments"][0]["segment"] == str(found[0].rule)
    assert said["against"] == "logistic"
    assert said["critical"] == found.critical
    assert said["rules"][0]["conditions"][0]["column"] in ("age", "site")
    assert pickle.loads(pickle.dumps(found)).rows() == found.rows()
    assert list(found.to_frame().columns)[:3] == ["segment", "by", "n"]


def test_the_picture_before_and_after(found):
    _, p, X = rows()
    display = found.plot(Figure(), after=found.map_(X, p))
    before, after, *_ = display.rows("dots")
    assert after["name"] == f"{before['name']}, after"
    assert before["state"] == "outside"
    assert abs(after["value"] - 1.0) < 0.5 * abs(before["value"] - 1.0)
    y, p, X = rows()
    own = found.items[0].rule.meets(found.rows_.columns)
    assert before["value"] == pytest.approx(float(fot.measure(y[own], p[own], "observed_expected")))


def test_scores_of_0_or_1_and_labels_of_one_class():
    y, p, X = rows(500)
    certain = fot.segments.find_segments(y, (p > 0.5).astype(float), X, against="scores", **QUICK)
    assert str(certain).startswith("Labels contradict 164 scores of exactly 0 or 1, which no chance explains.")
    assert "of the other rows no segment has enough to be tested." in " ".join(str(certain).lower().split())
    assert certain.to_dict()["critical"] is None
    with pytest.raises(ValueError, match="against must be 'scores' where all labels are of one class"):
        fot.segments.find_segments(np.ones(500, dtype=int), p, X, pos_label=1)
    off = fot.segments.find_segments(np.ones(500, dtype=int), p, X, pos_label=1, against="scores", **QUICK)
    assert len(off) > 0
    tiny = fot.segments.find_segments(y[:6], p[:6], X.iloc[:6], against="scores", **QUICK)
    assert len(tiny) == 0


def test_scores_that_are_all_the_same_are_repaired_from_the_level_that_was_tested():
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("xyz"), 3000)}
    y = (rng.random(3000) < np.where(X["c"] == "x", 0.8, 0.3)).astype(int)
    p = np.full(3000, 0.2)
    found = fot.segments.find_segments(y, p, X, **QUICK)
    assert {str(item.rule) for item in found} == {"c = x", "c = y", "c = z"}
    assert [item.mean_score for item in found] == pytest.approx([y.mean()] * 3)
    assert (found.map_.slope, sigmoid(found.map_.intercept)) == (0.0, pytest.approx(y.mean()))
    assert f"intercept {found.map_.intercept:.3f}, slope 0" in str(found.table())
    repaired = found.map_(X, p)
    for level in "xyz":
        at = X["c"] == level
        assert repaired[at].mean() == pytest.approx(y[at].mean(), abs=0.005)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"X": None}, "X must hold the features of the rows, got None"),
        ({"X": {"a": [1, 2, 3]}}, "X must have a row for each of 60 labels, got 3 rows"),
        ({"X": {}}, "X must be a data frame"),
        ({"X": np.zeros((60, 0))}, r"got 0 feature\(s\)"),
        (
            {"X": pd.DataFrame({"day": pd.date_range("2024", periods=60)})},
            "got Datetime.* in column 'day'; make numbers",
        ),
        ({"X": {"a": np.r_[np.inf, np.zeros(59)]}}, "X column 'a' must be finite or missing, got inf at row 1"),
        ({"against": "isotonic"}, "against must be one of 'logistic', 'scores'"),
        ({"level": 5}, "level must be a number in"),
        ({"draws": 10}, "draws must be a whole number, at least 39"),
        ({"most": 0}, "most must be a whole number, at least 1"),
        ({"conditions": 1}, "conditions must be a whole number, at least 2; got 1"),
        ({"conditions": 3, "draws": 118}, "draws must be a whole number, at least 119"),
        ({"categorical_features": ["b"]}, "categorical_features must name columns of X"),
        ({"categorical_features": "a"}, "categorical_features must be 'from_dtype', or names"),
    ],
)
def test_refusals(settings, message):
    y, p, _ = rows(60)
    given = {"X": {"a": np.arange(60.0)}, **settings}
    with pytest.raises(ValueError, match=message):
        fot.segments.find_segments(y, p, **given)


def test_cells_and_classes_are_refused():
    y, p, X = rows(200)
    with pytest.raises(ValueError, match="y_true must be rows as they were given"):
        fot.segments.find_segments(fot.Cells.of(y, p), X=X)
    with pytest.raises(ValueError, match="by must be left out"):
        fot.segments.find_segments(fot.read(y, p, by=X.site), X=X)


def weighted_rows(n=6000):
    """Return labels, scores, a feature and importances of mean 1.25, of rows that are off for u."""
    rng = np.random.default_rng(0)
    g, p = rng.choice(["u", "v"], n), rng.uniform(0.05, 0.95, n)
    y = rng.random(n) < sigmoid(logit(p) + 1.0 * (g == "u"))
    return y.astype(int), p, {"g": g}, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("conditions", [2, 3])
def test_the_scale_of_importances_means_nothing(conditions):
    y, p, X, w = weighted_rows(1500)
    options = {"against": "scores", "draws": 119, "conditions": conditions}
    found = [fot.segments.find_segments(y, p, X, sample_weight=v, **options) for v in (w, w / w.sum(), 100 * w)]
    assert len(found[0]) >= 1
    for other in found[1:]:
        assert other.scanned == found[0].scanned == 2
        assert [str(one.rule) for one in other] == [str(one.rule) for one in found[0]]
        for one, first in zip(other, found[0], strict=True):
            assert one.statistic == pytest.approx(first.statistic, rel=1e-9)
            assert one.p_value == first.p_value
            assert one.standard_error == pytest.approx(first.standard_error, rel=1e-9)


def contradicted_rows(n=3000):
    """Return calibrated labels and scores, but for one site of scores 0 that are positive all."""
    rng = np.random.default_rng(1)
    site, b = rng.choice(["n", "s", "w"], n, p=[0.5, 0.4, 0.1]), rng.choice(["x", "y"], n)
    p = rng.uniform(0.05, 0.95, n)
    y = (rng.random(n) < p).astype(int)
    p[site == "w"], y[site == "w"] = 0.0, 1
    return y, p, {"site": site, "b": b}


@pytest.mark.parametrize("conditions", [2, 3])
def test_labels_that_contradict_certain_scores_are_told_of_and_tell_nothing_of_other_rows(conditions):
    y, p, X = contradicted_rows()
    others, count = X["site"] != "w", int((X["site"] == "w").sum())
    options = {"against": "scores", "conditions": conditions, "draws": 119}
    found = fot.segments.find_segments(y, p, X, **options)
    without = fot.segments.find_segments(y[others], p[others], {k: v[others] for k, v in X.items()}, **options)
    assert len(found) == len(without) == 0
    assert found.nearest.statistic == pytest.approx(without.nearest.statistic, rel=1e-12)
    first = " ".join(str(found).split())
    assert first.startswith(
        f"Labels contradict {count} scores of exactly 0 or 1, which no chance explains. Of the other"
    )
    assert f"({count} of them have site = w)" in first
    assert found.to_dict()["contradicted_rows"] == count
    assert without.contradicted is None
    assert without.to_dict()["contradicted_rows"] == 0


def test_contradicted_rows_that_are_anywhere_are_said_to_be_in_no_condition():
    rng = np.random.default_rng(5)
    y, p, X = rows()
    p[rng.random(p.size) < 0.05] = 1.0
    found = fot.segments.find_segments(y, p, X, against="scores", **QUICK)
    assert found.contradicted.rows == ((p == 1.0) & (y == 0)).sum() > 30
    assert found.contradicted.within == ()
    assert "whose label contradicts a score of exactly 0 or 1." in " ".join(str(found).split())


def test_certified_offsets_move_no_rows_for_contradicted_ones():
    y, p, X = contradicted_rows()
    calibrator = fot.segments.CertifiedOffsets(draws=99).fit(pd.DataFrame(X), y, scores=p)
    assert calibrator.segments_ == ()
    assert "have site = w" in calibrator.notes_[0]


@pytest.mark.parametrize("conditions", [2, 3])
def test_where_all_labels_contradict_certain_scores_nothing_else_is_tested(conditions):
    y = np.array([0, 1] * 50)
    options = {"against": "scores", "conditions": conditions, "draws": 119}
    found = fot.segments.find_segments(y, 1.0 - y, {"a": np.arange(100)}, **options)
    assert not found
    assert found.sentence() == (
        "Labels contradict 100 scores of exactly 0 or 1, which no chance explains. Of the other rows no segment has "
        "enough to be tested."
    )


def test_a_rule_whose_line_is_fitted_again_is_named_once():
    y, p, X, _ = weighted_rows()
    found = fot.segments.find_segments(y, p, X)
    assert [(str(one.rule), one.by) for one in found] == [("g = u", "level")]
    assert found.sentence().startswith("1 segment differs from the map of all rows (2 tried, ")
    # its offset holds all that was found, so that offset and line leave little in either half
    assert [str(rule) for rule in found.map_.rules] == ["g = u"]
    assert found.map_.offsets[0] == found[0].offset == pytest.approx(1.0, abs=0.2)
    q = found.map_(X, p)
    inside = X["g"] == "u"
    for at in (inside, ~inside):
        assert abs((y - q)[at].sum()) < 2.5 * np.sqrt((q * (1 - q))[at].sum())


@pytest.mark.parametrize("against", ["scores", "logistic"])
def test_a_rule_whose_shape_is_off_is_named_once(against):
    rng = np.random.default_rng(3)
    n = 12_000
    s, p = rng.choice(["n", "w"], n), rng.uniform(0.02, 0.98, n)
    wavy = np.clip(p + 0.15 * np.sin(3 * np.pi * p), 0.01, 0.99)
    y = rng.random(n) < np.where(s == "w", wavy, p)
    found = fot.segments.find_segments(y, p, {"s": s}, against=against, **QUICK)
    assert [str(one.rule) for one in found] == ["s = w"]
    assert found[0].by == "shape" or found[0].shape_too
    assert ("even beside their offset: s = w" in " ".join(str(found).split())) == found[0].shape_too
    assert found.stopped_at is None


def many_wrong(n=6000):
    """Return rows of six levels, each of which is off by another offset, and one that is not."""
    rng = np.random.default_rng(4)
    s, p = rng.integers(0, 7, n), rng.uniform(0.05, 0.95, n)
    y = rng.random(n) < sigmoid(logit(p) + np.array([-1.5, 1.5, -1.0, 1.0, -2.0, 2.0, 0.0])[s])
    return y, p, {"s": s.astype(str)}


@pytest.mark.parametrize("conditions", [2, 3])
def test_that_a_search_stopped_is_said_and_what_stands_out_is_not_the_nearest_that_does_not(conditions):
    y, p, X = many_wrong()
    options = {"against": "scores", "conditions": conditions, "draws": 119}
    every = fot.segments.find_segments(y, p, X, **options)
    assert len(every) >= 6
    assert every.stopped_at is None
    assert every.nearest.p_value > 0.05
    assert "The search stopped" not in str(every)
    stopped = fot.segments.find_segments(y, p, X, most=2, **options)
    assert stopped.stopped_at == stopped.to_dict()["stopped_at"] == 2
    assert [str(one.rule) for one in stopped][:2] == [str(one.rule) for one in every][:2]
    named = f"The search stopped at {len(stopped)} segments (most = 2), though more stands out."
    assert named in " ".join(str(stopped).split())
    assert stopped.nearest is None or stopped.nearest.p_value > 0.05
    exact = fot.segments.find_segments(y, p, X, most=len(every), **options)
    assert exact.stopped_at is None


def test_certified_offsets_say_that_they_stopped():
    y, p, X = many_wrong()
    notes = fot.segments.CertifiedOffsets(draws=99, most=2).fit(pd.DataFrame(X), y, scores=p).notes_
    assert "The search stopped at 2 segments (most = 2), though more stands out." in notes


def test_offsets_that_do_not_settle_are_told_of():
    y, p, X = contradicted_rows()
    p[X["site"] == "w"] = 1e-9  # not certain, yet of no variance, so that no condition can hold these rows alone
    found = fot.segments.find_segments(y, p, X, against="scores", **QUICK)
    rules = [str(one.rule) for one in found]
    assert len(rules) == len(set(rules))
    assert "though more stands out." in " ".join(str(found).split())
    assert found.nearest is None or found.nearest.p_value > 0.05


def test_the_critical_value_that_is_printed_is_of_the_kind_of_the_nearest():
    kinds = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        _, p, X = rows(800)
        found = fot.segments.find_segments(rng.random(p.size) < p, p, X[["site", "flag"]], against="scores", **QUICK)
        if found:
            continue
        kinds.add(found.nearest.by)
        critical = {"level": found.critical, "shape": found.critical_shape}[found.nearest.by]
        text = " ".join(str(found).split())
        along = {"level": "an error of {} of its standard", "shape": "an error along the score of {} of its standard"}
        assert along[found.nearest.by].format(f"{critical:.1f}") in text
        assert ("standard errors along the score, adjusted" in text) == (found.nearest.by == "shape")
        assert abs(found.nearest.statistic) < critical
    assert kinds == {"level", "shape"}
