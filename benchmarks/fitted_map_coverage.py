"""How often the interval of the error after calibration holds the true error of the map that is used.

Usage: ``python benchmarks/fitted_map_coverage.py [--sets 50] [--rows 500 1500 7000] [--first 1000] [--truths ...]``

Scores take 5, 10 or 21 values, or are continuous. From each true map labels are drawn, families are fitted to all rows,
and the true error is mean |c_hat(p) - c(p)| of these rows. A line for each case and family: the mean true error, the
estimate, its mean absolute error, the share of sets whose 95 % interval holds the true error with its standard error,
the share whose interval ends below it, the mean width, and in how many sets there was an interval. Errors in
thousandths. The truths "jump", up and down by .08 from one score to the next, break what is assumed of continuous
scores: no map that is fitted can follow them.
"""

import argparse
import warnings

import numpy as np
from scipy.special import expit, logit

import fitontest as fot
from fitontest.uncertainty.fitted_map import FittedMap

LEVEL = 0.95
SCORES = {
    "5 values": lambda rng, n: rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], n, p=[0.3, 0.25, 0.2, 0.15, 0.1]),
    "10 values": lambda rng, n: rng.integers(1, 11, n) / 11,
    "21 values": lambda rng, n: rng.binomial(20, rng.beta(1.2, 2, n)) / 20,
    "continuous": lambda rng, n: rng.beta(1, 2, n),
}
TRUTHS = {
    "calibrated": lambda p: np.clip(p, 0.01, 0.99),
    "tilted": lambda p: expit(0.7 * logit(np.clip(p, 0.01, 0.99)) + 0.3),
    "wave": lambda p: np.clip(p + 0.1 * np.sin(2 * np.pi * p), 0.01, 0.99),
    "jump": lambda p: np.clip(p + 0.08 * np.where(np.sin(1e4 * p) > 0, 1, -1), 0.01, 0.99),
}


def families():
    """Return the maps that are used: the mixture that is chosen by default, a small family, and a large one."""
    default = ["identity", "temperature", "platt", "beta", "isotonic", "spline", "venn_abers"]
    return {
        "stacking": fot.families.Stacking(default, random_state=0),
        "platt": fot.Platt(),
        "isotonic": fot.Isotonic(),
    }


def measure(scores, truth, n, seed):
    """Return of each family the true error, the estimate and the ends of its interval, NaN where there is none."""
    rng = np.random.default_rng(seed)
    p = SCORES[scores](rng, n)
    c = TRUTHS[truth](p)
    sample = fot.read((rng.random(n) < c).astype(int), p)
    found = {}
    for name, family in families().items():
        family.fit_sample(sample)
        true = float(np.mean(np.abs(family.predict(p, clip=True) - c)))
        known = FittedMap(sample, family, fot.families.make("spline"), 0).uncertainty(LEVEL)
        ends = (np.nan, np.nan) if known.interval is None else (known.interval.low, known.interval.high)
        found[name] = (true, known.debiased, *ends)
    return found


def main():
    """Print a line for each case and family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 1500, 7000])
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--truths", nargs="+", choices=TRUTHS, default=["calibrated", "tilted"])
    parser.add_argument("--scores", nargs="+", choices=SCORES, default=list(SCORES))
    options = parser.parse_args()
    print(
        "scores      truth          n  family    true  estimate  off  held (s.e.)  above  width  intervals", flush=True
    )
    for n in options.rows:
        for scores in options.scores:
            for truth in options.truths:
                seeds = range(options.first, options.first + options.sets)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    each = [measure(scores, truth, n, seed) for seed in seeds]
                for name in families():
                    tell(scores, truth, n, name, np.array([one[name] for one in each]))


def tell(scores, truth, n, name, rows):
    """Print a line."""
    true, estimate, low, high = rows.T
    known = ~np.isnan(low)
    held = ((low <= true) & (true <= high))[known]
    share = held.mean() if held.size else np.nan
    error = 100 * np.sqrt(max(share * (1 - share), 0.01) / max(held.size, 1))
    above = (true > high)[known].mean() if held.size else np.nan
    off = 1e3 * np.abs(estimate - true).mean()
    width = 1e3 * np.nanmean(high - low) if held.size else np.nan
    print(
        f"{scores:11s} {truth:10s} {n:5d}  {name:8s}{1e3 * true.mean():6.1f}{1e3 * estimate.mean():10.1f}{off:5.1f}"
        f"{100 * share:6.0f} ({error:.0f}){100 * above:10.0f}{width:7.1f}{held.size:7d}",
        flush=True,
    )


if __name__ == "__main__":
    main()
