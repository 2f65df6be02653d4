"""The tests that a rejection can rest on: by name, or a function of one's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from fitontest.numerics.significance.binomial import p_values as binomial_p_values
from fitontest.numerics.significance.binomial_region import rejected as binomial_rejected
from fitontest.numerics.significance.posterior import p_values as posterior_p_values
from fitontest.numerics.significance.posterior import rejected as posterior_rejected
from fitontest.numerics.significance.student import p_values as student_p_values
from fitontest.numerics.significance.student import rejected as student_rejected
from fitontest.results.checks import is_real, not_among
from fitontest.results.registry import name_of
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, IntArray

TestChoice: TypeAlias = Literal["binomial", "t", "bayes"] | Callable[..., Any]
PValues: TypeAlias = Callable[[ArrayInput, ArrayInput, ArrayInput], FloatArray]
Rejected: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, IntArray, float], BoolArray]


@dataclass(frozen=True)
class SignificanceTest:
    """P-values of triples (k, n, p), and the decisions for all predictions of all bins at once.

    Attributes
    ----------
    name : str
    p_values : callable
        From positives, rows and scores of one shape to p-values.
    faster : callable, optional
        What decides for sorted scores of bins without a p-value for each.
    """

    name: str
    p_values: PValues
    faster: Rejected | None = None

    def rejected(self, k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray, alpha: float) -> BoolArray:
        """Return whether each score is rejected: p-value <= alpha.

        Parameters
        ----------
        k, n : arrays of shape (B,)
            Positives and rows of the bins.
        p : array of shape (G,)
            Scores, in increasing order.
        starts : int array of shape (B + 1,)
            Bin b holds p[starts[b]] to p[starts[b + 1] - 1].
        alpha : float
            In (0, 1).
        """
        if self.faster is not None:
            return self.faster(k, n, p, starts, alpha)
        at = np.repeat(np.arange(n.size), np.diff(starts))
        return self.p_values(k[at], n[at], p) <= alpha


@dataclass(frozen=True)
class _OwnPValues:
    """P-values of a user's function of (p, n, positives), checked; 1 of no rows."""

    function: Callable[..., Any]

    def __call__(self, k: ArrayInput, n: ArrayInput, p: ArrayInput) -> FloatArray:
        """Return the p-values of positives, rows and scores."""
        counts, rows, tested = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (k, n, p)))
        out: FloatArray = np.ones(tested.shape)
        some = rows > 0
        given = tested[some], rows[some].astype(np.int64), counts[some].astype(np.int64)
        if given[0].size:
            out[some] = self._checked(self.function(*given), *given)
        return out

    def _checked(self, returned: object, p: FloatArray, n: IntArray, k: IntArray) -> FloatArray:
        rule = f"test must return one p-value in [0, 1] for each score; {name_of(self.function)}"
        try:
            values = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{rule} returned {type(returned).__name__}") from None
        if values.shape != p.shape:
            raise ValueError(f"{rule} returned shape {values.shape} for scores of shape {p.shape}")
        wrong = np.flatnonzero(~((values >= 0.0) & (values <= 1.0)))
        if wrong.size:
            at = wrong[0]
            raise ValueError(f"{rule} returned {values[at]} for score {p[at]} with {k[at]} positives of {n[at]} rows")
        return values


TESTS = {
    "binomial": SignificanceTest("binomial", binomial_p_values, binomial_rejected),
    "t": SignificanceTest("t", student_p_values, student_rejected),
    "bayes": SignificanceTest("bayes", posterior_p_values, posterior_rejected),
}


def find_test(test: object) -> SignificanceTest:
    """Return the test of a name, or that of a function of scores, rows and positives."""
    if isinstance(test, str) and test in TESTS:
        return TESTS[test]
    if callable(test) and not isinstance(test, type):
        return SignificanceTest(name_of(test), _OwnPValues(test))
    raise ValueError(not_among(test, TESTS, "test", " or a function of (p, n, positives)"))


def check_alpha(alpha: object) -> None:
    """Raise ValueError unless `alpha` is a fraction between 0 and 1, both excluded."""
    if not is_real(alpha) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be a fraction between 0 and 1, both excluded; got {alpha!r}")
