"""The registry: names that load their modules on use, aliases, plug-ins, and what is refused."""

import os
import sys
from importlib import metadata
from importlib.metadata import EntryPoint

import pytest

import fitontest as fot
from fitontest.results import registry
from fitontest.results.registry import Registry, Shelf

ROOMS = [fot.families, fot.measures, fot.partitions, fot.maps, fot.norms, fot.distances, fot.bin_losses]

FILE = """
from tests.results.test_registry import Base, current

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
    current.registry = Registry("shape", Base, Shelf(modules, "fitontest.no_such_group"))
    yield current.registry
    for module in modules.values():
        sys.modules.pop(module, None)


def test_a_name_is_listed_before_its_module_is_imported_and_imports_only_that(shapes):
    assert shapes.names() == ["circle", "square"]
    assert "circle" in shapes
    assert not {"file_of_circle", "file_of_square"} & set(sys.modules)
    assert shapes.find("circle", "shape").__module__ == "file_of_circle"
    assert "file_of_square" not in sys.modules


def test_an_alias_is_found_before_its_module_is_imported(shapes):
    assert "squ" in shapes
    assert shapes.find("squ", "shape") is shapes.find("square", "shape")
    assert shapes.names() == ["circle", "square"]


@pytest.mark.parametrize("name", ["circle", "cir"])
def test_a_name_or_alias_that_is_not_loaded_yet_is_taken(shapes, name):
    with pytest.raises(ValueError, match=f"name must be new, but there is a shape called '{name}' already"):
        shapes.register(name)(Base)


def test_an_unknown_name_is_refused_with_all_names(shapes):
    with pytest.raises(ValueError, match="shape must be one of 'cir', 'circle', 'squ', 'square'; got 'line'"):
        shapes.find("line", "shape")
    assert "line" not in shapes


def test_a_name_can_be_taken_out_before_it_is_loaded(shapes):
    shapes.unregister("circle")
    assert shapes.names() == ["square"]
    assert "cir" not in shapes
    with pytest.raises(ValueError, match="name must be that of a registered shape, got 'circle'"):
        shapes.unregister("circle")


def test_entry_points_are_read_again_where_the_path_has_changed(tmp_path, monkeypatch):
    read, points = [], metadata.entry_points
    monkeypatch.setattr(metadata, "entry_points", lambda: read.append(1) or points())
    monkeypatch.syspath_prepend(str(tmp_path))
    groups = "fitontest.no_such_group", "fitontest.another_such_group"
    assert [registry.entry_points(group) for group in (*groups, *groups)] == [()] * 4
    assert len(read) == 1
    info = tmp_path / "a_late_package-1.0.dist-info"  # as an installation into a folder of the path makes it
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: a-late-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{groups[0]}]\nlate = collections:OrderedDict\n")
    os.utime(tmp_path, ns=(1, 1))  # a clock of files may tick more slowly than this test runs
    assert [point.name for point in registry.entry_points(groups[0])] == ["late"]
    assert registry.entry_points(groups[1]) == ()
    assert len(read) == 2


def test_an_entry_point_of_another_package_is_loaded_on_use(shapes, monkeypatch):
    point = EntryPoint("base", "tests.results.test_registry:Base", "fitontest.no_such_group")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    assert shapes.names() == ["base", "circle", "square"]
    assert shapes.find("base", "shape") is Base


@pytest.mark.parametrize("room", ROOMS[:4], ids=lambda room: room.__name__)
def test_every_listed_name_is_registered_by_its_file_and_every_class_of_ours_is_listed(room):
    classes = {name: cls for name, cls in room.registry.items() if cls.__module__.startswith("fitontest.")}
    assert {name: cls.__module__ for name, cls in classes.items()} == room.registry._modules


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_every_registry_is_a_mapping_with_the_same_functions(room):
    assert isinstance(room.registry, Registry)
    assert room.names() == list(room.registry) == sorted(room.registry)
    assert len(room.registry) == len(room.names()) > 0
    assert room.registry.get("no_such_name") is None
    with pytest.raises(KeyError):
        room.registry["no_such_name"]
    with pytest.raises(ValueError, match=r"must be one of .*; got 'no_such_name'"):
        room.make("no_such_name")
    with pytest.raises(ValueError, match=r"settings of .* must be among"):
        room.make(room.names()[0], no_such_setting=1)
    with pytest.raises(ValueError, match="must be that of a registered"):
        room.unregister("no_such_name")


def test_kinds_of_entries():
    assert fot.families.names("features") == [
        "boosted",
        "certified_offsets",
        "multicalibrated",
        "probability_calibration_tree",
        "segment_offsets",
        "tree",
        "tree_of_maps",
    ]
    assert fot.maps.names("features") == ["boosted", "feature_mixture", "segment_lines", "segment_offsets"]
    assert fot.partitions.names("any") == ["median_variance", "uniform_grid"]
    for name in set(fot.measures.names("two")) & set(fot.measures.names("any")):
        assert fot.measures.registry[name].classes == "both"
    for room in (fot.families, fot.measures, fot.partitions):
        assert {*room.names("two"), *room.names("any")} <= set(room.names())
        with pytest.raises(ValueError, match="classes must be one of 'two', 'any'"):
            room.names("three")
    with pytest.raises(ValueError, match="classes must be None, as each norm is of the same kind; got 'two'"):
        fot.norms.names("two")


def test_a_name_may_stand_for_settings():
    fot.families.register("five_bins", n_bins=5)(fot.Slope1)
    try:
        assert fot.families.make("five_bins").n_bins == 5
        assert fot.families.make("five_bins", closed="right").closed == "right"
        with pytest.raises(ValueError, match=r"settings of six must be among n_bins, .*; got 'bins'"):
            fot.families.register("six", bins=6)(fot.Slope1)
    finally:
        fot.families.unregister("five_bins")


def test_an_entry_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="the family 'no_family' must be a subclass of FamilyBase"):
        fot.families.register("no_family")(Base)
    with pytest.raises(TypeError, match="norm must be a Norm, got 3"):
        fot.norms.register(3)
