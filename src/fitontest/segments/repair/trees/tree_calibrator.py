"""A decision tree as a calibrator: the leaf of a row says its probability, and the path to the leaf says why."""

from typing import Any, Self

from fitontest.data.indices import check_same_order
from fitontest.families.feature_calibrator import kept_if_refused, predicted_classes, read_groups_of, read_weights_of
from fitontest.families.registry import register
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput, FloatArray, IntArray
from fitontest.segments.repair.trees.base import PrunedTree
from fitontest.segments.repair.trees.node_models import NodeModels, ShareModels, brier_losses
from fitontest.segments.repair.trees.rows import TreeRows
from fitontest.segments.repair.trees.structure import TreeStructure


@register("tree")
@take_descriptions(PrunedTree, "Attributes", "Notes")
class TreeCalibrator(PrunedTree):
    """Calibrate by a pruned decision tree on the features, whose leaf means are the probabilities.

    The pruning is by cost and complexity.

    It uses no base score: it is fitted to rows that a classifier was not fitted to only where its values are compared
    with those of calibrators of that classifier. It has as many values as leaves, and each is the share of the classes
    among calibration rows that a person can describe.

    Attributes
    ----------
    pruning_factor_ : float
        The cost per leaf: what ``ccp_alpha`` is in scikit-learn.

    Notes
    -----
    The tree is grown by the Gini impurity, and the factor is that of the smallest Brier score over the folds, of equal
    ones the largest; the Gini impurity of a node is the Brier score of its shares, so that growing, pruning and
    choosing have one aim. Any number of classes is taken at once.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees (no doi).
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import fitontest as fot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> calibrator = fot.segments.TreeCalibrator(max_depth=2).fit(X, y)
    >>> calibrator.n_leaves_, calibrator.predict_proba(X[:2])[:, 1].round(3)
    (3, array([0.058, 0.058]))
    """

    def fit(self, X: Any, y: ArrayInput, sample_weight: ArrayInput = None, groups: ArrayInput = None) -> Self:
        """Fit the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, numbers.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. The folds
            by which the tree is pruned hold out whole groups.

        Returns
        -------
        self
        """
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups)
        with kept_if_refused(self):
            X, classes, codes = self.read_rows(X, y)
            weights = read_weights_of(sample_weight, codes)
            return self.fit_read(X, codes, classes, weights, None, read_groups_of(groups, codes))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the shares of the classes in the leaf of each row, shape (n, K).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        """
        return self.evaluate_logits(X, None)

    def predict(self, X: Any) -> Any:
        """Return the most frequent class in the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        """
        return predicted_classes(self, self.predict_proba(X))

    def fit_nodes(self, tree: TreeStructure, leaf: IntArray, rows: TreeRows) -> NodeModels:
        """Return the shares of the classes in each node."""
        return ShareModels.fit(tree, leaf, rows)

    def row_losses(self, proba: FloatArray, codes: IntArray) -> FloatArray:
        """Return the squared error of each row, summed over the classes."""
        return brier_losses(proba, codes)
