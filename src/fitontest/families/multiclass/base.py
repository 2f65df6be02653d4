"""A family of calibration maps of several classes: a scikit-learn estimator fitted to a matrix of scores.

As a `Family` makes a `CalibrationMap` of a sample, a `MulticlassFamily` makes a `MulticlassMap` of a `SimplexSample`. A
new one is a class with one method, ``fit_map``.
"""

from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import as_matrix, count_columns
from fitontest.data.columns import Columns, Names
from fitontest.data.predictions import check_order, read_classes
from fitontest.data.simplex import as_logits, on_simplex
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.argument_names import takes_names_of_metrics
from fitontest.families.base import Solution
from fitontest.families.cutting import eps_of_classes
from fitontest.families.registry import FamilyBase, registered_class, seeded
from fitontest.families.registry import names as family_names
from fitontest.maps.multiclass.base import MulticlassMap, is_label
from fitontest.maps.multiclass.first_step import SMALLEST
from fitontest.results.checks import choose
from fitontest.results.typing import ArrayInput, FloatArray, RandomState

Input: TypeAlias = Literal["probabilities", "logits"]
INPUTS = ("probabilities", "logits")
_NAMES = Names(y_true="y", y_prob="P", reduction="a family of several classes")


class MulticlassFamily(ClassifierMixin, TransformerMixin, FamilyBase):  # type: ignore[misc]
    """Base class of the families of calibration maps for several classes.

    A subclass stores its hyper-parameters unchanged in ``__init__`` and defines ``fit_map(rows)``, or, where it
    has more results than the map, ``solve(rows)``; `rows` are a `SimplexSample` of rows of positive weight. One
    that has a hyper-parameter ``input`` takes logits too.

    Attributes
    ----------
    map_ : MulticlassMap
        The fitted map, which holds the labels of the classes too.
    classes_ : array of shape (K,)
        The class of each column.
    n_parameters_ : float
        How many free numbers the map has, inf where that is not known.

    Notes
    -----
    ``fit`` takes the scores first, as every estimator takes its inputs first. By name it takes them as the metrics do:
    ``fit(y_true=y, y_prob=P)``.

    Examples
    --------
    >>> import fitontest as fot
    >>> class Uniform(fot.families.MulticlassFamily):
    ...     "Every class is as likely as another."
    ...     def fit_map(self, rows):
    ...         return fot.maps.SoftmaxMap(W=[0.0] * rows.n_classes, b=[0.0] * rows.n_classes)
    >>> Uniform().fit([[0.2, 0.8], [0.6, 0.4]], [1, 0]).predict_proba([[0.9, 0.1]])
    array([[0.5, 0.5]])
    """

    map_: MulticlassMap
    classes_: NDArray[Any]
    takes_classes: ClassVar[bool] = True

    def fit_map(self, rows: SimplexSample) -> MulticlassMap:
        """Return the calibration map that fits the data best, and leave the estimator as it is.

        Parameters
        ----------
        rows : SimplexSample
            Rows of positive weight: ``scores`` of shape (n, K), ``codes`` with the column of each label, weights ``w``.
        """
        if type(self).solve is MulticlassFamily.solve:
            raise TypeError(f"{type(self).__name__} must define fit_map or solve")
        fitted: MulticlassMap = self.solve(rows).map
        return fitted

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map with the other results of the fit, and leave the estimator as it is.

        Parameters
        ----------
        rows : SimplexSample
            As for `fit_map`.
        """
        return Solution(self.fit_map(rows))

    @takes_names_of_metrics("P")
    def fit(
        self,
        P: ArrayInput,
        y: ArrayInput,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        *,
        labels: ArrayInput = None,
    ) -> Self:
        """Fit the calibration map to labels and the predicted probabilities of all classes.

        Parameters
        ----------
        P : array-like of shape (n, K)
            Probabilities of the classes in the order of the sorted labels, or of `labels`; rows add up to 1 (those that
            miss it by at most 1e-3 are divided by their sums). With ``input="logits"`` real scores of which the softmax
            is meant.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
            whose scale means nothing. A row of weight 0 is absent.
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. Families
            that choose something by cross-validation hold out whole groups; others pass them over.
        labels : array-like of shape (K,), optional
            The class of each column, also of classes that do not occur; by default those that the columns of a data
            frame are called after, or else the sorted labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        if count_columns(P) == 1:
            takers = ", ".join(name for name in family_names("two") if registered_class(name).takes_classes)
            raise ValueError(
                f"P must have a column for each class with {self}, got one column; one column is taken by {takers}, "
                "and by all other families of two classes"
            )
        return self.fit_sample(self._read(P, y, sample_weight, labels, groups))

    def fit_sample(self, rows: SimplexSample) -> Self:
        """Fit the calibration map to data that have been checked already.

        Parameters
        ----------
        rows : SimplexSample
            As for `fit_map`.

        Raises
        ------
        TypeError
            A subclass whose ``fit_map`` returns no `MulticlassMap`.
        """
        solution = self.solve(rows)
        self._check_made(solution.map, MulticlassMap)
        fitted = solution.map.for_classes(rows.classes if all(map(is_label, rows.classes)) else None)
        return self.replace_results({"map_": fitted, "classes_": np.asarray(rows.classes), **solution.attributes})

    def _read(
        self, P: ArrayInput, y: ArrayInput, sample_weight: ArrayInput, labels: ArrayInput, groups: ArrayInput = None
    ) -> SimplexSample:
        logs = self._input() == "logits"
        reader = as_logits if logs else as_matrix
        columns = Columns.read(y, P, sample_weight, groups=groups, names=_NAMES)
        return SimplexSample.of(read_classes(columns, P, labels, reader), logs=logs).present

    def _input(self) -> str:
        return choose(getattr(self, "input", INPUTS[0]), INPUTS, "input")

    def _smallest(self, rows: SimplexSample) -> float:
        """Return the probability to which smaller ones are raised before their logarithms are taken.

        Logits have no such floor, unless a class has the logit of minus infinity.
        """
        if not rows.logs:
            return eps_of_classes(self.eps, rows)
        return 0.0 if np.isfinite(rows.scores.min()) else SMALLEST

    def predict_proba(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities, shape (n, K); the rows add up to 1.

        Parameters
        ----------
        P : array-like of shape (n, K)
            As for `fit`.
        """
        check_is_fitted(self, "map_")
        logs = self._input() == "logits"
        scores, headers = (as_logits if logs else as_matrix)(P, "P")
        self.map_.check_columns(scores, "P")
        if headers is not None:
            check_order(headers, self.classes_.tolist(), _NAMES, fitted=True)
        if logs:
            return np.asarray(self.map_.evaluate_log(scores))
        return np.asarray(self.map_.on_simplex(on_simplex(scores, "P")))

    def predict(self, P: ArrayInput) -> NDArray[Any]:
        """Return the class with the largest calibrated probability in each row, the first of equals.

        Parameters
        ----------
        P : array-like of shape (n, K)
            As for `fit`.
        """
        return np.asarray(self.classes_[self.predict_proba(P).argmax(axis=1)])

    def transform(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities, as `predict_proba` does.

        Parameters
        ----------
        P : array-like of shape (n, K)
            As for `fit`.
        """
        return self.predict_proba(P)

    def score(self, P: ArrayInput, y: ArrayInput, sample_weight: ArrayInput = None) -> float:
        """Return the Brier skill score: 1 less the Brier score over that of predicting the shares of the classes.

        Parameters
        ----------
        P : array-like of shape (n, K)
            As for `fit`.
        y : array-like of shape (n,)
            Labels, of `classes_`.
        sample_weight : array-like of shape (n,), optional
            As for `fit`.
        """
        rows = self._read(P, y, sample_weight, self.classes_)
        q = self.map_.evaluate_log(rows.scores) if rows.logs else self.map_.evaluate(rows.scores)
        w = rows.w
        shares = np.bincount(rows.codes, w, rows.n_classes) / rows.total
        miss = (q * q).sum(axis=1) - 2.0 * q[np.arange(w.size), rows.codes] + 1.0
        of_shares = float(1.0 - shares @ shares)
        if of_shares <= 0.0:  # one class: as scikit-learn has it for a constant target
            return 1.0 if float(w @ miss) == 0.0 else 0.0
        return float(1.0 - (w @ miss / rows.total) / of_shares)


def multiclass_family_class(name: str) -> type[MulticlassFamily]:
    """Return the class of the family of several classes called `name`."""
    cls = registered_class(name)
    if not issubclass(cls, MulticlassFamily):
        names = ", ".join(family_names("any"))
        hint = "which takes the features of the rows" if cls.takes_features else "of which one_vs_rest makes one"
        raise ValueError(f"family must be one that takes a column for each class, {names}; got {name!r}, {hint}")
    return cls


def read_multiclass_family(family: object, random_state: RandomState | Literal["own"] = "own") -> MulticlassFamily:
    """Return an unfitted family of several classes of one's own for a name or a `MulticlassFamily`, which is cloned.

    A family given by name that draws anything gets the seed; an instance keeps its own.
    """
    if isinstance(family, str):
        return seeded(multiclass_family_class(family)(), random_state)
    if not isinstance(family, MulticlassFamily):
        raise ValueError(
            f"family must be the name of a family of several classes or a MulticlassFamily, got {family!r}"
        )
    return clone(family)  # type: ignore[no-any-return]
