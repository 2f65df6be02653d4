"""Proper losses per row: what a cross-validation minimises when it chooses a hyper-parameter.

Both take a label y in {0, 1} and a prediction q and are smallest in expectation when q is the true probability.
"""

import numpy as np

from fitontest.checks import choose
from fitontest.typing import FloatArray, RowLoss

LOG_LOSS_EPS = 1e-6  # predictions are clipped to [1e-6, 1 - 1e-6]: one confident error must not decide alone


def brier(y: FloatArray, q: FloatArray) -> FloatArray:
    """Return the squared error (y - q)^2 of each row."""
    residual = y - q
    return residual * residual


def log_loss(y: FloatArray, q: FloatArray, eps: float = LOG_LOSS_EPS) -> FloatArray:
    """Return -log q where y = 1 and -log(1 - q) where y = 0, with q clipped to [eps, 1 - eps]."""
    q = np.clip(q, eps, 1.0 - eps)
    return -np.where(y > 0.5, np.log(q), np.log1p(-q))


LOSSES: dict[str, RowLoss] = {"brier": brier, "log_loss": log_loss}
LOSS_NAMES = {"brier": "Brier score", "log_loss": "log loss"}


def find_loss(name: str, argument: str = "scoring") -> RowLoss:
    """Return the loss called `name`."""
    return LOSSES[choose(name, LOSSES, argument)]
