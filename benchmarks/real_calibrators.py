"""Six evaluators of the calibration error on real predictions, where the true error is not known.

Usage: ``python benchmarks/real_calibrators.py [FOLDER] [--seeds 3] [--sizes 1000 3000 10000] [--evaluators ES_15 PL]
[--quick] [--csv FILE]``.

Every registered family is fitted to validation rows and applied to test rows, and the evaluators judge what comes out,
on all test rows and on disjoint parts of them: for 1,000, 3,000 and 10,000 rows up to 10, 3 and 1 parts, as in the
fit-on-test paper. Nobody knows which evaluator is right here. So they are compared with one another (level, and ranking
of the calibrators), with themselves on other rows, and with log loss. Bins of slope 1 are debiased.

Without FOLDER the predictions are out-of-fold scores on scikit-learn's bundled tables. FOLDER holds files *.npz with
y_val, y_test and p_val_M, p_test_M for each model M; or y with p or p_M; or conf and correct. Where there are
no validation rows, a third of the rows is drawn at random. A matrix p of shape (rows, classes) is read as confidence.

Means are over the parts, seeds and models of a data set first, then over the data sets, each counted once; standard
errors are over the data sets, because models of one data set share the noise of its labels. ``--quick`` takes one seed
and at most two parts of each size. The CSV file has a row per estimate, with "log_loss" among the evaluators.
"""

import argparse
import csv
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import fitontest as fot
from fitontest.numerics.losses import log_loss
from real_predictions import ALL, PARTS, Problem, pieces, problems
from report import machine_facts, markdown, tell

Array = NDArray[np.float64]
QUICK_PARTS, PROCESSES = 2, 2
LOSS = "log_loss"
SIX: dict[str, tuple[str, dict[str, object]]] = {
    "ES_15": ("slope1", {"n_bins": 15}),
    "ES_sweep": ("slope1", {"n_bins": "sweep"}),
    "ES_CV": ("slope1", {"n_bins": "cv", "tolerance": 1e-3}),
    "PL": ("pl", {}),
    "PL3": ("pl3", {}),
    "isotonic": ("isotonic", {}),
}


@dataclass(frozen=True)
class Judged:
    """What the evaluators say of every calibrator on one problem; the last of the pieces is all test rows.

    Estimates and seconds have the shape (pieces, evaluators + 1, calibrators), with the mean log loss at the end.
    `loss_se` is the standard error of the paired difference in log loss on all test rows, for each two calibrators.
    """

    data: str
    model: str
    seed: int
    pieces: list[tuple[int, str]]
    estimates: Array
    seconds: Array
    loss_se: Array
    warned: Counter[str]

    def of_size(self, size: int | str) -> list[int]:
        """Return the numbers of the pieces with so many rows, or of the one with all."""
        return [i for i, (n, part) in enumerate(self.pieces) if (part if part == ALL else n) == size]


def judge(problem: Problem, seed: int, evaluators: Sequence[str], sizes: Sequence[int], most: int) -> Judged:
    """Fit every calibrator to the validation rows and measure what it makes of the test rows."""
    val, test = problem.val, problem.test
    order = np.random.default_rng(seed).permutation(test.p.size)
    parts = pieces(test.n, sizes, most)
    names = fot.families.names("two")
    estimates = np.empty((len(parts), len(evaluators) + 1, len(names)))
    seconds = np.empty_like(estimates)
    losses = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=fot.CalibrationWarning)
        for j, name in enumerate(names):
            q = fot.families.make(name).fit(val.p, val.y).transform(test.p)
            losses.append(log_loss(test.y, q))
            for i, rows in enumerate(parts.values()):
                y_part, q_part = test.y[order[rows]], q[order[rows]]
                for k, evaluator in enumerate([*evaluators, LOSS]):
                    start = perf_counter()
                    estimates[i, k, j] = estimate(evaluator, y_part, q_part)
                    seconds[i, k, j] = perf_counter() - start
    warned = Counter(one.category.__name__ for one in caught if issubclass(one.category, fot.CalibrationWarning))
    for one in caught:
        if one.category.__name__ not in warned:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    gaps = np.array([[np.std(one - other, ddof=1) for other in losses] for one in losses]) / np.sqrt(test.n)
    return Judged(problem.data, problem.model, seed, list(parts), estimates, seconds, gaps, warned)


def estimate(evaluator: str, y: Array, q: Array) -> float:
    if evaluator == LOSS:
        return float(log_loss(y, q).mean())
    name, params = SIX.get(evaluator, (evaluator, {}))
    return float(fot.calibration_error(y, q, family=fot.families.make(name, **params), debias=name == "slope1"))


def over_data(found: Iterable[tuple[str, Array | None]]) -> tuple[Array, Array, int] | None:
    """Return mean and standard error over the data sets of what was found on problems, and the number of data sets."""
    groups = defaultdict(list)
    for data, values in found:
        if values is not None:
            groups[data].append(values)
    if not groups:
        return None
    each = np.array([np.mean(group, axis=0) for group in groups.values()])
    se = each.std(axis=0, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.full(each.shape[1:], np.nan)
    return each.mean(axis=0), se, len(each)


def level(one: Judged, size: int | str) -> Array | None:
    """Return the mean estimate of each evaluator for the fitted calibrators, in thousandths."""
    at = one.of_size(size)
    return 1e3 * one.estimates[at][:, :-1, fitted()].mean(axis=(0, 2)) if at else None


def centred(one: Judged, size: int | str) -> Array | None:
    """Return the same less the mean over the evaluators."""
    return None if (found := level(one, size)) is None else found - found.mean()


def fitted() -> list[int]:
    """Return the numbers of the calibrators other than the identity, whose error would outweigh all others."""
    return [i for i, name in enumerate(fot.families.names("two")) if name != "identity"]


def ranks(one: Judged, at: int) -> Array:
    """Return the standardised ranks of the calibrators under each evaluator and log loss, zeros if all are equal."""
    found = rankdata(one.estimates[at], axis=1)
    found -= found.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    return np.divide(found, norms, out=np.zeros_like(found), where=norms > 0)


def agreement(one: Judged, size: int | str) -> Array | None:
    """Return the Spearman correlations between the rankings by each two evaluators, the mean over the pieces."""
    found = [ranks(one, i) @ ranks(one, i).T for i in one.of_size(size)]
    return np.mean(found, axis=0) if found else None


def between_parts(one: Judged, size: int) -> Array | None:
    """Return the mean difference of estimates on two disjoint parts, and the correlation of their rankings."""
    if not (pairs := list(combinations(one.of_size(size), 2))):
        return None
    apart = [np.abs(one.estimates[i] - one.estimates[j])[:-1, fitted()].mean(axis=1) for i, j in pairs]
    alike = [(ranks(one, i) * ranks(one, j)).sum(axis=1)[:-1] for i, j in pairs]
    return np.array([1e3 * np.mean(apart, axis=0), np.mean(alike, axis=0)])


def from_all(one: Judged, size: int) -> Array | None:
    """Return how far estimates on parts are from those on all rows, mean absolute and mean; parts of half at most."""
    at = one.of_size(size)
    if not at or 2 * size > one.pieces[-1][0]:
        return None
    gaps = 1e3 * (one.estimates[at] - one.estimates[-1])[:, :-1, fitted()]
    return np.array([np.abs(gaps).mean(axis=(0, 2)), gaps.mean(axis=(0, 2))])


def regrets(one: Judged, size: int | str) -> Array | None:
    """Return what the choices by smallest estimate cost: hit, regret in log loss, whether above a standard error."""
    if not (at := one.of_size(size)):
        return None
    losses = one.estimates[-1, -1]
    best = losses.argmin()
    taken = one.estimates[at].argmin(axis=2)
    regret = losses[taken] - losses[best]
    return np.array([taken == best, 1e3 * regret, regret > one.loss_se[taken, best]], dtype=float).mean(axis=1)


def tables(judged: list[Judged], evaluators: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield the title of each table and the table."""

    def over(measure: Callable[..., Array | None], *size: int | str) -> tuple[Array, Array, int] | None:
        return over_data((one.data, measure(one, *size)) for one in judged)

    names, judges = fot.families.names("two"), [*evaluators, LOSS]
    reached = [*(size for size in sizes if any(one.of_size(size) for one in judged)), ALL]
    levels, relative = [], []
    for size in reached:
        found, _, count = over(level, size)
        levels.append([shown(size), str(count), *(f"{value:.2f}" for value in found)])
        relative.append([shown(size), str(count), *map(plus_minus, *over(centred, size)[:2])])
    header = ["rows", "data sets", *evaluators]
    yield "Estimates for the fitted calibrators, x 1000; fewer data sets reach larger sizes", markdown(header, levels)
    yield "The same less the mean of the row: who reads higher, who lower", markdown(header, relative)

    found = over(lambda one: 1e3 * one.estimates[-1, :-1])[0]
    loss, se, _ = over(lambda one: 1e3 * (one.estimates[-1, -1] - one.estimates[-1, -1].min()))
    rows = [[name, *(f"{v:.2f}" for v in found[:, j]), plus_minus(loss[j], se[j])] for j, name in enumerate(names)]
    title = "Estimates for each calibrator on all test rows, x 1000, and its log loss above that of the best, x 1000"
    yield title, markdown(["calibrator", *evaluators, "log loss"], rows)

    mixed = np.triu(over(agreement, reached[0])[0], 1) + np.tril(over(agreement, ALL)[0])
    rows = [[name, *(f"{value:.2f}" for value in line)] for name, line in zip(judges, mixed, strict=True)]
    title = "Spearman correlation of two rankings of the calibrators"
    yield f"{title}: {shown(reached[0])} rows above the diagonal, all rows below", markdown(["", *judges], rows)

    rows = []
    for size in reached[:-1]:
        parts, whole = over(between_parts, size), over(from_all, size)
        for k, evaluator in enumerate(evaluators):
            cells = [f"{value:.2f}" for value in parts[0][:, k]] if parts else ["-", "-"]
            cells += [f"{whole[0][0, k]:.2f}", plus_minus(whole[0][1, k], whole[1][1, k])] if whole else ["-", "-"]
            times = np.concatenate([one.seconds[one.of_size(size), k].ravel() for one in judged])
            rows.append([shown(size), evaluator, *cells, f"{np.median(times):.3f}"])
    header = ["rows", "evaluator", "part against part", "correlation", "part against all", "bias to all", "median s"]
    title = "The same evaluator on other rows, x 1000: part against disjoint part (and correlation of rankings), part "
    title += "against all rows, where it is half of them at most (mean absolute difference, and mean difference)"
    yield title, markdown(header, rows)

    rows = []
    for size in dict.fromkeys([reached[0], ALL]):
        (hit, regret, worse), se, _ = over(regrets, size)
        for k, name in enumerate(judges):
            taken = Counter(names[j] for one in judged for j in one.estimates[one.of_size(size), k].argmin(axis=1))
            common = ", ".join(f"{choice} {count / taken.total():.0%}" for choice, count in taken.most_common(4))
            cells = [f"{hit[k]:.0%}", plus_minus(regret[k], se[1, k]), f"{worse[k]:.0%}", common]
            rows.append([shown(size), name, *cells])
    header = ["rows", "judge", "is the best", "regret x 1000", "regret > s.e.", "chosen"]
    title = "The calibrator with the smallest estimate, beside the one with the smallest log loss on all test rows"
    yield title, markdown(header, rows)


def shown(size: int | str) -> str:
    return size if isinstance(size, str) else f"{size:,}"


def plus_minus(value: float, se: float) -> str:
    return f"{value:+.2f}" + ("" if np.isnan(se) else f" +- {se:.2f}")


def write(path: Path, judged: list[Judged], evaluators: Sequence[str]) -> None:
    """Write one line per estimate."""
    names = fot.families.names("two")
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["data", "model", "calibrator", "evaluator", "n", "part", "seed", "estimate", "seconds"])
        for one in judged:
            for (i, k, j), value in np.ndenumerate(one.estimates):
                what = [one.data, one.model, names[j], [*evaluators, LOSS][k]]
                lines.writerow([*what, *one.pieces[i], one.seed, repr(float(value)), f"{one.seconds[i, k, j]:.4f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", help="rows of a part; 100 300 1000 without a folder")
    known = sorted({*SIX, *fot.families.names("two")})
    parser.add_argument("--evaluators", nargs="+", default=list(SIX), choices=known, metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args()
    sizes = sorted(given.sizes or ([100, 300, 1_000] if given.folder is None else [1_000, 3_000, 10_000]))
    if min(given.seeds, *sizes) < 1:
        parser.error("--seeds and --sizes must be at least 1")
    seeds, most = (1, QUICK_PARTS) if given.quick else (given.seeds, PARTS)
    try:
        work = [(problem, seed) for seed in range(seeds) for problem in problems(given.folder, seed)]
    except ValueError as error:
        sys.exit(str(error))
    if not work:
        sys.exit(f"no npz file in {given.folder}")
    work.sort(key=lambda job: job[0].test.n, reverse=True)  # the longest first, so that both processes end together
    judged = []
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(judge, problem, seed, given.evaluators, sizes, most) for problem, seed in work]
        for job in as_completed(jobs):
            judged.append(job.result())
            tell(f"{len(judged)} of {len(jobs)}")
    tell("")
    judged.sort(key=lambda one: (one.data, one.model, one.seed))
    if given.csv:
        write(given.csv, judged, given.evaluators)
    warned = sum((one.warned for one in judged), Counter())
    print(machine_facts(), f"\n\n{len(judged)} problems (models and seeds)")
    print("Warnings of the library, kept back:", ", ".join(f"{name} {n}" for name, n in warned.items()) or "none")
    for title, table in tables(judged, given.evaluators, sizes):
        print(f"\n{title}\n\n{table}")


if __name__ == "__main__":
    main()
