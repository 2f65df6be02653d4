"""How often the gate passes, fails and cannot tell, by the true error: its operating characteristics.

Usage: ``python benchmarks/gate_rates.py [-o gates.csv] [--families isotonic ...] [--n 300 ...]
[--errors 0.05 ...] [--minutes 15] [--table]``.

Scores are drawn, a truth of exactly the wanted error for these scores is made by one of eight shapes, and labels are
drawn from it. Four shapes are smooth or jump, four are rough: 8 and 20 waves over the scores, and 40 and 100 distinct
scores each with an error of its own. `check_calibration` then judges the labels against a limit of .05 at the level
.95. The true errors are 0, half the limit, the limit and twice the limit. Rounds of one data set per cell follow each
other until the time is up; results are appended to the CSV file, and a later run goes on with the rounds that are
missing. ``--table`` prints what the file holds: of both groups of shapes the outcomes by the interval alone
(``resolution=None``), at the default resolution of 20, and at 40, which follow from the interval and the two limits.

A verdict is wrong where it passes an error above the limit or fails one that is not. At the limit itself both count,
since the interval should hold the limit in 95 % of the data sets.
"""

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.exceptions import without_warnings
from fitontest.simulation.distortions import DISTORTIONS
from report import markdown, tell

Array = NDArray[np.float64]
SEED = 22_2026
LIMIT, LEVEL = 0.05, 0.95
ERRORS = (0.0, LIMIT / 2, LIMIT, 2 * LIMIT)
FAMILIES: dict[str, Callable[[], fot.Family]] = {
    "isotonic": fot.Isotonic,
    "spline": fot.Spline,
    "slope1(15)": lambda: fot.Slope1(15),
}
COLUMNS = ("family", "n", "shape", "error", "round", "outcome", "low", "high", "b20", "b40")
RESOLUTIONS = {"none": None, "20": "b20", "40": "b40"}


def uniform(rng: np.random.Generator, n: int) -> Array:
    return rng.random(n)


def skewed(rng: np.random.Generator, n: int) -> Array:
    return rng.beta(0.5, 2.0, n)


def overconfident(p: Array, error: float) -> Array:
    return planted("overconfident", p, error)


def wavy(p: Array, error: float) -> Array:
    return planted("wavy", p, error)


def planted(name: str, p: Array, error: float) -> Array:
    truth = DISTORTIONS[name].plant(p, np.ones(p.size), error)
    assert truth is not None
    return truth


def shifted(p: Array, error: float) -> Array:
    """Scores that are all too low."""
    z = logit(p, 1e-12)
    return sigmoid(z + brentq(lambda b: float(np.mean(sigmoid(z + b) - p)) - error, 0.0, 10.0, xtol=1e-12))


def steps(p: Array, error: float) -> Array:
    """Two probabilities, towards which the scores are drawn: a truth with a jump, which no smooth map follows."""
    away = np.where(p < 0.5, 0.25, 0.75) - p
    return p + error / float(np.mean(np.abs(away))) * away


def scaled(p: Array, d: Array, error: float) -> Array:
    """Return p + t d within [0, 1], of the wanted error."""
    reach = brentq(lambda t: float(np.mean(np.abs(np.clip(p + t * d, 0, 1) - p))) - error, 0.0, 100.0, xtol=1e-12)
    return np.clip(p + reach * d, 0.0, 1.0)


def waves(number: int) -> Callable[[Array, float], Array]:
    """Sine waves over the scores, which end at 0 and 1."""

    def truth(p: Array, error: float) -> Array:
        return scaled(p, np.sin(2 * np.pi * number * p) * np.minimum(np.minimum(p, 1 - p) / 0.1, 1.0), error)

    return truth


def values(number: int) -> Callable[[np.random.Generator, int], Array]:
    """So many distinct scores."""
    return lambda rng, n: rng.random(number)[rng.integers(number, size=n)]


def of_each_value(p: Array, error: float) -> Array:
    """Return truths with a normal error for each distinct score."""
    distinct, place = np.unique(p, return_inverse=True)
    rng = np.random.default_rng(distinct.view(np.uint64)[:4])  # of the scores alone
    return scaled(p, rng.normal(size=distinct.size)[place], error)


SHAPES: dict[str, tuple[Callable[..., Array], Callable[..., Array]]] = {
    "overconfident": (uniform, overconfident),
    "wavy": (uniform, wavy),
    "shifted": (skewed, shifted),
    "steps": (uniform, steps),
    "8 waves": (uniform, waves(8)),
    "20 waves": (uniform, waves(20)),
    "40 values": (values(40), of_each_value),
    "100 values": (values(100), of_each_value),
}
SEEDED_AS = {"overconfident": "bold"}  # under which the documented numbers were drawn
GROUPS = {"smooth maps and jumps": [*SHAPES][:4], "rough maps": [*SHAPES][4:]}


def outcomes_of(n: int, shape: str, error: float, number: int, families: list[str]) -> list[tuple]:
    """Return what the gate says of one data set, by each family."""
    scores, truth = SHAPES[shape]
    rng = np.random.default_rng([SEED, crc32(SEEDED_AS.get(shape, shape).encode()), n, round(1e6 * error), number])
    p = scores(rng, n)
    c = truth(p, error) if error else p
    y = rng.random(n) < c
    rows = []
    for name in families:
        with without_warnings():
            found = fot.check_calibration(
                y, p, max_error=LIMIT, level=LEVEL, family=FAMILIES[name](), random_state=number
            )
        (gate,) = found.gates
        limits = (gate.estimate.limit(20), gate.estimate.limit(40))
        rows.append((name, n, shape, error, number, gate.outcome, gate.interval.low, gate.interval.high, *limits))
    return rows


def compute(path: Path, families: list[str], sizes: list[int], errors: list[float], minutes: float) -> None:
    """Append round after round until the time is up."""
    done = {(r["family"], int(r["n"]), r["shape"], float(r["error"]), int(r["round"])) for r in read(path)}
    new, end = not path.exists(), time.monotonic() + 60 * minutes
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        number = 0
        while time.monotonic() < end:
            tell(f"round {number + 1}")
            for n in sizes:
                for shape in SHAPES:
                    for error in errors:
                        missing = [f for f in families if (f, n, shape, error, number) not in done]
                        writer.writerows(outcomes_of(n, shape, error, number, missing))
            file.flush()
            number += 1
    tell("")


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of the file, which need not be there yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def outcome_of(row: dict[str, str], resolution: str | None) -> str:
    """Return the outcome at a resolution, from the interval and the limit of persistent errors."""
    if float(row["low"]) > LIMIT:
        return "fail"
    passes = float(row["high"]) <= LIMIT and (resolution is None or float(row[resolution]) <= LIMIT)
    return "pass" if passes else "undecided"


def table_of(rows: list[dict[str, str]], shapes: list[str]) -> str:
    """Return the shares of the outcomes, these shapes together, and the shape with the most wrong verdicts."""
    cells: dict[tuple[str, int, float, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for name, limit in RESOLUTIONS.items():
            if row["shape"] in shapes:
                key = (row["family"], int(row["n"]), float(row["error"]), name)
                cells[key][row["shape"]].append(outcome_of(row, limit))
    lines = []
    for (family, n, error, name), by_shape in sorted(
        cells.items(), key=lambda cell: ([*FAMILIES].index(cell[0][0]), cell[0][1:3], [*RESOLUTIONS].index(cell[0][3]))
    ):
        found = np.array([outcome for each in by_shape.values() for outcome in each])
        shares = [_share(found, (outcome,)) for outcome in ("pass", "fail", "undecided")]
        wrong = ("pass",) if error > LIMIT else ("fail",) if error < LIMIT else ("pass", "fail")
        worst = max(by_shape, key=lambda shape: np.mean(np.isin(by_shape[shape], wrong)))
        least = f"{100 * np.mean(np.isin(by_shape[worst], wrong)):.0f} ({worst}, {len(by_shape[worst])})"
        lines.append([family, f"{n:,}", f"{error:g}", name, str(found.size), *shares, _share(found, wrong), least])
    header = ("family", "n", "true error", "resolution", "sets", "pass %", "fail %", "cannot tell %", "wrong %")
    return markdown((*header, "most wrong (sets)"), lines)


def _share(found: np.ndarray, outcomes: tuple[str, ...]) -> str:
    """Return a share in percent with its standard error."""
    share = float(np.mean(np.isin(found, outcomes)))
    error = np.sqrt(max(share * (1 - share), 0.25 / found.size) / found.size)
    return f"{100 * share:.1f} ± {100 * error:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("gates.csv"))
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES])
    parser.add_argument("--n", nargs="+", type=int, default=[300, 1000, 3000, 10_000])
    parser.add_argument("--errors", nargs="+", type=float, default=[*ERRORS])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    given = parser.parse_args()
    if not given.table:
        compute(given.output, given.families, given.n, given.errors, given.minutes)
    for title, shapes in GROUPS.items():
        print(f"\n{title}: {', '.join(shapes)}\n\n{table_of(read(given.output), shapes)}")


if __name__ == "__main__":
    main()
