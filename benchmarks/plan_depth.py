"""How far plans of the default depth are from thorough ones, and each depth from itself with another seed.

Usage: ``python benchmarks/plan_depth.py [--seeds 4]``.

Five examples are planned with the seeds 0, 1, ... in both depths, with the same three families. The first two columns
are the rows that the spline needs for the wanted width and, whichever way the scores are wrong, for the wanted power
against the smaller error: geometric means over the seeds. Then follow the ratios of the two depths' means, and the
standard deviations between seeds of the logarithm of the rows and of the logarithm of the widths (pooled over sizes
and families), each default, thorough.
"""

import argparse
import time

import numpy as np

import fitontest as fot
from report import markdown

FAMILIES = ["spline", "isotonic", "slope1"]
EXAMPLES = {
    "base rate .1": {"base_rate": 0.1, "width": 0.02, "power": 0.8},
    "base rate .5, wide": {"base_rate": 0.5, "width": 0.04, "power": 0.8},
    "base rate .02": {"base_rate": 0.02, "errors": (0, 0.005, 0.01), "width": 0.01, "power": 0.8},
    "500 rows at the ends": {"p": None, "width": 0.03, "power": 0.8},
    "300 rows, large errors": {"base_rate": 0.3, "n": 300, "errors": (0, 0.05, 0.1), "width": 0.08, "power": 0.9},
}
HEADER = (
    "example",
    "rows for the width",
    "rows for the power",
    "width",
    "power",
    "s.d. width",
    "s.d. power",
    "s.d. of widths",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    seeds = parser.parse_args().seeds
    rng = np.random.default_rng(0)
    EXAMPLES["500 rows at the ends"]["p"] = np.concatenate([rng.beta(0.3, 3, 400), rng.beta(5, 0.5, 100)])
    body, seconds = [], np.zeros(2)
    for name, options in EXAMPLES.items():
        means, spreads, widths = [], [], []
        for deep in (False, True):
            start = time.process_time()
            plans = [
                fot.apps.plan_evaluation(**options, families=FAMILIES, random_state=seed, thorough=deep)
                for seed in range(seeds)
            ]
            seconds[int(deep)] += time.process_time() - start
            rows = np.log([_rows_needed(plan) for plan in plans])
            means.append(rows.mean(axis=0))
            spreads.append(rows.std(axis=0, ddof=1))
            widths.append(_spread_of_widths(plans))
        ratios = np.exp(means[0] - means[1])
        pairs = zip(spreads[0], spreads[1], strict=True)
        body.append(
            [name, *(f"{n:,.0f}" for n in np.exp(means[0])), *(f"{ratio:.2f}" for ratio in ratios)]
            + [f"{quick:.2f}, {deep:.2f}" for quick, deep in pairs]
            + ["{:.3f}, {:.3f}".format(*widths)]
        )
        print(markdown(HEADER, body[-1:]), flush=True)
    print(markdown(HEADER, body))
    print("CPU of a plan: {:.1f} s, thorough {:.1f} s".format(*(seconds / (seeds * len(EXAMPLES)))))


def _rows_needed(plan: fot.apps.EvaluationPlan) -> tuple[float, float]:
    """Return the rows that the spline needs for the width, and for the power against the smaller error."""
    own = [one for one in plan.needed if one.family == "spline"]
    error = min(one.error for one in own if one.error is not None)
    return (
        max(one.n for one in own if one.requirement == "width"),
        max(one.n for one in own if one.error == error),
    )


def _spread_of_widths(plans: list[fot.apps.EvaluationPlan]) -> float:
    """Return the pooled standard deviation of the logarithm of the largest width of a family at a size."""
    largest: dict[tuple[str, int], list[float]] = {}
    for plan in plans:
        for key in {(row["family"], row["n"]) for row in plan.rows()}:
            widths = [row["width"] or 0.0 for row in plan.rows() if (row["family"], row["n"]) == key]
            largest.setdefault(key, []).append(max(widths))
    variances = [np.var(np.log(widths), ddof=1) for widths in largest.values() if len(widths) == len(plans)]
    return float(np.sqrt(np.mean(variances)))


if __name__ == "__main__":
    main()
