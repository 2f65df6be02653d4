"""Small modules in place of packages that the tests do without.

Each file is one package. It implements what its documentation, named in its first lines, says of the few names that a
recipe of docs/integrations.md uses. `VERSION` is the version of the package that it was compared with, `MODULES` the
names of each module.
"""

import sys
from importlib import import_module
from types import ModuleType

import pytest


def load(package: str) -> ModuleType:
    """Return the file of a package."""
    return import_module(f"{__name__}.{package}")


def install(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let imports of a package find its stand-in."""
    stand_in = load(package)
    modules = {name: ModuleType(name, stand_in.__doc__) for name in stand_in.MODULES}
    for name, module in modules.items():
        for public in stand_in.MODULES[name]:
            setattr(module, public, getattr(stand_in, public))
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, module)
        monkeypatch.setitem(sys.modules, name, module)
