"""What the size of a decision tree does to its PDE and to its 0/1 loss, on real tables and where the truth is known.

Usage: ``python benchmarks/tree_size.py [TABLES] [-o FOLDER] [--runs 10] [--figures PICTURES] [--quick]``, with TABLES a
folder of files *.npz that hold X, y and classes, such as ``../shared/data/sets``. Without it, or where it is absent,
the two synthetic problems are left.

Figure 11 of Torabian and Urner (appendix D). A run halves the rows of a table at random: trees of each size are fitted
to the one half, and judged on the other by their PDE (of the L1 norm, in their leaves) and by their 0/1 loss. Beside
them stand a tree that is pruned by cost and complexity, its factor chosen by five folds, and its twin: a tree grown to
as many leaves. Records go to FOLDER (build/tree_size), a line for each halving: what was stopped goes on where it was.

On the two synthetic problems of `interpretability_bias.py` (50,000 rows) the truth is known: the true calibration error
of the leaves, E|f(x) - E[eta | leaf of x]|, and the distance from the regression function eta, E|f(x) - eta(x)|. Both
are means over a million fresh rows.

Where the paper does not say what it did:

* The sizes: 2, 3, 4, 6, 8, ... leaves, from 64 on doubled, until the tree has no more, and at most 4,096. Trees grow
  best first by the Gini impurity (``max_leaf_nodes`` of scikit-learn), so that a size is reached exactly.
* Repetitions: 10 halvings, with standard errors over them.
* Of more than two classes the PDE is the mean over the classes, each against the rest.
* What "superior" and "weaker" of the pruned tree mean: here it is the difference from its twin, in pairs of one run;
  more than two standard errors make a difference. "Both" is worse or better in one measure and not the reverse in the
  other.
* 23 of the 36 real tables are here; bank_full, an older variant of bank_marketing, is shown and counts in no sum.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from fitontest.truth import true_error
from interpretability_study import NOT_COUNTED, deviation, spread
from regression_functions import PROBLEMS, Problem
from report import machine_facts, markdown, number
from run_records import recorded

LEAVES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024, 2048, 4096)
ROWS, FRESH = 50_000, 1_000_000
JUDGED = ("PDE", "0/1")
TRUE = ("CE", "distance from eta")
PUBLISHED = {"pruned is worse": 11, "pruned is better": 9, "no difference": 18}
SHOWN = ("complex", "vote", "spambase", "taiwan_credit", "bank_marketing", "tic_tac_toe")
QUICK_TABLES = 2

Table = tuple[np.ndarray, np.ndarray]
Record = dict[str, Any]


def halves(n: int, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that trees are fitted to, and those that they are judged on."""
    order = np.random.default_rng(run).permutation(n)
    return order[: n // 2], order[n // 2 :]


def judged(P: np.ndarray, y: np.ndarray, leaf: np.ndarray) -> Record:
    """Return PDE and 0/1 loss of the probabilities of rows, and the number of their leaves."""
    truth = np.eye(P.shape[1])[y]
    columns = [1] if P.shape[1] == 2 else range(P.shape[1])
    pde = float(np.mean([deviation(truth[:, k], P[:, k], leaf) for k in columns]))
    return {"PDE": pde, "0/1": float((P.argmax(axis=1) != y).mean())}


def true_values(p: np.ndarray, eta: np.ndarray, leaf: np.ndarray) -> Record:
    """Return the calibration error of leaves, and the mean distance from the regression function."""
    return dict(zip(TRUE, (deviation(eta, p, leaf), true_error(p, eta)), strict=True))


class Judge:
    """The rows that the trees of one run are judged on, and fresh rows where the regression function is known."""

    def __init__(self, test: Table, fresh: Table | None, n_classes: int) -> None:
        self.test, self.fresh, self.n_classes = test, fresh, n_classes

    def of_tree(self, tree: DecisionTreeClassifier) -> Record:
        """Return what is measured of a tree of scikit-learn."""
        return self._of(tree, tree.apply, int(tree.get_n_leaves()))

    def of_pruned(self, tree: fot.segments.TreeCalibrator) -> Record:
        """Return what is measured of a pruned tree."""
        return self._of(tree, tree.cells, tree.n_leaves_)

    def _of(self, tree: Any, leaf_of: Any, leaves: int) -> Record:
        X, y = self.test
        P = spread(tree.predict_proba(X), tree.classes_, self.n_classes)
        found = {"leaves": leaves, **judged(P, y, leaf_of(X))}
        if self.fresh is not None:
            X, eta = self.fresh
            found |= true_values(tree.predict_proba(X)[:, 1], eta, leaf_of(X))
        return found


def fit_size(X: np.ndarray, y: np.ndarray, leaves: int) -> DecisionTreeClassifier:
    """Grow a tree to a number of leaves, best splits first; a tree of one leaf is a root that does not split."""
    limit = {"max_leaf_nodes": leaves} if leaves > 1 else {"min_samples_split": len(y) + 1}
    return DecisionTreeClassifier(random_state=0, **limit).fit(X, y)


def measured(train: Table, judge: Judge) -> Record:
    """Return what is measured of trees of all sizes, of the pruned tree, and of its twin."""
    start = process_time()
    sizes: dict[str, Record] = {}
    for leaves in LEAVES:
        found = judge.of_tree(fit_size(*train, leaves))
        if found["leaves"] < leaves:
            break
        sizes[str(leaves)] = found
    with without_warnings():
        pruned = fot.segments.TreeCalibrator().fit(*train)
    record = {
        "sizes": sizes,
        "pruned": judge.of_pruned(pruned),
        "twin": judge.of_tree(fit_size(*train, pruned.n_leaves_)),
    }
    return {**record, "seconds": round(process_time() - start, 2)}


def run_of_table(path: Path, run: int) -> Record:
    """Return the record of one halving of a table."""
    with np.load(path, allow_pickle=True) as table:
        X, y = table["X"].astype(np.float32), table["y"].astype(np.intp)
    train, test = halves(len(y), run)
    record = measured((X[train], y[train]), Judge((X[test], y[test]), None, int(y.max()) + 1))
    return {"n": len(y), "classes": int(y.max()) + 1, **record}


def run_of_problem(problem: Problem, run: int, rows: int, fresh: int) -> Record:
    """Return the record of rows drawn anew, half of them for the trees, with the truth from fresh rows."""
    rng = np.random.default_rng([run, problem.features])
    X, y, _ = problem.draw(rows, rng)
    new, _, eta = problem.draw(fresh, rng)
    X, new = X.astype(np.float32), new.astype(np.float32)
    train, test = slice(rows // 2), slice(rows // 2, None)
    record = measured((X[train], y[train]), Judge((X[test], y[test]), (new, eta), 2))
    return {"n": rows, "classes": 2, **record}


def sizes_of(records: list[Record]) -> list[int]:
    """Return the sizes that the trees of all runs reach."""
    return [leaves for leaves in LEAVES if all(str(leaves) in record["sizes"] for record in records)]


def values_of(records: list[Record], measure: str) -> np.ndarray:
    """Return a measure, a row for each run and a column for each size."""
    return np.array([[record["sizes"][str(leaves)][measure] for leaves in sizes_of(records)] for record in records])


def means_of(records: list[Record], kind: str, measure: str) -> np.ndarray:
    """Return a measure of the pruned trees, or of their twins, by run."""
    return np.array([record[kind][measure] for record in records])


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over the runs."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def direction(values: np.ndarray) -> int:
    """Return 1 or -1 where paired differences are above or below 0 by more than two standard errors, else 0."""
    mean, error = values.mean(), float(standard_error(values))
    return int(np.sign(mean)) if abs(mean) > 2.0 * error + 1e-12 else 0


def steps(values: np.ndarray) -> list[int]:
    """Return whether a measure rises or falls from each size to the next."""
    return [direction(step) for step in np.diff(values, axis=1).T]


def size_row(name: str, records: list[Record]) -> list[str]:
    """Return what becomes of PDE and 0/1 loss from the smallest tree to the largest, and where the loss is smallest."""
    pde, loss = values_of(records, "PDE"), values_of(records, "0/1")
    sizes = sizes_of(records)
    best = int(loss.mean(axis=0).argmin())
    places = [0, best, -1]
    of_pde, of_loss = (" / ".join(f"{values.mean(axis=0)[k]:.3f}" for k in places) for values in (pde, loss))
    ends = f"{standard_error(pde)[-1]:.3f}, {standard_error(loss)[-1]:.3f}"
    changes = steps(pde)
    shape = f"{changes.count(1)} / {changes.count(0)} / {changes.count(-1)}"
    return [name, f"{records[0]['n']:,}", f"2 / {sizes[best]:,} / {sizes[-1]:,}", of_pde, of_loss, ends, shape]


def size_table(records: dict[str, list[Record]]) -> str:
    """Return each table at 2 leaves, at the size of the smallest 0/1 loss, and at the largest, in Markdown."""
    header = ["table", "rows", "leaves", "PDE", "0/1 loss", "± of the last", "PDE rises / stays / falls"]
    return markdown(header, [size_row(name, found) for name, found in records.items()])


def pruned_row(name: str, records: list[Record]) -> list[str]:
    """Return the pruned tree beside its twin, and the mean differences with their standard errors."""
    leaves = means_of(records, "pruned", "leaves")
    cells = []
    for measure in JUDGED:
        pruned, twin = (means_of(records, kind, measure) for kind in ("pruned", "twin"))
        apart = pruned - twin
        cells.append(f"{pruned.mean():.3f} / {twin.mean():.3f}")
        cells.append(f"{1e3 * apart.mean():+.1f} ± {1e3 * float(standard_error(apart)):.1f}")
    return [name, f"{leaves.mean():.0f}", *cells]


def pruned_table(records: dict[str, list[Record]]) -> str:
    """Return the pruned tree beside its twin on each table, in Markdown."""
    header = ["table", "leaves", "PDE", "difference x 1000", "0/1 loss", "difference x 1000"]
    return markdown(header, [pruned_row(name, found) for name, found in records.items()])


def outcome(records: list[Record], measure: str) -> int:
    """Return 1 where the pruned tree is worse than its twin, -1 where it is better, and 0 where neither shows."""
    return direction(means_of(records, "pruned", measure) - means_of(records, "twin", measure))


def overall(records: list[Record]) -> int:
    """Return 1, -1 or 0 by both measures: better or worse in one, and not the reverse in the other."""
    return int(np.sign(sum(outcome(records, measure) for measure in JUDGED)))


def count_table(records: dict[str, list[Record]]) -> str:
    """Return on how many tables the pruned tree is worse or better than its twin, beside the published counts."""
    rows = []
    for label, of in (
        *((measure, lambda found, m=measure: outcome(found, m)) for measure in JUDGED),
        ("both", overall),
    ):
        found = [of(one) for one in records.values()]
        rows.append([label, *(str(found.count(k)) for k in (1, -1, 0)), str(len(found))])
    rows.append(["published", *(str(count) for count in PUBLISHED.values()), str(sum(PUBLISHED.values()))])
    return markdown(["by", *PUBLISHED, "tables"], rows)


def shape_lines(records: dict[str, list[Record]]) -> str:
    """Return on how many tables what the paper says of the sizes is so."""
    tables = len(records)
    pde = {name: steps(values_of(found, "PDE")) for name, found in records.items()}
    never = sum(-1 not in changes for changes in pde.values())
    ends = [values_of(found, "PDE")[:, [0, -1]] for found in records.values()]
    rises = sum(direction(values[:, 1] - values[:, 0]) > 0 for values in ends)
    falls_first, turns = 0, 0
    for found in records.values():
        loss = values_of(found, "0/1")
        best = int(loss.mean(axis=0).argmin())
        falls_first += direction(loss[:, best] - loss[:, 0]) < 0
        turns += direction(loss[:, -1] - loss[:, best]) > 0
    return "\n".join(
        (
            f"* PDE of the largest tree above that of two leaves: {rises} of {tables} tables.",
            f"* PDE falls at no step from one size to the next: {never} of {tables} tables.",
            f"* 0/1 loss falls below that of two leaves: {falls_first} of {tables} tables.",
            f"* 0/1 loss of the largest tree above the smallest one: {turns} of {tables} tables.",
        )
    )


def truth_table(records: list[Record]) -> str:
    """Return PDE beside the true errors for each size, times 1000, in Markdown."""
    columns = [1e3 * values_of(records, measure) for measure in ("PDE", *TRUE, "0/1")]
    rows = [
        [str(leaves), *(f"{c[:, k].mean():.1f} ± {standard_error(c)[k]:.1f}" for c in columns)]
        for k, leaves in enumerate(sizes_of(records))
    ]
    return markdown(["leaves", "PDE of test rows", "true CE", TRUE[1], "0/1 loss of test rows"], rows)


def summary(records: dict[str, list[Record]]) -> str:
    """Return all tables in Markdown."""
    seconds = sum(record["seconds"] for found in records.values() for record in found)
    counted = {name: found for name, found in records.items() if name not in NOT_COUNTED}
    runs = len(next(iter(records.values())))
    parts = [machine_facts(), f"{number(seconds)} s of CPU time in one process; {runs} halvings of each table"]
    parts += ["## What the paper says of the sizes", shape_lines(counted)]
    parts += ["## 2 leaves / smallest mean 0/1 loss / the largest tree", size_table(records)]
    parts += ["## The pruned tree against a tree of as many leaves", count_table(counted), pruned_table(records)]
    for name in PROBLEMS:
        parts += [f"## {name}: the truth, x 1000", truth_table(records[name])]
    return "\n\n".join(parts)


def draw(records: dict[str, list[Record]]) -> Any:
    """Return a figure as published: PDE and 0/1 loss against the number of leaves, a panel for each table."""
    from matplotlib.figure import Figure

    from fitontest.displays.palette import SERIES

    names = [name for name in SHOWN if name in records]
    columns = min(3, len(names))
    figure = Figure(figsize=(9.0, 2.9 * -(-len(names) // columns) + 0.4), layout="constrained")
    axes = figure.subplots(-(-len(names) // columns), columns, squeeze=False).ravel()
    for ax in axes[len(names) :]:
        ax.set_axis_off()
    for ax, name in zip(axes, names, strict=False):
        found = records[name]
        sizes = sizes_of(found)
        for k, measure in enumerate((*JUDGED, *(TRUE[:1] if name in PROBLEMS else ()))):
            values = values_of(found, measure)
            color = SERIES[k % len(SERIES)]
            label = {"CE": "true calibration error", "0/1": "0/1 loss"}.get(measure, measure)
            line = {"color": color, "linewidth": 1.4}
            ax.errorbar(
                sizes, values.mean(axis=0), standard_error(values), marker="o", markersize=3, capsize=2, label=label,
                **line,
            )  # fmt: skip
            at = np.mean([record["pruned"]["leaves"] for record in found])
            star = ax.plot(at, means_of(found, "pruned", measure).mean(), "*", color=color, markersize=12, zorder=4)
            star[0].set(markeredgecolor="black", markeredgewidth=0.6)
        ax.set_xscale("log", base=2)
        ax.set_xticks(sizes[:: 1 + len(sizes) // 6], [str(leaves) for leaves in sizes[:: 1 + len(sizes) // 6]])
        ax.set_ylim(bottom=0.0)
        ax.set_title(f"{name}, {found[0]['n']:,} rows", fontsize="medium")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    for ax in axes[max(len(names) - columns, 0) : len(names)]:
        ax.set_xlabel("Leaves (star: the pruned tree)")
    handles = dict(
        reversed(pair) for ax in axes[: len(names)] for pair in zip(*ax.get_legend_handles_labels(), strict=True)
    )
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def table_files(folder: Path | None, quick: bool) -> list[Path]:
    """Return the files of the tables, small ones first; none, with a message, where the folder is absent."""
    if folder is None or not folder.is_dir():
        print(f"no folder of tables{f' at {folder}' if folder else ''}: the synthetic problems alone\n")
        return []
    files = sorted(folder.glob("*.npz"), key=lambda path: (path.stat().st_size, path.name))
    return files[:QUICK_TABLES] if quick else files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path, nargs="?", help="a folder of NPZ files with X, y and classes")
    parser.add_argument("-o", "--folder", type=Path, default=Path("build/tree_size"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--figures", type=Path, help="a folder for the figure")
    parser.add_argument("--quick", action="store_true", help="two runs, fewer rows and tables")
    given = parser.parse_args()
    folder, runs, share = (given.folder / "quick", 2, 50) if given.quick else (given.folder, given.runs, 1)
    records = {
        name: recorded(folder, name, runs, lambda run, p=problem: run_of_problem(p, run, ROWS // share, FRESH // share))
        for name, problem in PROBLEMS.items()
    }
    for path in table_files(given.tables, given.quick):
        records[path.stem] = recorded(folder, path.stem, runs, lambda run, p=path: run_of_table(p, run))
    print(summary(records))
    if given.figures:
        from fitontest.displays.saving import save_figure

        given.figures.mkdir(parents=True, exist_ok=True)
        save_figure(draw(records), given.figures / "tree_size.svg")


if __name__ == "__main__":
    main()
