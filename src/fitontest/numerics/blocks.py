"""Passing over long arrays in blocks whose temporaries stay in the cache."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 65_536  # rows per block


def blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the array in pieces that fit the cache, so that a second look at a piece is free."""
    return (array[start : start + BLOCK] for start in range(0, array.size, BLOCK))


def span(array: NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest value, NaN where there is one, in a single pass over the memory."""
    ends = np.array([(block.min(), block.max()) for block in blocks(array)])
    return ends[:, 0].min(), ends[:, 1].max()
