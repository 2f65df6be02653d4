"""Samples by key: the classes of a matrix of scores, each against the rest, the segments of the rows, or models.

What is asked of several samples is asked the same way whichever they are: a mapping from the key, a label or the value
of a segment, to its sample, in order. A sample of a class is made each time that it is asked for, because sorted it
takes as much memory as a column of the matrix, and K of them as much as the matrix and its sorted copy.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

from fitontest.data.group_hint import GroupHint
from fitontest.data.sample import Facts
from fitontest.data.weights import Weighting
from fitontest.results.several import CLASS, MANY, SEGMENT, Kind

Key: TypeAlias = Hashable


@dataclass(frozen=True, eq=False, repr=False)
class ByKey(Mapping[Key, Any]):
    """Values by key, in order, each made when it is asked for.

    Parameters
    ----------
    labels : list
        The keys.
    make : callable
        From the place of a key, counted from 0, to its value.
    """

    labels: list[Any]
    make: Callable[[int], Any]

    @cached_property
    def _places(self) -> dict[Key, int]:
        return {key: place for place, key in enumerate(self.labels)}

    def __getitem__(self, key: Key) -> Any:
        return self.make(self._places[key])

    def __iter__(self) -> Iterator[Key]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.labels})"


@dataclass(frozen=True, eq=False, repr=False)
class Samples(ByKey):
    """Checked data of several classes or segments, by name, with all rows together.

    Parameters
    ----------
    labels : list of length K
        The keys: the class of each column, the value of each segment (a tuple for several columns), or the names of
        models.
    make : callable
        From the place of a key to its sample; of segments of several classes the `Samples` of the classes.
    kind : {"class", "segment", "model"}
        Whether the keys are classes, each held against the rest of the same rows, segments of rows of their own, or
        models, whose scores of the same rows have the same labels and weights.
    whole : sample, Samples, Predictions or ClassCells
        Of segments that of all rows; of classes the matrix of their scores, or their cells; of models that of the
        first one.
    size : int
        Of classes the scores of all together, of segments the rows, of models those of one.
    name : str
        What the keys are called: of segments the name of their column.
    empty : tuple
        Segments whose rows all have weight 0, in order; they have no sample.
    columns : tuple of str
        Of segments the columns that make them, as far as these have names.
    unions : Unions or None
        Of segments that overlap the disjoint parts that they are made of.

    Examples
    --------
    >>> import fitontest as fot
    >>> samples = fot.read(["a", "b", "a"], [[0.8, 0.2], [0.4, 0.6], [0.6, 0.4]], reduction="classwise")
    >>> samples.kind, list(samples), samples["b"].n
    ('class', ['a', 'b'], 3)
    >>> by_region = fot.read([0, 1, 1], [0.2, 0.7, 0.6], by=["north", "north", "south"])
    >>> by_region.kind, {region: sample.n for region, sample in by_region.items()}, by_region.whole.n
    ('segment', {'north': 2, 'south': 1}, 3)
    """

    kind: Kind
    whole: Any
    size: int
    name: str
    empty: tuple[Key, ...] = ()
    columns: tuple[str, ...] = ()
    unions: "Unions | None" = None

    @classmethod
    def of_segments(
        cls,
        samples: Mapping[Key, Any],
        whole: Any,
        name: str = SEGMENT,
        empty: tuple[Key, ...] = (),
        columns: tuple[str, ...] = (),
    ) -> "Samples":
        """Return the checked data of segments, made from those of each.

        Parameters
        ----------
        samples : dict
            From each segment to its sample.
        whole : sample or Samples
            Of all rows.
        name : str
            Of the column that makes the segments.
        empty : tuple
            Segments without rows of positive weight.
        columns : tuple of str
            The names of the columns, where there are several.
        """
        each = list(samples.values())
        size = sum(sample.size for sample in each)
        return cls(list(samples), each.__getitem__, SEGMENT, whole, size, name, empty, columns)

    def each(self, change: Callable[[Any], Any]) -> "Samples":
        """Return the segments after a change of the samples of all of them, of the whole, and of their parts.

        Parameters
        ----------
        change : callable
            From a sample to another one of the same rows.
        """
        samples = {key: change(sample) for key, sample in self.items()}
        found = Samples.of_segments(samples, change(self.whole), self.name, self.empty, self.columns)
        if self.unions is None:
            return found
        return replace(found, unions=Unions(self.unions.parts.each(change), self.unions.members))

    @property
    def n(self) -> int:
        """Rows of positive weight; classes and models share them."""
        return int(self.whole.n)

    @property
    def weighting(self) -> Weighting | None:
        """Whether weights were taken for counts or importances; None where rows have no weights."""
        return self.shared.weighting  # type: ignore[no-any-return]

    @property
    def rows_note(self) -> str:
        """What must be known of the rows before something is concluded from them, or ""."""
        return self.shared.rows_note  # type: ignore[no-any-return]

    @property
    def facts(self) -> Facts:
        """Columns that belong to the rows and travel with them."""
        return self.shared.facts  # type: ignore[no-any-return]

    @property
    def groups(self) -> Any:
        """Which rows belong together, a `RowGroups` of all rows; None where rows are independent."""
        return self.shared.groups

    @property
    def is_by_class(self) -> bool:
        """Whether the names are those of classes."""
        return False

    @property
    def is_by_segment(self) -> bool:
        """Whether the names are those of segments."""
        return self.kind == SEGMENT

    @property
    def segments(self) -> "Samples | None":
        """The samples by segment: these, unless they are models."""
        return self if self.is_by_segment else None

    @property
    def all_rows(self) -> Any:
        """The data of all rows together, without segments."""
        return self.whole

    @property
    def each_class(self) -> Mapping[Key, Any]:
        """The samples of the classes, where these are judged one by one; empty of others."""
        return {}

    @property
    def classes(self) -> list[Any] | None:
        """The classes; None of segments with one score."""
        return self.whole.classes  # type: ignore[no-any-return]

    @property
    def base_rate(self) -> float | None:
        """Weighted share of positives; None of several classes."""
        return self.whole.base_rate  # type: ignore[no-any-return]

    @property
    def has_one_score(self) -> bool:
        """Whether a row has one score in one sample."""
        return bool(self.whole.has_one_score)

    @property
    def has_distributions(self) -> bool:
        """Whether a row has a whole distribution in one sample."""
        return bool(self.whole.has_distributions)

    @property
    def n_classes(self) -> int:
        """How many classes there are; 2 of one score."""
        return int(self.whole.n_classes)

    @property
    def reduction(self) -> str | None:
        """How the probabilities of several classes were reduced to scores."""
        return self.whole.reduction  # type: ignore[no-any-return]

    @property
    def shared(self) -> Any:
        """The data that hold the weights of all rows."""
        return self.whole.shared

    def with_hint(self, hint: GroupHint) -> Self:
        """Return the same with what names groups, in each sample too.

        Parameters
        ----------
        hint : GroupHint
            Found where the rows were read.
        """
        each = [sample.with_hint(hint) for sample in self.values()]
        return replace(self, make=each.__getitem__, whole=self.whole.with_hint(hint))

    def __repr__(self) -> str:
        return f"Samples({len(self)} {MANY[self.kind]})"


@dataclass(frozen=True, eq=False, repr=False)
class ClassSamples(Samples):
    """Those of the classes of a matrix of scores, each against the rest of the same rows."""

    @classmethod
    def of(
        cls, labels: list[Any], make: Callable[[int], Any], whole: Any, size: int, name: str = CLASS
    ) -> "ClassSamples":
        """Return the samples of classes, each made when it is asked for.

        Parameters
        ----------
        labels, make, whole, size, name
            As for `Samples`.
        """
        return cls(labels, make, CLASS, whole, size, name)

    @property
    def is_by_class(self) -> bool:
        """Whether the names are those of classes: True."""
        return True

    @property
    def all_rows(self) -> Any:
        """These: classes share their rows."""
        return self

    @property
    def each_class(self) -> Mapping[Key, Any]:
        """These samples."""
        return self

    def against_each_rest(self) -> "ClassSamples":
        """Return these samples."""
        return self

    @property
    def judged_together(self) -> Any:
        """The confidence of the rows; these samples, where they were made of cells, which do not keep rows."""
        return self.whole.confidence() if self.whole.keeps_rows else self

    @property
    def classes(self) -> list[Any]:
        """The classes."""
        return self.labels

    @property
    def base_rate(self) -> None:
        """None: several classes have no base rate."""
        return

    @property
    def has_one_score(self) -> bool:
        """Whether a row has one score: it has one for each class."""
        return False

    @property
    def has_distributions(self) -> bool:
        """Whether a row has a whole distribution in one sample: each class has a sample of its own."""
        return False

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    @property
    def reduction(self) -> str:
        """How the probabilities of several classes were reduced to scores: class by class."""
        return "classwise"

    @property
    def shared(self) -> Any:
        """The data that hold the weights of all rows: those of the first class."""
        return self.make(0).shared

    def with_hint(self, hint: GroupHint) -> Self:
        """Return the same with what names groups, in each sample too when it is made.

        Parameters
        ----------
        hint : GroupHint
            Found where the rows were read.
        """

        def make(place: int) -> Any:
            return self.make(place).with_hint(hint)

        return replace(self, make=make)


@dataclass(frozen=True, eq=False)
class Unions:
    """The disjoint parts of segments that overlap.

    Attributes
    ----------
    parts : Samples
        By segment of all columns crossed; each row is in one of them.
    members : tuple of tuples of int
        For each segment the places of its parts.
    """

    parts: Samples
    members: tuple[tuple[int, ...], ...]
