"""Means over all labels that a batch can have, each weighted by its probability."""

from itertools import product

import numpy as np

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.settings import Settings

EXACT = Resolution(exact=True)


def batch_of(p, y, w=None, *, exact=True):
    """Return the batch of rows, each distinct score of which is a cell, or of cells of the usual width."""
    weights = None if w is None else np.asarray(w, dtype=float)
    rows = np.asarray(p, dtype=float), np.asarray(y, dtype=float)
    return Batch.of(CellSums.of_rows(*rows, weights, EXACT), exact=exact)


def labels(c):
    """Return all labels that rows of rates c can have, each with its probability."""
    c = np.asarray(c, dtype=float)
    for y in product((0.0, 1.0), repeat=c.size):
        chance = float(np.prod(np.where(np.array(y) > 0, c, 1.0 - c)))
        if chance > 0.0:
            yield np.array(y), chance


def mean_over(c, value):
    """Return the mean of a number over all labels."""
    return sum(chance * value(y) for y, chance in labels(c))


def mean_evidence(first, batches, *, exact=True):
    """Return the mean of the evidence of a process after batches of scores and rates, relative to that before.

    Parameters
    ----------
    first : function from (batch) to process, and so on
        Anything with `after(batch)` and `log_e`.
    batches : sequence of (p, c) or (p, c, w)
    """
    if not batches:
        return np.exp(first.log_e)
    (p, c, *w), *later = batches
    return mean_over(c, lambda y: mean_evidence(first.after(batch_of(p, y, *w, exact=exact)), later, exact=exact))


class Stream:
    """A process with the settings that its batches are counted by."""

    def __init__(self, process, settings):
        self.process, self.settings = process, settings

    @property
    def log_e(self):
        return self.process.log_e

    def after(self, batch):
        return Stream(self.process.after(batch, self.settings, "batch"), self.settings)


def settings_of(null, max_error=None, families=("isotonic",)):
    """Return settings with a family that is quickly fitted."""
    return Settings(0.05, null, max_error, {name: 0.28 / len(families) for name in families}, 1000.0)
