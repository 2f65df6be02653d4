"""What the notes on columns in a wrong order and on repeated rows miss, raise falsely, and cost.

Usage: ``python benchmarks/matched_inputs.py [--part columns] [--part rows] [--part cost] [--draws 200] [--tables
FOLDER]``, where FOLDER holds tables as NPZ files with X and y.

Columns: shares of draws in which another order of the columns is said to be far more accurate. "calibrated" are
softmaxes of normal numbers, of a mean largest score as named, with labels drawn from them; "random" has scores that
know nothing of the labels; "turned" are the calibrated ones with each column moved on by one.

Rows: shares of draws in which rows are said to be repeated. "join" repeats each of n / copies calibrated scores; the
others are independent rows whose scores are rounded, or are few.

Tables: eight classifiers and their isotonic recalibration are trained on one half of the rows of each table, at most
8,000 drawn at random, and judged on the other, for its own classes and for its largest class against the rest: how
often the two notes are given, and how often with the columns moved on by one, or with the rows repeated three times.

Cost: the CPU time of each check at a million rows, as a share of that of a `calibration_error` call; the least of 3.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.data.column_permutation import find_better_order, warn_of_permutation
from fitontest.data.repeated_rows import Repeats
from report import machine_facts, markdown

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
MOST_ROWS, LEAST_ROWS = 8_000, 20
PARTS = ("columns", "rows", "cost")


@cache
def sharpness(n_classes: int, accuracy: float) -> float:
    """Return the factor of normal logits at which the mean largest probability is the accuracy."""
    z = np.random.default_rng(0).standard_normal((4000, n_classes))
    low, high = 0.0, 60.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if softmax(z * middle).max(axis=1).mean() < accuracy else (low, middle)
    return low


def softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def calibrated(n: int, n_classes: int, accuracy: float, rng: np.random.Generator) -> tuple[Codes, Array]:
    P = softmax(rng.standard_normal((n, n_classes)) * sharpness(n_classes, accuracy))
    return (rng.random(n)[:, None] > P.cumsum(axis=1)[:, :-1]).sum(axis=1), P


def is_turned(y: Codes, P: Array) -> bool:
    K = P.shape[1]
    counts = np.bincount(y * K + P.argmax(axis=1), minlength=K * K).reshape(K, K)
    return find_better_order(counts) is not None


def columns(draws: int) -> None:
    rng, rows = np.random.default_rng(0), []
    for n_classes in (2, 3, 5, 10, 30, 100):
        for n in (20, 50, 100, 1000, 10_000):
            row = [str(n_classes), f"{n:,}"]
            times = draws if n * n_classes <= 100_000 else max(draws // 10, 10)
            found = [is_turned(rng.integers(0, n_classes, n), rng.random((n, n_classes))) for _ in range(times)]
            row.append(f"{np.mean(found):.3f}")
            for turned in (0, 1):
                for accuracy in (0.2, 0.4, 0.6, 0.9):
                    if accuracy < 1.0 / n_classes + 0.02:
                        row.append("-")
                        continue
                    found = []
                    for _ in range(times):
                        y, P = calibrated(n, n_classes, accuracy, rng)
                        found.append(is_turned(y, np.roll(P, turned, axis=1)))
                    row.append(f"{np.mean(found):.3f}")
            rows.append(row)
    accuracies = (0.2, 0.4, 0.6, 0.9)
    header = ["classes", "n", "random", *(f"calibrated {a}" for a in accuracies), *(f"turned {a}" for a in accuracies)]
    print("\n## Another order of the columns\n")
    print(markdown(header, rows))


SINGLY: dict[str, Callable[[Array], Array]] = {
    "2 digits": lambda p: p.round(2),
    "3 digits": lambda p: p.round(3),
    "6 digits": lambda p: p.round(6),
    "float16": lambda p: p.astype(np.float16).astype(np.float64),
    "float32": lambda p: p.astype(np.float32).astype(np.float64),
    "k / 7": lambda p: np.rint(p * 7) / 7,
    "k / 299": lambda p: np.rint(p * 299) / 299,
    "logits of 2 digits": lambda p: 1 / (1 + np.exp(-np.round(np.log(p / (1 - p)), 2))),
    "60 levels, error .1": lambda p: np.sort(np.random.default_rng(1).random(60))[(p * 60).astype(int)],
}


def rows(draws: int) -> None:
    rng, table = np.random.default_rng(0), []

    def rate(draw: Callable[[], tuple[Codes, Array]], n: int) -> str:
        times = draws if n <= 1000 else max(draws // 10, 10)
        return f"{np.mean([Repeats.of(fot.ScoreSample(*draw())).are_copies for _ in range(times)]):.3f}"

    def join(n: int, copies: int, a: float, b: float) -> tuple[Codes, Array]:
        p = rng.beta(a, b, n // copies)
        return np.repeat(rng.random(p.size) < p, copies).astype(int), np.repeat(p, copies)

    def single(n: int, made: Callable[[Array], Array]) -> tuple[Codes, Array]:
        p = rng.random(n)
        return (rng.random(n) < p).astype(int), made(p)

    sizes = (200, 1000, 100_000)
    for a, b in ((1.0, 1.0), (0.5, 0.5), (1.0, 9.0), (0.2, 0.2)):
        for copies in (2, 5):
            found = [rate(lambda n=n: join(n, copies, a, b), n) for n in sizes]  # noqa: B023 - called at once
            table.append([f"join, {copies} copies, Beta({a:g}, {b:g})", *found])
    for name, made in SINGLY.items():
        table.append([name, *(rate(lambda n=n: single(n, made), n) for n in sizes)])  # noqa: B023
    print("\n## Repeated rows\n")
    print(markdown(["scores", *(f"n = {n:,}" for n in sizes)], table))


def models() -> dict[str, object]:
    def after(*steps: object) -> object:
        return make_pipeline(SimpleImputer(strategy="median"), *steps)

    return {
        "LR": after(StandardScaler(), LogisticRegression(max_iter=200)),
        "NB": after(GaussianNB()),
        "tree": after(DecisionTreeClassifier(min_samples_leaf=7, random_state=0)),
        "deep tree": after(DecisionTreeClassifier(random_state=0)),
        "RF": after(RandomForestClassifier(50, random_state=0)),
        "kNN": after(StandardScaler(), KNeighborsClassifier(7)),
        "kNN by distance": after(StandardScaler(), KNeighborsClassifier(7, weights="distance")),
        "GB": HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=15, random_state=0),
    }


def scored(path: Path) -> Iterator[tuple[str, Codes, Array]]:
    """Yield the name of a model, labels and scores of rows that it was not trained on."""
    with np.load(path) as found:
        x, several = found["X"].astype(np.float64), np.unique(found["y"], return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(several.size)[:MOST_ROWS]
    train, test = np.split(order, [order.size // 2])
    largest = np.bincount(several).argmax()
    for part, y in {"": several, " one class": (several == largest).astype(np.int64)}.items():
        if part and several.max() == 1:
            continue
        for name, model in models().items():
            for recalibrated in (False, True):
                if recalibrated and np.bincount(y[train]).min() < 3:
                    continue
                fitted = (CalibratedClassifierCV(model, method="isotonic", cv=3) if recalibrated else model).fit(
                    x[train], y[train]
                )
                known = test[np.isin(y[test], fitted.classes_)]
                codes = np.searchsorted(fitted.classes_, y[known])
                yield f"{name}{' isotonic' if recalibrated else ''}{part}", codes, fitted.predict_proba(x[known])


def confidence(y: Codes, P: Array) -> fot.ScoreSample:
    if P.shape[1] == 2:
        return fot.ScoreSample(y, np.clip(P[:, 1], 0, 1))
    return fot.ScoreSample(P.argmax(axis=1) == y, np.clip(P.max(axis=1), 0, 1))


def of_tables(folder: Path) -> None:
    table, total = [], np.zeros(5, dtype=int)
    for path in sorted(folder.glob("*.npz")):
        counts, named = np.zeros(5, dtype=int), []
        for name, y, P in scored(path):
            if y.size < LEAST_ROWS:
                continue
            copies = np.repeat(np.arange(y.size), 3)
            notes = (
                is_turned(y, P),
                Repeats.of(confidence(y, P)).are_copies,
                is_turned(y, np.roll(P, 1, axis=1)),
                Repeats.of(confidence(y[copies], P[copies])).are_copies,
            )
            counts += np.array([1, *notes])
            named += [name] if notes[0] or notes[1] else []
        table.append([path.stem, *map(str, counts), ", ".join(named)])
        total += counts
        print(path.stem, *counts, ", ".join(named), flush=True)
    table.append(["all", *map(str, total), ""])
    print("\n## Real tables\n")
    header = ["table", "score sets", "note: columns", "note: rows", "turned: columns", "three copies: rows", "which"]
    print(markdown(header, table))


def least_time(call: Callable[[], object], times: int = 3) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def cost(n: int = 1_000_000) -> None:
    rng, table = np.random.default_rng(0), []
    for n_classes in (3, 10):
        y, P = calibrated(n, n_classes, 0.7, rng)
        top, classes = P.argmax(axis=1), list(range(n_classes))
        call = least_time(lambda: fot.calibration_error(y, P, reduction="confidence"))  # noqa: B023 - called at once
        for name, predicted in (("columns", top), ("columns, turned", (top + 1) % n_classes)):
            check = least_time(lambda: warn_of_permutation(y, predicted, classes, "y_prob", "labels"))  # noqa: B023
            table.append([f"{name}, {n_classes} classes", check, call])
    p = rng.random(n)
    for name, scores in (("rows, distinct", p), ("rows, each twice", np.repeat(p[: n // 2], 2))):
        y = (rng.random(n) < scores).astype(int)
        call = least_time(lambda: fot.calibration_error(y, scores))  # noqa: B023
        sample = fot.ScoreSample(y, scores)
        assert sample.distinct  # which the call has too
        table.append([name, least_time(lambda: Repeats.of(sample)), call])  # noqa: B023
    print(f"\n## CPU time at {n:,} rows\n")
    shown = [[name, f"{1e3 * a:.1f}", f"{1e3 * b:.0f}", f"{100 * a / b:.1f} %"] for name, a, b in table]
    print(markdown(["check", "ms", "calibration_error (ms)", "share"], shown))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="by default all, and the tables of a folder")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--tables", type=Path, help="folder of NPZ files with X and y")
    given = parser.parse_args()
    chosen = given.part or ([] if given.tables else PARTS)
    print(machine_facts())
    warnings.simplefilter("ignore")
    if "columns" in chosen:
        columns(given.draws)
    if "rows" in chosen:
        rows(given.draws)
    if "cost" in chosen:
        cost()
    if given.tables is not None:
        if not any(given.tables.glob("*.npz")):
            parser.error(f"no npz file in {given.tables}")
        of_tables(given.tables)


if __name__ == "__main__":
    main()
