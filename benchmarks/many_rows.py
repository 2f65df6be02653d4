"""How often it is said that a spline does not fit the labels of smooth true maps, from 10,000 to ten million rows.

Usage: ``python benchmarks/many_rows.py [-o rows] [--n 10000 ...] [--sets 40]``.

Scores are uniform in even sets and have normal logits in odd ones. The true map is that of calibrated scores, which
every spline holds, a slope of .8 in logits, p^1.3, or a beta map. A set is rejected where the fit test of the spline
has a p-value of at most .05; the sentence stands where the interval along a map that fits is elsewhere, too. Each set
is a line of a file in the folder, and a later run goes on with the sets that are missing.
"""

import argparse
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.uncertainty.ladder import Ladder
from report import markdown, rate
from run_records import recorded

Array = NDArray[np.float64]
SEED = 15_2026
MAPS: dict[str, Callable[[Array], Array]] = {
    "calibrated": lambda x: x,
    "slope .8": lambda x: 0.8 * x,
    "p^1.3": lambda x: -np.log(np.expm1(1.3 * np.logaddexp(0.0, -x))),
    "beta": lambda x: 0.1 - 0.7 * np.logaddexp(0.0, -x) + 1.3 * np.logaddexp(0.0, x),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("rows"))
    parser.add_argument("--n", nargs="+", type=int, default=[10_000, 100_000, 1_000_000, 10_000_000])
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--maps", nargs="+", choices=MAPS, default=[*MAPS])
    chosen = parser.parse_args()
    lines = []
    for n in chosen.n:
        by_map = {
            name: recorded(chosen.output, f"{n} {name}", chosen.sets, partial(judged, n, name)) for name in chosen.maps
        }
        for name, sets in {**by_map, "all": [*chain.from_iterable(by_map.values())]}.items():
            rejected = np.array([each["p_value"] <= 0.05 for each in sets])
            said = np.array([each["rung"] != "spline" for each in sets])
            lines.append([f"{n:,}", name, str(len(sets)), rate(rejected), rate(said)])
    print(markdown(["rows", "true map", "sets", "spline rejected (%)", "sentence (%)"], lines))


def judged(n: int, name: str, number: int) -> dict[str, Any]:
    rng = np.random.default_rng([SEED, crc32(name.encode()), n, number])
    x = rng.logistic(size=n) if number % 2 == 0 else rng.normal(-0.5, 1.5, n)
    ladder = Ladder.of(fot.ScoreSample(rng.random(n) < sigmoid(MAPS[name](x)), sigmoid(x)), 0)
    fit = ladder.smooth_fit
    assert fit is not None
    return {"p_value": fit.p_value, "draws": fit.drawn.draws, "rung": ladder.rung}


if __name__ == "__main__":
    main()
