"""Trees whose nodes hold probabilities or calibration maps: they are grown on the features, and pruned by folds.

A tree puts its cells into the space of the features, so that people can say which rows a probability is meant for.
"""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fitontest.data.splits import check_splitting
from fitontest.data.weights import Weights
from fitontest.families.feature_calibrator import FeatureCalibrator, kept_if_refused
from fitontest.numerics.random import check_seed
from fitontest.results.checks import is_real, is_whole
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState
from fitontest.segments.repair.trees.folds import Fold, tree_splits
from fitontest.segments.repair.trees.node_models import NodeModels
from fitontest.segments.repair.trees.pruning import best_factor, candidate_factors, collapse_factors, losses_by_factor
from fitontest.segments.repair.trees.rows import TreeRows
from fitontest.segments.repair.trees.structure import TreeStructure

# Trees of scikit-learn before 1.8 put rows with missing features elsewhere than the splits that they tell.
TAKES_MISSING = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)
FEATURES: dict[str, Any] = {
    "dtype": np.float32,
    "accept_sparse": "csr",
    "ensure_all_finite": "allow-nan" if TAKES_MISSING else True,
}


@dataclass(eq=False, repr=False)
class PrunedTree(FeatureCalibrator):
    """Base of the calibrators that are trees: growing, pruning, and the cells.

    A subclass says what the nodes predict (`fit_nodes`), and what a row costs (`row_losses`), by which the tree is
    pruned.

    Parameters
    ----------
    max_depth, max_leaf_nodes, min_samples_leaf
        Limits of the tree before it is pruned, as in scikit-learn's ``DecisionTreeClassifier``; `min_samples_leaf`
        counts rows, a row of a whole weight so often.
    cv : int, splitter or iterable of splits, default=5
        The folds by which the pruning factor is chosen. A number shuffles the rows of each class and deals them to that
        many folds, in a way that does not depend on their order; the copies that a whole weight counts are dealt one by
        one. Rows of one group share a fold.
    random_state : int, RandomState or None, default=0
        Of the folds, and of which of equally good splits is taken.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels, sorted.
    n_leaves_ : int
        Of the pruned tree.
    structure_ : TreeStructure
        The pruned tree.
    tree_ : DecisionTreeClassifier
        The tree before it was pruned.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Rows of weight 0 are absent; where weights are counts, whole numbers of at most 10 on average, a row of weight 2 is
    the row twice. Features may be missing (NaN), as in scikit-learn's trees; before scikit-learn 1.8 they are refused.
    """

    _: KW_ONLY
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int | float = 1
    cv: Any = 5
    random_state: RandomState = 0

    classes_: NDArray[Any] = field(init=False)
    n_features_in_: int = field(init=False)
    tree_: DecisionTreeClassifier = field(init=False)
    structure_: TreeStructure = field(init=False)
    models_: NodeModels = field(init=False)

    @abstractmethod
    def fit_nodes(self, tree: TreeStructure, leaf: IntArray, rows: TreeRows) -> NodeModels:
        """Return the models of all nodes of a tree.

        Parameters
        ----------
        tree : TreeStructure
            The nodes, of which the leaves are those of the pruned tree.
        leaf : int array of shape (n,)
            The leaf of each row.
        rows : TreeRows
            What the tree is fitted to.
        """

    @abstractmethod
    def row_losses(self, proba: FloatArray, codes: IntArray) -> FloatArray:
        """Return what each row costs under its probabilities.

        Parameters
        ----------
        proba : array of shape (n, K)
            Probabilities of the classes; rows add up to 1.
        codes : int array of shape (n,)
            The position of each label in the classes.

        Returns
        -------
        losses : array of shape (n,)
            At least 0.
        """

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
        X : array-like or sparse matrix of shape (n, d)
            Features, numbers.
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
        with kept_if_refused(self):
            return self.fit_read(validate_data(self, X, **FEATURES), codes, classes, weights, logits, groups)

    def read_rows(self, X: Any, y: ArrayInput) -> tuple[Any, NDArray[Any], IntArray]:
        """Check features and labels; return the features, the classes, and the position of each label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, numbers.
        y : array-like of shape (n,)
            Labels.

        Raises
        ------
        ValueError
            Features that are no numbers, lengths that differ, or labels that are no classes.
        """
        X, y = validate_data(self, X, y, **FEATURES)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return X, classes, codes.astype(np.intp)

    def fit_read(
        self,
        X: Any,
        codes: IntArray,
        classes: NDArray[Any],
        weights: Weights | None,
        logits: FloatArray | None,
        groups: NDArray[Any] | None = None,
    ) -> Self:
        """Fit the calibrator to features that have been checked too.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            Checked features.
        codes, classes, weights, logits, groups
            As for `fit_coded`.
        """
        check_splitting(self.cv)
        check_seed(self.random_state)
        w = np.ones(codes.size) if weights is None else weights.w
        whole = weights is None or weights.counts
        rows, present = TreeRows(X, codes, w, logits, classes.size, whole, groups), np.flatnonzero(w > 0)
        folds = tree_splits(self.cv, rows, self.random_state)
        results = {"classes_": classes, "n_features_in_": self.n_features_in_}
        if hasattr(self, "feature_names_in_"):
            results["feature_names_in_"] = self.feature_names_in_
        results.update(self._solve(rows.take(present) if present.size < codes.size else rows, folds))
        return self.replace_results(results)

    def apply(self, X: Any) -> IntArray:
        """Return the node of `structure_` that is the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.

        Returns
        -------
        leaf : int array of shape (n,)
            Numbers of nodes.
        """
        check_is_fitted(self, "structure_")
        X = validate_data(self, X, **FEATURES, reset=False)
        return np.asarray(self.leaf_of_[self.tree_.apply(X)])

    def cells(self, X: Any, n_cells: int | None = None) -> IntArray:
        """Return an integer for the region of the feature space that each row is in.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, numbers.
        n_cells : int, optional
            By default the cells are the leaves, numbered from left to right. With a number they are the leaves of the
            shallowest sub-tree with so many leaves, which a breadth-first search from the root finds (BFSL binning); a
            tree with fewer leaves has all of them.

        Returns
        -------
        cells : int array of shape (n,)
            From 0 to the number of cells - 1.

        Raises
        ------
        ValueError
            `n_cells` is no whole number, at least 1.
        """
        leaf = self.apply(X)
        if n_cells is None:
            tree = self.structure_
        else:
            if not is_whole(n_cells) or n_cells < 1:
                raise ValueError(f"n_cells must be None or a whole number, at least 1; got {n_cells!r}")
            tree, number = self.structure_.cut(self.structure_.shallowest(n_cells))
            leaf = number[leaf]
        place = np.empty(tree.size, dtype=np.intp)
        place[tree.leaves] = np.arange(tree.leaves.size)
        return np.asarray(place[leaf])

    def evaluate_logits(self, X: Any, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities of rows whose base scores have been checked and turned into logits.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        logits : array of shape (n, k) or None
            As for `fit_coded`.

        Returns
        -------
        proba : array of shape (n, K)
            Rows add up to 1.
        """
        leaf = self.apply(X)
        return self.models_.evaluate(leaf, logits)

    def _solve(self, rows: TreeRows, folds: list[Fold]) -> dict[str, Any]:
        """Return the attributes of the fitted tree."""
        grown, tree, leaf, _, factors = self._grow(rows)
        candidates = candidate_factors(factors)
        losses = [self._held_out(rows, candidates, fold) for fold in folds]
        factor = best_factor(candidates, losses) if losses else 0.0
        pruned, leaf_of = tree.cut(factors <= factor)
        return {
            "tree_": grown,
            "structure_": pruned,
            "leaf_of_": leaf_of,
            "pruning_factor_": factor,
            "n_leaves_": int(pruned.leaves.size),
            "models_": self.fit_nodes(pruned, leaf_of[leaf], rows),
        }

    def _grow(self, rows: TreeRows) -> tuple[DecisionTreeClassifier, TreeStructure, IntArray, NodeModels, FloatArray]:
        """Grow a tree, fit the models of its nodes, and find the factors at which its nodes collapse."""
        least = self.min_samples_leaf
        limits = _leaf_limits(least, rows.w) if rows.whole else {"min_samples_leaf": least}
        grown = DecisionTreeClassifier(
            max_depth=self.max_depth, max_leaf_nodes=self.max_leaf_nodes, random_state=self.random_state, **limits
        ).fit(rows.X, rows.codes, sample_weight=rows.w)
        tree = TreeStructure.of(grown)
        leaf = np.asarray(grown.apply(rows.X), dtype=np.intp)
        models = self.fit_nodes(tree, leaf, rows)
        cost = self._node_losses(tree, models, leaf, rows) / rows.w.sum()
        return grown, tree, leaf, models, collapse_factors(tree, cost)

    def _held_out(self, rows: TreeRows, candidates: FloatArray, fold: Fold) -> FloatArray:
        """Return the loss of the held-out rows of a fold for each candidate of the factor."""
        train, held_out = (rows.take(np.flatnonzero(weights), weights) for weights in fold)
        grown, tree, _, models, factors = self._grow(train)
        leaf = np.asarray(grown.apply(held_out.X), dtype=np.intp)
        return losses_by_factor(tree, factors, self._node_losses(tree, models, leaf, held_out), candidates)

    def _node_losses(self, tree: TreeStructure, models: NodeModels, leaf: IntArray, rows: TreeRows) -> FloatArray:
        """Return for each node the total loss of the rows that pass it, under its own model."""
        total = np.zeros(tree.size)
        for nodes in tree.levels(leaf):
            at = np.flatnonzero(nodes >= 0)
            proba = models.evaluate(nodes[at], None if rows.logits is None else rows.logits[at])
            total += np.bincount(nodes[at], rows.w[at] * self.row_losses(proba, rows.codes[at]), tree.size)
        return total

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = TAKES_MISSING
        return tags


def _leaf_limits(least: int | float, w: FloatArray) -> dict[str, Any]:
    """Return the settings of a scikit-learn tree whose leaves have at least that weight, or that share."""
    total = float(w.sum())
    if not is_real(least) or not ((is_whole(least) and least > 1) or 0 < least < 1):
        return {"min_samples_leaf": least}  # no limit, or refused there
    rows = int(least) if is_whole(least) else int(np.ceil(least * total))
    if 2 * rows > total:
        return {"min_samples_leaf": w.size}  # no split leaves enough on both sides
    return {"min_weight_fraction_leaf": (rows - 0.5) / total}  # weights are whole, so that rounding decides nothing
