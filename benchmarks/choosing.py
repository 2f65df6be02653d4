"""The rules for choosing a calibrator that the benchmarks compare.

"one_se" and "best" are those of `compare_calibrators`. "fewest" is one_se as it was in version 0.1: the fewest
parameters within one standard error of the smallest loss, however little they differ. "by_count" is one_se without its
exception for the identity, which then is a family of no parameters that a family of one may beat.
"""

from collections.abc import Callable

import fitontest as fot
from fitontest.evaluation.comparison.calibrators import (
    Calibrator,
    Ranked,
    choose_best,
    choose_one_se,
    list_within_one_se,
)

NOBODY = ""  # no candidate has this name


def choose_fewest(ranked: Ranked, do_nothing: str) -> str:  # noqa: ARG001 - the signature of every rule
    return min(list_within_one_se(ranked), key=lambda one: (one.n_parameters, one.held_out.score)).name


def choose_by_count(ranked: Ranked, do_nothing: str) -> str:  # noqa: ARG001 - the signature of every rule
    return choose_one_se(ranked, NOBODY)


RULES: dict[str, Callable[[Ranked, str], str]] = {
    "one_se": choose_one_se,
    "fewest": choose_fewest,
    "by_count": choose_by_count,
    "best": choose_best,
}


def choose_by(rule: str, comparison: fot.evaluation.Comparison) -> Calibrator:
    """Return what a rule chooses."""
    return comparison[RULES[rule](comparison.calibrators, comparison.do_nothing)]
