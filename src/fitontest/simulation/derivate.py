"""The synthetic data of the fit-on-test paper: a shape of miscalibration, mixed in until the error is as wanted."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.integrate import quad

from fitontest.data.arrays import as_scores
from fitontest.results.checks import choose, is_real, is_whole
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.simulation.problem import Draw, Problem, as_p, check_size
from fitontest.simulation.shapes import SHAPES

HALVINGS = 60  # of [0, 1], to invert the map: more than a float has bits
AMOUNT_DIGITS, ERROR_DIGITS = 6, 6  # to which the paper's authors rounded


@dataclass(frozen=True)
class Derivate(Problem):
    """Simulated scores of a wanted true calibration error, with uniform true probabilities.

    The scores are p = (1 - a) c + a f(c) of true probabilities c, with the amount a that gives the error.

    The expected calibration error is E|p - c| = a E|f(c) - c|, c being uniform on [0, 1].

    Parameters
    ----------
    shape : {"square", "sqrt", "beta1", "beta2", "stairs"}, default="square"
        f is x^2, x^(1/2), one of two beta calibration maps, or a stair of smooth steps.
    error : float, default=0.1
        Expected calibration error, from 0 to that of the shape itself: 1/6 for square and sqrt, .12002 for beta1,
        .10329 for beta2, .11403 for stairs.

    Attributes
    ----------
    amount : float
        a, rounded to six digits as the authors did; so the error is met to 1e-6.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    `draw` draws independent rows with a numpy Generator. `draw_as_published` draws the authors' own data sets, bit by
    bit; of beta shapes the last bits are those of the processor, since powers are not rounded alike everywhere. The
    rows are sorted by c, and the sets of one size and seed share c and y for all shapes and errors, so that they share
    the noise of their labels as well; at error 0 they are one set. The true map of a beta shape is the inverse of a
    mixture of a beta calibration map with the identity, which is no beta calibration map.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114, appendix. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> from fitontest.datasets import Derivate
    >>> problem = Derivate("square", error=0.1)
    >>> y, p, c = problem.draw(100_000, random_state=0)
    >>> problem.amount, round(float(abs(p - c).mean()), 3)
    (0.599998, 0.1)
    >>> problem.truth([0.1, 0.5]).round(3)
    array([0.194, 0.638])
    """

    shape: str = "square"
    error: float = 0.1

    def __post_init__(self) -> None:
        choose(self.shape, SHAPES, "shape")
        most = _full_error(self.shape)
        if not (is_real(self.error) and 0 <= self.error <= most + 1e-9):
            rule = f"error must be a number from 0 to {most:.6f}, the error of the whole shape {self.shape!r}"
            raise ValueError(f"{rule}; got {self.error!r}")

    @property
    def amount(self) -> float:
        """How much of the shape is mixed in."""
        return _amount(self.shape, float(self.error))

    def scores(self, c: ArrayInput) -> FloatArray:
        """Return the scores of true probabilities.

        They are p = (1 - a) c + a f(c).

        Parameters
        ----------
        c : array-like of shape (n,)
            True probabilities in [0, 1].

        Returns
        -------
        p : array of shape (n,)
            Scores in [0, 1].

        Raises
        ------
        ValueError
            Probabilities that are no numbers in [0, 1].
        """
        return self._scores(as_scores(c, "c"))

    def truth(self, p: ArrayInput) -> FloatArray:
        """Return the true probability at each score: the inverse of `scores`, by bisection, to 1e-18."""
        wanted = as_p(p)
        low, high = np.zeros_like(wanted), np.ones_like(wanted)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = self._scores(middle) < wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where(wanted > 0, high, 0.0)

    def scores_and_truth(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n uniform true probabilities; return their scores and themselves."""
        c = rng.random(n)
        return self._scores(c), c

    def draw_as_published(self, n: int, seed: int) -> Draw:
        """Return the authors' data set of this size and seed.

        Theirs have 1000, 3000 and 10000 rows, and seeds 0 to 4.

        It uses numpy's frozen `RandomState` with the seed n + seed; numpy's global generator is not touched.

        Parameters
        ----------
        n : int
            Number of rows, at least 1.
        seed : int
            From 0 to 2**32 - 1 - n.

        Returns
        -------
        Draw
            Labels, scores and true probabilities, in increasing order of the true probabilities.

        Raises
        ------
        ValueError
            Another n or seed.
        """
        check_size(n)
        if not is_whole(seed) or not 0 <= seed < 2**32 - int(n):
            raise ValueError(f"seed must be a whole number from 0 to 2**32 - 1 - n; got {seed!r}")
        n, seed = int(n), int(seed)  # sums of numpy's short integers overflow
        rng = np.random.RandomState(seed + n)
        c = np.sort(rng.dirichlet([1, 1], size=n)[:, 0])
        y = rng.binomial(1, c).astype(np.intp)
        return Draw(y, self._scores(c), c)

    def _scores(self, c: FloatArray) -> FloatArray:
        a = self.amount
        return np.asarray((1 - a) * c + a * SHAPES[self.shape](c))


@cache
def _full_error(shape: str) -> float:
    """Return E|f(c) - c|, to nine digits."""
    crossings = np.linspace(0, 1, 7)[1:-1]  # breakpoints of the integration, close to where f(c) = c
    return float(quad(lambda x: abs(SHAPES[shape](x) - x), 0, 1, points=crossings, limit=500, epsabs=1e-11)[0])


@cache
def _amount(shape: str, error: float) -> float:
    """Return the amount that the authors' bisection finds: the first whose error is the wanted one to six digits.

    It is not quite error / E|f(c) - c|, since the bisection stops as soon as the rounded errors agree.
    """
    full = _full_error(shape)
    if error == 0.0 or error >= full - 1e-9:
        return 0.0 if error == 0.0 else 1.0
    low, high = 0.0, 1.0
    while True:
        amount = (low + high) / 2
        reached = amount * full
        if abs(reached - error) <= 0.5 * 10**-ERROR_DIGITS:
            return round(amount, AMOUNT_DIGITS)
        low, high = (amount, high) if reached < error else (low, amount)
