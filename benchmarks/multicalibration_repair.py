"""What calibrators that see features repair: log loss and multicalibration on real tables, beside MCGrad.

Usage: ``python benchmarks/multicalibration_repair.py TABLES [--results FILE] [--seeds 10] [--first-seed 100] [--only
NAME ...] [--quick]``, with TABLES a folder of files *.npz that hold X and y, such as ``../shared/data/sets``.

At most 10,000 rows of each of eight tables are drawn: 20 % train a logistic regression or a random forest, 30 % are for
the repair, and the others judge it. Printed are the mean log loss less that of the scores as they are, in thousandths;
the largest; the regret, which is the loss less that of the best repair in hindsight; the multicalibration error, the
largest ECCE of a segment in its standard errors; and the largest ECCE of a segment, in thousandths. Segments are the
quarters of the columns, or their values where they have few, and the pairs of those of ten columns, wherever the
variances of a segment add up to 5. Standard errors are over the runs. Beside them stand the paired differences from
MCGrad by table, and the seconds of the processor.

The same is done with labels that were drawn from the scores, so that nothing is to be repaired: printed is by how much
the expected log loss is larger than that of the scores, and how often the scores are left as they are.

Results go to FILE (build/multicalibration_repair.csv), a line for each run and repair: a run that was interrupted goes
on where it was. MCGrad is left out where its package is not installed. ``--quick`` takes one seed of two tables.
"""

import argparse
import csv
import logging
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import fitontest as fot
from fitontest.numerics.losses import log_loss
from fitontest.results.exceptions import without_warnings
from real_predictions import classifiers
from report import machine_facts, markdown, tell

TABLES = (
    "bank_full",
    "bank_marketing",
    "taiwan_credit",
    "spambase",
    "german_credit",
    "pendigits_mc",
    "page_blocks",
    "optdigits_mc",
)
QUICK = ("bank_full", "german_credit")
MODELS = ("LR", "RF")
MOST_ROWS = 10_000
TRAIN, REPAIR = 0.2, 0.5  # where the parts of the rows end
PAIRED = 10  # columns whose pairs are segments
LEAST_VARIANCE = 5.0
FEW_VALUES = 5
COLUMNS = ("table", "model", "seed", "labels", "repair", "loss", "mce", "worst", "seconds", "unchanged")
OF_CALIBRATED = ("tree_of_maps", "certified_offsets", "segment_offsets", "boosted", "multicalibrated", "MCGrad")
NONE, MCGRAD = "none", "MCGrad"
Array = np.ndarray
Predict = Callable[[Array, Array], Array]  # of features and scores


@dataclass(frozen=True)
class Part:
    """Rows with features, scores and labels."""

    x: Array
    p: Array
    y: Array


@dataclass(frozen=True)
class Run:
    """Rows to repair with, and rows to judge by, of one model on one table."""

    table: str
    model: str
    seed: int
    labels: str
    repair: Part
    judge: Part

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names it in the file."""
        return self.table, self.model, str(self.seed), self.labels


def runs_of(path: Path, seed: int) -> Iterator[Run]:
    """Yield the runs of a table, with its labels and with labels that were drawn from the scores."""
    with np.load(path) as found:
        x, y = found["X"].astype(np.float64), found["y"].astype(np.int64)
    positive = y % 2 == 1 if np.unique(y).size > 2 else y == y.max()
    order = np.random.default_rng(seed).permutation(y.size)[:MOST_ROWS]
    train, repair, judge = np.split(order, [int(TRAIN * order.size), int(REPAIR * order.size)])
    for place, model in enumerate(MODELS):
        fitted = make_pipeline(SimpleImputer(), classifiers(seed)[model]).fit(x[train], positive[train])
        p, q = (fitted.predict_proba(x[part])[:, 1] for part in (repair, judge))
        yield Run(
            path.stem, model, seed, "real", Part(x[repair], p, positive[repair]), Part(x[judge], q, positive[judge])
        )
        rng = np.random.default_rng([seed, place])
        drawn = [rng.random(scores.size) < scores for scores in (p, q)]
        if 0 < drawn[0].sum() < drawn[0].size:
            yield Run(path.stem, model, seed, "drawn", Part(x[repair], p, drawn[0]), Part(x[judge], q, drawn[1]))


def of_features(name: str, **settings: object) -> Callable[[Part], Predict]:
    """Return what fits a calibrator that sees features."""

    def fit(rows: Part) -> Predict:
        calibrator = fot.families.make(name, **settings).fit(rows.x, rows.y, scores=rows.p)
        return lambda x, p: calibrator.predict_proba(x, scores=p)[:, 1]

    return fit


def isotonic(rows: Part) -> Predict:
    """Fit isotonic regression, which sees no feature."""
    family = fot.Isotonic().fit(rows.p, rows.y)
    return lambda _, p: family.transform(p)


def mcgrad(rows: Part) -> Predict:
    """Fit MCGrad with its own settings, on one thread."""
    import pandas as pd
    from mcgrad.methods import MCGrad

    names = [f"x{place}" for place in range(rows.x.shape[1])]

    def frame(x: Array, p: Array) -> pd.DataFrame:
        return pd.DataFrame(x, columns=names).assign(p=p)

    model = MCGrad(lightgbm_params={**MCGrad.DEFAULT_HYPERPARAMS["lightgbm_params"], "num_threads": 1})
    model.fit(frame(rows.x, rows.p).assign(y=rows.y * 1.0), "p", "y", numerical_feature_column_names=names)
    return lambda x, p: model.predict(frame(x, p), "p", numerical_feature_column_names=names)


REPAIRS: dict[str, Callable[[Part], Predict]] = {
    NONE: lambda _: lambda _, p: p,
    "isotonic": isotonic,
    "probability_calibration_tree": of_features("probability_calibration_tree", max_depth=4),
    **{name: of_features(name) for name in OF_CALIBRATED[:-1]},
    MCGRAD: mcgrad,
}


def segments_of(x: Array, seed: int) -> Array:
    """Return which rows are in each segment, shape (n, segments): of single columns, and of pairs of ten of them."""
    singles: list[Array] = []
    of_column: list[int] = []
    for place, column in enumerate(x.T):
        values = np.unique(column[~np.isnan(column)])
        cuts = values[:-1] if values.size <= FEW_VALUES else np.unique(np.nanquantile(column, [0.25, 0.5, 0.75]))
        code = np.where(np.isnan(column), -1, np.searchsorted(cuts, column))
        found = [code == each for each in np.unique(code)]
        singles += found if len(found) > 1 else []
        of_column += [place] * len(found) if len(found) > 1 else []
    paired = set(np.random.default_rng(seed).permutation(sorted(set(of_column)))[:PAIRED].tolist())
    pairs = [
        singles[i] & singles[j]
        for i, one in enumerate(of_column)
        for j, other in enumerate(of_column[:i])
        if one != other and {one, other} <= paired
    ]
    return np.stack([np.ones(x.shape[0], dtype=bool), *singles, *pairs], axis=1)


def largest_errors(y: Array, q: Array, segments: Array) -> tuple[float, float]:
    """Return the largest ECCE of a segment in its standard errors, and in thousandths."""
    order = np.argsort(q, kind="stable")
    q, y, segments = q[order], y[order], segments[order]
    last = np.append(q[1:] != q[:-1], [True])  # ties are added before the walk is looked at
    variance = (q * (1.0 - q)) @ segments
    kept = variance >= LEAST_VARIANCE
    walk = np.cumsum((y - q)[:, None] * segments[:, kept], axis=0)[last]
    reach = np.maximum(walk.max(axis=0), 0.0) - np.minimum(walk.min(axis=0), 0.0)
    return float((reach / np.sqrt(variance[kept])).max()), 1e3 * float((reach / segments[:, kept].sum(axis=0)).max())


def loss_of(run: Run, q: Array) -> float:
    """Return the mean log loss; of labels that were drawn from the scores its expectation."""
    if run.labels == "real":
        return float(log_loss(run.judge.y * 1.0, q).mean())
    p, size = run.judge.p, q.size
    return float((p * log_loss(np.ones(size), q) + (1.0 - p) * log_loss(np.zeros(size), q)).mean())


def rows_of(run: Run, repairs: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield a line for each repair."""
    segments = segments_of(run.judge.x, run.seed)
    before = loss_of(run, run.judge.p)
    for name in repairs:
        tell(f"{' '.join(run.key)} {name}")
        start = time.process_time()
        with without_warnings(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of MCGrad
            predict = REPAIRS[name](run.repair)
            seconds = time.process_time() - start
            q = np.asarray(predict(run.judge.x, run.judge.p), dtype=np.float64)
        mce, worst = largest_errors(run.judge.y, q, segments)
        numbers = (f"{1e3 * (loss_of(run, q) - before):.5f}", f"{mce:.4f}", f"{worst:.3f}", f"{seconds:.3f}")
        yield *run.key, name, *numbers, int(np.allclose(q, run.judge.p, rtol=0.0, atol=1e-6))


def compute(path: Path, tables: list[Path], seeds: range) -> None:
    """Append the lines that are missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {tuple(row[name] for name in COLUMNS[:5]) for row in read(path)}
    known = [name for name in REPAIRS if name != MCGRAD or find_spec("mcgrad") is not None]
    of_labels = {"real": known, "drawn": [name for name in known if name in OF_CALIBRATED]}
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for seed in seeds:
            for table in tables:
                keys = [(table.stem, model, str(seed), labels) for model in MODELS for labels in of_labels]
                if all((*key, name) in done for key in keys for name in of_labels[key[3]]):
                    continue
                for run in runs_of(table, seed):
                    missing = [name for name in of_labels[run.labels] if (*run.key, name) not in done]
                    writer.writerows(rows_of(run, missing))
                    file.flush()
    tell("")


def read(path: Path) -> list[dict[str, str]]:
    """Return the lines of the file, which need not be there yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def mean_and_error(values: Array, digits: int = 1) -> str:
    """Return a mean and its standard error."""
    spread = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
    return f"{values.mean():+.{digits}f} +- {spread:.{digits}f}"


def columns_of(rows: list[dict[str, str]], column: str) -> dict[str, Array]:
    """Return a column by repair, in the order of the runs that have all repairs."""
    found: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for row in rows:
        found[tuple(row[name] for name in COLUMNS[:4])][row["repair"]] = float(row[column])
    names = [name for name in REPAIRS if any(name in each for each in found.values())]
    whole = [each for _, each in sorted(found.items()) if all(name in each for name in names)]
    return {name: np.array([each[name] for each in whole]) for name in names}


def of_real_labels(rows: list[dict[str, str]]) -> str:
    """Return the table of all repairs, and that of the paired differences by table."""
    loss, mce, worst, seconds = (columns_of(rows, name) for name in ("loss", "mce", "worst", "seconds"))
    best = np.min(list(loss.values()), axis=0)
    beside = loss.get(MCGRAD)
    lines = []
    for name, values in loss.items():
        paired = "" if beside is None else mean_and_error(values - beside)
        better = "" if beside is None else f"{np.count_nonzero(values < beside)} of {values.size}"
        numbers = (f"{(values - best).mean():.1f}", f"{mce[name].mean():.2f}", f"{worst[name].mean():.0f}")
        lines.append([name, mean_and_error(values), f"{values.max():+.1f}", *numbers, paired, better])
        lines[-1].append(f"{seconds[name].mean():.2f}")
    header = ("repair", "log loss", "worst", "regret", "MCE", "worst segment", "less MCGrad", "better", "seconds")
    parts = [markdown(header, lines)]
    if beside is not None and "multicalibrated" in loss:
        parts.append(markdown(("table", "model", "multicalibrated", MCGRAD, "difference"), list(by_table(rows))))
    return "\n\n".join(parts)


def by_table(rows: list[dict[str, str]]) -> Iterator[list[str]]:
    """Yield a line for each table, of both models and of each."""
    for table in TABLES:
        for models in (MODELS, *((model,) for model in MODELS)):
            loss = columns_of([row for row in rows if row["table"] == table and row["model"] in models], "loss")
            if loss:
                ours, theirs = loss["multicalibrated"], loss[MCGRAD]
                means = (f"{values.mean():+.1f}" for values in (ours, theirs))
                yield [table, " and ".join(models), *means, mean_and_error(ours - theirs)]


def of_drawn_labels(rows: list[dict[str, str]]) -> str:
    """Return the table of the harm to calibrated scores."""
    harm, unchanged = columns_of(rows, "loss"), columns_of(rows, "unchanged")
    lines = []
    for name, values in harm.items():
        kept = f"{int(unchanged[name].sum())} of {values.size}"
        lines.append([name, mean_and_error(values, 2), f"{values.max():+.2f}", kept])
    return markdown(("repair", "harm", "largest", "scores left as they are"), lines)


def main() -> None:
    """Compute what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--results", type=Path, default=Path("build/multicalibration_repair.csv"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of the files, without .npz")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    logging.getLogger("mcgrad").setLevel(logging.ERROR)
    names = given.only or (QUICK if given.quick else TABLES)
    seeds = range(given.first_seed, given.first_seed + (1 if given.quick else given.seeds))
    compute(given.results, [given.tables / f"{name}.npz" for name in names], seeds)
    rows = [row for row in read(given.results) if row["table"] in names and int(row["seed"]) in seeds]
    print(machine_facts(), "\n")
    for labels, show in (("real", of_real_labels), ("drawn", of_drawn_labels)):
        of_labels = [row for row in rows if row["labels"] == labels]
        runs = len({tuple(row[name] for name in COLUMNS[:3]) for row in of_labels})
        print(f"{labels} labels, {runs} runs\n\n{show(of_labels)}\n")


if __name__ == "__main__":
    main()
