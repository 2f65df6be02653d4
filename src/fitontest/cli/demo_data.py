"""The demonstration: two classifiers on real data, judged under every family of calibration maps.

The data are the 569 breast tumours that come with scikit-learn; the question is whether a tumour is malignant. Every
tumour is scored by a model that has not seen it (cross-fitting). Naive Bayes is known for scores that are too extreme,
random forests for scores that are not extreme enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from fitontest.typing import FloatArray, IntArray

QUESTION = "Is the tumour malignant? 569 breast tumours (scikit-learn), each scored by a model that has not seen it."


@dataclass(frozen=True, eq=False)
class ScoredClassifier:
    """A classifier's name, the labels, and its scores for them."""

    name: str
    y_true: IntArray
    y_prob: FloatArray


def scored_classifiers() -> Iterator[ScoredClassifier]:
    """Yield the two classifiers with their out-of-fold scores, each when it has been trained."""
    x, benign = load_breast_cancer(return_X_y=True)
    y = 1 - np.asarray(benign, dtype=np.intp)
    models: dict[str, ClassifierMixin] = {
        "Gaussian naive Bayes": GaussianNB(),
        "Random forest": RandomForestClassifier(n_estimators=100, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, model in models.items():
        proba = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
        yield ScoredClassifier(name, y, np.asarray(proba[:, 1], dtype=np.float64))
