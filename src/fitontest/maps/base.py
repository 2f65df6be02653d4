"""A calibration map: a value that is a function c_hat from [0, 1] to the calibrated probability.

A map is frozen, vectorised, total on [0, 1], and can be written as plain JSON and read back bit by bit. Families
make maps; a map holds nothing of its fit.
"""

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

import numpy as np

from fitontest.checks import brief, is_real
from fitontest.data.arrays import as_numbers, as_probabilities, check_finite
from fitontest.data.sample import Sample
from fitontest.maps.stored import KINDS, StoredMap
from fitontest.numerics.distances import Distances
from fitontest.partitions.partition import Partition
from fitontest.typing import ArrayInput, FloatArray

M = TypeVar("M", bound=StoredMap)


class CalibrationMap(StoredMap):
    """Base of all calibration maps; subclasses are frozen dataclasses of floats, arrays and partitions.

    A subclass names its ``kind``, lists its fields and defines ``evaluate``; the decorator ``register_map`` lets
    `from_dict` read what `to_dict` wrote. Calling a map with scores checks that they lie in [0, 1] and returns an
    array of the same shape (a float for a single score).

    A wrong sign in a file would turn the scores round. So a map whose parameters can do that says in `decreasing`
    whether they do, and its JSON says ``"decreasing": true`` then: to read a decreasing map without it is refused, and
    so is the word beside numbers that do not decrease. They are the logistic map (slope < 0) and the beta map (a < 0
    or b < 0). Maps that list their values, at knots, jumps or in bins, are never flagged.

    Raises
    ------
    ValueError
        When called with scores that are not numbers in [0, 1].

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import fitontest as fot
    >>> @dataclass(frozen=True, eq=False)
    ... class Power(fot.CalibrationMap):
    ...     kind: ClassVar[str] = "power"
    ...     exponent: float
    ...     def evaluate(self, p):
    ...         return p**self.exponent
    >>> Power(2.0)([0.5, 1.0]), Power(2.0).to_dict()
    (array([0.25, 1.  ]), {'schema': 2, 'kind': 'power', 'exponent': 2.0})
    """

    kind: ClassVar[str]

    def __call__(self, p: ArrayInput) -> FloatArray:
        """Return c_hat(p)."""
        scores = as_probabilities(p, "p")
        values = self.evaluate(scores)
        return values if scores.ndim else values[()]

    @abstractmethod
    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return c_hat(p) for float64 scores that are known to lie in [0, 1]."""

    @property
    def partition(self) -> Partition | None:
        """Bins on which the map is one straight line, where it is made of such bins."""
        return None

    @property
    def shifts_bins(self) -> bool:
        """Whether the map moves all scores of a bin of `partition` by the same amount, as bins of slope 1 do."""
        return False

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values may lie outside [0, 1], as those of bins of slope 1 do."""
        return self.shifts_bins

    def distances(self, sample: Sample) -> Distances:
        """Return |c_hat(p_i) - p_i| of every row of the sample, or one entry for rows that are equally far."""
        return Distances(np.abs(self.evaluate(sample.p) - sample.p), sample.w, sample.w2)

    @property
    def kinks(self) -> FloatArray:
        """Scores at which a map bends or jumps, in increasing order, so that a drawing can include them."""
        return np.empty(0)


def register_map(cls: type[M]) -> type[M]:
    """Make a map class known to ``from_dict`` of `CalibrationMap` and `MulticlassMap` under its ``kind``.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.CalibrationMap.from_dict({"schema": 2, "kind": "identity"})  # IdentityMap is registered
    IdentityMap()
    """
    KINDS.register(cls.kind)(cls)
    return cls


def frozen_array(values: ArrayInput, name: str) -> FloatArray:
    """Return a read-only float64 copy of a column of finite numbers, or refuse it."""
    array = np.array(as_numbers(values, name), dtype=np.float64)
    check_finite(array, name)
    array.flags.writeable = False
    return array


def finite_number(value: Any, name: str) -> float:
    """Return a parameter of a map as a float, or refuse it."""
    if not (is_real(value) and -1e308 < value < 1e308):
        raise ValueError(f"{name} must be a finite number, got {brief(value)}")
    return float(value)


def clipping(value: Any, name: str) -> float:
    """Return the distance from 0 and 1 at which a map clips scores, or refuse it."""
    if not 0 < finite_number(value, name) < 0.5:
        raise ValueError(f"{name} must be a number in (0, 0.5), got {brief(value)}")
    return float(value)
