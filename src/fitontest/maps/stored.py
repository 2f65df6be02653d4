"""Maps as values that can be stored: frozen, equal by their fields, written as JSON and read back bit by bit.

Maps of two classes and of several share this, and one list of kinds, so that a file says by itself what it holds.
"""

from abc import ABC
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from fitontest.maps.rules.conditions import read_rule
from fitontest.partitions.partition import Partition
from fitontest.results.checks import brief, is_real, is_whole
from fitontest.results.companions import modules_of
from fitontest.results.registry import Registry, Shelf
from fitontest.results.serialising import as_text, check_nesting, from_text

M = TypeVar("M", bound="StoredMap")
SCHEMA = 2
MAX_BYTES = 10_000_000  # of JSON that is parsed unless more is asked for


class StoredMap(ABC):
    """What `CalibrationMap` and `MulticlassMap` share: the JSON protocol, equality, hash and pickle.

    A subclass is a frozen dataclass of floats, arrays, partitions and tuples of maps, with a ``kind``.
    """

    kind: ClassVar[str]
    takes_features: ClassVar[bool] = False
    optional: ClassVar[tuple[str, ...]] = ()  # fields that may be None, and are left out of the JSON then

    @property
    def decreasing(self) -> bool:
        """Whether a fitted parameter makes the map fall where it should rise, somewhere or everywhere.

        The sign of a parameter makes c_hat fall, on [0, 1] or towards one of its ends; JSON says so too.
        """
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON-ready values: ``{"schema": 2, "kind": ..., ...}``.

        A decreasing map also has ``"decreasing": True``, and a map of several classes that knows their labels
        ``"classes": [...]`` at the end.
        """
        state = {name: _plain(value) for name, value in self._state().items()}
        flag = {"decreasing": True} if self.decreasing else {}
        return {"schema": SCHEMA, "kind": self.kind, **flag, **state}

    def to_json(self) -> str:
        """Return the map as one line of JSON, the same every time; `from_json` reads it back bit by bit.

        Raises
        ------
        ValueError
            A map of one's own whose numbers are not all finite.

        Examples
        --------
        >>> import fitontest as fot
        >>> fot.maps.KnotsMap([0, 1], [0.1, 0.9]).to_json()
        '{"schema": 2, "kind": "knots", "x": [0.0, 1.0], "c": [0.1, 0.9]}'
        """
        return as_text(self.to_dict(), f"the map of kind {self.kind!r}")

    def _state(self) -> dict[str, Any]:
        """Return the fields by name, the optional ones last, and only where there are any."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        last = {name: state.pop(name) for name in self.optional if name in state}
        return state | {name: value for name, value in last.items() if value is not None}

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Self:
        """Return the map that `to_dict` wrote; works on this base and on each class.

        Parameters
        ----------
        d : dict
            What `to_dict` returned, or the same read from JSON.

        Raises
        ------
        ValueError
            An unknown schema or kind, a kind that is not this class, missing or unknown fields, values that are not
            what the fields hold; a decreasing map that does not say so, and one that wrongly does. The field
            ``"classes"`` of a map of several classes may be missing: the map does not know their labels then.
        """
        return cls._read(d, "d")

    @classmethod
    def from_json(cls, text: str, max_bytes: int | None = MAX_BYTES) -> Self:
        """Return the map that `to_json` wrote; works on this base and on each class.

        The text can name only registered map classes, and nothing in it is executed.

        Parameters
        ----------
        text : str
            What `to_json` wrote.
        max_bytes : int or None, default=10,000,000
            Longer text is refused before it is parsed; None allows any length.

        Raises
        ------
        ValueError
            As `from_dict`; also text that is too long, and what is not strict JSON: duplicate keys, NaN, Infinity.

        Examples
        --------
        >>> import fitontest as fot
        >>> fot.CalibrationMap.from_json('{"schema": 2, "kind": "knots", "x": [0.0, 1.0], "c": [0.1, 0.9]}')([0.5])
        array([0.5])
        """
        return cls._read(from_text(text, "text", max_bytes), "text")

    @classmethod
    def _read(cls, d: dict[str, Any], name: str) -> Self:
        """Return the map of the values; `name` is what they are called in the messages."""
        if not isinstance(d, dict):
            raise ValueError(f"{name} must be a dict of schema {SCHEMA}, got {brief(d)}")
        check_nesting(d, name)
        schema = d.get("schema")
        if not (is_whole(schema) and schema == SCHEMA):
            later = ", which a newer version of fitontest wrote" if is_whole(schema) and schema > SCHEMA else ""
            got = brief(schema) if "schema" in d else "none"
            raise ValueError(f"{name} must be a dict of schema {SCHEMA}, got {got}{later}")
        map_class = registry.find(d.get("kind", ""), "kind")
        if not issubclass(map_class, cls):
            reader = next((base for base in map_class.__mro__ if StoredMap in base.__bases__), StoredMap)
            got = f"{brief(d['kind'])}, which is read by {reader.__name__}"
            raise ValueError(f"kind must be one that {cls.__name__} can read, got {got}")
        expected = {field.name for field in fields(map_class)}  # type: ignore[arg-type]
        flag = {"decreasing"} - expected
        state = {key: value for key, value in d.items() if key not in {"schema", "kind", *flag}}
        left_out = {name for name in map_class.optional if state.get(name) is None} - set(state)
        needed = expected - left_out
        if set(state) != needed:
            raise ValueError(f"{name} must have the fields {sorted(needed)}, got {brief(sorted(map(str, state)))}")
        revived = map_class(**{key: _revived(value, key) for key, value in state.items()})
        for key, value in state.items():
            _check_as_written(value, getattr(revived, key), key)
        _check_flag({key: d[key] for key in flag & d.keys()}, revived, name)
        return revived

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)

    def __hash__(self) -> int:
        values = (getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]
        return hash((self.kind, *((v + 0.0).tobytes() if isinstance(v, np.ndarray) else v for v in values)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through the constructor, which freezes the arrays."""
        return _made, (type(self), self._state())


_MODULES = {  # names, and the files in which they are registered
    "atoms": "fitontest.maps.atoms",
    "beta": "fitontest.maps.beta",
    "binned": "fitontest.maps.binned",
    "hermite": "fitontest.maps.hermite",
    "identity": "fitontest.maps.identity",
    "knots": "fitontest.maps.knots",
    "logistic": "fitontest.maps.logistic",
    "logit_knots": "fitontest.maps.logit_knots",
    "mixture": "fitontest.maps.mixture",
    "restricted_cubic": "fitontest.maps.restricted_cubic",
    "by_class": "fitontest.maps.multiclass.one_vs_rest",
    "diagonal_order": "fitontest.maps.multiclass.diagonal_order",
    "multiclass_identity": "fitontest.maps.multiclass.identity",
    "multiclass_mixture": "fitontest.maps.multiclass.mixture",
    "one_vs_rest": "fitontest.maps.multiclass.one_vs_rest",
    "order_preserving": "fitontest.maps.multiclass.order_preserving",
    "shared": "fitontest.maps.multiclass.shared",
    "softmax": "fitontest.maps.multiclass.softmax",
    "steps": "fitontest.maps.steps",
}
registry: Registry[type[StoredMap], StoredMap] = Registry(
    "calibration map",
    StoredMap,
    Shelf(_MODULES, holds=lambda cls: not cls.takes_features),
    Shelf(modules_of("feature maps"), classes="features", holds=lambda cls: cls.takes_features),
)
unregister = registry.unregister
names = registry.names
make = registry.make


def register(cls: type[M]) -> type[M]:
    """Make a class of calibration maps known, so that its maps can be read back from JSON.

    ``from_dict`` of `CalibrationMap` and `MulticlassMap` find it under its ``kind``.

    Parameters
    ----------
    cls : type
        A subclass of `CalibrationMap` or of `MulticlassMap` with a ``kind`` that no other class has.

    Returns
    -------
    type
        The same class, so that the function can be used as a decorator.

    Raises
    ------
    ValueError
        The ``kind`` is no text, is empty, or is taken.
    TypeError
        `cls` is no class of maps.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.CalibrationMap.from_dict({"schema": 2, "kind": "identity"})  # IdentityMap is registered
    IdentityMap()
    """
    if not hasattr(cls, "kind"):
        raise TypeError(f"cls must be a class of maps, got {brief(cls)}")
    return registry.register(cls.kind)(cls)


def is_map(value: object) -> bool:
    """Return whether a value is a calibration map, where a family is taken too."""
    return isinstance(value, StoredMap)


def _made(map_class: type[StoredMap], state: dict[str, Any]) -> StoredMap:
    return map_class(**state)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):  # a map, a partition or a rule
        return value.to_dict()
    if isinstance(value, tuple):
        return [part.to_dict() if hasattr(part, "to_dict") else part for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _revived(value: Any, name: str) -> Any:
    if isinstance(value, list | tuple) and value and all(isinstance(part, dict) for part in value):
        if all("conditions" in part for part in value):
            return tuple(read_rule(part) for part in value)
        return tuple(StoredMap._read(part, name) for part in value)
    if isinstance(value, dict) and "kind" in value:
        return StoredMap._read(value, name)
    if isinstance(value, dict):
        if set(value) != {"edges", "closed"}:
            raise ValueError(
                f"a partition must have the fields ['closed', 'edges'], got {brief(sorted(map(str, value)))}"
            )
        revived = Partition(value["edges"], value["closed"])
        if np.size(value["edges"]) != revived.edges.size:  # a partition takes all borders too, but is not written so
            raise ValueError(f"edges must be the inner edges of the bins, got {brief(value['edges'])}")
        return revived
    return value


def _check_flag(flag: dict[str, Any], c_hat: StoredMap, name: str) -> None:
    """Refuse a decreasing map that does not say so, and one that says so without being it."""
    if flag and flag["decreasing"] is not True:
        raise ValueError(f"decreasing must be true or left out, got {brief(flag['decreasing'])}")
    if c_hat.decreasing and not flag:
        raise ValueError(
            f"{name} must say that it is decreasing, got a decreasing map of kind {c_hat.kind!r} without "
            f'"decreasing": true; is the sign of a parameter wrong?'
        )
    if flag and not c_hat.decreasing:
        raise ValueError(f"decreasing must be left out, got true for a map of kind {c_hat.kind!r} that is not")


def _check_as_written(given: Any, held: Any, name: str) -> None:
    """Refuse what numpy makes an array of numbers of, but `to_dict` does not write: booleans, and brackets too many."""
    if isinstance(given, dict) and hasattr(held, "edges"):
        _check_as_written(given["edges"], held.edges, "edges")
    elif isinstance(held, np.ndarray):
        rows = [given.tolist() if isinstance(given, np.ndarray) else given]
        for _ in range(held.ndim):
            rows = [value for row in rows for value in row]
        odd = [value for value in rows if not is_real(value)]
        if odd:
            raise ValueError(f"{name} must be {'rows' if held.ndim > 1 else 'a list'} of numbers, got {brief(odd[0])}")
