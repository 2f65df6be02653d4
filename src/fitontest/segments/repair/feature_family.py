"""A family that sees the features: an estimator of two classes whose fit makes a map of features and scores."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import as_column, check_finite, check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.labels import distinct
from fitontest.data.weights import Weights
from fitontest.families.base import Solution
from fitontest.families.feature_calibrator import (
    FeatureCalibrator,
    kept_if_refused,
    predicted_classes,
    read_groups_of,
    read_logits,
    read_weights_of,
)
from fitontest.maps.rules.columns import FROM_DTYPE, CategoricalFeatures, Columns
from fitontest.numerics.random import check_seed
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState
from fitontest.segments.features.folds import DealtRows
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.maps.base import FeatureMap
from fitontest.segments.repair.feature_names import read_features, read_known_features


@dataclass(eq=False, repr=False)
class FeatureFamily(FeatureCalibrator):
    """Base of the families of two classes that see the features.

    A subclass defines `fit_map(rows)`, which returns a `FeatureMap`, or, where it has more results than the map,
    `solve(rows)`; and `hold_out(dealt)` where folds can share work.

    Parameters
    ----------
    categorical_features : "from_dtype", or iterable of str, int or bool, default="from_dtype"
        Which columns are categories whatever they hold, by name, by place, or as a mask, as in scikit-learn's
        ``HistGradientBoostingClassifier``. Columns of texts, booleans or a categorical type always are.
    random_state : int, RandomState or None, default=0
        Of whatever is drawn.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The labels, sorted.
    map_ : FeatureMap
        From features and logits of scores to probabilities.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Nothing depends on the order of the rows. Rows of weight 0 are absent; where weights are counts, whole numbers of at
    most 10 on average, a row of weight 2 is the row twice; else they are importances, whose scale means nothing.

    A value that is missing is one of its own. A level that was not seen in the fit meets no condition on a level;
    `Boosted` puts it together with levels of little weight.
    """

    _: KW_ONLY
    calibrator: ClassVar[bool] = True
    categorical_features: CategoricalFeatures = FROM_DTYPE
    random_state: RandomState = 0

    classes_: NDArray[Any] = field(init=False)
    map_: FeatureMap = field(init=False)
    n_features_in_: int = field(init=False)

    def fit_map(self, rows: FeatureRows) -> FeatureMap:
        """Return the map of the rows, and leave the estimator as it is.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows, as `FeatureRows.canonical` returns them; of both labels, except in folds.
        """
        if type(self).solve is FeatureFamily.solve:
            raise TypeError(f"{type(self).__name__} must define fit_map or solve")
        fitted: FeatureMap = self.solve(rows).map
        return fitted

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the map with the other results of the fit, and leave the estimator as it is.

        Parameters
        ----------
        rows : FeatureRows
            As for `fit_map`.
        """
        return Solution(self.fit_map(rows))

    def solve_and_hold_out(self, dealt: DealtRows) -> tuple[Solution, FloatArray]:
        """Return the fit to all rows, and for each row the probability of a fit that was made wholly without its fold.

        A family that chooses something by folds overrides this: fits without two folds serve either of them.

        Parameters
        ----------
        dealt : DealtRows
            Rows in two folds at least.
        """
        values = np.empty(len(dealt.rows))
        for held_out in dealt.held_out():
            fitted, rows = self.fit_map(dealt.rows.take(~held_out)), dealt.rows.take(held_out)
            values[held_out] = fitted.evaluate(rows.columns, rows.logits)
        return self.solve(dealt.rows), values

    def _count_parameters(self) -> float:
        """Return the number of free numbers of the map, where it says it."""
        return float(getattr(self.map_, "n_parameters", np.inf))

    def check_settings(self) -> None:
        """Raise ValueError for a parameter that cannot be used."""
        check_seed(self.random_state)

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
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores in [0, 1] of rows that the classifier was not fitted to: of the second class in sorted order, or
            of both. Without any the base score of all rows is the share of positives.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups, scores=scores)
        classes, codes = read_labels(y)
        weights = read_weights_of(sample_weight, codes)
        if classes.size > 2:
            classes, codes = self._present(classes, codes, weights)
        logits = None if scores is None else read_logits(scores, codes.size, classes.size)
        return self.fit_coded(X, codes, classes, weights, logits, read_groups_of(groups, codes))

    def _present(
        self, classes: NDArray[Any], codes: IntArray, weights: Weights | None
    ) -> tuple[NDArray[Any], IntArray]:
        """Return the two classes of rows of positive weight, and the places of labels; other rows are absent anyway."""
        present = np.unique(codes if weights is None else codes[weights.w > 0])
        check_two_classes(classes[present], type(self).__name__)
        return classes[present], (codes == present[1]).astype(np.intp)

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
        self.check_settings()
        with kept_if_refused(self):
            columns, results = read_features(self, X, self.categorical_features)
            check_same_length(X=np.empty(columns.n, dtype=bool), y=codes)
            w = np.ones(codes.size) if weights is None else weights.w
            check_two_classes(classes[np.unique(codes[w > 0])], type(self).__name__)
            y = codes.astype(np.float64)
            share = float(w @ y / w.sum())
            base = float(np.log(share / (1.0 - share)))
            x = np.full(codes.size, base) if logits is None else logits[:, 0]
            rows = FeatureRows(columns, y, x, w, weights is None or weights.counts, groups).take(w > 0)
            results |= {"classes_": classes, "takes_scores_": logits is not None, "base_logit_": base}
            solution = self.solve(rows.canonical())
            return self.replace_results({**results, **solution.attributes, "map_": solution.map})

    def evaluate_logits(self, X: Any, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities of both classes, shape (n, 2)."""
        check_is_fitted(self, "map_")
        return self._evaluate(read_known_features(self, X), logits)

    def predict_proba(self, X: Any, *, scores: ArrayInput = None) -> FloatArray:
        """Return the calibrated probabilities, shape (n, 2); the rows add up to 1.

        Parameters
        ----------
        X : data frame, or array of shape (n, d)
            Features, as for `fit`.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores, where `fit` was given scores.

        Raises
        ------
        ValueError
            Features that are not those of the fit; no scores where `fit` was given scores, or scores where it was not.
        """
        check_is_fitted(self, "map_")
        columns = read_known_features(self, X)
        if self.takes_scores_ != (scores is not None):
            rule = "given where fit was given scores, got none" if self.takes_scores_ else "left out where fit got none"
            raise ValueError(f"scores must be {rule}")
        return self._evaluate(columns, None if scores is None else read_logits(scores, columns.n, 2))

    def _evaluate(self, columns: Columns, logits: FloatArray | None) -> FloatArray:
        x = np.full(columns.n, self.base_logit_) if logits is None else logits[:, 0]
        q = self.map_.evaluate(columns, x)
        return np.stack((1.0 - q, q), axis=1)

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

    def score(self, X: Any, y: ArrayInput, sample_weight: ArrayInput = None, *, scores: ArrayInput = None) -> float:
        """Return the share of rows whose predicted class is their label.

        Parameters
        ----------
        X : data frame, or array of shape (n, d)
            Features, as for `fit`.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.
        scores : array-like of shape (n,) or (n, 2), optional
            Base scores, where `fit` was given scores.
        """
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, scores=scores), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def check_two_classes(classes: NDArray[Any], name: str) -> None:
    """Raise ValueError unless there are two classes in rows of positive weight; `name` is that of the estimator."""
    if classes.size == 2:
        return
    got = "one class" if classes.size == 1 else f"{classes.size} classes"
    message = f"y must have two classes for {name}, in rows of positive weight; got {got}: {brief(classes)}"
    if classes.size > 2:
        message += ". Only binary classification is supported. The type of the target is multiclass"
    raise ValueError(message)


def read_labels(y: ArrayInput) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct labels in order, and the place of each row's label among them."""
    if y is None:
        raise ValueError("y must be labels of two classes: fit requires y to be passed, but the target y is None")
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "O":
        as_column(labels, "y")  # refuses missing values
        distinct(labels, "y")  # refuses labels that cannot be ordered
    if labels.dtype.kind == "f":
        check_finite(labels, "y")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.intp)
