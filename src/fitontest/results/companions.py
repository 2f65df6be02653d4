"""What companions bring, which the core asks for by name: it does not know who brings it.

The face of the package announces the places as text, so that nothing is imported before it is used.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_MODULES: dict[str, dict[str, str]] = {}
_HOOKS: dict[str, str] = {}


def announce(modules: Mapping[str, Mapping[str, str]], hooks: Mapping[str, str]) -> None:
    """Say where companions register names, and where they define what a hook asks for.

    Parameters
    ----------
    modules : mapping of str to mapping
        By the shelf of a registry, such as "measures": names, and the modules that register them.
    hooks : mapping of str to str
        Names of hooks, and "module:name" of what answers each.
    """
    for shelf, places in modules.items():
        _MODULES.setdefault(shelf, {}).update(places)
    _HOOKS.update(hooks)


def modules_of(shelf: str) -> dict[str, str]:
    """Return the names that companions register on a shelf, and their modules."""
    return dict(_MODULES.get(shelf, {}))


def brought(hook: str) -> Any:
    """Return what a companion brings for a hook, imported now."""
    module, _, name = _HOOKS[hook].partition(":")
    return getattr(import_module(module), name)
