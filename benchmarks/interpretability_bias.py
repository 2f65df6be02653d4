"""How biased ECE and PDE are, by the number of bins and of rows, where the regression function is known.

Usage: ``python benchmarks/interpretability_bias.py [-o FOLDER] [--runs 10] [--figures PICTURES] [--quick]``.

Figures 7 to 10 of Torabian and Urner (appendix C). A run draws 27,500 rows for a decision tree (DT) and a probability
calibration tree (PCT), 22,500 more for the support vector machine with a Gaussian kernel below the PCT, and test rows.
ECE and PDE (both of the L1 norm) are computed in 2 to 64 cells of equal mass, for which equal scores are parted at
random, and in the cells of the breadth-first search (BFSL). `--figures` draws the four figures as SVG files. Records
go to FOLDER (build/interpretability_bias), a line for each run: a run that was stopped goes on where it was.

The reference of the paper is the mean of |f - eta| over the same test rows, eta being the regression function. That is
no calibration error: it also counts what eta differs among rows of one score. So the bias is shown from two references:

* "eta": as published, over the test rows of each estimate.
* "CE": E|f(x) - E[eta | f(x)]|, the calibration error that both measures are named after, from fresh rows: for DT from
  a million and its distinct scores, for PCT from 100,000 and 100 slices of equal mass.

"Limit" is either measure with all fresh rows and eta in place of labels: what is left when test rows no longer matter.

Where the paper does not say what it did:

* The regression functions: those of `regression_functions.py`, "simple" for figures 7 and 8, "complex" for 9 and 10.
* The sizes of the test sets: 250, 1,000, 4,000 and 16,000. A run has 64,000 test rows, cut into sets of each size, at
  most 20 of them, and its estimate is the mean over them.
* Whether its ten experiments share one model: here each has its own. Standard errors are those over the runs.
* Equal scores, of which DT has many: "together" keeps them in one bin, as `fot.Slope1` and `fot.Flat` do.
* Which tree the search cuts: the pruned one; where that has fewer leaves than asked for, all of them are cells.
* The norm: L1, as in the other tables of the paper.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from fitontest.truth import true_error
from interpretability_study import deviation
from regression_functions import PROBLEMS, Problem
from report import machine_facts, markdown
from run_records import recorded

MACHINE_ROWS, TREE_ROWS, TEST_ROWS = 22_500, 27_500, 64_000
FRESH = {"DT": 1_000_000, "PCT": 100_000}
SIZES, SETS = (250, 1000, 4000, 16_000), 20
CELLS = (2, 4, 8, 16, 32, 64)
DISTINCT = 1000  # scores up to which each is a level of its own; a tree has fewer, PCT more
SLICES = 100  # of the scores of PCT, for its true calibration error
CUT, TOGETHER, BFSL = "equal mass", "together", "BFSL"
BINNINGS = (CUT, TOGETHER, BFSL)
MEASURES, REFERENCES = ("ECE", "PDE"), ("eta", "CE")
FIGURES = {7: ("simple", CUT), 8: ("simple", BFSL), 9: ("complex", CUT), 10: ("complex", BFSL)}
QUICK = 0.02  # of the rows
ROUNDING = 1e-9  # thousandths: nearer to one another, two biases are equal

Record = dict[str, Any]


def fit_tree(X: np.ndarray, y: np.ndarray, machine_rows: int) -> tuple[Any, Any]:
    """Return the decision tree, twice: as what predicts, and as what knows the cells."""
    tree = fot.segments.TreeCalibrator().fit(X[machine_rows:], y[machine_rows:])
    return tree, tree


def fit_calibration_tree(X: np.ndarray, y: np.ndarray, machine_rows: int) -> tuple[Any, Any]:
    """Return the probability calibration tree behind its support vector machine, and the tree itself."""
    machine = make_pipeline(StandardScaler(), SVC(cache_size=500)).fit(X[:machine_rows], y[:machine_rows])
    family = fot.segments.ProbabilityCalibrationTree()
    model = fot.CalibratedClassifier(FrozenEstimator(machine), family, response_method="decision_function")
    model.fit(X[machine_rows:], y[machine_rows:])
    return model, model.calibrated_classifiers_[0].family_


MODELS = {"DT": fit_tree, "PCT": fit_calibration_tree}


def ranks_cut(p: np.ndarray, n_cells: int) -> np.ndarray:
    """Return cells of equal mass: the rows sorted by score and cut, equal scores in the order of the rows."""
    cells = np.empty(p.size, dtype=np.intp)
    for cell, rows in enumerate(np.array_split(np.argsort(p, kind="stable"), n_cells)):
        cells[rows] = cell
    return cells


def cell_ece(truth: np.ndarray, p: np.ndarray, cells: np.ndarray) -> float:
    """Return the expected calibration error in cells: the mean distance of their mean score from their mean label."""
    return float(np.abs(np.bincount(cells, p - truth)).sum() / p.size)


def in_cells(truth: np.ndarray, p: np.ndarray, cells: np.ndarray) -> list[float]:
    """Return ECE and PDE in cells."""
    return [cell_ece(truth, p, cells), deviation(truth, p, cells)]


def of_bins(y: np.ndarray, p: np.ndarray, n_bins: int) -> list[float]:
    """Return ECE and PDE of the package, whose bins do not part equal scores."""
    sample = fot.ScoreSample(y, p)
    return [float(fot.measures.PlugIn(family(n_bins)).estimate(sample)) for family in (fot.Slope1, fot.Flat)]


def calibration_error(p: np.ndarray, eta: np.ndarray, level: np.ndarray) -> float:
    """Return the mean distance of scores from the mean of eta among rows of their level.

    The sign of the distance of a level is that of every other row, and its size that of the rest: where they differ by
    chance alone, the mean is 0 and not the size of the noise.
    """
    halves = [np.bincount(level[k::2], (p - eta)[k::2], level.max() + 1) for k in (0, 1)]
    return float(sum(np.sign(one) @ other for one, other in (halves, halves[::-1])) / p.size)


def levels(p: np.ndarray) -> np.ndarray:
    """Return a level for each distinct score, or slices of equal mass where there are many."""
    distinct, level = np.unique(p, return_inverse=True)
    return level if distinct.size <= DISTINCT else ranks_cut(p, SLICES)


def test_sets(n_rows: int, size: int) -> Iterator[slice]:
    """Yield the rows of each test set of a size."""
    for k in range(min(n_rows // size, SETS)):
        yield slice(k * size, (k + 1) * size)


def estimates(y: np.ndarray, p: np.ndarray, eta: np.ndarray, bfsl: dict[int, np.ndarray]) -> Record:
    """Return by size of the test set the mean of |f - eta|, and by binning and cells the mean ECE and PDE."""
    found: Record = {}
    for size in SIZES:
        sets = list(test_sets(p.size, size))
        if not sets:
            continue
        of_size: Record = {"eta": float(np.mean([true_error(p[rows], eta[rows]) for rows in sets]))}
        for b in CELLS:
            of_size[f"{CUT} {b}"] = mean(in_cells(y[rows], p[rows], ranks_cut(p[rows], b)) for rows in sets)
            of_size[f"{TOGETHER} {b}"] = mean(of_bins(y[rows], p[rows], b) for rows in sets)
            of_size[f"{BFSL} {b}"] = mean(in_cells(y[rows], p[rows], bfsl[b][rows]) for rows in sets)
        found[str(size)] = of_size
    return found


def mean(pairs: Iterator[list[float]]) -> list[float]:
    """Return the mean ECE and the mean PDE."""
    return np.mean(list(pairs), axis=0).tolist()


def limits(p: np.ndarray, eta: np.ndarray, bfsl: dict[int, np.ndarray]) -> Record:
    """Return what fresh rows say: the two references, and ECE and PDE with eta in place of labels."""
    found: Record = {"eta": true_error(p, eta), "CE": calibration_error(p, eta, levels(p))}
    for b in CELLS:
        found[f"{CUT} {b}"] = in_cells(eta, p, ranks_cut(p, b))
        found[f"{BFSL} {b}"] = in_cells(eta, p, bfsl[b])
    return found


def run_of(problem: Problem, model: str, run: int, share: float) -> Record:
    """Return the record of one run: a model of its own, its estimates on test rows, and the truth."""
    start = process_time()
    machine_rows, tree_rows, test_rows, fresh = (
        int(share * rows) for rows in (MACHINE_ROWS, TREE_ROWS, TEST_ROWS, FRESH[model])
    )
    rng = np.random.default_rng([run, list(MODELS).index(model), problem.features])
    X, y, _ = problem.draw(machine_rows + tree_rows, rng)
    with without_warnings():
        classifier, tree = MODELS[model](X, y, machine_rows)
    X, y, eta = problem.draw(test_rows + fresh, rng)
    p = classifier.predict_proba(X)[:, 1]
    bfsl = {b: tree.cells(X, b) for b in CELLS}
    test, new = slice(test_rows), slice(test_rows, None)
    return {
        "leaves": int(tree.n_leaves_),
        "estimates": estimates(y[test], p[test], eta[test], {b: cells[test] for b, cells in bfsl.items()}),
        "limits": limits(p[new], eta[new], {b: cells[new] for b, cells in bfsl.items()}),
        "seconds": round(process_time() - start, 2),
    }


def biases(records: list[Record], binning: str, b: int, size: int, reference: str) -> np.ndarray:
    """Return the bias of ECE and of PDE in each run, times 1000."""
    found = []
    for record in records:
        of_size = record["estimates"][str(size)]
        true = of_size["eta"] if reference == "eta" else record["limits"]["CE"]
        found.append(1000.0 * (np.array(of_size[f"{binning} {b}"]) - true))
    return np.array(found)


def limit_biases(records: list[Record], binning: str, b: int, reference: str) -> np.ndarray:
    """Return the bias that is left with all fresh rows and eta in place of labels, times 1000."""
    found = [np.array(record["limits"][f"{binning} {b}"]) - record["limits"][reference] for record in records]
    return 1000.0 * np.array(found)


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over the runs."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def shown(values: np.ndarray) -> str:
    """Return the mean bias of ECE and of PDE, each with its standard error."""
    pairs = zip(values.mean(axis=0), standard_error(values), strict=True)
    return " / ".join(f"{value:+.1f} ± {error:.1f}" for value, error in pairs)


def sizes_of(records: list[Record]) -> list[int]:
    """Return the sizes of test sets that the records have."""
    return [int(size) for size in records[0]["estimates"]]


def bias_table(records: list[Record], binning: str, reference: str) -> str:
    """Return the biases by cells and rows, each ECE / PDE."""
    rows = []
    for b in CELLS:
        cells = [shown(biases(records, binning, b, size, reference)) for size in sizes_of(records)]
        limit = "-" if binning == TOGETHER else shown(limit_biases(records, binning, b, reference))
        rows.append([str(b), *cells, limit])
    return markdown(["cells", *(f"{size:,} rows" for size in sizes_of(records)), "limit"], rows)


def truth_table(records: dict[tuple[str, str], list[Record]]) -> str:
    """Return what is true of the models, in thousandths."""
    rows = []
    for (problem, model), found in records.items():
        leaves = np.array([record["leaves"] for record in found])
        true = 1000.0 * np.array([[record["limits"][name] for name in REFERENCES] for record in found])
        cells = [f"{m:.1f} ± {e:.1f}" for m, e in zip(true.mean(axis=0), standard_error(true), strict=True)]
        rows.append([problem, model, str(len(found)), f"{leaves.min()} to {leaves.max()}", *cells])
    return markdown(["problem", "model", "runs", "leaves", "distance from eta", "CE"], rows)


def count_table(records: dict[tuple[str, str], list[Record]]) -> str:
    """Return in how many pairs of cells and rows the mean bias of PDE is the smaller one, by reference and by rows.

    Clearly is by more than two standard errors of the difference of the two distances, over the runs.
    """
    sizes = sizes_of(next(iter(records.values())))
    rows = []
    for (problem, model), found in records.items():
        for binning in BINNINGS:
            cells = []
            for reference in REFERENCES:
                lower, clear, against = counts(found, binning, reference, sizes)
                cells.append(f"{lower} ({clear} clearly, {against} clearly not)")
            by_size = [str(counts(found, binning, "eta", [size])[0]) for size in sizes]
            rows.append([problem, model, binning, *cells, " / ".join(by_size)])
    of = f"of {len(CELLS) * len(sizes)}"
    by = f"from eta with {' / '.join(f'{size:,}' for size in sizes)} rows, of {len(CELLS)}"
    return markdown(["problem", "model", "cells", f"from eta, {of}", f"from CE, {of}", by], rows)


def counts(records: list[Record], binning: str, reference: str, sizes: list[int]) -> tuple[int, int, int]:
    """Return in how many settings PDE has the smaller bias, in how many clearly, and in how many ECE clearly has."""
    lower = clear = against = 0
    for b in CELLS:
        for size in sizes:
            each = biases(records, binning, b, size, reference)
            signs = np.sign(each.mean(axis=0))
            nearer = each @ (signs * (1.0, -1.0))  # |bias of ECE| - |bias of PDE|, as differences of the runs
            error = standard_error(nearer)
            lower += int(nearer.mean() > ROUNDING)
            clear += int(nearer.mean() > 2.0 * error + ROUNDING)
            against += int(nearer.mean() < -2.0 * error - ROUNDING)
    return lower, clear, against


def summary(records: dict[tuple[str, str], list[Record]]) -> str:
    """Return all tables in Markdown."""
    seconds = sum(record["seconds"] for found in records.values() for record in found)
    parts = [machine_facts(), f"{seconds:,.0f} s of CPU time in one process; all errors x 1000, ± standard errors"]
    parts += ["## What is true of the models", truth_table(records)]
    parts += ["## Settings in which the bias of PDE is smaller than that of ECE", count_table(records)]
    for (problem, model), found in records.items():
        for binning in BINNINGS:
            for reference in REFERENCES:
                parts.append(f"## {problem}, {model}, {binning}: bias from {reference}, ECE / PDE")
                parts.append(bias_table(found, binning, reference))
    return "\n\n".join(parts)


def draw(records: dict[tuple[str, str], list[Record]], problem: str, binning: str) -> Any:
    """Return a figure as published: bias from eta against the number of cells, a panel for each model and measure."""
    from matplotlib.figure import Figure

    from fitontest.displays.palette import GAP, NEUTRAL, SERIES

    figure = Figure(figsize=(8.4, 6.2), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for row, model in enumerate(MODELS):
        found = records[problem, model]
        apart = 1000.0 * np.mean([record["limits"]["CE"] - record["limits"]["eta"] for record in found])
        for column, measure in enumerate(MEASURES):
            ax = axes[row, column]
            ax.axhline(0.0, color=NEUTRAL, linewidth=0.8)
            for k, size in enumerate(sizes_of(found)):
                each = np.array([biases(found, binning, b, size, "eta")[:, column] for b in CELLS]).T
                color = SERIES[k % len(SERIES)]
                ax.errorbar(
                    CELLS, each.mean(axis=0), standard_error(each), color=color, marker="o",
                    markersize=3.5, linewidth=1.4, capsize=2, label=f"{size:,} rows",
                )  # fmt: skip
            limit = np.mean([limit_biases(found, binning, b, "eta")[:, column] for b in CELLS], axis=1)
            ax.plot(CELLS, limit, color="black", linewidth=1.0, linestyle=(0, (4, 3)), label="limit")
            ax.axhline(apart, color=GAP, linewidth=1.2, linestyle=(0, (1, 1.5)), label="true calibration error")
            ax.set_title(f"{measure} of {model}", fontsize="medium")
            ax.set_xscale("log", base=2)
            ax.set_xticks(CELLS, [str(b) for b in CELLS])
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
        axes[row, 0].set_ylabel("Bias x 1000")
    for ax in axes[-1]:
        ax.set_xlabel("Cells asked for" if binning == BFSL else "Bins of equal mass")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--folder", type=Path, default=Path("build/interpretability_bias"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--figures", type=Path, help="a folder for the figures")
    parser.add_argument("--quick", action="store_true", help="two runs with a fiftieth of the rows")
    given = parser.parse_args()
    folder, runs, share = (given.folder / "quick", 2, QUICK) if given.quick else (given.folder, given.runs, 1.0)
    records = {
        (name, model): recorded(
            folder, f"{name} {model}", runs, lambda run, p=problem, m=model: run_of(p, m, run, share)
        )
        for name, problem in PROBLEMS.items()
        for model in MODELS
    }
    print(summary(records))
    if given.figures:
        from fitontest.displays.saving import save_figure

        given.figures.mkdir(parents=True, exist_ok=True)
        for number, (problem, binning) in FIGURES.items():
            name = f"interpretability_bias_{number}.svg"
            save_figure(draw(records, problem, binning), given.figures / name)


if __name__ == "__main__":
    main()
