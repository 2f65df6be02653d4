"""CalArena, a benchmark of post-hoc calibrators by others, run by its protocol with maps of this package entered.

Usage: ``OMP_NUM_THREADS=1 python benchmarks/calarena.py OUT [--predictions FOLDER] [--tables FILE ...] [--hdf5 FOLDER]
[--only BENCHMARK ...] [--without DATASET ...] [--page FILE]``, after ``pip install -r
benchmarks/league_requirements.txt``.

CalArena (Berta, Holzmüller, Bach, Jordan 2026, arXiv:2605.30188; github.com/probkit/CalArena) fits calibrators to the
calibration rows of each pair of a data set and a classifier, and judges them on its test rows by the Brier score (the
sum over the classes), log loss, Kuiper's statistic (of two classes), ECE of 15 bins and accuracy. Calibrators, their
settings and metrics are those of the package probmetrics. A win is a pair of calibrators of which one has the strictly
lower Brier score; its interval is a bootstrap over the data sets.

The files that CalArena itself is run on are in no package. Who has them (*-binary.h5, *-multiclass.h5) names their
folder by ``--hdf5``. Without them the protocol is run on tables that scikit-learn bundles, with out-of-fold predictions
of five classifiers to fit to; ``--tables`` adds npz files with X and y, and ``--predictions`` those with y_val, y_test,
p_val_M and p_test_M of models M (of two classes only files named split3_*.npz), or with p and y of several classes, of
which the even rows are fitted to.

Every answer is a line of a file of OUT, so that a run that was stopped goes on where it was; a calibrator that failed
is asked again. ``--page`` writes the tables into a page, between the marks that it has for them.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calarena_calibrators import BASE, OURS, THEIRS
from calarena_experiments import Experiment, experiments
from league_peers import module, quiet
from report import machine_facts, markdown, number, put, tell, versions
from run_records import complete
from timing import Clock

Array = NDArray[np.float64]
METRICS = {
    "binary": ("brier", "logloss", "kuiper", "ece-15", "accuracy"),
    "multiclass": ("brier", "logloss", "ece-15", "accuracy"),
}
DRAWS = 1000
PEERS = ("probmetrics", "torch", "netcal", "betacal", "xgboost", "lightgbm", "catboost", "splinecalib", "cir-model")


# --------------------------------------------------------------------------------------------------------- the answers


def judged(experiment: Experiment, make: Any, clock: Clock = process_time) -> dict[str, Any]:
    """Return the metrics of a calibrator on the test rows and the seconds of its fit and predictions, or why not."""
    probabilities = as_columns(experiment.p_test)
    start = clock()
    try:
        with quiet():
            calibrator = make()
            if calibrator is not None:
                calibrator.fit(experiment.p_cal, experiment.y_cal)
                probabilities = calibrator.predict_proba(experiment.p_test)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"}
    return {"seconds": clock() - start, **metrics(experiment, probabilities)}


def metrics(experiment: Experiment, probabilities: Any) -> dict[str, float]:
    """Return what probmetrics computes of the probabilities of the test rows."""
    tensor, names = module("torch").tensor, list(METRICS[experiment.kind])
    compute = module("probmetrics.metrics").Metrics.from_names(names).compute_all_from_labels_probs
    with quiet():
        found = compute(tensor(experiment.y_test, dtype=module("torch").int64), tensor(np.asarray(probabilities)))
    return {name: found[name].item() for name in names}


def as_columns(p: Array) -> Array:
    return np.stack([1 - p, p], axis=1) if p.ndim == 1 else p


def answers(benchmark: str, asked: Sequence[Experiment], out: Path) -> list[dict[str, Any]]:
    """Return the records of all calibrators on the experiments; those that the file does not have are made."""
    path, records = out / f"{benchmark}.jsonl", []
    known = {
        (record["dataset"], record["model"], record["calibrator"]): record
        for record in complete(path)
        if "failed" not in record  # its package may be there by now
    }
    with path.open("a") as file:
        for experiment in asked:
            for name, make in (THEIRS[experiment.kind] | OURS[experiment.kind]).items():
                record = known.get((experiment.dataset, experiment.model, name))
                if record is None:
                    tell(f"{benchmark}, {experiment.dataset}, {experiment.model}, {name}")
                    record = {**experiment.facts(), "calibrator": name, **judged(experiment, make)}
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                records.append(record)
    tell("")
    return records


# ----------------------------------------------------------------------------------------------------------- the tables


def win_shares(losses: Array, against: NDArray[np.bool_] | None = None) -> Array:
    """Return for each experiment and calibrator the share of the others (of those marked) whose loss is higher.

    A loss that is not a number neither wins nor is won against, as in CalArena.
    """
    marked = np.ones(losses.shape[1], dtype=bool) if against is None else against
    wins = (losses[:, None, marked] > losses[:, :, None]).sum(axis=2)
    return wins / (marked.sum() - marked)


def bootstrap(shares: Array, datasets: Sequence[str], draws: int = DRAWS) -> tuple[Array, Array]:
    """Return the ends of 95 % intervals for the mean shares, the data sets drawn with replacement."""
    names, codes = np.unique(datasets, return_inverse=True)
    sums = np.zeros((names.size, shares.shape[1]))
    np.add.at(sums, codes, shares)
    counts = np.random.default_rng(0).multinomial(names.size, np.full(names.size, 1 / names.size), draws)
    means = counts @ sums / (counts @ np.bincount(codes))[:, None]
    return np.percentile(means, 2.5, axis=0), np.percentile(means, 97.5, axis=0)


def tabled(records: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the table of a benchmark, best win rate first, and what was left out."""
    pairs = list(dict.fromkeys((record["dataset"], record["model"]) for record in records))
    found = {(record["dataset"], record["model"], record["calibrator"]): record for record in records}
    failed = {record["calibrator"]: record["failed"] for record in records if "failed" in record}
    names = [name for name in THEIRS[kind] | OURS[kind] if name not in failed]
    score = {
        metric: np.array([[found[*pair, name][metric] for name in names] for pair in pairs])
        for metric in (*METRICS[kind], "seconds")
    }
    shares = win_shares(score["brier"])
    low, high = bootstrap(shares, [dataset for dataset, _ in pairs])
    theirs = win_shares(score["brier"], np.array([name in THEIRS[kind] for name in names])).mean(axis=0)
    of_log_loss = win_shares(score["logloss"]).mean(axis=0)
    better = {metric: gains(score[metric], names.index(BASE), metric) for metric in METRICS[kind]}
    rows = [
        (
            names[j],
            f"{shares[:, j].mean():.3f} ({low[j]:.2f}-{high[j]:.2f})",
            f"{theirs[j]:.3f}",
            f"{of_log_loss[j]:.3f}",
            *(signed(better[metric][j]) for metric in METRICS[kind]),
            number(float(np.median(score["seconds"][:, j]))),
        )
        for j in np.argsort(-shares.mean(axis=0), kind="stable")
    ]
    header = ("calibrator", "wins, Brier", "against theirs", "wins, log loss", *METRICS[kind], "CPU s")
    notes = [f"{len({dataset for dataset, _ in pairs})} data sets, {len(pairs)} experiments."]
    notes += [f"Left out: {name} ({reason})." for name, reason in failed.items()]
    return f"{' '.join(notes)}\n\n{markdown(header, rows)}"


def signed(value: float) -> str:
    """Return a number with two decimals and its sign."""
    return "nan" if np.isnan(value) else f"{round(value, 2) + 0.0:+.2f}"


def gains(scores: Array, base: int, metric: str) -> Array:
    """Return a hundred times the mean gain over the scores left alone, higher being better."""
    sign = -1 if metric == "accuracy" else 1
    return 100 * sign * (scores[:, [base]] - scores).mean(axis=0)


def parts(given: argparse.Namespace) -> Iterator[tuple[str, list[Experiment]]]:
    """Yield the benchmarks and their experiments."""
    for benchmark, found in experiments(given.out, given.predictions, given.tables, given.hdf5).items():
        if not given.only or benchmark in given.only:
            yield benchmark, [experiment for experiment in found if experiment.dataset not in given.without]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder of the answers")
    parser.add_argument("--predictions", type=Path, metavar="FOLDER", help="npz files with predictions")
    parser.add_argument("--tables", type=Path, nargs="+", default=(), metavar="FILE", help="npz files with X and y")
    parser.add_argument("--hdf5", type=Path, metavar="FOLDER", help="CalArena's own files")
    parser.add_argument("--only", nargs="+", metavar="BENCHMARK", help="such as tables-binary")
    parser.add_argument("--without", nargs="+", default=(), metavar="DATASET", help="data sets that take too long")
    parser.add_argument("--page", type=Path, metavar="FILE", help="a page to write the tables into")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    texts = [f"{machine_facts()}; {versions(PEERS)}"]
    for benchmark, asked in parts(given):
        texts.append(f"### {benchmark}\n\n{tabled(answers(benchmark, asked, given.out), asked[0].kind)}")
        print(texts[-1], flush=True)
    if given.page:
        put(given.page, "calarena", "\n\n".join(texts))


if __name__ == "__main__":
    main()
