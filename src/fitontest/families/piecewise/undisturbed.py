"""Computing with jax on the CPU, in float64 where that is asked for, whatever the user's configuration of jax.

This module imports jax; it is itself imported when a map is first fitted.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any

import jax


@contextmanager
def undisturbed() -> Iterator[None]:
    """Compute on the CPU, with float64 at hand, whatever the user's configuration of jax, and leave that alone."""
    with (
        with_float64(),
        jax.default_device(jax.local_devices(backend="cpu")[0]),
        jax.disable_jit(False),
        jax.numpy_dtype_promotion("standard"),
        jax.transfer_guard("allow"),
    ):
        yield


def with_float64() -> AbstractContextManager[Any]:
    """Return a block in which jax has float64; what makes it was in ``jax.experimental`` before jax 0.8."""
    made: Any = jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")
    block: AbstractContextManager[Any] = made.enable_x64(True)
    return block
