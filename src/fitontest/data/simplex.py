"""Rows of probabilities that add up to 1: points of the simplex, checked and divided by their sums.

Rows of float32 probabilities miss a sum of 1 by some 1e-7, which the division mends. Rows that miss it by more than
1e-3 are no probabilities of all classes, and are refused.
"""

import numpy as np

from fitontest.data.arrays import as_matrix, as_real_matrix
from fitontest.data.places import BadValueError, such
from fitontest.numerics.softmax import row_blocks
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import ArrayInput, FloatArray

SUM_TOLERANCE = 1e-3  # by how much a row may miss a sum of 1
EXACT = 1e-15  # a row that misses it by less is left as it is


def as_simplex(values: ArrayInput, name: str) -> FloatArray:
    """Return a matrix of probabilities whose rows add up to 1, or refuse it."""
    return on_simplex(as_matrix(values, name)[0], name)


def on_simplex(P: FloatArray, name: str) -> FloatArray:
    """Return the rows of a matrix of scores in [0, 1] divided by their sums, the matrix itself where all are 1."""
    sums = np.concatenate([P[rows].sum(axis=1) for rows in row_blocks(*P.shape)])
    away = np.abs(sums - 1.0)
    bad = np.flatnonzero(away > SUM_TOLERANCE)
    if bad.size:
        rule = f"have rows that add up to 1 (within {SUM_TOLERANCE:g})"
        got = f"a sum of {sums[bad[0]]:.6g}"
        raise BadValueError(name, rule, got, int(bad[0]), sums.shape, such(bad.size, "row"))
    return P if away.max() <= EXACT else P / sums[:, None]


def as_logits(values: ArrayInput, name: str) -> tuple[FloatArray, list[str] | None]:
    """Return rows of real scores less the largest of each, and the names a data frame gives the columns.

    The differences within a row are all that its softmax depends on; its logarithm would round small ones. A warning
    says where the rows are probabilities already.
    """
    array, headers = as_real_matrix(values, name)
    if array.min() >= 0.0 and float(np.abs(array.sum(axis=1) - 1.0).max()) <= SUM_TOLERANCE:
        warn_user(
            f"{name} holds probabilities, as all rows add up to 1 and nothing is below 0, and is read as logits, whose "
            'softmax is meant: give logits, or leave out input="logits"',
            CalibrationWarning,
        )
    return array - array.max(axis=1, keepdims=True), headers
