"""Computing with jax on the CPU, in float64 where that is asked for, whatever the user's configuration of jax.

This module imports jax; it is itself imported when a map is first fitted.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import jax


@contextmanager
def undisturbed() -> Iterator[None]:
    """Compute on the CPU, with float64 at hand, whatever the user's configuration of jax, and leave that alone."""
    with (
        jax.enable_x64(True),
        jax.default_device(jax.local_devices(backend="cpu")[0]),
        jax.disable_jit(False),
        jax.numpy_dtype_promotion("standard"),
        jax.transfer_guard("allow"),
    ):
        yield
