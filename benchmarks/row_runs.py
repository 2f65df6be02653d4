"""How often hints at dependence are given where rows are independent, and where they belong together.

Usage: ``python benchmarks/row_runs.py [--part false] [--part others] [--part groups] [--part games] [--part cost]
[--draws 400] [--orders 5] [--tables FOLDER] [--scores FOLDER]``, where FOLDER holds tables as NPZ files with X and y,
or scores with p (or conf, or p_*) and y.

False alarms: shares of draws in which `fitontest.data.row_runs.Runs` are there, of calibrated scores with independent
labels, in an order as named. z has the covariate or the stream by which rows are ordered, or along which scores change.

Others: how many of the same draws are taken for runs of labels (`LabelRuns`), copies, or mirrored rows (`Repeats`), and
how many of four columns of each are taken for groups: 12, 40 and n / 3 random ids, and integers near the logit.

Games: the same hints where rows are the moments of games, whose score comes nearer to the outcome, and which share of
columns of groups is found by the agreement of labels.

Groups: the same where rows come group by group. Scores are sigmoid(1.5 z), where z has the latent intraclass
correlation of the column; labels that of .05, by a Gaussian copula.

Tables: six classifiers are cross-validated on each table, at most 20,000 rows, and on those that scikit-learn ships;
their scores are looked at in the order of the table, sorted by score, by label and by each of at most 20 columns.

Cost: the time of the check, beside that of an interval of the calibration error.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtr
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.data.label_runs import LabelRuns
from fitontest.data.reading.group_columns import agreement_within
from fitontest.data.repeated_rows import Repeats
from fitontest.data.row_runs import Runs
from fitontest.numerics.links import logit, sigmoid
from report import machine_facts, markdown

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Scores = tuple[Array, Array]
SEED = 36_2026
PARTS = ("false", "others", "groups", "games", "cost")
MOST_ROWS, MOST_COLUMNS = 20_000, 20
SIZES = (300, 1000, 3000)


def labels_of(p: Array, rng: np.random.Generator) -> Scores:
    return p, (rng.random(p.size) < p).astype(np.float64)


def plain(rng: np.random.Generator, n: int) -> Scores:
    return labels_of(sigmoid(1.5 * rng.standard_normal(n)), rng)


def ordered(key: Callable[[Array, Array, np.random.Generator], Array]) -> Callable[[np.random.Generator, int], Scores]:
    """Return what draws rows sorted by a key of their scores and labels."""

    def draw(rng: np.random.Generator, n: int) -> Scores:
        p, y = plain(rng, n)
        rows = np.argsort(key(p, y, rng), kind="stable")
        return p[rows], y[rows]

    return draw


def related(correlation: float, levels: int | None = None) -> Callable[[Array, Array, np.random.Generator], Array]:
    """Return a covariate that has a correlation with the logit of the score, in levels or continuous."""

    def key(p: Array, _y: Array, rng: np.random.Generator) -> Array:
        z = np.log(p / (1 - p)) / 1.5
        values = correlation * z + np.sqrt(1 - correlation**2) * rng.standard_normal(p.size)
        if levels is None:
            return values
        return np.floor(levels * np.argsort(np.argsort(values)) / p.size)

    return key


def rounded(digits: int) -> Callable[[np.random.Generator, int], Scores]:
    def draw(rng: np.random.Generator, n: int) -> Scores:
        p, y = plain(rng, n)
        return p.round(digits), y

    return draw


def constant(rng: np.random.Generator, n: int) -> Scores:
    return labels_of(np.full(n, 0.3), rng)


def rare(rng: np.random.Generator, n: int) -> Scores:
    return labels_of(rng.beta(0.5, 9.5, n), rng)


def stream(memory: float, share: float = 1.0, freedom: float | None = None) -> Callable[..., Scores]:
    """Return what draws scores along a stationary series with a memory, of which the share of the variance is."""

    def draw(rng: np.random.Generator, n: int) -> Scores:
        steps = rng.standard_normal(n + 200) if freedom is None else rng.standard_t(freedom, n + 200)
        series = lfilter([1.0], [1.0, -memory], steps)[200:]
        series = series / series.std()
        return labels_of(sigmoid(1.5 * (np.sqrt(share) * series + np.sqrt(1 - share) * rng.standard_normal(n))), rng)

    return draw


def season(period: int, share: float) -> Callable[..., Scores]:
    def draw(rng: np.random.Generator, n: int) -> Scores:
        wave = np.sqrt(2.0) * np.sin(2.0 * np.pi * np.arange(n) / period)
        return labels_of(sigmoid(1.5 * (np.sqrt(share) * wave + np.sqrt(1 - share) * rng.standard_normal(n))), rng)

    return draw


def drift(rng: np.random.Generator, n: int) -> Scores:
    return labels_of(sigmoid(1.5 * (np.linspace(-1.5, 1.5, n) + 0.5 * rng.standard_normal(n))), rng)


def blocks(size: int) -> Callable[[np.random.Generator, int], Scores]:
    """Return what draws rows in blocks of one label each, in turn."""

    def draw(rng: np.random.Generator, n: int) -> Scores:
        p, y = plain(rng, 2 * n)
        first, second = (np.flatnonzero(y == label) for label in (0, 1))
        many = min(first.size, second.size) // size
        rows = np.stack([each[: many * size].reshape(many, size) for each in (first, second)], axis=1).ravel()[:n]
        return p[rows], y[rows]

    return draw


FALSE: dict[str, Callable[[np.random.Generator, int], Scores]] = {
    "random order": plain,
    "random order, rare positives": rare,
    "random order, 1 digit": rounded(1),
    "random order, 2 digits": rounded(2),
    "one score": constant,
    "sorted by score": ordered(lambda p, _y, _rng: p),
    "sorted by score of 1 digit": ordered(lambda p, _y, _rng: p.round(1)),
    "sorted by label": ordered(lambda _p, y, _rng: y),
    "sorted by label and score": ordered(lambda p, y, _rng: y + p / 2),
    "sorted by a covariate, correlation .5": ordered(related(0.5)),
    "sorted by a covariate, correlation .9": ordered(related(0.9)),
    "sorted by a covariate, correlation .99": ordered(related(0.99)),
    "sorted by a covariate of 5 levels, .9": ordered(related(0.9, 5)),
    "sorted by a covariate of 70 levels, .9": ordered(related(0.9, 70)),
    "blocks of 2 rows of one label": blocks(2),
    "blocks of 10 rows of one label": blocks(10),
    "drift": drift,
    "season of 96 rows, share .5": season(96, 0.5),
    "season of 96 rows, share .9": season(96, 0.9),
    "season of 24 rows, share .9": season(24, 0.9),
    "season of 365 rows, share .99": season(365, 0.99),
    "series, memory .5": stream(0.5),
    "series, memory .8": stream(0.8),
    "series, memory .9": stream(0.9),
    "series, memory .99": stream(0.99),
    "series, memory .95, share .6": stream(0.95, 0.6),
    "series of heavy steps (t3), memory .5": stream(0.5, 1.0, 3.0),
    "series of heavy steps (t3), memory .7": stream(0.7, 1.0, 3.0),
    "series of heavy steps (t3), memory .9": stream(0.9, 1.0, 3.0),
}


def grouped(rng: np.random.Generator, groups: int, rows: int, icc: float, of_labels: float = 0.05) -> Scores:
    """Return rows that come group by group."""
    of = np.repeat(np.arange(groups), rows)

    def alike(share: float) -> Array:
        each = np.sqrt(1 - share) * rng.standard_normal(of.size)
        return np.asarray(np.sqrt(share) * rng.standard_normal(groups)[of] + each)

    p = sigmoid(1.5 * alike(icc))
    return p, (ndtr(alike(of_labels)) < p).astype(np.float64)


def rate(draw: Callable[[], Scores], draws: int) -> str:
    """Return the share of draws with runs and its standard error, or the limit of 95 % where there are none."""
    share = float(np.mean([Runs.of_rows(*draw()).are_there for _ in range(draws)]))
    if share in (0.0, 1.0):
        return f"{share:.0f}"
    return f"{share:.3f} +- {np.sqrt(share * (1 - share) / draws):.3f}"


def false_alarms(draws: int) -> None:
    table = []
    for place, (name, draw) in enumerate(FALSE.items()):
        rng = np.random.default_rng([SEED, place])
        table.append([name, *(rate(lambda n=n: draw(rng, n), draws) for n in SIZES)])  # noqa: B023 - called at once
    print(f"\n## False alarms, in {draws} draws\n")
    print(markdown(["order", *(f"n = {n:,}" for n in SIZES)], table))


def other_hints(p: Array, y: Array, rng: np.random.Generator) -> Array:
    """Return whether rows are taken for runs of labels, copies and mirrored rows, and how many columns for groups."""
    repeats = Repeats.of(fot.ScoreSample(y.astype(int), p))
    columns = [rng.integers(0, values, p.size) for values in (12, 40, p.size // 3)]
    columns.append(np.floor(10 * (logit(p, 1e-6) + rng.standard_normal(p.size))).astype(int))
    codes = (np.unique(column, return_inverse=True)[1] for column in columns)
    groups = sum(agreement_within(code, p, y) is not None for code in codes)
    return np.array([LabelRuns.of_rows(p, y).are_there, repeats.are_copies, repeats.events > 0, groups], dtype=float)


def others(draws: int, orders: int) -> None:
    table = []
    for place, (name, draw) in islice(enumerate(FALSE.items()), orders):
        rng = np.random.default_rng([SEED, place, 1])
        counts = [sum(other_hints(*draw(rng, n), rng) for _ in range(draws)) for n in SIZES]
        table.append([name, *(" / ".join(f"{count:.0f}" for count in each) for each in counts)])
        print(*table[-1], sep=" | ", flush=True)
    print(f"\n## Other hints, runs of labels / copies / mirrored rows / columns, in {draws} draws\n")
    print(markdown(["order", *(f"n = {n:,}" for n in SIZES)], table))


def games(rng: np.random.Generator, number: int, moments: int) -> Scores:
    """Return calibrated scores of the moments of games: a walk, and whether it ends above 0."""
    ahead = rng.standard_normal((number, 1)) + (rng.standard_normal((number, moments)) / np.sqrt(moments)).cumsum(
        axis=1
    )
    left = np.arange(moments, 0, -1) / moments
    won = ahead[:, -1] + rng.standard_normal(number) / np.sqrt(moments) > 0
    return ndtr(ahead / np.sqrt(left)).ravel(), np.repeat(won, moments).astype(np.float64)


def of_games(draws: int) -> None:
    table = []
    for number, moments in ((20, 15), (20, 50), (100, 10), (100, 30), (382, 180)):
        rng = np.random.default_rng([SEED, number, moments])
        some = max(draws // 10, 10) if number * moments > 10_000 else draws
        found = [LabelRuns.of_rows(*games(rng, number, moments)).are_there for _ in range(some)]
        table.append([f"{number} x {moments}", f"{np.mean(found):.3f}"])
    print("\n## Runs of labels, of games x moments\n")
    print(markdown(["games x moments", "found"], table))
    table = []
    for number, rows in ((100, 3), (300, 3), (60, 5), (200, 5), (100, 10), (30, 30)):
        rng, code = np.random.default_rng([SEED, number, rows]), np.repeat(np.arange(number), rows)
        shares = [
            np.mean([agreement_within(code, *grouped(rng, number, rows, 0.3, icc)) is not None for _ in range(draws)])
            for icc in (0.0, 0.2, 0.4, 0.8)
        ]
        table.append([f"{number} x {rows}", *(f"{share:.3f}" for share in shares)])
    print(f"\n## Columns of groups within which labels agree, in {draws} draws\n")
    print(markdown(["groups x rows", *(f"labels' ICC {icc}" for icc in ("0", ".2", ".4", ".8"))], table))


def of_groups(draws: int) -> None:
    table = []
    for rows in (3, 5, 10, 30):
        for n in SIZES:
            rng = np.random.default_rng([SEED, rows, n])
            groups = n // rows
            each = (rate(lambda icc=icc: grouped(rng, groups, rows, icc), draws) for icc in (0.5, 0.8, 0.9, 0.95, 1.0))  # noqa: B023
            table.append([f"{groups:,} x {rows}", *each])
    print(f"\n## Groups, in {draws} draws\n")
    print(markdown(["groups x rows", *(f"scores' ICC {icc}" for icc in (".5", ".8", ".9", ".95", "1"))], table))


def models() -> dict[str, object]:
    def after(*steps: object) -> object:
        return make_pipeline(SimpleImputer(strategy="median"), *steps)

    return {
        "LR": after(StandardScaler(), LogisticRegression(max_iter=300)),
        "NB": after(GaussianNB()),
        "tree": after(DecisionTreeClassifier(min_samples_leaf=10, random_state=0)),
        "deep tree": after(DecisionTreeClassifier(random_state=0)),
        "RF": after(RandomForestClassifier(50, random_state=0)),
        "kNN": after(StandardScaler(), KNeighborsClassifier(15)),
    }


def tables(folder: Path) -> Iterator[tuple[str, Array, Codes]]:
    """Yield tables of a folder, and those that scikit-learn ships."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            yield path.stem, found["X"].astype(np.float64), np.unique(found["y"], return_inverse=True)[1]
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield f"scikit-learn {name}", X, y


def against_rest(P: Array, y: Codes) -> Iterator[Scores]:
    """Yield the scores of two classes, or the confidences and each class against the rest."""
    if P.shape[1] == 2:
        yield P[:, 1], y.astype(np.float64)
        return
    yield P.max(axis=1), (P.argmax(axis=1) == y).astype(np.float64)
    for column in range(P.shape[1]):
        yield np.ascontiguousarray(P[:, column]), (y == column).astype(np.float64)


def of_tables(folder: Path) -> None:
    rows = []
    for name, X, y in tables(folder):
        X, y = X[:MOST_ROWS], np.unique(y[:MOST_ROWS], return_inverse=True)[1]
        columns = [np.argsort(X[:, column], kind="stable") for column in range(min(X.shape[1], MOST_COLUMNS))]
        counts = dict.fromkeys(("score sets", "as given", "by score", "by label", "sorted", "by a column"), 0)
        which = []
        for called, model in models().items():
            for folds in (KFold(5, shuffle=True, random_state=0), StratifiedKFold(5)):
                P = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
                for p, positive in against_rest(P, y):
                    counts["score sets"] += 1
                    orders = {"as given": np.arange(y.size), "by score": np.argsort(p, kind="stable")}
                    orders["by label"] = np.argsort(positive, kind="stable")
                    for order, at in orders.items():
                        there = Runs.of_rows(p[at], positive[at]).are_there
                        counts[order] += there
                        which += [f"{called}, {order}"] * there
                    counts["sorted"] += len(columns)
                    counts["by a column"] += sum(Runs.of_rows(p[at], positive[at]).are_there for at in columns)
        rows.append([name, *map(str, counts.values()), "; ".join(dict.fromkeys(which))])
        print(*rows[-1], flush=True)
    print("\n## Tables\n")
    print(markdown(["table", *counts, "which"], rows))


def of_scores(folder: Path) -> None:
    rows = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            arrays = {key: found[key] for key in found}
        looked, there = 0, 0
        for key, scores in arrays.items():
            part = key.split("_")[1] if key.startswith(("p_val", "p_test")) else ""
            y = arrays.get(f"y_{part}" if part else "correct" if key == "conf" else "y")
            if not key.startswith(("p", "conf")) or scores.dtype.kind != "f" or y is None:
                continue
            P = scores.astype(np.float64)
            each = [(P, y.astype(np.float64))] if P.ndim == 1 else list(against_rest(P, y.astype(np.int64)))
            looked += len(each)
            there += sum(Runs.of_rows(p, positive).are_there for p, positive in each)
        rows.append([path.stem, str(looked), str(there)])
    print("\n## Scores, in the order of the file\n")
    print(markdown(["file", "score sets", "note"], rows))


def cost() -> None:
    table = []
    for n in (1000, 10_000, 1_000_000):
        p, y = plain(np.random.default_rng(0), n)
        sample = fot.read(y, p)
        times = []
        for call in (lambda: Runs.of(sample), lambda: fot.calibration_error(y, p, family="platt", interval="always")):  # noqa: B023
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        table.append([f"{n:,}", *(f"{1e3 * each:.1f}" for each in times)])
    print("\n## Time\n")
    print(markdown(["n", "runs (ms)", "calibration_error with an interval (ms)"], table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="by default all, and what folders hold")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--orders", type=int, default=len(FALSE), help="of others: the first five are random ones")
    parser.add_argument("--tables", type=Path, help="folder of NPZ files with X and y")
    parser.add_argument("--scores", type=Path, help="folder of NPZ files with scores and y")
    given = parser.parse_args()
    chosen = given.part or ([] if given.tables or given.scores else PARTS)
    print(machine_facts())
    warnings.simplefilter("ignore")
    if "false" in chosen:
        false_alarms(given.draws)
    if "others" in chosen:
        others(given.draws, given.orders)
    if "groups" in chosen:
        of_groups(given.draws)
    if "games" in chosen:
        of_games(given.draws)
    if "cost" in chosen:
        cost()
    if given.scores is not None:
        of_scores(given.scores)
    if given.tables is not None:
        of_tables(given.tables)


if __name__ == "__main__":
    main()
