"""Table 25 of the fit-on-test paper with debiased estimates: whether redrawn labels bring the number nearer the truth.

Usage: ``python benchmarks/debiased_study.py [--families slope1 ...] [--seeds 5] [--every 1] [--processes 2]``.

The 1,575 data sets of `synthetic_study.py`, drawn bit by bit as the authors drew them: five shapes, 21 expected errors
from 0 to .10 (``--every 2`` takes every other), 1,000, 3,000 and 10,000 rows, five seeds. Of every family the plug-in
error and the debiased one; shown is the mean of |estimate - true error| x 1000, over all sets and by the expected
error, with the published number of the method nearest to it (of binning: debiased in the paper's way).
A last column tells how far the debiased mean is from the raw one, paired, with its standard error over the data sets.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import fitontest as fot
from fitontest.datasets import SHAPES, Derivate
from fitontest.results.exceptions import without_warnings
from fitontest.truth import true_error
from report import machine_facts, markdown, tell
from study_tables import published

ERRORS = tuple(round(float(error), 3) for error in np.arange(0, 0.10001, 0.005))
SIZES = (1000, 3000, 10_000)
FAMILIES = {
    "slope1_15": (fot.Slope1(15), "ES_15"),
    "slope1": (fot.Slope1(), "ES_CV"),
    "flat": (fot.Flat(), None),
    "isotonic": (fot.Isotonic(), "isotonic"),
    "pava_bc": (fot.PavaBlocks(), None),
    "platt": (fot.Platt(), "Platt"),
    "beta": (fot.Beta(), "beta"),
    "temperature": (fot.families.Temperature(), None),
    "spline": (fot.Spline(), None),
    "pl3": (fot.PL3(), "PL3"),
    "stacking": (fot.families.Stacking(), None),
    "stacking_no_identity": (fot.families.Stacking(["platt", "beta", "spline", "pl"]), None),
}
Row = tuple[str, str, float, float, float]
RANGES = (("0", 0.0, 0.0), (".005 to .025", 0.005, 0.025), (".03 to .10", 0.03, 0.1))


def measured(shape: str, error: float, seeds: int, families: tuple[str, ...]) -> list[Row]:
    """Return family, shape, expected error, and how far raw and debiased estimates are from the true error."""
    rows = []
    for n in SIZES:
        for seed in range(seeds):
            y, p, c = Derivate(shape, error).draw_as_published(n, seed)
            true = true_error(p, c)
            for name in families:
                with without_warnings():
                    e = fot.calibration_error(y, p, family=FAMILIES[name][0], interval="always", null_draws=1)
                rows.append((name, shape, error, abs(e.value - true), abs((e.debiased or 0.0) - true)))
    return rows


def line_of(name: str, rows: list[Row]) -> list[str]:
    """Return the line of a family."""
    own = [row for row in rows if row[0] == name]
    error, raw, debiased = (np.array([row[k] for row in own]) for k in (2, 3, 4))
    cells = [f"{1e3 * raw.mean():.2f}", f"{1e3 * debiased.mean():.2f}"]
    method = FAMILIES[name][1]
    theirs = published()["25"].get(method, {}) if method else {}
    cells.append(f"{np.mean([theirs[shape] for shape in SHAPES]):.2f} ({method})" if theirs else "-")
    for _, low, high in RANGES:
        inside = (error >= low - 1e-9) & (error <= high + 1e-9)
        cells.append(f"{1e3 * raw[inside].mean():.1f} -> {1e3 * debiased[inside].mean():.1f}" if inside.any() else "-")
    d = 1e3 * (debiased - raw)
    return [name, *cells, f"{d.mean():+.2f} +- {d.std(ddof=1) / np.sqrt(d.size):.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=[*FAMILIES][:-3])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    rows: list[Row] = []
    errors = ERRORS[:: given.every]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        tasks = [
            pool.submit(measured, shape, error, given.seeds, tuple(given.families))
            for error in errors
            for shape in SHAPES
        ]
        for k, task in enumerate(tasks):
            rows += task.result()
            tell(f"{k + 1} of {len(tasks)} shapes and errors")
    tell("")
    print(machine_facts())
    print(f"{len(rows) // len(given.families):,} data sets; mean |estimate - true error| x 1000\n")
    ranges = [f"at {title}" for title, _, _ in RANGES]
    header = ("family", "raw", "debiased", "published", *ranges, "debiased less raw")
    print(markdown(header, [line_of(name, rows) for name in given.families]))


if __name__ == "__main__":
    main()
