"""TCE against one scipy.stats.binomtest call per prediction, and its time and memory for millions of rows.

Run it as ``python benchmarks/rejections.py``; ``--quick`` takes a tenth of the rows. scipy is timed on a random sample
of the predictions, on which its decisions must be ours; the time for all predictions is extrapolated from it.
"""

import argparse
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
from scipy.stats import binomtest

import fitontest as fot
from report import machine_facts, markdown, number
from timing import peak_bytes, seconds_of

Data = tuple[np.ndarray, np.ndarray]

HEADER = (
    "partition",
    "n",
    "bins",
    "tce (s)",
    "of it rejections (s)",
    "binomtest, extrapolated (s)",
    "ratio",
    "memory / input",
)
SAMPLE = 1000  # calls of binomtest that are timed
RUNS = 5
PARTITIONS = {
    "pava_bc": "pava_bc",
    "equal_mass 10": "equal_mass",
    "pava": "pava",
    "blocks of 1 to 6": fot.partitions.PavaBC(1, 6),
}


def scores(n: int) -> Data:
    """Return labels and sharp scores without ties whose true map is p ** 1.1."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 2, n)
    return rng.random(n) < p**1.1, p


def binomtest_seconds(error: fot.measures.Estimate, p: np.ndarray) -> float:
    """Return what one call per prediction would take, from a sample on which the decisions are compared."""
    chosen = np.random.default_rng(1).choice(p.size, SAMPLE, replace=False)
    bins = error.partition.locate(p[chosen])
    k, n = error.table.sum_y[bins].astype(int).tolist(), error.table.w[bins].astype(int).tolist()
    cases = list(zip(k, n, p[chosen].tolist(), strict=True))
    start = perf_counter()
    decisions = [binomtest(*case).pvalue <= error.alpha for case in cases]
    seconds = perf_counter() - start
    if decisions != error.rejects(p[chosen]).tolist():
        raise AssertionError("scipy and fitontest decide differently")
    return seconds * p.size / SAMPLE


def row(name: str, n: int) -> list[str]:
    """Return one line of the table."""
    y, p = scores(n)
    call = partial(fot.tce, y, p, partition=PARTITIONS[name])
    error = call()
    edges = partial(fot.gce, y, p, partition=error.partition)  # without making the partition
    whole = median(seconds_of(call) for _ in range(RUNS))
    tests = median(seconds_of(partial(edges, loss="rejection")) - seconds_of(edges) for _ in range(RUNS))
    theirs = binomtest_seconds(error, p)
    share = peak_bytes(call) / (p.nbytes + y.nbytes)
    cells = [number(whole), number(tests), number(theirs), f"{theirs / whole:,.0f}", number(share)]
    return [name, f"{n:,}", f"{error.n_bins:,}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    divisor = 10 if parser.parse_args().quick else 1
    sizes = [(name, n) for name in ("pava_bc", "equal_mass 10") for n in (50_000, 1_000_000, 10_000_000)]
    sizes += [("pava", 1_000_000), ("blocks of 1 to 6", 50_000)]
    print(machine_facts())
    print(f"binomtest: {SAMPLE} calls timed, multiplied by n / {SAMPLE}; same decisions on all of them.\n")
    print(markdown(HEADER, [row(name, n // divisor) for name, n in sizes]))


if __name__ == "__main__":
    main()
