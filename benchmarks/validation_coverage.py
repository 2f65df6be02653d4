"""How often the intervals of ICI, E50, E90 and Emax hold the statistic of the true map, and what debiasing does to it.

Usage: ``python benchmarks/validation_coverage.py [-o FOLDER] [--sets 200] [--families spline loess] [--cases ...]
[--n 1000] [--report | --summary]``.

ICI, E50, E90 and Emax are the mean, the median, the .9 quantile and the maximum over the rows of |c_hat(p) - p|; the
true ones are those of |c - p| at the scores drawn. Scores are logistic in normal logits of s.d. 1.5 (of "stairs" those
of `Derivate`). Every data set of a case has a seed of its own, and no case shares seeds with another; families see the
same data sets. Readings are appended to FOLDER/errors.csv, a row for each set, family and statistic, and what is there
already is not computed again; so the run may be stopped at any time. All cells grow at the same pace.

``--report`` prints what is there: of each cell the true value, the mean absolute errors of the raw and of the debiased
value with the bias of both, in thousandths with their standard errors, the share of the 95 % intervals that hold the
true value, with its standard error, the share that lies above it, the mean width, and in how many sets a spline did not
fit (so that truths went towards an isotonic map, or levels). Sets without an interval, as those of quantiles and maxima
are where truths go towards levels, are left out. ``--summary`` prints of each family and case the coverage, the mean
width and both mean absolute errors of the four statistics.

Another study of these data sets adds a function to `PARTS`: of a checked sample and its true probabilities it returns a
row for each number that it reads.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.datasets import Derivate
from fitontest.numerics.links import sigmoid
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.redrawing import Redrawing, estimates_of
from report import machine_facts, markdown, tell

SEED = 38_2026
SPREAD = 1.5  # s.d. of the logits of the scores
LEVEL = 0.95
AT_ONCE = 5  # sets of a cell before the next cell has its turn
STATISTICS = {"ICI": "l1", "E50": "q50", "E90": "q90", "Emax": "max"}
COLUMNS = ("n", "case", "family", "statistic", "set", "true", "raw", "debiased", "low", "high", "p_value", "rung")
Draw = tuple[np.ndarray, np.ndarray]  # scores and true probabilities
Row = tuple[str, float, float, float, float, float, float, str]  # from the statistic on, without the set


def of_logits(truth: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.random.Generator, int], Draw]:
    """Return a case whose true probabilities are a function of the logits of the scores."""

    def draw(rng: np.random.Generator, n: int) -> Draw:
        x = rng.normal(0.0, SPREAD, n)
        return sigmoid(x), truth(x)

    return draw


def stairs(rng: np.random.Generator, n: int) -> Draw:
    """Smooth steps, of an error of .03."""
    _, p, c = Derivate("stairs", error=0.03).draw(n, rng)
    return p, c


def jumps(x: np.ndarray) -> np.ndarray:
    """Truths are the middles of the quarters of [0, 1] in which the scores lie."""
    return (np.minimum(np.floor(4 * sigmoid(x)), 3) + 0.5) / 4


CASES: dict[str, Callable[[np.random.Generator, int], Draw]] = {
    "calibrated": of_logits(sigmoid),
    "slope .75": of_logits(lambda x: sigmoid(0.75 * x - 0.1)),
    "wave": of_logits(lambda x: sigmoid(x + 0.3 * np.sin(2.0 * x))),
    "stairs": stairs,
    "jumps": of_logits(jumps),
}


def errors(sample: fot.ScoreSample, c: np.ndarray, family: str, seed: int) -> Iterator[Row]:
    """Yield ICI, E50, E90 and Emax of a family."""
    measures = [fot.measures.PlugIn(family, norm).seeded(seed) for norm in STATISTICS.values()]
    redrawing = Redrawing(interval="always", level=LEVEL, random_state=seed)
    for name, e in zip(STATISTICS, estimates_of(measures, sample, redrawing=redrawing), strict=True):
        true = e.measure.total(np.abs(c - sample.p), sample.w, counts=True)
        if e.interval is None:
            continue
        rung = "spline" if e.interval.roughness is None else e.interval.roughness.by
        yield name, true, e.value, e.debiased, e.interval.low, e.interval.high, e.null.p_value, rung


PARTS: dict[str, Callable[[fot.ScoreSample, np.ndarray, str, int], Iterator[Row]]] = {"errors": errors}


def draw_set(case: str, n: int, number: int) -> tuple[fot.ScoreSample, np.ndarray]:
    """Return one data set in the order of its scores, with its true probabilities."""
    rng = np.random.default_rng([SEED, crc32(case.encode()), n, number])
    p, c = CASES[case](rng, n)
    y = rng.random(n) < c
    order = np.lexsort((y, p))
    return fot.read(y[order], p[order]), c[order]


def read(path: Path) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Return the rows of a file, which need not be there yet, by n, case, family and statistic."""
    cells: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                cells[tuple(row[name] for name in COLUMNS[:4])].append(row)
    return cells


def compute(path: Path, part: str, cells: list[tuple[int, str, str]], sets: int) -> None:
    """Append what is missing."""
    done: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for key, rows in read(path).items():
        done[key[:3]] |= {int(row["set"]) for row in rows}
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for start in range(0, sets, AT_ONCE):
            for n, case, family in cells:
                for number in range(start, min(start + AT_ONCE, sets)):
                    if number in done[str(n), case, family]:
                        continue
                    tell(f"{case}, {family}, n = {n:,}, set {number + 1}")
                    sample, c = draw_set(case, n, number)
                    with without_warnings():
                        rows = [*PARTS[part](sample, c, family, number)]
                    writer.writerows((n, case, family, row[0], number, *row[1:]) for row in rows)
                    file.flush()
    tell("")


def line(key: tuple[str, ...], rows: list[dict[str, str]]) -> list[str]:
    """Return a line of the table."""
    true, raw, debiased, low, high = (np.array([float(row[name]) for row in rows]) for name in COLUMNS[5:10])
    held, above = (low <= true) & (true <= high), low > true
    rough = np.mean([row["rung"] != "spline" for row in rows])
    size = len(rows)
    each = [f"{1e3 * true.mean():.1f}"]
    for value in (raw, debiased):
        missed = np.abs(value - true)
        each.append(f"{1e3 * missed.mean():.1f} +- {1e3 * missed.std() / np.sqrt(size):.1f}")
    each += [f"{1e3 * (value - true).mean():+.1f}" for value in (raw, debiased)]
    error = np.sqrt(max(held.mean() * (1 - held.mean()), 0.25 / size) / size)
    shares = [f"{100 * held.mean():.1f} +- {100 * error:.1f}", f"{100 * above.mean():.1f}"]
    return [*key, str(size), *each, *shares, f"{1e3 * (high - low).mean():.0f}", f"{100 * rough:.0f}"]


def report(path: Path) -> str:
    """Return the table of a file."""
    cells, order = read(path), [*CASES, *STATISTICS]
    keys = sorted(cells, key=lambda key: (key[0], key[2], order.index(key[1]), order.index(key[3])))
    header = (*COLUMNS[:4], "S", "true", "raw MAE", "MAE", "raw bias", "bias", "coverage", "low > true", "width")
    lines = [line(key, cells[key]) for key in keys]
    return markdown((*header, "rough"), lines)


def summary(path: Path) -> str:
    """Return a line for each family and case, with what the four statistics have in common."""
    cells, lines = read(path), []
    for n, case, family in sorted({key[:3] for key in cells}, key=lambda key: (key[0], key[2], [*CASES].index(key[1]))):
        of_each = [line((), cells[n, case, family, name]) for name in STATISTICS if (n, case, family, name) in cells]
        columns = [*zip(*of_each, strict=True)]
        sizes, true, raw, debiased, held, width = (columns[k] for k in (0, 1, 2, 3, 6, 8))
        errors = [f"{a.split()[0]} / {b.split()[0]}" for a, b in zip(raw, debiased, strict=True)]
        shares = [one.split()[0] for one in held]
        lines.append([family, case, f"{min(map(int, sizes))}", *map(", ".join, (true, shares, width, errors))])
    header = ("family", "truth", "S", "true (thousandths)", "coverage (%)", "width", "raw / debiased: mean abs. error")
    return markdown(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("validation_coverage"), help="folder of the readings")
    parser.add_argument("--part", choices=PARTS, default="errors")
    parser.add_argument("--sets", type=int, default=200, help="data sets of a cell")
    parser.add_argument("--families", nargs="+", default=["spline", "loess"])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--n", nargs="+", type=int, default=[1000])
    parser.add_argument("--report", action="store_true", help="only print what is there")
    parser.add_argument(
        "--summary", action="store_true", help="only print what the statistics of a case have in common"
    )
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    path = given.output / f"{given.part}.csv"
    if not (given.report or given.summary):
        cells = [(n, case, family) for n in given.n for case in given.cases for family in given.families]
        compute(path, given.part, cells, given.sets)
    print(machine_facts(), "\n")
    print(summary(path) if given.summary else report(path))


if __name__ == "__main__":
    main()
