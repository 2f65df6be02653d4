"""Several classes as several samples: each class in turn against the rest."""

from collections.abc import Iterator

import numpy as np

from fitontest.inputs import as_column, as_matrix, check_finite
from fitontest.labels import distinct
from fitontest.sample import Sample
from fitontest.typing import ArrayInput, Label


def one_vs_rest(
    y_true: ArrayInput, y_prob: ArrayInput, sample_weight: ArrayInput = None, labels: ArrayInput = None
) -> Iterator[tuple[Label, Sample]]:
    """Yield (class, sample of that class against the rest) for each column of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of any type that can be compared.
    y_prob : array-like of shape (n, K)
        Scores in [0, 1], one column per class. Rows need not add up to 1. The names of a data frame's columns may be
        anything, but names that are the classes must stand in their order.
    sample_weight : array-like of shape (n,), optional
    labels : array-like of shape (K,), optional
        The class of each column; by default the labels that occur, sorted.

    Raises
    ------
    ValueError
        Columns that do not match the classes; labels outside `labels`.
    """
    y, (scores, names) = as_column(y_true, "y_true"), as_matrix(y_prob, "y_prob")
    if y.dtype.kind == "f":
        check_finite(y, "y_true")
    found = distinct(y, "y_true")
    classes = found
    if labels is not None:
        column = as_column(labels, "labels")
        classes = column.tolist()
        if len(classes) != len(distinct(column, "labels")):
            raise ValueError(f"labels must be distinct, got {classes}")
        unknown = [label for label in found if label not in classes]
        if unknown:
            raise ValueError(f"labels must list every class in y_true, got {classes} without {unknown}")
    if len(classes) != scores.shape[1]:
        where = "labels" if labels is not None else "y_true; name the classes of the columns by labels"
        raise ValueError(
            f"y_prob must have a column for each class, got {scores.shape[1]} columns and {len(classes)} classes in "
            f"{where}"
        )
    texts = [str(label) for label in classes]
    if names is not None and names != texts and sorted(names) == sorted(texts):
        raise ValueError(
            f"y_prob must have its columns in the order of the classes, {texts}, got {names}; pass labels in that order"
        )
    for k, label in enumerate(classes):
        yield label, Sample(np.asarray(y == label), scores[:, k], sample_weight)
