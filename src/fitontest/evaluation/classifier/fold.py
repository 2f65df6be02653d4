"""A fold: an estimator fitted to the training rows, and its responses on the rows held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.splits import Split
from fitontest.evaluation.classifier.rows import take_parameters, take_part
from fitontest.evaluation.classifier.scores import respond
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Task:
    """What every fold shares: the data, the parameters of the fit, and the response method."""

    X: Any
    y: NDArray[Any]
    parameters: Mapping[str, Any]
    classes: NDArray[Any]
    method: str
    pairwise: bool


@dataclass(frozen=True, eq=False)
class Fold:
    """A fitted estimator and its responses on rows that it was not fitted to.

    Attributes
    ----------
    estimator : estimator
    held : array of int
        The rows held out.
    raw : array of shape (len(held), K)
        The responses, a column for each class.
    columns : array of int or None
        The columns of X that the estimator takes, where X holds similarities.
    """

    estimator: Any
    held: IntArray
    raw: FloatArray
    columns: IntArray | None


def run_fold(estimator: Any, task: Task, split: Split) -> Fold:
    """Fit the estimator, a clone used nowhere else, to the training rows, and get its responses on the others."""
    train, held = split
    columns = train if task.pairwise else None
    parameters = take_parameters(task.parameters, train, task.y.size)
    estimator.fit(take_part(task.X, train, columns), task.y[train], **parameters)
    raw = respond(estimator, take_part(task.X, held, columns), task.method, task.classes)
    return Fold(estimator, held, raw, columns)


def joined(folds: Sequence[Fold], estimator: Any) -> Fold:
    """Return the responses of all folds as if they were those of one estimator, which was fitted to all rows."""
    held, raw = (np.concatenate(columns) for columns in zip(*((fold.held, fold.raw) for fold in folds), strict=True))
    return Fold(estimator, held, raw, None)
