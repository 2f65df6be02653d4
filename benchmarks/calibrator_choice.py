"""What choosing a calibrator gains: the chosen map on test rows, beside every fixed family and the oracle.

Usage: ``python benchmarks/calibrator_choice.py FOLDER [--tables] [--only NAME ...] [--families all] [--scoring brier]
[--repeats 3] [--seeds 3] [--first-seed 0] [--processes 2]``.

FOLDER holds files *.npz with y_val, y_test and, for each model M, p_val_M and p_test_M: the scores of a classifier
that was trained on other rows. Each calibrator is chosen and fitted on the val rows and tested on the test rows. The
regret is its test loss less that of the oracle, the family that is best on these very test rows. With several seeds
the choice is made with other folds for each, and the regrets of a problem are averaged before anything else is.

With ``--tables`` the files hold X and y instead. Four classifiers are trained on half of the rows, a quarter is val and
a quarter test, and every seed draws other halves and quarters: ``--first-seed`` gives draws that no choice between
rules was made with.

The rules are those of `choosing.py`, among them that of version 0.1 ("fewest").
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import fitontest as fot
from choosing import RULES, choose_by
from fitontest.comparison.calibrators import Calibrator
from real_predictions import Problem, of_table, problems_of
from report import machine_facts, markdown, tell


def compared(problem: Problem, seed: int, families: list[str] | None, scoring: str, repeats: int) -> fot.Comparison:
    val, test = problem.val, problem.test
    return fot.compare_calibrators(
        val.y, val.p, families=families, test=(test.y, test.p), scoring=scoring, repeats=repeats, evaluators=[],
        random_state=seed,
    )  # fmt: skip


def of_file(path: Path, seed: int, tables: bool, **options: object) -> list[tuple[str, fot.Comparison]]:
    """Return the comparisons of all models of a file, by name; one that fails is reported and left out."""
    problems: Iterator[Problem] = of_table(path, seed) if tables else problems_of(path)
    found = []
    for one in problems:
        name = f"{one.data} {one.model}"
        try:
            found.append((name, compared(one, seed, **options)))
        except ValueError as error:
            print(f"left out: {name}, seed {seed}: {error}", file=sys.stderr, flush=True)
    return found


def single(name: str, comparison: fot.Comparison) -> list[str]:
    """Return the row of one problem."""
    oracle = min(comparison, key=lambda one: one.test.score)
    cells = [name, f"{comparison.n:,}", oracle.name, f"{oracle.test.score:.5f}"]
    for rule in ("one_se", "best"):
        chosen = choose_by(rule, comparison)
        cells += [chosen.name, f"{1e3 * chosen.test.to_best.mean:.2f}"]
    gap = choose_by("one_se", comparison).test.to_identity
    return [*cells, f"{1e3 * gap.mean:+.2f} +- {1e3 * gap.se:.2f}"]


def overall(problems: list[list[fot.Comparison]]) -> list[list[str]]:
    """Return one row per strategy, a rule or always the same family; a problem is a list with a comparison per seed."""
    families = [one.name for one in problems[0][0]]
    strategies = {f"rule {rule}": [[choose_by(rule, one) for one in seeds] for seeds in problems] for rule in RULES}
    strategies |= {f"always {name}": [[one[name] for one in seeds] for seeds in problems] for name in families}
    regrets = {name: regrets_of(each) for name, each in strategies.items()}
    default = regrets["rule one_se"]
    rows = []
    for name in sorted(strategies, key=lambda name: regrets[name].mean()):
        regret = regrets[name]
        more = regret - default
        worse = [one.test.to_identity.mean > one.test.to_identity.se for seeds in strategies[name] for one in seeds]
        numbers = [np.median(regret), np.quantile(regret, 0.9), regret.max()]
        cells = [mean_and_error(regret, ""), *(f"{1e3 * number:.2f}" for number in numbers), mean_and_error(more, "+")]
        rows.append([name, *cells, f"{sum(worse)} of {len(worse)}"])
    return rows


def mean_and_error(values: np.ndarray, sign: str) -> str:
    """Return a mean over the problems and its standard error, in thousandths."""
    return f"{1e3 * values.mean():{sign}.2f} +- {1e3 * values.std(ddof=1) / np.sqrt(values.size):.2f}"


def regrets_of(problems: list[list[Calibrator]]) -> np.ndarray:
    """Return the regret of what was taken in each problem, its mean over the seeds."""
    return np.array([np.mean([one.test.to_best.mean for one in seeds]) for seeds in problems])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", action="store_true", help="the files hold X and y")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of the files, without .npz")
    parser.add_argument("--families", choices=["default", "all"], default="default")
    parser.add_argument("--scoring", choices=["log_loss", "brier"], default="log_loss")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    paths = [path for path in sorted(given.folder.glob("*.npz")) if given.only is None or path.stem in given.only]
    run = partial(
        of_file, tables=given.tables, families=fot.available_families() if given.families == "all" else None,
        scoring=given.scoring, repeats=given.repeats,
    )  # fmt: skip
    work = [(path, seed) for path in paths for seed in range(given.first_seed, given.first_seed + given.seeds)]
    found: list[tuple[str, fot.Comparison]] = []
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        for (path, seed), comparisons in zip(work, pool.map(run, *zip(*work, strict=True)), strict=True):
            tell(f"{path.stem}, seed {seed}")
            found += comparisons
    tell("")
    if not found:
        sys.exit(f"no npz file with y_val, y_test, p_val_* and p_test_*, or X and y, in {given.folder}")
    by_name = [
        (name, [comparison for _, comparison in group])
        for name, group in groupby(sorted(found, key=lambda pair: pair[0]), key=lambda pair: pair[0])
    ]
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
    comparisons = [each for _, each in by_name]
    print(f"Test {given.scoring}, in thousandths; {len(by_name)} problems, {given.seeds} seeds each\n")
    print(f"{markdown(header, overall(comparisons))}\n")
    header = ["problem", "n", "oracle", "its loss", "one_se", "regret", "best", "regret", "one_se, vs identity"]
    print(markdown(header, [single(name, each[0]) for name, each in by_name]))


if __name__ == "__main__":
    main()
