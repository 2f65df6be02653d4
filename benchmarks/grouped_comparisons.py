"""How often the interval of `compare_errors` covers the true difference where rows belong to groups.

Usage: ``python benchmarks/grouped_comparisons.py [-o grouped_comparisons.csv] [--settings "100 x 30, .15" ...]
[--families spline slope1_15] [--sets 200] [--minutes 60] [--table]``.

A data set has K groups of m rows, or of sizes with a geometric law of mean m. True probabilities c are uniform, and
those of a group are alike (latent intraclass correlation .3). Labels have these probabilities by normal numbers that
rows of a group share too: a label is 1 where Phi(sqrt(icc) Z_k + sqrt(1 - icc) e) < c. One model is as much too high,
c^0.7, as the other is too low, 1 - (1 - c)^0.7, so that the true difference is 0, and an interval that leaves it out is
a false alarm. It is the worst case: where a group has more positives than its scores say, the first model is better in
all of its rows.

Each data set is compared with ``groups=`` and, as rows were before there were groups, without. Of fewer than 10 groups
`compare_errors` gives no interval; what it would be, by the same standard error and degrees, is counted here.
Every setting has seeds of its own. Results are appended to the CSV file, and a later run goes on with the sets that are
missing; ``--table`` prints what the file holds. Coverage is in percent with its standard error, widths in thousandths.
"""

import argparse
import csv
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.special import ndtr, stdtrit

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from report import machine_facts, markdown, tell

SEED = 36_2026
POWER = 0.7
OF_SCORES = 0.3  # intraclass correlation of the scores
FAMILIES = {"spline": fot.Spline, "slope1_15": lambda: fot.Slope1(15)}


class Setting(NamedTuple):
    """How many groups, their rows, and how alike their labels are."""

    groups: int
    rows: int
    icc: float
    uneven: bool = False


SETTINGS = {
    "100 x 30, .15": Setting(100, 30, 0.15),
    "100 x 30, .05": Setting(100, 30, 0.05),
    "100 x 10, .05": Setting(100, 10, 0.05),
    "20 x 50, .15": Setting(20, 50, 0.15),
    "10 x 100, .05": Setting(10, 100, 0.05),
    "5 x 200, .05": Setting(5, 200, 0.05),
    "100 x 30, 0": Setting(100, 30, 0.0),
    "100 of mean 12, .15": Setting(100, 12, 0.15, uneven=True),
    "20 of mean 50, .15": Setting(20, 50, 0.15, uneven=True),
    "8 of mean 100, .05": Setting(8, 100, 0.05, uneven=True),
}
KINDS = ("groups", "rows")
COLUMNS = ("setting", "family", "set", *(f"{name}_{kind}" for kind in KINDS for name in ("difference", "se")))


def sizes(setting: str, number: int) -> np.ndarray:
    """Return the rows of each group of one data set."""
    K, m, _, uneven = SETTINGS[setting]
    rng = np.random.default_rng([SEED, crc32(setting.encode()), number, 1])
    return rng.geometric(1 / m, K) if uneven else np.full(K, m)


def draw(setting: str, number: int) -> tuple[np.ndarray, ...]:
    """Return the labels, the scores of two models and the groups of one data set."""
    K, icc = SETTINGS[setting].groups, SETTINGS[setting].icc
    rng = np.random.default_rng([SEED, crc32(setting.encode()), number])
    groups = np.repeat(np.arange(K), sizes(setting, number))

    def alike(share: float) -> np.ndarray:
        shared, own = rng.standard_normal(K), rng.standard_normal(groups.size)
        return ndtr(np.sqrt(share) * shared[groups] + np.sqrt(1 - share) * own)

    c = alike(OF_SCORES)
    return (alike(icc) < c).astype(int), c**POWER, 1 - (1 - c) ** POWER, groups


def compared(setting: str, family: str, number: int) -> list[float]:
    """Return the differences and their standard errors, with groups and without."""
    y, p1, p2, groups = draw(setting, number)
    found: list[float] = []
    with without_warnings():
        for given in (groups, None):
            one = fot.compare_errors(y, p1, p2, family=FAMILIES[family](), groups=given)
            found += [one.difference, one.se]
    return found


def table(path: Path) -> str:
    """Return what the file holds."""
    sets = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            sets[row["family"], row["setting"]].append([float(row[name]) for name in COLUMNS[2:]])
    lines = []
    for (family, setting), values in sorted(
        sets.items(), key=lambda item: (item[0][0], list(SETTINGS).index(item[0][1]))
    ):
        numbers, *columns = np.array(values).T
        rows = [sizes(setting, int(number)) for number in numbers]
        degrees_of = (
            np.array([each.sum() ** 2 / (each @ each) - 1 for each in rows]),
            np.array([each.sum() - 1 for each in rows]),
        )
        cells = [family, setting, str(len(values))]
        for (difference, se), degrees in zip((columns[:2], columns[2:]), degrees_of, strict=True):
            half = stdtrit(degrees, 0.975) * se
            share = float(np.mean(np.abs(difference) <= half))
            error = np.sqrt(share * (1 - share) / len(values))
            cells += [f"{100 * share:.1f} +- {100 * error:.1f}", f"{2e3 * half.mean():.1f}"]
        cells.append(f"{1e3 * columns[0].std(ddof=1):.2f}")
        lines.append(cells)
    header = ("family", "setting", "sets", "coverage, groups", "width", "coverage, rows", "width", "s.d. of difference")
    return markdown(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("grouped_comparisons.csv"))
    parser.add_argument("--settings", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=["spline"])
    parser.add_argument("--sets", type=int, default=200, help="data sets of a setting")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no set is begun")
    parser.add_argument("--table", action="store_true", help="print what the file holds")
    given = parser.parse_args()
    if not given.table:
        known = set()
        if given.output.exists():
            with given.output.open(newline="") as file:
                known = {(row["setting"], row["family"], int(row["set"])) for row in csv.DictReader(file)}
        else:
            given.output.write_text(",".join(COLUMNS) + "\n")
        end = time.monotonic() + 60 * given.minutes
        for number in range(given.sets):
            for setting in given.settings:
                for family in given.families:
                    if (setting, family, number) in known or time.monotonic() > end:
                        continue
                    tell(f"{setting}, {family}, set {number + 1}")
                    values = compared(setting, family, number)
                    with given.output.open("a", newline="") as file:
                        csv.writer(file).writerow([setting, family, number, *map(repr, map(float, values))])
        tell("")
    print(machine_facts(), "\n")
    print(table(given.output))


if __name__ == "__main__":
    main()
