"""How often the joint test rejects scores that are calibrated, shifted or tilted in logits, with few rows.

Usage: ``python benchmarks/joint_power.py [--sets 200] [--src FOLDER]``; it takes ten minutes.

Logits are from N(0, 1.5^2), or from N(.5, 3^2), whose scores tell the classes apart. Labels have the probabilities
sigmoid(a + b x) of the logits x: calibrated (a = 0, b = 1), shifted (a = .6), overconfident (b = .64) and
underconfident scores (b = 1.7) of 112 rows; of others a and b - 1 shrink with the root of the rows, so that as much can
be seen. Shares of rejections (p <= .05, 199 draws) are in percent with their standard error.
"""

import argparse
import sys

import numpy as np
from scipy.special import expit

from report import machine_facts, markdown, tell

SEED = 57_2026
SIZES = (60, 112, 300)
SCORES = {"N(0, 1.5)": (0.0, 1.5), "N(.5, 3)": (0.5, 3.0)}
ERRORS = {"calibrated": (0.0, 0.0), "shifted": (0.6, 0.0), "slope below 1": (0.0, -0.36), "slope above 1": (0.0, 0.7)}
DRAWS = 199
HEADER = ("logits", "labels", *(f"n = {n}" for n in SIZES))


def share(n: int, scores: str, error: str, sets: int) -> str:
    """Return how often sets are rejected."""
    import fitontest as fot
    from fitontest.uncertainty.joint import joint_test

    (mean, spread), smaller = SCORES[scores], np.sqrt(112 / n)
    shift, tilt = (each * smaller for each in ERRORS[error])
    rejected = 0
    for number in range(sets):
        tell(f"n = {n}, {scores}, {error}: set {number}")
        rng = np.random.default_rng([SEED, n, [*SCORES].index(scores), [*ERRORS].index(error), number])
        x = rng.normal(mean, spread, n)
        y = rng.random(n) < expit(shift + (1.0 + tilt) * x)
        rejected += joint_test(fot.ScoreSample(y, expit(x)), DRAWS).p_value <= 0.05
    part = rejected / sets
    return f"{100 * part:.1f} +- {100 * np.sqrt(part * (1 - part) / sets):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200, help="data sets of a size and an error")
    parser.add_argument("--src", help="the sources of another version, such as that of before")
    given = parser.parse_args()
    if given.src:
        sys.path.insert(0, given.src)
    told = [
        [scores, error, *(share(n, scores, error, given.sets) for n in SIZES)] for scores in SCORES for error in ERRORS
    ]
    tell("")
    print(machine_facts(), "\n")
    print(markdown(HEADER, told))


if __name__ == "__main__":
    main()
