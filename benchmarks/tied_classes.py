"""Shares of few votes, of which many are tied: rejections of calibrated ones, and intervals that hold the true error.

Each row has the shares of 6 votes for 3 classes. Its label is drawn of these shares, or of flatter ones. The true error
of the confidence is the mean distance of the scores from the rate at which the predicted class is right at each score,
over all ways to break ties. Run it as `python benchmarks/tied_classes.py --sets 240`.
"""

import argparse
import warnings

import numpy as np

import fitontest as fot

ROWS, VOTES, CLASSES = 300, 6, 3
FIRST = 1000  # of the seeds


def draw(seed: int, *, calibrated: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Return labels, the shares of votes, and the true error of the confidence."""
    rng = np.random.default_rng([seed, 7])
    P = rng.multinomial(VOTES, rng.dirichlet([1.5] * CLASSES), ROWS) / VOTES
    q = P if calibrated else np.sqrt(P + 0.05)
    q = q / q.sum(axis=1, keepdims=True)
    y = (q.cumsum(axis=1) > rng.random((ROWS, 1))).argmax(axis=1)
    top = P.max(axis=1)
    predicted = top[:, None] == P
    right = (q * predicted).sum(axis=1) / predicted.sum(axis=1)
    place = np.unique(top, return_inverse=True)[1]
    rate = np.bincount(place, right) / np.bincount(place)
    return y, P, float(np.abs(rate[place] - top).mean())


def main() -> None:
    """Print the shares, with their standard errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=240)
    sets = parser.parse_args().sets
    warnings.simplefilter("ignore", fot.CalibrationWarning)
    for calibrated in (True, False):
        found = []
        for seed in range(FIRST, FIRST + sets):
            y, P, true = draw(seed, calibrated=calibrated)
            labels = range(CLASSES)
            evaluation = fot.evaluate(y, P, reduction="confidence", labels=labels, families=["spline"])
            interval = evaluation["spline"].interval
            holds = interval is not None and interval.low <= true <= interval.high
            found.append((evaluation.verdict.p_value <= 0.05, holds))
        shares = np.mean(found, axis=0)
        errors = np.sqrt(shares * (1.0 - shares) / sets)
        kind = "calibrated" if calibrated else "flatter"
        print(
            f"{kind}: rejected {shares[0]:.3f} (s.e. {errors[0]:.3f}), "
            f"the 95 % interval holds the true error {shares[1]:.3f} (s.e. {errors[1]:.3f}), {sets} sets"
        )


if __name__ == "__main__":
    main()
