"""A problem: a distribution of scores, and the true probability of a positive at each score."""

from abc import ABC, abstractmethod
from typing import NamedTuple, TypeAlias

import numpy as np

from fitontest.inputs import as_scores, is_whole
from fitontest.typing import ArrayInput, FloatArray, IntArray

Rng: TypeAlias = int | np.random.Generator | None


class Draw(NamedTuple):
    """Rows of a problem: labels y in {0, 1}, scores p, and the true probabilities c of a positive at the scores."""

    y: IntArray
    p: FloatArray
    c: FloatArray


class Problem(ABC):
    """Base class of the problems.

    A subclass defines `scores_and_truth`, which draws pairs of a score and its true probability, and `truth`, which is
    the true map itself.

    Examples
    --------
    >>> import numpy as np
    >>> from fitontest.datasets import Problem
    >>> class Overconfident(Problem):
    ...     "Uniform scores that should be half as far from one half."
    ...     def scores_and_truth(self, n, rng):
    ...         p = rng.random(n)
    ...         return p, self.truth(p)
    ...     def truth(self, p):
    ...         return 0.25 + 0.5 * np.asarray(p)
    >>> y, p, c = Overconfident().draw(1000, rng=0)
    >>> round(float(abs(p - c).mean()), 2), Overconfident().truth([0.9])
    (0.12, array([0.7]))
    """

    @abstractmethod
    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score."""

    @abstractmethod
    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there."""

    def draw(self, n: int, rng: Rng = 0) -> Draw:
        """Draw n independent rows.

        Parameters
        ----------
        n : int
            Number of rows, at least 1.
        rng : int, numpy Generator or None, default=0
            A seed draws the same rows every time; a generator goes on from where it is; None draws anew.

        Returns
        -------
        Draw
            Labels y (0 or 1), scores p and true probabilities c, each of shape (n,); it unpacks as ``y, p, c``.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        check_size(n)
        generator = _generator(rng)
        p, c = self.scores_and_truth(int(n), generator)
        return Draw((generator.random(int(n)) < c).astype(np.intp), p, c)


def check_size(n: object) -> None:
    """Raise ValueError unless `n` is a whole number of rows, at least 1."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n must be a whole number of rows, at least 1; got {n!r}")


def as_p(p: ArrayInput) -> FloatArray:
    """Return the argument of a true map as scores."""
    return as_scores(p, "p")


def _generator(rng: Rng) -> np.random.Generator:
    if not (rng is None or isinstance(rng, np.random.Generator) or (is_whole(rng) and rng >= 0)):
        raise ValueError(f"rng must be a whole number, at least 0, a numpy Generator or None; got {rng!r}")
    return np.random.default_rng(rng)
