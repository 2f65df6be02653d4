"""The rows that are compared on, of data that were read."""

from typing import Any

import numpy as np

from fitontest.data.classwise_sample import ClasswiseSample
from fitontest.data.columns import NAMES, Names
from fitontest.data.read import one_sample
from fitontest.data.sample import Sample
from fitontest.evaluation.comparison.judging import count_labels


def sample_of(data: Any, names: Names = NAMES) -> Sample:
    """Return the rows of one sample; classes against the rest are held out together, by the rows that they share."""
    if data.is_by_class:
        if not data.whole.keeps_rows:
            raise ValueError(
                f"{names.y_true} must be rows with reduction='classwise', got cells of {len(data)} classes, which do "
                "not keep which scores belong to one row: compare on the cells of each class"
            )
        return ClasswiseSample.of(data.whole)
    return data if data.kind is None else one_sample(data, names)


def check_two_classes(sample: Sample, consequence: str) -> None:
    """Raise ValueError where all labels are of one class, and say what follows."""
    counts = count_labels(sample)
    if np.count_nonzero(counts) < 2:
        rule = "rows of both classes" if counts.size == 2 else "rows of two classes or more"
        raise ValueError(f"y_true must have {rule}, got {sample.n} of one, {consequence}")
