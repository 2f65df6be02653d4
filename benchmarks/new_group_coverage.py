"""How often the band of a new group holds its curve, for groups whose curves are known.

Usage: ``python benchmarks/new_group_coverage.py [-o new_group.csv] [--cases ...] [--sets 200] [--draws 100]
[--level 0.9] [--table]``.

Groups of scores and labels are simulated: scores Phi(s), of which three tenths of the variance of s are of the group,
the true map a probit line, and labels that a group shares by a normal copula with the correlation ICC; "slopes": and by
a second number that moves the ends of the curve. The band is made of a spline, and by how much of all new groups have
their curve inside is computed, not drawn: at the quantiles .05, .1, .25, .5, .75, .9 and .95 of the scores. "spread
alone" is the same band by the estimated rho and a normal quantile, with the map taken for known.

Every data set has a seed of its own. Results are appended to the CSV file, and what is there already is not computed
again. ``--table`` prints the file: the mean coverage over sets and scores in percent, its standard error over the sets,
the lowest mean over the seven scores, the coverage of the spread alone, and mean and standard deviation of rho.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import fitontest as fot
from fitontest.data.dependence import standardised_logits
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.new_group import new_group_bands, rho_at, spread
from report import markdown, tell

SEED = 36_2026
QUANTILES = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
OF_SCORES = 0.3  # share of the variance of the scores that is of the group
SLOPES = 0.05  # rho1 of the cases with slopes
CASES = {  # groups, rows of each, ICC, rho1, whether scores are calibrated
    "100 x 30, ICC .15": (100, 30, 0.15, 0.0, True),
    "100 x 30, ICC .15, overconfident": (100, 30, 0.15, 0.0, False),
    "100 x 30, ICC .15, slopes": (100, 30, 0.15, SLOPES, True),
    "30 x 30, ICC .15": (30, 30, 0.15, 0.0, True),
    "30 x 100, ICC .15": (30, 100, 0.15, 0.0, True),
    "15 x 100, ICC .15": (15, 100, 0.15, 0.0, True),
    "100 x 30, ICC .05": (100, 30, 0.05, 0.0, True),
    "100 x 10, ICC .05": (100, 10, 0.05, 0.0, True),
    "30 x 10, ICC .05": (30, 10, 0.05, 0.0, True),
}
HELD = [f"at_{q:.2f}" for q in QUANTILES]
COLUMNS = ("case", "level", "set", *HELD, "alone", "rho0", "rho1")


def drawn(case: str, number: int) -> tuple:
    """Return labels, scores and groups of a data set."""
    several, size, rho0, rho1, calibrated = CASES[case]
    rng = np.random.default_rng([SEED, list(CASES).index(case), number])
    group = np.repeat(np.arange(several), size)
    shared, own = rng.standard_normal(several)[group], rng.standard_normal(group.size)
    p = ndtr(np.sqrt(OF_SCORES) * shared + np.sqrt(1 - OF_SCORES) * own)
    h = standardised_logits(p, np.ones(p.size))
    z = rng.standard_normal((2, several))[:, group]
    latent = np.sqrt(rho0) * z[0] + np.sqrt(rho1) * h * z[1]
    latent += np.sqrt(1 - rho0 - rho1 * h**2) * rng.standard_normal(group.size)
    return latent < true_probit(p, calibrated), p, group


def true_probit(p, calibrated):
    """Return Phi^-1 of the true map."""
    return ndtri(p) if calibrated else 0.6 * ndtri(p) - 0.2


def share_inside(x, h, lower, upper, case):
    """Return the share of all new groups whose curve lies between the ends, at each score."""
    _, _, rho0, rho1, calibrated = CASES[case]
    rho = rho0 + rho1 * h**2
    q, own = true_probit(x, calibrated), np.sqrt(1 - rho)
    first, last = ((q - own * ndtri(end)) / np.sqrt(rho) for end in (upper, lower))
    return ndtr(last) - ndtr(first)


def row_of(case: str, level: float, number: int, draws: int) -> tuple:
    """Return the coverage at the seven scores of one data set, and what was estimated."""
    y, p, group = drawn(case, number)
    sample = fot.read(y, p, groups=group)
    x = np.quantile(p, QUANTILES)
    h = standardised_logits(np.concatenate((p, x)), np.concatenate((np.ones(p.size), np.zeros(x.size))))[p.size :]
    with without_warnings():
        error = fot.calibration_error(sample, interval=None)
        grid = np.unique(np.concatenate((np.linspace(0, 1, 21), x)))
        band = new_group_bands(error, sample, grid, draws, level, random_state=number)[1]
    at = np.searchsorted(band.x, x)
    held = share_inside(x, h, band.lower[at], band.upper[at], case)
    alone = spread(error.map.evaluate(x), rho_at(x, sample, band.dependence), level)
    known = band.dependence
    return case, level, number, *held, share_inside(x, h, *alone, case).mean(), known.intercept, known.slope


def table(rows: list[dict]) -> str:
    """Return what is known of each case."""
    of_case = defaultdict(list)
    for row in rows:
        of_case[row["case"], float(row["level"])].append(row)
    lines = []
    for (case, level), each in of_case.items():
        held = 100 * np.array([[float(row[name]) for name in HELD] for row in each])
        alone, rho0, rho1 = (np.array([float(row[name]) for row in each]) for name in ("alone", "rho0", "rho1"))
        of_sets = held.mean(axis=1)
        lines.append(
            [
                case,
                f"{level:g}",
                str(len(each)),
                f"{of_sets.mean():.1f} +- {of_sets.std(ddof=1) / np.sqrt(len(each)):.1f}",
                f"{held.mean(axis=0).min():.1f}",
                f"{100 * alone.mean():.1f}",
                f"{rho0.mean():.3f} ({rho0.std(ddof=1):.3f})",
                f"{rho1.mean():.3f}",
                f"{100 * np.mean(rho0 == 0):.0f}",
            ]
        )
    header = ("groups", "level", "S", "held, %", "lowest score", "spread alone", "rho0 (s.d.)", "rho1", "rho0 = 0, %")
    return markdown(header, lines)


def main() -> None:
    """Compute what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("new_group.csv"))
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    known = []
    if options.output.exists():
        with options.output.open(newline="") as file:
            known = list(csv.DictReader(file))
    if options.table:
        print(table(known))
        return
    done = {(row["case"], float(row["level"]), int(row["set"])) for row in known}
    with options.output.open("a", newline="") as file:
        writer = csv.writer(file)
        if not known:
            writer.writerow(COLUMNS)
        for number in range(options.sets):
            for case in options.cases:
                if (case, options.level, number) not in done:
                    writer.writerow(row_of(case, options.level, number, options.draws))
                    file.flush()
            tell(f"set {number + 1} of {options.sets}")


if __name__ == "__main__":
    main()
