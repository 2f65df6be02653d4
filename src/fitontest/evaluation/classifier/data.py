"""The rows that a calibrated classifier is fitted to: inputs, labels, the classes among them, weights.

The inputs are for the estimator and pass through unread; labels and weights are checked here once.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import as_column, check_finite
from fitontest.data.indices import check_same_order
from fitontest.data.labels import distinct
from fitontest.evaluation.classifier.pair import Calibration
from fitontest.families.feature_calibrator import read_groups_of, read_weights_of
from fitontest.results.typing import ArrayInput, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Rows:
    """Checked rows.

    Attributes
    ----------
    X : object
        As it came, with n rows.
    y : array of shape (n,)
        Labels.
    classes : array of shape (K,)
        In order.
    codes : array of shape (n,)
        The position of each label in `classes`.
    w : array of shape (n,) or None
    counts : bool
        Whether weights are counts.
    groups : array of shape (n,) or None
        The group of each row, of those that belong together.
    """

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: IntArray
    w: FloatArray | None
    counts: bool = True
    groups: NDArray[Any] | None = None

    def calibration(self, held: IntArray, raw: FloatArray) -> Calibration:
        """Return the held-out rows as the families need them."""
        w = None if self.w is None else self.w[held]
        groups = None if self.groups is None else self.groups[held]
        return Calibration(raw, self.codes[held], w, self.X, held, self.counts, groups)


def read_rows(X: Any, y: ArrayInput, sample_weight: ArrayInput, groups: ArrayInput = None) -> Rows:
    """Check labels, weights and groups, and find the classes."""
    check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "O":
        as_column(y, "y")  # refuses missing values
        distinct(y, "y")  # refuses labels that cannot be ordered
    if y.dtype.kind == "f":
        check_finite(y, "y")
    check_classification_targets(y)
    X, y = indexable(X, y)
    names = distinct(y, "y")
    if len(names) < 2:
        raise ValueError(f"y must have at least two classes, got one class: {names}")
    classes, codes = np.unique(y, return_inverse=True)
    weights = read_weights_of(sample_weight, codes)
    if weights is not None and np.unique(codes[weights.w > 0]).size < 2:
        raise ValueError(f"y must have at least two classes in rows of positive weight, got one of {names}")
    ids = read_groups_of(groups, codes)
    if weights is None:
        return Rows(X, y, classes, codes, None, groups=ids)
    return Rows(X, y, classes, codes, weights.w, weights.counts, ids)


def with_classes_of(estimator: Any, rows: Rows) -> Rows:
    """Return the rows with the classes that a fitted estimator knows, of which all need not occur."""
    check_is_fitted(estimator)
    classes = np.unique(estimator.classes_)
    where = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in rows.classes.tolist() if label not in where]
    if unknown:
        raise ValueError(f"y must hold only classes that the frozen estimator knows, {list(where)}; got {unknown}")
    places = np.array([where[label] for label in rows.classes.tolist()], dtype=np.intp)
    return replace(rows, classes=classes, codes=places[rows.codes])


def with_similarities(rows: Rows) -> Rows:
    """Return the rows with the similarities of all pairs of rows as a matrix whose columns can be taken."""
    X = rows.X.tocsr() if hasattr(rows.X, "tocsr") else np.asarray(rows.X)
    if X.shape != (rows.y.size, rows.y.size):
        raise ValueError(f"X must be a square matrix for an estimator that takes similarities, got shape {X.shape}")
    return replace(rows, X=X)
