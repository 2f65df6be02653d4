"""A problem put together of any distribution of scores and any true map."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from fitontest.data.arrays import as_scores, check_same_length
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.simulation.problem import Problem, as_p


@dataclass(frozen=True)
class Planted(Problem):
    """Simulated labels for scores and true probabilities of your own.

    Parameters
    ----------
    sampler : callable
        ``sampler(rng, n)`` returns n scores in [0, 1] drawn with the numpy Generator `rng`.
    map : callable
        ``map(p)`` returns the true probability of a positive at each score, in [0, 1]; a `CalibrationMap` will do.

    Raises
    ------
    ValueError
        If one of the two is no function; when drawn, if scores or probabilities are outside [0, 1], or not n of them.

    Notes
    -----
    It pickles only if both functions do, which lambdas do not.

    Examples
    --------
    Calibrated scores, most of them small:

    >>> from fitontest.datasets import Planted
    >>> problem = Planted(lambda rng, n: rng.beta(0.5, 2, n), lambda p: p)
    >>> y, p, c = problem.draw(100_000, random_state=0)
    >>> round(float(y.mean()), 2), float(abs(p - c).max())
    (0.2, 0.0)
    """

    sampler: Callable[[np.random.Generator, int], ArrayInput]
    map: Callable[[FloatArray], ArrayInput]

    def __post_init__(self) -> None:
        for name in ("sampler", "map"):
            if not callable(getattr(self, name)):
                hint = "; of a fitted family pass map_" if isinstance(getattr(self, name), BaseEstimator) else ""
                raise ValueError(f"{name} must be a function{hint}; got {getattr(self, name)!r}")

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score."""
        scores = as_p(p)
        seen = scores.copy()  # what the map does to its argument, or returns of it, must not reach the scores
        c = as_scores(self.map(seen), "map(p)").copy()
        check_same_length(**{"p": scores, "map(p)": c})
        return c

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there.

        Raises
        ------
        ValueError
            A sampler that does not return n numbers in [0, 1].
        """
        p = as_scores(self.sampler(rng, n), "sampler(rng, n)").copy()
        if p.size != n:
            raise ValueError(f"sampler(rng, n) must return n = {n} scores, got {p.size}")
        return p, self.truth(p)
