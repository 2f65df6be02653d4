"""What choosing a calibrator gains: the chosen map on test rows, beside every fixed family and the oracle.

Usage: ``python benchmarks/calibrator_choice.py FOLDER [--scoring brier] [--repeats 3] [--seeds 3]``.

FOLDER holds files *.npz with y_val, y_test and, for each model M, p_val_M and p_test_M: the scores of a classifier
that was trained on other rows. Each calibrator is chosen and fitted on the val rows and tested on the test rows. The
regret is its test loss less that of the oracle, the family that is best on these very test rows. With several seeds
the choice is made with other folds for each, and the regrets of a problem are averaged before anything else is.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fitontest as fot
from fitontest.comparison.calibrators import Calibrator
from report import machine_facts, markdown, tell

RULES = ("one_se", "best")


def problems(folder: Path) -> Iterator[tuple[str, fot.Sample, fot.Sample]]:
    """Yield (name, val rows, test rows) of every model with scores of two classes."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            models = [key.removeprefix("p_val_") for key in arrays if key.startswith("p_val_")]
            for model in models:
                scores = arrays[f"p_val_{model}"]
                if scores.ndim == 1:
                    val = fot.Sample(arrays["y_val"], scores)
                    yield f"{path.stem} {model}", val, fot.Sample(arrays["y_test"], arrays[f"p_test_{model}"])


def compared(val: fot.Sample, test: fot.Sample, scoring: str, repeats: int, seed: int) -> fot.Comparison:
    return fot.compare_calibrators(
        val.y, val.p, test=(test.y, test.p), scoring=scoring, repeats=repeats, evaluators=[], random_state=seed
    )


def single(name: str, comparison: fot.Comparison) -> list[str]:
    """Return the row of one problem."""
    oracle = min(comparison, key=lambda one: one.test.score)
    cells = [name, f"{comparison.n:,}", oracle.name, f"{oracle.test.score:.5f}"]
    for rule in RULES:
        chosen = comparison[comparison.choice(rule)]
        cells += [chosen.name, f"{1e3 * chosen.test.to_best.mean:.2f}"]
    gap = comparison[comparison.choice(RULES[0])].test.to_identity
    return [*cells, f"{1e3 * gap.mean:+.2f} +- {1e3 * gap.se:.2f}"]


def overall(problems: list[list[fot.Comparison]]) -> list[list[str]]:
    """Return one row per strategy, a rule or always the same family; a problem is a list with a comparison per seed."""
    families = [one.name for one in problems[0][0]]
    strategies = {f"rule {rule}": [[one[one.choice(rule)] for one in seeds] for seeds in problems] for rule in RULES}
    strategies |= {f"always {name}": [[one[name] for one in seeds] for seeds in problems] for name in families}
    regrets = {name: regrets_of(taken) for name, taken in strategies.items()}
    default = regrets[f"rule {RULES[0]}"]
    rows = []
    for name in sorted(strategies, key=lambda name: regrets[name].mean()):
        regret = regrets[name]
        more = regret - default
        worse = [one.test.to_identity.mean > one.test.to_identity.se for seeds in strategies[name] for one in seeds]
        numbers = [regret.mean(), np.median(regret), np.quantile(regret, 0.9), regret.max()]
        paired = f"{1e3 * more.mean():+.2f} +- {1e3 * more.std(ddof=1) / np.sqrt(more.size):.2f}"
        rows.append([name, *(f"{1e3 * number:.2f}" for number in numbers), paired, f"{sum(worse)} of {len(worse)}"])
    return rows


def regrets_of(problems: list[list[Calibrator]]) -> np.ndarray:
    """Return the regret of what was taken in each problem, its mean over the seeds."""
    return np.array([np.mean([one.test.to_best.mean for one in seeds]) for seeds in problems])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scoring", choices=["log_loss", "brier"], default="log_loss")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    rows, comparisons = [], []
    for name, val, test in problems(options.folder):
        seeds = []
        for seed in range(options.seeds):
            tell(f"{name}, seed {seed}")
            seeds.append(compared(val, test, options.scoring, options.repeats, seed))
        rows.append(single(name, seeds[0]))
        comparisons.append(seeds)
    tell("")
    if not rows:
        sys.exit(f"no npz file with y_val, y_test, p_val_* and p_test_* in {options.folder}")
    print(machine_facts(), "\n")
    header = [
        "strategy",
        "mean regret",
        "median",
        "90 %",
        "largest",
        "more than one_se",
        "worse than identity by > s.e.",
    ]
    print(
        f"Test {options.scoring}, in thousandths; {options.seeds} seeds\n\n{markdown(header, overall(comparisons))}\n"
    )
    header = ["problem", "n", "oracle", "its loss", "one_se", "regret", "best", "regret", "one_se, vs identity"]
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
