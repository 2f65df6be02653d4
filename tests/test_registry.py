"""The registry: names that load their modules on use, aliases, plug-ins, and what is refused."""

import sys
from importlib.metadata import EntryPoint

import pytest

from fitontest import registry
from fitontest.families.base import _REGISTRY as FAMILIES
from fitontest.maps.stored import KINDS as MAPS
from fitontest.measures.base import _REGISTRY as MEASURES
from fitontest.measures.losses.base import _REGISTRY as LOSSES
from fitontest.partitions.partitioner import _REGISTRY as PARTITIONS
from fitontest.registry import Registry

FILE = """
from tests.test_registry import Base, current

@current().register("{name}", aliases=("{alias}",))
class Made(Base):
    pass
"""


class Base:
    """What the registries of these tests hold."""


def current():
    """Return the registry that the modules made by these tests register in."""
    return current.registry


@pytest.fixture
def shapes(tmp_path, monkeypatch):
    """A registry of two names, each in a module of its own that nobody has imported."""
    monkeypatch.syspath_prepend(tmp_path)
    modules = {"circle": "file_of_circle", "square": "file_of_square"}
    for name, module in modules.items():
        (tmp_path / f"{module}.py").write_text(FILE.format(name=name, alias=name[:3]))
        monkeypatch.delitem(sys.modules, module, raising=False)
    current.registry = Registry("shape", Base, group="fitontest.no_such_group", modules=modules)
    yield current.registry
    for module in modules.values():
        sys.modules.pop(module, None)


def test_a_name_is_listed_before_its_module_is_imported_and_imports_only_that(shapes):
    assert shapes.names() == ["circle", "square"]
    assert shapes.knows("circle")
    assert not {"file_of_circle", "file_of_square"} & set(sys.modules)
    assert shapes.find("circle", "shape").__module__ == "file_of_circle"
    assert "file_of_square" not in sys.modules


def test_an_alias_is_found_before_its_module_is_imported(shapes):
    assert shapes.knows("squ")
    assert shapes.find("squ", "shape") is shapes.find("square", "shape")
    assert shapes.names() == ["circle", "square"]


@pytest.mark.parametrize("name", ["circle", "cir"])
def test_a_name_or_alias_that_is_not_loaded_yet_is_taken(shapes, name):
    with pytest.raises(ValueError, match=f"name must be new, but there is a shape called '{name}' already"):
        shapes.register(name)(Base)


def test_an_unknown_name_is_refused_with_all_names(shapes):
    with pytest.raises(ValueError, match="shape must be one of 'cir', 'circle', 'squ', 'square'; got 'line'"):
        shapes.find("line", "shape")
    assert not shapes.knows("line")


def test_a_name_can_be_taken_out_before_it_is_loaded(shapes):
    shapes.unregister("circle")
    assert shapes.names() == ["square"]
    assert not shapes.knows("cir")
    with pytest.raises(ValueError, match="name must be that of a registered shape, got 'circle'"):
        shapes.unregister("circle")


def test_an_entry_point_of_another_package_is_loaded_on_use(shapes, monkeypatch):
    point = EntryPoint("base", "tests.test_registry:Base", "fitontest.no_such_group")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    assert shapes.names() == ["base", "circle", "square"]
    assert shapes.find("base", "shape") is Base


@pytest.mark.parametrize("listing", [FAMILIES, MAPS, MEASURES, LOSSES, PARTITIONS], ids=lambda one: one._noun)
def test_every_listed_name_is_registered_by_its_file_and_every_class_of_ours_is_listed(listing):
    listing._load_modules()
    ours = {name: cls for name, cls in listing._classes.items() if cls.__module__.startswith("fitontest.")}
    assert {name: cls.__module__ for name, cls in ours.items()} == listing._modules
