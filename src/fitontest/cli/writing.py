"""Files that a command writes: never one of its inputs, and in a folder that exists."""

from collections.abc import Mapping
from os.path import samefile
from pathlib import Path


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
