"""P-values of the kernel calibration error without redrawn labels: by its law of many rows, or by a bound for any law.

With h(i, j) in [-B, B], B = f of scores and 2 of distributions, and calibrated predictions (Widmann et al. 2019):

* block estimator, asymptotic: the estimates of the blocks are independent and nearly normal; their weighted mean over
  its standard error has Student's law with as many degrees of freedom as blocks less one;
* other estimators, asymptotic: W^2 SKCE has the law of sum_{i != j} e_i e_j w_i w_j h(i, j) with random signs e, as
  both tend to the same weighted sum of chi-squared variables;
* biased, any law: P(SKCE >= t) <= exp(-max(sqrt(n t / B) - 1, 0)^2 / 2), n = W^2 / sum w^2 (McDiarmid);
* unbiased and block, any law: P(SKCE >= t) <= exp(-t^2 / (2 B^2 sum_k v_k^2 / floor(n_k / 2))), where block k has n_k
  rows and the share v_k of the pairs (Hoeffding).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from fitontest.results.typing import FloatArray


def of_signs(observed: float, drawn: FloatArray) -> float:
    """Return the share of values for random signs, the observed one counted too, that are at least as large.

    Parameters
    ----------
    observed : float
        The sum of w_i w_j h(i, j) over pairs of different rows.
    drawn : array of shape (B,)
        Of e_i e_j w_i w_j h(i, j).
    """
    return float((1 + np.count_nonzero(drawn >= observed)) / (1 + drawn.size))


def of_blocks(values: Sequence[float], pairs: Sequence[float]) -> float | None:
    """Return the one-sided p-value of the weighted mean of independent values; None of one, or of equal ones.

    Parameters
    ----------
    values, pairs : sequence of float
        The estimates of the blocks and their weights.
    """
    if len(values) < 2:
        return None
    each, share = np.asarray(values), np.asarray(pairs) / np.sum(pairs)
    mean = float(share @ each)
    variance = float(share**2 @ (each - mean) ** 2) * each.size / (each.size - 1)
    return float(stdtr(each.size - 1, -mean / np.sqrt(variance))) if variance > 0.0 else None


def bound_of_biased(value: float, rows: float, bound: float) -> float:
    """Return the largest probability of a value as large, of a mean over all pairs.

    Parameters
    ----------
    value : float
    rows : float
        Effective number of independent rows.
    bound : float
        B.
    """
    return float(np.exp(-0.5 * max(np.sqrt(rows * max(value, 0.0) / bound) - 1.0, 0.0) ** 2))


def bound_of_unbiased(value: float, rows: Sequence[float], pairs: Sequence[float], bound: float) -> float:
    """Return the largest probability of a value as large, of a mean over pairs of different rows of blocks.

    Parameters
    ----------
    value : float
    rows, pairs : sequence of float
        Of each block.
    bound : float
        B.
    """
    if value <= 0.0:
        return 1.0
    share = np.asarray(pairs) / np.sum(pairs)
    spread = float(np.sum(share**2 / np.floor(np.asarray(rows) / 2.0)))
    return float(np.exp(-0.5 * (value / bound) ** 2 / spread))
