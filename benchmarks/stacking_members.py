"""Which families a mixture should be made of: on known truth, and on real validation and test rows.

Usage: ``python benchmarks/stacking_members.py [--n 1000 ...] [--seeds 8] [--first-seed 0]`` for the simulated shapes,
``python benchmarks/stacking_members.py --real FOLDER [-o RECORDS] [--tables | --models] [--only NAME ...] [--seeds 1]
[--first-seed 0]``, with FOLDER and ``--tables`` as for `calibrator_choice.py`, or ``--cost [--n 1000]``.
``--all-errors`` takes the 21 errors of the paper's tables instead of four, several ``--n``, and prints the distances by
shape, for each number of rows and for all together. ``--quick`` leaves out pl and pl3.

Every family is fitted once to each data set, with the held-out values of ten folds that `Stacking` weighs; the mixtures
of all lists follow from these, with the default prior of one row or the one that is named. Simulated: five shapes at
true errors 0, .02, .05 and .1, each with seeds of its own. Printed are the mean distance of the map from the truth and
the mean miss of its plug-in error, by true error, in thousandths, and the paired difference of the map's distance from
that of pl3 where the error is not 0.

Real: the test log loss less that of the best family in hindsight, in thousandths, the paired difference from the
mixture of all nine or nothing, and from always the spline, with standard errors over the problems; and how often the
test loss is larger than that of doing nothing by more than the standard error of the difference. "or nothing": the
identity where the mixture, with weights of the other folds, predicts held-out rows no better. "one_se": the rule of
`compare_calibrators`. With ``--models`` rows are drawn from models of the tables, as in `pseudo_real_study.py`: 1,000
to fit to and 10,000 to test. A run that was stopped goes on where its RECORDS end.

With ``--quick`` differences are from the members of `Stacking` in place of pl3, and from the default candidates or
nothing in place of all nine. ``--cost``: CPU of a fit, and of each of the 450 refits of the interval of an error, and
the size of the map as JSON and as SQL, of the members of `Stacking` and of these with venn_abers.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.data.entries import entries_of_rows
from fitontest.datasets import SHAPES, Derivate
from fitontest.numerics.losses import log_loss
from fitontest.numerics.random import held_out_rows
from fitontest.results.exceptions import without_warnings
from real_predictions import Problem, of_model, of_table, problems_of
from report import machine_facts, markdown, tell
from run_records import recorded
from timing import seconds_of

SEED = 18_2026
SEEDS = 8
REFITS = 20  # labellings that are fitted as the interval of an error fits 450
ERRORS = (0.0, 0.02, 0.05, 0.1)
ALL_ERRORS = tuple(round(0.005 * k, 3) for k in range(21))
FAMILIES = ("identity", "temperature", "platt", "beta", "isotonic", "spline", "pl", "pl3", "venn_abers")
DEFAULT = ("identity", "platt", "beta", "isotonic", "spline")
ALL = tuple(fot.families.Stacking("all").make_members())
WITH_VENN = (*DEFAULT, "venn_abers")
VENN_FOR_ISOTONIC = ("identity", "platt", "beta", "spline", "venn_abers")
WITH_PL = ("identity", "platt", "beta", "spline", "pl")
CANDIDATES = ("identity", "temperature", "platt", "beta", "isotonic", "spline", "venn_abers")  # by default: no jax
KINDS: dict[str, Callable[[Path, int], Iterator[Problem]]] = {
    "scores": lambda path, _: problems_of(path),
    "tables": of_table,
    "models": of_model,
}
REAL = {
    "all nine": FAMILIES,
    "default candidates": CANDIDATES,
    "these without venn_abers": CANDIDATES[:-1],
    "members of Stacking": DEFAULT,
    "members of Stacking with venn_abers": WITH_VENN,
    "members of Stacking with venn_abers for isotonic": VENN_FOR_ISOTONIC,
    "members of Stacking with pl for isotonic": WITH_PL,
    "members of Stacking without isotonic": ("identity", "platt", "beta", "spline"),
    "identity, spline": ("identity", "spline"),
}
FEW_LISTS = (
    DEFAULT,
    WITH_PL,
    ("platt", "beta", "spline", "pl"),
    ("identity", "platt", "beta", "spline"),
    ("platt", "beta", "spline"),
)
LISTS = (
    *FEW_LISTS,
    WITH_VENN,
    VENN_FOR_ISOTONIC,
    ("identity", "platt", "beta", "pl", "pl3"),
    ("identity", "platt", "beta", "spline", "pl", "pl3"),
    ALL,
    ("identity", "platt", "beta", "spline", "pl", "venn_abers"),
    FAMILIES,
)
PRIORS = (0.0, 10.0)  # of the default list and of all families, beside that of one row
Values = dict[str, np.ndarray]
Distances = dict[str, list[float]]


def fitted(sample: fot.ScoreSample, at: np.ndarray, families: tuple[str, ...] = FAMILIES) -> tuple[Values, Values]:
    """Return the values of every family's map at some scores, and its held-out values at the sorted rows."""
    folds = held_out_rows(sample.n, 10, 0)
    maps, held_out = {}, {}
    with without_warnings():
        for name in families:
            solution, held_out[name] = fot.families.make(name).solve_and_hold_out(sample, folds)
            maps[name] = np.clip(solution.map.evaluate(at), 0.0, 1.0)
    return maps, held_out


def with_mixtures(sample: fot.ScoreSample, at: np.ndarray, families: tuple[str, ...]) -> Values:
    """Return the values of the families and of the mixtures of them."""
    maps, held_out = fitted(sample, at, families)
    mixtures = {" ".join(members): fot.families.Stacking(members) for members in LISTS if {*members} <= {*families}}
    for members in (DEFAULT, families):
        mixtures |= {
            f"{' '.join(members)}, prior {prior:g}": fot.families.Stacking(members, prior=prior) for prior in PRIORS
        }
    mixed = {label: mixed_by(mixture, maps, held_out, sample) for label, mixture in mixtures.items()}
    return maps | mixed


def mixed_by(mixture: fot.families.Stacking, maps: Values, held_out: Values, sample: fot.ScoreSample) -> np.ndarray:
    """Return the values of a mixture of fitted families."""
    values, seen = (np.stack([found[name] for name in mixture.families], axis=1) for found in (maps, held_out))
    return np.asarray(values @ mixture.weigh(seen, sample.rows.y, sample.rows.w / sample.row_weight))


def drawn(shape: str, error: float, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, scores and true probabilities."""
    rng = np.random.default_rng([SEED, crc32(shape.encode()), int(1000 * error), n, seed])
    return Derivate(shape, error=error).draw(n, rng)


def simulated(n: int, seeds: range, families: tuple[str, ...]) -> list[list[str]]:
    """Return a row for each family and mixture, the paired difference from pl3 or else the members of `Stacking`."""
    reference = beside(families)
    distances: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    misses: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for shape in SHAPES:
        for error in ERRORS:
            for seed in seeds:
                tell(f"{shape} {error} {seed}")
                y, p, c = drawn(shape, error, n, seed)
                for name, values in with_mixtures(fot.ScoreSample(y, p), p, families).items():
                    distances[name][error].append(float(np.abs(values - c).mean()))
                    misses[name][error].append(abs(float(np.abs(values - p).mean() - np.abs(c - p).mean())))
    rows = []
    for name, by_error in distances.items():
        more = np.concatenate([np.subtract(by_error[e], distances[reference][e]) for e in ERRORS if e > 0])
        paired = f"{1e3 * more.mean():+.2f} +- {1e3 * more.std(ddof=1) / np.sqrt(more.size):.2f}"
        cells = [f"{1e3 * np.mean(found[name][e]):.1f}" for found in (distances, misses) for e in ERRORS]
        rows.append([name, *cells, paired])
    return rows


def beside(families: tuple[str, ...]) -> str:
    """Return what the distances of simulated shapes are held against."""
    return "pl3" if "pl3" in families else " ".join(DEFAULT)


def distances_of(shape: str, n: int, seeds: range) -> Distances:
    """Return how far pl3, the spline and the mixtures are from truths of a shape with each error, in thousandths."""
    found: Distances = defaultdict(list)
    families = tuple(dict.fromkeys(name for members in FEW_LISTS for name in members))
    for error in ALL_ERRORS:
        for seed in seeds:
            tell(f"{n} {shape} {error} {seed}")
            y, p, c = drawn(shape, error, n, seed)
            sample = fot.ScoreSample(y, p)
            maps, held_out = fitted(sample, p, (*families, "pl3"))
            mixed = {
                " ".join(members): mixed_by(fot.families.Stacking(members), maps, held_out, sample)
                for members in FEW_LISTS
            }
            for name, values in {"pl3": maps["pl3"], "spline": maps["spline"], **mixed}.items():
                found[name].append(1e3 * float(np.abs(values - c).mean()))
    return found


def beside_pl3(label: str, each: dict[str, Distances]) -> list[list[str]]:
    """Return a row for each family and mixture: how much farther than pl3 it is, on average and by shape."""
    rows = []
    for name in next(iter(each.values())):
        own, others = ([each[shape][one] for shape in SHAPES] for one in (name, "pl3"))
        more = np.subtract(np.concatenate(own), np.concatenate(others))
        paired = f"{more.mean():+.2f} +- {more.std(ddof=1) / np.sqrt(more.size):.2f}"
        ratios = [np.mean(mine) / np.mean(other) - 1.0 for mine, other in zip(own, others, strict=True)]
        mean = f"{np.mean(np.concatenate(own)):.2f}"
        rows.append([name, label, mean, paired, *(f"{100 * ratio:+.1f} %" for ratio in ratios)])
    return rows


def by_shape(sizes: list[int], seeds: range) -> list[list[str]]:
    """Return the rows of each size, and of all together."""
    found = {n: {shape: distances_of(shape, n, seeds) for shape in SHAPES} for n in sizes}
    pooled: dict[str, Distances] = {shape: defaultdict(list) for shape in SHAPES}
    for of_size in found.values():
        for shape, each in of_size.items():
            for name, distances in each.items():
                pooled[shape][name] += distances
    return [*(row for n in sizes for row in beside_pl3(f"{n:,}", found[n])), *beside_pl3("all", pooled)]


@dataclass(frozen=True)
class Tested:
    """A strategy on the test rows of a problem, and whether it is clearly worse than doing nothing."""

    regret: float
    worse: bool


def tested(problem: Problem, seed: int, families: tuple[str, ...]) -> dict[str, Tested]:
    """Return every strategy on the test rows: always a family, a mixture, a mixture or nothing, the rule one_se."""
    val, test = problem.val, problem.test.rows
    folds = held_out_rows(val.n, 10, seed)
    maps, held_out, parameters = {}, {}, {}
    with without_warnings():
        for name in families:
            family = fot.families.make(name)
            solution, held_out[name] = family.solve_and_hold_out(val, folds)
            family.adopt(solution)
            maps[name], parameters[name] = np.clip(solution.map.evaluate(test.p), 0.0, 1.0), family.n_parameters_
    y, w = val.rows.y, val.rows.w / val.row_weight
    losses = {name: log_loss(y, np.clip(q, 0.0, 1.0)) for name, q in held_out.items()}
    chosen = {f"always {name}": maps[name] for name in families}
    if families == FAMILIES:
        chosen["rule one_se, all nine"] = maps[one_se(losses, parameters)]
    chosen["rule one_se"] = maps[one_se({name: losses[name] for name in CANDIDATES}, parameters)]
    for label, members in lists_of(families).items():
        mixture = fot.families.Stacking(members)
        mixed = mixed_by(mixture, maps, held_out, val)
        values, judged = np.stack([held_out[name] for name in members], axis=1), np.empty(val.n)
        for rows in folds:
            others = np.setdiff1d(np.arange(val.n), rows)
            judged[rows] = values[rows] @ mixture.weigh(values[others], y[others], w[others])
        better = np.mean(log_loss(y, judged) - losses["identity"]) < 0
        chosen |= {f"{label}, always": mixed, f"{label}, or nothing": mixed if better else maps["identity"]}
    found = {name: log_loss(test.y, q) for name, q in chosen.items()}
    nothing, best = found["always identity"], min(float(found[f"always {name}"].mean()) for name in families)
    return {
        name: Tested(1e3 * (float(loss.mean()) - best), is_larger(loss, nothing, 0)) for name, loss in found.items()
    }


def lists_of(families: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the mixtures of these families; the first one is what the others are held against."""
    return {label: members for label, members in REAL.items() if {*members} <= {*families}}


def is_larger(loss: np.ndarray, other: np.ndarray, ddof: int) -> bool:
    """Return whether a mean loss is larger than another by more than the standard error of the paired difference."""
    gap = loss - other
    return bool(gap.mean() > gap.std(ddof=ddof) / np.sqrt(gap.size))


def one_se(losses: Values, parameters: dict[str, float]) -> str:
    """Return the family that the rule one_se chooses."""
    best = min(losses, key=lambda name: (losses[name].mean(), parameters[name]))
    near = [name for name in losses if name == best or not is_larger(losses[name], losses[best], 1)]
    if "identity" in near:
        return "identity"
    most = min(parameters[name] for name in near) + 1
    return min((name for name in near if parameters[name] <= most), key=lambda name: losses[name].mean())


def strategies_of(problems: Iterator[Problem], seed: int, families: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return every strategy on each of some problems, by their names, as a record."""
    return {
        f"{one.data} {one.model}": {name: asdict(found) for name, found in tested(one, seed, families).items()}
        for one in problems
        if 0 < np.average(one.test.rows.y) < 1 and 0 < np.average(one.val.rows.y) < 1
    }


def real(
    records: Path, kind: str, paths: list[Path], seeds: range, families: tuple[str, ...], against: list[str]
) -> list[list[str]]:
    """Return a row for each strategy, with the paired differences from those that it is held against."""
    found: dict[str, dict[str, list[Tested]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        stream = f"{path.stem} {kind} {len(families)} {seeds[0]}"
        for record in recorded(
            records,
            stream,
            len(seeds),
            lambda run, path=path: strategies_of(KINDS[kind](path, seeds[run]), seeds[run], families),
        ):
            record.pop("run")
            for problem, strategies in record.items():
                for name, result in strategies.items():
                    found[name][problem].append(Tested(**result))
    regrets = {
        name: np.array([np.mean([one.regret for one in each]) for each in of_problems.values()])
        for name, of_problems in found.items()
    }
    rows = []
    for name, regret in sorted(regrets.items(), key=lambda pair: pair[1].mean()):
        worse = [one.worse for each in found[name].values() for one in each]
        paired = (mean_and_error(regret - regrets[other]) for other in against)
        numbers = (f"{number:.2f}" for number in (regret.mean(), np.median(regret), regret.max()))
        rows.append([name, *numbers, *paired, f"{sum(worse)} of {len(worse)}"])
    return rows


def costs(n: int, repeats: int = 3) -> list[list[str]]:
    """Return the least CPU of a fit and of a refit, and the size of the map, of three lists of members."""
    y, p, _ = drawn("beta1", 0.05, n, 0)
    labels = np.random.default_rng(0).binomial(1, np.sort(p)[:, None], (n, REFITS))
    fits, refits = defaultdict(list), defaultdict(list)
    maps = {}
    for members in (DEFAULT, VENN_FOR_ISOTONIC, WITH_VENN) * repeats:  # in turn
        mixture = fot.families.Stacking(members)
        entries = entries_of_rows(fot.ScoreSample(y, p))
        fits[members].append(seconds_of(lambda mixture=mixture: mixture.fit(p, y), process_time))
        with without_warnings():
            again = seconds_of(
                lambda mixture=mixture, entries=entries: mixture.fit_many(entries, labels).at(), process_time
            )
        refits[members].append(again / REFITS)
        maps[members] = mixture.map_
    return [
        [
            " ".join(members),
            f"{n:,}",
            *(f"{1e3 * min(seconds[members]):.0f}" for seconds in (fits, refits)),
            *(f"{len(text) / 1e3:.0f}" for text in (map_.to_json(), map_.to_sql("score"))),
        ]
        for members, map_ in maps.items()
    ]


def mean_and_error(values: np.ndarray) -> str:
    """Return a mean over the problems and its standard error."""
    return f"{values.mean():+.2f} +- {values.std(ddof=1) / np.sqrt(values.size):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[1000])
    parser.add_argument("--seeds", type=int, help=f"by default {SEEDS}, of real scores 1")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--all-errors", action="store_true")
    parser.add_argument("--real", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/stacking_members"), metavar="RECORDS")
    parser.add_argument("--tables", action="store_true", help="the files of --real hold X and y")
    parser.add_argument("--quick", action="store_true", help="without pl and pl3, and so without jax")
    parser.add_argument("--cost", action="store_true", help="what a fit and its map cost")
    parser.add_argument(
        "--against", nargs="+", metavar="STRATEGY", help="what differences are from, by default as above"
    )
    parser.add_argument("--models", action="store_true", help="rows are drawn from models of the tables of --real")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of the files, without .npz")
    given = parser.parse_args()
    print(machine_facts(), "\n")
    seeds = range(given.first_seed, given.first_seed + (given.seeds or (SEEDS if given.real is None else 1)))
    families = CANDIDATES if given.quick else FAMILIES
    if given.all_errors and (given.quick or given.real is not None):
        parser.error("--all-errors must be left out with --quick and --real")
    if given.cost:
        header = ("members", "n", "fit (CPU ms)", "a refit of an interval (CPU ms)", "JSON (kB)", "SQL (kB)")
        print(markdown(header, [row for n in given.n for row in costs(n)]))
        return
    if given.real is not None:
        paths = [path for path in sorted(given.real.glob("*.npz")) if given.only is None or path.stem in given.only]
        kind = "models" if given.models else "tables" if given.tables else "scores"
        against = given.against or [f"{next(iter(lists_of(families)))}, or nothing", "always spline"]
        less = [f"less {name}" for name in against]
        header = ("strategy", "mean regret", "median", "largest", *less, "worse than nothing")
        print(markdown(header, real(given.output, kind, paths, seeds, families, against)))
        return
    if given.all_errors:
        rows = by_shape(given.n, seeds)
        tell("")
        print(markdown(("members", "n", "map", "less pl3's", *SHAPES), rows))
        return
    if len(given.n) > 1:
        parser.error("--n must be one number without --all-errors")
    rows = simulated(given.n[0], seeds, families)
    header = (
        "members",
        *(f"map: {e:g}" for e in ERRORS),
        *(f"error: {e:g}" for e in ERRORS),
        f"map less that of {beside(families)}",
    )
    tell("")
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
