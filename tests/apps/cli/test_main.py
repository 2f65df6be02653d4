"""The group of commands: one is imported without collections, which are then on again, or off as they were."""

import gc
from types import SimpleNamespace

import click
import pytest

from fitontest.apps.cli import main


@pytest.mark.parametrize("was_enabled", [True, False])
def test_a_command_is_imported_without_collections(monkeypatch, was_enabled):
    seen = []

    def imported(name):
        seen.append(gc.isenabled())
        return SimpleNamespace(check=name)

    monkeypatch.setattr(main, "import_module", imported)
    before = gc.isenabled()
    try:
        (gc.enable if was_enabled else gc.disable)()
        found = main.Commands().get_command(click.Context(main.main), "check")
        assert gc.isenabled() == was_enabled
    finally:
        (gc.enable if before else gc.disable)()
    assert (found, seen) == ("fitontest.apps.cli.check", [False])


def test_collections_are_on_again_where_an_import_fails(monkeypatch):
    def fail(_):
        raise ModuleNotFoundError("duckdb")

    monkeypatch.setattr(main, "import_module", fail)
    assert gc.isenabled()
    with pytest.raises(ModuleNotFoundError):
        main.Commands().get_command(click.Context(main.main), "check")
    assert gc.isenabled()
