"""How often the interval of a calibration error holds the error of the scores, and what debiasing does to the number.

Usage: ``python benchmarks/interval_coverage.py [-o intervals.csv] [--families slope1_15 isotonic ...] [--cases ...]
[--n 1000 ...] [--draws 400] [--norm l1] [--direction smooth] [--processes 2] [--table] [--summary] [--by-case]``.

Every data set of a case has a seed of its own, and no case shares seeds with another. Labels are redrawn with the
default seed, as they are for a user: all sets of as many rows have the same numbers. All families are asked of one
reading of a data set, so that what they share is computed once. Results are appended to the CSV file, and what is there
already is not computed again. ``--table`` prints the file: of each cell the mean absolute error
(MAE) and bias of the raw and of the debiased error in thousandths, the share of the 95 % intervals that hold the true
error of the scores drawn, with its standard error, how often the lower end is above the true error, the mean width, and
how often the p-value of calibration is at most .05. ``--summary`` prints the means over the cases of a family with the
case that is covered least, which is the lowest of so many chances, and the hours of CPU behind the file. ``--by-case``
prints the share of the intervals that hold the true error by case and number of rows, a column for each family.
"""

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.datasets import Derivate, Gaussian, Planted, Problem, Rare, Sharp
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.redrawing import Redrawing, estimates_of
from report import markdown, tell
from run_records import end_with_whole_line

SEED = 17_2026


def uniform(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.random(n)


def sharp(rng: np.random.Generator, n: int) -> np.ndarray:
    return sigmoid(rng.normal(0, 4, n))


def rounded(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.round(rng.random(n), 1)


def skewed(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.beta(0.5, 2.0, n)


def moderate(rng: np.random.Generator, n: int) -> np.ndarray:
    return sigmoid(rng.normal(-1.0, 1.3, n))


def low(rng: np.random.Generator, n: int) -> np.ndarray:
    return sigmoid(rng.normal(-1.5, 1.1, n))


def same(p: np.ndarray) -> np.ndarray:
    return p


def overconfident(p: np.ndarray) -> np.ndarray:
    return sigmoid(0.75 * logit(p, 1e-9) - 0.1)


def wavy(p: np.ndarray) -> np.ndarray:
    return sigmoid(logit(p, 1e-9) + 0.4 * np.sin(2.0 * logit(p, 1e-9)))


def far_too_high(p: np.ndarray) -> np.ndarray:
    return sigmoid(logit(p, 1e-9) - 3.0)


def times(factor: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda p: np.minimum(factor * p, 1.0)


def squared(p: np.ndarray) -> np.ndarray:
    return 0.7 * p + 0.3 * p**2


CASES: dict[str, Callable[[], Problem]] = {
    "calibrated": lambda: Planted(uniform, same),
    "sharp, calibrated": lambda: Planted(sharp, same),
    "skewed, calibrated": lambda: Planted(skewed, same),
    "ties, calibrated": lambda: Planted(rounded, same),
    "Rare": Rare,
    "Gaussian": lambda: Gaussian(test_rate=0.48),
    "square .03": lambda: Derivate("square", error=0.03),
    "beta1 .03": lambda: Derivate("beta1", error=0.03),
    "stairs .03": lambda: Derivate("stairs", error=0.03),
    "ties, square": lambda: Planted(rounded, squared),
    "skewed, overconfident": lambda: Planted(skewed, overconfident),
    "sharp, wavy": lambda: Planted(sharp, wavy),
    "rare, far too high": lambda: Planted(moderate, far_too_high),
    "Sharp": Sharp,
    "square .1": lambda: Derivate("square", error=0.1),
    "stairs .1": lambda: Derivate("stairs", error=0.1),
    ".5 p": lambda: Planted(low, times(0.5)),
    ".7 p": lambda: Planted(low, times(0.7)),
    "3 p": lambda: Planted(low, times(3.0)),
}
FAMILIES: dict[str, Callable[[], fot.Family]] = {
    "slope1_15": lambda: fot.Slope1(15),
    "slope1": fot.Slope1,
    "flat_15": lambda: fot.Flat(15),
    "isotonic": fot.Isotonic,
    "pava_bc": fot.PavaBlocks,
    "platt": fot.Platt,
    "temperature": fot.families.Temperature,
    "beta": fot.Beta,
    "spline": fot.Spline,
    "knn": fot.families.KNN,
    "stacking": fot.families.Stacking,
    "pl": fot.PL,
    "pl3": fot.PL3,
}
COLUMNS = (
    "family",
    "n",
    "case",
    "norm",
    "direction",
    "draw",
    "true",
    "raw",
    "debiased",
    "low",
    "high",
    "p_value",
    "cpu",
)
VALUES = slice(COLUMNS.index("true"), COLUMNS.index("cpu"))
Cell = tuple[str, int, str, str, str]


def rows_of(cells: list[Cell], draws: range) -> list[tuple]:
    """Return the rows of data sets, one for each family; the cells differ in the family alone."""
    _, n, case, norm, direction = cells[0]
    problem, out = CASES[case](), []
    for draw in draws:
        rng = np.random.default_rng([SEED, crc32(case.encode()), n, draw])
        y, p, c = problem.draw(n, rng)
        if len(set(y.tolist())) < 2:
            continue
        distance = np.abs(c - p)
        true = float(distance.mean() if norm == "l1" else np.sqrt((distance**2).mean()))
        families, start = [FAMILIES[cell[0]]() for cell in cells], time.process_time()
        with without_warnings():
            measures = [fot.measures.PlugIn(family, norm) for family in families]
            found = estimates_of(measures, fot.read(y, p), None, Redrawing(interval="always", direction=direction))
            read = [(e.value, e.debiased, e.interval.low, e.interval.high, e.null.p_value) for e in found]
        cpu = (time.process_time() - start) / len(cells)
        out += [(*cell, draw, true, *values, cpu) for cell, values in zip(cells, read, strict=True)]
    return out


def rows_by_cell(path: Path) -> dict[Cell, list[dict[str, str]]]:
    """Return the rows of the file, which need not be there yet, by cell."""
    cells: dict[Cell, list[dict[str, str]]] = defaultdict(list)
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                cells[row["family"], int(row["n"]), row["case"], row["norm"], row["direction"]].append(row)
    return cells


def values_by_cell(path: Path) -> dict[Cell, np.ndarray]:
    """Return true and raw error, debiased error, both ends and p-value of each data set, by cell."""
    cells = rows_by_cell(path)
    return {
        cell: np.array([[float(row[name]) for name in COLUMNS[VALUES]] for row in rows]) for cell, rows in cells.items()
    }


def compute(path: Path, cells: list[Cell], draws: int, processes: int) -> None:
    """Append what is missing, a batch of data sets after the other."""
    end_with_whole_line(path)
    done = defaultdict(set, {cell: {int(row["draw"]) for row in rows} for cell, rows in rows_by_cell(path).items()})
    parts = [range(start, min(start + 25, draws)) for start in range(0, draws, 25)]  # all cells at the same pace
    batches = []
    for part in parts:
        missing: dict[tuple, list[Cell]] = defaultdict(list)
        for cell in cells:
            if not set(part) <= done[cell]:
                missing[cell[1:]].append(cell)
        batches += [(of_set, part) for of_set in missing.values()]
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file, ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for k, rows in enumerate(pool.map(rows_of, *zip(*batches, strict=True)) if batches else ()):
            tell(f"{k + 1} of {len(batches)} batches")
            writer.writerows(row for row in rows if row[5] not in done[row[:5]])
            file.flush()
    tell("")


def table_of(path: Path) -> str:
    """Return the cells of the file as a table."""
    cells = values_by_cell(path)
    order = {name: k for k, name in enumerate([*FAMILIES, *CASES])}
    listed = sorted(cells, key=lambda c: (c[3], c[4], order[c[0]], c[1], order[c[2]]))
    lines = [_line(cell, cells[cell]) for cell in listed]
    header = ("family", "n", "case", "norm", "target", "S", "true", "raw MAE", "MAE", "raw bias", "bias", "coverage")
    return markdown((*header, "s.e.", "low > true", "width", "p <= .05"), lines)


def summary_of(path: Path) -> str:
    """Return for each family and number of rows the means over the cases, and the case that is covered least."""
    cells: dict[tuple[str, ...], dict[str, np.ndarray]] = defaultdict(dict)
    for (family, n, case, norm, direction), values in values_by_cell(path).items():
        cells[family, str(n), norm, direction][case] = values.T
    lines = []
    for key, found in cells.items():
        held = {case: float(_held(values.T).mean()) for case, values in found.items()}
        least = min(held, key=lambda case: held[case])
        draws = [values.shape[1] for values in found.values()]
        errors = {case: _error_of(held[case], values.shape[1]) for case, values in found.items()}
        error = np.sqrt(sum(each**2 for each in errors.values())) / len(errors)
        means = {
            name: np.mean([np.mean(np.abs(values[k] - values[0])) for values in found.values()])
            for name, k in (("raw", 1), ("debiased", 2))
        }
        width = np.mean([np.mean(values[4] - values[3]) for values in found.values()])
        calibrated = [values for values in found.values() if values[0].max() == 0]
        alarms = [
            100 * np.mean([np.mean(each) for each in column])
            for column in ([values[5] <= 0.05 for values in calibrated], [values[3] > 0 for values in calibrated])
        ]
        lines.append(
            [
                *key[:2],
                str(min(draws)),
                f"{1e3 * means['raw']:.1f}",
                f"{1e3 * means['debiased']:.1f}",
                f"{100 * np.mean(list(held.values())):.1f} ± {100 * error:.1f}",
                f"{100 * held[least]:.0f} ± {100 * errors[least]:.0f} ({least})",
                f"{1e3 * width:.0f}",
                *(f"{alarm:.1f}" for alarm in alarms),
            ]
        )
    header = ("family", "n", "sets a case", "raw miss", "debiased miss", "coverage", "lowest case", "width")
    table = markdown((*header, "calibrated: p <= .05", "low > 0"), lines)
    return f"{table}\n\n{_hours(path):.1f} hours of CPU"


def by_case_of(path: Path) -> str:
    """Return the share of intervals that hold the true error by number of rows and case, a column for each family."""
    cells = values_by_cell(path)
    families = [name for name in FAMILIES if any(cell[0] == name for cell in cells)]
    held: dict[tuple[int, str, str, str], dict[str, str]] = defaultdict(dict)
    for (family, *rest), values in cells.items():
        held[tuple(rest)][family] = f"{100 * _held(values).mean():.1f}"
        held[tuple(rest)]["error"] = f"{100 * values[:, 0].mean():.1f}"
    cases, lines = [*CASES], []
    for key in sorted(held, key=lambda key: (key[2:], key[0], cases.index(key[1]))):
        n, case, *_ = key
        lines.append([str(n), case, held[key]["error"], *(held[key].get(family, "-") for family in families)])
    return markdown(("n", "case", "true error, %", *families), lines)


def _held(values: np.ndarray) -> np.ndarray:
    """Return which intervals hold the true error."""
    true, _, _, low, high, _ = values.T
    return (low <= true) & (true <= high)


def _hours(path: Path) -> float:
    """Return the hours of CPU that the rows took."""
    return sum(float(row["cpu"]) for rows in rows_by_cell(path).values() for row in rows) / 3600


def _error_of(share: float, size: int) -> float:
    """Return the standard error of a share of so many data sets, not 0 where all are alike."""
    return float(np.sqrt(max(share * (1 - share), 0.25 / size) / size))


def _line(cell: Cell, values: np.ndarray) -> list[str]:
    true, raw, debiased, low, high, p_value = values.T
    held = _held(values)
    share, size = held.mean(), held.size
    thousandths = (true.mean(), np.abs(raw - true).mean(), np.abs(debiased - true).mean(), (raw - true).mean())
    numbers = [f"{1e3 * value:.1f}" for value in (*thousandths, (debiased - true).mean())]
    shares = [f"{100 * share:.1f}", f"{100 * _error_of(share, size):.1f}", f"{100 * (low > true).mean():.1f}"]
    ends = [f"{1e3 * (high - low).mean():.0f}", f"{100 * (p_value <= 0.05).mean():.0f}"]
    return [cell[0], str(cell[1]), cell[2], cell[3], cell[4], str(size), *numbers, *shares, *ends]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("intervals.csv"))
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES][:-4])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--n", nargs="+", type=int, default=[300, 1000, 3000])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--norm", choices=["l1", "l2"], default="l1")
    parser.add_argument("--direction", choices=["smooth", "own"], default="smooth")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    parser.add_argument("--summary", action="store_true", help="only print the means over the cases")
    parser.add_argument("--by-case", action="store_true", help="only print which shares of intervals hold the error")
    given = parser.parse_args()
    if given.summary:
        print(summary_of(given.output))
        return
    if given.by_case:
        print(by_case_of(given.output))
        return
    if not given.table:
        cells = [
            (f, n, case, given.norm, given.direction) for n in given.n for f in given.families for case in given.cases
        ]
        compute(given.output, cells, given.draws, given.processes)
    print(table_of(given.output))


if __name__ == "__main__":
    main()
