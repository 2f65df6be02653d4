"""Results by key: of models, segments or classes, in order, with that of all rows where there is one."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from fitontest.results.checks import brief
from fitontest.results.frames import Records
from fitontest.results.table import Table

Kind: TypeAlias = Literal["class", "segment", "model"]
CLASS: Kind = "class"
SEGMENT: Kind = "segment"
MODEL: Kind = "model"
MANY: dict[Kind, str] = {"class": "classes", "segment": "segments", "model": "models"}
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T", bound=Hashable)


class Several(Table, Mapping[K, V]):
    """Base of results that hold one result for each key: a mapping in the order of the data, and a table of all.

    A subclass says what the keys are and holds the results. Tables, JSON and the refusal of an unknown key follow;
    where its records are others it defines them.
    """

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What the keys are."""

    @property
    @abstractmethod
    def _results(self) -> Mapping[K, V]:
        """The results by key."""

    def _absent(self, key: K) -> str:
        """Return why there is no result of a key."""
        return f"{key!r} is not among the {MANY[self.kind]} {brief([*self])}"

    def __getitem__(self, key: K) -> V:
        """Return the result of a key."""
        if key not in self._results:
            raise KeyError(self._absent(key))
        return self._results[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def _named(self) -> list[tuple[Any, Any]]:
        """The results with what they are called in records; where there is one of all rows it comes last."""
        return [*self.items()]

    def rows(self) -> Records:
        """Return the records of each result, with its name."""
        records = [{self.kind: name, **row} for name, result in self._named for row in result.rows()]
        blank = dict.fromkeys(key for record in records for key in record)
        return [{**blank, **record} for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Return each result as JSON-ready values, in a list, since JSON has no keys but texts."""
        return {MANY[self.kind]: [self._entry(key, result) for key, result in self.items()]}

    def _entry(self, key: K, result: Any) -> dict[str, Any]:
        """Return a result as JSON-ready values, with its key."""
        return {self.kind: key, **result.to_dict()}


def grouped(pairs: Iterable[tuple[T, V]]) -> dict[T, list[V]]:
    """Return what belongs to each text or other value, in order, such as the names that a note is of.

    Parameters
    ----------
    pairs : iterable of tuple
        A value that can be hashed, and what belongs to it.

    Examples
    --------
    >>> grouped([("few rows", "north"), ("one class", "south"), ("few rows", "west")])
    {'few rows': ['north', 'west'], 'one class': ['south']}
    """
    found: dict[T, list[V]] = {}
    for value, one in pairs:
        found.setdefault(value, []).append(one)
    return found
