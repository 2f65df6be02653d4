"""Evidence against small mean errors: a capital process for "the mean error of every batch is at most delta"."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fitontest.monitoring.batch import Batch
from fitontest.monitoring.fixed_share import SHARE
from fitontest.monitoring.stored_values import read_array, read_each, read_list, read_object, read_text
from fitontest.numerics.log_sums import log_sum_exp
from fitontest.typing import FloatArray

ERRORS = np.concatenate(([0.0], np.geomspace(0.0005, 0.5, 51)))
BETS = np.concatenate(([0.0], np.geomspace(0.003, 0.9, 12)))
PRIOR = np.where(BETS == 0.0, 0.5, 0.5 / (BETS.size - 1))


@dataclass(frozen=True, eq=False)
class ErrorCapital:
    """The capital of bets that the mean error is above each of D values, on the signs of the maps of families.

    Attributes
    ----------
    families : tuple of str
    errors : array of shape (D,)
        The mean errors.
    logs : array of shape (families, D)
        The capital, as a logarithm.
    weights : array of shape (families, D, L)
        Of the bets.
    highest : array of shape (D,)
        The largest mean capital of the families so far, as a logarithm.
    """

    families: tuple[str, ...]
    errors: FloatArray
    logs: FloatArray
    weights: FloatArray
    highest: FloatArray

    @classmethod
    def first(cls, families: tuple[str, ...], max_error: float | None = None) -> "ErrorCapital":
        """Return the capital before the first batch; `max_error` is one of its values."""
        errors = np.unique([*ERRORS, max_error]) if max_error is not None else ERRORS
        weights = np.broadcast_to(PRIOR, (len(families), errors.size, BETS.size))
        return cls(families, errors, np.zeros((len(families), errors.size)), weights, np.zeros(errors.size))

    def after(self, batch: Batch, logits: Mapping[str, FloatArray]) -> "ErrorCapital":
        """Return the capital after a batch, by the sign of what each map says of the scores."""
        bets = BETS / (1.0 + self.errors[:, None])  # (D, L)
        logs, weights = self.logs.copy(), self.weights.copy()
        for k, family in enumerate(self.families):
            sign = np.sign(logits[family] - batch.z)
            positive, negative = sign * (1.0 - batch.p), -sign * batch.p
            factor = np.zeros(bets.shape)
            for gain, rows in ((positive, batch.positives), (negative, batch.negatives)):
                present = rows > 0.0
                above = gain[present] - self.errors[:, None]  # (D, C)
                factor += np.log1p(bets[:, :, None] * above[:, None, :]) @ rows[present]
            mean = log_sum_exp(factor, weights[k])
            logs[k] += mean
            weights[k] = (1.0 - SHARE) * weights[k] * np.exp(factor - mean[:, None]) + SHARE * PRIOR
        total = np.logaddexp.reduce(logs, axis=0) - np.log(len(self.families))
        return replace(self, logs=logs, weights=weights, highest=np.maximum(self.highest, total))

    def log_at(self, max_error: float) -> float:
        """Return the logarithm of the capital against one of the mean errors."""
        at = int(np.flatnonzero(self.errors == max_error)[0])
        return float(np.logaddexp.reduce(self.logs[:, at]) - np.log(len(self.families)))

    def lower_bound(self, alpha: float) -> float:
        """Return the largest mean error that the capital has refuted so far; 0 where none is."""
        refuted = self.errors[self.highest >= -np.log(alpha)]
        return float(refuted.max()) if refuted.size else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the capital as JSON-ready values."""
        arrays = {name: getattr(self, name).tolist() for name in ("errors", "logs", "weights", "highest")}
        return {"families": list(self.families), **arrays}

    @classmethod
    def from_dict(cls, values: object, place: str = "capital") -> "ErrorCapital":
        """Return the capital of values that `to_dict` returned, or refuse them by the name of their place."""
        held = read_object(values, [field.name for field in fields(cls)], place)
        families = tuple(read_each(held["families"], read_text, f"{place}.families"))
        n = len(read_list(held["errors"], f"{place}.errors"))
        shapes = {"errors": (n,), "logs": (len(families), n), "highest": (n,)}
        shapes["weights"] = (len(families), n, BETS.size)
        return cls(
            families, **{name: read_array(held[name], shape, f"{place}.{name}") for name, shape in shapes.items()}
        )
