"""Reading class labels: which of two values is the positive one.

The convention is scikit-learn's. Labels {0, 1}, {-1, 1} and booleans need no hint: 1 (True) is positive. For any
other two values, strings included, the user names the positive one by `pos_label`; nothing is guessed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column, blocks, check_finite, span
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, IntArray, Label

SHOWN = 6  # labels listed in a message


class ManyClassesError(ValueError):
    """Labels of more than two classes where two are read, which a reduction or `pos_label` may tell how to read."""


def as_labels(values: ArrayInput, name: str) -> NDArray[Any]:
    """Return labels as a column, see `fitontest.data.arrays.as_column`; a refused matrix is told what it may be.

    Examples
    --------
    >>> as_labels([[1, 0], [0, 1]], "y_true")
    Traceback (most recent call last):
        ...
    ValueError: y_true must be one-dimensional, got an array of shape (2, 2); of one-hot rows argmax(axis=1) ...
    """
    return as_column(values, name, _hint_of_labels)


def _hint_of_labels(matrix: NDArray[Any]) -> str:
    """Return what to do with a matrix of labels, or "" where it holds anything but 0 and 1."""
    if matrix.dtype.kind not in "buif" or not bool(np.all((matrix == 0) | (matrix == 1))):
        return ""
    if bool(np.all(matrix.sum(axis=1) == 1)):
        return "of one-hot rows argmax(axis=1) makes labels, the number of a column in each"
    return (
        "rows of several labels, or of none, are as many problems of two classes as there are columns: make a dict of "
        f"samples, one for each, as in {{k: fot.read(y[:, k], p[:, k]) for k in range({matrix.shape[1]})}}"
    )


def is_binary_coded(labels: NDArray[Any]) -> bool:
    """Return whether every label is exactly 0 or 1 (or a boolean), looking at each value once."""
    kind = labels.dtype.kind
    if kind == "b":
        return True
    if kind in "ui":
        low, high = span(labels)
        return bool(low >= 0 and high <= 1)
    if kind == "f":
        return all(bool(np.all((block == 0) | (block == 1))) for block in blocks(labels))
    return False


def code_labels(labels: NDArray[Any], name: str, pos_label: Label | None) -> NDArray[Any]:
    """Return labels that are 0 or 1, in a real dtype; float64 is made of them where it is needed.

    Parameters
    ----------
    labels : array of shape (n,)
        Anything with at most two distinct values.
    name : str
        Argument name for error messages.
    pos_label : bool, int, float or str, optional
        The value that counts as positive.

    Raises
    ------
    ValueError
        More than two classes; two classes of which none is named positive; missing values.
    """
    y, classes = read_labels(labels, name, pos_label)
    if len(classes) > 2:
        raise ManyClassesError(f"{name} must have at most two classes, got {len(classes)}: {listed(classes)}")
    return y


def read_labels(labels: NDArray[Any], name: str, pos_label: Label | None) -> tuple[NDArray[Any], list[Any]]:
    """Return labels that are 0 or 1, and the classes; more than two are read as one, `pos_label`, against the rest.

    Parameters
    ----------
    labels, name, pos_label
        As for `code_labels`. No classes are returned of labels that are 0 and 1 already.

    Raises
    ------
    ValueError
        Several classes of which none is named positive, or another; missing values.

    Examples
    --------
    >>> read_labels(np.array(["win", "draw", "loss"]), "y_true", "win")
    (array([ True, False, False]), ['draw', 'loss', 'win'])
    """
    if pos_label is None and is_binary_coded(labels):
        return labels, []
    if labels.dtype.kind == "f":
        check_finite(labels, name)
    classes = distinct(labels, name)
    if len(classes) > 2 and pos_label is None:
        raise ManyClassesError(f"{name} must have at most two classes, got {len(classes)}: {listed(classes)}")
    if pos_label is None:
        pos_label = coded_positive(classes)
        if pos_label is None:
            raise ValueError(
                f"{name} must be labelled 0 and 1, -1 and 1, or False and True unless pos_label says which class is "
                f"positive; got the classes [{listed(classes)}]"
            )
    elif len(classes) >= 2 and pos_label not in classes:
        raise ValueError(f"pos_label must be one of the labels in {name}, [{listed(classes)}]; got {brief(pos_label)}")
    return np.asarray(labels == pos_label), classes


def listed(labels: list[Any]) -> str:
    """Return the first labels for a message, and dots where there are more."""
    return ", ".join(map(brief, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")


def distinct(labels: NDArray[Any], name: str) -> list[Any]:
    """Return the distinct labels in order, as Python values."""
    with _of_one_type(labels, name):
        return list(np.unique(labels).tolist())


def coded(labels: NDArray[Any], name: str) -> tuple[list[Any], IntArray]:
    """Return the distinct labels in order, as Python values, and the place of each row's label among them."""
    if labels.dtype.kind in "ui" and labels.size:
        low, high = (int(end) for end in span(labels))
        if max(high - low, abs(low)) < labels.size:
            return _counted(labels, low)
    with _of_one_type(labels, name):
        classes, inverse = np.unique(labels, return_inverse=True)
        return list(classes.tolist()), inverse


def _counted(labels: NDArray[Any], low: int) -> tuple[list[Any], IntArray]:
    """Return the same of whole numbers no further apart than there are rows: counting takes no sort."""
    above = labels.astype(np.intp)
    above -= low
    occurs = np.bincount(above) > 0
    return (np.flatnonzero(occurs) + low).tolist(), (np.cumsum(occurs) - 1)[above]


@contextmanager
def _of_one_type(labels: NDArray[Any], name: str) -> Iterator[None]:
    """Raise a ValueError that names the argument where labels cannot be put in order."""
    try:
        yield
    except TypeError:
        types = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"{name} must have labels of one type, got a mix of {', '.join(types)}") from None


def coded_positive(classes: list[Any]) -> Label | None:
    """Return the positive class of labels that need no hint, 1, or None for all others.

    They are 0 and 1, -1 and 1, False and True, or one of the two alone.
    """
    numbers = all(isinstance(label, int | float) for label in classes)
    return 1 if numbers and (set(classes) <= {0, 1} or set(classes) <= {-1, 1}) else None


def chosen_positive(
    classes: list[Any], pos_label: Label | None, default: Label | None, argument: str = "pos_label"
) -> Label:
    """Return the positive one of the classes: the one named, or else the default; `argument` is what it is called."""
    positive = default if pos_label is None else pos_label
    if positive is None:
        raise ValueError(
            f"{argument} must say which class is positive unless the classes are 0 and 1, -1 and 1, or False and "
            f"True; got [{listed(classes)}]"
        )
    if positive not in classes:
        raise ValueError(f"{argument} must be one of the classes [{listed(classes)}], got {brief(pos_label)}")
    return positive
