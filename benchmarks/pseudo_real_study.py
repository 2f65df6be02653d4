"""How far evaluators and calibrators are from the truth on pseudo-real tables, as in Tables 2 to 23 of the paper.

Usage: ``python benchmarks/pseudo_real_study.py [FOLDER] [--quick] [--seeds 5] [--tables bank_marketing ...]
[--evaluators PL ...] [--sizes 1000 ...] [--results FOLDER] [--processes 2] [--figures FOLDER]``.

FOLDER holds real tables (npz files with X and y). A model of each gives any number of labelled rows with known
probabilities (`pseudo_real_data`). Three classifiers are trained on 10,000 rows, sixteen calibrators fitted to 5,000
others, and the true maps of what comes out estimated from a million (`pseudo_real_problems`). Every evaluator then gets
1,000, 3,000 and 10,000 test rows of each task behind each of six calibrators, and its map and its number are held
against the truth.

Results go to build/pseudo_real: the problems, and a line of JSON for each number, so that a run that was stopped goes
on where it was. Seeds are done one after the other on all problems, and the tables are of the seeds that are complete.
``--quick`` takes one table, one seed and 1,000 rows. The printed tables are those of the paper, with its published
numbers of CIFAR-5m beside ours: other data, so that only orders can be compared.
"""

import argparse
import json
import os
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from pseudo_real_data import CLASSIFIERS, TABLES, Generator, fitted, scored, table
from pseudo_real_evaluators import evaluators, ruled_evaluators, slow_evaluators
from pseudo_real_problems import CALIBRATORS, EVALUATED, TRUTHS, Judged, TrueMaps, calibrated, tasks
from pseudo_real_tables import SET, ranks, report
from report import machine_facts, tell
from run_records import complete
from synthetic_study import ONE_THREAD

CALIBRATION, FRESH = 5_000, 1_000_000
SIZES = {1000: slice(0, 1000), 3000: slice(1000, 4000), 10_000: slice(4000, 14_000)}  # of a seed's rows, disjoint
PER_SEED = 14_000
MOST_SEEDS = 5
TRAINED, CALIBRATED, TESTED, TRUE = range(4)  # streams of rows


@dataclass(frozen=True)
class Model:
    """A classifier on a table: what one preparation makes problems of."""

    table: str
    classifier: str

    @property
    def label(self) -> str:
        """The beginning of the names of its files."""
        return f"{self.table}__{self.classifier.replace(' ', '_')}"

    def prepare(self, data: Path, folder: Path) -> None:
        """Write its problems, and last the true errors of the calibrators that have none yet."""
        start = process_time()
        before = pd.read_csv(self.done(folder)) if self.done(folder).exists() else pd.DataFrame()
        generator = Generator.of(*table(data / f"{self.table}.npz"), seed=0)
        model = fitted(self.classifier, generator, 0)
        sizes = {CALIBRATED: CALIBRATION, TESTED: MOST_SEEDS * PER_SEED, TRUE: FRESH}
        rows = {stream: scored(model, generator, n, [0, stream]) for stream, n in sizes.items()}
        records = []
        for task in tasks(rows[TRUE]):
            for calibrator, apply in calibrated(rows[CALIBRATED], task, self.left(folder)):
                truth = TrueMaps.of(apply(rows[TRUE]))
                key = {"table": self.table, "classifier": self.classifier, "task": task, "calibrator": calibrator}
                errors = {f"error, {name}": value for name, value in zip(TRUTHS, truth.errors(), strict=True)}
                away = {f"distance, {name}": value for name, value in zip(TRUTHS, truth.distance(), strict=True)}
                records.append({**key, **errors, **away})
                if calibrator in EVALUATED:
                    test = apply(rows[TESTED])
                    Judged(test, truth.at(test.p), truth.grid()).save(
                        folder / f"{self.label}__{task}__{calibrator}.npz"
                    )
        seconds = process_time() - start
        draft = self.done(folder).with_suffix(".draft")
        pd.concat([before, pd.DataFrame(records).assign(seconds=seconds)]).to_csv(draft, index=False)
        draft.replace(self.done(folder))

    def left(self, folder: Path) -> list[str]:
        """Return the calibrators whose true errors are not there yet."""
        known = set(pd.read_csv(self.done(folder))["calibrator"]) if self.done(folder).exists() else set()
        return [name for name in CALIBRATORS if name not in known]

    def done(self, folder: Path) -> Path:
        """Return the file of the true errors."""
        return folder / f"{self.label}.csv"


@dataclass(frozen=True)
class Unit:
    """A problem's test rows of one seed, all sizes, for evaluators by their names."""

    problem: Path
    seed: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def label(self) -> str:
        """The name of its records."""
        return f"{self.problem.stem}__{self.seed}"

    def run(self, folder: Path) -> str:
        """Measure what is not recorded, a line for each number."""
        path = folder / f"{self.label}.jsonl"
        known = {(record["n"], record["evaluator"], record["version"]) for record in complete(path)}
        judged = None
        chosen = {**evaluators(), **ruled_evaluators(), **slow_evaluators()}
        with path.open("a") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", fot.CalibrationWarning)  # of few rows: they are what the study is about
            for n in self.sizes:
                for name in self.names:
                    if (n, name, fot.__version__) not in known:
                        judged = judged or Judged.load(self.problem)
                        file.write(json.dumps(self._record(judged, n, name, chosen[name])) + "\n")
                        file.flush()
        return self.label

    def _record(self, judged: Judged, n: int, name: str, evaluator: object) -> dict[str, object]:
        at = np.arange(self.seed * PER_SEED, (self.seed + 1) * PER_SEED)[SIZES[n]]
        p, c = judged.test.p[at], judged.truths[:, at]
        found = evaluator.measure(ScoreSample(judged.test.y[at], p), judged.grid)
        true = np.abs(c - p).mean(axis=1)
        squared = np.mean((c - p) ** 2, axis=1)
        key = {"n": n, "seed": self.seed, "evaluator": name, "version": fot.__version__}
        return {**key, **found, "ce": true.tolist(), "ce_squared": squared.tolist()}


def results(units: Iterable[Unit], folder: Path) -> pd.DataFrame:
    """Return the records of the units as a frame with a row for each number."""
    rows = []
    for unit in units:
        name_of_table, classifier, task, calibrator = unit.problem.stem.split("__")
        key = {"table": name_of_table, "classifier": classifier.replace("_", " "), "task": task}
        for record in complete(folder / f"{unit.label}.jsonl"):
            if record["evaluator"] in unit.names and record["n"] in unit.sizes:
                rows.append({**key, "calibrator": calibrator, **record})  # noqa: PERF401 - a line of the file each
    frame = pd.DataFrame(rows)
    for column in ("map_errors", "map_squares", "ce", "ce_squared"):
        frame[[f"{column}, {name}" for name in TRUTHS]] = np.array(frame.pop(column).tolist())
    return frame


def done_together(jobs: Iterable[tuple[object, ...]], processes: int, what: str) -> None:
    """Run jobs, a function and its arguments each, in processes of one thread."""
    jobs = list(jobs)
    os.environ.update(ONE_THREAD)  # before the workers start, and so before they import numpy and jax
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        for i, job in enumerate(as_completed([pool.submit(*one) for one in jobs]), start=1):
            job.result()
            tell(f"{what}: {i} of {len(jobs)}")
    finally:
        pool.shutdown(cancel_futures=True)
    tell("")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("data/sets"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=MOST_SEEDS, choices=range(1, MOST_SEEDS + 1))
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--evaluators", nargs="+", choices=[*evaluators(), *ruled_evaluators(), *slow_evaluators()])
    parser.add_argument("--sizes", type=int, nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--results", type=Path, default=Path("build/pseudo_real"))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--figures", type=Path)
    given = parser.parse_args()
    models = [Model(name, kind) for name in (given.tables[:1] if given.quick else given.tables) for kind in CLASSIFIERS]
    problems, numbers = given.results / "problems", given.results / "numbers"
    for folder in (problems, numbers):
        folder.mkdir(parents=True, exist_ok=True)
    left = [(one.prepare, given.folder, problems) for one in models if one.left(problems)]
    done_together(left, given.processes, "models and their true maps")
    sizes = tuple(given.sizes[: 1 if given.quick else None])
    units = []
    for seed in range(1 if given.quick else given.seeds):
        names = tuple(given.evaluators or (*evaluators(), *(ruled_evaluators() if seed == 0 else ())))
        of_seed = [
            Unit(path, seed, names, sizes) for one in models for path in sorted(problems.glob(f"{one.label}__*.npz"))
        ]
        done_together([(unit.run, numbers) for unit in of_seed], given.processes, f"test rows of seed {seed}")
        units += of_seed
    frame = results(units, numbers)
    errors = pd.concat([pd.read_csv(one.done(problems)) for one in models], ignore_index=True)
    print(f"{machine_facts()}\n\n{_facts(frame, errors)}\n\n{report(frame, errors)}")
    if given.figures:
        given.figures.mkdir(parents=True, exist_ok=True)
        ranks(frame).save(given.figures / "ranks.svg")


def _facts(frame: pd.DataFrame, errors: pd.DataFrame) -> str:
    """Return how much was done and what it took."""
    sets = len(frame.groupby(SET))
    models = errors.drop_duplicates(["table", "classifier", "seconds"])["seconds"].sum() / 3600
    hours = frame["seconds"].sum() / 3600
    return (
        f"{sets:,} sets of test rows, {len(frame):,} numbers; {models:.1f} CPU hours for models and their true maps, "
        f"{hours:.1f} for the evaluators"
    )


if __name__ == "__main__":
    main()
