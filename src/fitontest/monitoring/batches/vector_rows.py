"""Rows of whole distributions as a batch: which of them count how much, and what tells them from those of others."""

from dataclasses import replace
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fitontest.cells.cell_sums import CellSums
from fitontest.cells.group_ids import ordered_ids
from fitontest.data.row_groups import GROUP
from fitontest.data.simplex_sample import SimplexSample, written_out
from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.typing import FloatArray

Counted: TypeAlias = CellSums | SimplexSample  # the rows of a batch: by cell of the score, or whole distributions


def counted_rows(sample: SimplexSample, *, counts: bool) -> SimplexSample:
    """Return the rows of positive weight; with `counts` a row for each that a whole weight counts."""
    if not counts:
        return sample.take(sample.w > 0.0)
    weights = None if sample.weights is None else replace(sample.weights, counts=True)
    return written_out(replace(sample, weights=weights))


def ids_of(sample: SimplexSample) -> NDArray[Any] | None:
    """Return the groups of the rows, each once; None where rows have no groups."""
    return ordered_ids(sample.facts[GROUP])[0] if GROUP in sample.facts else None


def vector_batch_of(sample: SimplexSample, old: frozenset[Any], divisor: float) -> VectorBatch:
    """Return the batch of rows, of which those of old groups are left out.

    The exponents of the rows of a group sum to 1 at most, so that evidence holds whatever the dependence inside it.

    Parameters
    ----------
    sample : SimplexSample
        As `counted_rows` returns it.
    old : frozenset
        Groups that a batch before had.
    divisor : float
        What weights are divided by.
    """
    exponents = sample.w / divisor
    if GROUP not in sample.facts:
        return VectorBatch.of(sample.p, sample.codes, exponents)
    ids, code = ordered_ids(sample.facts[GROUP])
    is_old = np.array([each in old for each in ids.tolist()], dtype=bool)[code]
    batch = VectorBatch.of(sample.p, sample.codes, exponents / np.bincount(code)[code]).at(~is_old)
    return replace(batch, left_out=int(is_old.sum()))


def digest_of_vectors(sample: SimplexSample) -> str:
    """Return a digest of the rows, whatever their order."""
    if not len(sample):
        return ""
    rows = _as_bytes(np.column_stack((sample.p, sample.codes, sample.w)))
    return blake2b(np.sort(rows).tobytes(), digest_size=16).hexdigest()


def log_chance_of_vectors(sample: SimplexSample) -> float:
    """Return the log probability of the labels at equal rows, given the scores, at these or at one rate for each class.

    The larger one of both.
    """
    n_classes = sample.p.shape[1]
    _, kind, rows = np.unique(_as_bytes(sample.p), return_inverse=True, return_counts=True)
    _, rows_of_class = np.unique(kind * n_classes + sample.codes, return_counts=True)
    ways = gammaln(rows + 1.0).sum() - gammaln(rows_of_class + 1.0).sum()
    of_class = np.bincount(sample.codes, minlength=n_classes) / sample.codes.size
    with np.errstate(divide="ignore"):
        logs = [np.log(np.take_along_axis(sample.p, sample.codes[:, None], axis=1)), np.log(of_class[sample.codes])]
    return float(ways + max(each.sum() for each in logs))


def _as_bytes(rows: FloatArray) -> NDArray[Any]:
    """Return each row as one value, which can be sorted."""
    plain = np.ascontiguousarray(rows + 0.0)
    return plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1]))).ravel()
