"""A problem: a distribution of scores, and the true probability of a positive at each score."""

from abc import ABC, abstractmethod
from typing import NamedTuple, TypeAlias

import numpy as np

from fitontest.data.arrays import as_scores
from fitontest.numerics.random import numpy_generator
from fitontest.results.checks import is_whole
from fitontest.results.typing import ArrayInput, FloatArray, IntArray

Seed: TypeAlias = int | np.random.Generator | None


class Draw(NamedTuple):
    """Simulated rows whose true probabilities are known.

    Labels y in {0, 1}, scores p, and the true probabilities c of a positive at the scores.

    Attributes
    ----------
    y : int array of shape (n,)
        Labels, 0 or 1.
    p : array of shape (n,)
        Scores in [0, 1].
    c : array of shape (n,)
        The true probability of a positive at each score, in [0, 1].

    Examples
    --------
    >>> from fitontest.datasets import Derivate
    >>> draw = Derivate("square", 0.1).draw(100, random_state=0)
    >>> draw.y.shape, sorted({*draw.y.tolist()}), draw._fields
    ((100,), [0, 1], ('y', 'p', 'c'))
    """

    y: IntArray
    p: FloatArray
    c: FloatArray


class Problem(ABC):
    """Base class of simulated problems, whose true probabilities are known.

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
    >>> y, p, c = Overconfident().draw(1000, random_state=0)
    >>> round(float(abs(p - c).mean()), 2), Overconfident().truth([0.9])
    (0.12, array([0.7]))
    """

    @abstractmethod
    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score.

        Parameters
        ----------
        p : array-like of shape (n,)
            Scores in [0, 1].

        Returns
        -------
        c : array of shape (n,)
            Probabilities in [0, 1].

        Raises
        ------
        ValueError
            Scores that are no numbers in [0, 1].
        """

    @abstractmethod
    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there.

        Parameters
        ----------
        n : int
            Number of rows, at least 1.
        rng : numpy Generator
            Where the random numbers come from.

        Returns
        -------
        p, c : arrays of shape (n,)
            Scores and true probabilities, both in [0, 1].
        """

    def draw(self, n: int, random_state: Seed = 0) -> Draw:
        """Draw n independent rows.

        Parameters
        ----------
        n : int
            Number of rows, at least 1.
        random_state : int, numpy Generator or None, default=0
            A seed draws the same rows every time, with one version of numpy; a generator goes on from where it is;
            None draws anew.

        Returns
        -------
        Draw
            Labels y (0 or 1), scores p and true probabilities c, each of shape (n,); it unpacks as ``y, p, c``.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found; also where a subclass draws no scores or probabilities.
        """
        check_size(n)
        generator = numpy_generator(random_state)
        drawn = self.scores_and_truth(int(n), generator)
        p, c = (as_scores(column, name) for column, name in zip(drawn, ("p", "c"), strict=True))
        if not p.size == c.size == n:
            raise ValueError(f"scores_and_truth must return n = {n} scores and truths, got {p.size} and {c.size}")
        return Draw((generator.random(int(n)) < c).astype(np.intp), p, c)


def check_size(n: object) -> None:
    """Raise ValueError unless `n` is a whole number of rows, at least 1."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n must be a whole number of rows, at least 1; got {n!r}")


def as_p(p: ArrayInput) -> FloatArray:
    """Return the argument of a true map as scores."""
    return as_scores(p, "p")
