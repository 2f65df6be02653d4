"""Choosing a penalty by cross-validation: held-out log losses of candidates, and the rules that pick one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.numerics.losses import log_loss
from fitontest.results.checks import brief, is_real
from fitontest.results.exceptions import without_warnings
from fitontest.results.progress import track
from fitontest.results.typing import FloatArray, IntArray

MULTIPLES = (10.0, 3.0, 1.0, 0.3, 0.1)  # of the penalties of structured scaling, from the largest

#: From rows and candidates to a map for each.
Path: TypeAlias = Callable[[SimplexSample, Sequence[Any]], Sequence[MulticlassMap]]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out log losses of candidates.

    Attributes
    ----------
    candidates : tuple of length C
    losses : array of shape (n, C)
        -log q_y of each row by the maps that were not fitted to it, q clipped to [1e-6, 1 - 1e-6].
    w : array of shape (n,)
        Weights of the rows.
    whole : bool
        Whether these are counts.
    """

    candidates: tuple[Any, ...]
    losses: FloatArray
    w: FloatArray
    whole: bool = True

    @property
    def mean(self) -> FloatArray:
        """Mean loss of each candidate, nats."""
        return np.asarray(self.w @ self.losses / self.w.sum())

    @property
    def best(self) -> int:
        """Position of the smallest mean loss, the first of equals."""
        return int(self.mean.argmin())

    @property
    def within_one_error(self) -> int:
        """Position of the first candidate that is worse than the best by at most a standard error of the difference."""
        excess = self.losses - self.losses[:, [self.best]]
        mean = self.w @ excess / self.w.sum()
        squares = self.w if self.whole else self.w**2
        error = np.sqrt(squares @ (excess - mean) ** 2) / self.w.sum()
        return int(np.argmax(mean <= error))


def hold_out(path: Path, candidates: Sequence[Any], rows: SimplexSample, folds: Sequence[IntArray]) -> HeldOut:
    """Return the held-out losses of maps fitted to the rows of the other folds.

    Warnings of these fits are suppressed: the fit to all rows warns of the same data.
    """
    losses = np.empty((rows.codes.size, len(candidates)))
    with without_warnings():
        for held in track(folds, "folds"):
            fitted = np.ones(rows.codes.size, dtype=bool)
            fitted[held] = False
            test = rows.take(held)
            for column, c_hat in enumerate(path(rows.take(fitted), candidates)):
                losses[held, column] = log_losses(c_hat, test)
    return HeldOut(tuple(candidates), losses, rows.w, rows.whole)


def log_losses(c_hat: MulticlassMap, rows: SimplexSample) -> FloatArray:
    """Return -log q_y of each row, q clipped to [1e-6, 1 - 1e-6]."""
    q = c_hat.evaluate_log(rows.scores) if rows.logs else c_hat.evaluate(rows.scores)
    return log_loss(rows.codes, q)


def read_penalty(value: object, name: str, *, none: bool = True, cv: bool = True) -> Any:
    """Return a strength of a penalty, a positive number, "cv" or None, or refuse it."""
    if (value is None and none) or (isinstance(value, str) and value == "cv" and cv):
        return value
    if is_real(value) and 0 < value < np.inf:
        return float(value)
    rule = " or ".join(["a positive number", *(['"cv"'] if cv else []), *(["None"] if none else [])])
    raise ValueError(f"{name} must be {rule}, got {brief(value)}")
