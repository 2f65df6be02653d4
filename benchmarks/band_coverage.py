"""How often the bands of the true map hold it: at nine scores, and at once over the middle 90 % of the scores.

Usage: ``python benchmarks/band_coverage.py [-o bands.csv] [--families isotonic beta ...] [--cases ...] [--n 1000]
[--sets 60] [--draws 200] [--level 0.95] [--table]``.

Every data set of a case has a seed of its own, and no case shares seeds with another. Results are appended to the CSV
file, and what is there already is not computed again. ``--table`` prints the file: of each cell the share of the
quantiles .1, ..., .9 of the scores at which the pointwise band holds the truth, the least of these nine shares and the
mean width there, and the share of the data sets in which the simultaneous band holds the truth everywhere from the 5 %
to the 95 % quantile of the scores, with its mean width at the nine. Shares are in percent, widths in thousandths.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.datasets import Derivate, Problem, Rare, Sharp
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.bands import POINTS, confidence_bands
from report import markdown, tell

SEED = 18_2026
CASES: dict[str, Callable[[], Problem]] = {
    "square .03": lambda: Derivate("square", error=0.03),
    "stairs .1": lambda: Derivate("stairs", error=0.1),
    "Sharp": Sharp,
    "Rare": Rare,
}
FAMILIES: dict[str, Callable[[], fot.Family]] = {
    "slope1_15": lambda: fot.Slope1(15),
    "isotonic": fot.Isotonic,
    "platt": fot.Platt,
    "beta": fot.Beta,
    "spline": fot.Spline,
    "pl3": fot.PL3,
}
QUANTILES = np.arange(1, 10) / 10
HELD = [f"at_{q:.1f}" for q in QUANTILES]
COLUMNS = ("family", "n", "case", "level", "set", *HELD, "width", "at_once", "width_at_once")
Cell = tuple[str, int, str, float]


def row_of(cell: Cell, number: int, draws: int) -> tuple:
    """Return whether the bands of one data set hold the truth, and how wide they are."""
    family, n, case, level = cell
    problem = CASES[case]()
    y, p, _ = problem.draw(n, np.random.default_rng([SEED, crc32(case.encode()), n, number]))
    sample = fot.ScoreSample(y, p)
    nine, (first, last) = np.quantile(p, QUANTILES), np.quantile(p, [0.05, 0.95])
    x = np.unique(np.concatenate((np.linspace(0, 1, POINTS), np.quantile(p, np.linspace(0, 1, POINTS)), nine)))
    with without_warnings():
        error = fot.calibration_error(y, p, family=FAMILIES[family]())
        pointwise, at_once = confidence_bands(error, sample, x, draws, level, random_state=number)
    truth, at = problem.truth(pointwise.x), np.searchsorted(pointwise.x, nine)
    middle = (first <= pointwise.x) & (pointwise.x <= last)
    held, all_held = ((band.lower <= truth) & (truth <= band.upper) for band in (pointwise, at_once))
    widths = [float((band.upper - band.lower)[at].mean()) for band in (pointwise, at_once)]
    return (*cell, number, *held[at].astype(int), widths[0], int(all_held[middle].all()), widths[1])


def compute(path: Path, cells: list[Cell], sets: int, draws: int) -> None:
    """Append what is missing, all cells at the same pace."""
    done = {(cell, number) for cell, rows in read(path).items() for number, _ in rows}
    missing = [(cell, number) for number in range(sets) for cell in cells if (cell, number) not in done]
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for k, (cell, number) in enumerate(missing):
            tell(f"{k + 1} of {len(missing)} data sets")
            writer.writerow(row_of(cell, number, draws))
            file.flush()
    tell("")


def read(path: Path) -> dict[Cell, list[tuple[int, list[float]]]]:
    """Return the numbers of the data sets of each cell in the file."""
    cells: dict[Cell, list[tuple[int, list[float]]]] = defaultdict(list)
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                cell = (row["family"], int(row["n"]), row["case"], float(row["level"]))
                cells[cell].append((int(row["set"]), [float(row[name]) for name in COLUMNS[5:]]))
    return cells


def table_of(path: Path) -> str:
    """Return the cells of the file as a table."""
    cells, order = read(path), {name: k for k, name in enumerate([*FAMILIES, *CASES])}
    listed = sorted(cells, key=lambda cell: (order[cell[0]], cell[1], order[cell[2]], cell[3]))
    lines = []
    for cell in listed:
        values = np.array([numbers for _, numbers in cells[cell]])
        held, (width, at_once, width_at_once) = values[:, :9].mean(axis=0), values[:, 9:].mean(axis=0)
        shares = [f"{100 * share:.0f}" for share in (held.mean(), held.min(), at_once)]
        widths = [f"{1e3 * each:.0f}" for each in (width, width_at_once)]
        facts = [cell[0], str(cell[1]), cell[2], f"{cell[3]:g}", str(len(values))]
        lines.append([*facts, *shares[:2], widths[0], shares[2], widths[1]])
    header = ("family", "n", "case", "level", "S", "pointwise", "least of nine", "width", "at once", "width at once")
    return markdown(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("bands.csv"))
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES][:-1])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES][:-1])
    parser.add_argument("--n", nargs="+", type=int, default=[1000])
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    given = parser.parse_args()
    if not given.table:
        cells = [(family, n, case, given.level) for n in given.n for family in given.families for case in given.cases]
        compute(given.output, cells, given.sets, given.draws)
    print(table_of(given.output))


if __name__ == "__main__":
    main()
