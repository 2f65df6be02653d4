"""The ``fitontest`` command.

Results go to standard output, progress and errors to standard error. Bad input ends with exit code 2 and one line
that says what was wrong. The file of a command is imported when the command is run or listed, because what it imports
takes longer to load than ``fitontest --version`` should take to answer.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from fitontest.apps.cli.signals import ending_on_signals

COMMANDS = (
    "evaluate",
    "validate",
    "report",
    "segments",
    "check",
    "monitor",
    "plot",
    "compare",
    "apply",
    "sql",
    "plan",
    "demo",
)  # each in a file of its name, as listed


class Commands(click.Group):
    """The commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        with _without_collection():
            command: click.Command = getattr(import_module(f"fitontest.apps.cli.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, which cleans up before it ends, also where a signal ends it."""
        with ending_on_signals():
            return super().invoke(ctx)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Look for no unreachable cycles meanwhile: what is imported stays, and looking at it takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fitontest")
def main() -> None:
    """Evaluate and repair the calibration of classifiers."""
