"""A sample: rows that keep what is known of them, of one score or of a distribution over several classes each.

Measures, families, redrawn labels and comparisons take samples. What differs between a score and a distribution is
behind the members of this class, so that nothing above asks which kind it holds.
"""

from abc import ABC, abstractmethod
from typing import Self

from fitontest.data.weights import Weighting, Weights
from fitontest.typing import BoolArray, FloatArray, IntArray, Label


class Sample(ABC):
    """Checked rows: predictions, labels and weights, and whatever else is known of each row.

    Attributes
    ----------
    classes : list or None
        The class of each column of a distribution; None of one score.
    n : int
        Rows of positive weight.
    total : float
        Sum of the weights.
    w, w2 : arrays of shape (m,)
        Weights and squared weights; of whole weights, which count rows, both are the weights.
    unit, whole : bool
        Whether all weights are one, whether they count rows.
    base_rate : float or None
        Weighted share of positives; None: several classes have no base rate.
    decided : bool
        Whether all predictions are 0 or 1: decisions, not probabilities.
    """

    classes: list[Label] | None
    n: int
    total: float
    unit: bool
    whole: bool

    @property
    @abstractmethod
    def weights(self) -> Weights | None:
        """The weights with their meaning; None where all are one."""

    @property
    @abstractmethod
    def weighting(self) -> Weighting | None:
        """What the weights were taken for; None of rows of weight one."""

    @property
    @abstractmethod
    def rows_note(self) -> str:
        """What must be known of the rows where something is concluded from them, or ""."""

    @abstractmethod
    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return the chosen rows."""

    @abstractmethod
    def rescored(self, p: FloatArray) -> Self:
        """Return the same rows with other predictions."""
