"""The row KCE of Table 26 of the fit-on-test paper: the unbiased kernel error as an estimate of the squared error.

Usage: ``python benchmarks/kernel_study.py [--sizes 1000 3000 10000] [--kernel rbf]``.

For each of the 1,575 synthetic data sets of the paper, drawn bit by bit as the authors drew them, the estimate is
compared with the true squared calibration error of the set, mean (p - c)^2. Printed is the mean distance, x 1000, over
errors, seeds and sizes for each shape, with the published number beside it, and the same for each size alone.
"""

import argparse
from time import perf_counter

import numpy as np

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from fitontest.datasets import SHAPES, Derivate
from fitontest.truth import true_error
from report import machine_facts, markdown, tell
from study_tables import published

ERRORS = tuple(round(float(error), 3) for error in np.arange(0, 0.10001, 0.005))
SIZES = (1000, 3000, 10_000)
SEEDS = tuple(range(5))


def distances(shape: str, n: int, measure: fot.measures.KernelError) -> list[float]:
    """Return |estimate - mean (p - c)^2| for every error and seed of one shape and size."""
    found = []
    for error in ERRORS:
        for seed in SEEDS:
            y, p, c = Derivate(shape, error).draw_as_published(n, seed)
            estimate = float(measure.estimate(ScoreSample(y, p)))
            found.append(abs(estimate - true_error(p, c, distance="brier")))
    return found


def report(sizes: list[int], measure: fot.measures.KernelError) -> str:
    """Return the table in Markdown."""
    theirs, rows = published()["26"]["KCE"], []
    for shape in SHAPES:
        each = []
        for n in sizes:
            tell(f"{shape}, n = {n:,}")
            each.append(distances(shape, n, measure))
        alone = [f"{1e3 * np.mean(one):.4f}" for one in each]
        rows.append([shape, f"{1e3 * np.mean(each):.4f}", f"{theirs[shape]:.2f}", *alone])
    tell("")
    return markdown(["shape", "ours", "published", *(f"n = {n:,} alone" for n in sizes)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--kernel", choices=["exponential", "rbf"], default="rbf")
    given = parser.parse_args()
    start = perf_counter()
    table = report(given.sizes, fot.measures.KernelError(given.kernel))
    title = f"Mean |SKCE - mean (p - c)^2|, x 1000, kernel {given.kernel}, unbiased"
    print(f"{machine_facts()}\n\n{title}\n\n{table}\n\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
