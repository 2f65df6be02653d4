"""How often the interval of a canonical calibration error holds the error of the predictions.

Usage: ``python benchmarks/canonical_coverage.py [-o canonical.csv] [--classes 3 10] [--cases ...] [--sets 20]
[--n 1000] [--draws 50] [--table]``.

Predictions are drawn from Dirichlet distributions and labels from known truths. Every data set has a seed of its own,
made of its case, number of classes and number. Results are appended to the CSV file, and what is there already is not
computed again. ``--table`` prints, for each measure, number of classes and case: the mean true error, mean error found,
mean debiased error, and the share of 95 % intervals that hold the true error; then the shares over all cases.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.data.redraws import Redraws
from fitontest.data.simplex_sample import CANONICAL
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.chain import DebiasedInterval, Redrawn
from fitontest.uncertainty.dependence import redraws_of
from fitontest.uncertainty.goodness_of_fit import fit_at_points
from fitontest.uncertainty.intervals import widen
from report import markdown, tell

SEED = 19_2026
FIELDS = ("case", "classes", "n", "number", "measure", "truth", "value", "debiased", "low", "high")


def powered(p: np.ndarray, power: float) -> np.ndarray:
    q = p**power
    return q / q.sum(axis=1, keepdims=True)


def calibrated(p: np.ndarray) -> np.ndarray:
    return p


def overconfident(p: np.ndarray) -> np.ndarray:
    return powered(p, 0.7)


def shifted(p: np.ndarray) -> np.ndarray:
    """Biases between the classes: label shift."""
    q = p * np.exp(np.linspace(-0.4, 0.4, p.shape[1]))
    return q / q.sum(axis=1, keepdims=True)


def confused(p: np.ndarray) -> np.ndarray:
    """Take a tenth of each class for the next one, which no map of the family vector can follow."""
    return 0.9 * p + 0.1 * np.roll(p, 1, axis=1)


def undecided(p: np.ndarray) -> np.ndarray:
    """Halve the difference between the first two classes, which no map of the family vector can follow either."""
    c = p.copy()
    c[:, :2] = 0.75 * p[:, :2] + 0.25 * p[:, 1::-1]
    return c


CASES = {one.__name__: one for one in (calibrated, overconfident, shifted, confused, undecided)}
MEASURES: dict[str, fot.Measure] = {
    "vector": fot.measures.PlugIn("vector"),
    "median_variance": fot.measures.make("simplex_ece"),
}


def drawn(case: str, n_classes: int, n: int, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, predictions and true probabilities."""
    rng = np.random.default_rng([SEED, crc32(case.encode()), n_classes, n, number])
    p = rng.dirichlet(np.full(n_classes, 2.0 / n_classes + 0.2), n)
    p = (p + 1e-4) / (1 + n_classes * 1e-4)
    c = CASES[case](p)
    y = (np.cumsum(c, axis=1) < rng.random(n)[:, None]).sum(axis=1)
    return np.minimum(y, n_classes - 1), p, c


def inverted(measure: fot.Measure, redraws: Redraws, seed: int, draws: int) -> DebiasedInterval | None:
    """Return the debiased error and its interval, whether or not the package gives one of this measure."""
    redrawn, g = Redrawn(measure, redraws, seed), redraws.moved(fit_at_points("vector", redraws))
    own = redrawn.chain(g, draws, 0.95)
    return None if own is None else widen(own, redrawn, g, None, draws, 0.95)[0]


def measured(case: str, n_classes: int, n: int, number: int, draws: int) -> list[dict[str, object]]:
    """Return a record for each measure of one data set."""
    y, p, c = drawn(case, n_classes, n, number)
    data = fot.read(y, p, reduction=CANONICAL, labels=list(range(n_classes)))
    records: list[dict[str, object]] = []
    redraws = redraws_of(data)
    for name, measure in MEASURES.items():
        with without_warnings(), one_blas_thread():
            value, found = measure.estimate(data).value, inverted(measure, redraws, number, draws)
        facts = {"case": case, "classes": n_classes, "n": n, "number": number, "measure": name}
        ends = {"debiased": "", "low": "", "high": ""}
        if found is not None:
            ends = {"debiased": found.value, "low": found.low, "high": found.high}
        records.append({**facts, "truth": measure.target(data, c), "value": value, **ends})
    return records


def table(rows: list[dict[str, str]]) -> str:
    """Return the means of each cell, and the coverage over all cases."""
    cells: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        key = (row["measure"], row["classes"], row["n"])
        cells[*key, row["case"]].append(row)
        cells[*key, "all"].append(row)
    header = ["measure", "K", "n", "case", "sets", "true", "found", "debiased", "coverage", "low > true", "width"]
    body = []
    for key, found in sorted(cells.items()):
        known = [row for row in found if row["low"] != ""]
        t, v, d, low, high = (
            np.array([float(row[name]) for row in known]) for name in ("truth", "value", "debiased", "low", "high")
        )
        numbers = [
            t.mean(),
            v.mean(),
            d.mean(),
            ((low <= t) & (t <= high)).mean(),
            (low > t).mean(),
            (high - low).mean(),
        ]
        body.append([*key, str(len(known)), *(f"{number:.3f}" for number in numbers)])
    return markdown(header, body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("canonical.csv"))
    parser.add_argument("--classes", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    known: list[dict[str, str]] = []
    if options.output.exists():
        with options.output.open(newline="") as file:
            known = list(csv.DictReader(file))
    if options.table:
        print(table(known))
        return
    done = {(row["case"], row["classes"], row["n"], row["number"]) for row in known}
    with options.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not known:
            writer.writeheader()
        for number in range(options.sets):
            for n_classes in options.classes:
                for case in options.cases:
                    if (case, str(n_classes), str(options.n), str(number)) not in done:
                        writer.writerows(measured(case, n_classes, options.n, number, options.draws))
                        file.flush()
                        tell(f"{case}, {n_classes} classes, set {number}")


if __name__ == "__main__":
    main()
