"""Which calibrator to take: two rules on paired differences of held-out losses.

A family with the smallest mean loss is not yet a family worth its parameters. Both rules ask whether a difference is
larger than its own standard error. An unpaired rule, comparing two losses with the spread of each, cannot see that:
what is hard or easy about a row moves both losses far more than they differ.
"""

from collections.abc import Callable, Sequence

from fitontest.comparison.record import Calibrator

Ranked = Sequence[Calibrator]  # from the smallest held-out loss to the largest


def best(ranked: Ranked, do_nothing: str) -> str:
    """Return the family of the smallest loss, or the identity unless that beats it by more than one standard error."""
    gain = ranked[0].held_out.to_identity
    return ranked[0].name if -gain.mean > gain.se else do_nothing


def one_se(ranked: Ranked, do_nothing: str) -> str:  # noqa: ARG001 - the signature of every rule
    """Return the family with the fewest parameters among those within one standard error of the smallest loss."""
    return min(as_good_as_the_first(ranked), key=lambda one: (one.n_parameters, one.held_out.score)).name


def as_good_as_the_first(ranked: Ranked) -> list[Calibrator]:
    """Return those whose loss is not larger than the smallest by more than one standard error."""
    return [one for one in ranked if not one.held_out.to_best.is_clear]


RULES: dict[str, Callable[[Ranked, str], str]] = {"best": best, "one_se": one_se}
