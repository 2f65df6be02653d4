"""Expressions as text: scalar expressions of DuckDB's SQL."""

from sys import float_info
from typing import TypeAlias

import fitontest.maps.expressions as ex
from fitontest.maps.expressions import Expression, Group
from fitontest.maps.rules.columns import Level
from fitontest.maps.rules.conditions import Above, AtMost, Condition, Missing, OneOf, Present, Rule
from fitontest.results.checks import brief, is_real

Names: TypeAlias = dict[Group, str]
LARGEST = float_info.max  # NaN sorts above it in DuckDB and in polars


def to_sql(expression: Expression) -> str:
    """Return an expression as one scalar expression of DuckDB's SQL, which can stand in any SELECT.

    Numbers have an exponent, without which DuckDB reads them as decimals. A value that is used more than once is bound
    by a list comprehension, ``[... for v0 in [value]][1]``: the standard has no other name within an expression.

    Examples
    --------
    >>> to_sql(ex.Column("p").clip(0.1, 0.9))
    'greatest(least("p"::DOUBLE, 0.9e0), 0.1e0)'
    """
    return _Writer().write(expression)


def number(value: float) -> str:
    """Return a number as DuckDB reads it bit by bit, as a DOUBLE.

    Examples
    --------
    >>> number(0.25), number(-3.0), number(5e-324)
    ('0.25e0', '(-3.0e0)', '5e-324')
    """
    digits = repr(float(value))
    text = digits if "e" in digits else f"{digits}e0"
    return f"({text})" if text.startswith("-") else text


def identifier(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def rule_to_sql(rule: Rule) -> str:
    """Return the conditions of a rule, as they stand after WHEN or WHERE; NaN counts as a missing value.

    Examples
    --------
    >>> print(rule_to_sql(Rule((AtMost("age", 50.0), OneOf("sex", ("f",))))))
    "age"::DOUBLE <= 50.0e0 AND "sex" IN ('f')
    """
    return " AND ".join(map(_condition_to_sql, rule.conditions)) or "TRUE"


def _condition_to_sql(condition: Condition) -> str:
    name = identifier(condition.column)
    match condition:
        case AtMost(_, value):
            return f"{name}::DOUBLE <= {number(value)}"
        case Above(_, value):  # NaN is above every number there
            return f"{name}::DOUBLE > {number(value)} AND {name}::DOUBLE <= {number(LARGEST)}"
        case OneOf(_, levels):
            return f"{name} IN ({', '.join(map(_literal, levels))})"
        case Missing(_, numbers):
            return f"({name} IS NULL OR {name}::DOUBLE > {number(LARGEST)})" if numbers else f"{name} IS NULL"
        case Present(_, numbers):
            return f"{name}::DOUBLE <= {number(LARGEST)}" if numbers else f"{name} IS NOT NULL"
        case _:
            raise ValueError(f"a condition must be one of fitontest's, got {brief(condition)}")


def _literal(level: Level) -> str:
    if isinstance(level, bool):
        return "TRUE" if level else "FALSE"
    return number(level) if is_real(level) else "'" + str(level).replace("'", "''") + "'"


class _Writer:
    """Writes one expression; the names that it binds are those of its values that are used often."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._bound = 0

    def write(self, expression: Expression) -> str:
        """Return the text of an expression within the condition under which it has a value, if there is one."""
        self._taken = {name.lower() for name in _columns(expression)}
        value = self._with_names(expression.bare)
        if not expression.guards:
            return value
        limits = " AND ".join(
            f"{self._text(one, {})} BETWEEN {number(low)} AND {number(high)}" for one, low, high in expression.guards
        )
        return f"CASE WHEN {limits} THEN {value} END"

    def _with_names(self, expression: Expression) -> str:
        """Return the text of an expression within the comprehensions that name its shared values, the first outside."""
        groups = _groups(expression)
        names = {group: self._new_name() for group in groups}
        text = _bare(self._text(expression, names))
        for group in reversed(groups):
            members = ", ".join(_bare(self._text(member, names)) for member in group.members)
            value = members if len(group.members) == 1 else f"[{members}]"
            text = f"[{text} for {names[group]} in [{value}]][1]"
        return text

    def _new_name(self) -> str:
        while True:
            name = f"v{self._bound}"
            self._bound += 1
            if name not in self._taken:
                return name

    def _text(self, expression: Expression, names: Names) -> str:
        match expression:
            case ex.Column(name):
                return f"{identifier(name)}::DOUBLE"
            case ex.Number(value):
                return number(value)
            case ex.Operation(symbol, left, right):
                return f"({self._text(left, names)} {symbol} {self._text(right, names)})"
            case ex.Function(name, of):
                return f"{name}({_bare(self._text(of, names))})"
            case ex.Limited(of, low, high):
                text = _bare(self._text(of, names))
                text = text if high is None else f"least({text}, {number(high)})"
                return text if low is None else f"greatest({text}, {number(low)})"
            case ex.Largest(values):
                return f"greatest({', '.join(_bare(self._text(value, names)) for value in values)})"
            case ex.Choice(value, symbol, bound, then, otherwise):
                condition = f"{self._text(value, names)} {symbol} {number(bound)}"
                one, other = _bare(self._text(then, names)), _bare(self._text(otherwise, names))
                return f"CASE WHEN {condition} THEN {one} ELSE {other} END"
            case ex.Where(rule, then, otherwise):
                one, other = _bare(self._text(then, names)), _bare(self._text(otherwise, names))
                return f"CASE WHEN {rule_to_sql(rule)} THEN {one} ELSE {other} END"
            case ex.Shared(group, position):
                return names[group] if len(group.members) == 1 else f"{names[group]}[{position + 1}]"
            case _:
                raise ValueError(f"an expression must not have a {type(expression).__name__} inside it")


def parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions that an expression is made of, without those of a group."""
    match expression:
        case ex.Operation(_, left, right):
            return left, right
        case ex.Largest(values):
            return values
        case ex.Function(_, of) | ex.Limited(of, _, _):
            return (of,)
        case ex.Choice(value, _, _, then, otherwise):
            return value, then, otherwise
        case ex.Where(_, then, otherwise):
            return then, otherwise
        case ex.Guarded(limits, then):
            return *(one for one, _, _ in limits), then
        case _:
            return ()


def _groups(expression: Expression) -> list[Group]:
    """Return the groups that an expression uses, each after those that it uses itself."""
    found: dict[Group, None] = {}

    def visit(one: Expression) -> None:
        match one:
            case ex.Shared(group) if group not in found:
                for member in group.members:
                    visit(member)
                found[group] = None
        for part in parts(one):
            visit(part)

    visit(expression)
    return list(found)


def _columns(expression: Expression) -> set[str]:
    """Return the names of the columns that an expression uses, those of its conditions among them."""
    members = [member for group in _groups(expression) for member in group.members]
    found, ahead = set(), [expression, *members]
    while ahead:
        one = ahead.pop()
        match one:
            case ex.Column(name):
                found.add(name)
            case ex.Where(rule):
                found.update(rule.columns)
        ahead += parts(one)
    return found


def _bare(text: str) -> str:
    """Return a text without brackets around it; only operations and negative numbers begin with one."""
    return text[1:-1] if text.startswith("(") else text
