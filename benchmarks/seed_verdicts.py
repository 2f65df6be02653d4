"""How often the verdict depends on the seed, and how often calibrated scores are rejected with the default seed.

Usage: ``python benchmarks/seed_verdicts.py [-o seeds] [--sets 400]``.

Three cases: overconfident scores, n = 150, of which about four in ten sets are rejected, so that many are near .05,
judged with ten seeds each; and calibrated scores, n = 150 and of rare events (.1 %, n = 50,000), judged with the
default seed. A set flips where some seeds reject calibration and others do not. Each set is a line of a file in the
folder, and a later run goes on with the sets that are missing.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.uncertainty.joint import joint_test
from report import markdown, rate
from run_records import recorded

Array = NDArray[np.float64]
Drawn = Callable[[np.random.Generator], tuple[Array, Array]]
SEED = 57_2026
DRAWS = 200


def overconfident(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.normal(0.0, 1.0, 150)
    return sigmoid(x), sigmoid(1.6 * x)


def calibrated(rng: np.random.Generator) -> tuple[Array, Array]:
    p = sigmoid(rng.normal(0.0, 1.6, 150))
    return p, p


def rare(rng: np.random.Generator) -> tuple[Array, Array]:
    p = sigmoid(rng.normal(-7.4, 1.0, 50_000))
    return p, p


CASES: dict[str, tuple[Drawn, int]] = {
    "overconfident": (overconfident, 10),
    "calibrated": (calibrated, 1),
    "rare, calibrated": (rare, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("seeds"))
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    chosen = parser.parse_args()
    lines = []
    for case in chosen.cases:
        sets = recorded(chosen.output, case, chosen.sets, partial(judged, case))
        p_values = np.array([each["p_values"] for each in sets])
        shown, seeds = p_values <= 0.05, p_values.shape[1]
        flips = rate(shown.any(axis=1) & ~shown.all(axis=1)) if seeds > 1 else "-"
        draws = np.mean([each["draws"] for each in sets])
        lines.append([case, str(len(sets)), rate(shown[:, 0]), flips, f"{draws:.0f}"])
    print(markdown(["case", "sets", "rejected, seed 0 (%)", "flips over ten seeds (%)", "draws, mean"], lines))


def judged(case: str, number: int) -> dict[str, Any]:
    draw, seeds = CASES[case]
    rng = np.random.default_rng([SEED, crc32(case.encode()), number])
    c, p = draw(rng)
    sample = fot.ScoreSample(rng.random(p.size) < c, p)
    tests = [joint_test(sample, DRAWS, seed) for seed in range(seeds)]
    return {"p_values": [test.p_value for test in tests], "draws": [test.draws for test in tests]}


if __name__ == "__main__":
    main()
