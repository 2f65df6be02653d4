"""The studies of trees of known regression functions: their cells, measures, references, and that runs go on."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import fitontest as fot
from tests.releases import trees_tell_of_missing
from tests.segments.repair.trees.problems import blobs

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = (
    "interpretability_bias",
    "tree_size",
    "interpretability_study",
    "regression_functions",
    "run_records",
    "report",
)


@pytest.fixture
def bias(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import interpretability_bias

    yield interpretability_bias
    for name in SCRIPTS:
        sys.modules.pop(name, None)


@pytest.fixture
def size(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import tree_size

    yield tree_size
    for name in SCRIPTS:
        sys.modules.pop(name, None)


def test_labels_are_drawn_from_the_regression_function(bias):
    for problem in bias.PROBLEMS.values():
        X, y, eta = problem.draw(200_000, np.random.default_rng(0))
        assert X.shape == (200_000, problem.features)
        assert np.abs(X).max() <= 1.0
        for part in np.array_split(np.argsort(eta), 10):
            error = np.sqrt((eta[part] * (1 - eta[part])).sum()) / part.size
            assert abs(y[part].mean() - eta[part].mean()) < 4 * error


def test_cells_of_equal_mass_are_the_bins_of_the_package_where_no_scores_are_equal(bias):
    rng = np.random.default_rng(1)
    p = rng.random(960)
    y = (rng.random(960) < p**2).astype(int)
    for b in bias.CELLS:
        assert bias.in_cells(y, p, bias.ranks_cut(p, b)) == pytest.approx(bias.of_bins(y, p, b))


def test_example_of_the_paper_where_ece_sees_nothing(bias):
    """Example 1 of appendix B: half of a bin says .35, half .65, and every other label is positive."""
    p, y, one = np.tile([0.35, 0.35, 0.65, 0.65], 50), np.tile([0, 1], 100), np.zeros(200, dtype=int)
    assert bias.in_cells(y, p, one) == pytest.approx([0.0, 0.15])
    assert bias.of_bins(y, p, 1) == pytest.approx([0.0, 0.15])


def test_ece_is_never_above_pde(bias):
    rng = np.random.default_rng(2)
    p, y = rng.random(300), rng.integers(0, 2, 300)
    ece, pde = bias.in_cells(y, p, rng.integers(0, 20, 300))
    assert ece < pde


def test_true_calibration_error_is_that_of_the_levels(bias):
    rng = np.random.default_rng(3)
    p = np.repeat([0.2, 0.6], 100_000)
    eta = np.where(p == 0.2, 0.3, 0.55) + rng.uniform(-0.2, 0.2, p.size)
    order = rng.permutation(p.size)
    assert bias.calibration_error(p[order], eta[order], bias.levels(p[order])) == pytest.approx(0.075, abs=1e-3)
    calibrated = p + rng.uniform(-0.2, 0.2, p.size)
    slices = rng.integers(0, 1000, p.size)  # many levels, where the size of the noise is .006
    assert abs(bias.calibration_error(p, calibrated, slices)) < 1e-3


def test_levels_are_distinct_scores_or_slices(bias):
    assert bias.levels(np.array([0.5, 0.1, 0.5])).tolist() == [1, 0, 1]
    many = np.random.default_rng(4).random(5000)
    assert np.bincount(bias.levels(many)).tolist() == [50] * 100


def record_of_estimates(bias, ece, pde, eta, ce):
    """Return a record with the same estimates in all cells."""
    cells = {f"{binning} {b}": [ece, pde] for binning in bias.BINNINGS for b in bias.CELLS}
    return {
        "leaves": 5,
        "seconds": 1.0,
        "estimates": {"250": {"eta": eta, **cells}},
        "limits": {"CE": ce, "eta": eta, **cells},
    }


def test_counts_compare_distances_from_the_reference(bias):
    records = [record_of_estimates(bias, 0.02 + k, 0.04 + k, 0.05, 0.02) for k in (-1e-3, 1e-3)]
    settings = len(bias.CELLS)
    assert bias.counts(records, bias.CUT, "eta", [250]) == (settings, settings, 0)
    assert bias.counts(records, bias.CUT, "CE", [250]) == (0, 0, settings)
    np.testing.assert_allclose(bias.biases(records, bias.CUT, 2, 250, "eta"), [[-31, -11], [-29, -9]])
    np.testing.assert_allclose(bias.limit_biases(records, bias.CUT, 2, "CE"), [[-1, 19], [1, 21]], atol=1e-9)
    same = [record_of_estimates(bias, 0.03, 0.03, 0.05, 0.02)] * 2
    assert bias.counts(same, bias.CUT, "eta", [250]) == (0, 0, 0)


@pytest.mark.exhaustive
def test_a_bias_study_goes_on_where_it_was_and_draws_what_it_says(bias, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bias, "QUICK", 0.01)
    command = ["interpretability_bias", "--quick", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*command, "--figures", str(tmp_path / "pictures")])
    bias.main()
    said = capsys.readouterr().out
    assert "| complex | PCT   | BFSL" in said
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == {
        f"interpretability_bias_{k}.svg" for k in (7, 8, 9, 10)
    }
    record = json.loads((tmp_path / "quick" / "simple_DT.jsonl").read_text().splitlines()[0])
    assert record["limits"]["CE"] < record["limits"]["eta"]
    monkeypatch.setattr(bias, "run_of", lambda *_: pytest.fail("a run that is there was run again"))
    monkeypatch.setattr(sys, "argv", command)
    bias.main()
    assert capsys.readouterr().out.split("## ")[1:] == said.split("## ")[1:]


def test_sizes_are_reached_and_the_pde_is_that_of_the_package(size):
    rng = np.random.default_rng(5)
    X, y, _ = size.PROBLEMS["simple"].draw(2000, rng)
    tree = size.fit_size(X[:1000], y[:1000], 12)
    assert tree.get_n_leaves() == 12
    assert size.fit_size(X, y, 1).get_n_leaves() == 1
    found = size.Judge((X[1000:], y[1000:]), None, 2).of_tree(tree)
    p = tree.predict_proba(X[1000:])[:, 1]
    assert found["0/1"] == pytest.approx(np.mean((p > 0.5) != y[1000:]))
    distinct = np.unique(p)
    assert distinct.size == 12  # then the leaves are the distinct scores, and their cells bins of the package
    edges = np.r_[0.0, (distinct[1:] + distinct[:-1]) / 2, 1.0]
    assert found["PDE"] == pytest.approx(float(fot.calibration_error(y[1000:], p, family=fot.Flat(edges))))


def test_the_truth_of_a_tree_that_says_the_regression_function_is_no_error(size):
    eta, leaf = np.repeat([0.2, 0.7], 50), np.repeat([0, 1], 50)
    assert size.true_values(eta, eta, leaf) == pytest.approx({"CE": 0.0, "distance from eta": 0.0}, abs=1e-12)
    found = size.true_values(np.full(100, 0.45), eta, np.zeros(100, dtype=int))
    assert found["CE"] == pytest.approx(0.0, abs=1e-12)
    assert found["distance from eta"] == pytest.approx(0.25)


def test_directions_need_two_standard_errors(size):
    assert size.direction(np.array([0.1, 0.11, 0.12])) == 1
    assert size.direction(np.array([-0.1, -0.11, -0.12])) == -1
    assert size.direction(np.array([-0.1, 0.11, 0.12])) == 0
    assert size.direction(np.zeros(3)) == 0
    assert size.steps(np.array([[0.1, 0.2, 0.2], [0.1, 0.21, 0.2]])) == [1, 0]


def test_worse_in_one_measure_and_better_in_the_other_is_no_difference(size):
    def records(pde, loss):
        return [{"pruned": {"PDE": pde, "0/1": loss}, "twin": {"PDE": 0.1, "0/1": 0.1}}] * 2

    assert size.overall(records(0.2, 0.1)) == 1
    assert size.overall(records(0.1, 0.05)) == -1
    assert size.overall(records(0.2, 0.05)) == 0
    table = size.count_table({"a": records(0.2, 0.1), "b": records(0.05, 0.05)})
    assert [cell.strip() for cell in table.splitlines()[4].split("|")[1:-1]] == ["both", "1", "1", "0", "2"]


@pytest.mark.exhaustive
@trees_tell_of_missing
def test_a_study_of_sizes_reads_tables_and_does_without_them(size, tmp_path, monkeypatch, capsys):
    X, y, _ = blobs(120)
    X[::11, 0] = np.nan
    folder = tmp_path / "sets"
    folder.mkdir()
    np.savez(folder / "spambase.npz", X=X, y=y, classes=np.array(["a", "b", "c"]))
    results = ["--quick", "-o", str(tmp_path / "out")]
    pictures = ["--figures", str(tmp_path / "pictures")]
    monkeypatch.setattr(sys, "argv", ["tree_size", str(folder), *results, *pictures])
    size.main()
    said = capsys.readouterr().out
    assert "| spambase | 120" in said
    assert "of 3 tables" in said
    assert (tmp_path / "pictures" / "tree_size.svg").exists()
    monkeypatch.setattr(sys, "argv", ["tree_size", str(tmp_path / "none"), *results])
    size.main()
    said = capsys.readouterr().out
    assert said.startswith("no folder of tables at ")
    assert "of 2 tables" in said
