"""The factor by which a bet multiplies the evidence: the likelihood of its rates over that of the nearest allowed."""

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.rates import Limits
from fitontest.numerics.log_sums import softplus
from fitontest.results.typing import FloatArray


def log_factors(batch: Batch, limits: Limits, z: FloatArray) -> FloatArray:
    """Return the log factor of each bet, shape (K,), and with one more axis by cell before summing: see `by_cell`.

    Parameters
    ----------
    batch : Batch of C cells
    limits : Limits
        That the null hypothesis allows there.
    z : array of shape (K, C)
        The logits of the rates that are bet on.
    """
    return np.asarray(by_cell(batch, limits, z).sum(axis=-1))


def by_cell(batch: Batch, limits: Limits, z: FloatArray) -> FloatArray:
    """Return w_1 log(q / p_0) + w_0 log((1 - q) / (1 - p_0)) at each cell, shape (K, C), with p_0 nearest to q.

    Everything is in logs, so that rates near 0 lose no digits. Where the limits allow one label alone the bet is on it,
    and the factor is 1; the other label refutes the hypothesis, see `Limits.contradicted`.
    """
    log_low, log_high, log_not_high, log_not_low = limits.logs
    tail = softplus(-np.abs(z))
    q, not_q = np.minimum(z, 0.0) - tail, np.minimum(-z, 0.0) - tail
    gained = batch.positives * _gained(q, log_low, log_high)
    gained += batch.negatives * _gained(not_q, log_not_high, log_not_low)
    gained[..., limits.certain] = 0.0
    return np.asarray(gained)


def _gained(log_q: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return log q less the log of the nearest value within the limits; 0 where these are both log 0."""
    nearest = np.clip(log_q, low, high)
    return np.asarray(log_q - np.where(np.isfinite(nearest), nearest, log_q))
