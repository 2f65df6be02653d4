"""Probability calibration trees: a tree on the features whose leaves hold calibration maps of the base score."""

from typing import Any, Self

from fitontest.data.indices import check_same_order
from fitontest.families.feature_calibrator import (
    kept_if_refused,
    predicted_classes,
    read_groups_of,
    read_logits,
    read_weights_of,
)
from fitontest.families.registry import register
from fitontest.numerics.losses import log_loss
from fitontest.results.checks import brief
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput, FloatArray, IntArray
from fitontest.segments.repair.trees.base import PrunedTree
from fitontest.segments.repair.trees.node_models import LogisticModels, NodeModels, ShareModels
from fitontest.segments.repair.trees.rows import TreeRows
from fitontest.segments.repair.trees.structure import TreeStructure


@register("probability_calibration_tree")
@take_descriptions(PrunedTree, "Attributes", "Notes")
class ProbabilityCalibrationTree(PrunedTree):
    """Calibrate by a decision tree on the features, with a logistic regression on the base score in each leaf.

    The regressions are on the logit of the base score.

    Regions of the feature space in which a classifier is wrong in different ways get calibration maps of their own.
    The tree is scikit-learn's, grown on the calibration rows. Every node, an inner one too, has the regression
    sigmoid(a + b logit(score)), fitted with the penalty 1e-6 b^2 / 2, and the constant 0 or 1 where its rows are of one
    class. The cost of a sub-tree is the total log loss of its leaves, by which the tree is pruned to minimal
    cost-complexity.

    Attributes
    ----------
    pruning_factor_ : float
        The log loss that a leaf must save, per unit weight.
    models_ : LogisticModels
        The intercept and the slope of each of its nodes.

    Notes
    -----
    Behind a classifier: ``CalibratedClassifier(classifier, family=ProbabilityCalibrationTree())``, which hands it the
    base scores and the features of the calibration rows. On its own it takes base scores as ``fit(X, y,
    scores=...)``; fitted without any, its leaves are the constants that log loss prefers, the shares of the classes.
    scikit-learn's cross-validation does not divide the scores with the rows: cross-validate the `CalibratedClassifier`.

    Of more than two classes there is still one tree, so that there is one set of cells. A node has a regression for
    each class against the rest, on the logit of the score of that class, and its probabilities are divided by their
    sum. Leathart et al. fit the classes of a node together, by boosting; the cost is the log loss in both.

    The log loss clips probabilities to [1e-6, 1 - 1e-6], because otherwise one row of another class in a pure leaf
    would decide the pruning. Of factors with the same loss over the folds the largest is taken.

    References
    ----------
    Leathart, Frank, Holmes, Pfahringer (2017), Probability calibration trees, ACML.
    https://doi.org/10.48550/arXiv.1808.00111

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import fitontest as fot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = GaussianNB().fit(X[:200], y[:200])
    >>> scores = classifier.predict_proba(X)[:, 1]
    >>> calibrator = fot.segments.ProbabilityCalibrationTree(max_depth=3).fit(X[200:], y[200:], scores=scores[200:])
    >>> calibrator.predict_proba(X[:3], scores=scores[:3]).shape
    (3, 2)
    >>> fot.CalibratedClassifier(GaussianNB(), family=calibrator, ensemble=False).fit(X, y).predict(X[:3])
    array([0, 0, 0])
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
        """Fit the tree and the regressions of its nodes.

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
        scores : array-like of shape (n,) or (n, K), optional
            Base scores in [0, 1] of rows that the classifier was not fitted to: of the second class in sorted order, or
            of each class.

        Returns
        -------
        self
        """
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups, scores=scores)
        with kept_if_refused(self):
            X, classes, codes = self.read_rows(X, y)
            logits = None if scores is None else read_logits(scores, codes.size, classes.size)
            weights = read_weights_of(sample_weight, codes)
            return self.fit_read(X, codes, classes, weights, logits, read_groups_of(groups, codes))

    def predict_proba(self, X: Any, *, scores: ArrayInput = None) -> FloatArray:
        """Return the calibrated probabilities, shape (n, K); the rows add up to 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        scores : array-like of shape (n,) or (n, K)
            Base scores, where the tree was fitted with scores.

        Raises
        ------
        ValueError
            No scores for a tree that was fitted with scores, scores for one that was not, or scores outside [0, 1].
        """
        nodes = self.apply(X)
        if self.models_.takes_logits and scores is None:
            raise ValueError("scores must be given where fit was given scores, got none")
        one_class = self.classes_.size == 1
        if not (self.models_.takes_logits or scores is None or one_class):
            raise ValueError(f"scores must be left out where fit was given none, got {brief(scores)}")
        logits = None if scores is None or one_class else read_logits(scores, nodes.size, self.classes_.size)
        return self.models_.evaluate(nodes, logits)

    def predict(self, X: Any, *, scores: ArrayInput = None) -> Any:
        """Return the class of the largest calibrated probability of each row, the first of equals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        scores : array-like of shape (n,) or (n, K)
            Base scores, where the tree was fitted with scores.
        """
        return predicted_classes(self, self.predict_proba(X, scores=scores))

    def score(self, X: Any, y: ArrayInput, sample_weight: ArrayInput = None, *, scores: ArrayInput = None) -> float:
        """Return the share of rows whose predicted class is their label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features, as for `fit`.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.
        scores : array-like of shape (n,) or (n, K)
            Base scores, where the tree was fitted with scores.
        """
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, scores=scores), sample_weight=sample_weight))

    def fit_nodes(self, tree: TreeStructure, leaf: IntArray, rows: TreeRows) -> NodeModels:
        """Return the logistic regressions of all nodes of the tree.

        Without base scores they are the shares, which have the smallest log loss.
        """
        if rows.logits is None or rows.n_classes < 2:
            return ShareModels.fit(tree, leaf, rows)
        return LogisticModels.fit(tree, leaf, rows, rows.logits)

    def row_losses(self, proba: FloatArray, codes: IntArray) -> FloatArray:
        """Return the log loss of each row."""
        return log_loss(codes, proba)
