"""What a binned calibration error spends its time on: the checks of the input, the sums, the fit, and the result.

Usage: ``python benchmarks/fixed_cost.py [--n 100 10000 1000000] [--repeats 15]``.

Every line is a call that does all that the lines above it do, and something more. The last one is relplot's sum of
residuals, which checks nothing and counts nothing; without relplot it is left out. Calls of few rows are timed fifty
at a time, in CPU time.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

import fitontest as fot
from fitontest.measures.plug_in import PlugIn
from report import machine_facts, markdown
from timing import seconds_of

BINS = 15
FAMILY = fot.Slope1(BINS, "equal_width")


def steps(y: np.ndarray, p: np.ndarray) -> dict[str, Callable[[], object]]:
    """Return the calls by what they add."""
    edges = fot.Slope1(BINS, "equal_width").fit_sample(fot.ScoreSample(y, p)).partition_
    calls: dict[str, Callable[[], object]] = {
        "labels read, scores checked (finite, in [0, 1])": lambda: fot.ScoreSample(y, p),
        "bins found, rows, scores and positives summed": lambda: edges.summarise(fot.ScoreSample(y, p)),
        "bins made, map made": lambda: FAMILY.solve(fot.ScoreSample(y, p)),
        "family cloned and fitted, error, standard error": lambda: PlugIn(FAMILY).estimate(fot.ScoreSample(y, p)),
        "calibration_error": lambda: fot.calibration_error(y, p, family=FAMILY),
    }
    try:
        from relplot.metrics import binnedECE
    except ImportError:
        return calls
    return {**calls, "relplot": lambda: binnedECE(p, y, nbins=BINS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", nargs="+", type=int, default=[100, 10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    print(machine_facts())
    rows = []
    for n in given.n:
        rng = np.random.default_rng(0)
        p = rng.random(n)
        calls = steps((rng.random(n) < p**1.3).astype(np.int64), p)
        batch = min(50, max(1, 200_000 // n))
        for what, call in calls.items():
            call()
            times = [seconds_of(lambda: [call() for _ in range(batch)], process_time) for _ in range(given.repeats)]  # noqa: B023
            rows.append([f"{n:,}", what, f"{1e3 * median(times) / batch:.3f}"])
    print(markdown(("n", "up to", "ms"), rows))


if __name__ == "__main__":
    main()
