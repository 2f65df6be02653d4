"""One thread for the linear algebra of loops over small matrices, whose threads would only wait for one another."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_LOCK = Lock()
_FOUND: dict[int, ThreadpoolController] = {}  # the libraries, by how many modules were loaded when they were looked for
_HELD: list[Any] = []  # the limit that is in force
_USERS = [0]  # how many blocks rest on it, in all threads


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread in a block; the limit is that of the process, so the last block to end lifts it."""
    with _LOCK:
        if _USERS[0] == 0:
            _HELD.append(_libraries().limit(limits=1, user_api="blas"))
        _USERS[0] += 1
    try:
        yield
    finally:
        with _LOCK:
            _USERS[0] -= 1
            if _USERS[0] == 0:
                _HELD.pop().restore_original_limits()


def _libraries() -> ThreadpoolController:
    """Return what is loaded of BLAS; it takes milliseconds to look for it, and only modules bring more."""
    loaded = len(sys.modules)
    if loaded not in _FOUND:
        _FOUND.clear()
        _FOUND[loaded] = ThreadpoolController()
    return _FOUND[loaded]
