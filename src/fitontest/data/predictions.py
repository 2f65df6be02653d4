r"""Several classes as samples of two: what a reduction makes of labels and a matrix of scores.

Of n rows with a score p_ik for each of K classes, and a label y_i:

* ``"confidence"`` (top-label): p_i = max_k p_ik, and y_i is 1 where the class of that column is the label. Where m
  columns are the largest each of their classes is predicted in a share 1/m of the row, whatever the order of the
  columns (`fitontest.data.top_label`). Only the largest score of a row is read. The base rate is the accuracy.
* ``"classwise"`` (one against the rest): K samples, p_i = p_ik with y_i = 1 where the label is class k. An error is the
  plain mean over the classes, each counting the same.
* ``"binary"``: the column of the positive class, of exactly two.

Rows need not add up to 1 for any of them; where most do not, there is a note (`fitontest.data.class_rows`).

References
----------
Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML (confidence).
https://doi.org/10.48550/arXiv.1706.04599

Kull, Perelló-Nieto, Kängsepp, Silva Filho, Song, Flach (2019), Beyond temperature scaling, NeurIPS (class-wise).
https://doi.org/10.48550/arXiv.1910.12656
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column, as_matrix, check_finite, count_columns
from fitontest.data.class_columns import in_order_of_names, label_texts, read_class_order
from fitontest.data.class_rows import ClassRows
from fitontest.data.column_permutation import warn_of_permutation
from fitontest.data.columns import Columns, Names
from fitontest.data.labels import chosen_positive, coded, coded_positive, distinct, listed
from fitontest.data.sample import NO_FACTS, Facts, taken
from fitontest.data.samples import ClassSamples, Samples
from fitontest.data.score_sample import ScoreSample, sample_of_columns
from fitontest.data.top_label import TopLabels
from fitontest.data.weights import Weights
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, Label

Reduction: TypeAlias = Literal["confidence", "classwise", "binary"]
REDUCTIONS: tuple[str, ...] = get_args(Reduction)

#: From what a user gave and its name to a matrix and the names of its columns.
MatrixReader: TypeAlias = Callable[[ArrayInput, str], tuple[FloatArray, list[str] | None]]


PREDICTED = "predicted"  # what samples are called whose keys are the classes that are predicted


@dataclass(frozen=True, eq=False)
class Predictions:
    """A matrix of scores whose columns have been matched with the classes.

    Attributes
    ----------
    classes : list of length K
        The class of each column.
    codes : array of shape (n,)
        The column of the class of each row's label.
    scores : array of shape (n, K)
    sample_weight : Weights or None
    names : Names
    facts : mapping of str to array of shape (n,)
        Columns that belong to the rows and travel with them, such as "group".
    """

    classes: list[Label]
    codes: IntArray
    scores: FloatArray
    sample_weight: Weights | None
    names: Names
    facts: Facts = field(default_factory=lambda: NO_FACTS)
    keeps_rows = True  # that is, which scores belong to one row

    @property
    def n(self) -> int:
        """Rows of positive weight."""
        return self.codes.size if self.sample_weight is None else int(np.count_nonzero(self.sample_weight.w))

    @property
    def w(self) -> FloatArray:
        """The weight of each row."""
        given = self.sample_weight
        return np.broadcast_to(np.float64(1.0), self.codes.shape) if given is None else np.asarray(given.w)

    @property
    def size(self) -> int:
        """Scores of all classes together."""
        return int(self.scores.size)

    def take(self, rows: IntArray) -> "Predictions":
        """Return the chosen rows."""
        given = self.sample_weight
        weights = None if given is None else replace(given, w=given.w[rows])
        facts = taken(self.facts, rows)
        return replace(self, codes=self.codes[rows], scores=self.scores[rows], sample_weight=weights, facts=facts)

    def classwise(self) -> Samples:
        """Return the samples of each class against the rest."""
        return ClassSamples.of(self.classes, self.against_rest, self, self.size)

    def against_rest(self, column: int) -> ScoreSample:
        """Return one class against the rest."""
        return self._sample(self.codes == column, self.scores[:, column], "classwise")

    def confidence(self) -> ScoreSample:
        """Return the largest score of each row, and how often its class is the label."""
        return self.top.sample(self.about)

    def by_predicted(self) -> Samples:
        """Return the confidence of the rows in which each class is predicted, of the classes that are."""
        each = [self.top.of_class(k, self.about) for k in range(len(self.classes))]
        present = [k for k, sample in enumerate(each) if sample.n]
        labels, samples = [self.classes[k] for k in present], [each[k] for k in present]
        return ClassSamples.of(labels, samples.__getitem__, self, self.size, PREDICTED)

    def reduced(self, reduction: str, pos_label: Label | None = None) -> ScoreSample | Samples:
        """Return what a reduction makes of the matrix.

        Parameters
        ----------
        reduction : {"confidence", "classwise", "binary"}
        pos_label : label, optional
            With "binary".
        """
        if reduction == "classwise":
            return self.classwise()
        return self.binary(pos_label) if reduction == "binary" else self.confidence()

    def binary(self, pos_label: Label | None) -> ScoreSample:
        """Return the column of the positive class, of two."""
        if len(self.classes) != 2:
            raise ValueError(
                f"{self.names.y_prob} must have exactly two columns with {self.names.reduction}='binary', got "
                f"{len(self.classes)}"
            )
        positive = chosen_positive(self.classes, pos_label, coded_positive(self.classes), self.names.pos_label)
        column = self.classes.index(positive)
        return self._sample(self.codes == column, self.scores[:, column], "binary")

    @cached_property
    def about(self) -> ClassRows:
        """What is to be known of the rows of probabilities."""
        return ClassRows.of(self.scores, None if self.sample_weight is None else self.sample_weight.w)

    @cached_property
    def top(self) -> TopLabels:
        """The classes that the rows of probabilities predict."""
        return TopLabels(self.scores, self.codes, self.sample_weight, self.facts)

    def _sample(self, labels: NDArray[np.bool_], scores: FloatArray, reduction: str) -> ScoreSample:
        attributes = {"reduction": reduction, "facts": self.facts, "class_rows": self.about}
        return sample_of_columns(labels, scores, self.sample_weight, **attributes)


def read_classes(
    columns: Columns, y_prob: ArrayInput, labels: ArrayInput = None, read: MatrixReader = as_matrix
) -> Predictions:
    """Read a matrix of scores, and match its columns with the classes of the labels.

    Parameters
    ----------
    columns : Columns
        With labels of any type that can be compared.
    y_prob : array-like of shape (n, K)
        Scores in [0, 1], one column per class. Columns that are named after the classes, up to a prefix and a suffix
        that all names share, are read by their names, in whatever order they stand.
    labels : array-like of shape (K,), optional
        The class of each column, also of classes that do not occur; by default what the names of the columns say, or
        else the labels that occur, sorted. Columns that are named after them must stand in their order.
    read : callable, optional
        What makes a matrix and the names of its columns of y_prob, where that may hold other numbers.

    Raises
    ------
    ValueError
        Columns that do not match the classes, or are named otherwise where labels are texts; labels outside `labels`.
    """
    names, y = columns.names, columns.labels
    if count_columns(y_prob) == 1:
        raise ValueError(
            f"{names.y_prob} must be a matrix with a row per prediction and a column per class where {names.reduction} "
            f"is given, got one column; for the scores of one class leave {names.reduction} out"
        )
    scores, headers = read(y_prob, names.y_prob)
    columns.check_length(scores)
    if y.dtype.kind == "f":
        check_finite(y, names.y_true)
    occurring, inverse = coded(y, names.y_true)
    if headers is None and names.columns is not None:
        headers = list(names.columns)
    if labels is None:
        classes = read_class_order(headers, occurring, names.y_prob, names.labels)
    else:
        classes = _named_classes(labels, occurring, names)
    if len(classes) != scores.shape[1]:
        hint = f"{names.y_true}; name the classes of the columns by {names.labels}"
        raise ValueError(
            f"{names.y_prob} must have a column for each class, got {scores.shape[1]} columns and {len(classes)} "
            f"classes in {hint if labels is None else names.labels}"
        )
    check_order(headers, classes, names)
    place = {label: k for k, label in enumerate(classes)}
    codes = np.array([place[label] for label in occurring], dtype=np.intp)[inverse]
    found = Predictions(classes, codes, scores, columns.weights, names, columns.facts)
    warn_of_permutation(codes, found.top.predicted[0], classes, names.y_prob, names.labels)
    return found


def _named_classes(labels: ArrayInput, occurring: list[Label], names: Names) -> list[Label]:
    column = as_column(labels, names.labels)
    classes: list[Any] = column.tolist()
    if len(classes) != len(distinct(column, names.labels)):
        raise ValueError(f"{names.labels} must be distinct, got [{listed(classes)}]")
    known = set(classes)
    unknown = [label for label in occurring if label not in known]
    if unknown:
        raise ValueError(
            f"{names.labels} must list every class in {names.y_true}, got [{listed(classes)}] without "
            f"[{listed(unknown)}]"
        )
    return classes


def check_order(columns: Iterable[str] | None, classes: list[Label], names: Names, *, fitted: bool = False) -> None:
    """Raise ValueError where the columns are named after the classes and stand in another order than they must.

    Where that is the order of a fitted map, the columns must be brought into it; else `names.labels` may say it.
    """
    headers = None if columns is None else list(columns)
    if headers is not None and not in_order_of_names(headers, classes):
        raise ValueError(
            f"{names.y_prob} must have its columns in the order of the classes, [{listed(label_texts(classes))}], got "
            f"[{listed(headers)}]; {'bring them into' if fitted else f'pass {names.labels} in'} that order"
        )


def refuse_pos_label(reduction: str, pos_label: Label | None, names: Names) -> None:
    """Raise ValueError for a positive class where a reduction knows none."""
    if pos_label is not None:
        raise ValueError(f"{names.pos_label} must be None with {names.reduction}={reduction!r}, got {pos_label!r}")
