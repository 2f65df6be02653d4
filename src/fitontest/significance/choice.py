"""The tests that a rejection can rest on, by name."""

from collections.abc import Callable
from typing import NamedTuple

from fitontest.checks import choose, is_real
from fitontest.significance.binomial import p_values as binomial_p_values
from fitontest.significance.binomial_region import rejected as binomial_rejected
from fitontest.significance.student import p_values as student_p_values
from fitontest.significance.student import rejected as student_rejected
from fitontest.typing import ArrayInput, BoolArray, FloatArray, IntArray


class SignificanceTest(NamedTuple):
    """P-values of triples (k, n, p), and the decisions for all predictions of all bins at once."""

    p_values: Callable[[ArrayInput, ArrayInput, ArrayInput], FloatArray]
    rejected: Callable[[FloatArray, FloatArray, FloatArray, IntArray, float], BoolArray]


TESTS = {
    "binomial": SignificanceTest(binomial_p_values, binomial_rejected),
    "t": SignificanceTest(student_p_values, student_rejected),
}


def find_test(name: str) -> SignificanceTest:
    """Return the test called `name`."""
    return TESTS[choose(name, TESTS, "test")]


def check_alpha(alpha: object) -> None:
    """Raise ValueError unless `alpha` is a fraction between 0 and 1, both excluded."""
    if not is_real(alpha) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be a fraction between 0 and 1, both excluded; got {alpha!r}")
