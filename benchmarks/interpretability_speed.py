"""How long the measures of interpretability take, beside an argsort of the scores.

Processor time of our public calls, checks included, each run in turn with the argsort: the ratio is the median of the
pairs. Run it as
``python benchmarks/interpretability_speed.py``; ``--quick`` takes a tenth of the rows.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import fitontest as fot
from report import machine_facts, markdown
from timing import paired, seconds_of

SEED, PAIRS = 0, 7
NEIGHBOURS = (1, 10, 1000)
FEWER = 10  # times fewer rows for Kendall's tau, and with --quick


def scores(n: int) -> dict[str, Any]:
    """Return scores without ties, with some, in single precision, and with many."""
    p = np.random.default_rng(SEED).random(n)
    return {
        "no ties": p,
        "six decimals": np.round(p, 6),
        "float32": p.astype(np.float32),
        "two decimals": np.round(p, 2),
    }


def main() -> None:
    """Print the table of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    n = 10**6 // (FEWER if parser.parse_args().quick else 1)
    rng = np.random.default_rng(SEED + 1)
    rows = []
    for kind, p in scores(n).items():
        y = rng.random(n) < p**1.3

        def add(what: str, call: Callable[[], Any], most: float, kind: str = kind, p: Any = p) -> None:
            call()
            pair = paired(call, lambda: np.argsort(p), PAIRS, process_time)
            theirs = 1e3 * median(pair.theirs)
            rows.append([what, kind, f"{theirs:.0f}", f"{pair.ours_ms:.0f}", f"{pair.ratio:.2f}", f"{most:g}"])

        for k in NEIGHBOURS:
            add(f"knn, k = {k}", lambda k=k, y=y, p=p: fot.families.KNN(k).fit_sample(fot.ScoreSample(y, p)), 3)
            add(
                f"auc_v, k = {k}", lambda k=k, y=y, p=p: fot.measures.ValidityArea(k).estimate(fot.ScoreSample(y, p)), 3
            )
        add(
            "probabilistic_count", lambda y=y, p=p: fot.measures.ProbabilisticCount().estimate(fot.ScoreSample(y, p)), 2
        )
    print(machine_facts())
    print(f"\n{n:,} rows\n")
    print(markdown(["call", "scores", "argsort (ms)", "call (ms)", "ratio", "at most"], rows))
    few = n // FEWER
    for kind, p in scores(few).items():
        y = rng.random(few) < p
        tau = fot.measures.ProbabilisticKendallTau(rng.random(few))
        took = seconds_of(lambda y=y, p=p, tau=tau: tau.estimate(fot.ScoreSample(y, p)), process_time)
        print(f"\nprobabilistic_kendall_tau, {few:,} rows, {kind}: {took:.3f} s, at most 1 s")


if __name__ == "__main__":
    main()
