"""The predictions that the TCE paper's tables are of: stored ones, and where there are none, trained or drawn anew."""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fitontest.datasets import Gaussian
from report import tell

COMMITTED = Path(__file__).parents[1] / "tests" / "reference"
GAUSSIAN = re.compile(r"gda_(?P<train>\d\d)_(?P<test>\d\d)_n(?P<n>\d+)(_noise(?P<noise>[\d.]+))?")
TABLES = {"optical_digits": ("optdigits_mc", 8), "pen_digits": ("pendigits_mc", 5), "spambase": ("spambase", 1)}
SAME = {("letter_img", "RF"): "peers_letter_img_RF"}  # committed under another name
STORED, DRAWN, TRAINED = "", "drawn anew", "trained here"

# The paper: defaults of scikit-learn but for the depth of the forest and the units of the network. Features are
# standardised over all rows, and the split and every model have the seed 0: found by comparison with its numbers.
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "LR": lambda: LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000),  # solved exactly
    "SVM": lambda: SVC(probability=True, random_state=0),
    "RF": lambda: RandomForestClassifier(max_depth=10, random_state=0),
    "GB": lambda: GradientBoostingClassifier(random_state=0),
    "MLP": lambda: MLPClassifier(hidden_layer_sizes=(1000,), random_state=0),
}


@dataclass(frozen=True)
class Scores:
    """Labels and scores, and where they come from; without scores `origin` says why there are none."""

    origin: str
    y: np.ndarray | None = None
    p: np.ndarray | None = None


@dataclass(frozen=True)
class Predictions:
    """Finds predictions: in the tests' folder of references, in a folder of data, or anew.

    Parameters
    ----------
    folder : Path
        With gda/, predictions/ and sets/; each file may be missing.
    cache : Path
        Where scores of classifiers that were trained here are kept.
    quick : bool
        Train none.
    """

    folder: Path
    cache: Path
    quick: bool = False

    def gaussian(self, name: str) -> Scores:
        """Return a set of the paper's Gaussian simulation, or one that is drawn from the same population."""
        for path in (COMMITTED / f"{name}.npz", self.folder / "gda" / f"{name}.npz"):
            if path.exists():
                with np.load(path) as found:
                    keys = ("labels", "preds") if "preds" in found else ("y", "p")
                    return Scores(STORED, *(found[key] for key in keys))
        return Scores(DRAWN, *draw(name))

    def uci(self, table: str, model: str) -> Scores:
        """Return the test scores of a classifier on a table of the UCI repository.

        The stored scores of logistic regression are of a solver that stopped early, so it is fitted again where the
        table is there.
        """
        path = self.folder / "predictions" / f"paper7030_{table}.npz"
        committed = COMMITTED / f"{SAME.get((table, model), '-')}.npz"
        features = self.folder / "sets" / f"{TABLES[table][0]}.npz" if table in TABLES else None
        can_train = features is not None and features.exists() and not self.quick
        if can_train and (model == "LR" or not path.exists()):
            return self._trained(features, table, model)
        if committed.exists():
            with np.load(committed) as found:
                return Scores(STORED, found["y"].astype(int), found["p"])
        if path.exists():
            with np.load(path) as found:
                return Scores(STORED, found["y"].astype(int), found[f"p_{model}"])
        if features is None:
            return Scores(f"no {path.name}, no table")
        return Scores(f"no {path.name}" if features.exists() else f"no {path.name}, no {features.name}")

    def imagenet(self, model: str) -> Scores:
        """Return the scores of dogs against the rest of the 50,000 validation images."""
        path = self.folder / "predictions" / f"imagenet_tce_{model}.npz"
        if not path.exists():
            return Scores(f"no {path.name}")
        with np.load(path) as found:
            return Scores(STORED, found["y"].astype(int), found["p"])

    def _trained(self, features: Path, table: str, model: str) -> Scores:
        path = self.cache / f"{table}_{model}.npz"
        if not path.exists():
            tell(f"{table}, {model}")
            y, p = train(features, TABLES[table][1], model)
            self.cache.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part.npz")
            np.savez_compressed(part, y=y, p=p)
            part.rename(path)  # so that a file that is there is whole
            tell("")
        with np.load(path) as found:
            return Scores(TRAINED, found["y"], found["p"])


def draw(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores from the population that a set of the Gaussian simulation is named after."""
    match = GAUSSIAN.fullmatch(name)
    if match is None:
        raise ValueError(f"name must be like 'gda_50_40_n6000' or 'gda_50_40_n6000_noise0.1', got {name!r}")
    train_rate, test_rate = (int(match[part]) / 100 for part in ("train", "test"))
    y, p, _ = Gaussian(train_rate, test_rate).draw(int(match["n"]), random_state=0)
    scale = float(match["noise"] or 0)
    if scale > 0:
        noise = scale * np.random.default_rng(1).standard_normal(p.size)
        p = 1 / (1 + np.exp(-np.log(p / (1 - p)) - noise))
    return y, p


def train(features: Path, positive: int, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of three tenths of the rows, of a classifier that was trained on the others."""
    with np.load(features) as found:
        x, y = found["X"].astype(np.float64), (found["y"] == positive).astype(int)
    x_train, x_test, y_train, y_test = train_test_split(
        StandardScaler().fit_transform(x), y, test_size=0.3, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn's, of probabilities of support vector machines
        return y_test, CLASSIFIERS[model]().fit(x_train, y_train).predict_proba(x_test)[:, 1]
