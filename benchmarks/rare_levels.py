"""Intervals of the calibration error where events are rare: how often the default one holds the true error.

The scores are p = expit(a + x) with x standard normal and a mean of the base rate. The truth has the logit of p, plus
f(x) and a constant that makes observed events as many as expected ones. f is -.4 x (smooth), .8 cos(3 x) (wave) or .8
times the sign of that (step). Run it as `python benchmarks/rare_levels.py --sets 25`, or with `--shape wave --rate
0.003` for one case.
"""

import argparse
import time
import warnings
from collections import Counter

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

import fitontest as fot

ROWS = 200_000
RATES = (0.003, 0.01, 0.05)
SHAPES = {
    "smooth": lambda x: -0.4 * x,
    "wave": lambda x: 0.8 * np.cos(3.0 * x),
    "step": lambda x: 0.8 * np.sign(np.cos(3.0 * x)),
}


def with_mean(z: np.ndarray, rate: float) -> np.ndarray:
    """Return probabilities of a mean, whose logits are z but for a constant."""
    return expit(z + brentq(lambda a: float(expit(z + a).mean()) - rate, -40.0, 40.0))


def draw(shape: str, rate: float, seed: int, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray, float]:
    """Return labels, scores and the true error."""
    rng = np.random.default_rng([seed, 20270301])
    x = rng.normal(size=rows)
    p = with_mean(x, rate)
    c = with_mean(logit(p) + SHAPES[shape](x), rate)
    return rng.random(rows) < c, p, float(np.abs(c - p).mean())


def main() -> None:
    """Print the coverage of each case with its standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--shape", choices=SHAPES, nargs="*", default=list(SHAPES))
    parser.add_argument("--rate", type=float, nargs="*", default=RATES)
    parser.add_argument("--each", action="store_true", help="print every interval")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", fot.CalibrationWarning)
    for rate in chosen.rate:
        for shape in chosen.shape:
            held, widths, by, start = [], [], Counter(), time.process_time()
            for seed in range(chosen.first, chosen.first + chosen.sets):
                y, p, true = draw(shape, rate, seed, chosen.rows)
                interval = fot.evaluate(y, p, families=["spline"])["spline"].interval
                if interval is None:
                    by["none"] += 1
                    continue
                by["spline" if interval.roughness is None else interval.roughness.by] += 1
                held.append(interval.low <= true <= interval.high)
                widths.append((interval.high - interval.low) / true)
                if chosen.each:
                    print(f"  {seed}: {interval.low:.3g} to {interval.high:.3g}, true {true:.3g}; {interval.source}")
            seconds = (time.process_time() - start) / chosen.sets
            share = float(np.mean(held)) if held else np.nan
            error = np.sqrt(share * (1.0 - share) / max(len(held), 1))
            print(
                f"rate {rate:g}, {shape}: held {share:.3f} (s.e. {error:.3f}) of {len(held)} intervals, mean width "
                f"{np.mean(widths or [np.nan]):.2f} of the error, {dict(by)}, {seconds:.1f} CPU s a set",
                flush=True,
            )


if __name__ == "__main__":
    main()
