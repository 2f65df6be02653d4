"""The likelihood of lines of the logits, of all batches at once, from few numbers that add up over batches."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.stored.values import read_array, read_each, read_number, read_object
from fitontest.numerics.links import sigmoid
from fitontest.numerics.log_sums import LARGEST, softplus
from fitontest.results.checks import brief, is_whole
from fitontest.results.typing import FloatArray, IntArray

WIDTH = 0.5  # of a panel, in logits
NODES = 12  # in each panel
ROUNDING = 1e-15  # of a row
FARTHEST = 74  # panel: logits are within 36.8
ORDERS = np.arange(NODES)
ANGLES = (ORDERS + 0.5) * np.pi / NODES
AT = -np.cos(ANGLES)  # Chebyshev's nodes in [-1, 1]
TO_NODES = np.cos(ORDERS[:, None] * (np.pi - ANGLES)) * np.where(ORDERS == 0, 1.0, 2.0)[:, None] / NODES


@dataclass(frozen=True, eq=False)
class LineLikelihood:
    """The log likelihood of the lines m + d + b (z - m) of the logits z, at any shift d and slope b.

    It is d P + b Q + m P - sum_i w_i log(1 + exp(m + d + b (z_i - m))), P the positive rows and Q the sum of z - m over
    them. Of the last sum, over all rows, their masses on twelve Chebyshev nodes in each panel of half a logit are kept:
    the weights by which a polynomial through the nodes has the value at z. The polynomial is off by less than 1e-13 a
    row at slopes up to 2, 1e-11 at 3 and 1e-8 at 6, so that masses of any number of batches give what the rows do; see
    `error_at`.

    Attributes
    ----------
    centre : float
        m.
    panels : int array of shape (P,)
        Increasing: panel k has the logits from k / 2 to (k + 1) / 2.
    masses : array of shape (P, 12)
        Of all rows, by their exponents; a mass may be negative.
    positives, moment : float
        P and Q.
    """

    centre: float
    panels: IntArray
    masses: FloatArray
    positives: float
    moment: float

    @classmethod
    def none(cls, centre: float) -> "LineLikelihood":
        """Return the likelihood of no rows."""
        return cls(centre, np.empty(0, dtype=np.int64), np.empty((0, NODES)), 0.0, 0.0)

    def after(self, batch: Batch) -> "LineLikelihood":
        """Return the likelihood of the rows of a batch too; scores of 0 and 1 have no part in it."""
        part = batch.at(batch.uncertain)
        panel = np.floor(part.z / WIDTH).astype(np.int64)
        place = np.clip(2.0 * (part.z / WIDTH - panel) - 1.0, -1.0, 1.0)
        masses = part.total[:, None] * (np.cos(np.arccos(place)[:, None] * ORDERS) @ TO_NODES)
        panels, row = np.unique(np.concatenate((self.panels, panel)), return_inverse=True)
        added = np.zeros((panels.size, NODES))
        np.add.at(added, row, np.concatenate((self.masses, masses)))
        moment = self.moment + float((part.z - self.centre) @ part.positives)
        return LineLikelihood(self.centre, panels, added, self.positives + float(part.positives.sum()), moment)

    @cached_property
    def away(self) -> FloatArray:
        """The logits of the nodes, from the centre."""
        return np.asarray((WIDTH * (self.panels[:, None] + 0.5 * (AT + 1.0))).ravel() - self.centre)

    def log(self, shifts: FloatArray, slopes: FloatArray) -> FloatArray:
        """Return the log likelihood of lines, shape (S, T), at slopes of shape (S,) and shifts of shape (S, T)."""
        level, tilt = self.centre + shifts, slopes[:, None] * self.away
        if max(level.max(), tilt.max(initial=0.0)) < 0.5 * LARGEST:
            odds = np.exp(level)[:, :, None] * np.exp(tilt)[:, None, :]  # a third of the time of sums in the exponent
            odds += 1.0
            every = np.log(odds, out=odds) @ self.masses.ravel()
        else:
            every = softplus(level[:, :, None] + tilt[:, None, :]) @ self.masses.ravel()
        return np.asarray(self.positives * level + self.moment * slopes[:, None] - every)

    def error_at(self, slope: float) -> float:
        """Return by how much the log likelihood of lines of a slope may be off, for all rows.

        A polynomial through 12 Chebyshev nodes is off by the power -12 of the size of the ellipse, about the panel, in
        which log(1 + exp(x)) has no singularity: the nearest ones are at pi and -pi on the imaginary axis.
        """
        away = np.pi / (0.5 * WIDTH * slope)
        return float(self.masses.sum() * ((away + np.hypot(1.0, away)) ** -NODES + ROUNDING))

    def derivatives(self, lines: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the log likelihood of lines, shape (L,), its gradients, (L, 2), and its second derivatives, (L, 2, 2).

        Parameters
        ----------
        lines : array of shape (L, 2)
            Shift and slope of each.
        """
        z = self.centre + lines[:, :1] + lines[:, 1:] * self.away
        rates = sigmoid(z)
        expected, information = rates @ self._powers[:, :2], (rates * (1.0 - rates)) @ self._powers
        likelihood = self.positives * (self.centre + lines[:, 0]) + self.moment * lines[:, 1]
        likelihood -= softplus(z) @ self._powers[:, 0]
        gradient = np.array([self.positives, self.moment]) - expected
        return likelihood, gradient, -information[:, [[0, 1], [1, 2]]]

    @cached_property
    def _powers(self) -> FloatArray:
        """The masses times 1, the distance from the centre and its square, shape (12 P, 3)."""
        return np.asarray(self.masses.reshape(-1, 1) * self.away[:, None] ** np.arange(3))

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return what the stored values are called."""
        return tuple(field.name for field in fields(cls))

    def to_dict(self) -> dict[str, Any]:
        """Return the likelihood as JSON-ready values."""
        arrays = {name: getattr(self, name).tolist() for name in ("panels", "masses")}
        return {"centre": self.centre, **arrays, "positives": self.positives, "moment": self.moment}

    @classmethod
    def from_dict(cls, values: object, place: str = "likelihood") -> "LineLikelihood":
        """Return the likelihood of values that `to_dict` returned, or refuse them by the name of their place."""
        held = read_object(values, cls.names(), place)
        panels = read_each(held["panels"], read_panel, f"{place}.panels")
        if sorted(set(panels)) != panels:
            raise ValueError(f"{place}.panels must increase, got {brief(panels)}")
        masses = read_array(held["masses"], (len(panels), NODES), f"{place}.masses")
        centre, positives, moment = (
            read_number(held[name], f"{place}.{name}") for name in ("centre", "positives", "moment")
        )
        return cls(centre, np.array(panels, dtype=np.int64), masses, positives, moment)


def read_panel(value: object, place: str) -> int:
    """Return the number of a panel."""
    if not is_whole(value) or abs(value) > FARTHEST:
        raise ValueError(f"{place} must be a whole number from {-FARTHEST} to {FARTHEST}, got {brief(value)}")
    return int(value)
