"""The script that prints the tables of the TCE paper: its numbers are the golden ones, and it says what is not."""

import importlib
import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from scipy.stats import ttest_1samp

import fitontest as fot
from tests.published import BESIDE, COMMITTED, figures

pytestmark = pytest.mark.multiplies

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MODULES = ("tce_tables", "tce_data", "tce_pictures", "tce_published", "tce_values", "report", "timing")
GAUSSIAN = (2, *range(6, 14))


@pytest.fixture
def script(monkeypatch):
    """Import a script, or a module of one, as scripts import one another."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield importlib.import_module
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return what the quick script prints of all tables, where only the committed sets are there."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.syspath_prepend(BENCHMARKS)
        folders = {"--data": folder, "--results": folder, "--figures": folder / "f"}
        patch.setattr(
            sys, "argv", ["tce_tables.py", "--quick", *(str(word) for pair in folders.items() for word in pair)]
        )
        importlib.import_module("tce_tables").main()
    for name in MODULES:
        sys.modules.pop(name, None)
    return printed.getvalue()


def golden_rows(table):
    rows = [row for row in figures("gda_errors") if row["table"].rstrip("AB") == f"table{table}"]
    return sorted(rows, key=lambda row: row["table"])


def column_of(table, column):
    """Return the golden column of a printed one: Table 2 prints TCE(P) as TCE."""
    return "TCE(P)" if table == 2 and column == "TCE" else column


@pytest.mark.parametrize("table", GAUSSIAN)
def test_printed_numbers_are_the_golden_ones_rounded(script, table):
    """A slip in a transcribed number, or a row beside the wrong setting, would show."""
    published = script("tce_published")
    for row, golden in zip(published.rows_of(table), golden_rows(table), strict=True):
        for column, printed in row.printed.items():
            assert published.is_equal(golden["values"][column_of(table, column)], printed), (row, column)


@pytest.mark.parametrize("table", GAUSSIAN)
def test_cells_of_the_simulation_are_the_golden_ones(script, tmp_path, table):
    """Of the committed sets here, of all where the folder of data is there; the t-test is as published by its slip."""
    tables, data = script("tce_tables"), script("tce_data")
    predictions = data.Predictions(BESIDE, tmp_path, quick=True)
    rows = script("tce_published").rows_of(table)
    compared = 0
    found = tables.ROWS[table](table, rows, predictions)
    for row, one, golden in zip(rows, found, golden_rows(table), strict=True):
        if not one.comparable:
            assert one.note == "drawn anew"
            continue
        for column in row.printed:
            ours = f"{column}, variance" if column.endswith("-T") else column
            assert one.values[ours] == pytest.approx(golden["values"][column_of(table, column)], abs=1e-9), column
            compared += 1
    assert compared > 0 or table == 9  # whose sets are not committed


@pytest.mark.exhaustive
def test_the_quick_script_says_that_tables_of_committed_sets_are_equal(told):
    assert "98 of 98 cells are equal in every printed digit." in told
    assert "70 of 70 cells are equal in every printed digit." in told
    assert "30 of 60 cells are equal" in told  # the right t-test is not the published one
    assert "30 of 30 cells are equal" in told  # which divides by a variance
    assert "| 7.2833 / 7.2833   | 10.8833 / 10.8833 | 3.4500 / 3.4500   | 0.0138 / 0.0138 |" in told


def test_without_data_sets_are_drawn_anew_and_nothing_else_is_made_up(told):
    parts = {part.split(":")[0]: part for part in told.split("\nTable ")[1:]}
    assert [*parts] == [str(table) for table in range(1, 15)]
    assert "None of the 6 cells is of the paper's data." in parts["1"]
    assert "no imagenet_tce_vgg19.npz" in parts["5"]
    assert parts["14"].count("no paper7030_pen_digits.npz, no pendigits_mc.npz") == 5
    assert "Of 240 cells 6 are of the paper's data" in parts["14"]  # the random forest on letter_img is committed
    assert parts["9"].count("drawn anew") == 12
    assert "Of 24 cells 8 are of the paper's data: 8 are equal in every printed digit." in parts["2"]
    assert "No picture of satimage: no paper7030_satimage.npz, no table." in told


def test_sets_that_are_drawn_anew_are_near_the_stored_ones(script):
    data, values = script("tce_data"), script("tce_values")
    columns = ("TCE(P)", "ECE", "ACE")
    for name, golden in (("gda_50_50_n6000_noise1.0", "table9A"), ("gda_50_40_n6000_noise1.0", "table9B")):
        y, p = data.draw(name)
        drawn = values.values_of(y, p, values.Setting(), columns)
        (stored,) = (r["values"] for r in figures("gda_errors") if r["table"] == golden and r["dataset"] == name)
        assert abs(drawn["TCE(P)"] - stored["TCE(P)"]) < 10
        assert abs(drawn["ECE"] - stored["ECE"]) < 0.03
        assert abs(drawn["ACE"] - stored["ACE"]) < 0.03
    for name in ("gda_5_5_n10", "other"):
        with pytest.raises(ValueError, match=f"name must be like 'gda_50_40_n6000' .*, got '{name}'"):
            data.draw(name)


@pytest.mark.exhaustive
@pytest.mark.skipif(not (BESIDE / "predictions").exists(), reason="predictions are not among the committed sets")
def test_cells_of_real_data(script, tmp_path):
    tables, published = script("tce_tables"), script("tce_published")
    predictions = script("tce_data").Predictions(BESIDE, tmp_path, quick=True)
    stored = {(row["set"], row["alg"]): row["got"] for row in figures("tce_paper")["rows"]}
    rows = published.rows_of(14)
    for row, one in zip(rows, tables.ROWS[14](14, rows, predictions), strict=True):
        if not one.values:
            assert "no paper7030" in one.note
        elif "ties" not in one.note and "not explained" not in one.note:
            assert [*one.values.values()] == pytest.approx(stored[row.label], abs=1e-4), row.label
    assert "Of 30 cells 10 are of the paper's data: 10 are equal" in tables.table_text(5, predictions)
    assert "5 of 6 cells are equal in every printed digit" in tables.table_text(1, predictions)
    assert "16 of 25 cells are equal in every printed digit" in tables.table_text(3, predictions)


def test_what_differs_is_bold_and_counted(script):
    published = script("tce_published")
    rows = [
        published.Row(("a",), {"TCE": "7.28%", "ECE": "0.0138"}),
        published.Row(("b",), {"TCE": "9.00%", "ECE": "0.0020"}),
        published.Row(("c",), {"TCE": "1.00%", "ECE": "0.1000"}),
    ]
    ours = [
        published.Ours({"TCE": 7.2839, "ECE": 0.0139}),
        published.Ours(note="no b.npz"),
        published.Ours({"TCE": 3.0, "ECE": 0.1}, "drawn anew", comparable=False),
    ]
    lines = published.side_by_side(["set"], rows, ours).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["a", "7.28% / 7.28%", "**0.0139 / 0.0138**", ""]
    assert [cell.strip() for cell in lines[3].split("|")[1:-1]] == ["b", "- / 9.00%", "- / 0.0020", "no b.npz"]
    assert "3.00% / 1.00%" in lines[4]
    assert "**" not in lines[4]
    assert published.tally(rows, ours) == (
        "Of 6 cells 2 are of the paper's data: 1 are equal in every printed digit. "
        "1 differs, by at most 0.0001 (the errors)."
    )


def test_a_difference_is_blamed_on_ties_only_where_the_predictions_are_the_same(script):
    printed = {"TCE": "5.00%", "TCE(Q)": "7.0000", "ECE": "0.0100", "MCE": "0.2000"}
    by_paper = {"TCE": 5.0, "TCE(Q)": 8.0, "ECE": 0.01, "MCE": 0.2}
    ours = {"TCE": 6.0, "TCE(Q)": 9.0, "ECE": 0.01, "MCE": 0.2}
    reasons_of = script("tce_tables").reasons_of
    others = dict.fromkeys(("TCE", "TCE(Q)"), "other predictions")
    assert reasons_of(ours, printed, by_paper, has_ties=True) == {"TCE": "ties", "TCE(Q)": "not explained"}
    assert reasons_of(ours, printed, by_paper, has_ties=False) == others
    assert reasons_of({**by_paper, "TCE": 5.1}, printed, {**by_paper, "TCE": 5.1}, has_ties=True) == others
    of_mce = {"MCE": "other predictions"}
    assert reasons_of({**ours, "MCE": 0.3}, printed, by_paper, has_ties=True) == {**others, **of_mce}
    both = {"TCE": "ties", "TCE(Q)": "ties and other predictions"}
    found = reasons_of({**ours, "MCE": 0.3}, printed, {**by_paper, "MCE": 0.3}, has_ties=True)
    assert found == {**both, **of_mce}


def test_the_published_t_test_is_one_with_the_variance_for_the_standard_deviation(script):
    values = script("tce_values")
    y = np.array([0, 0, 1, 1, 1, 0, 1, 1])
    p = np.array([0.3, 0.5])
    stretched = y.mean() + (y - y.mean()) * y.std(ddof=1) ** -1 * (y.var())  # whose standard deviation is the variance
    expected = [ttest_1samp(stretched, mean).pvalue for mean in p]
    assert values.published_t_test(p, np.full(2, 8), np.full(2, 5)) == pytest.approx(expected, rel=1e-9)
    flat = values.published_t_test(np.array([0.0, 0.1, 0.9, 1.0]), np.array([4, 4, 1, 1]), np.array([0, 0, 1, 1]))
    assert flat.tolist() == [1.0, 0.0, 0.0, 1.0]


def test_a_classifier_is_trained_once_where_only_the_table_is_there(script, monkeypatch, tmp_path):
    data = script("tce_data")
    monkeypatch.setattr(data, "TABLES", {"small": ("small_mc", 2)})
    x = np.random.default_rng(0).normal(size=(200, 3))
    (tmp_path / "sets").mkdir()
    np.savez(tmp_path / "sets" / "small_mc.npz", X=x, y=np.where(x[:, 0] > 0.3, 2, 1))
    predictions = data.Predictions(tmp_path, tmp_path / "kept")
    first = predictions.uci("small", "LR")
    assert first.origin == "trained here"
    assert first.y.size == first.p.size == 60
    assert first.p[first.y == 1].mean() > 0.8 > 0.2 > first.p[first.y == 0].mean()
    monkeypatch.setattr(data, "CLASSIFIERS", {})
    assert predictions.uci("small", "LR").p.tolist() == first.p.tolist()
    quick = data.Predictions(tmp_path, tmp_path / "kept", quick=True).uci("small", "LR")
    assert quick.p is None
    assert quick.origin == "no paper7030_small.npz"


@pytest.mark.exhaustive
def test_pictures_are_written(script, tmp_path):
    with np.load(COMMITTED / "peers_letter_img_RF.npz") as found:
        y, p = found["y"].astype(int), found["p"]
    pictures = script("tce_pictures")
    paths = pictures.draw(y, p, "forest", tmp_path / "forest", (0.0, 0.5))
    assert [path.name for path in paths] == ["forest_maps.png", "forest_tests.png"]
    assert all(imread(path).std() > 0.05 for path in paths)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in pictures.describe(y, p).splitlines()]
    assert lines[4][0] == "PAVA-BC"
    assert lines[4][-1] == "26.7%"  # of Table 14, with ties uncut
    with fot.results.exceptions.without_warnings():
        sizes = fot.partitions.PavaBC().partition(fot.ScoreSample(y, p)).summarise(fot.ScoreSample(y, p)).n
    assert lines[4][1:5] == [f"{sizes.size}", f"{sizes.min():,}", f"{sizes.max():,}", "0"]


def test_all_tables_are_transcribed(script):
    found = json.loads((COMMITTED / "tce_tables.json").read_text(encoding="utf-8"))
    cells = {int(name): len(table["columns"]) * len(table["rows"]) for name, table in found.items()}
    assert [*cells] == list(range(1, 15))
    assert [*cells.values()] == [6, 24, 25, 25, 30, 98, 98, 70, 84, 84, 60, 112, 126, 240]
    assert set(script("tce_tables").ROWS) == set(cells)
