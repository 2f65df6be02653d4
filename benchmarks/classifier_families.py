"""Which family `CalibratedClassifier` should have by default: test log loss behind four classifiers on real tables.

Usage: ``python benchmarks/classifier_families.py TABLES [--only NAME ...] [--first-seed 100] [--seeds 1]``, with files
*.npz that hold X and y.

Three quarters of the rows are for five folds: in each a classifier is trained on the others and a map is fitted to its
scores of the fold. Every classifier is trained once, and its scores are given to all families, which is what
`CalibratedClassifier` does. The probabilities of the five are averaged and tested on the last quarter. Printed are the
loss less that of the best in hindsight, in thousandths, the paired difference from the spline with its standard error
over the pairs of a table and a classifier, and how often the loss is larger than that of the uncalibrated scores by
more than the standard error of the difference.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

import fitontest as fot
from fitontest.numerics.losses import log_loss
from fitontest.results.exceptions import without_warnings
from real_predictions import MOST_ROWS, classifiers
from report import machine_facts, markdown, tell

FAMILIES = {
    **{name: fot.families.make(name) for name in ("identity", "platt", "beta", "isotonic", "spline", "pl3")},
    "stacking": fot.families.Stacking(),
    "stacking of all candidates": fot.families.Stacking(
        ["identity", "temperature", "platt", "beta", "isotonic", "spline", "venn_abers"]
    ),
}


def losses_of(path: Path, seed: int) -> dict[str, dict[str, np.ndarray]]:
    """Return the loss of each test row by family, for each classifier."""
    with np.load(path) as found:
        x, y = found["X"].astype(np.float64), found["y"].astype(np.int64)
    positive = (y % 2 == 1 if np.unique(y).size > 2 else y == y.max()).astype(np.int64)
    order = np.random.default_rng(seed).permutation(y.size)[:MOST_ROWS]
    rows, test = np.split(order, [3 * order.size // 4])
    result = {}
    for name, classifier in classifiers(seed).items():
        tell(f"{path.stem} {name}, seed {seed}")
        mean = dict.fromkeys(FAMILIES, 0.0)
        for others, fold in StratifiedKFold(5).split(rows, positive[rows]):
            fitted = make_pipeline(SimpleImputer(), clone(classifier)).fit(x[rows[others]], positive[rows[others]])
            scores, at = (fitted.predict_proba(x[part])[:, 1] for part in (rows[fold], test))
            with without_warnings():
                for label, family in FAMILIES.items():
                    mean[label] = mean[label] + clone(family).fit(scores, positive[rows[fold]]).transform(at) / 5
        result[name] = {label: log_loss(positive[test], np.clip(q, 0.0, 1.0)) for label, q in mean.items()}
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of the files, without .npz")
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    regrets, worse = defaultdict(list), defaultdict(int)
    for path in sorted(given.tables.glob("*.npz")):
        if given.only is not None and path.stem not in given.only:
            continue
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            for losses in losses_of(path, seed).values():
                best = min(float(loss.mean()) for loss in losses.values())
                for label, loss in losses.items():
                    gap = loss - losses["identity"]
                    regrets[label].append(1e3 * (float(loss.mean()) - best))
                    worse[label] += bool(gap.mean() > gap.std() / np.sqrt(gap.size))
    tell("")
    print(machine_facts(), "\n")
    rows = []
    for label, regret in sorted(regrets.items(), key=lambda pair: np.mean(pair[1])):
        less = np.subtract(regret, regrets["spline"])
        paired = f"{less.mean():+.2f} +- {less.std(ddof=1) / np.sqrt(less.size):.2f}"
        numbers = (f"{number:.2f}" for number in (np.mean(regret), np.median(regret), np.max(regret)))
        rows.append([label, *numbers, paired, f"{worse[label]} of {len(regret)}"])
    print(markdown(("family", "mean regret", "median", "largest", "less spline's", "worse than nothing"), rows))


if __name__ == "__main__":
    main()
