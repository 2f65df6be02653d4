"""Classes that a fold lacks, in the rows its estimator is trained on or in the rows its families are fitted to.

Both have a rule, and the user should know that it was applied: an estimator gives a class that is not among its
rows probability 0, and a family takes such a class as one that does not occur.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.labels import listed
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import IntArray


def warn_absent(classes: NDArray[Any], trained: Sequence[IntArray], fitted: Sequence[IntArray], remedy: str) -> None:
    """Warn once where classes are missing.

    Parameters
    ----------
    classes : array of shape (K,)
    trained, fitted : sequence of int arrays
        The positions of the classes among the training rows of each estimator, among the rows of each calibration.
    remedy : str
        What the user can do.
    """
    messages = [
        _missing(classes, trained, "the training rows", "there the estimator gives them score 0"),
        _missing(classes, fitted, "the calibration rows", "there their families saw no positive label"),
    ]
    present = [message for message in messages if message]
    if present:
        warn_user(f"{'; '.join(present)}. {remedy}", CalibrationWarning)


def _missing(classes: NDArray[Any], present: Sequence[IntArray], where: str, effect: str) -> str:
    lacks = [np.setdiff1d(np.arange(classes.size), rows) for rows in present]
    names = classes[np.unique(np.concatenate(lacks))].tolist() if lacks else []
    if not names:
        return ""
    folds = f" of {sum(lack.size > 0 for lack in lacks)} of {len(lacks)} folds" if len(lacks) > 1 else ""
    return f"classes missing from {where}{folds}: {listed(names)}; {effect}"
