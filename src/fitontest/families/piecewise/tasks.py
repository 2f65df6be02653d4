"""What goes into the compiled program and what comes out of it: numpy arrays with one row per fit."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray

Space = Literal["probability", "logit"]
Loss = Literal["log_loss", "brier"]

ROOM = 18  # a map has room for this many segments, or for the next multiple of it that holds them
LIMIT: dict[Space, float] = {"probability": 16.0, "logit": 40.0}  # of the logits of the values
FAR = 1e6  # widths of a segment: how far beyond its ends a point may be, where knots are one float
TINY = 1e-300  # instead of the width of a segment whose ends are one float


class Stop(NamedTuple):
    """When a fit ends: at a step that gains, or promises, no more than `gain` per unit of mass, or after `steps`."""

    gain: float
    steps: int


class Nodes(NamedTuple):
    """Nodes and masses, placed on the device.

    Attributes
    ----------
    arrays : tuple of jax arrays
        Nodes of shape (T, M), in tiles, masses of shape (S, 2, T, M), and how many of the T tiles are in use.
    total : array of shape (S,)
        The mass of each set of rows.
    """

    arrays: tuple[Any, Any, Any]
    total: FloatArray


@dataclass(frozen=True, eq=False)
class Tasks:
    """B fits that differ in their masses, number of bins and starting point.

    Attributes
    ----------
    nodes : Nodes
        Nodes, and for every set of rows the masses there, the pull to the identity included.
    rows : array of shape (B,)
        Which of the sets each fit sees.
    bins : array of shape (B,)
    u, tau : arrays of shape (B, K + 1)
        Where each fit starts: logits of the values at the knots, and the shares at which the knots stand.
    quantiles : array of shape (R,)
        Q at equally spaced shares.
    alpha : float
    moving : bool, default=True
        Whether the knots move, or only the values: for fixed knots the problem is smooth, and convex for the log loss.
    """

    nodes: Nodes
    rows: IntArray
    bins: IntArray
    u: FloatArray
    tau: FloatArray
    quantiles: FloatArray
    alpha: float
    moving: bool = True


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted parameters of B fits.

    Attributes
    ----------
    u, tau : arrays of shape (B, K + 1)
        As in `Tasks`; beyond the last knot they mean nothing.
    value : array of shape (B,)
        The objective.
    steps : array of shape (B,)
        Steps taken, refused ones included.
    left : array of shape (B,)
        What another step could gain per unit of mass: the smaller of what the last step gained and of what the next
        one promised.
    """

    u: FloatArray
    tau: FloatArray
    value: FloatArray
    steps: IntArray
    left: FloatArray

    def take(self, rows: slice | IntArray | BoolArray) -> "Fits":
        """Return the fits of these rows."""
        return Fits(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def stacked(cls, parts: Sequence["Fits"]) -> "Fits":
        """Return the rows of several."""
        return cls(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(cls)))

    def better_of(self, other: "Fits") -> "Fits":
        """Return row by row the fit of lower value, with the steps of both."""
        better = other.value < self.value
        chosen = {
            column.name: np.where(better if a.ndim == 1 else better[:, None], b, a)
            for column in fields(self)
            for a, b in [(getattr(self, column.name), getattr(other, column.name))]
        }
        return Fits(**{**chosen, "steps": self.steps + other.steps})
