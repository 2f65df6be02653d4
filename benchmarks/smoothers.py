"""How fast lowess, loess and restricted cubic splines are fitted, once and 450 times, beside the lowess of statsmodels.

Usage: ``python benchmarks/smoothers.py [--n 1000 10000 100000] [--pairs 5]``; it needs statsmodels.

Both lowess are R's ``lowess(p, y, iter = 0)`` with a span of 2/3 and delta 1 % of the range. The table says how far
their values are apart: statsmodels gives rows within a thousandth of the reach their tricube weight, R gives them 1.
"refits" are 450 labellings of the same scores, which ours shares; those of statsmodels are 450 times one fit. CPU
seconds of one process, medians of pairs that are run in turn.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np

import fitontest as fot
from fitontest.data.entries import entries_of_rows
from report import machine_facts, markdown, number
from timing import paired

REFITS = 450
MOST_REFITTED = 10_000  # rows


def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores."""
    rng = np.random.default_rng(n)
    p = rng.random(n)
    return (rng.random(n) < p**1.2).astype(float), p


def refit(family: fot.Family, y: np.ndarray, p: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the values of 450 labellings at their scores, with nothing known of the scores before."""
    return family.fit_many(entries_of_rows(fot.ScoreSample(y, p)), labels).at()


def rows_of(n: int, pairs: int, lowess: Any) -> list[list[str]]:
    """Return the lines of one number of rows."""
    y, p = draw(n)
    labels = (np.random.default_rng(0).random((n, REFITS)) < np.sort(p)[:, None]).astype(np.intp)
    delta = 0.01 * float(np.ptp(p))

    def theirs() -> np.ndarray:
        return np.asarray(lowess(y, p, frac=2 / 3, it=0, delta=delta, return_sorted=False))

    lines = []
    for family in (fot.risk.Lowess(), fot.risk.Loess(), fot.families.RestrictedCubicSpline()):
        apart = np.abs(theirs() - family.fit(p, y).predict(p)).max() if isinstance(family, fot.risk.Lowess) else np.nan
        fits = paired(lambda family=family: family.fit(p, y), theirs, pairs, process_time)
        cells = [f"{n:,}", str(family), f"{fits.ours_ms / 1e3:.4f}", f"{fits.theirs_ms / 1e3:.4f}", number(fits.ratio)]
        refits = ["-", "-"]
        if n <= MOST_REFITTED:
            own = paired(lambda family=family: refit(family, y, p, labels), theirs, pairs, process_time)
            refits = [f"{own.ours_ms / 1e3:.3f}", number(own.ratio / REFITS)]
        lines.append([*cells, *refits, "-" if np.isnan(apart) else f"{apart:.1e}"])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    from statsmodels.nonparametric.smoothers_lowess import lowess

    print(machine_facts())
    titles = [
        "rows",
        "family",
        "fit (s)",
        "statsmodels (s)",
        "ratio",
        "450 refits (s)",
        "of 450 of statsmodels",
        "apart",
    ]
    print(markdown(titles, [line for n in given.n for line in rows_of(n, given.pairs, lowess)]))


if __name__ == "__main__":
    main()
