"""A column of scores where several were given and nothing says how they are read.

Of two labels the two columns of ``predict_proba`` hold one number twice, p and 1 - p: the column of the positive class
is read, and a note says which. Anything else needs a reduction.
"""

from dataclasses import replace

import numpy as np

from fitontest.data.arrays import as_matrix, count_columns
from fitontest.data.class_columns import read_class_order
from fitontest.data.class_rows import ADDS_UP
from fitontest.data.columns import Columns, Names
from fitontest.data.labels import chosen_positive, coded_positive, distinct
from fitontest.data.places import BadValueError, such
from fitontest.data.predictions import read_classes
from fitontest.data.sample import changed
from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import ArrayInput, Label

PLACES = ("first", "second")


def check_few_columns(names: Names, count: int, most: int) -> None:
    """Raise ValueError for more columns than are read without a reduction, and say what each reduction asks.

    Parameters
    ----------
    names : Names
        What the caller calls the arguments.
    count, most : int
        Columns that are given, and that may be.
    """
    if count > most:
        raise ValueError(
            f"{names.y_prob} must be one column of scores unless {names.reduction} is given, got {count} columns. "
            f"{names.reduction}='confidence': is the top class right as often as its score says? 'classwise': each "
            "class against the rest"
        )


def column_of_two(columns: Columns, y_prob: ArrayInput, pos_label: Label | None) -> ScoreSample | None:
    """Return the scores of the positive class where y_prob has a column for each of two; None where it is one column.

    Parameters
    ----------
    columns : Columns
    y_prob : array-like of shape (n,) or (n, 2)
    pos_label : label or None

    Raises
    ------
    ValueError
        More than two columns; two that do not add up to 1 in each row; labels of which the columns are not.
    """
    names = columns.names
    count = count_columns(y_prob) or 1
    check_few_columns(names, count, 2)
    if count < 2:
        return None
    matrix, headers = as_matrix(y_prob, names.y_prob)
    sums = matrix.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1.0) > ADDS_UP)
    if bad.size:
        rule = f"be one column of scores, or two that add up to 1 in each row, unless {names.reduction} is given"
        raise BadValueError(
            names.y_prob, rule, f"a sum of {sums[bad[0]]:.6g}", int(bad[0]), sums.shape, such(bad.size, "row")
        )
    classes = _two_classes(distinct(columns.labels, names.y_true), pos_label, names)
    order = read_class_order(headers, classes, names.y_prob, names.labels)
    found = read_classes(columns, y_prob, order, lambda *_: (matrix, headers))
    sample = found.binary(pos_label)
    positive = chosen_positive(classes, pos_label, coded_positive(classes), names.pos_label)
    place = order.index(positive)
    note = f"of the two columns of {names.y_prob} the {PLACES[place]} one is read, that of class {positive!r}"
    return changed(sample, reduction=None, class_rows=replace(sample.class_rows, column=note))


def _two_classes(occurring: list[Label], pos_label: Label | None, names: Names) -> list[Label]:
    """Return the classes in order, of which one alone may occur."""
    if len(occurring) > 2:
        raise ValueError(
            f"{names.y_prob} must have a column for each class, got 2 columns and {len(occurring)} classes"
        )
    known = set(occurring)
    if len(known) < 2 and pos_label is not None:
        known.add(pos_label)
    if len(known) < 2 and coded_positive(occurring) is not None:
        known |= {-1, 1} if -1 in known else {0, 1}
    if len(known) < 2:
        raise ValueError(
            f"{names.y_true} must hold both classes where {names.y_prob} has a column for each, got "
            f"{occurring[0]!r} alone"
        )
    return sorted(known)
