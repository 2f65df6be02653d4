"""CalibratedClassifier against scikit-learn's CalibratedClassifierCV, and how long a comparison of calibrators takes.

Run it as ``python benchmarks/calibrating.py``; ``--quick`` takes a tenth of the rows and three pairs. Both classifiers
have naive Bayes behind them and the same five folds; the difference is the largest of their probabilities. The
comparison of calibrators is timed by itself: nobody else makes one with paired differences.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from comparison import HEADER, Comparison, Target
from report import machine_facts, markdown, number
from timing import peak_bytes, seconds_of

PAIRS = 7
CASES: dict[str, tuple[fot.Family, str]] = {
    "isotonic": (fot.Isotonic(), "isotonic"),
    "platt": (fot.Platt("identity", smoothing=True), "sigmoid"),
}


def rows(n: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    found: tuple[np.ndarray, np.ndarray] = make_classification(
        n, 10, n_informative=6, n_classes=classes, random_state=0
    )
    return found


def ours(family: fot.Family, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return fot.CalibratedClassifier(GaussianNB(), family).fit(x, y).predict_proba(x)


def theirs(method: str, x: np.ndarray, y: np.ndarray) -> Any:
    return CalibratedClassifierCV(GaussianNB(), method=method, ensemble=True).fit(x, y).predict_proba(x)


def decided(family: fot.Family, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    made = fot.CalibratedClassifier(LogisticRegression(), family, response_method="decision_function")
    return made.fit(x, y).predict_proba(x)


def decided_by_them(method: str, x: np.ndarray, y: np.ndarray) -> Any:
    return CalibratedClassifierCV(LogisticRegression(), method=method, ensemble=True).fit(x, y).predict_proba(x)


def largest(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


def comparisons(n: int) -> list[Comparison]:
    found = []
    for classes in (2, 5):
        x, y = rows(n, classes)
        for name, (family, method) in CASES.items():
            called = f"{name}, {classes} classes"
            calls = partial(ours, family), partial(theirs, method)
            found.append(Comparison(called, method, x, y, *calls, largest, Target(1.2), PAIRS))
    x, y = rows(n, 2)
    calls = partial(decided, fot.Platt(smoothing=True)), partial(decided_by_them, "sigmoid")
    found.append(Comparison("platt of decision values", "sigmoid", x, y, *calls, largest, Target(1.2), PAIRS))
    return found


def compared(n: int, families: list[str], evaluators: tuple[str, ...]) -> list[str]:
    """Return the row of one comparison of calibrators."""
    rng = np.random.default_rng(0)
    p = rng.random(n)
    y = (rng.random(n) < p**1.3).astype(np.int64)
    call = partial(fot.compare_calibrators, y, p, families=families, evaluators=evaluators)
    call()  # compiles pl and pl3
    memory = peak_bytes(call) / (y.nbytes + p.nbytes)
    return [f"{n:,}", f"{len(families)}", str(len(evaluators)), number(seconds_of(call)), number(memory)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n, pairs = (10_000, 3) if quick else (100_000, None)
    table = [one.row(pairs) for one in comparisons(n)]
    print(f"{machine_facts()}\n\n{markdown(HEADER, table)}\n")
    every = fot.available_families()
    cheap = [name for name in every if name not in ("pl", "pl3")]
    timed = []
    for size in (1_000, 10_000) if quick else (1_000, 10_000, 100_000, 1_000_000):
        timed += [compared(size, cheap, ("slope1", "isotonic")), compared(size, every, ("slope1", "pl", "isotonic"))]
    print(markdown(("n", "families", "evaluators", "compare_calibrators (s)", "memory / input"), timed))


if __name__ == "__main__":
    main()
