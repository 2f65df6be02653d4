"""How far apparent and corrected statistics of a model on its own rows are from those on new rows.

Usage: ``python benchmarks/optimism.py [--sets 100] [--draws 100]``; it takes seven minutes on one core.

Each data set has a few hundred rows and ten features of which three matter, logit c = sum of three features x .7. Its
model is fitted, corrected by `fitontest.risk.validation.optimism.optimism_of`, and judged on 20,000 new rows. Of each
statistic the table has its mean on the new rows, and the bias of the apparent and of the corrected one, with their
standard errors over the data sets. "tree" has leaves of five rows that hold the labels that they were fitted to, which
no bootstrap sample forgets as new rows do. In groups of ten rows the features of a row are those of its group but for
a tenth of their variance, labels of a group share a normal effect of variance 2 in the logit, and new rows are of new
groups; there rows are drawn, or whole groups.
"""

import argparse
from zlib import crc32

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.families.platt import Platt
from fitontest.numerics.links import sigmoid
from fitontest.results.exceptions import without_warnings
from fitontest.risk.validation.optimism import optimism_of
from report import machine_facts, markdown, tell

SEED = 37_2026
NEW = 20_000
FEATURES, SLOPES = 10, np.array([0.7, 0.7, 0.7, 0, 0, 0, 0, 0, 0, 0])
GROUP, SHARED, EFFECT = 10, 0.9, np.sqrt(2.0)
SETTINGS = {  # model, rows, rows of a group, whether whole groups are drawn
    "logistic regression, 200 rows": ("logistic", 200, 1, False),
    "logistic regression, 100 rows": ("logistic", 100, 1, False),
    "penalised, 100 rows": ("penalised", 100, 1, False),
    "tree, 200 rows": ("tree", 200, 1, False),
    "30 groups, rows drawn": ("logistic", 300, GROUP, False),
    "30 groups, groups drawn": ("logistic", 300, GROUP, True),
}
MODELS = {
    "logistic": lambda: LogisticRegression(C=1e6, max_iter=1000),
    "penalised": lambda: LogisticRegression(C=0.05),
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
}
HEADER = ("setting", "statistic", "new rows", "apparent - new", "corrected - new", "mean abs. error of corrected")


def draw(rng: np.random.Generator, n: int, of_group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, labels and groups."""
    groups = np.repeat(np.arange(-(-n // of_group)), of_group)[:n]
    X = rng.standard_normal((n, FEATURES))
    effect = np.zeros(n)
    if of_group > 1:
        X = np.sqrt(SHARED) * rng.standard_normal((groups[-1] + 1, FEATURES))[groups] + np.sqrt(1 - SHARED) * X
        effect = EFFECT * rng.standard_normal(groups[-1] + 1)[groups]
    return X, (rng.random(n) < sigmoid(X @ SLOPES + effect)).astype(int), groups


def statistics(sample: fot.ScoreSample) -> dict[str, float | None]:
    """Return slope, C and Brier score; of scores of 0 and 1 there is no slope."""
    certain = bool(((sample.p == 0) | (sample.p == 1)).any())
    with without_warnings():
        slope = None if certain else Platt().fit_map(sample).slope
    return {"slope": slope, "C": float(fot.measure(sample, name="auc")), "Brier": sample.mean_loss("brier")}


def lines(setting: str, sets: int, draws: int) -> list[list[str]]:
    """Return the lines of a setting, one for each statistic."""
    name, n, of_group, whole = SETTINGS[setting]
    triples = []
    for number in range(sets):
        tell(f"{setting}, set {number + 1}")
        rng = np.random.default_rng([SEED, crc32(f"{name} {n} {of_group}".encode()), number])
        X, y, groups = draw(rng, n, of_group)
        if len(set(y.tolist())) < 2:
            continue
        model = MODELS[name]()
        result = optimism_of(
            model, X, y, statistics, draws=draws, groups=groups if whole else None, random_state=number
        )
        X_new, y_new, _ = draw(rng, NEW, of_group)
        new = statistics(fot.ScoreSample(y_new, model.fit(X, y).predict_proba(X_new)[:, 1]))
        triples.append(
            [[np.nan if v is None else v for v in (new[k], result[k].apparent, result[k].corrected)] for k in new]
        )
    values = np.array(triples)
    made = []
    for k, statistic in enumerate(("slope", "C", "Brier")):
        known = values[np.isfinite(values[:, k]).all(axis=1), k]
        if len(known) < sets / 2:
            continue
        true, apparent, corrected = known.T
        absolute = np.abs(corrected - true).mean()
        made.append(
            [
                setting,
                statistic,
                f"{true.mean():.3f}",
                biased(apparent - true),
                biased(corrected - true),
                f"{absolute:.3f}",
            ]
        )
    return made


def biased(differences: np.ndarray) -> str:
    """Return the mean of differences with its standard error."""
    return f"{differences.mean():+.3f} +- {differences.std(ddof=1) / np.sqrt(differences.size):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100, help="data sets of a setting")
    parser.add_argument("--draws", type=int, default=100, help="bootstrap samples of a data set")
    given = parser.parse_args()
    rows = [line for setting in SETTINGS for line in lines(setting, given.sets, given.draws)]
    tell("")
    print(machine_facts(), f"\n\n{given.sets} data sets, {given.draws} bootstrap samples of each\n")
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
