"""How often the intervals of slope and mean residual hold 1 and 0 for calibrated scores of rows in groups.

Usage: ``python benchmarks/grouped_tendencies.py [--sets 300]``; it takes two minutes.

A data set has K groups of m rows. Scores of a group are alike (latent intraclass correlation .3), uniform or, with few
positives, uniform up to a small number. Labels have the probabilities that the scores say, by normal numbers that rows
of a group share: a label is 1 where Phi(sqrt(icc) Z_k + sqrt(1 - icc) e) < p. Each data set is told of with its groups
and, as rows were before there were groups, without. Coverage is in percent with its standard error; sets of fewer than
eleven positives, which may have no slope, are left out.
"""

import argparse
from zlib import crc32

import numpy as np
from scipy.special import ndtr

import fitontest as fot
from fitontest.measures.interval import Interval
from fitontest.uncertainty.tendency import tendency_of
from report import machine_facts, markdown, tell

SEED = 37_2026
LEAST = 11  # positives
SETTINGS = {  # groups, rows of each, intraclass correlation of the labels, largest score
    "100 x 30, .15": (100, 30, 0.15, 1.0),
    "20 x 50, .15": (20, 50, 0.15, 1.0),
    "10 x 100, .05": (10, 100, 0.05, 1.0),
    "100 x 30, 0": (100, 30, 0.0, 1.0),
    "100 x 30, .15, few positives": (100, 30, 0.15, 0.02),
    "20 x 50, .15, few positives": (20, 50, 0.15, 0.05),
}
OF_SCORES = 0.3
HEADER = ("setting", "sets", "residual, groups", "slope, groups", "residual, rows", "slope, rows")


def draw(setting: str, number: int) -> tuple[np.ndarray, ...]:
    """Return the labels, scores and groups of one data set."""
    K, m, icc, largest = SETTINGS[setting]
    rng = np.random.default_rng([SEED, crc32(setting.encode()), number])
    groups = np.repeat(np.arange(K), m)

    def alike(share: float) -> np.ndarray:
        shared, own = rng.standard_normal(K), rng.standard_normal(groups.size)
        return ndtr(np.sqrt(share) * shared[groups] + np.sqrt(1 - share) * own)

    p = largest * alike(OF_SCORES)
    return (alike(icc) < p).astype(int), p, groups


def holds(interval: Interval | None, value: float) -> float:
    """Return whether an interval holds a value, NaN without one."""
    return np.nan if interval is None else float(interval.low <= value <= interval.high)


def line(setting: str, sets: int) -> list[str]:
    """Return one line of the table."""
    found = []
    for number in range(sets):
        tell(f"{setting}, set {number + 1}")
        y, p, groups = draw(setting, number)
        if y.sum() < LEAST:
            continue
        told = (tendency_of(fot.read(y, p, groups=groups)), tendency_of(fot.read(y, p)))
        found.append([holds(*pair) for one in told for pair in ((one.residual_interval, 0), (one.slope_interval, 1))])
    shares = np.nanmean(found, axis=0)
    errors = np.sqrt(shares * (1 - shares) / len(found))
    return [setting, str(len(found)), *(f"{100 * a:.1f} +- {100 * b:.1f}" for a, b in zip(shares, errors, strict=True))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=300, help="data sets of a setting")
    given = parser.parse_args()
    lines = [line(setting, given.sets) for setting in SETTINGS]
    tell("")
    print(machine_facts(), "\n")
    print(markdown(HEADER, lines))


if __name__ == "__main__":
    main()
