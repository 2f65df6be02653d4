"""The experiments of CalArena: calibration and test predictions of classifiers, from files, or trained here on tables.

Tables are divided and predicted as in its benchmark of TabArena: a third of the rows is for the test. Each of the other
rows is predicted by a classifier that was trained on seven eighths of them without it, and calibrators are fitted to
these predictions. A test row gets the mean of the eight classifiers. Probabilities are stored in float32, as there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from league_peers import module, quiet
from multiclass_league import sets_of
from real_predictions import problems_of
from report import tell

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Arrays = tuple[Floats, Ints, Floats, Ints]  # calibration probabilities and labels, and those of the test
FOLDS = 8
RAREST = 24  # rows of the rarest class, so that each fold has some
MOST_TABLE = 6_000  # rows of a table, drawn at random
MOST_ROWS = 20_000  # predictions on each side, which come in random order; the kernel calibrator takes n^2


@dataclass(frozen=True)
class Experiment:
    """Predictions of a classifier: to calibrate on, and to be judged on. Of two classes those of the positive one."""

    dataset: str
    model: str
    p_cal: Floats
    y_cal: Ints
    p_test: Floats
    y_test: Ints

    @property
    def kind(self) -> str:
        """Of two classes or of more."""
        return "binary" if self.p_cal.ndim == 1 else "multiclass"

    def facts(self) -> dict[str, Any]:
        """Return what the experiment is called and how large it is."""
        classes = {} if self.p_cal.ndim == 1 else {"n_classes": self.p_cal.shape[1]}
        return {
            "dataset": self.dataset,
            "model": self.model,
            "cal_size": self.y_cal.size,
            "test_size": self.y_test.size,
            **classes,
        }


def experiments(
    out: Path, predictions: Path | None, tables: Sequence[Path], hdf5: Path | None
) -> dict[str, list[Experiment]]:
    """Return the experiments by benchmark; of trained classifiers the predictions are kept in a folder of `out`."""
    found: dict[str, list[Experiment]] = {}
    for source, given in (
        ("tables", trained(out / "trained", tables)),
        ("predictions", () if predictions is None else of_predictions(predictions)),
    ):
        for experiment in given:
            found.setdefault(f"{source}-{experiment.kind}", []).append(experiment)
    for path in () if hdf5 is None else sorted(hdf5.glob("*.h5")):
        found[path.stem] = list(of_hdf5(path))
    return found


def of_hdf5(path: Path) -> Iterator[Experiment]:
    """Yield the experiments of a file of CalArena: a group for each data set, and in it one for each model."""
    with module("h5py").File(path) as file:
        for dataset, models in file.items():
            for model, group in models.items():
                keys = ("probas_cal", "labels_cal", "probas_test", "labels_test")
                yield Experiment(dataset, model, *(group[key][:] for key in keys))


def of_predictions(folder: Path) -> Iterator[Experiment]:
    """Yield the experiments of a folder of predictions: of two classes, and of several."""
    for path in sorted(folder.glob("split3_*.npz")):
        for problem in problems_of(path):
            parts = ((part.p, part.y) for part in (problem.val, problem.test))
            yield _stored(problem.data, problem.model, *(array for part in parts for array in part))
    for league in sets_of(folder, ()):
        dataset, _, model = league.name.partition(":")
        yield _stored(dataset, model or "network", league.P, league.y, league.Q, league.z)


def _stored(dataset: str, model: str, *arrays: NDArray[Any]) -> Experiment:
    """Return an experiment in the types of the files of CalArena."""
    cut = [array[:MOST_ROWS] for array in arrays]
    return Experiment(dataset, model, *(array.astype(t) for array, t in zip(cut, 2 * ("f4", "i4"), strict=True)))


# ------------------------------------------------------------------------------------------------- trained on tables


def trained(kept: Path, files: Sequence[Path]) -> Iterator[Experiment]:
    """Yield the experiments of the bundled tables and of those of the files."""
    kept.mkdir(parents=True, exist_ok=True)
    for dataset, x, y in all_tables(files):
        counts = np.unique(y, return_counts=True)[1]
        if counts.min() < RAREST:
            continue
        for model, make in CLASSIFIERS.items():
            path = kept / f"{dataset}_{model}.npz"
            if not path.exists():
                tell(f"training {model} on {dataset}")
                written = path.with_suffix(".part.npz")
                np.savez(written, *_predicted(make, x, y))
                written.replace(path)  # whole, or not at all
            with np.load(path) as stored:
                yield _stored(dataset, model, *(stored[key] for key in stored))
    tell("")


def all_tables(files: Sequence[Path]) -> Iterator[tuple[str, NDArray[Any], Ints]]:
    """Yield the names, the features and the codes of the classes of the tables."""
    images, digits = load_digits(return_X_y=True)
    tables = {
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "digits_odd": (images, digits % 2),
        "digits": (images, digits),
        "wine": load_wine(return_X_y=True),
    }
    for name, (x, y) in tables.items():
        yield name, x, y
    for path in files:
        with np.load(path) as found:
            x, y = found["X"].astype(np.float64), np.unique(found["y"], return_inverse=True)[1]
        rows = np.random.default_rng(0).permutation(y.size)[:MOST_TABLE]
        yield path.stem, x[rows], y[rows]


def _predicted(make: Callable[[], Any], x: NDArray[Any], y: Ints) -> Arrays:
    """Return out-of-fold probabilities of two thirds of the rows, and of the others the mean over the folds."""
    x, x_test, y, y_test = train_test_split(x, y, test_size=1 / 3, stratify=y, random_state=0)
    out_of_fold = np.empty((y.size, np.unique(y).size))
    on_test = []
    for inside, outside in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y):
        with quiet():
            classifier = make().fit(x[inside], y[inside])
            out_of_fold[outside] = classifier.predict_proba(x[outside])
            on_test.append(classifier.predict_proba(x_test))
    p_cal, p_test = (p[:, 1] if p.shape[1] == 2 else p for p in (out_of_fold, np.mean(on_test, axis=0)))
    return p_cal, y, p_test, y_test


def _scaled(classifier: Any) -> Any:
    return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), classifier)


CLASSIFIERS: dict[str, Callable[[], Any]] = {  # of the kinds that TabRepo has, by their names there
    "LinearModel": lambda: _scaled(LogisticRegression(max_iter=1000)),
    "NeuralNet": lambda: _scaled(MLPClassifier(max_iter=100, random_state=0)),
    "RandomForest": lambda: make_pipeline(
        SimpleImputer(keep_empty_features=True), RandomForestClassifier(random_state=0)
    ),
    "LightGBM": lambda: module("lightgbm").LGBMClassifier(n_jobs=1, verbose=-1),
    "XGBoost": lambda: module("xgboost").XGBClassifier(n_jobs=1),
}
