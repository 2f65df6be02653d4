"""Files that are written: whole or not at all, and never more open than the file that they replace."""

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = ".fitontest-"
# of this process; they may lead to a file that others write to as well
STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


@contextmanager
def written_whole(output: Path) -> Iterator[Path]:
    """Give a path to write to; at the end it takes the place of the output, unless there was an error.

    The path is in a folder of its own beside the output, which nobody else may open: an error leaves the output as it
    was, and nothing half-written. Where the output is a link, the file that it leads to is replaced. The new file has
    the permissions of the one that it replaces. A pipe or a device is not replaced: it gets what was written.

    Parameters
    ----------
    output : Path
        The path in the block has its ending, and no other characters that a library could take for a pattern.

    Raises
    ------
    OSError
        An output that is read-only, a folder that nothing can be written to, a full disk.
    """
    special = is_special(output)
    target = output if special else output.resolve()
    mode = None if special else _writable_mode(target)
    try:
        with TemporaryDirectory(dir=None if special else target.parent, prefix=PREFIX) as folder:
            written = _inside(folder, target)
            yield written
            if special:
                with written.open("rb") as source, target.open("ab") as sink:
                    shutil.copyfileobj(source, sink)
                return
            if mode is not None:
                written.chmod(mode)
            written.replace(target)
    except OSError as error:
        if error.errno is not None and (error.filename is None or PREFIX in str(error.filename)):
            error.filename = str(output)  # nobody knows the folder
        raise


def write_text(output: Path, text: str) -> None:
    """Write a text to a file, in UTF-8 and with newlines as they are."""
    with written_whole(output) as written:
        written.write_text(text, encoding="utf-8", newline="\n")


def is_special(path: Path) -> bool:
    """Tell whether a path is a pipe, a device or a stream of this process, which cannot be replaced."""
    return str(path).startswith(STREAMS) or (path.exists() and not path.is_file() and not path.is_dir())


def _writable_mode(target: Path) -> int | None:
    """Return the permissions of a file that is there, or refuse one that is read-only."""
    if not target.exists():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(target.stat().st_mode) & 0o777


def _inside(folder: str, output: Path) -> Path:
    """Return a path in a folder that ends as the output does."""
    return Path(folder) / f"new{re.sub(r'[^A-Za-z0-9.]', '_', output.name)[-20:]}"
