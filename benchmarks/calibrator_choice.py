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

The default candidates are those of `compare_calibrators`: without `pl` and `pl3`, which ``--families all`` has.

The rules "auto", "one_se", "stack" and "best" are those of `compare_calibrators`; "fewest" and "by_count" those of
`choosing.py`. "always the mixture" is the mixture of all candidates without an exception, "always stacking" the one of
the members that `Stacking` has by default. Mixtures may be better than every family, and are no oracle. Of "auto",
"one_se" and the mixtures the change of the area under the ROC curve is printed too.
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

import fitontest as fot
from choosing import RULES, choose_by
from fitontest.evaluation.comparison.calibrators import Calibrator
from fitontest.numerics.losses import LOSSES
from fitontest.results.exceptions import without_warnings
from real_predictions import Problem, of_table, problems_of
from report import machine_facts, markdown, tell


@dataclass(frozen=True)
class Tested:
    """A calibrator on the test rows: its loss beyond the best family's, whether it is worse than nothing, its AUC."""

    regret: float
    worse: bool
    auc_gained: float


@dataclass(frozen=True)
class Found:
    """The comparison of the families, and the mixtures of them."""

    comparison: fot.evaluation.Comparison
    mixtures: dict[str, Tested]
    oracle: float

    def test(self, one: Calibrator) -> Tested:
        """Return how a candidate did, except for the AUC."""
        gap = one.test.to_identity
        return Tested(one.test.score - self.oracle, gap.mean > gap.se, np.nan)


def compared(problem: Problem, seed: int, families: list[str] | None, scoring: str, repeats: int) -> Found:
    val, test = problem.val, problem.test
    comparison = fot.compare_calibrators(
        val.y, val.p, families=families, test=(test.y, test.p), scoring=scoring, repeats=repeats, rule="stack",
        evaluators=[], random_state=seed,
    )  # fmt: skip
    with without_warnings():
        default = fot.families.Stacking(loss=scoring, random_state=seed).fit(val.p, val.y)
    mixture = next(one.family for one in comparison if isinstance(one.family, fot.families.Stacking))
    mixtures = {"always the mixture": mixture, "always stacking": default}
    oracle = min(one.test.score for one in comparison if one.family is not mixture)
    chosen = {f"rule {rule}": comparison[comparison.choice(rule)].family for rule in ("auto", "one_se", "stack")}
    best = {**chosen, **mixtures}
    tested = {}
    for name, family in best.items():
        q = family.predict(test.p, clip=True)
        loss, before = (LOSSES[scoring](test.y, each) for each in (q, test.p))
        gap = loss - before
        worse = bool(gap.mean() > gap.std() / np.sqrt(gap.size))
        gained = float(roc_auc_score(test.y, q) - roc_auc_score(test.y, test.p))
        tested[name] = Tested(float(loss.mean()) - oracle, worse, gained)
    return Found(comparison, tested, oracle)


def of_file(path: Path, seed: int, tables: bool, **options: object) -> list[tuple[str, Found]]:
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


def single(name: str, comparison: fot.evaluation.Comparison) -> list[str]:
    """Return the row of one problem."""
    oracle = min((one for one in comparison if not one.family.mixes), key=lambda one: one.test.score)
    cells = [name, f"{comparison.n:,}", oracle.name, f"{oracle.test.score:.5f}"]
    for rule in ("one_se", "best"):
        chosen = choose_by(rule, comparison)
        cells += [chosen.name, f"{1e3 * chosen.test.to_best.mean:.2f}"]
    gap = choose_by("one_se", comparison).test.to_identity
    return [*cells, f"{1e3 * gap.mean:+.2f} +- {1e3 * gap.se:.2f}"]


def overall(problems: list[list[Found]]) -> list[list[str]]:
    """Return one row per strategy: a rule, a mixture or always the same family. A problem is a list, one per seed."""
    families = [one.name for one in problems[0][0].comparison if not one.family.mixes]
    strategies = {
        f"rule {rule}": [[one.test(choose_by(rule, one.comparison)) for one in seeds] for seeds in problems]
        for rule in RULES
    }
    strategies |= {
        f"always {name}": [[one.test(one.comparison[name]) for one in seeds] for seeds in problems] for name in families
    }
    strategies |= {
        name: [[one.mixtures[name] for one in seeds] for seeds in problems] for name in problems[0][0].mixtures
    }
    regrets = {name: regrets_of(each) for name, each in strategies.items()}
    mixed = regrets["rule stack"]
    rows = []
    for name in sorted(strategies, key=lambda name: regrets[name].mean()):
        regret = regrets[name]
        more = regret - mixed
        worse = [one.worse for seeds in strategies[name] for one in seeds]
        gained = np.array([one.auc_gained for seeds in strategies[name] for one in seeds])
        ranking = "-" if np.isnan(gained).any() else f"{1e3 * gained.mean():+.2f} ({1e3 * gained.min():+.2f})"
        numbers = [np.median(regret), np.quantile(regret, 0.9), regret.max()]
        cells = [mean_and_error(regret, ""), *(f"{1e3 * number:.2f}" for number in numbers), mean_and_error(more, "+")]
        rows.append([name, *cells, f"{sum(worse)} of {len(worse)}", ranking])
    return rows


def mean_and_error(values: np.ndarray, sign: str) -> str:
    """Return a mean over the problems and its standard error, in thousandths."""
    return f"{1e3 * values.mean():{sign}.2f} +- {1e3 * values.std(ddof=1) / np.sqrt(values.size):.2f}"


def regrets_of(problems: list[list[Tested]]) -> np.ndarray:
    """Return the regret of what was taken in each problem, its mean over the seeds."""
    return np.array([np.mean([one.regret for one in seeds]) for seeds in problems])


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
        of_file, tables=given.tables, families=fot.families.names("two") if given.families == "all" else None,
        scoring=given.scoring, repeats=given.repeats,
    )  # fmt: skip
    work = [(path, seed) for path in paths for seed in range(given.first_seed, given.first_seed + given.seeds)]
    found: list[tuple[str, Found]] = []
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
        "more than stack",
        "worse than identity by > s.e.",
        "AUC gained (least)",
    ]
    comparisons = [each for _, each in by_name]
    print(f"Test {given.scoring}, in thousandths; {len(by_name)} problems, {given.seeds} seeds each\n")
    print(f"{markdown(header, overall(comparisons))}\n")
    header = ["problem", "n", "oracle", "its loss", "one_se", "regret", "best", "regret", "one_se, vs identity"]
    print(markdown(header, [single(name, each[0].comparison) for name, each in by_name]))


if __name__ == "__main__":
    main()
