"""Cells as samples: those of one sample, of the classes, or of segments by a dict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fitontest.data.cells.cells import Cells, ClassCells
from fitontest.data.sample import changed
from fitontest.data.samples import ClassSamples, Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segments import check_number
from fitontest.data.weights import WeightType
from fitontest.results.checks import brief
from fitontest.results.several import SEGMENT


def samples_of_cells(
    cells: Cells | Mapping[Any, Any], columns: Sequence[str] = (), reduction: str | None = None
) -> ScoreSample | Samples:
    """Return the sample that cells are, the samples of the classes of `ClassCells`, or those of a dict by segment.

    Parameters
    ----------
    cells : Cells, ClassCells, or dict of these
        As `Cells.of_frame` returns them.
    columns : sequence of str, optional
        The columns that made the segments.
    reduction : str, optional
        What made the scores of one class of a matrix, as far as that is known.

    Raises
    ------
    ValueError
        Values that are no cells, not all of one kind, or of several resolutions; no segments, or too many.
    """
    if isinstance(cells, Cells):
        return cells.sample() if reduction is None else changed(cells.sample(), reduction=reduction)
    if isinstance(cells, ClassCells):
        return ClassSamples.of(cells.classes, cells.against_rest, cells, cells.size)
    return _by_segment(cells, tuple(columns), reduction)


def _by_segment(cells: Mapping[Key, Any], columns: tuple[str, ...], reduction: str | None) -> Samples:
    kind = ClassCells if all(isinstance(each, ClassCells) for each in cells.values()) and cells else Cells
    for segment, each in cells.items():
        if not isinstance(each, kind):
            raise ValueError(
                "y_true must be labels, or a dict from segments to ClassCells, or a dict from segments to Cells of one "
                "sample each; got one "
                f"{type(each).__name__} for {brief(segment)}"
            )
    present = {segment: each for segment, each in cells.items() if each.n}
    check_number(list(cells), len(present))
    whole: Any = sum(present.values())
    empty = tuple(segment for segment in cells if segment not in present)
    samples = {
        segment: samples_of_cells(_weighted_as(each, whole), columns, reduction) for segment, each in present.items()
    }
    name = ", ".join(columns) or SEGMENT
    return Samples.of_segments(samples, samples_of_cells(whole, columns, reduction), name, empty, columns)


def _weighted_as(part: Any, whole: Any) -> Any:
    """Return the cells of a part with weights of the meaning that those of the whole have, for all parts together."""
    if isinstance(part, ClassCells):
        return ClassCells({label: _weighted_as(each, whole[label]) for label, each in part.items()})
    kind: WeightType = "counts" if whole.whole else "importances"
    return part if part.whole and whole.whole else replace(part, weights=kind)
