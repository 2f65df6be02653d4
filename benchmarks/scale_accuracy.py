"""What cells lose: every kind of error on a million rows, and on their cells.

Usage: ``python benchmarks/scale_accuracy.py [--n 1000000] [--draws 20] [--sets "uniform, off" ...]``.

Eight sets of scores and truths: uniform, very spread, nearly certain and rare ones, calibrated and not.
Printed for each is the largest difference between an error on cells and on rows, by kind of error, beside what was
promised for it, and as a share of the standard deviation of the error over redrawn labels (drawn on the cells).
"""

import argparse
from collections.abc import Callable

import numpy as np

import fitontest as fot
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.results.exceptions import without_warnings
from report import machine_facts, markdown, number, tell

SEED = 21_2026


def logistic(z: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-z))


def moved(p: np.ndarray, slope: float, shift: float) -> np.ndarray:
    """Return the truth whose logit is a line in the logit of the score."""
    with np.errstate(divide="ignore"):
        return logistic(slope * (np.log(p) - np.log1p(-p)) + shift)


SETS: dict[str, Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]] = {
    "uniform, off": lambda rng, n: (p := rng.random(n), p**1.2),
    "uniform, calibrated": lambda rng, n: (p := rng.random(n), p),
    "logit N(0, 6), off": lambda rng, n: (p := logistic(rng.normal(0, 6, n)), moved(p, 0.7, 0.2)),
    "logit N(0, 6), calibrated": lambda rng, n: (p := logistic(rng.normal(0, 6, n)), p),
    "logit N(8, 2), off": lambda rng, n: (p := logistic(rng.normal(8, 2, n)), moved(p, 0.8, -0.5)),
    "logit N(8, 2), calibrated": lambda rng, n: (p := logistic(rng.normal(8, 2, n)), p),
    "rare 4e-4, off": lambda rng, n: (p := rng.beta(1, 2500, n), np.minimum(p * 1.5, 1)),
    "rare 4e-4, calibrated": lambda rng, n: (p := rng.beta(1, 2500, n), p),
}
EDGES = tuple(np.arange(1, 10) / 10)


def plug_in(family: fot.Family | str, norm: str = "l1") -> fot.Measure:
    return fot.measures.make("plug_in", family=family, norm=norm)


KINDS: dict[str, tuple[float, tuple[fot.Measure, ...]]] = {  # what was promised, and of what
    "equal width, 16 bins": (1e-15, (plug_in(fot.Slope1(16, scheme="equal_width")),)),
    "equal mass, other equal width, flat, l2": (
        6e-5,
        (
            plug_in(fot.Slope1(15)),
            plug_in(fot.Slope1(10, scheme="equal_width")),
            plug_in(fot.Flat(15)),
            plug_in(fot.Slope1(15), "l2"),
        ),
    ),
    "isotonic": (6e-5, (plug_in("isotonic"),)),
    "pava_bc": (1e-4, (plug_in("pava_bc"),)),
    "Platt, beta, temperature": (3e-7, (plug_in("platt"), plug_in("beta"), plug_in("temperature"))),
    "largest gap (max)": (6e-4, (plug_in(fot.Slope1(15), "max"),)),
    "TCE": (0.01, (fot.measures.make("tce"),)),
}


def row(name: str, n: int, draws: int, seed: int) -> list[dict[str, str]]:
    rng = np.random.default_rng([SEED, seed])
    p, c = SETS[name](rng, n)
    y = (rng.random(n) < c).astype(float)
    rows, cells = fot.ScoreSample(y, p), fot.Cells.of(y, p)
    sample = cells.sample()
    redraws = ScoreRedraws.of(sample)
    positives = next(redraws.draw([sampled(c, p, redraws.entries.p)], range(draws), [SEED, seed]))
    found = []
    for kind, (promised, measures) in KINDS.items():
        with without_warnings():
            differences = [float(one.estimate(sample)) - float(one.estimate(rows)) for one in measures]
            spreads = [one.values(redraws, positives).std(ddof=1) for one in measures]
        worst = int(np.argmax(np.abs(differences)))
        found.append(
            {
                "set": name,
                "cells": f"{len(cells):,}",
                "kind": kind,
                "difference": f"{differences[worst]:.1e}",
                "promised": f"{promised:.0e}",
                "kept": "yes" if abs(differences[worst]) <= promised else "no",
                "of s.d.": number(max(share(d, s) for d, s in zip(differences, spreads, strict=True))),
            }
        )
        tell(f"{name}: {kind}")
    tell("")
    return found


def share(difference: float, spread: float) -> float:
    """Return a difference in standard deviations; none is none of any."""
    return abs(difference) / spread if spread > 0 else 0.0 if abs(difference) < 1e-15 else np.inf


def sampled(c: np.ndarray, p: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the truth at other scores."""
    order = np.argsort(p)
    return np.interp(at, p[order], c[order])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    options = parser.parse_args()
    print(machine_facts())
    records = [one for name in options.sets for one in row(name, options.n, options.draws, list(SETS).index(name))]
    print(markdown(list(records[0]), [list(one.values()) for one in records]))


if __name__ == "__main__":
    main()
