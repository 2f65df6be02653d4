"""Whether families of maps agree on the size of an error, beside the one whose error is quoted."""

from collections.abc import Iterable
from dataclasses import dataclass

from fitontest.measures.estimate import Estimate


@dataclass(frozen=True)
class Agreement:
    """How the debiased errors and the intervals of families compare with those of the family that is quoted.

    Compared are families whose intervals are of the same error under the same norm, that of these very rows. They agree
    where each debiased error lies in the quoted interval. They agree up to noise where one lies outside, but the
    interval of its family overlaps the quoted one. They disagree where it does not, or only because it was widened to
    hold it, as the intervals of families are that cannot follow a map which is rougher than a spline.

    Attributes
    ----------
    compared : tuple of str
        The families compared; empty: nothing is said.
    outside : tuple of str
        Those whose debiased error lies outside the quoted interval.
    apart : tuple of str
        Those of them that disagree.
    is_rough : bool
        Whether a spline does not fit the labels, so that the true map is rough.

    Examples
    --------
    >>> print(Agreement(("beta", "slope1"), (), ()))
    The families agree: each debiased value lies in the interval above.
    >>> print(Agreement(("beta", "slope1"), ("slope1",), ()))
    The families agree up to noise: slope1 lies outside the interval above, but its interval overlaps it.
    >>> print(Agreement(("beta", "slope1"), ("beta", "slope1"), ("beta", "slope1"), is_rough=True))
    The families disagree: beta and slope1 lie outside the interval above by more than noise; the true map is rough.
    """

    compared: tuple[str, ...]
    outside: tuple[str, ...]
    apart: tuple[str, ...]
    is_rough: bool = False

    def __str__(self) -> str:
        if not self.compared:
            return ""
        if self.apart:
            why = "the true map is rough" if self.is_rough else "the size depends on the shape of map that is assumed"
            return f"The families disagree: {_are_outside(self.apart)} by more than noise; {why}."
        if self.outside:
            own = "its interval overlaps it" if len(self.outside) == 1 else "their intervals overlap it"
            return f"The families agree up to noise: {_are_outside(self.outside)}, but {own}."
        return "The families agree: each debiased value lies in the interval above."


def agreement_of(named: Iterable[tuple[str, Estimate]], quoted: Estimate) -> Agreement:
    """Return whether the estimates of families agree with the one that is quoted.

    Parameters
    ----------
    named : iterable of (str, Estimate)
        Estimates with their names, the quoted one among them or not.
    quoted : Estimate
        With an interval.
    """
    interval = quoted.interval
    assert interval is not None  # nothing is quoted without one
    compared, outside, apart = [], [], []
    for name, one in named:
        own = one.interval
        if own is None or one is quoted or not one.measure.is_family_error or one.debiased is None:
            continue
        if one.measure.total != quoted.measure.total or own.target != interval.target:
            continue
        compared.append(name)
        is_outside = not interval.low <= one.debiased <= interval.high
        is_held = own.widened_by is not None and interval.roughness is not None
        if is_outside:
            outside.append(name)
        if (is_outside and is_held) or own.low > interval.high or own.high < interval.low:
            apart.append(name)
    return Agreement(tuple(compared), tuple(outside), tuple(apart), interval.roughness is not None)


def _are_outside(names: tuple[str, ...]) -> str:
    """Return that the debiased values of families lie outside the interval."""
    if len(names) == 1:
        return f"{names[0]} lies outside the interval above"
    return f"{', '.join(names[:-1])} and {names[-1]} lie outside the interval above"
