"""Columns of features: numbers and categories with missing values."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias, overload

import numpy as np

from fitontest.results.checks import brief, is_real, meant
from fitontest.results.typing import BoolArray, FloatArray, IntArray

#: Which columns are categories whatever they hold; by default as their types say.
CategoricalFeatures: TypeAlias = str | Iterable[str | int | bool] | None
FROM_DTYPE = "from_dtype"
Level: TypeAlias = str | bool | int | float
MISSING = -1  # the code of a missing category
UNLIKELY = -1.6180339887e-7  # a number that stands for a missing one where rows are told apart
LARGEST = 1e300  # number that is told apart at first sight


@dataclass(frozen=True, eq=False)
class Column(ABC):
    """A feature of the rows.

    Attributes
    ----------
    name : str
    """

    is_number: ClassVar[bool]
    name: str

    @property
    @abstractmethod
    def missing(self) -> BoolArray:
        """Which rows have no value, shape (n,)."""

    @property
    @abstractmethod
    def as_finite(self) -> FloatArray:
        """A finite number for each row, hardly ever the same for different values."""

    @property
    @abstractmethod
    def as_table(self) -> list[FloatArray]:
        """The values in columns of numbers without a missing one, from which they could be told."""

    @abstractmethod
    def take(self, rows: Any) -> Self:
        """Return the values of some rows."""

    @abstractmethod
    def numbers(self) -> FloatArray:
        """Return the numbers, NaN where there is none.

        Raises
        ------
        ValueError
            Categories; but a column without a value has no kind.
        """

    @abstractmethod
    def is_among(self, levels: Sequence[Level]) -> BoolArray:
        """Return which rows have one of these values.

        Parameters
        ----------
        levels : sequence of str, bool, int or float

        Raises
        ------
        ValueError
            Texts that are looked for among other values, or the other way round.
        """

    @abstractmethod
    def either(self, of_numbers: Any, of_categories: Any) -> Any:
        """Return what serves numbers, or what serves categories.

        Parameters
        ----------
        of_numbers, of_categories : object
            Such as two functions of a column.
        """

    def others(self, levels: Sequence[Level]) -> tuple[Level, ...]:  # noqa: ARG002 - numbers have no levels
        """Return the levels that rows have, but for these.

        Parameters
        ----------
        levels : sequence of str, bool, int or float
        """
        return ()

    @abstractmethod
    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Numbers(Column):
    """A column of numbers.

    Attributes
    ----------
    values : array of shape (n,)
        NaN where there is none.
    """

    is_number: ClassVar[bool] = True
    values: FloatArray

    @property
    def missing(self) -> BoolArray:
        """Which rows have no number."""
        return np.isnan(self.values)

    @property
    def as_finite(self) -> FloatArray:
        """The numbers, with one that hardly occurs where there is none."""
        return np.clip(np.nan_to_num(self.values, nan=UNLIKELY), -LARGEST, LARGEST)

    @property
    def as_table(self) -> list[FloatArray]:
        """The numbers, and which of them are missing, where any is."""
        missing = self.missing
        return [np.where(missing, 0.0, self.values), *([missing.astype(np.float64)] if missing.any() else [])]

    def numbers(self) -> FloatArray:
        """Return the numbers."""
        return self.values

    def is_among(self, levels: Sequence[Level]) -> BoolArray:
        """Return which numbers are among these."""
        numbers = [level for level in levels if is_real(level)]
        if len(numbers) < len(levels):
            raise ValueError(f"X must have categories in column {self.name!r}, such as {brief(levels[0])}; got numbers")
        return np.isin(self.values, numbers)

    def either(self, of_numbers: Any, of_categories: Any) -> Any:  # noqa: ARG002 - the other is of categories
        """Return what serves numbers."""
        return of_numbers

    def take(self, rows: Any) -> "Numbers":
        """Return the numbers of some rows."""
        return Numbers(self.name, self.values[rows])

    def __len__(self) -> int:
        return self.values.size


@dataclass(frozen=True, eq=False)
class Categories(Column):
    """A column of categories: texts, booleans, or the values of a categorical type.

    Attributes
    ----------
    codes : int array of shape (n,)
        The place of each value among the levels, -1 where there is none.
    levels : tuple
        The values, in order; some of them may have no row.
    """

    is_number: ClassVar[bool] = False
    codes: IntArray
    levels: tuple[Level, ...]

    @property
    def missing(self) -> BoolArray:
        """Which rows have no value."""
        return np.asarray(self.codes == MISSING)

    @property
    def as_finite(self) -> FloatArray:
        """A number for each level."""
        return self.codes.astype(np.float64) + 2.0

    @property
    def as_table(self) -> list[FloatArray]:
        """The codes."""
        return [self.codes.astype(np.float64)]

    def numbers(self) -> FloatArray:
        """Return that no row has a number, or refuse categories."""
        if not self.missing.all():
            raise ValueError(f"X must have numbers in column {self.name!r}, got categories")
        return np.full(len(self), np.nan)

    def is_among(self, levels: Sequence[Level]) -> BoolArray:
        """Return which rows have one of these levels."""
        self.check_comparable(levels)
        named = frozenset(levels)
        known = np.array([level in named for level in self.levels] + [False])  # the last of code -1
        return np.asarray(known[self.codes])

    def either(self, of_numbers: Any, of_categories: Any) -> Any:  # noqa: ARG002 - the other is of numbers
        """Return what serves categories."""
        return of_categories

    def others(self, levels: Sequence[Level]) -> tuple[Level, ...]:
        """Return the levels that rows have, but for these."""
        occurring = np.bincount(self.codes[self.codes != MISSING], minlength=len(self.levels)) > 0
        found = (level for level, occurs in zip(self.levels, occurring.tolist(), strict=True) if occurs)
        return tuple(level for level in found if level not in levels)

    def take(self, rows: Any) -> "Categories":
        """Return the values of some rows; levels that none of them has stay known."""
        return Categories(self.name, self.codes[rows], self.levels)

    def check_comparable(self, wanted: Sequence[Level]) -> None:
        """Refuse levels of which no value here could ever be one: texts are not taken for booleans or numbers.

        Files of text have "True" where a data frame has True.

        Parameters
        ----------
        wanted : sequence of str, bool, int or float

        Raises
        ------
        ValueError
            Either the levels of the column or those wanted are all texts, and the others all none.
        """
        kinds = {isinstance(level, str) for level in wanted}, {isinstance(level, str) for level in self.levels}
        if all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
            expected, found = ("texts" if True in kind else "no texts" for kind in kinds)
            raise ValueError(
                f"X must have {expected} in column {self.name!r}, such as {brief(wanted[0])}; "
                f"got {found}, such as {brief(self.levels[0])}"
            )

    def __len__(self) -> int:
        return self.codes.size


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Column]):
    """The features of n rows.

    Attributes
    ----------
    columns : tuple of Column
        Of different names.
    n : int
        Rows.

    Examples
    --------
    >>> columns = Columns((Numbers("age", np.array([20.0, 60.0])), Categories("sex", np.array([0, 1]), ("f", "m"))), 2)
    >>> columns.names, columns.named("age").values
    (['age', 'sex'], array([20., 60.]))
    """

    columns: tuple[Column, ...]
    n: int

    @overload
    def __getitem__(self, place: int) -> Column: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Column, ...]: ...

    def __getitem__(self, place: int | slice) -> Column | tuple[Column, ...]:
        return self.columns[place]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return [column.name for column in self.columns]

    def named(self, name: str) -> Column:
        """Return the column of that name.

        Parameters
        ----------
        name : str

        Raises
        ------
        ValueError
            There is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise ValueError(f"X must have the column {name!r}, got {brief(self.names)}{meant(name, self.names)}")

    def take(self, rows: Any) -> "Columns":
        """Return the features of some rows.

        Parameters
        ----------
        rows : array of int or bool
        """
        rows = np.asarray(rows)
        n = int(np.count_nonzero(rows)) if rows.dtype == bool else rows.size
        return Columns(tuple(column.take(rows) for column in self.columns), n)

    def chosen(self, names: Sequence[str]) -> "Columns":
        """Return the columns of these names.

        Parameters
        ----------
        names : sequence of str
        """
        return Columns(tuple(self.named(name) for name in names), self.n)
