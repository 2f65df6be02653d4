"""Reading the scores of several models for the same labels: samples by model, which share rows, labels and weights."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fitontest.data.arrays import as_real_matrix
from fitontest.data.cells.frame_rows import columns_by_name
from fitontest.data.class_columns import classes_by_name
from fitontest.data.class_rows import ADDS_UP, MOST
from fitontest.data.columns import NAMES, Names
from fitontest.data.labels import as_labels, distinct
from fitontest.data.reading.read import READ, read
from fitontest.data.samples import Samples
from fitontest.results.checks import brief
from fitontest.results.several import MODEL


def is_of_models(y_prob: object, prob: object = None) -> bool:
    """Return whether scores, or the columns of scores, are those of several models by their names."""
    return isinstance(y_prob, Mapping) or isinstance(prob, Mapping)


def by_model(y_true: Any, y_prob: Any, reduction: str | None = None) -> Any:
    """Return the scores of several models by their names where a data frame has a column for each, and others as given.

    A frame has a column for each model where labels are of at most two classes, columns have names, which are not those
    of the classes, and most rows do not add up to 1, as probabilities of classes do.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_prob : object
        What a user gave as scores.
    reduction : str, optional
        With one the columns are those of classes.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"tree": [0.2, 0.7, 0.6], "forest": [0.1, 0.8, 0.7]})
    >>> {name: column.tolist() for name, column in by_model([0, 1, 1], frame).items()}
    {'tree': [0.2, 0.7, 0.6], 'forest': [0.1, 0.8, 0.7]}
    """
    if reduction is not None or isinstance(y_true, (*READ, str, Path)):
        return y_prob
    columns = columns_by_name(y_prob)
    if columns is None or len(columns) < 2:
        return y_prob
    matrix, names = as_real_matrix(y_prob, NAMES.y_prob)
    classes = distinct(as_labels(y_true, NAMES.y_true), NAMES.y_true)
    if names is None or len(classes) > 2 or classes_by_name(names, classes) is not None:
        return y_prob
    are_of_classes = np.mean(np.abs(matrix.sum(axis=1) - 1.0) <= ADDS_UP) >= 1.0 - MOST
    return y_prob if are_of_classes else columns


def read_models(y_true: Any, y_prob: Any = None, *, prob: Any = None, names: Names = NAMES, **options: Any) -> Samples:
    """Return the samples of several models, by their names.

    Parameters
    ----------
    y_true : array-like of shape (n,), or data frame or file
        The labels, which the models share.
    y_prob : dict of array-like, optional
        The scores of each model, as `read` takes those of one.
    prob : dict of str or of list of str, optional
        Of a frame or file the columns of scores of each model, in place of `y_prob`.
    names : Names
        What the caller calls the arguments, for error messages.
    **options
        Further arguments of `read`, which the models share.

    Returns
    -------
    Samples
        Of kind "model"; each is what `read` makes of that model's scores.

    Raises
    ------
    ValueError
        No model, a name that is no text, and what `read` refuses, with the name of the model.

    Examples
    --------
    >>> samples = read_models([0, 1, 1], {"tree": [0.2, 0.7, 0.6], "forest": [0.1, 0.8, 0.7]})
    >>> samples.kind, list(samples), samples["forest"].p.tolist(), samples.n
    ('model', ['tree', 'forest'], [0.1, 0.8, 0.7], 3)
    """
    models = y_prob if prob is None else prob
    argument = names.y_prob if prob is None else "prob"
    if not models:
        raise ValueError(f"{argument} must hold the scores of at least one model, got an empty dict")
    for name in models:
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"{argument} must have names of models as keys, texts that are not empty; got {brief(name)}"
            )
    each = []
    for name, scores in models.items():
        called = replace(names, y_prob=f"{argument}[{name!r}]")
        given = {"y_prob": scores} if prob is None else {"prob": scores}
        each.append(read(y_true, names=called, **given, **options))
    return Samples(list(models), each.__getitem__, MODEL, each[0], each[0].size, "model")
