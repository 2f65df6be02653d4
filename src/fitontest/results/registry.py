"""A registry: names of classes or values, filled by class decorators and by the entry points of other packages.

Families, measures, partitions, maps, norms, distances and losses of a bin are all looked up by name. A new one is a
class and one decorator line; a third-party package lists its class under an entry-point group instead. The modules of
this package that register something are listed by name and imported when the name is used, so that nobody waits for
what is not used.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from importlib import import_module, metadata
from inspect import signature
from typing import Any, Generic, TypeVar

import numpy as np

from fitontest.results.checks import brief, check_known, choose, not_among

E = TypeVar("E")  # an entry: a class, or a value such as a norm
T = TypeVar("T")  # what is made of it
Entered = TypeVar("Entered")
SEEDS = ("random_state",)


@dataclass(frozen=True)
class Shelf(Generic[E]):
    """The entries of one kind in a registry.

    Parameters
    ----------
    modules : mapping of str to str, optional
        The names that modules of this package register, and these modules. A module is imported when one of its names
        is used, or when a name, which could be an alias, is not among them.
    group : str, default=""
        Entry-point group that is searched for names not registered by a decorator.
    classes : str, default=""
        What `Registry.names` calls the kind, such as "two": of scores of two classes.
    holds : callable, optional
        Whether an entry is of the kind; the same entry may be of several.
    """

    modules: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    classes: str = ""
    holds: Callable[[E], bool] = lambda entry: True  # noqa: ARG005 - the signature of every rule


class Registry(Mapping[str, E], Generic[E, T]):
    """A mapping from names to the classes, or values, that they stand for.

    `fot.families`, `fot.measures`, `fot.partitions`, `fot.maps`, `fot.norms`, `fot.distances` and `fot.bin_losses`
    have one each, called ``registry``, and its methods `names`, `make`, `register` and `unregister` as functions.

    Parameters
    ----------
    noun : str
        What is registered, for error messages ("family").
    base : type
        Every registered class must derive from it; every registered value must be of it.
    *shelves : Shelf
        The kinds of entries; without any there is one, of which this package lists nothing in advance.
    values : bool, default=False
        Whether the entries are values of `base`, not classes.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.families.names("any")[:4]
    ['bias_corrected', 'diagonal_order', 'dir_l2', 'dir_odir']
    >>> fot.families.make("slope1", n_bins=15)
    Slope1(n_bins=15)
    >>> @fot.families.register("my_identity")
    ... class MyIdentity(fot.Family):
    ...     def fit_map(self, sample):
    ...         return fot.maps.IdentityMap()
    >>> "my_identity" in fot.families.registry
    True
    >>> fot.families.unregister("my_identity")
    """

    def __init__(self, noun: str, base: type[T], *shelves: Shelf[E], values: bool = False) -> None:
        self._noun = noun
        self.base = base
        self._values = values
        self._shelves = shelves
        self._kinds = {shelf.classes: shelf for shelf in shelves if shelf.classes}
        self._modules = {name: module for shelf in shelves for name, module in shelf.modules.items()}
        self._entries: dict[str, E] = {}
        self._aliases: dict[str, str] = {}
        self._settings: dict[str, dict[str, Any]] = {}

    def register(self, name: str, /, *, aliases: tuple[str, ...] = (), **settings: Any) -> Callable[[Entered], Entered]:
        """Return a class decorator that registers a class under a name and under each alias.

        Parameters
        ----------
        name : str
            The new name; not empty, and not the name or alias of another entry.
        aliases : tuple of str, default=()
            Further names of it, as new as `name`.
        **settings
            Parameters of the class that the name sets, with their values; none by default. One class may stand under
            several names with several settings.

        Returns
        -------
        callable
            The decorator. It takes the class and returns it unchanged.

        Raises
        ------
        ValueError
            A name that is no text, is empty, or is taken; from the decorator, for a setting that the class does not
            have.
        TypeError
            From the decorator, for a class of another kind than those of the registry.

        Examples
        --------
        >>> from dataclasses import dataclass
        >>> import fitontest as fot
        >>> @fot.measures.register("scaled_up", factor=10.0)
        ... @fot.measures.register("scaled")
        ... @dataclass(frozen=True)
        ... class Scaled(fot.Measure):
        ...     factor: float = 1.0
        ...     def estimate(self, sample):
        ...         return fot.measures.Estimate.of(self, sample, self.factor * sample.base_rate)
        >>> fot.measures.make("scaled_up"), fot.measures.make("scaled").name
        (Scaled(factor=10.0), 'scaled')
        >>> fot.measures.unregister("scaled"), fot.measures.unregister("scaled_up")
        (None, None)
        """
        for text in (name, *aliases):
            if not isinstance(text, str) or not text:
                raise ValueError(f'name must be a non-empty string, as in @register("name"), got {text!r}')
        self._check_new(name, *aliases)

        def enter(entry: Any) -> Any:
            self._check(name, entry)
            _check_settings(entry, settings, name)
            if entry.__module__ not in self._modules.values():  # after all of this package, to find the names taken
                _import_all(self._modules)
            self._check_new(name, *aliases)
            self._entries[name] = entry
            self._settings[name] = settings
            self._aliases.update(dict.fromkeys(aliases, name))
            return entry

        return enter

    def unregister(self, name: str) -> None:
        """Remove a registered name and its aliases again, as the test of an extension must.

        The name is no alias itself.

        Parameters
        ----------
        name : str
            The name under which something was registered.

        Raises
        ------
        ValueError
            Nothing is registered under this name.
        """
        if name not in self._entries:
            self._load(name)
        if name not in self._entries:
            raise ValueError(f"name must be that of a registered {self._noun}, got {name!r}")
        del self._entries[name]
        self._modules.pop(name, None)
        self._settings.pop(name, None)
        self._aliases = {alias: target for alias, target in self._aliases.items() if target != name}

    def names(self, classes: str | None = None) -> list[str]:
        """Return the registered names, without aliases, in alphabetical order.

        Nothing of this package is imported.

        Parameters
        ----------
        classes : str, optional
            Only those of one kind: "two", of scores of two classes; "any", of a column for each class; in
            `fot.families` also "features", the calibrators that see the features of the rows. Some names are of
            several kinds.

        Raises
        ------
        ValueError
            Another value of `classes`, or one where all entries are of one kind.
        """
        names = sorted({*self._entries, *self._modules, *_plugins(self._shelves)})
        if classes is None:
            return names
        if not self._kinds:
            raise ValueError(f"classes must be None, as each {self._noun} is of the same kind; got {brief(classes)}")
        shelf = self._kinds[choose(classes, self._kinds, "classes")]
        return [name for name in names if self._is_on(shelf, name)]

    def make(self, name: str, /, **settings: Any) -> T:
        """Return the object that a name stands for, made with these settings.

        Parameters
        ----------
        name : str
            One of `names`, or an alias.
        **settings
            Parameters of the class, beside or instead of those that the name stands for. Norms and distances have none.

        Raises
        ------
        ValueError
            For an unknown name, with the known ones; for a setting that the class does not have, with those it has;
            for a value that it refuses.
        """
        entry: Any = self.find(name, self._noun)
        _check_settings(entry, settings, name)
        implied = self._settings.get(self._aliases.get(name, name), {})
        return entry if self._values else entry(**{**implied, **settings})  # type: ignore[no-any-return]

    def find(self, name: str, argument: str, classes: str | None = None) -> E:
        """Return the entry called `name`, of the kind `classes`; `argument` is named in the error message."""
        if not isinstance(name, str):
            raise ValueError(f"{argument} must be the name of a {self._noun}, got {brief(name)}")
        entry = self.get(name)
        if entry is None or not (classes is None or self._kinds[classes].holds(entry)):
            names = {*self.names(classes)}
            names |= {alias for alias, target in self._aliases.items() if target in names}
            raise ValueError(not_among(name, sorted(names, key=str.lower), argument))
        return entry

    def name_of(self, entry: object) -> str | None:
        """Return the name under which an entry was registered, if it was."""
        return next((name for name, known in self._entries.items() if known is entry), None)

    def __getitem__(self, name: str) -> E:
        """Return the entry of a name or alias; KeyError where there is none."""
        if name not in self._entries and name not in self._aliases:
            self._load(name)
        return self._entries[self._aliases.get(name, name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a name or alias; the entry points are searched only for one not registered."""
        if name in self._entries or name in self._modules:
            return True
        _import_all(self._modules)  # the name may be an alias
        return name in self._entries or name in self._aliases or name in _plugins(self._shelves)

    def _is_on(self, shelf: Shelf[E], name: str) -> bool:
        """Return whether a name is of that kind; one of another package is imported only if its group holds several."""
        if name in self._modules:  # several names of one class may be of different kinds
            return name in shelf.modules
        groups = [other.group for other in self._shelves]
        if name not in self._entries and groups.count(shelf.group) == 1:
            return any(point.name == name for point in entry_points(group=shelf.group))
        return shelf.holds(self[name])

    def _load(self, name: str) -> None:
        """Enter what is called `name`: of this package by importing its module, of another by its entry point."""
        if name in self._modules:
            import_module(self._modules[name])
            return
        _import_all(self._modules)
        if name not in self._aliases and name in (plugins := _plugins(self._shelves)):
            entry = plugins[name]()
            self._check(name, entry)
            self._entries[name] = entry
            self._settings[name] = {}

    def _check_new(self, *names: str) -> None:
        """Raise ValueError for a name that a loaded entry has."""
        for name in names:
            if name in self._entries or name in self._aliases:
                raise ValueError(f"name must be new, but there is a {self._noun} called {name!r} already")

    def _check(self, name: str, entry: object) -> None:
        """Raise TypeError for an entry of the wrong kind."""
        if self._values and not isinstance(entry, self.base):
            raise TypeError(f"the {self._noun} {name!r} must be a {self.base.__name__}, got {entry!r}")
        if not self._values and not (isinstance(entry, type) and issubclass(entry, self.base)):
            raise TypeError(f"the {self._noun} {name!r} must be a subclass of {self.base.__name__}, got {entry!r}")


def entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of a group.

    To read those of all installed packages takes a tenth of a second: they are read again only where the path, or when
    one of its folders was changed, is another, as after an installation.
    """
    path = tuple((folder, _changed(folder)) for folder in sys.path)
    return tuple(_read_points(path).select(group=group))


@lru_cache(maxsize=1)
def _read_points(path: tuple[tuple[str, int], ...]) -> Any:  # noqa: ARG001 - of sys.path
    return metadata.entry_points()


def _changed(folder: str) -> int:
    """Return when a folder was changed, in nanoseconds; 0 where there is none."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def _plugins(shelves: Iterable[Shelf[E]]) -> dict[str, Callable[[], E]]:
    """Map the names of the entry points to their loaders; a class is imported when its loader is called."""
    groups = dict.fromkeys(shelf.group for shelf in shelves if shelf.group)
    return {point.name: point.load for group in groups for point in entry_points(group=group)}


def _import_all(modules: Mapping[str, str]) -> None:
    """Import all modules of this package that register something."""
    for module in modules.values():
        import_module(module)


def _check_settings(entry: Any, settings: Mapping[str, Any], name: str) -> None:
    """Raise ValueError for a setting that a class does not have; values have none."""
    parameters = signature(entry).parameters.values() if settings and isinstance(entry, type) else ()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        check_known(settings, [parameter.name for parameter in parameters], f"settings of {name}")


def register_value(registry: Registry[T, T], value: T, argument: str) -> T:
    """Make a value available under its own name, or raise TypeError for one of another kind."""
    if not isinstance(value, registry.base):
        raise TypeError(f"{argument} must be a {registry.base.__name__}, got {value!r}")
    return registry.register(value.name)(value)  # type: ignore[attr-defined]


def find_value(
    registry: Registry[Any, T], value: object, argument: str, make: Callable[[str, Any], T], others: str = ""
) -> T:
    """Return the registered value that a name means; one is itself, and of a callable one is made, called after it.

    `others` says in messages which names there are beside those that the registry lists.
    """
    if isinstance(value, registry.base):
        return value
    if isinstance(value, str) and value in registry:
        return registry[value]  # type: ignore[no-any-return]
    if callable(value) and not isinstance(value, type | str):
        return make(name_of(value), value)
    hint = "" if isinstance(value, str) else f", a {registry.base.__name__} or a callable"
    raise ValueError(not_among(value, registry, argument, f"{others}{hint}"))


def name_of(chosen: object) -> str:
    """Return a name as it is, and the name of a callable."""
    return chosen if isinstance(chosen, str) else str(getattr(chosen, "__name__", type(chosen).__name__))


def settings_of(value: Any) -> dict[str, Any]:
    """Return the settings of a dataclass: its fields that are arguments of its constructor."""
    return {one.name: getattr(value, one.name) for one in fields(value) if one.init} if is_dataclass(value) else {}


def changed_settings(value: Any) -> dict[str, Any]:
    """Return the settings of a dataclass that are not its defaults; a seed says nothing of what a thing is."""
    defaults = {one.name: _default(one) for one in fields(value)} if is_dataclass(value) else {}
    settings = settings_of(value).items()
    return {name: held for name, held in settings if name not in SEEDS and not _same(held, defaults[name])}


def plain_setting(value: Any) -> Any:
    """Return a setting as JSON can hold it: numbers, texts and None as they are, functions by their names."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain_setting(one) for one in value]
    return value.__name__ if callable(value) and hasattr(value, "__name__") else str(value)


def are_among(settings: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Return whether all the settings are among the others."""
    return all(_same(value, others[key]) for key, value in settings.items())


def _default(setting: Any) -> Any:
    return setting.default if setting.default_factory is MISSING else setting.default_factory()


def _same(a: Any, b: Any) -> bool:
    """Return whether two settings are equal; True is no 1, and arrays are equal in all their entries."""
    if a is b:
        return True
    if isinstance(a, bool) != isinstance(b, bool) or isinstance(a, str) != isinstance(b, str):
        return False
    return bool(np.array_equal(a, b)) if hasattr(a, "shape") or hasattr(b, "shape") else bool(a == b)
