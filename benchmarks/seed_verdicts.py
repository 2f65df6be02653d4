"""How often the verdict depends on the seed, and how often calibrated scores are rejected with the default seed.

Usage: ``python benchmarks/seed_verdicts.py [-o seeds.csv] [--sets 400] [--minutes 10] [--table]``.

Three cases: overconfident scores, n = 150, where about half of the sets are rejected, so that many are near .05, judged
with ten seeds each; and calibrated scores, n = 150 and of rare events (.1 %, n = 50,000), judged with the default seed.
A set flips where some seeds reject calibration and others do not. Results are appended to the CSV file, and a later run
goes on with the sets that are missing; ``--table`` prints the rates of what the file holds, with standard errors.
"""

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.uncertainty.joint import joint_test
from report import markdown, tell

Array = NDArray[np.float64]
SEED = 57_2026
DRAWS = 200
COLUMNS = ("case", "set", "seed", "p_value", "draws")


def overconfident(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.normal(0.0, 1.0, 150)
    return sigmoid(x), sigmoid(1.6 * x)


def calibrated(rng: np.random.Generator) -> tuple[Array, Array]:
    p = sigmoid(rng.normal(0.0, 1.6, 150))
    return p, p


def rare(rng: np.random.Generator) -> tuple[Array, Array]:
    p = sigmoid(rng.normal(-7.4, 1.0, 50_000))
    return p, p


CASES: dict[str, tuple[Callable[[np.random.Generator], tuple[Array, Array]], int]] = {
    "overconfident": (overconfident, 10),
    "calibrated": (calibrated, 1),
    "rare, calibrated": (rare, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("seeds.csv"))
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--table", action="store_true")
    chosen = parser.parse_args()
    if not chosen.table:
        run(chosen.output, chosen.cases, chosen.sets, time.monotonic() + 60.0 * chosen.minutes)
    print_table(read(chosen.output))


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def run(path: Path, cases: list[str], sets: int, until: float) -> None:
    done = {(row["case"], int(row["set"])) for row in read(path)}
    with path.open("a", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, COLUMNS)
        if file.tell() == 0:
            out.writeheader()
        for number in range(sets):
            for case in cases:
                if (case, number) in done or time.monotonic() > until:
                    continue
                draw, seeds = CASES[case]
                rng = np.random.default_rng([SEED, crc32(case.encode()), number])
                c, p = draw(rng)
                sample = fot.ScoreSample(rng.random(p.size) < c, p)
                for seed in range(seeds):
                    test = joint_test(sample, DRAWS, seed)
                    cells = (case, number, seed, test.p_value, test.draws)
                    out.writerow(dict(zip(COLUMNS, cells, strict=True)))
                file.flush()
    tell(f"{len(read(path))} rows in {path}")


def print_table(rows: list[dict[str, str]]) -> None:
    lines = []
    for case in CASES:
        by_set: dict[int, list[float]] = {}
        for row in rows:
            if row["case"] == case:
                by_set.setdefault(int(row["set"]), []).append(float(row["p_value"]))
        if not by_set:
            continue
        rejected = np.array([p_values[0] <= 0.05 for p_values in by_set.values()])
        shown = [np.array(p_values) <= 0.05 for p_values in by_set.values()]
        flips = np.array([some.any() and not some.all() for some in shown])
        draws = np.mean([float(row["draws"]) for row in rows if row["case"] == case])
        flipped = rate(flips) if CASES[case][1] > 1 else "-"
        lines.append([case, str(len(by_set)), rate(rejected), flipped, f"{draws:.0f}"])
    print(markdown(["case", "sets", "rejected, seed 0 (%)", "flips over ten seeds (%)", "draws, mean"], lines))


def rate(yes: NDArray[np.bool_]) -> str:
    share = float(yes.mean())
    return f"{100 * share:.1f} (s.e. {100 * np.sqrt(share * (1 - share) / yes.size):.1f})"


if __name__ == "__main__":
    main()
