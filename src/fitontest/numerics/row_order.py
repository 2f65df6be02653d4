"""An order of the rows of a matrix that does not depend on the order in which they arrived."""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray


def order_of_rows(*columns: FloatArray) -> IntArray:
    """Return the order that sorts rows of numbers >= 0 by the columns, the first one first; equal rows keep theirs.

    The big-endian bytes of such numbers are ordered as the numbers are, so one comparison of bytes is one of rows.

    Parameters
    ----------
    *columns : arrays of shape (n,) or (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> order_of_rows(np.array([[0.5, 0.5], [0.2, 0.8], [0.5, 0.1]]))
    array([1, 2, 0])
    """
    matrix = np.concatenate([one.reshape(one.shape[0], -1) for one in columns], axis=1) + 0.0  # no -0.0
    keys = np.ascontiguousarray(matrix, dtype=">f8").view(np.dtype((np.void, 8 * matrix.shape[1])))[:, 0]
    return np.asarray(np.argsort(keys, kind="stable"))
