"""What an interval costs beside the error itself, and beside refitting one labelling after the other.

Usage: ``python benchmarks/interval_speed.py [--n 1000 10000 1000000] [--families ...] [--repeats 3]``.

"error": one plug-in error. "interval": the error with its debiased value, its 95 % interval (5 truths of 50 labellings)
and its null of 200 labellings. "refits": the same 450 refits one after the other, from the time of ten. The fastest of
the repeats, in seconds of wall time. With ``--pooling``: how far pooling more than 40,000 rows into 20,000 entries
moves the ends of the interval on average, as a share of its width, measured at 40,001 rows with and without for five
seeds of the draws; beside it how far other draws move them.
"""

import argparse
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

import fitontest as fot
from fitontest.data import entries
from fitontest.results.exceptions import without_warnings
from report import machine_facts, markdown, number

FAMILIES: dict[str, Callable[[], fot.Family]] = {
    "slope1, 15 bins": lambda: fot.Slope1(15),
    "slope1": fot.Slope1,
    "flat": fot.Flat,
    "isotonic": fot.Isotonic,
    "pava_bc": fot.PavaBlocks,
    "platt": fot.Platt,
    "temperature": fot.families.Temperature,
    "beta": fot.Beta,
    "spline": fot.Spline,
    "pl3": fot.PL3,
}
REFITS = 450
SEEDS = 5  # of the draws, where pooling is looked at


def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    p = rng.random(n)
    return (rng.random(n) < p**1.2).astype(int), p


def seconds(action: Callable[[], object], repeats: int) -> float:
    """Return the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return min(times)


def one_by_one(family: fot.Family, y: np.ndarray, p: np.ndarray) -> float:
    """Return the time of 450 refits one after the other, from that of ten."""
    each = entries.entries_of_rows(fot.ScoreSample(y, p))
    rng = np.random.default_rng(0)
    labels = (rng.random((len(each), 10)) < each.p[:, None]).astype(np.intp)
    return REFITS / 10 * seconds(lambda: fot.Family.fit_many(family, each, labels).at(), 1)


def moved(family: fot.Family) -> tuple[float, float]:
    """Return how far pooling, and other draws, move the ends of an interval, as shares of its width."""
    y, p = drawn(entries.MOST_ROWS + 1)
    most = entries.MOST_ROWS
    pooled = ends_of(y, p, family)
    entries.MOST_ROWS = most + 1
    try:
        exact = ends_of(y, p, family)
    finally:
        entries.MOST_ROWS = most
    width = float(np.mean(exact[:, 1] - exact[:, 0]))
    apart = np.abs(exact[1:] - exact[:-1]).mean() / width
    return float(np.abs(pooled - exact).mean()) / width, float(apart)


def ends_of(y: np.ndarray, p: np.ndarray, family: fot.Family) -> np.ndarray:
    """Return both ends of the interval for each of a few seeds of its draws, shape (seeds, 2)."""
    found = [fot.calibration_error(y, p, family=family, interval="always", random_state=seed) for seed in range(SEEDS)]
    return np.array([(error.interval.low, error.interval.high) for error in found])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", nargs="+", type=int, default=[1000, 10_000, 1_000_000])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pooling", action="store_true", help="measure also what pooling changes")
    given = parser.parse_args()
    lines = []
    with without_warnings():
        for name in given.families:
            for n in given.n:
                (y, p), family = drawn(n), FAMILIES[name]()
                measure = partial(fot.calibration_error, y, p, family=family)
                measure()  # jax compiles
                error, interval = (
                    seconds(each, given.repeats) for each in (measure, partial(measure, interval="always"))
                )
                refits = one_by_one(family, y, p) if n <= 10_000 and name != "pl3" else None
                ratio = "-" if refits is None else f"{refits / interval:.0f} x"
                cells = [number(error), number(interval), "-" if refits is None else number(refits), ratio]
                lines.append([name, f"{n:,}", *cells])
    print(machine_facts())
    print()
    print(markdown(("family", "n", "error", "interval", "refits", "refits / interval"), lines))
    if given.pooling:
        print()
        chosen = [name for name in given.families if name != "pl3"]
        with without_warnings():
            shares = [[name, *(f"{100 * share:.1f} %" for share in moved(FAMILIES[name]()))] for name in chosen]
        print(markdown(("family", "pooling moves the ends by", "other draws by"), shares))


if __name__ == "__main__":
    main()
