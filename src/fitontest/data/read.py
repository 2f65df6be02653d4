"""Reading arrays: labels, scores and weights become a sample, or the samples of classes or of segments.

Everything is checked here, once, and what weights mean is decided here. Nothing is guessed from shapes: a matrix of
scores is read by the reduction that is given, and without one only a column of scores is accepted.
"""

from dataclasses import replace
from typing import Any, TypeAlias

from numpy.typing import NDArray

from fitontest.checks import choose
from fitontest.data.arrays import as_column, check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.predictions import (
    NAMES,
    REDUCTIONS,
    Names,
    Predictions,
    count_columns,
    read_classes,
    refuse_matrix,
    refuse_pos_label,
)
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segments import check_present, split_by_segment
from fitontest.data.simplex_sample import CANONICAL, SimplexSample
from fitontest.data.weights import WeightType, check_kind, read_weights
from fitontest.typing import ArrayInput, Label

AnySample: TypeAlias = ScoreSample | SimplexSample
Data: TypeAlias = ScoreSample | SimplexSample | Samples


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
    """Return what labels, scores and weights are under a reduction; see `fitontest.reading.read.read`.

    Parameters
    ----------
    y_true, y_prob, sample_weight, weights, reduction, labels, pos_label, by, groups
        As for `fitontest.reading.read.read`.
    names : Names
        What the caller calls the arguments, for error messages.
    """
    if reduction is not None:
        choose(reduction, (*REDUCTIONS, CANONICAL), names.reduction)
    check_kind(weights, names.weights, has_weights=sample_weight is not None)
    given = (y_true, y_prob, sample_weight, by, groups)
    check_same_order(**dict(zip((*names.of_sample, names.by, names.groups), given, strict=True)))
    w = None if sample_weight is None else read_weights(sample_weight, names.sample_weight, weights, names.weights)
    if reduction is None:
        sample = _one_score(y_true, y_prob, w, labels, pos_label, names)
        data: Data = sample if groups is None else sample.with_facts(group=_read_groups(groups, sample.y, names))
    else:
        data = _of_classes(y_true, y_prob, w, groups, reduction, labels, pos_label, names)
    return data if by is None else split_by_segment(data, by, (names.y_true, names.by))


def _one_score(
    y_true: ArrayInput, y_prob: ArrayInput, w: Any, labels: ArrayInput, pos_label: Label | None, names: Names
) -> ScoreSample:
    """Return the sample of one column of scores."""
    if labels is not None:
        raise ValueError(f"{names.labels} must be left out unless {names.reduction} is given, got {labels!r}")
    if (count_columns(y_prob) or 1) > 1:
        refuse_matrix(y_prob, names)
    return ScoreSample(y_true, y_prob, w, pos_label=pos_label, names=names.of_sample)


def _of_classes(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    w: Any,
    groups: ArrayInput,
    reduction: str,
    labels: ArrayInput,
    pos_label: Label | None,
    names: Names,
) -> Data:
    """Return what a reduction makes of a matrix of scores."""
    if reduction != "binary":
        refuse_pos_label(reduction, pos_label, names)
    matrix = read_classes((y_true, y_prob, w), labels, names)
    if groups is not None:
        matrix = replace(matrix, facts={"group": _read_groups(groups, matrix.codes, names)})
    if reduction == "binary":
        return matrix.binary(pos_label)
    if reduction == "confidence":
        return matrix.confidence()
    return matrix.classwise() if reduction == "classwise" else SimplexSample.of(matrix)


def _read_groups(groups: ArrayInput, rows: NDArray[Any], names: Names) -> NDArray[Any]:
    """Return the group of each row, after a check that there is one."""
    column = as_column(groups, names.groups)
    check_same_length(**{names.y_true: rows, names.groups: column})
    check_present(column, names.groups)
    return column


def one_sample(data: Data, names: Names = NAMES) -> ScoreSample:
    """Return data that are one sample of scores, or raise ValueError where they are several, or distributions."""
    if isinstance(data, ScoreSample):
        return data
    if isinstance(data, Samples) and data.kind == "class" and not isinstance(data.whole, Predictions):
        raise ValueError(f"{names.y_true} must be the cells of one sample, got those of {len(data)} classes")
    if isinstance(data, Samples) and data.kind == "segment":
        raise ValueError(f"{names.by} must be left out where one sample is needed, got {len(data)} segments")
    raise ValueError(f"{names.reduction} must be 'confidence' or 'binary' where one sample is needed")


def reduction_of(data: Data) -> str | None:
    """Return by which reduction data were read, None where there was none, or cells do not tell."""
    if isinstance(data, Samples):
        return "classwise" if data.kind == "class" else reduction_of(data.whole)
    return data.reduction
