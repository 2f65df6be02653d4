"""Reading arrays: labels, scores and weights become a sample, or the samples of classes or of segments.

Everything is checked here, once, and what weights mean is decided here. A matrix of scores is read by the reduction
that is given; without one only a column of scores is accepted, or two that add up to 1 (`fitontest.data.two_columns`).
"""

from typing import Any, TypeAlias

from fitontest.data.columns import NAMES, Columns, Names
from fitontest.data.predictions import read_classes, refuse_pos_label
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segments import split_by_segment
from fitontest.data.simplex_sample import ALL_REDUCTIONS, CANONICAL, SimplexSample
from fitontest.data.two_columns import column_of_two
from fitontest.data.weights import WeightType
from fitontest.results.checks import choose
from fitontest.results.typing import ArrayInput, Label

BY_MATRIX = ("classwise", "confidence")  # reductions whose segments are those of the matrix
Data: TypeAlias = Any  # ScoreSample, SimplexSample or Samples: which of them, `is_by_class` and `is_by_segment` say


def read_arrays(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    sample_weight: ArrayInput = None,
    *,
    weights: WeightType = "auto",
    reduction: str | None = None,
    labels: ArrayInput = None,
    pos_label: Label | None = None,
    by: ArrayInput = None,
    groups: ArrayInput = None,
    names: Names = NAMES,
) -> Data:
    """Return what labels, scores and weights are under a reduction; see `fitontest.data.reading.read.read`.

    Parameters
    ----------
    y_true, y_prob, sample_weight, weights, reduction, labels, pos_label, by, groups
        As for `fitontest.data.reading.read.read`.
    names : Names
        What the caller calls the arguments, for error messages.
    """
    if reduction is not None:
        choose(reduction, ALL_REDUCTIONS, names.reduction)
    if reduction is None and labels is not None:
        raise ValueError(f"{names.labels} must be left out unless {names.reduction} is given, got {labels!r}")
    columns = Columns.read(y_true, y_prob, sample_weight, weights=weights, by=by, groups=groups, names=names)
    data: Data
    matrix = None
    if reduction is None:
        data = column_of_two(columns, y_prob, pos_label) or ScoreSample.of_columns(columns, y_prob, pos_label)
    else:
        if reduction != "binary":
            refuse_pos_label(reduction, pos_label, names)
        matrix = read_classes(columns, y_prob, labels)
        data = SimplexSample.of(matrix) if reduction == CANONICAL else matrix.reduced(reduction, pos_label)
    data.shared.class_rows.warn()
    if by is None:
        return data
    return split_by_segment(data, by, (names.y_true, names.by), matrix if reduction in BY_MATRIX else None)


def is_one_sample(data: Any) -> bool:
    """Return whether data are one sample of scores, neither several samples nor distributions."""
    return data.kind is None and bool(data.has_one_score)


def one_sample(data: Any, names: Names = NAMES) -> ScoreSample:
    """Return data that are one sample of scores, or raise ValueError where they are several, or distributions."""
    if is_one_sample(data):
        return data  # type: ignore[no-any-return]
    if data.is_by_class and not data.whole.keeps_rows:
        raise ValueError(f"{names.y_true} must be the cells of one sample, got those of {len(data)} classes")
    if data.is_by_segment:
        raise ValueError(
            f"{names.by} must be left out where one sample is needed, here and in read; got {len(data)} segments"
        )
    raise ValueError(
        f"{names.reduction} must be 'confidence' or 'binary' where one sample is needed, of one score in each row"
    )
