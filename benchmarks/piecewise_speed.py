"""How long PL and PL3 take: the whole cross-validation, beside the authors' training recipe and beside pwlf.

Run ``python benchmarks/piecewise_speed.py`` (some ten minutes; ``--quick`` leaves out the two largest sizes and most of
the recipe). Cold is the first fit of a fresh process, import of jax and compilation included; warm the median of five
later ones. The recipe is measured where it can be, its compilations left out; beyond, its time is extrapolated from two
fits, and marked so. pwlf is measured where it is installed.
"""

import argparse
import subprocess
import sys
import tempfile
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

import adam_recipe
import fitontest as fot
from report import machine_facts, markdown, number
from timing import peak_bytes, seconds_of
from truth_sets import draw

Array = NDArray[np.float64]
SET = "square .10"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
RECIPE_UP_TO = 10_000  # rows up to which the recipe's cross-validation is run
RECIPE_AT_ALL = 100_000  # and to which it is extrapolated
AUTHORS = {
    ("pl", 10_000): 220.0,
    ("pl3", 10_000): 300.0,
}  # wall seconds of their TensorFlow code, extrapolated from fits
COLD = """
import sys, time
import numpy as np
with np.load(sys.argv[2]) as data:
    p, y = data["p"], data["y"]
start = time.perf_counter()
import fitontest as fot
fot.families.make(sys.argv[1]).fit(p, y)
print(time.perf_counter() - start)
"""


def cold(kind: str, path: str) -> float:
    """Return the seconds that a fresh process takes for its first fit, with all that it imports for it."""
    command = [sys.executable, "-c", COLD, kind, path]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(found.stdout)


def warm(kind: str, p: Array, y: Array) -> float:
    fot.families.make(kind).fit(p, y)
    return median(seconds_of(lambda: fot.families.make(kind).fit(p, y)) for _ in range(5))


def recipe(kind: str, p: Array, y: Array) -> tuple[float, str]:
    """Return the seconds of the recipe's cross-validation without its compilations, and how they were found."""
    if p.size <= RECIPE_UP_TO:
        adam_recipe.cross_validate(p, y, kind)  # type: ignore[arg-type]
        return adam_recipe.cross_validate(p, y, kind).seconds, "measured"  # type: ignore[arg-type]
    train = slice(0, p.size * 9 // 10)
    order = np.random.default_rng(0).permutation(p.size)
    p, y = p[order][train], y[order][train]
    fits = []
    for n_bins in (2, 8):
        adam_recipe.fit(p, y, n_bins, kind)  # type: ignore[arg-type]
        fits.append(adam_recipe.fit(p, y, n_bins, kind).seconds)  # type: ignore[arg-type]
    return 160 * float(np.mean(fits)), "160 times the mean of two fits"


def speed_row(kind: str, n: int, path: str, compare: bool) -> tuple[str, ...]:
    y, p, _ = draw(SET, n, 0)
    np.savez(path, p=p, y=y)
    first = cold(kind, path)
    ours = warm(kind, p, y)
    peak = peak_bytes(lambda: fot.families.make(kind).fit(p, y)) / (p.nbytes + y.nbytes)
    cells = (kind, f"{n:,}", f"{ours:.2f}", f"{first:.2f}", f"{peak:.2g}")
    if not compare:
        return (*cells, "-", "-", "-")
    theirs, how = recipe(kind, p, y)
    authors = AUTHORS.get((kind, n))
    reported = "-" if authors is None else f"{authors / ours:,.0f}"
    return (*cells, f"{number(theirs)} ({how})", f"{theirs / ours:,.0f}", reported)


def pwlf_rows() -> list[tuple[str, ...]]:
    """Return the time of pwlf's free-knot fits of 1000 rows: single fits, not a cross-validation."""
    try:
        import pwlf
    except ImportError:
        print("pwlf is not installed: left out\n")
        return []
    y, p, _ = draw(SET, 1_000, 0)
    rows = []
    for n_bins in (2, 3, 4):
        start = perf_counter()
        pwlf.PiecewiseLinFit(p, y.astype(float), seed=0).fit(n_bins)
        theirs = perf_counter() - start
        family = fot.PL(n_bins, loss="brier", ensemble=False, alpha=0, kappa=0)
        family.fit(p, y)
        ours = median(seconds_of(lambda f=family: f.fit(p, y)) for _ in range(5))
        rows.append((str(n_bins), f"{1e3 * ours:.0f}", f"{1e3 * theirs:,.0f}", f"{theirs / ours:,.0f}"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print(machine_facts() + "\n")
    with tempfile.TemporaryDirectory() as folder:
        sizes = SIZES[:2] if quick else SIZES
        rows = [
            speed_row(kind, n, f"{folder}/data.npz", n <= (1_000 if quick else RECIPE_AT_ALL))
            for kind in ("pl", "pl3")
            for n in sizes
        ]
    head = ("family", "n", "warm (s)", "cold (s)", "peak / input")
    print(markdown((*head, "recipe (s)", "recipe / ours", "authors' code / ours"), rows) + "\n")
    if found := pwlf_rows():
        print(markdown(("segments", "PL, one fit (ms)", "pwlf, one fit (ms)", "pwlf / PL"), found))


if __name__ == "__main__":
    main()
