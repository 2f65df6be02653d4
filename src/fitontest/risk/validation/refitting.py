"""Refitting an estimator to bootstrap samples of the rows that it is fitted to.

A bootstrap sample is how often each row stands in it. Rows are drawn with replacement, as many as there are; where rows
belong together whole groups are drawn, as many as there are groups. A weight that counts rows is so many rows, each
drawn by itself; importances stay with their row, and are handed to ``fit``.

The estimator is fitted to the rows with their copies, so that it need not take weights. What is measured are the rows
once, with the number of their copies as weights: families that choose something by cross-validation then hold out
all copies of a row together.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from fitontest.data.arrays import check_same_length, take_rows
from fitontest.data.columns import Names, read_groups
from fitontest.data.estimators import scores_of
from fitontest.data.indices import check_same_order
from fitontest.data.labels import as_labels, code_labels
from fitontest.data.row_groups import GROUP
from fitontest.data.sample import NO_FACTS, taken
from fitontest.data.score_sample import ScoreSample, sample_of_columns
from fitontest.data.weights import Weights, WeightType, check_kind, read_weights
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, Label

NAMES = Names(y_true="y")
MOST_COUNTED = 10**7  # rows that weights may count, since each becomes a row that the estimator is fitted to
SEARCHES = (GridSearchCV, RandomizedSearchCV)  # whose fit takes groups without naming them


@dataclass(frozen=True, eq=False)
class FittingRows:
    """Checked rows that an estimator is fitted to.

    Attributes
    ----------
    X : object
        Inputs as they came, with n rows.
    y : array of shape (n,)
        Labels as they came.
    positive : array of shape (n,)
        The labels as 0 and 1, or False and True.
    pos_label : label or None
        The positive class, as the user named it.
    weights : Weights or None
    ids : array of shape (n,) or None
        The group of each row.
    """

    X: Any
    y: NDArray[Any]
    positive: NDArray[Any]
    pos_label: Label | None
    weights: Weights | None
    ids: NDArray[Any] | None

    @classmethod
    def of(
        cls,
        X: Any,
        y: ArrayInput,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        *,
        weights: WeightType = "auto",
        pos_label: Label | None = None,
    ) -> "FittingRows":
        """Return the rows after a check, or raise ValueError.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix with n rows
        y, sample_weight, groups : array-like of shape (n,)
        weights : {"auto", "counts", "importances"}, default="auto"
            What the weights mean.
        pos_label : label, optional
        """
        check_kind(weights, has_weights=sample_weight is not None)
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups)
        labels = as_labels(y, "y")
        n = count_rows(X)
        if n != labels.size:
            raise ValueError(f"X and y must have the same number of rows, got: X has {n}, y has {labels.size}")
        w = None if sample_weight is None else read_weights(sample_weight, "sample_weight", weights)
        check_same_length(y=labels, sample_weight=None if w is None else w.w)
        w = None if w is None or bool(np.all(w.w == 1.0)) else w
        if w is not None and w.counts and w.w.sum() > MOST_COUNTED:
            raise ValueError(
                f"sample_weight must count at most {MOST_COUNTED:,} rows where the estimator is refitted to each of "
                f"them, got {w.w.sum():,.0f}"
            )
        ids = read_groups(groups, labels, NAMES).get(GROUP)
        rows = cls(X, labels, code_labels(labels, "y", pos_label), pos_label, w, ids)
        if np.unique(rows.positive[rows.present]).size < 2:
            raise ValueError("y must have rows of both classes, of positive weight, for an estimator to be fitted")
        if rows.units < 2:
            raise ValueError("groups must be at least 2 where whole groups are drawn, got 1")
        return rows

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Which rows have positive weight."""
        return np.ones(self.y.size, dtype=np.bool_) if self.weights is None else self.weights.w > 0

    @cached_property
    def copies(self) -> IntArray:
        """How many rows each row stands for: its count, or one if it has a positive importance."""
        counted = self.weights is not None and self.weights.counts
        return (self.weights.w if counted and self.weights is not None else self.present).astype(np.intp)

    @cached_property
    def units(self) -> int:
        """How many units are drawn: groups, or rows."""
        return int(self.copies.sum()) if self.ids is None else int(self._group.max()) + 1

    @cached_property
    def _group(self) -> IntArray:
        """The group of each row, numbered in the order in which they occur; -1 of rows of weight 0."""
        number: dict[Any, int] = {}
        ids = self.ids if self.ids is not None else np.arange(self.y.size)
        pairs = zip(ids.tolist(), self.present.tolist(), strict=True)
        return np.array([number.setdefault(name, len(number)) if is_present else -1 for name, is_present in pairs])

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return how often each row stands in a bootstrap sample, shape (n,)."""
        drawn = rng.integers(self.units, size=self.units)
        if self.ids is None:
            rows = np.repeat(np.arange(self.y.size), self.copies)
            return np.bincount(rows[drawn], minlength=self.y.size)
        times = np.append(np.bincount(drawn, minlength=self.units), 0)  # the last is that of rows of weight 0
        return times[self._group] * self.copies

    def has_both_classes(self, times: IntArray) -> bool:
        """Return whether both classes occur in a bootstrap sample."""
        return np.unique(self.positive[times > 0]).size == 2

    def fit(self, estimator: Any, times: IntArray) -> FloatArray:
        """Return the scores of all n rows by a clone of the estimator, fitted to rows that stand so often there.

        Parameters
        ----------
        estimator : estimator
        times : int array of shape (n,)
        """
        alone = bool(np.all(times == 1))
        rows = np.repeat(np.arange(self.y.size), times)
        columns: dict[str, NDArray[Any]] = {}
        if self.weights is not None and not self.weights.counts:
            columns[weight_parameter(estimator)] = self.weights.w[rows]
        if self.ids is not None and takes_groups(estimator):
            columns["groups"] = self.ids[rows]
        X = self.X if alone else take_rows(self.X, rows)
        scores, _ = scores_of(clone(estimator).fit(X, self.y[rows], **columns), self.X, self.pos_label)
        return scores

    def sample(self, scores: FloatArray, times: IntArray | None = None) -> ScoreSample:
        """Return the rows with such scores as a sample: as they are, or a bootstrap sample.

        Parameters
        ----------
        scores : array of shape (n,)
        times : int array of shape (n,), optional
            How often each row stands in the bootstrap sample.
        """
        facts = NO_FACTS if self.ids is None else {GROUP: self.ids}
        if times is None:
            return sample_of_columns(self.positive, scores, self.weights, facts=facts)
        rows = np.flatnonzero(times)
        w = times[rows].astype(np.float64)
        weights = Weights(w, counts=True, said=True)
        if self.weights is not None and not self.weights.counts:
            weights = replace(weights, w=w * self.weights.w[rows], counts=False)
        return sample_of_columns(self.positive[rows], scores[rows], weights, facts=taken(facts, rows))


def count_rows(X: Any) -> int:
    """Return the number of rows of what an estimator is fitted to, or raise ValueError where it has none."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    if isinstance(X, list | tuple):
        return len(X)
    raise ValueError(f"X must be an array, a data frame, a sparse matrix or a list of rows, got {type(X).__name__}")


def check_refittable(estimator: Any) -> None:
    """Raise ValueError unless an estimator can be fitted to other rows and gives probabilities."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        hint = "; a class must be called, to make an instance" if isinstance(estimator, type) else ""
        raise ValueError(f"estimator must be a scikit-learn classifier, got {estimator!r}{hint}")
    if isinstance(estimator, FrozenEstimator):
        raise ValueError("estimator must be refitted for the optimism correction, got a FrozenEstimator")
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(f"estimator must have predict_proba, got {estimator!r}")
    if get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            f"estimator must take features, not similarities between rows, to be refitted in bootstrap samples; got "
            f"{estimator!r}"
        )


def weight_parameter(estimator: Any) -> str:
    """Return the argument by which ``fit`` takes the weights of rows, or raise ValueError where there is none."""
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    if get_config()["enable_metadata_routing"]:
        if _requests(estimator, "sample_weight"):
            return "sample_weight"
    elif isinstance(estimator, Pipeline) and has_fit_parameter(estimator.steps[-1][1], "sample_weight"):
        return f"{estimator.steps[-1][0]}__sample_weight"
    raise ValueError(
        f"sample_weight must be left out, or count rows (weights='counts'), where fit of the estimator takes no "
        f"weights; got importances with {estimator!r}"
    )


def takes_groups(estimator: Any) -> bool:
    """Return whether ``fit`` of an estimator is handed the groups of the rows, for folds of its own."""
    if get_config()["enable_metadata_routing"] and _requests(estimator, "groups"):
        return True
    return has_fit_parameter(estimator, "groups") or isinstance(estimator, SEARCHES)


def _requests(estimator: Any, parameter: str) -> bool:
    """Return whether scikit-learn routes a parameter of ``fit`` to the estimator or into it."""
    routing = getattr(estimator, "get_metadata_routing", None)
    return routing is not None and bool(routing().consumes("fit", [parameter]))
