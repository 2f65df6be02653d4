"""A family of two classes and of several at once: one estimator that looks at what it is given.

A column of scores, of shape (n,) or (n, 1), means two classes, and the fitted map is a `CalibrationMap`. A matrix with
K >= 2 columns means K classes, and the fitted map is a `MulticlassMap`. What a fitted estimator predicts for follows
from its map.
"""

from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import count_columns
from fitontest.families.argument_names import takes_names_of_metrics
from fitontest.families.base import Family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.results.typing import ArrayInput, FloatArray, Label


class EitherFamily(Family, MulticlassFamily):
    """Base of the families that take a column of scores or a column for each class."""

    map_: Any
    fit_map: ClassVar[Any] = Family.fit_map
    solve: ClassVar[Any] = Family.solve

    @takes_names_of_metrics("p")
    def fit(
        self,
        p: ArrayInput,
        y: ArrayInput,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        *,
        pos_label: Label | None = None,
        labels: ArrayInput = None,
    ) -> Self:
        """Fit the calibration map to scores and labels.

        Parameters
        ----------
        p : array-like of shape (n,), (n, 1) or (n, K)
            Scores of the positive class, in [0, 1]; or with K >= 2 columns probabilities of the classes in the order of
            the sorted labels, or of `labels`, whose rows add up to 1.
        y : array-like of shape (n,)
            Labels, of two classes for a column.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; weight 2 is the row twice, weight 0 the row absent.
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. Families
            that choose something by cross-validation hold out whole groups; others pass them over.
        pos_label : label, optional
            For a column: the positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.
        labels : array-like of shape (K,), optional
            For several columns: the class of each, also of classes that do not occur.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        if (count_columns(p) or 1) > 1:
            if pos_label is not None:
                raise ValueError(f"pos_label must be left out where p has several columns, got {pos_label!r}")
            return MulticlassFamily.fit(self, p, y, sample_weight, groups, labels=labels)
        if labels is not None:
            raise ValueError(f"labels must be left out where p is one column, got {labels!r}")
        if self._input() == "logits":
            raise ValueError("input must be 'probabilities' where p is one column, got 'logits'")
        return Family.fit(self, p, y, sample_weight, groups, pos_label=pos_label)

    def fit_sample(self, sample: Any) -> Self:
        """Fit the calibration map to data that have been checked already.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            As for `solve`.
        """
        return sample.either(Family, MulticlassFamily).fit_sample(self, sample)  # type: ignore[no-any-return]

    @property
    def _base(self) -> type[Family] | type[MulticlassFamily]:
        """The base that predicts: as `fit` saw one column or several."""
        check_is_fitted(self, "map_")
        return MulticlassFamily if hasattr(self, "classes_") else Family

    def predict(self, p: ArrayInput, *, clip: bool = False) -> Any:
        """Return the calibrated probability of each score of a column, or the most likely class of each row of several.

        Parameters
        ----------
        p : array-like of shape (n,), (n, 1) or (n, K)
            As for `fit`, with the columns of the fit.
        clip : bool, default=False
            Clip the probabilities of a column to [0, 1]; of no effect on the classes.
        """
        return Family.predict(self, p, clip=clip) if self._base is Family else MulticlassFamily.predict(self, p)

    def predict_proba(self, p: ArrayInput) -> FloatArray:
        """Return the probabilities of the classes, shape (n, K), or of negatives and positives, shape (n, 2).

        Parameters
        ----------
        p : array-like of shape (n,), (n, 1) or (n, K)
            As for `fit`, with the columns of the fit.
        """
        return self._base.predict_proba(self, p)

    def transform(self, p: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities in the shape of the scores: a column, or a column for each class.

        Parameters
        ----------
        p : array-like of shape (n,), (n, 1) or (n, K)
            As for `fit`, with the columns of the fit.
        """
        return self._base.transform(self, p)

    def score(self, p: ArrayInput, y: ArrayInput, sample_weight: ArrayInput = None) -> float:
        """Return the Brier skill score: 1 less the Brier score over that of predicting the shares of the classes.

        Parameters
        ----------
        p : array-like of shape (n,), (n, 1) or (n, K)
            As for `fit`, with the columns of the fit.
        y : array-like of shape (n,)
            Labels of the classes of the fit.
        sample_weight : array-like of shape (n,), optional
            As for `fit`.
        """
        return self._base.score(self, p, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags
