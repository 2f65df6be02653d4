"""The largest number of each row of a matrix, its column, and how many columns hold it."""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray

FEW = 16  # columns, up to which comparing whole columns is faster than looking at row by row
BLOCK = 8192  # rows whose columns stay in the cache


def row_maxima(matrix: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the column of the largest number of each row, the first of equal ones, and that number.

    Parameters
    ----------
    matrix : array of shape (n, K)
        Without NaN.
    """
    if matrix.shape[1] > FEW:
        top = matrix.argmax(axis=1)
        return top, np.take_along_axis(matrix, top[:, None], axis=1)[:, 0]
    top, largest = np.empty(matrix.shape[0], dtype=np.intp), np.empty(matrix.shape[0], dtype=matrix.dtype)
    for start in range(0, matrix.shape[0], BLOCK):
        rows = slice(start, start + BLOCK)
        columns = np.ascontiguousarray(matrix[rows].T)
        found = columns.max(axis=0, out=largest[rows])
        before, smaller = np.zeros(found.size, dtype=np.int8), np.ones(found.size, dtype=bool)
        for column in columns[:-1]:
            smaller &= column != found
            before += smaller  # the columns before the first that holds the largest
        top[rows] = before
    return top, largest


def count_maxima(matrix: FloatArray, largest: FloatArray) -> IntArray:
    """Return how many numbers of each row are its largest one.

    Parameters
    ----------
    matrix : array of shape (n, K)
    largest : array of shape (n,)
        As `row_maxima` finds them.
    """
    if matrix.shape[1] > FEW:
        return np.asarray((matrix == largest[:, None]).sum(axis=1))
    counts = np.empty(largest.size, dtype=np.intp)
    for start in range(0, largest.size, BLOCK):
        rows = slice(start, start + BLOCK)
        here = np.zeros(counts[rows].size, dtype=np.int8)
        for column in np.ascontiguousarray(matrix[rows].T):
            here += column == largest[rows]
        counts[rows] = here
    return counts
