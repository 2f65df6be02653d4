"""Names for the array types that the whole package speaks.

Inside the package every number is a float64 and every index an intp; what a user may pass is wider and is
converted once, at the door (`fitontest.data.arrays`).
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]

#: Anything that the door accepts: sequences, numpy, pandas, polars, pyarrow, torch and jax arrays.
ArrayInput: TypeAlias = Any
#: A class label as a user writes it.
Label: TypeAlias = bool | int | float | str
#: What scikit-learn takes for ``random_state``.
RandomState: TypeAlias = int | np.random.RandomState | None

RowLoss: TypeAlias = Callable[[FloatArray | IntArray, FloatArray], FloatArray]
