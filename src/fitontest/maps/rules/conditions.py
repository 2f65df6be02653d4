"""Conditions on one feature, and rules, which are conditions that hold together.

A value that is missing meets only the condition that it is, and a level that was not seen meets none but that it is
there.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from fitontest.maps.rules.columns import Columns, Level
from fitontest.results.checks import brief, is_real
from fitontest.results.typing import BoolArray

MOST_WHOLE = 1e15  # that is printed with all digits
DIGITS = 6  # of other numbers, as a rule
ALL_DIGITS = 17  # that tell every two floats apart


@dataclass(frozen=True)
class Condition(ABC):
    """A condition on a feature; base of all of them.

    Attributes
    ----------
    column : str
        The name of the feature.
    """

    relation: ClassVar[str]
    of_missing: ClassVar[bool] = False  # whether rows without a value meet it
    column: str

    @abstractmethod
    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows meet the condition, shape (n,).

        Parameters
        ----------
        columns : Columns

        Raises
        ------
        ValueError
            The column is not there, or holds values of another kind.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return column, relation and what it is compared with, as JSON-ready values."""
        held = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "column"}
        return {"column": self.column, "relation": self.relation, **held}

    @abstractmethod
    def text(self, digits: int = DIGITS) -> str:
        """Return the condition in words.

        Parameters
        ----------
        digits : int, default=6
            Of numbers that are not whole. With 17 no two numbers are the same text, and levels that are texts are in
            quotes.
        """

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Bound(Condition):
    """A number that is compared with a value; base of `AtMost` and `Above`.

    Attributes
    ----------
    value : float
    """

    comparison: ClassVar[np.ufunc]
    value: float

    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows have a number of which the comparison holds."""
        return np.asarray(self.comparison(columns.named(self.column).numbers(), self.value))

    def text(self, digits: int = DIGITS) -> str:
        """Return column, relation and value."""
        return f"{self.column} {self.relation} {_printed(self.value, digits)}"


class AtMost(Bound):
    """column <= value.

    Examples
    --------
    >>> from fitontest.segments.features.read_columns import read_columns
    >>> print(AtMost("age", 50.0), AtMost("age", 50.0).meets(read_columns({"age": [20, 60, None]})))
    age <= 50 [ True False False]
    """

    relation = "<="
    comparison = np.less_equal


class Above(Bound):
    """column > value."""

    relation = ">"
    comparison = np.greater


@dataclass(frozen=True)
class OneOf(Condition):
    """column = level, or one of several levels.

    Attributes
    ----------
    levels : tuple

    Examples
    --------
    >>> from fitontest.segments.features.read_columns import read_columns
    >>> print(OneOf("sex", ("f",)), OneOf("sex", ("f",)).meets(read_columns({"sex": ["m", "f", None]})))
    sex = f [False  True False]
    """

    relation: ClassVar[str] = "in"
    levels: tuple[Level, ...]

    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows have one of the levels.

        Texts are never taken for booleans or numbers: files of text have "True" where a data frame has True.

        Parameters
        ----------
        columns : Columns

        Raises
        ------
        ValueError
            The column is not there, or one of levels and column holds texts alone and the other none.
        """
        return columns.named(self.column).is_among(self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Return column, relation and levels."""
        return {**super().to_dict(), "levels": list(self.levels)}

    def text(self, digits: int = DIGITS) -> str:
        """Return column = level, or column in {levels}."""
        printed = [_printed(level, digits) for level in self.levels]
        if len(printed) == 1:
            return f"{self.column} = {printed[0]}"
        return f"{self.column} in {{{', '.join(printed)}}}"


@dataclass(frozen=True)
class Presence(Condition):
    """Whether there is a value in the column; base of `Missing` and `Present`.

    Attributes
    ----------
    numbers : bool
        Whether the column is one of numbers, as an engine must know that tells NaN from a missing value.
    """

    words: ClassVar[str]
    numbers: bool

    def text(self, digits: int = DIGITS) -> str:  # noqa: ARG002 - the signature of every condition
        """Return column is missing, or is not."""
        return f"{self.column} {self.words}"


class Missing(Presence):
    """There is no value in the column."""

    relation = "missing"
    words = "is missing"
    of_missing = True

    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows have no value."""
        return columns.named(self.column).missing


class Present(Presence):
    """There is a value in the column."""

    relation = "present"
    words = "is not missing"

    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows have a value."""
        return ~columns.named(self.column).missing


KINDS: dict[str, type[Condition]] = {kind.relation: kind for kind in (AtMost, Above, OneOf, Missing, Present)}


@dataclass(frozen=True)
class Rule:
    """Conditions that hold together: what names a segment.

    Attributes
    ----------
    conditions : tuple of Condition
        None: all rows.

    Examples
    --------
    >>> print(Rule((Above("age", 50.0), OneOf("sex", ("f",)))), "|", Rule(()))
    age > 50 and sex = f | all rows
    """

    conditions: tuple[Condition, ...]

    def meets(self, columns: Columns) -> BoolArray:
        """Return which rows meet all conditions, shape (n,).

        Parameters
        ----------
        columns : Columns
        """
        met = np.ones(columns.n, dtype=bool)
        for condition in self.conditions:
            met &= condition.meets(columns)
        return met

    @property
    def columns(self) -> list[str]:
        """The names of the features, each once."""
        return list(dict.fromkeys(condition.column for condition in self.conditions))

    def text(self, digits: int = DIGITS) -> str:
        """Return the conditions in words.

        Parameters
        ----------
        digits : int, default=6
            Of numbers that are not whole. With 17 no two numbers are the same text, and levels that are texts are in
            quotes.
        """
        return " and ".join(condition.text(digits) for condition in self.conditions) or "all rows"

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Return the conditions as JSON-ready values."""
        return {"conditions": [condition.to_dict() for condition in self.conditions]}


def read_condition(given: Any) -> Condition:
    """Return a condition, or that which `Condition.to_dict` wrote.

    Parameters
    ----------
    given : Condition or dict

    Raises
    ------
    ValueError
        What is none.

    Examples
    --------
    >>> read_condition({"column": "age", "relation": ">", "value": 50.0})
    Above(column='age', value=50.0)
    """
    if isinstance(given, Condition):
        return given
    kind = KINDS.get(given.get("relation", "")) if isinstance(given, dict) else None
    if kind is None or set(given) - {"relation"} != {one.name for one in fields(kind)}:
        raise ValueError(f"a condition must be one of {', '.join(KINDS)} with its fields, got {brief(given)}")
    held = {name: value for name, value in given.items() if name != "relation"}
    if not isinstance(held["column"], str):
        raise ValueError(f"column must be the name of a feature, got {brief(held['column'])}")
    if kind is OneOf:
        return OneOf(held["column"], _levels(held["levels"]))
    if issubclass(kind, Bound):
        if not (is_real(held["value"]) and np.isfinite(held["value"])):
            raise ValueError(f"value must be a finite number, got {brief(held['value'])}")
        return kind(held["column"], float(held["value"]))
    if not isinstance(held["numbers"], bool):
        raise ValueError(f"numbers must be true or false, got {brief(held['numbers'])}")
    return kind(**held)


def read_rule(given: Any) -> Rule:
    """Return a rule, or that which `Rule.to_dict` wrote.

    Parameters
    ----------
    given : Rule or dict
    """
    if isinstance(given, Rule):
        return given
    if not isinstance(given, dict) or set(given) != {"conditions"} or not isinstance(given["conditions"], list | tuple):
        raise ValueError(f"a rule must be a dict of its conditions, got {brief(given)}")
    return Rule(tuple(read_condition(one) for one in given["conditions"]))


def distinct_texts(rules: Iterable[Rule]) -> dict[Rule, str]:
    """Return rules in words, with as many digits as it takes to tell different rules apart.

    Parameters
    ----------
    rules : iterable of Rule

    Examples
    --------
    >>> rules = [Rule((Above("age", value),)) for value in (0.5, 0.25, 0.250000001)]
    >>> list(distinct_texts(rules).values())
    ['age > 0.5', 'age > 0.25', 'age > 0.250000001']
    """
    alike: dict[str, list[Rule]] = {}
    for rule in dict.fromkeys(rules):
        alike.setdefault(rule.text(), []).append(rule)
    found: dict[Rule, str] = {}
    for same in alike.values():
        for digits in range(DIGITS, ALL_DIGITS + 1):
            texts = [rule.text(digits) for rule in same]
            if len(set(texts)) == len(same):
                break
        found.update(zip(same, texts, strict=True))
    return found


def _levels(given: Any) -> tuple[Level, ...]:
    listed: Sequence[Any] = given if isinstance(given, list | tuple) else ()
    if not listed or not all(isinstance(level, str | bool | int | float) for level in listed):
        raise ValueError(f"levels must be a list of texts, booleans or numbers, got {brief(given)}")
    return tuple(listed)


def _printed(value: Any, digits: int) -> str:
    """Return a value with so many digits, and what is before the point with all of them."""
    if not is_real(value):
        return repr(value) if digits == ALL_DIGITS and isinstance(value, str) else str(value)
    if float(value).is_integer() and abs(value) < MOST_WHOLE:
        return f"{value:,.0f}"
    whole = len(str(int(abs(value)))) if abs(value) < MOST_WHOLE else 0
    return f"{value:,.{max(whole, digits)}g}" if whole > DIGITS else f"{value:.{digits}g}"
