"""What a command writes: results in one of several formats, and files, never one of its inputs."""

import re
from collections.abc import Callable, Collection, Mapping
from os.path import samefile
from pathlib import Path
from typing import Any

import click

from fitontest.apps.cli.choice import Choice
from fitontest.results.text import csv_text


def brief(result: Any, flag: str = "--verbose") -> str:
    """Return a result as it prints itself, where the rest is a flag of the command and no method.

    Parameters
    ----------
    result : Table
    flag : str, default="--verbose"
    """
    return re.sub(r"\nMore: \.table\(\).*$", f"\nMore: {flag}", str(result))


FORMATS: dict[str, Callable[[Any], str]] = {
    "table": brief,
    "json": lambda result: result.to_json(indent=2),
    "csv": lambda result: csv_text(result.rows()),
}


def of_format(formats: Collection[str] = FORMATS) -> Callable[..., Any]:
    """Return the option of the format in which a command prints its result; the command gets it as `style`."""
    return click.option("--format", "style", type=Choice(list(formats)), default="table", show_default=True)


def of_verbose(what: str) -> Callable[..., Any]:
    """Return the flag by which a command prints its result at length; the command gets it as `verbose`."""
    return click.option("--verbose", is_flag=True, help=f"Print {what}.")


def check_output(output: Path, option: str, others: Mapping[str, Path | None]) -> None:
    """Refuse a place that cannot be written, or that another argument of the command names, before any work is done."""
    if output.is_dir() or not output.parent.is_dir():
        raise ValueError(f"{option} must be a file in a folder that exists, got {str(output)!r}")
    for name, path in others.items():
        if path is not None and is_same(path, output):
            raise ValueError(f"{option} must be another file than {name}, got {str(output)!r}")


def is_same(path: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file, also by a link."""
    if path.exists() and other.exists():
        return samefile(path, other)
    return path.absolute() == other.absolute()
