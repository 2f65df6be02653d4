"""How the rows of a comparison are judged: by one labelling, or class by class, each against the rest."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.classwise_sample import columns_of, indicators
from fitontest.data.sample import Sample
from fitontest.results.typing import FloatArray, IntArray


def columns_by_labelling(sample: Sample, values: FloatArray) -> list[FloatArray]:
    """Return values of the rows by labelling; of classes that are judged one by one there is one for each class.

    Parameters
    ----------
    sample : Sample
    values : array of shape (n, ...) or (n, K, ...)
        What the rows have, or what they have of each class.
    """
    return columns_of(values) if sample.by_class else [values]


def joined_columns(columns: list[FloatArray]) -> FloatArray:
    """Return the values of the rows of which these are the `columns_by_labelling`."""
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def labellings_of(sample: Sample) -> list[NDArray[Any]]:
    """Return the labels of each of these columns, as `fitontest.numerics.losses` take them, of rows of weight."""
    codes = sample.present.codes
    return indicators(codes, sample.n_classes) if sample.by_class else [codes]


def views_of(sample: Any) -> dict[str, list[Any]]:
    """Return the samples of one score whose mean calibration error is that of the rows, by what it is called."""
    if sample.has_one_score:
        return {"": [sample]}
    each = [sample.against_rest(k) for k in range(sample.n_classes)]
    return {"": each} if sample.by_class else {", confidence": [sample.confidence], ", class-wise": each}


def count_labels(sample: Any) -> IntArray:
    """Return how many rows of positive weight each class has."""
    rows = sample.present
    of_entries = rows.rows.n if rows.has_one_score else None  # entries may stand for many rows
    counts = np.bincount(rows.codes.astype(np.intp), of_entries, minlength=sample.n_classes)
    return np.asarray(counts.astype(np.intp))


def ranks_in_reverse(sample: Sample) -> bool:
    """Return whether labels have lower predictions than by chance, on average, as those of another class have."""
    p, codes, w = sample.p, sample.codes, sample.w
    if sample.has_one_score:
        return float((w * codes) @ p / (w @ codes)) < float((w * (1 - codes)) @ p / (w @ (1 - codes)))
    own = float(w @ p[np.arange(codes.size), codes])
    return own < float(w @ p.mean(axis=1)) if sample.by_class else own / sample.total < 1.0 / sample.n_classes
