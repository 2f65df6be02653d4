"""How far every evaluator is from a truth that is known: the synthetic study of the fit-on-test paper, done again.

Usage: ``python benchmarks/synthetic_study.py [--quick] [--results FOLDER] [--methods ES_15 PL ...] [--processes 2]``.

Five shapes of miscalibration, 21 expected errors from 0 to .10, three numbers of rows and five seeds are 1,575 data
sets, drawn bit by bit as the authors drew them. Every method is fitted to each set; its map is compared with the true
one at the authors' million fresh points, and its estimate of the calibration error with the true error of the set.
Printed are Tables 24 to 27 of the paper with the published numbers beside ours, and where the time went.

Results go to FOLDER (build/synthetic_study), one CSV file for each shape and error, written when it is complete: a run
that was interrupted goes on where it was, with the results of the same methods with the same settings. ``results.csv``
there holds them all, ``summary.csv`` the means over the seeds, ``study.md`` what was printed. ``--quick`` takes a
tenth, seed 0 and every other error; its tables stand beside published ones of all the data.
"""

import argparse
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from fitontest.datasets import SHAPES, Derivate
from fitontest.truth import true_error
from report import machine_facts, tell
from study_methods import Method, methods
from study_tables import TITLES, differing, seconds, side_by_side, summary, tables

ERRORS = tuple(round(float(error), 3) for error in np.arange(0, 0.10001, 0.005))
SIZES = (1000, 3000, 10_000)
SEEDS = tuple(range(5))
FRESH, FRESH_SEED = 1_000_000, 0
ONE_THREAD = {  # two processes on two cores: threads of a process would only wait for those of the other
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Unit:
    """The data sets of one shape and one error, which share the fresh points."""

    shape: str
    error: float
    seeds: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of its file."""
        return f"{self.shape}_{self.error:.3f}"

    def rows(self) -> list[dict[str, object]]:
        """Measure every method on every set."""
        problem = Derivate(self.shape, self.error)
        c_new = fresh_truth()
        p_new = problem.scores(c_new)
        chosen = named(self.names)
        rows = []
        for n in SIZES:
            for seed in self.seeds:
                y, p, c = problem.draw_as_published(n, seed)
                sample = ScoreSample(y, p)
                key = {"shape": self.shape, "error": self.error, "n": n, "seed": seed}
                key |= {"ce": true_error(p, c), "ce_squared": true_error(p, c, distance="brier")}
                rows += [{**key, **settings(one), **one.measure(sample, p_new, c_new)} for one in chosen]
        return rows


def settings(method: Method) -> dict[str, str]:
    """Return what identifies a method: results of other settings or another version are not taken for its."""
    params = ", ".join(f"{name}={value}" for name, value in method.family.get_params().items())
    return {"method": method.name, "settings": f"{type(method.family).__name__}({params}), fitontest {fot.__version__}"}


@cache
def fresh_truth() -> np.ndarray:
    """Return the true probabilities of the authors' million fresh points, which all problems share."""
    return Derivate("square", 0).draw_as_published(FRESH, FRESH_SEED).c


def named(names: Iterable[str]) -> list[Method]:
    """Return the methods of these names."""
    known = {method.name: method for method in methods()}
    return [known[name] for name in names]


def finish(unit: Unit, folder: Path) -> str:
    """Measure a unit and write its file; a file is there only when it is complete."""
    path = folder / f"{unit.label}.csv"
    draft = path.with_suffix(f".{os.getpid()}.draft")
    pd.DataFrame(unit.rows()).to_csv(draft, index=False)
    draft.replace(path)
    return unit.label


def is_done(unit: Unit, folder: Path) -> bool:
    """Tell whether the unit's file holds what is asked for: these methods on these sets."""
    path = folder / f"{unit.label}.csv"
    if not path.exists():
        return False
    found = pd.read_csv(path)
    wanted = {settings(one)["settings"] for one in named(unit.names)}
    return len(found) == len(unit.names) * len(unit.seeds) * len(SIZES) and set(found.get("settings", ())) == wanted


def run(units: list[Unit], folder: Path, processes: int) -> str:
    """Measure the units that are not done, and return how many that were and how long it took."""
    start = perf_counter()
    left = [unit for unit in units if not is_done(unit, folder)]
    os.environ.update(ONE_THREAD)  # before the workers start, and so before they import numpy and jax
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        jobs = [pool.submit(finish, unit, folder) for unit in left]
        for i, job in enumerate(as_completed(jobs), start=len(units) - len(left) + 1):
            tell(f"{i} of {len(units)} shapes and errors: {job.result()}, {perf_counter() - start:.0f} s")
    finally:
        pool.shutdown(cancel_futures=True)  # one failure ends the run, without the units that still wait
    tell("")
    minutes = (perf_counter() - start) / 60
    return f"{len(left)} of {len(units)} shapes and errors done now, in {minutes:.1f} minutes on {processes} processes"


def report(results: pd.DataFrame, wall: str) -> str:
    """Return everything that is printed, in Markdown."""
    found = tables(results)
    sets = len(results.groupby(["shape", "error", "n", "seed"]))
    parts = [machine_facts(), f"{sets:,} data sets; {wall}"]
    for name in TITLES:
        parts.append(side_by_side(name, found[name]))
        if sets == len(SHAPES) * len(ERRORS) * len(SIZES) * len(SEEDS):  # a part of the data cannot be equal
            exact = [method for method, difference in differing(name, found[name]).items() if difference < 1e-9]
            parts.append(f"Equal to the published numbers in every printed digit: {', '.join(exact) or 'none'}.")
    return "\n\n".join([*parts, "Where the time went:", seconds(results)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results", type=Path, default=Path("build/synthetic_study"))
    parser.add_argument("--methods", nargs="+", choices=[one.name for one in methods()])
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    folder = given.results / ("quick" if given.quick else "full") / "_".join(given.methods or ["all"])
    folder.mkdir(parents=True, exist_ok=True)
    seeds, errors = (SEEDS[:1], ERRORS[::2]) if given.quick else (SEEDS, ERRORS)
    names = tuple(given.methods or (one.name for one in methods() if not one.slow))
    units = [Unit(shape, error, seeds, names) for shape in SHAPES for error in errors]
    wall = run(units, folder, given.processes)
    results = pd.concat([pd.read_csv(folder / f"{unit.label}.csv") for unit in units], ignore_index=True)
    text = report(results, wall)
    results.to_csv(folder / "results.csv", index=False)
    summary(results).to_csv(folder / "summary.csv", float_format="%.6g")
    (folder / "study.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
