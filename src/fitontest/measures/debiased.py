"""Debiased errors of slope-1 bins: what label noise alone adds to a binned error, taken off again.

Noise pulls every bin's mean label away from its expectation, so a plug-in error is too large even for perfect
scores. With n_b rows in bin b, gap d = |ybar - pbar| and s^2 = ybar (1 - ybar) / n_b:

* squared: sum_b (n_b / n) [d^2 - ybar (1 - ybar) / (n_b - 1)], no correction where n_b = 1;
* absolute: 2 ECE - sum_b (n_b / n) E|d - R|, R ~ N(0, s^2), which is
  s sqrt(2 / pi) exp(-d^2 / 2 s^2) + d (1 - 2 Phi(-d / s)), and d itself where s = 0.

Both can be negative. ybar (1 - ybar) is the label variance of a bin whose rows all have the same probability; in a
wide bin the noise of ybar - pbar is only Var(y - p), so both over-correct there.
"""

import numpy as np
from scipy.special import ndtr

from fitontest.partitions.bin_table import BinTable
from fitontest.results.typing import FloatArray


def debiased(table: BinTable, norm: str) -> float:
    """Return the debiased error of a table of whole weights under "l1", "squared" or "l2" (clipped at 0)."""
    kept = table.occupied
    n, ybar, d = table.w[kept], table.mean_y[kept], np.abs(table.gap[kept])
    share = n / n.sum()
    if norm == "l1":
        return float(share @ (2.0 * d - _expected_distance(d, np.sqrt(ybar * (1.0 - ybar) / n))))
    noise = np.divide(ybar * (1.0 - ybar), n - 1.0, out=np.zeros_like(n), where=n > 1)
    value = float(share @ (d * d - noise))
    return value if norm == "squared" else float(np.sqrt(max(0.0, value)))


def _expected_distance(d: FloatArray, s: FloatArray) -> FloatArray:
    """Return E|d - R| for R normal with mean 0 and standard deviation s."""
    z = np.divide(d, s, out=np.full_like(d, np.inf), where=s > 0)
    spread: FloatArray = s * np.sqrt(2.0 / np.pi) * np.exp(-0.5 * z * z)
    return spread + d * (1.0 - 2.0 * np.asarray(ndtr(-z)))
