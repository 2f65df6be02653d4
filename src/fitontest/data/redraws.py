"""Where labels are redrawn: points, the truths that labels are drawn from, and a measure's values of these labels.

Each row has a uniform number, and all truths see the same numbers, so that truths can be compared. Numbers come from
the seed and are made anew where they are needed: no more than a few labellings are in memory at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeAlias

import numpy as np

from fitontest.results.exceptions import NoValueError, without_warnings
from fitontest.results.progress import track
from fitontest.results.typing import FloatArray, RandomState

CHAIN = 0  # the stream of random numbers of intervals
NULL = 1  # that of nulls
STILL = 1e-6  # mean distance of a direction that goes nowhere
SHIFT = 0.1  # of the logit, instead

#: Several labellings of the same points: of scores the numbers of positives, an int array of shape (m, B); of
#: distributions a sequence of `Labelling`.
Labels: TypeAlias = Any


class Valued(Protocol):
    """What is computed of redrawn labels: a measure, as far as it is known here."""

    def values(self, redraws: Any, labels: Labels) -> FloatArray:
        """Return the values of several labellings."""

    def estimate(self, sample: Any) -> Any:
        """Return the estimate of a sample, which has a `value`."""


def value_or_nan(measure: Valued, sample: Any) -> float:
    """Return the value of a measure, or NaN where it has none for these labels."""
    try:
        return float(measure.estimate(sample).value)
    except NoValueError:
        return float("nan")


class Redraws(ABC):
    """The points of a sample, whose labels are redrawn: sorted scores, or distributions over classes.

    Attributes
    ----------
    points : array of shape (m,) or (m, K)
        Scores or distributions.
    sample : ScoreSample or SimplexSample
        The points with their weights; its labels mean nothing.
    observed : tuple of Redraws and labels
        The points that the real labels are of, and these labels.
    block_size : int
        How many labellings are drawn together.
    degrees : float
        Degrees of freedom that the data leave for how much values vary: of rows that belong together the groups less
        one, infinite of independent rows.
    """

    points: FloatArray
    sample: Any
    observed: tuple["Redraws", Labels]
    block_size: int
    degrees: float = np.inf

    @property
    def chain_stream(self) -> tuple[int, ...]:
        """The stream of random numbers of intervals; other data have other numbers, where that is needed."""
        return (CHAIN,)

    @abstractmethod
    def draw(self, truths: Sequence[FloatArray], block: range, seed: Sequence[int], known: int = 0) -> Iterator[Labels]:
        """Yield the labellings of a block, of one truth after the other.

        Parameters
        ----------
        truths : sequence of arrays of the shape of the points
            True probabilities.
        block : range
            Of `blocks`.
        seed : sequence of int
            What the numbers are made of, with the place of the block.
        known : int, default=0
            How many of the first truths have been drawn already: theirs are not yielded again.
        """

    def joined(self, labels: Sequence[Labels]) -> Labels:
        """Return labellings of several truths as those of one."""
        return [labelling for of_truth in labels for labelling in of_truth]

    @abstractmethod
    def samples(self, labels: Labels) -> Iterator[Any]:
        """Yield the sample of each labelling."""

    @abstractmethod
    def truth(self, g: FloatArray, length: float) -> FloatArray:
        """Return the truth so far on the way from the points to g: length 0 is at the points, 1 at g."""

    @abstractmethod
    def moved(self, g: FloatArray) -> FloatArray:
        """Return a direction, or where it goes nowhere a shift of the logits."""

    def blocks(self, draws: int | range) -> list[range]:
        """Return which labellings are drawn together; a range of draws goes on after others."""
        draws = range(draws) if isinstance(draws, int | np.integer) else draws
        return [draws[at : at + self.block_size] for at in range(0, len(draws), self.block_size)]

    def observed_sample(self) -> Any:
        """Return the sample of the real labels, in an order that does not tell in which order its rows came."""
        points, labels = self.observed
        return next(iter(points.samples(labels)))

    def values(
        self, measure: Valued, truths: Sequence[FloatArray], draws: int | range, seed: Sequence[int], known: int = 0
    ) -> list[FloatArray]:
        """Return the values of a measure under each truth but the first `known`, with the same random numbers."""
        values: list[list[FloatArray]] = [[] for _ in truths[known:]]
        for block in track(self.blocks(draws), "draws"):
            together = max(1, self.block_size // len(block))  # few draws of several truths are fitted at once
            places, drawn = iter(values), self.draw(truths, block, seed, known)
            while some := list(islice(drawn, together)):
                with without_warnings():  # of the real labels the user has been warned
                    found = measure.values(self, self.joined(some))
                for of_truth, part in zip(islice(places, len(some)), np.split(found, len(some)), strict=True):
                    of_truth.append(part)
        return [np.concatenate(of_truth) for of_truth in values]

    @abstractmethod
    def null_values(self, measure: Valued, draws: int, random_state: RandomState) -> FloatArray:
        """Return the values of a measure for labels drawn from the points themselves."""
