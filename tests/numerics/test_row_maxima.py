"""The largest number of each row, by either way."""

import numpy as np
import pytest

from fitontest.numerics.row_maxima import BLOCK, FEW, count_maxima, row_maxima


@pytest.mark.parametrize("columns", [1, 2, 5, FEW, FEW + 1])
@pytest.mark.parametrize("rows", [0, 1, 300, 2 * BLOCK + 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_of_the_largest_is_that_of_argmax(columns, rows, dtype):
    rng = np.random.default_rng(columns + rows)
    for matrix in (rng.random((rows, columns)), rng.integers(0, 3, (rows, columns)) / 2):
        matrix = matrix.astype(dtype)
        for given in (matrix, np.asfortranarray(matrix), matrix[::-2]):
            top, largest = row_maxima(given)
            np.testing.assert_array_equal(top, given.argmax(axis=1))
            np.testing.assert_array_equal(largest, given.max(axis=1))
            assert (top.dtype, largest.dtype) == (np.intp, dtype)
            np.testing.assert_array_equal(count_maxima(given, largest), (given == largest[:, None]).sum(axis=1))
