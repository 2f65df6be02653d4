"""A calibrator that sees the features: an estimator fitted to the features and base scores of the calibration rows.

A family of calibration maps sees scores alone. What sees the features too can say which rows it changes, and how.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from fitontest.data.arrays import as_matrix, as_numbers, as_scores, check_same_length
from fitontest.data.columns import Names, read_groups
from fitontest.data.labels import as_labels
from fitontest.data.row_groups import GROUP
from fitontest.data.weights import Weights, read_weights
from fitontest.families.registry import FamilyBase
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.results.typing import ArrayInput, FloatArray, IntArray


class FeatureCalibrator(ClassifierMixin, FamilyBase):  # type: ignore[misc]
    """Base of the calibrators that see the features: what stands behind a `CalibratedClassifier` has two methods.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels, sorted.
    """

    takes_features: ClassVar[bool] = True
    classes_: NDArray[Any]

    @abstractmethod
    def fit_coded(
        self,
        X: Any,
        codes: IntArray,
        classes: NDArray[Any],
        weights: Weights | None,
        logits: FloatArray | None,
        groups: NDArray[Any] | None = None,
    ) -> Self:
        """Fit the calibrator to rows whose labels and weights have been checked.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, d)
            Features.
        codes : int array of shape (n,)
            The position of each label in `classes`.
        classes : array of shape (K,)
            The distinct labels, sorted.
        weights : Weights or None
            With their meaning, which a part of them does not show; None: 1 for each row.
        logits : array of shape (n, k) or None
            Logits of the base scores: of the second of two classes, or of each class.
        groups : array of shape (n,), optional
            The group of each row, of those that belong together.
        """

    @abstractmethod
    def evaluate_logits(self, X: Any, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities of rows whose base scores have been checked and turned into logits.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, d)
            Features, as for `fit`.
        logits : array of shape (n, k) or None
            As for `fit_coded`.

        Returns
        -------
        proba : array of shape (n, K)
            Rows add up to 1.
        """


@contextmanager
def kept_if_refused(estimator: object) -> Iterator[None]:
    """Give an estimator its attributes back if an error ends the block: a refused fit does not change a fitted tree."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def read_weights_of(sample_weight: ArrayInput, codes: IntArray) -> Weights | None:
    """Return the weights of the rows, or refuse them."""
    if sample_weight is None:
        return None
    if not as_numbers(sample_weight, "sample_weight").any():
        raise ValueError("sample_weight must have a positive sum, got zero in every row")
    weights = read_weights(sample_weight, "sample_weight")
    check_same_length(y=codes, sample_weight=weights.w)
    return weights


def read_groups_of(groups: ArrayInput, y: ArrayInput) -> NDArray[Any] | None:
    """Return the group of each row, or refuse them; None where there are none."""
    return read_groups(groups, as_labels(y, "y"), Names(y_true="y")).get(GROUP)


def read_logits(scores: ArrayInput, n: int, n_classes: int) -> FloatArray:
    """Return the logits of base scores: a column of two classes, a column for each class of more."""
    if np.ndim(scores) == 2 and np.shape(scores)[1] > 1:
        P, _ = as_matrix(scores, "scores")
        P = P[:, 1:] if n_classes == 2 and P.shape[1] == 2 else P
    else:
        P = as_scores(scores, "scores")[:, None]
    columns = 1 if n_classes == 2 else n_classes
    if P.shape != (n, columns):
        rule = "one score of the second class for each row" if columns == 1 else "a column for each class"
        raise ValueError(f"scores must have {rule}, shape {(n, columns)}; got shape {np.shape(scores)}")
    return logit(P, LOGIT_EPS)


def predicted_classes(calibrator: FeatureCalibrator, proba: FloatArray) -> NDArray[Any]:
    """Return the class of the largest probability of each row, the first of equals."""
    return np.asarray(calibrator.classes_[proba.argmax(axis=1)])
