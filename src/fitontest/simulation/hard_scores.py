"""Scores as hard as they come in practice: piled up at 0 and 1, rare events, and the confidence of a classifier."""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.links import LOGIT, sigmoid
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.simulation.problem import Problem, as_p

_EPS = 1e-16  # keeps the logits of 0 and 1 finite


@dataclass(frozen=True)
class Sharp(Problem):
    """Simulated scores of a very sure classifier, most of them close to 0 or 1.

    The true map waves in the logits.

    With z ~ N(0, 4^2), logit p = z and logit c = 0.6 z + 0.5 sin z: the logits of the scores are too large by two
    thirds, up to the wave. Half of the scores are closer than .063 to 0 or 1.

    Examples
    --------
    >>> from fitontest.datasets import Sharp
    >>> y, p, c = Sharp().draw(100_000, random_state=0)
    >>> round(float(abs(p - c).mean()), 3), round(float((abs(p - 0.5) > 0.437).mean()), 2)
    (0.043, 0.5)
    """

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score."""
        return self._truth(LOGIT.forward(as_p(p), _EPS))

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there."""
        z = rng.normal(0, 4, n)
        return sigmoid(z), self._truth(z)

    def _truth(self, z: FloatArray) -> FloatArray:
        return sigmoid(0.6 * z + 0.5 * np.sin(z))


@dataclass(frozen=True)
class Rare(Problem):
    """Simulated scores of rare events, about 1.5 %: small scores too low, larger ones up to twice too high.

    p ~ Beta(0.6, 40) and c = p (0.5 + 1.2 exp(-30 p)).

    Examples
    --------
    >>> from fitontest.datasets import Rare
    >>> y, p, c = Rare().draw(100_000, random_state=0)
    >>> round(float(y.mean()), 3), round(float(abs(p - c).mean()), 4), Rare().truth([0.001, 0.1]).round(4)
    (0.015, 0.0038, array([0.0017, 0.056 ]))
    """

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score."""
        scores = as_p(p)
        return np.asarray(scores * (0.5 + 1.2 * np.exp(-30 * scores)))

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there."""
        p = rng.beta(0.6, 40, n)
        return p, self.truth(p)


@dataclass(frozen=True)
class Confidence(Problem):
    """Simulated confidences of an overconfident classifier: scores from one half up, mostly close to 1.

    They are of two classes.

    p = 1 - b / 2 with b ~ Beta(0.5, 1.5), and c = p - 0.8 (p - 1/2) (1 - p) - 0.1 (p - 1/2); y is 1 where the
    prediction was right. Below one half, where there are no scores, the map is the identity.

    Examples
    --------
    >>> from fitontest.datasets import Confidence
    >>> y, p, c = Confidence().draw(100_000, random_state=0)
    >>> round(float(y.mean()), 2), round(float(abs(p - c).mean()), 3), bool(p.min() >= 0.5)
    (0.81, 0.062, True)
    """

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability of a positive at each score."""
        scores = as_p(p)
        above = np.maximum(scores - 0.5, 0.0)
        return np.asarray(scores - 0.8 * above * (1 - scores) - 0.1 * above)

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n scores; return them and the true probabilities there."""
        p = 1 - 0.5 * rng.beta(0.5, 1.5, n)
        return p, self.truth(p)
