"""One thread for the linear algebra of loops over small matrices, whose threads would only wait for one another."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

_LOCK = Lock()
_HELD: list[threadpool_limits] = []  # the limit that is in force
_USERS = [0]  # how many blocks rest on it, in all threads


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread in a block; the limit is that of the process, so the last block to end lifts it."""
    with _LOCK:
        if _USERS[0] == 0:
            _HELD.append(threadpool_limits(1, user_api="blas"))
        _USERS[0] += 1
    try:
        yield
    finally:
        with _LOCK:
            _USERS[0] -= 1
            if _USERS[0] == 0:
                _HELD.pop().restore_original_limits()
