"""A family that sees the features: an estimator of two classes whose fit makes a map of features and scores."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fitontest.data.indices import check_same_order
from fitontest.data.labels import distinct
from fitontest.data.weights import Weights
from fitontest.features.read_columns import read_columns
from fitontest.features.rows import FeatureRows
from fitontest.maps.features.base import FeatureMap
from fitontest.repair.base import (
    FeatureCalibrator,
    kept_if_refused,
    predicted_classes,
    read_groups_of,
    read_logits,
    read_weights_of,
)
from fitontest.typing import ArrayInput, FloatArray, IntArray


@dataclass(eq=False, repr=False)
class FeatureFamily(FeatureCalibrator):
    """Base of the families of two classes that see the features.

    A subclass defines `fit_map(rows)`, which returns a `FeatureMap`.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The labels, sorted.
    map_ : FeatureMap
        From features and logits of scores to probabilities.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    classes_: NDArray[Any] = field(init=False)
    map_: FeatureMap = field(init=False)
    n_features_in_: int = field(init=False)

    @abstractmethod
    def fit_map(self, rows: FeatureRows) -> FeatureMap:
        """Return the map of checked rows of both labels.

        Parameters
        ----------
        rows : FeatureRows
        """

    def fit(
        self,
        X: Any,
        y: ArrayInput,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        *,
        scores: ArrayInput = None,
    ) -> Self:
        """Fit the calibrator to features, labels and base scores.

        Parameters
        ----------
        X : data frame, or array of shape (n, d)
            Features: numbers, categories, booleans; values may be missing.
        y : array-like of shape (n,)
            Labels, of two classes.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.
        groups : array-like of shape (n,), optional
            Which rows belong together: ids of any hashable type.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores in [0, 1] of rows that the classifier was not fitted to: of the second class in sorted order, or
            of both. Without any the base score of all rows is the share of positives.

        Returns
        -------
        self
        """
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups, scores=scores)
        with kept_if_refused(self):
            labels = np.asarray(y)
            check_classification_targets(labels)
            classes = np.asarray(distinct(labels, "y"))
            codes = np.searchsorted(classes, labels).astype(np.intp)
            logits = None if scores is None else read_logits(scores, codes.size, classes.size)
            weights = read_weights_of(sample_weight, codes)
            return self.fit_coded(X, codes, classes, weights, logits, read_groups_of(groups, codes))

    def fit_coded(
        self,
        X: Any,
        codes: IntArray,
        classes: NDArray[Any],
        weights: Weights | None,
        logits: FloatArray | None,
        groups: NDArray[Any] | None = None,
    ) -> Self:
        """Fit the calibrator to rows whose labels and weights have been checked."""
        if classes.size != 2:
            raise ValueError(f"y must have two classes for {type(self).__name__}, got {classes.size}")
        columns = read_columns(X)
        w = np.ones(codes.size) if weights is None else weights.w
        y = codes.astype(np.float64)
        share = float(w @ y / w.sum())
        base = np.full(codes.size, np.log(share / (1.0 - share))) if logits is None else logits[:, 0]
        rows = FeatureRows(columns, y, base, w, weights is None or weights.counts, groups)
        rows = rows.take(w > 0)
        results = {"classes_": classes, "n_features_in_": len(columns), "takes_scores_": logits is not None}
        results["feature_names_in_"] = np.array(columns.names, dtype=object)
        results["base_logit_"] = float(np.log(share / (1.0 - share)))
        return self.replace_results({**results, "map_": self.fit_map(rows)})

    def evaluate_logits(self, X: Any, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities of both classes, shape (n, 2)."""
        check_is_fitted(self, "map_")
        columns = read_columns(X)
        x = np.full(columns.n, self.base_logit_) if logits is None else logits[:, 0]
        q = self.map_.evaluate(columns, x)
        return np.stack((1.0 - q, q), axis=1)

    def predict_proba(self, X: Any, *, scores: ArrayInput = None) -> FloatArray:
        """Return the calibrated probabilities, shape (n, 2); the rows add up to 1.

        Parameters
        ----------
        X : data frame, or array of shape (n, d)
            Features, as for `fit`.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores, where `fit` was given scores.
        """
        check_is_fitted(self, "map_")
        if self.takes_scores_ != (scores is not None):
            raise ValueError("scores must be given if and only if fit was given scores")
        logits = None if scores is None else read_logits(scores, np.shape(X)[0], 2)
        return self.evaluate_logits(X, logits)

    def predict(self, X: Any, *, scores: ArrayInput = None) -> Any:
        """Return the class of the larger probability of each row, the first of equals.

        Parameters
        ----------
        X : data frame, or array of shape (n, d)
            Features, as for `fit`.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores, where `fit` was given scores.
        """
        return predicted_classes(self, self.predict_proba(X, scores=scores))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
