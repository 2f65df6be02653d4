"""Several labellings of the same rows: their entries, and the values that a family fits to each of them."""

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.weights import read_weights


def entries_of_columns(p, weights):
    """Return an entry for each row of positive weight, and which row each is; ties are ordered by weight."""
    w = weights.w
    present = np.flatnonzero(w > 0)
    order = present[np.lexsort((w[present], p[present]))]
    chosen = w[order]
    return Entries(p[order] + 0.0, chosen, np.broadcast_to(np.intp(1), chosen.shape), weights.counts), order


def fit_predict_many(family, p, labels, w=None):
    """Return the values of the scores for each column of labels: those of `Family.fit_many`, or of maps.

    The values of many fits are at the scores of the entries: where a score has rows of weight 0 only, each column has a
    map of its own.
    """
    scores, labels = np.asarray(p, dtype=np.float64), np.asarray(labels).astype(np.intp)
    entries, order = entries_of_columns(scores, read_weights(np.ones(scores.size) if w is None else w, "w"))
    at = np.searchsorted(entries.distinct_p, scores)
    if at.max() < entries.distinct_p.size and np.array_equal(entries.distinct_p[at], scores):
        return family.fit_many(entries, labels[order]).at()[at]
    maps = (family.fit_map(entries.sample(column)) for column in labels[order].T)
    return np.stack([c_hat.evaluate(scores) for c_hat in maps], axis=1)
