"""The bettor on the probability of one class being too high or too low."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.bettors.base import Bettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.bettors.of_vectors import VectorRound
from fitontest.typing import FloatArray

SHIFTS = np.array([-1.0, -0.6, -0.3, -0.15, 0.15, 0.3, 0.6, 1.0])  # logits
UNCHANGED = 0.5  # prior weight of no shift


def _prior(n_classes: int) -> FixedShare:
    changed = n_classes * SHIFTS.size
    return FixedShare.of(np.array([UNCHANGED, *[(1.0 - UNCHANGED) / changed] * changed]))


@dataclass(frozen=True, eq=False)
class ClassShiftBettor(Bettor[VectorRound]):
    """Bets on q_k = p_k exp(d [k = j]) / (1 + p_j (exp(d) - 1)), by a mixture over all classes j and eight shifts d.

    That is a shift by d of the logit of class j against the rest, the others keeping their proportions. Of the
    distributions whose classes are all within the tolerance of the scores, the nearest to q is therefore the one that
    has, of class j, the nearest rate to q_j, and of the others the same proportions: by no class does it move farther
    from the scores than by j.

    Attributes
    ----------
    n_classes : int
        K.
    shares : FixedShare of 1 + 8 K weights
        That of no shift, and those of the shifts of each class.
    """

    kind: ClassVar[str] = "class_shift"
    n_classes: int
    shares: FixedShare

    @classmethod
    def first(cls, n_classes: int) -> "ClassShiftBettor":
        """Return the bettor before the first batch."""
        return cls(n_classes, _prior(n_classes))

    def bet(self, turn: VectorRound) -> tuple[float, "ClassShiftBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        gained = np.zeros((SHIFTS.size, self.n_classes))
        for block in turn.batch.blocks(1):
            limits = None if turn.is_exact else turn.null.limits(block.p)
            gained += [_gains(block, limits, shift) for shift in SHIFTS]
        logs = np.concatenate(([0.0], gained.T.ravel()))
        return self.shares.log_mean(logs), replace(self, shares=self.shares.after(logs))

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        return {"kind": self.kind, "n_classes": self.n_classes, "weights": self.shares.weights.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ClassShiftBettor":
        """Return the bettor of a state that `to_dict` returned."""
        n_classes = int(values["n_classes"])
        return cls(n_classes, _prior(n_classes).at(values["weights"]))


def _gains(block: VectorBatch, limits: tuple[FloatArray, FloatArray] | None, shift: float) -> FloatArray:
    """Return the log factor of a shift of each class, shape (K,), beyond the limits of its probability if there are."""
    if limits is not None:
        return _gains_beyond(block, limits, shift)
    labels = np.bincount(block.codes, block.exponents, minlength=block.n_classes)
    return np.asarray(shift * labels - block.exponents @ np.log1p(block.p * np.expm1(shift)))


def _gains_beyond(block: VectorBatch, limits: tuple[FloatArray, FloatArray], shift: float) -> FloatArray:
    """Return log(q_y / p0_y), summed over the rows, p0_j being the rate within the limits that is nearest to q_j."""
    low, high = limits
    among = 1.0 + block.p * np.expm1(shift)
    q, rest = block.p * np.exp(shift) / among, (1.0 - block.p) / among
    of_class = _log_ratio(q, np.clip(q, low, high))
    of_rest = _log_ratio(rest, np.clip(rest, 1.0 - high, 1.0 - low))
    labels = np.bincount(block.codes, block.exponents * block.of_labels(of_class - of_rest), minlength=block.n_classes)
    return np.asarray(labels + block.exponents @ of_rest)


def _log_ratio(q: FloatArray, nearest: FloatArray) -> FloatArray:
    """Return log(q / nearest), 0 where both are 0: no such label has a bet."""
    present = q > 0.0
    return np.log(np.where(present, q, 1.0)) - np.log(np.where(present, nearest, 1.0))
