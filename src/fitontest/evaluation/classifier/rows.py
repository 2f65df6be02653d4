"""Taking rows of what a classifier is fitted to: the inputs, and the parameters that hold a value for each row.

Inputs of a kernel hold a column for each training row as well; there rows and columns are taken together.
"""

from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from fitontest.data.arrays import take_rows
from fitontest.results.typing import IntArray


def take_part(X: Any, rows: IntArray | None, columns: IntArray | None) -> Any:
    """Return the chosen rows of X, and of similarities between rows also the chosen columns."""
    part = X if rows is None else take_rows(X, rows)
    if columns is None:
        return part
    part = part.tocsr() if hasattr(part, "tocsr") else np.asarray(part)
    return part[:, columns]


def take_parameters(parameters: Mapping[str, Any], rows: IntArray, n: int) -> dict[str, Any]:
    """Return the parameters of a fit for the chosen of n rows; what holds no value for each row stays as it is."""
    return {name: take_rows(value, rows) if _per_row(value, n) else value for name, value in parameters.items()}


def _per_row(value: Any, n: int) -> bool:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return len(shape) > 0 and shape[0] == n
    return isinstance(value, Sized) and not isinstance(value, str | bytes | Mapping | set) and len(value) == n
