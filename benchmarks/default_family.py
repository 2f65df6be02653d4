"""Which family should be the default of `calibration_error`: how far raw and debiased errors are from the true one.

Usage: ``python benchmarks/default_family.py [FOLDER] [--n 1000 3000] [--draws 20] [--first-seed 5000]
[--processes 2]``.

Simulated scores: the five shapes of the fit-on-test paper at true errors of 0, .02, .05 and .1, with seeds that no
choice was made with. Real scores, where FOLDER holds files *.npz as for `calibrator_choice.py`: n rows are drawn from
the test scores of every pair of a data set and a model, and labels from a truth that is known, the isotonic map of that
pair's own test rows (which no candidate but isotonic favours). The true error is that of the scores drawn.

For each candidate, raw and debiased: mean |error - true error| in thousandths, and how much more that is than for the
raw error of slope1, paired by cell, with its standard error over the cells; that of calibrated scores; the largest of a
cell; the standard deviation between draws of one cell, averaged; how often cross-validation chose a single bin; and the
time of one evaluation.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np

import fitontest as fot
from fitontest.datasets import SHAPES, Derivate
from fitontest.results.exceptions import without_warnings
from real_predictions import problems_of
from report import machine_facts, markdown, tell

ERRORS = (0.0, 0.02, 0.05, 0.1)
CANDIDATES = {
    "slope1": fot.Slope1(),
    "slope1, 15 bins": fot.Slope1(15),
    "isotonic": fot.Isotonic(),
    "beta": fot.Beta(),
    "platt": fot.Platt(),
    "spline": fot.Spline(),
}
Cell = tuple[str, str, int]


def simulated(n: int, draws: range) -> Iterator[tuple[Cell, np.ndarray, np.ndarray, np.ndarray]]:
    for k, shape in enumerate(SHAPES):
        for error in ERRORS:
            problem = Derivate(shape, error)
            for seed in draws:
                y, p, c = problem.draw(n, np.random.default_rng([seed, k, int(1000 * error), n]))
                yield ("simulated", f"{shape} {error:g}", n), y, p, c


def real(path: Path, n: int, draws: range) -> Iterator[tuple[Cell, np.ndarray, np.ndarray, np.ndarray]]:
    for k, problem in enumerate(problems_of(path)):
        sample = problem.test
        truth = fot.Isotonic().fit_sample(sample).map_
        for seed in draws:
            rng = np.random.default_rng([seed, k, n])
            p = rng.choice(sample.p, n)
            c = truth.evaluate(p)
            yield ("real", f"{problem.data} {problem.model}", n), (rng.random(n) < c).astype(int), p, c


def measured(make: partial) -> list[tuple[Cell, str, float, float, float, float, bool, float]]:
    """Return for every data set and candidate: true error, raw, debiased, seconds, one bin, seconds with interval."""
    rows = []
    for cell, y, p, c in make():
        if len(set(y.tolist())) < 2:
            continue
        true = float(np.mean(np.abs(c - p)))
        for name, family in CANDIDATES.items():
            with without_warnings():
                start = process_time()
                raw = fot.calibration_error(y, p, family=family)
                between = process_time()
                error = fot.calibration_error(y, p, family=family, interval="always", null_draws=1)
            seconds = between - start, process_time() - between
            debiased = raw.value if error.debiased is None else error.debiased
            rows.append((cell, name, true, raw.value, debiased, seconds[0], raw.n_bins == 1, seconds[1]))
    return rows


def table_of(rows: list[tuple], source: str, n: int) -> str:
    """Return the table of one source of scores."""
    found: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    ones, seconds = defaultdict(list), defaultdict(list)
    for cell, name, true, raw, debiased, time, one, long_time in rows:
        if cell[0] == source and cell[2] == n:
            found[name, "raw"][cell[1]].append((raw, true))
            found[name, "debiased"][cell[1]].append((debiased, true))
            ones[name].append(one)
            seconds[name, "raw"].append(time)
            seconds[name, "debiased"].append(long_time)
    first = {cell: np.mean([abs(a - b) for a, b in each]) for cell, each in found["slope1", "raw"].items()}
    lines = []
    for (name, kind), cells in found.items():
        misses = np.array([np.mean([abs(a - b) for a, b in each]) for each in cells.values()])
        more = misses - np.array([first[cell] for cell in cells])
        spreads = [np.std([a - b for a, b in each], ddof=1) for each in cells.values()]
        calibrated = [np.mean([abs(a - b) for a, b in each]) for each in cells.values() if max(b for _, b in each) == 0]
        lines.append(
            [
                name,
                kind,
                f"{1e3 * misses.mean():.1f}",
                f"{1e3 * more.mean():+.1f} +- {1e3 * more.std(ddof=1) / np.sqrt(more.size):.1f}",
                f"{1e3 * np.mean(calibrated):.1f}" if calibrated else "-",
                f"{1e3 * misses.max():.1f}",
                f"{1e3 * np.mean(spreads):.1f}",
                f"{100 * np.mean(ones[name]):.0f} %",
                f"{1e3 * np.median(seconds[name, kind]):.0f}",
            ]
        )
    header = (
        "family",
        "error",
        "mean miss",
        "more than slope1",
        "if calibrated",
        "worst cell",
        "s.d.",
        "one bin",
        "ms",
    )
    return markdown(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--n", nargs="+", type=int, default=[1000, 3000])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=5000)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.draws)
    paths = sorted(given.folder.glob("*.npz")) if given.folder else []
    tasks = [partial(simulated, n, seeds[k : k + 1]) for n in given.n for k in range(given.draws)]
    tasks += [partial(real, path, n, seeds) for n in given.n for path in paths]
    rows = []
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        for k, part in enumerate(pool.map(measured, tasks)):
            tell(f"{k + 1} of {len(tasks)}")
            rows += part
    tell("")
    print(machine_facts())
    for n in given.n:
        for source in dict.fromkeys(row[0][0] for row in rows):
            print(f"\n{source} scores, n = {n:,}, {given.draws} draws\n")
            print(table_of(rows, source, n))


if __name__ == "__main__":
    main()
