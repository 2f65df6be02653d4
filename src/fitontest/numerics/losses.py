"""Proper losses per row, of any number of classes: what a cross-validation minimises when it chooses a hyper-parameter.

Both take labels y and predictions q and are smallest in expectation when q is the true probability. The shape of q says
of how many classes they are: that of y, with labels in {0, 1} and scores of the positive class; or with one axis more,
(n, K), with codes 0, ..., K - 1 and distributions. The Brier score is (y - q)^2 of a score, and of a distribution the
sum of (q_k - [y = k])^2, which for two classes is twice as large. The log loss is -ln q_y in nats, with q_y clipped.
"""

from typing import cast

import numpy as np

from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray, IntArray, RowLoss

LOG_LOSS_EPS = 1e-6  # predictions are clipped to [1e-6, 1 - 1e-6]: one confident error must not decide alone


def brier(y: FloatArray | IntArray, q: FloatArray) -> FloatArray:
    """Return the squared error of each row."""
    if q.ndim == y.ndim:
        residual = y - q
        return np.asarray(residual * residual)
    return np.asarray(np.einsum("ik,ik->i", q, q) - 2.0 * _of_own_class(y, q) + 1.0)


def log_loss(y: FloatArray | IntArray, q: FloatArray, eps: float = LOG_LOSS_EPS) -> FloatArray:
    """Return -ln of the probability of each row's label, with q clipped to [eps, 1 - eps]."""
    if q.ndim == y.ndim:
        q = np.clip(q, eps, 1.0 - eps)
        return -np.where(y > 0.5, np.log(q), np.log1p(-q))
    return np.asarray(-np.log(np.clip(_of_own_class(y, q), eps, 1.0 - eps)))


def _of_own_class(codes: FloatArray | IntArray, q: FloatArray) -> FloatArray:
    return np.take_along_axis(q, cast(IntArray, codes)[:, None], axis=1)[:, 0]


LOSSES: dict[str, RowLoss] = {"brier": brier, "log_loss": log_loss}
LOSS_NAMES = {"brier": "Brier score", "log_loss": "log loss"}
OF_ALL_CLASSES = "The Brier score of a distribution is the sum over the classes: of two classes twice that of a score."


def note_on_loss(name: str, reduction: str | None) -> str:
    """Return what must be known to read the values of a loss, or "".

    Parameters
    ----------
    name : {"brier", "log_loss"}
    reduction : str or None
        How predictions were read.
    """
    return OF_ALL_CLASSES if name == "brier" and reduction == "canonical" else ""


def find_loss(name: object, argument: str = "scoring") -> RowLoss:
    """Return the loss called `name`."""
    return LOSSES[choose(name, LOSSES, argument)]
