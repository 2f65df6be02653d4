"""Expressions applied to data frames: eager and lazy ones of every engine that narwhals reads.

Scores are counted before in a pass of their own, to refuse those that are none: on a lazy frame nobody would see them.
"""

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import fitontest.maps.expressions as ex
from fitontest.data.text_column import as_text
from fitontest.maps.expressions import Expression, Group, Guarded
from fitontest.maps.rules.conditions import Above, AtMost, Condition, Missing, OneOf, Present
from fitontest.maps.sql import LARGEST
from fitontest.results.checks import brief

Table: TypeAlias = Any  # a DataFrame or LazyFrame of narwhals
Value: TypeAlias = Any  # an expression of narwhals, or a number

Limits: TypeAlias = tuple[tuple[Expression, float, float], ...]

PREFIX = "_calibration"  # of temporary columns
COMPUTED = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def append_columns(
    frame: Any,
    probs: Sequence[str],
    names: Sequence[str],
    values: Sequence[Guarded],
    *,
    check: bool,
    others: Sequence[str] = (),
) -> Any:
    """Return the frame with the values as new columns, in its own type.

    Parameters
    ----------
    frame : data frame
        Of any library that narwhals reads; a lazy one stays lazy.
    probs : sequence of str
        The columns of scores, which the values name.
    names : sequence of str
        Names of the new columns.
    values : sequence of Guarded
        They share their limits: [0, 1] of each score in turn and, where there are several, those of the sum.
    check : bool
        Whether scores outside the limits are counted before, and refused.
    others : sequence of str, optional
        Columns of other things that the values name.

    Raises
    ------
    ValueError
        What is no data frame, a column that is missing or holds no numbers, a name that is taken, scores that are
        not within their limits.
    """
    import narwhals.stable.v2 as nw

    try:
        table = nw.from_native(frame)
    except TypeError as error:
        raise ValueError(f"frame must be a data frame that narwhals reads, got {type(frame).__name__}") from error
    schema = table.collect_schema()
    _check_columns(schema, probs, names)
    missing = [name for name in others if name not in schema]
    if missing:
        raise ValueError(f"frame must have the columns {brief(list(others))}, got none called {missing[0]!r}")
    writer = _Writer(list(schema))
    table = writer.add(table, {prob: nw.col(prob).cast(nw.Float64) for prob in probs})
    if check:
        _refuse_outside(table, values[0].limits, probs, writer)
    bodies = {name: writer.value(value) for name, value in zip(names, values, strict=True)}
    for stage in writer.stages:
        table = table.with_columns(**stage)
    return table.with_columns(**bodies).drop(writer.temporary).to_native()


def _check_columns(schema: Any, probs: Sequence[str], names: Sequence[str]) -> None:
    import narwhals.stable.v2 as nw

    known = list(schema)
    for prob in probs:
        if prob not in known:
            raise ValueError(f"prob must be a column of the frame, got {prob!r}; its columns are {brief(known)}")
        if not (schema[prob].is_numeric() or schema[prob] == nw.Boolean):
            raise ValueError(f"prob must be a column of numbers, got {prob!r} of {schema[prob]}")
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise ValueError(f"name must be that of a new column, got {name!r}")
        same = [one for one in (*known, *names[:i]) if one.lower() == name.lower()]  # one column for some engines
        if same:
            raise ValueError(f"name must not be a column of the frame already, got {brief(same[0])}")


def _refuse_outside(table: Table, limits: Limits, probs: Sequence[str], writer: "_Writer") -> None:
    """Count the values that are NaN or outside their limits, and refuse them; a missing one is neither."""
    import narwhals.stable.v2 as nw

    flags: dict[str, Value] = {}
    for one, low, high in limits:
        value = writer.value(one)
        for bad in (value.is_nan(), ~((value >= low) & (value <= high))):
            flag = nw.when(bad).then(1.0).otherwise(0.0)
            flags[writer.new_name()] = nw.when(value.is_null()).then(0.0).otherwise(flag)
    sums = table.with_columns(**flags).select(nw.len().alias("rows"), *(nw.col(name).sum() for name in flags))
    n, *counts = (int(count or 0) for count in _only_row(sums))
    found = [(nan, outside - nan) for nan, outside in zip(counts[::2], counts[1::2], strict=True)]  # NaN lies in none
    bad = [f"{nan} NaN and {outside} outside" for nan, outside in found]
    if any(map(any, found[: len(probs)])):
        got = ", ".join(f"{text} in {prob!r}" for prob, text, pair in zip(probs, bad, found, strict=False) if any(pair))
        raise ValueError(f"prob must hold scores in [0, 1], got {got} (of {n} rows)")
    if any(map(any, found[len(probs) :])):
        tolerance = limits[-1][2] - 1.0
        raise ValueError(
            f"prob must name columns that add up to 1 in each row (within {tolerance:g}), got {sum(found[-1])} of {n} "
            f"rows that do not"
        )


def _only_row(table: Table) -> Sequence[Any]:
    """Return the values of a table of one row; narwhals would read those of DuckDB and Spark by pyarrow."""
    import narwhals.stable.v2 as nw

    native = table.to_native()
    if not isinstance(table, nw.LazyFrame):
        return table.rows()[0]  # type: ignore[no-any-return]  # row(0) has scalars of pyarrow, no numbers
    if table.implementation.is_duckdb():
        return tuple(native.fetchall()[0])
    if table.implementation.is_spark_like():
        return tuple(native.first())
    return table.collect().rows()[0]


class _Writer:
    """Writes expressions for one frame; shared values become temporary columns, in stages one after another.

    Attributes
    ----------
    stages : list of dict
        Columns to add before the expressions can be computed, those of a stage from those before it.
    temporary : list of str
        The columns to drop at the end.
    """

    def __init__(self, known: Sequence[str]) -> None:
        self.stages: list[dict[str, Value]] = []
        self.temporary: list[str] = []
        self._prefix, self._named = PREFIX, 0
        while any(name.lower().startswith(self._prefix) for name in known):
            self._prefix += "_"
        self._columns: dict[str, str] = {}
        self._groups: dict[Group, list[str]] = {}
        self._guards: dict[Limits, str] = {}

    def new_name(self) -> str:
        """Return a name that no column has."""
        self._named += 1
        return f"{self._prefix}{self._named}"

    def add(self, table: Table, columns: dict[str, Value]) -> Table:
        """Return the table with temporary columns, for which the names of expressions stand from now on."""
        self._columns = {name: self.new_name() for name in columns}
        self.temporary += self._columns.values()
        return table.with_columns(**{self._columns[name]: value for name, value in columns.items()})

    def value(self, expression: Expression) -> Value:
        """Return what narwhals computes for an expression: an expression of its own, or a number."""
        import narwhals.stable.v2 as nw

        match expression:
            case ex.Column(name):
                return nw.col(self._columns[name])
            case ex.Number(value):
                return value
            case ex.Operation(symbol, left, right):
                return COMPUTED[symbol](self.value(left), self.value(right))
            case ex.Function(name, of):
                value = self.value(of)
                return value.log() if name == "ln" else value.exp()
            case ex.Limited(of, low, high):
                return _as_expression(self.value(of)).clip(low, high)
            case ex.Largest(values):
                return self._largest([self.value(value) for value in values])
            case ex.Choice(value, symbol, bound, then, otherwise):
                compared = self.value(value)
                condition = compared < bound if symbol == "<" else compared <= bound
                return nw.when(condition).then(self.value(then)).otherwise(self.value(otherwise))
            case ex.Where(rule, then, otherwise):
                met = [_met(condition) for condition in rule.conditions] or [nw.lit(True)]
                return nw.when(*met).then(self.value(then)).otherwise(self.value(otherwise))
            case Guarded(limits, then):
                return nw.when(nw.col(self._within(limits)) > 0.0).then(self.value(then))
            case ex.Shared(group, position):
                return nw.col(self._names(group)[position])
            case _:
                raise ValueError(f"an expression must be one of fitontest's, got {brief(expression)}")

    def _largest(self, values: list[Value]) -> Value:
        """Return the largest value, by stages of pairs: dask has no maximum of columns."""
        import narwhals.stable.v2 as nw

        while len(values) > 1:
            pairs = zip(values[::2], values[1::2], strict=False)
            larger = [nw.when(one >= other).then(one).otherwise(other) for one, other in pairs]
            values = [*map(nw.col, self._add_stage(larger)), *values[2 * len(larger) :]]
        return values[0]

    def _within(self, limits: Limits) -> str:
        """Return the column that is 1 where all limits are kept, which a stage adds once for all that share them."""
        import narwhals.stable.v2 as nw

        if limits not in self._guards:
            kept = [(self.value(one) >= low) & (self.value(one) <= high) for one, low, high in limits]
            self._guards[limits] = self._add_stage([nw.when(*kept).then(1.0)])[0]
        return self._guards[limits]

    def _names(self, group: Group) -> list[str]:
        """Return the columns that hold the members of a group, which a stage adds."""
        if group not in self._groups:
            values = [_as_expression(self.value(member)) for member in group.members]  # adds the stages that it needs
            self._groups[group] = self._add_stage(values)
        return self._groups[group]

    def _add_stage(self, values: Sequence[Value]) -> list[str]:
        names = [self.new_name() for _ in values]
        self.stages.append(dict(zip(names, values, strict=True)))
        self.temporary += names
        return names


def _met(condition: Condition) -> Value:
    """Return whether rows meet a condition on a column; NaN, which some engines sort above all numbers, does not."""
    import narwhals.stable.v2 as nw

    column = nw.col(condition.column)
    match condition:
        case AtMost(_, value):
            return column.cast(nw.Float64) <= value
        case Above(_, value):
            numbers = column.cast(nw.Float64)
            return (numbers > value) & (numbers <= LARGEST)
        case OneOf(_, levels):
            texts = any(isinstance(level, str) for level in levels)
            return (as_text(column) if texts else column).is_in(list(levels))
        case Missing(_, numbers):
            return column.is_null() | (column.cast(nw.Float64) > LARGEST) if numbers else column.is_null()
        case Present(_, numbers):
            return column.cast(nw.Float64) <= LARGEST if numbers else ~column.is_null()
        case _:
            raise ValueError(f"a condition must be one of fitontest's, got {brief(condition)}")


def _as_expression(value: Value) -> Value:
    """Return a number as an expression, as which narwhals has methods for it."""
    import narwhals.stable.v2 as nw

    return nw.lit(value) if isinstance(value, float) else value
