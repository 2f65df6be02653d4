"""The study of Torabian and Urner: four calibrators of a support vector machine, by accuracy and by readability.

Usage: ``python benchmarks/interpretability_study.py FOLDER -o RESULTS [--processes 2] [--minutes 60]``, where FOLDER
holds tables as NPZ files with X, y and classes. Each repetition of a table is a file of RESULTS; a run goes on where
the last one stopped, and `--summary` only prints what is there. Repetitions with another `--cap` are run again where it
makes a difference. Small tables come first. A repetition that fails is named in the end, and the others are run.

The protocol: each repetition splits the rows at random into 40.5 % training, 49.5 % calibration and 10 % test rows. A
support vector machine with a Gaussian kernel is fitted to the training rows. Platt scaling (PS) and isotonic regression
(IR) are fitted to its decision values on the calibration rows, a probability calibration tree (PCT) to them and to the
features, a cost-complexity pruned decision tree (DT) to the features alone. A table's value is the mean over its
repetitions, and a calibrator wins a table if no other one is better.

Where this differs from the paper, or where the paper does not say what it did:

* 24 of the 36 tables are here. Repetitions are drawn with other seeds.
* The machine is scikit-learn's with C = 1 and gamma = "scale" on standardised features; missing values are replaced by
  the median, with a column that says so. The trees see the features as they are: they know missing values. Categories
  are columns of zeros and ones.
* The machine sees at most `--cap` training rows, drawn at random; calibration and test rows are never fewer.
* Of more than two classes there is a machine for each class against the rest, Platt and isotonic maps are fitted to
  each and divided by their sums; RMSE and 0/1 loss are those of the class vector, AUC and the errors means over the
  classes. Rows of a class that has no training row are left out of the calibration of the machine's decision values.
* Ties: the published counts add up to 101 of 36 tables for the RMSE, so that values must have been rounded. The wins
  are counted with values rounded to two digits, and beside them with three digits and unrounded.
* Equal scores stay in one bin, and all count as neighbours if one does. A tree has many equal scores, and the paper
  does not say what it does with them: "ECE cut" sorts the rows and cuts them into 32 parts of equal size, "AUC_V cut"
  takes ten rows and no more, so that equal scores are parted at random.
* bank_full is an older variant of bank_marketing, and counts in no sum.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from time import perf_counter, time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import fitontest as fot
from report import machine_facts, markdown, tell

REPETITIONS = 10
TRAINING, CALIBRATION = 0.405, 0.495
BINS, NEIGHBOURS = 32, 10
CALIBRATORS = ("PS", "IR", "PCT", "DT")
MEASURES = ("RMSE", "0/1", "AUC", "ECE", "ECE cut", "PDE", "AUC_V", "AUC_V cut")
GREATER_IS_BETTER = ("AUC", "AUC_V", "AUC_V cut")
FAILED = "failed:"
NOT_COUNTED = ("bank_full",)
PUBLISHED: dict[str, tuple[int | None, ...]] = {
    "RMSE": (21, 25, 31, 24),
    "0/1": (22, 24, 31, 24),
    "AUC": (27, 28, 32, 19),
    "ECE": (7, 14, 26, 21),
    "PDE": (None, None, 19, 36),
    "AUC_V": (5, 9, 15, 7),
}
PUBLISHED |= {"ECE cut": PUBLISHED["ECE"], "AUC_V cut": PUBLISHED["AUC_V"]}
PUBLISHED_TABLES = 36


class Remembered(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose decision values are computed once for each matrix, for all calibrators."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier
        self.classes_ = classifier.classes_
        self.known_: dict[bytes, np.ndarray] = {}

    def fit(self, X: Any, y: Any) -> "Remembered":  # noqa: ARG002 - as estimators have it
        """Return itself: the classifier is fitted."""
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the decision values."""
        key = X.tobytes()
        if key not in self.known_:
            self.known_[key] = self.classifier.decision_function(X)
        return self.known_[key]


def split(n: int, repetition: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the training, calibration and test rows of a repetition."""
    order = np.random.default_rng(repetition).permutation(n)
    first, second = round(TRAINING * n), round((TRAINING + CALIBRATION) * n)
    return order[:first], order[first:second], order[second:]


def fit_machine(X: np.ndarray, y: np.ndarray) -> Any:
    """Fit the support vector machine, of more than two classes one for each."""
    machine = SVC(C=1.0, gamma="scale", cache_size=500)
    if np.unique(y).size > 2:
        machine = OneVsRestClassifier(machine)
    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler(), machine).fit(X, y)


def calibrated(
    X: np.ndarray, y: np.ndarray, rows: tuple[np.ndarray, ...], cap: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the probabilities of the test rows, with a column for each class, and the cells of the two trees."""
    training, calibration, test = rows
    n_classes = int(y.max()) + 1
    machine = Remembered(fit_machine(X[training[:cap]], y[training[:cap]]))
    known = calibration[np.isin(y[calibration], machine.classes_)]
    families = {"PS": fot.Platt(smoothing=True), "IR": fot.Isotonic(), "PCT": fot.segments.ProbabilityCalibrationTree()}
    found, cells = {}, {}
    for name, family in families.items():
        model = fot.CalibratedClassifier(FrozenEstimator(machine), family, response_method="decision_function")
        model.fit(X[known], y[known])
        found[name] = spread(model.predict_proba(X[test]), model.classes_, n_classes)
        if name == "PCT":
            cells[name] = model.calibrated_classifiers_[0].family_.cells(X[test])
    tree = fot.segments.TreeCalibrator().fit(X[calibration], y[calibration])
    found["DT"] = spread(tree.predict_proba(X[test]), tree.classes_, n_classes)
    cells["DT"] = tree.cells(X[test])
    return found, cells


def spread(P: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the probabilities with a column for every class of the table."""
    full = np.zeros((len(P), n_classes))
    full[:, classes] = P
    return full


def measures(P: np.ndarray, y: np.ndarray, cells: np.ndarray | None) -> dict[str, float]:
    """Return the six measures of the probabilities of test rows."""
    truth = np.eye(P.shape[1])[y]
    columns = [1] if P.shape[1] == 2 else range(P.shape[1])
    mixed = [k for k in columns if 0 < truth[:, k].sum() < len(y)]
    found = {
        "RMSE": float(np.sqrt(((P - truth) ** 2)[:, columns].sum(axis=1).mean())),
        "0/1": float((P.argmax(axis=1) != y).mean()),
        "AUC": float(np.mean([roc_auc_score(truth[:, k], P[:, k]) for k in mixed])) if mixed else np.nan,
        "ECE": mean_error(truth, P, columns, fot.Slope1(min(BINS, len(y)))),
        "ECE cut": float(np.mean([cut_ece(truth[:, k], P[:, k]) for k in columns])),
        "AUC_V": 1.0 - mean_error(truth, P, columns, fot.families.KNN(min(NEIGHBOURS, len(y)))),
        "AUC_V cut": 1.0 - float(np.mean([cut_deviation(truth[:, k], P[:, k]) for k in columns])),
    }
    if cells is not None:
        found["PDE"] = float(np.mean([deviation(truth[:, k], P[:, k], cells) for k in columns]))
    return found


def mean_error(truth: np.ndarray, P: np.ndarray, columns: Any, family: fot.Family) -> float:
    """Return the mean plug-in error of the classes."""
    measure = fot.measures.PlugIn(family)
    return float(np.mean([float(measure.estimate(fot.ScoreSample(truth[:, k], P[:, k]))) for k in columns]))


def cut_ece(truth: np.ndarray, p: np.ndarray) -> float:
    """Return the ECE of bins of equal size, which part equal scores; the order of the rows is random."""
    parts = np.array_split(np.argsort(p, kind="stable"), min(BINS, p.size))
    return float(sum(abs((p[part] - truth[part]).sum()) for part in parts) / p.size)


def cut_deviation(truth: np.ndarray, p: np.ndarray) -> float:
    """Return the mean distance of the scores from the mean label of exactly ten rows with the nearest scores."""
    nearest = NearestNeighbors(n_neighbors=min(NEIGHBOURS, p.size)).fit(p[:, None])
    return float(np.abs(p - truth[nearest.kneighbors(p[:, None], return_distance=False)].mean(axis=1)).mean())


def deviation(truth: np.ndarray, p: np.ndarray, cells: np.ndarray) -> float:
    """Return the probability deviation error: the mean distance of predictions from the mean label of their cell."""
    sizes = np.maximum(np.bincount(cells), 1)
    return float(np.abs(p - (np.bincount(cells, truth) / sizes)[cells]).mean())


def is_done(target: Path, cap: int) -> bool:
    """Return whether a repetition is there, with as many training rows for the machine."""
    if not target.exists():
        return False
    record = json.loads(target.read_text())
    training = split(record["n"], 0)[0].size
    return min(record["cap"], training) == min(cap, training)


def attempt(task: tuple[Path, int], results: Path, cap: int, until: float) -> str | None:
    """Run one repetition; where it fails, return why, so that the others are run all the same."""
    try:
        return run(task, results, cap, until)
    except Exception as error:
        return f"{FAILED} {task[0].stem} {task[1]}: {type(error).__name__}: {error}"


def run(task: tuple[Path, int], results: Path, cap: int, until: float) -> str | None:
    """Compute one repetition of one table, unless it is there or the time is over."""
    path, repetition = task
    target = results / path.stem / f"{repetition}.json"
    if is_done(target, cap) or time() > until:
        return None
    start = perf_counter()
    with np.load(path, allow_pickle=True) as table:
        X, y = table["X"].astype(np.float64), table["y"].astype(np.intp)
    rows = split(len(y), repetition)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # rare classes of small tables
        warnings.simplefilter("ignore", fot.results.SeparableDataWarning)
        warnings.filterwarnings("ignore", message="Label not .* is present in all training examples")
        proba, cells = calibrated(X, y, rows, cap)
    found = {name: measures(P, y[rows[2]], cells.get(name)) for name, P in proba.items()}
    record = {"n": len(y), "features": X.shape[1], "classes": int(y.max()) + 1, "cap": cap, "measures": found}
    record |= {"leaves": {name: int(np.unique(labels).size) for name, labels in cells.items()}}
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(".part")
    draft.write_text(json.dumps(record | {"seconds": round(perf_counter() - start, 1)}))
    draft.rename(target)
    return f"{path.stem} {repetition}"


def tasks(folder: Path) -> list[tuple[Path, int]]:
    """Return tables and repetitions, so that small tables are finished first and large ones have some repetitions."""

    def cost(path: Path) -> float:
        try:
            with np.load(path, allow_pickle=True) as table:
                return float(table["X"].shape[0] * (table["X"].shape[1] + 20) * len(table["classes"]))
        except Exception:
            return np.inf  # its run will say what is wrong

    costs = {path: cost(path) for path in sorted(folder.glob("*.npz"))}
    return sorted(
        ((path, repetition) for path in costs for repetition in range(REPETITIONS)),
        key=lambda task: (costs[task[0]] * (1 + task[1]), task),
    )


def read(results: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the records of each table."""
    folders = sorted(path for path in results.iterdir() if path.is_dir())
    records = {one.name: [json.loads(path.read_text()) for path in sorted(one.glob("*.json"))] for one in folders}
    return {name: found for name, found in records.items() if found}


def means(records: list[dict[str, Any]], measure: str) -> np.ndarray:
    """Return the mean for each calibrator over the repetitions with a value; NaN where there is none."""
    each = values_of(records, measure)
    known = np.isfinite(each)
    return np.divide(
        np.nansum(each, axis=0), known.sum(axis=0), out=np.full(len(CALIBRATORS), np.nan), where=known.any(axis=0)
    )


def values_of(records: list[dict[str, Any]], measure: str) -> np.ndarray:
    """Return the values, a row for each repetition; NaN where the measure has no meaning."""
    each = [[record["measures"][name].get(measure, np.nan) for name in CALIBRATORS] for record in records]
    return np.array(each, dtype=float)


def having(tables: dict[str, list[dict[str, Any]]], measure: str) -> dict[str, list[dict[str, Any]]]:
    """Return the tables on which some calibrator has a value."""
    return {name: found for name, found in tables.items() if np.isfinite(means(found, measure)).any()}


def shown(records: list[dict[str, Any]], measure: str) -> str:
    """Return the means, and of how many repetitions they are where that is fewer than there are."""
    text = " / ".join("-" if np.isnan(value) else f"{value:.3f}" for value in means(records, measure))
    known = int(np.isfinite(values_of(records, measure)).any(axis=1).sum())
    return text if known in (0, len(records)) else f"{text} (of {known})"


def winners(values: np.ndarray, measure: str, digits: int | None) -> np.ndarray:
    """Return which calibrators no other one beats."""
    shown = values if digits is None else np.round(values, digits)
    sign = -1.0 if measure in GREATER_IS_BETTER else 1.0
    return sign * shown == np.nanmin(sign * shown)


def wins(tables: dict[str, list[dict[str, Any]]], digits: int | None) -> dict[str, np.ndarray]:
    """Return by measure on how many tables each calibrator is best."""
    return {
        measure: sum(
            (winners(means(records, measure), measure, digits) for records in having(tables, measure).values()),
            start=np.zeros(len(CALIBRATORS), dtype=int),
        )
        for measure in MEASURES
    }


def count_table(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return the wins beside the published ones, in Markdown."""
    rows = []
    by_digits = [wins(tables, digits) for digits in (2, 3, None)]
    for measure in MEASURES:
        for label, counts in zip(("2 digits", "3 digits", "unrounded"), by_digits, strict=True):
            cells = [
                "-" if theirs is None else str(n) for n, theirs in zip(counts[measure], PUBLISHED[measure], strict=True)
            ]
            rows.append([measure, f"ours, {label}", *cells, str(len(having(tables, measure)))])
        theirs = ["-" if n is None else str(n) for n in PUBLISHED[measure]]
        rows.append([measure, "published", *theirs, str(PUBLISHED_TABLES)])
    return markdown(["measure", "wins", *CALIBRATORS, "tables"], rows)


def value_table(tables: dict[str, list[dict[str, Any]]]) -> str:
    """Return the values of each table, in Markdown: PS / IR / PCT / DT."""
    rows = []
    for name, records in tables.items():
        one = records[0]
        cells = [shown(records, measure) for measure in MEASURES]
        leaves = " / ".join(f"{np.mean([r['leaves'][tree] for r in records]):.0f}" for tree in ("PCT", "DT"))
        rows.append([name, str(one["n"]), str(one["classes"]), str(len(records)), *cells, leaves])
    header = ["table", "rows", "classes", "repetitions", *MEASURES, "cells of PCT / DT"]
    return markdown(header, rows)


def summary(results: Path) -> str:
    """Return all tables in Markdown."""
    tables = read(results)
    counted = {name: records for name, records in tables.items() if name not in NOT_COUNTED}
    binary = {name: records for name, records in counted.items() if records[0]["classes"] == 2}
    caps = sorted({record["cap"] for records in tables.values() for record in records})
    seconds = sum(record["seconds"] for records in tables.values() for record in records)
    parts = [
        machine_facts(),
        f"{seconds:.0f} s in all; at most {' or '.join(f'{cap:,}' for cap in caps)} training rows for the machine",
        f"## Wins, {len(counted)} tables",
        count_table(counted),
    ]
    if binary:
        parts += [f"## Wins, the {len(binary)} tables of two classes", count_table(binary)]
    parts += ["## Values, each PS / IR / PCT / DT", value_table(tables)]
    return "\n\n".join(parts)


def progress(found: Iterator[str | None]) -> None:
    """Say what is done, and in the end what failed."""
    failures = []
    for done in found:
        if done:
            tell(done)
        if done and done.startswith(FAILED):
            failures.append(done)
    tell("")
    for failure in failures:
        print(failure, file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="NPZ files with X, y and classes")
    parser.add_argument("-o", "--results", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60.0, help="no repetition is begun after that")
    parser.add_argument("--cap", type=int, default=3000, help="training rows that the machine sees at most")
    parser.add_argument("--summary", action="store_true", help="compute nothing")
    given = parser.parse_args()
    given.results.mkdir(parents=True, exist_ok=True)
    if not given.summary:
        one = partial(attempt, results=given.results, cap=given.cap, until=time() + 60 * given.minutes)
        if given.processes == 1:
            progress(map(one, tasks(given.folder)))
        else:
            with Pool(given.processes) as pool:
                progress(pool.imap_unordered(one, tasks(given.folder)))
    print(summary(given.results))


if __name__ == "__main__":
    main()
