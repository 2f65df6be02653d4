"""What certain scores, of exactly 0 or 1, do to maps that are linear in logits: each family against no map at all.

Usage: ``python benchmarks/certain_scores.py FOLDER [--seeds 5] [--each]``, where FOLDER holds tables as NPZ files with
X and y.

A forest and five nearest neighbours are trained on one half of the rows of each table, at most 12,000 drawn at random;
a family is fitted to their scores on a quarter, and its log loss on the last quarter is compared with that of the
scores themselves, row by row. Predictions are clipped to [1e-6, 1 - 1e-6]. Of more than two classes, those with odd
numbers are the positive one of the first part; the second part has all classes. "1 %" is a table of 5,000 rows or more
whose positives are thinned out to 1 % of the rows.

The rules for certain scores: "1e-16" clips them there, as versions before 0.2 did; "auto" is the default, one logit
beyond the largest of the other scores; "2 logits" is the same with a margin of two; "own level" fits the other scores
alone, and gives the certain ones their mean label, (wrong + 1/2) / (n + 1) of them wrong. Only problems are counted
whose calibration rows have a certain score, since all rules are one elsewhere.

A split is worse where its mean difference is above two standard errors over the test rows. Such an error takes the map
for given: where one of a thousand certain scores is wrong among the calibration rows and none among those of the test,
every map that learns of it is worse by many of them. So each table and model is judged over all splits too, by the
error of Nadeau and Bengio (2003), https://doi.org/10.1023/A:1024068626366, with the variance over the splits times
1 / splits + 1 / 3, the test rows being a third of the others.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fitontest as fot
from fitontest.numerics import certainty
from fitontest.numerics.losses import LOG_LOSS_EPS
from report import machine_facts, markdown, tell

Array = NDArray[np.float64]
MOST_ROWS, RARE_FROM, RARE = 12_000, 5_000, 0.01
TEST_TO_OTHERS = 1 / 3
OF_TWO = ("platt", "temperature", "beta")
OF_SEVERAL = ("temperature", "bias_corrected", "vector", "matrix", "dirichlet", "one_vs_rest")


@dataclass(frozen=True)
class Problem:
    """Scores of a model on the rows to calibrate on and on those of the test: columns of two classes, or matrices."""

    table: str
    model: str
    labels: Array | None
    y: Array
    p: Array
    y_test: Array
    p_test: Array

    @property
    def certain(self) -> bool:
        """Whether a score to calibrate on is certain, and another is not."""
        known = (self.p == 0.0) | (self.p == 1.0)
        return bool(known.any() and not known.all())

    def losses(self, q: Array) -> Array:
        """Return the log loss of each test row under probabilities of the shape of the scores."""
        if self.labels is None:
            q = np.where(self.y_test == 1, q, 1.0 - q)
        else:
            q = q[np.arange(q.shape[0]), np.searchsorted(self.labels, self.y_test)]
        return -np.log(np.clip(q, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS))


def models(seed: int) -> dict[str, object]:
    return {
        "RF": make_pipeline(SimpleImputer(strategy="median"), RandomForestClassifier(random_state=seed)),
        "kNN": make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), KNeighborsClassifier()),
    }


def tables(path: Path, seed: int) -> Iterator[tuple[str, Array, Array]]:
    """Yield the names, features and labels that are made of a file: of two classes, thinned out, and of several."""
    with np.load(path) as found:
        x, y = found["X"].astype(np.float64), found["y"].astype(np.int64)
    several = np.unique(y).size > 2
    positive = (y % 2 if several else y == y.max()).astype(np.int64)
    yield path.stem, x, positive
    if y.size >= RARE_FROM:
        order = np.random.default_rng(seed).permutation(y.size)
        negatives, positives = order[positive[order] == 0], order[positive[order] == 1]
        kept = np.concatenate([negatives, positives[: round(RARE / (1 - RARE) * negatives.size)]])
        yield f"{path.stem} 1 %", x[kept], positive[kept]
    if several:
        yield f"{path.stem} K", x, y


def problems(path: Path, seed: int) -> Iterator[Problem]:
    for name, x, y in tables(path, seed):
        order = np.random.default_rng(seed).permutation(y.size)[:MOST_ROWS]
        train, val, test = np.split(order, [order.size // 2, 3 * order.size // 4])
        if np.unique(y[train]).size < 2:
            continue
        for model, classifier in models(seed).items():
            fitted = classifier.fit(x[train], y[train])
            val_rows, test_rows = (rows[np.isin(y[rows], fitted.classes_)] for rows in (val, test))
            p, p_test = fitted.predict_proba(x[val_rows]), fitted.predict_proba(x[test_rows])
            labels = fitted.classes_ if name.endswith(" K") else None
            if labels is None:
                p, p_test = p[:, 1], p_test[:, 1]
            yield Problem(name, model, labels, y[val_rows], p, y[test_rows], p_test)


def with_margin(margin: float) -> Callable[[str, Problem], Array]:
    """Return the rule of the default with another margin."""

    def predicted(name: str, problem: Problem) -> Array:
        before = certainty.MARGIN
        certainty.MARGIN = margin
        try:
            return with_eps("auto")(name, problem)
        finally:
            certainty.MARGIN = before

    return predicted


def with_eps(eps: float | str) -> Callable[[str, Problem], Array]:
    def predicted(name: str, problem: Problem) -> Array:
        if name == "one_vs_rest":
            family = fot.families.OneVsRest(fot.Beta(eps=eps))
        else:
            family = fot.families.make(name, eps=eps)
        if problem.labels is None:
            return family.fit(problem.p, problem.y).transform(problem.p_test)
        return family.fit(problem.p, problem.y, labels=problem.labels).predict_proba(problem.p_test)

    return predicted


def own_level(name: str, problem: Problem) -> Array:
    """Return the predictions of a map of the other scores, and the smoothed mean labels of the certain ones."""
    if problem.labels is not None:
        raise ValueError("levels of their own are of two classes")
    q, inside = np.empty(problem.p_test.size), (problem.p > 0.0) & (problem.p < 1.0)
    between = (problem.p_test > 0.0) & (problem.p_test < 1.0)
    if between.any():
        family = fot.families.make(name).fit(problem.p[inside], problem.y[inside])
        q[between] = family.transform(problem.p_test[between])
    for score in (0.0, 1.0):
        rows = problem.p == score
        wrong = (np.count_nonzero(problem.y[rows] != score) + 0.5) / (rows.sum() + 1.0)
        q[problem.p_test == score] = abs(score - wrong) if rows.any() else score
    return q


RULES: dict[str, Callable[[str, Problem], Array]] = {
    "1e-16": with_eps(1e-16),
    "auto": with_eps("auto"),
    "2 logits": with_margin(2.0),
    "own level": own_level,
}


def compare(problem: Problem, name: str, rule: str) -> tuple[float, float]:
    """Return the mean difference in log loss of a family and of no map, and its standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        gap = problem.losses(RULES[rule](name, problem)) - problem.losses(problem.p_test)
    return float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(gap.size))


def part_of(problem: Problem) -> str:
    if problem.labels is not None:
        return "several classes"
    return "1 % positives" if problem.table.endswith("1 %") else "two classes"


def over_splits(each: list[tuple[str, float, float]]) -> dict[str, float]:
    """Return for each table and model the mean difference over its splits, in standard errors; several splits."""
    found = {}
    for which in dict.fromkeys(name for name, _, _ in each):
        gaps = np.array([gap for name, gap, _ in each if name == which])
        if gaps.size > 1 and gaps.std() > 0:
            found[which] = float(gaps.mean() / (gaps.std(ddof=1) * np.sqrt(1.0 / gaps.size + TEST_TO_OTHERS)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--each", action="store_true", help="name the tables and models that are worse")
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.npz"))
    if not paths:
        parser.error(f"no npz file in {given.folder}")
    found: dict[tuple[str, str, str], list[tuple[str, float, float]]] = {}
    for number, path in enumerate(paths):
        tell(f"{number} of {len(paths)}")
        for seed in range(given.seeds):
            for problem in problems(path, seed):
                if not problem.certain:
                    continue
                for name in OF_TWO if problem.labels is None else OF_SEVERAL:
                    for rule in RULES:
                        if rule != "own level" or problem.labels is None:
                            key = (part_of(problem), name, rule)
                            found.setdefault(key, []).append(
                                (f"{problem.table} {problem.model}", *compare(problem, name, rule))
                            )
    tell("")
    print(machine_facts(), "\n")
    lines = []
    for (part, name, rule), each in sorted(found.items(), key=lambda item: (item[0][0], item[0][1])):
        gap, se = np.array([one[1:] for one in each]).T
        scaled = np.divide(gap, se, out=np.zeros_like(gap), where=se > 0)
        tables = over_splits(each)
        worse = {which: z for which, z in tables.items() if z > 2}
        cells = [
            str(len(each)),
            f"{1e3 * gap.mean():+.1f}",
            str(int((scaled > 2).sum())),
            str(int((scaled < -2).sum())),
        ]
        cells += [str(len(worse)), str(sum(z < -2 for z in tables.values())), f"{max(tables.values(), default=0):+.1f}"]
        lines.append([part, name, rule, *cells])
        if given.each:
            lines[-1].append(", ".join(f"{which} ({z:+.1f})" for which, z in worse.items()))
    header = [
        "part",
        "family",
        "rule",
        "splits",
        "mean x 1000",
        "worse",
        "better",
        "tables worse",
        "better",
        "largest z",
    ]
    print(
        "Log loss less that of no map: mean, splits and tables that are worse or better by over two standard errors\n"
    )
    print(markdown([*header, *(["which are worse"] if given.each else [])], lines))


if __name__ == "__main__":
    main()
