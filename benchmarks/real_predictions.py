"""Real predictions with validation and test rows: of scikit-learn's bundled tables, or from a folder of npz files.

The files hold predictions, or tables on which classifiers are trained here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fitontest as fot
from pseudo_real_data import CLASSIFIERS, Generator, fitted, scored, table
from pseudo_real_problems import reduced, tasks

Array = NDArray[np.generic]

FOLDS = 5
PARTS = 10  # of the smallest size; the larger parts are cut from the same rows
ALL = "all"
MOST_ROWS = 12_000  # of a table, drawn at random
PSEUDO_ROWS, PSEUDO_TEST = 1000, 10_000  # drawn from a model of a table, for validation and test
BESIDE = {"true", "pred"}  # keys that may stand beside "conf" and "correct" and are not needed


@dataclass(frozen=True)
class Problem:
    """Scores of one model on one data set, on rows to fit a calibrator to and on rows to judge it on."""

    data: str
    model: str
    val: fot.ScoreSample
    test: fot.ScoreSample


def problems(folder: Path | None, seed: int) -> Iterator[Problem]:
    """Yield the problems of every npz file of a folder, or those of the bundled data if there is no folder."""
    if folder is None:
        yield from _bundled(seed)
        return
    for path in sorted(folder.glob("*.npz")):
        try:
            with np.load(path) as found:
                yield from _of_file(path.stem, dict(found.items()), seed)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from error


def problems_of(path: Path) -> Iterator[Problem]:
    """Yield the problems of a file of val and test scores that have two classes, one for each model."""
    with np.load(path) as found:
        models = [key.removeprefix("p_val_") for key in found if key.startswith("p_val_")]
        for model in models:
            if found[f"p_val_{model}"].ndim == 1:
                val, test = (_sample(found[f"y_{part}"], found[f"p_{part}_{model}"]) for part in ("val", "test"))
                yield Problem(path.stem, model, val, test)


def of_table(path: Path, seed: int) -> Iterator[Problem]:
    """Yield the problems of an npz file with X and y: classifiers trained on one half of the rows, drawn at random.

    The other half is for validation and test. Of more than two classes, those with odd numbers are the positive one.
    """
    with np.load(path) as found:
        x, y = found["X"].astype(np.float64), found["y"].astype(np.int64)
    positive = y % 2 == 1 if np.unique(y).size > 2 else y == y.max()
    order = np.random.default_rng(seed).permutation(y.size)[:MOST_ROWS]
    train, val, test = np.split(order, [order.size // 2, 3 * order.size // 4])
    for model, classifier in classifiers(seed).items():
        fitted = make_pipeline(SimpleImputer(), classifier).fit(x[train], positive[train])
        val_scores, test_scores = (fitted.predict_proba(x[part])[:, 1] for part in (val, test))
        yield Problem(path.stem, model, _sample(positive[val], val_scores), _sample(positive[test], test_scores))


def of_model(path: Path, seed: int) -> Iterator[Problem]:
    """Yield the problems of a pseudo-real table, every row of which is drawn anew: see `pseudo_real_study.py`."""
    generator = Generator.of(*table(path), seed=0)
    for name in CLASSIFIERS:
        model = fitted(name, generator, seed)
        rows = scored(model, generator, PSEUDO_ROWS + PSEUDO_TEST, [seed, 1])
        for task in tasks(rows):
            val, test = (reduced(rows[part], task) for part in (slice(0, PSEUDO_ROWS), slice(PSEUDO_ROWS, None)))
            yield Problem(path.stem, f"{name}, {task}", _sample(val.y, val.p), _sample(test.y, test.p))


def pieces(n: int, sizes: Sequence[int], most: int = PARTS) -> dict[tuple[int, str], slice]:
    """Return disjoint parts of each size, by number of rows and name, and all rows at the end."""
    reach = min(n, PARTS * min(sizes))
    counts = {size: min(reach // size, most) for size in sizes}
    parts = {(size, str(i)): slice(i * size, (i + 1) * size) for size in sizes for i in range(counts[size])}
    return parts | {(n, ALL): slice(None)}


def _of_file(data: str, arrays: dict[str, Array], seed: int) -> Iterator[Problem]:
    """Yield the problems of one file, in whichever of the two forms it is."""
    keys = set(arrays)
    models = [key.removeprefix("p_val_") for key in arrays if key.startswith("p_val_")]
    split = {f"{part}{model}" for model in models for part in ("p_val_", "p_test_")} | {"y_val", "y_test"}
    scores = [key for key in arrays if key == "p" or key.startswith("p_")]
    if models and keys == split:
        for model in models:
            val = _sample(arrays["y_val"], arrays[f"p_val_{model}"])
            yield Problem(data, model, val, _sample(arrays["y_test"], arrays[f"p_test_{model}"]))
    elif {"conf", "correct"} <= keys <= {"conf", "correct"} | BESIDE:
        yield _divided(data, "-", _sample(arrays["correct"], arrays["conf"]), seed)
    elif scores and keys == {"y", *scores}:
        for key in scores:
            yield _divided(data, key[2:] or "-", _sample(arrays["y"], arrays[key]), seed)
    else:
        raise ValueError(
            "the keys must be y_val, y_test with p_val_M, p_test_M for each model M, or y with p or p_M, or conf with "
            f"correct; got {', '.join(sorted(keys)) or 'none'}"
        )


def _sample(y: Array, p: Array) -> fot.ScoreSample:
    """Return scores of two classes as they are, and of more the confidence against being right."""
    if p.ndim == 1:
        return fot.ScoreSample(y, p)
    if p.ndim != 2 or y.shape != p.shape[:1] or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= p.shape[1]:
        found = f"scores of shape {p.shape}, labels of shape {y.shape} from {y.min()} to {y.max()}"
        raise ValueError(f"a matrix of scores needs one whole label in 0 .. K - 1 for each of its rows, got {found}")
    return fot.ScoreSample(p.argmax(axis=1) == y, p.max(axis=1))


def _divided(data: str, model: str, rows: fot.ScoreSample, seed: int) -> Problem:
    """Return a third of the rows, drawn at random, for validation, and the others for the test."""
    order = np.random.default_rng(seed).permutation(rows.p.size)
    val, test = (fot.ScoreSample(rows.y[part], rows.p[part]) for part in np.split(order, [order.size // 3]))
    return Problem(data, model, val, test)


def _bundled(seed: int) -> Iterator[Problem]:
    """Yield out-of-fold scores of four classifiers on the bundled tables of more than a few hundred rows."""
    images, digits = load_digits(return_X_y=True)
    tables = {
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "digits, odd or even": (images, digits % 2),
        "digits, top label": (images, digits),
    }
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for data, (x, y) in tables.items():
        for model, classifier in classifiers(seed).items():
            proba = cross_val_predict(classifier, x, y, cv=folds, method="predict_proba")
            yield _divided(data, model, _sample(y, proba[:, 1] if proba.shape[1] == 2 else proba), seed)


def classifiers(seed: int) -> dict[str, ClassifierMixin]:
    """Return the four classifiers that are trained on tables."""
    return {
        "NB": GaussianNB(),
        "LR": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)),
        "RF": RandomForestClassifier(random_state=seed),
        "GB": HistGradientBoostingClassifier(max_iter=15, random_state=seed),
    }
