"""A registry: names that make objects, filled by class decorators and by the entry points of other packages.

Families, partitions and map classes are all looked up by name. A new one is a class and one decorator line;
a third-party package lists its class under an entry-point group instead. The modules of this package that register
something are listed by name and imported when the name is used, so that nobody waits for what is not used.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

import numpy as np

from fitontest.checks import brief

T = TypeVar("T")
SEEDS = ("random_state",)


class Registry(Generic[T]):
    """Names and the classes they stand for.

    Parameters
    ----------
    noun : str
        What is registered, for error messages ("family").
    base : type
        Every registered class must derive from it.
    group : str or tuple of str, optional
        Entry-point groups that are searched for names not registered by a decorator.
    modules : mapping of str to str, optional
        The names that modules of this package register, and these modules. A module is imported when one of its names
        is used, or when a name, which could be an alias, is not among them.
    """

    def __init__(
        self, noun: str, base: type[T], group: str | tuple[str, ...] = (), modules: Mapping[str, str] | None = None
    ) -> None:
        self._noun = noun
        self._base = base
        self._groups = (group,) if isinstance(group, str) else group
        self._modules = dict(modules or {})
        self._classes: dict[str, type[T]] = {}
        self._aliases: dict[str, str] = {}
        self._settings: dict[str, dict[str, Any]] = {}

    def register(
        self, name: str, *, aliases: tuple[str, ...] = (), settings: Mapping[str, Any] | None = None
    ) -> Callable[[type[T]], type[T]]:
        """Return a class decorator that enters the class under `name` (and under each alias).

        With `settings` the name stands for the class with these arguments: several names may be settings of one class.
        """
        for given in (name, *aliases):
            if not isinstance(given, str) or not given:
                raise ValueError(f"name must be a non-empty string, got {given!r}")
        self._check_new(name, *aliases)

        def enter(cls: type[T]) -> type[T]:
            self._check(name, cls)
            if cls.__module__ not in self._modules.values():  # after all of this package, to find the names taken
                self._load_modules()
            self._check_new(name, *aliases)
            self._classes[name] = cls
            self._settings[name] = dict(settings or {})
            self._aliases.update(dict.fromkeys(aliases, name))
            return cls

        return enter

    def unregister(self, name: str) -> None:
        """Take a name (and its aliases) out again, as a test of a plug-in must."""
        if name not in self._classes:
            self._load(name)
        if name not in self._classes:
            raise ValueError(f"name must be that of a registered {self._noun}, got {name!r}")
        del self._classes[name]
        self._modules.pop(name, None)
        self._settings.pop(name, None)
        self._aliases = {alias: target for alias, target in self._aliases.items() if target != name}

    def names(self) -> list[str]:
        """Return the registered names, without aliases, in alphabetical order."""
        return sorted({*self._classes, *self._modules, *self._plugins()})

    def loaded(self, name: str) -> type[T] | None:
        """Return the class of a name if it has been imported."""
        return self._classes.get(name)

    def plugins(self, group: str) -> list[str]:
        """Return the names that other packages list under an entry-point group; nothing is imported."""
        return [point.name for point in entry_points(group=group)]

    def knows(self, name: str) -> bool:
        """Return whether there is such a name or alias; the entry points are searched only for one not registered."""
        if name in self._classes or name in self._modules:
            return True
        self._load_modules()  # the name may be an alias
        return name in self._classes or name in self._aliases or name in self._plugins()

    def name_of(self, cls: type) -> str | None:
        """Return the name under which a class was registered, if it was."""
        return next((name for name, known in self._classes.items() if known is cls), None)

    def settings_of(self, name: str) -> dict[str, Any]:
        """Return the arguments with which the name stands for its class."""
        return dict(self._settings.get(self._aliases.get(name, name), {}))

    def find(self, name: str, argument: str) -> type[T]:
        """Return the class called `name`; `argument` is named in the error message."""
        if not isinstance(name, str):
            raise ValueError(f"{argument} must be the name of a {self._noun}, got {brief(name)}")
        if name not in self._classes and name not in self._aliases:
            self._load(name)
        name = self._aliases.get(name, name)
        if name not in self._classes:
            known = ", ".join(repr(known) for known in sorted({*self.names(), *self._aliases}))
            raise ValueError(f"{argument} must be one of {known}; got {brief(name)}")
        return self._classes[name]

    def describe(self, value: T, preferred: str | None = None) -> str:
        """Return the registered name that implies most of a value's settings, with those that it does not imply.

        Settings are those that are not the defaults (`changed_settings`); tce(alpha=0.1) is an example. Of names that
        imply as many the preferred one is taken, or else that which says most, defaults included.
        """
        held, changed = settings_of(value), changed_settings(value)
        names = {name: self._settings[name] for name, known in self._classes.items() if known is type(value)}
        implied = {name: settings for name, settings in names.items() if _holds(settings, held)}
        said = {name: sum(key in changed for key in settings) for name, settings in implied.items()}
        if not implied:
            name = type(value).__name__
        elif preferred in implied and said[preferred] == max(said.values()):
            name = preferred
        else:
            name = max(implied, key=lambda name: (said[name], len(implied[name])))
        rest = {key: one for key, one in changed.items() if key not in implied.get(name, {})}
        settings = ", ".join(f"{key}={plain_setting(one)!r}" for key, one in rest.items())
        return f"{name}({settings})" if settings else name

    def _load(self, name: str) -> None:
        """Enter the class called `name`: of this package by importing its module, of another by its entry point."""
        if name in self._modules:
            import_module(self._modules[name])
            return
        self._load_modules()
        if name not in self._aliases and name in (plugins := self._plugins()):
            cls = plugins[name]()
            self._check(name, cls)
            self._classes[name] = cls
            self._settings[name] = {}

    def _load_modules(self) -> None:
        """Import all modules of this package that register something."""
        for module in self._modules.values():
            import_module(module)

    def _plugins(self) -> dict[str, Callable[[], type[T]]]:
        """Map the names of the entry points to their loaders; a class is imported when its loader is called."""
        return {point.name: point.load for group in self._groups for point in entry_points(group=group)}

    def _check_new(self, *names: str) -> None:
        """Raise ValueError for a name that a loaded class has."""
        for name in names:
            if name in self._classes or name in self._aliases:
                raise ValueError(f"name must be new, but there is a {self._noun} called {name!r} already")

    def _check(self, name: str, cls: object) -> None:
        if not (isinstance(cls, type) and issubclass(cls, self._base)):
            raise TypeError(f"the {self._noun} {name!r} must be a subclass of {self._base.__name__}, got {cls!r}")


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


def _holds(settings: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Return whether all the settings are among those held."""
    return all(_same(value, held[key]) for key, value in settings.items())


def _default(setting: Any) -> Any:
    return setting.default if setting.default_factory is MISSING else setting.default_factory()


def _same(a: Any, b: Any) -> bool:
    """Return whether two settings are equal; True is no 1, and arrays are equal in all their entries."""
    if a is b:
        return True
    if isinstance(a, bool) != isinstance(b, bool) or isinstance(a, str) != isinstance(b, str):
        return False
    return bool(np.array_equal(a, b)) if hasattr(a, "shape") or hasattr(b, "shape") else bool(a == b)
