"""CalibratedClassifier against scikit-learn's CalibratedClassifierCV, and how long a comparison of calibrators takes.

Run it as ``python benchmarks/calibrating.py``; ``--quick`` takes a tenth of the rows and three pairs. Both classifiers
have naive Bayes behind them and the same five folds; the difference is the largest of their probabilities. The
comparison of calibrators is timed by itself: nobody else makes one with paired differences. How much its default
evaluators add is the ratio of its CPU time to that with ``evaluators=[]``; ``--only ratio`` prints nothing else.
"""

import argparse
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from comparison import HEADER, Comparison, Target
from fitontest.evaluation.comparison.candidates import list_calibrators
from report import machine_facts, markdown, number
from timing import paired, peak_bytes, seconds_of

PAIRS = 7
MOST_FOR_EVALUATORS = 1.5
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


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores whose true map is p ** 1.3."""
    rng = np.random.default_rng(0)
    p = rng.random(n)
    return (rng.random(n) < p**1.3).astype(np.int64), p


def compared(n: int, families: list[str]) -> list[str]:
    """Return the row of one comparison of calibrators with the default evaluators."""
    y, p = scores(n)
    call = partial(fot.compare_calibrators, y, p, families=families)
    call()  # compiles pl and pl3
    memory = peak_bytes(call) / (y.nbytes + p.nbytes)
    return [f"{n:,}", f"{len(families)}", number(seconds_of(call)), number(memory)]


def evaluators_ratio(n: int, families: list[str], pairs: int) -> list[str]:
    """Return the row of the CPU time with the default evaluators against that without any."""
    call = partial(fot.compare_calibrators, *scores(n), families=families)
    call()
    times = paired(call, partial(call, evaluators=[]), pairs, process_time)
    ratio = Target(MOST_FOR_EVALUATORS)
    return [
        f"{n:,}", f"{len(families)}", number(times.ours_ms), number(times.theirs_ms), number(times.ratio), str(ratio),
        ratio.judge(times.ours_ms, times.ratio),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["ratio"])
    given = parser.parse_args()
    n, pairs = (10_000, 3) if given.quick else (100_000, None)
    print(f"{machine_facts()}\n")
    every = list_calibrators()
    cheap = [name for name in every if name not in ("pl", "pl3")]
    if given.only != "ratio":
        print(f"{markdown(HEADER, [one.row(pairs) for one in comparisons(n)])}\n")
        sizes = (1_000, 10_000) if given.quick else (1_000, 10_000, 100_000, 1_000_000)
        timed = [compared(size, families) for size in sizes for families in (cheap, every)]
        print(f"{markdown(('n', 'families', 'compare_calibrators (s)', 'memory / input'), timed)}\n")
    ratios = [evaluators_ratio(size, every, 3) for size in (1_000, 10_000)]
    header = ("n", "families", "CPU (ms)", "evaluators=[] (ms)", "ratio", "target", "verdict")
    print(markdown(header, ratios))


if __name__ == "__main__":
    main()
