"""Losses of every candidate on the same rows, as pairs need them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fitontest.comparison.held_out import Judging
from fitontest.comparison.paired import Difference, difference
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Scores:
    """The loss of each judging row under each candidate; `parameters` break ties between equal means."""

    judging: Judging
    losses: Mapping[str, FloatArray]
    parameters: Mapping[str, float]

    @cached_property
    def means(self) -> dict[str, float]:
        """Mean loss of each candidate."""
        return {name: self.judging.mean(losses) for name, losses in self.losses.items()}

    @cached_property
    def best(self) -> str:
        """The candidate of the smallest mean loss: the oracle, where the rows are a test set."""
        return min(self.means, key=lambda name: (self.means[name], self.parameters[name]))

    def against(self, name: str, other: str) -> Difference:
        """Return how much larger the loss of the first candidate is."""
        return difference(self.losses[name], self.losses[other], self.judging)
