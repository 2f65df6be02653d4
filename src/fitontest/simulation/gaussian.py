"""Two Gaussians, and a model that learnt them at another prevalence: the simulation of the TCE paper."""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.links import sigmoid
from fitontest.results.checks import is_real
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.simulation.problem import Problem, as_p

SMALLEST = 1e-9  # prevalence of training: its odds are still far from the ends of the floats


@dataclass(frozen=True)
class Gaussian(Problem):
    """Simulated scores of a classifier with one normal feature, trained at another share of positives.

    One feature x ~ N(m, s^2) for positives and N(-m, s^2) for negatives, scored at the prevalence of training.

    The score is the posterior probability at the prevalence pi of training, the true probability that at the
    prevalence rho of the test data:

        logit p = logit pi + 2 m x / s^2,      logit c = logit rho + 2 m x / s^2.

    With equal prevalences the scores are calibrated.

    Parameters
    ----------
    train_rate : float, default=0.5
        pi, from 1e-9 to 1 - 1e-9.
    test_rate : float, default=0.5
        rho, in [0, 1].
    mean : float, default=0.5
        m, from 1e-6 to 1e6.
    sd : float, default=2.0
        s, from 1e-6 to 1e6.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    Deviations from the paper: its text has m = 1, its published numbers come from m = 1/2, which is the default here.
    There p is a logistic regression fitted to 14,000 rows; here it is what that regression estimates.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI, section 4.1.
    https://arxiv.org/abs/2306.14343

    Examples
    --------
    >>> from fitontest.datasets import Gaussian
    >>> problem = Gaussian(train_rate=0.5, test_rate=0.4)
    >>> y, p, c = problem.draw(100_000, random_state=0)
    >>> round(float(y.mean()), 2), round(float(abs(p - c).mean()), 3)
    (0.4, 0.094)
    >>> problem.truth([0.5])
    array([0.4])
    """

    train_rate: float = 0.5
    test_rate: float = 0.5
    mean: float = 0.5
    sd: float = 2.0

    def __post_init__(self) -> None:
        if not (is_real(self.train_rate) and SMALLEST <= self.train_rate <= 1 - SMALLEST):
            raise ValueError(f"train_rate must be a number from {SMALLEST} to 1 - {SMALLEST}; got {self.train_rate!r}")
        if not (is_real(self.test_rate) and 0 <= self.test_rate <= 1):
            raise ValueError(f"test_rate must be a number from 0 to 1; got {self.test_rate!r}")
        for name in ("mean", "sd"):
            value = getattr(self, name)
            if not (is_real(value) and 1e-6 <= value <= 1e6):
                raise ValueError(f"{name} must be a number from 1e-6 to 1e6; got {value!r}")

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability at each score: the odds, times the ratio of the prior odds."""
        scores = as_p(p)
        if self.test_rate in (0, 1):
            return np.full_like(scores, float(self.test_rate))
        positive = scores * (self.test_rate * (1 - self.train_rate))
        negative = (1 - scores) * ((1 - self.test_rate) * self.train_rate)
        return np.asarray(positive / (positive + negative))

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n features from the mixture at the test prevalence; return the scores and true probabilities."""
        signs = np.where(rng.random(n) < self.test_rate, 1.0, -1.0)
        x = rng.normal(signs * self.mean, self.sd)
        p = sigmoid(np.log(self.train_rate / (1 - self.train_rate)) + 2 * self.mean * x / self.sd**2)
        return p, self.truth(p)
