"""Formulas of maps as values: a formula is written once, and then written out for a data frame or as SQL.

A map that gives its formula as an `Expression` of the score can be applied where no array of the scores exists: to
lazy frames, in databases and in other processes. There are few kinds of expressions, so that every engine can have all
of them: arithmetic, ln and exp, limits, a choice between two by a comparison, and values that are computed once and
used often. Nothing here reads a score; `fitontest.maps.sql` and `fitontest.maps.frames` do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fitontest.data.arrays import ROUNDING
from fitontest.maps.rules.conditions import Rule
from fitontest.numerics.links import BELOW_ONE
from fitontest.results.typing import FloatArray

MOST_EXPONENT = 709.0  # its exponential is finite; numpy warns of an infinite one
LEAST_ULP = 2.0**-53  # between 1 and the float below it

Comparison: TypeAlias = Literal["<", "<="]
Guards: TypeAlias = "tuple[tuple[Expression, float, float], ...]"


class Expression:
    """Base of all expressions; numbers and expressions are combined by the operators + - * /.

    Examples
    --------
    >>> from fitontest.maps.sql import to_sql
    >>> to_sql(1.0 / (Column("p") + 2.0))
    '1.0e0 / ("p"::DOUBLE + 2.0e0)'
    """

    def __add__(self, other: "Expression | float") -> "Expression":
        return Operation("+", self, _node(other))

    def __radd__(self, other: float) -> "Expression":
        return Operation("+", _node(other), self)

    def __sub__(self, other: "Expression | float") -> "Expression":
        return Operation("-", self, _node(other))

    def __rsub__(self, other: float) -> "Expression":
        return Operation("-", _node(other), self)

    def __mul__(self, other: "Expression | float") -> "Expression":
        return Operation("*", self, _node(other))

    def __rmul__(self, other: float) -> "Expression":
        return Operation("*", _node(other), self)

    def __truediv__(self, other: "Expression | float") -> "Expression":
        return Operation("/", self, _node(other))

    def __rtruediv__(self, other: float) -> "Expression":
        return Operation("/", _node(other), self)

    def clip(self, low: float | None = None, high: float | None = None) -> "Expression":
        """Return the value within [low, high]."""
        return Limited(self, low, high)

    def ln(self) -> "Expression":
        """Return the natural logarithm; the value must be positive, as some engines raise an error otherwise."""
        return Function("ln", self)

    def exp(self) -> "Expression":
        """Return the exponential; it must be finite, as some engines warn otherwise."""
        return Function("exp", self)

    @property
    def guards(self) -> Guards:
        """The values that must lie within limits for this to be one, with these."""
        return ()

    @property
    def bare(self) -> "Expression":
        """The value without what guards it."""
        return self


@dataclass(frozen=True, eq=False)
class Column(Expression):
    """A column of numbers, as float64."""

    name: str


@dataclass(frozen=True, eq=False)
class Number(Expression):
    """A finite number."""

    value: float


@dataclass(frozen=True, eq=False)
class Operation(Expression):
    """One of + - * / of two values."""

    symbol: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False)
class Function(Expression):
    """ln or exp of a value."""

    name: Literal["ln", "exp"]
    of: Expression


@dataclass(frozen=True, eq=False)
class Limited(Expression):
    """A value within limits, of which one may be missing."""

    of: Expression
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Largest(Expression):
    """The largest of several values."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Choice(Expression):
    """`then` where the value compares with the bound, and `otherwise` where it does not."""

    value: Expression
    symbol: Comparison
    bound: float
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, eq=False)
class Where(Expression):
    """`then` in rows that meet a rule on other columns, and `otherwise` in all others."""

    rule: Rule
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, eq=False)
class Group:
    """Values that are computed at one time, before what they are used in."""

    members: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Shared(Expression):
    """A value of a group."""

    group: Group
    position: int


def score_limits(p: Expression) -> tuple[Expression, float, float]:
    """Return the limits within which a value is a score: [0, 1] up to a rounding."""
    return p, -ROUNDING, 1.0 + ROUNDING


@dataclass(frozen=True, eq=False)
class Guarded(Expression):
    """A value where other values lie within their limits, and NULL where one does not, or is missing."""

    limits: Guards
    then: Expression

    @property
    def guards(self) -> Guards:
        """The limits."""
        return self.limits

    @property
    def bare(self) -> Expression:
        """The value within the limits."""
        return self.then


def shared(members: Sequence[Expression]) -> list[Expression]:
    """Return values that stand for the members, each of which is then computed once however often it is used."""
    group = Group(tuple(members))
    return [Shared(group, i) for i in range(len(group.members))]


def line(offset: float, slope: float, p: Expression) -> Expression:
    """Return offset + slope p, without the operations that change nothing."""
    if slope == 0.0:
        return Number(float(offset))
    steep = p if slope == 1.0 else float(slope) * p
    return steep if offset == 0.0 else float(offset) + steep


def pieces(p: Expression, breaks: FloatArray, values: Sequence[Expression], symbol: Comparison = "<") -> Expression:
    """Return values[j] for p between the increasing breaks j - 1 and j, by a balanced tree of comparisons.

    With ``"<"`` a break belongs to the piece on its right, with ``"<="`` to that on its left.
    """
    return balanced(values, lambda j, left, right: Choice(p, symbol, float(breaks[j]), left, right))


def balanced(values: Sequence[Expression], split: Callable[[int, Expression, Expression], Expression]) -> Expression:
    """Return the balanced tree of the values in which ``split(j, left, right)`` stands between values j and j + 1."""

    def tree(first: int, last: int) -> Expression:
        if first == last:
            return values[first]
        middle = (first + last) // 2
        return split(middle, tree(first, middle), tree(middle + 1, last))

    return tree(0, len(values) - 1)


def total(values: Sequence[Expression]) -> Expression:
    """Return the sum, added in pairs, so that the sum of a thousand values is ten additions deep."""
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return total(values[:middle]) + total(values[middle:])


def softmax_of(z: Sequence[Expression]) -> list[Expression]:
    """Return exp(z_k) / sum_l exp(z_l)."""
    return divided_by_sum(shared([one.exp() for one in _from_largest(z)]))


def log_softmax_of(z: Sequence[Expression]) -> list[Expression]:
    """Return z_k - ln sum_l exp(z_l)."""
    below = _from_largest(z)
    (log_sum,) = shared([total([one.exp() for one in below]).ln()])
    return [one - log_sum for one in below]


def _from_largest(z: Sequence[Expression]) -> list[Expression]:
    """Return the differences from the largest, none of whose exponentials overflows."""
    once = shared(z)
    (highest,) = shared([Largest(tuple(once))])
    return shared([one - highest for one in once])


def divided_by_sum(values: Sequence[Expression]) -> list[Expression]:
    """Return the values divided by their sum."""
    whole = total(values)  # not shared: each level of shared values doubles the time in which DuckDB reads the text
    return [one / whole for one in values]


def sigmoid_of(z: Expression) -> Expression:
    """Return 1 / (1 + exp(-z)), from z = -709 downwards what it is there."""
    return 1.0 / (1.0 + (0.0 - z).clip(high=MOST_EXPONENT).exp())


def within_unit(p: Expression, eps: float) -> Expression:
    """Return p within [eps, 1 - eps], and below 1."""
    return p.clip(eps, min(1.0 - eps, BELOW_ONE))


def logit_of(p: Expression, eps: float) -> Expression:
    """Return ln(q / (1 - q)), q = p within [eps, 1 - eps].

    Above 1/2 the difference is exact, and below it is rounded by 2**-54 of itself: the logit is within 3e-16, or
    within the last digit where that is more, which is what ``ln q - log1p(-q)`` reaches too.
    """
    q = within_unit(p, eps)
    return (q / (1.0 - q)).ln()


def ln_complement(q: Expression, eps: float) -> Expression:
    """Return ln(1 - q) for q in [eps, 1), precise for small q: ln(u) q / (1 - u) with u = 1 - q (Goldberg 1991).

    The quotient takes back by how much the rounding of u changes the logarithm. Where u is rounded to 1 it is -q.
    """
    u = 1.0 - q
    precise = u.ln() * q / (1.0 - u).clip(low=LEAST_ULP)
    return precise if eps > LEAST_ULP else Choice(u, "<", 1.0, precise, 0.0 - q)


def _node(value: "Expression | float") -> Expression:
    return value if isinstance(value, Expression) else Number(float(value))
