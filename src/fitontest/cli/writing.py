"""Files that a command writes: never one of its inputs, and never half of one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import samefile
from pathlib import Path
from tempfile import TemporaryDirectory


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


@contextmanager
def written_whole(output: Path) -> Iterator[Path]:
    """Give a path to write to; at the end it takes the place of the output, unless there was an error.

    The path is in a folder of its own beside the output: an error leaves the output as it was, and nothing
    half-written. Where the output is a link, the file that it leads to is replaced.
    """
    target = output.resolve()
    with TemporaryDirectory(dir=target.parent, prefix=".fitontest-") as folder:
        written = Path(folder) / output.name
        yield written
        written.replace(target)
