"""The file that keeps a monitor: written whole or not at all, and changed by one process at a time."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fitontest.results.checks import brief
from fitontest.results.writing import written_whole

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 300.0  # seconds that a process waits for others that change the same file
PAUSE = 0.02  # seconds between two attempts
STALE = 3600.0  # seconds after which a lock without fcntl is taken for that of a process that died


def read_state(path: str | Path) -> str:
    """Return the text of the file of a monitor, or refuse a path without one."""
    file = _as_path(path)
    if not file.is_file():
        raise ValueError(f"path must be an existing file, got {str(file)!r}")
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"path must hold the state of a monitor, got {str(file)!r}: {error}") from error


def write_state(path: str | Path, text: str) -> None:
    """Write the text of a monitor to a file, which is replaced when all of it is on the disk."""
    file = _as_path(path)
    if file.is_dir() or not file.parent.is_dir():
        raise ValueError(f"path must be a file in a folder that exists, got {str(file)!r}")
    with written_whole(file) as written, written.open("w", encoding="utf-8", newline="\n") as sink:
        sink.write(f"{text}\n")
        sink.flush()
        os.fsync(sink.fileno())  # else the name may be changed on the disk before the text is there


@contextmanager
def locked(path: str | Path, patience: float = PATIENCE) -> Iterator[None]:
    """Run a block while no other process or thread is in such a block for the same file.

    The lock is that of the operating system on a file beside it, ``NAME.lock``. It ends with the process that holds it,
    however that ends, and the file is removed. Where there are no such locks, as on Windows, the file itself is the
    lock, and one of an hour ago counts for nothing.

    Parameters
    ----------
    path : str or Path
        The file, which need not be there.
    patience : float
        Seconds to wait for others.

    Raises
    ------
    ValueError
        A folder that is not there, or that cannot be written to.
    TimeoutError
        Others take longer.
    """
    file = _as_path(path).resolve()
    if not file.parent.is_dir():
        raise ValueError(f"path must be a file in a folder that exists, got {str(path)!r}")
    lock = file.with_name(f"{file.name}.lock")
    acquire, release = (_acquire_alone, _release_alone) if fcntl is None else (_acquire, _release)
    try:
        descriptor = _waited_for(lock, acquire, patience)
    except TimeoutError:
        raise
    except OSError as error:  # such as a folder that only others may write to
        raise ValueError(
            f"path must be in a folder where a lock and a new file can be made, got {str(path)!r}: {error.strerror}"
        ) from error
    try:
        yield
    finally:
        release(lock, descriptor)


def _as_path(path: object) -> Path:
    if not isinstance(path, str | Path) or not str(path):
        raise ValueError(f"path must be that of a file, got {brief(path)}")
    return Path(path)


def _waited_for(lock: Path, acquire: Callable[[Path], int | None], patience: float) -> int:
    end = time.monotonic() + patience
    while (descriptor := acquire(lock)) is None:
        if time.monotonic() > end:
            raise TimeoutError(
                f"{lock.name.removesuffix('.lock')} must not be changed by others for as long, "
                f"waited {patience:g} seconds for the lock {lock}"
            )
        time.sleep(PAUSE)
    return descriptor


def _acquire(lock: Path) -> int | None:
    """Return the descriptor of the locked file, None while another holds the lock."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), lock.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)  # held by another, or of the one before, who has removed it
    return None


def _release(lock: Path, descriptor: int) -> None:
    lock.unlink(missing_ok=True)  # first, so that nobody else loses a lock of theirs
    os.close(descriptor)


def _acquire_alone(lock: Path) -> int | None:
    """Return the descriptor of a file that was not there before, None while it is."""
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        try:
            if time.time() - lock.stat().st_mtime > STALE:
                lock.unlink()
        except FileNotFoundError:
            pass
        return None


def _release_alone(lock: Path, descriptor: int) -> None:
    os.close(descriptor)  # first: Windows removes no open file
    lock.unlink(missing_ok=True)
