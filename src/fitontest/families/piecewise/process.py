"""The process that fits: one in which the threads of jax are running.

jax works in threads, and a fork copies none of them: in a forked child of a process in which jax was started, the next
computation waits for ever. The first fit therefore notes the process that it runs in, and a fit in a child of that
process is refused. Noting the number of the process leaves nothing behind in the interpreter, and sees forks that
Python does not know of.

A user may also have started jax before any fit, and then have forked. jax does not note where it was started; but where
it has been started and all threads of the process are Python's own, its threads are gone. That can be seen on Linux, in
a child that no other library has given threads; any other such child waits.
"""

import os
import threading
from pathlib import Path

_THREADS = Path("/proc/self/task")  # on Linux one entry per thread, named by its number
_LOST = (
    "a fit needs the threads of jax, and this process was forked from one in which jax had been started: a fork copies "
    'no threads. Fit in processes that are not forked: multiprocessing.get_context("spawn") or "forkserver", or '
    "joblib's loky, which is its default"
)


class _Start:
    """Where the first fit ran: the number of its process, or None before."""

    process: int | None = None


def require_threads_of_jax() -> None:
    """Note the process of the first fit, and refuse to fit in one that was forked after jax was started.

    Raises
    ------
    RuntimeError
        In a child that was forked from a process in which jax was started.
    """
    if _Start.process is None and not _threads_are_lost():
        _Start.process = os.getpid()
    if _Start.process != os.getpid():
        raise RuntimeError(_LOST)


def _threads_are_lost() -> bool:
    """Return whether jax has been started, and all threads are Python's own; False where that cannot be known."""
    if not _jax_is_started():
        return False
    try:
        running = {int(entry.name) for entry in _THREADS.iterdir()}
    except OSError:
        return False
    of_python = {thread.native_id for thread in threading.enumerate()}
    return running <= {*of_python, os.getpid()}  # the first thread has the number of the process, after a fork too


def _jax_is_started() -> bool:
    """Return whether any backend of jax is initialised, without initialising one; False where jax does not say."""
    try:
        from jax._src.xla_bridge import backends_are_initialized  # not public, so it may move
    except ImportError:
        return False
    return bool(backends_are_initialized())
