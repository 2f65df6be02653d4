"""What choosing a calibrator gains: the chosen map on test rows, beside every fixed family and the oracle.

Usage: ``python benchmarks/calibrator_choice.py FOLDER [--scoring brier] [--repeats 3]``.

FOLDER holds files *.npz with y_val, y_test and, for each model M, p_val_M and p_test_M: the scores of a classifier
that was trained on other rows. Each calibrator is chosen and fitted on the val rows and judged on the test rows. The
regret is its test loss less that of the oracle, the family that is best on these very test rows.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fitontest as fot
from report import machine_facts, markdown, tell

RULES = ("one_se", "best")


def problems(folder: Path) -> Iterator[tuple[str, fot.Sample, fot.Sample]]:
    """Yield (name, val rows, test rows) of every model with scores of two classes."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            models = [key.removeprefix("p_val_") for key in found if key.startswith("p_val_")]
            for model in models:
                scores = found[f"p_val_{model}"]
                if scores.ndim == 1:
                    val = fot.Sample(found["y_val"], scores)
                    yield f"{path.stem} {model}", val, fot.Sample(found["y_test"], found[f"p_test_{model}"])


def compared(val: fot.Sample, test: fot.Sample, scoring: str, repeats: int) -> fot.Comparison:
    return fot.compare_calibrators(val.y, val.p, test=(test.y, test.p), scoring=scoring, repeats=repeats, evaluators=[])


def single(name: str, comparison: fot.Comparison) -> list[str]:
    """Return the row of one problem."""
    oracle = min(comparison, key=lambda one: one.test.score)
    cells = [name, f"{comparison.n:,}", oracle.name, f"{oracle.test.score:.5f}"]
    for rule in RULES:
        chosen = comparison[comparison.choice(rule)]
        cells += [chosen.name, f"{1e3 * chosen.test.to_best.mean:.2f}"]
    gap = comparison[comparison.choice("one_se")].test.to_identity
    return [*cells, f"{1e3 * gap.mean:+.2f} +- {1e3 * gap.se:.2f}"]


def overall(comparisons: list[fot.Comparison]) -> list[list[str]]:
    """Return one row per strategy: a rule, or always the same family."""
    families = [one.name for one in comparisons[0]]
    strategies = {f"rule {rule}": [one[one.choice(rule)] for one in comparisons] for rule in RULES}
    strategies |= {f"always {name}": [one[name] for one in comparisons] for name in families}
    rows = []
    for name, taken in strategies.items():
        regrets = np.array([one.test.to_best.mean for one in taken])
        worse = sum(one.test.to_identity.mean > one.test.to_identity.se for one in taken)
        numbers = [regrets.mean(), np.median(regrets), np.quantile(regrets, 0.9), regrets.max()]
        rows.append((numbers[0], [name, *(f"{1e3 * number:.2f}" for number in numbers), f"{worse} of {len(taken)}"]))
    return [cells for _, cells in sorted(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scoring", choices=["log_loss", "brier"], default="log_loss")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    rows, comparisons = [], []
    for name, val, test in problems(given.folder):
        tell(name)
        comparisons.append(compared(val, test, given.scoring, given.repeats))
        rows.append(single(name, comparisons[-1]))
    tell("")
    if not rows:
        sys.exit(f"no npz file with y_val, y_test, p_val_* and p_test_* in {given.folder}")
    print(machine_facts(), "\n")
    header = ["strategy", "mean regret", "median", "90 %", "largest", "worse than identity by > 1 s.e."]
    print(f"Test {given.scoring}, in thousandths\n\n{markdown(header, overall(comparisons))}\n")
    header = ["problem", "n", "oracle", "its loss", "one_se", "regret", "best", "regret", "one_se, vs identity"]
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
