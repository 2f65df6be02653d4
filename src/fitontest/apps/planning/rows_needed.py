"""How many rows a requirement takes, between the sizes that were tried, and how sure the simulation is of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, exp, floor, log, log10
from typing import Literal, TypeAlias

from fitontest.apps.planning.prospect import power_noise

DIGITS = 2  # of rows needed
Relation: TypeAlias = Literal["about", "at most", "more than"]
Requirement: TypeAlias = Literal["width", "power"]
RELATIONS: dict[Relation, str] = {"about": "{}", "at most": "<= {}", "more than": "> {}"}
NORMAL = 1.96  # standard errors to each side, which hold about 95 %


@dataclass(frozen=True)
class RowsNeeded:
    """How many rows a requirement takes with one family.

    Attributes
    ----------
    family : str
    requirement : {"width", "power"}
    wanted : float
    error, truth : float and str, or None
        Against what the power is; None for the width, which is that of the error where it is widest.
    relation : {"about", "at most", "more than"}
        "at most" where the smallest size tried meets it, "more than" where none does.
    n : int
    low, high : int or None
        Between which numbers of rows other seeds of the simulation would put it, in about 95 %; None beyond the sizes
        tried.
    """

    family: str
    requirement: Requirement
    wanted: float
    error: float | None
    truth: str | None
    relation: Relation
    n: int
    low: int | None = None
    high: int | None = None

    @property
    def met(self) -> bool:
        """Whether a size that was tried meets the requirement."""
        return self.relation != "more than"

    @property
    def range(self) -> str:
        """The range of the rows in words; "" where the smallest size, or none, meets the requirement."""
        if self.relation != "about":
            return ""
        if self.low is None:
            return "" if self.high is None else f"at most {self.high:,}"
        return f"{self.low:,} or more" if self.high is None else f"{self.low:,} to {self.high:,}"

    def __str__(self) -> str:
        return RELATIONS[self.relation].format(f"{self.n:,}")


@dataclass(frozen=True)
class Noise:
    """How far simulated widths and powers are from those of endless draws.

    Attributes
    ----------
    draws : int
        Evaluations behind each power.
    width : float
        Standard deviation of a mean width, as a share of it.
    """

    draws: int
    width: float

    def better(self, requirement: Requirement, value: float, times: float) -> float:
        """Return a width or power that is better by some standard errors, or worse where they are negative."""
        if requirement == "width":
            return value / (1.0 + times * self.width) if times > 0 else value * (1.0 - times * self.width)
        return value + times * power_noise(value, self.draws)


def find_rows(
    requirement: Requirement, wanted: float, values: Mapping[int, float], most: int, noise: Noise
) -> tuple[Relation, int, int | None, int | None]:
    """Return relation, rows, and the ends of their range.

    Parameters
    ----------
    requirement : {"width", "power"}
    wanted : float
    values : dict
        The width or power by the number of rows, which increases.
    most : int
        The largest size that was tried.
    noise : Noise
        Of the values.

    Examples
    --------
    >>> find_rows("power", 0.8, {1000: 0.2, 2000: 0.6, 4000: 1.0}, 4000, Noise(100, 0.05))
    ('about', 2900, 2400, 3200)
    """

    def at(times: float) -> tuple[Relation, int]:
        moved = {n: noise.better(requirement, value, times) for n, value in values.items()}
        return _interpolate(requirement, wanted, moved, most)

    relation, n = _interpolate(requirement, wanted, values, most)
    (below, low), (above, high) = at(NORMAL), at(-NORMAL)
    if above == "more than" and requirement == "width" and values:  # beyond, widths shrink as 1 / sqrt(n)
        last = max(values)
        high = _round_up(last * (noise.better("width", values[last], -NORMAL) / wanted) ** 2)
    elif above == "more than":
        return relation, n, low if below == "about" else None, None
    return relation, n, low if below == "about" else None, high


def _interpolate(
    requirement: Requirement, wanted: float, values: Mapping[int, float], most: int
) -> tuple[Relation, int]:
    """Return the smallest size that meets a requirement, between the last that does not and the first that does."""
    sizes = list(values)
    met = [n for n in sizes if (values[n] <= wanted if requirement == "width" else values[n] >= wanted)]
    if not met:
        return "more than", most
    after = sizes.index(met[0])
    if after == 0:
        return "at most", met[0]
    scale: Callable[[float], float] = log if requirement == "width" else float
    before, reached = scale(values[sizes[after - 1]]), scale(values[met[0]])
    share = (scale(wanted) - before) / (reached - before)
    between = exp(log(sizes[after - 1]) + share * log(met[0] / sizes[after - 1]))
    return "about", min(_round_up(between), met[0])


def _round_up(rows: float) -> int:
    """Return the number of rows with two significant digits, no smaller one."""
    unit = 10 ** max(floor(log10(rows)) + 1 - DIGITS, 0)
    return int(ceil(rows / unit - 1e-9) * unit)
