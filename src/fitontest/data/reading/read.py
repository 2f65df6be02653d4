"""The one door: arrays, frames of any engine, files and cells become a sample, or samples by class or by segment.

Every function that takes labels and scores takes what `read` returns in their place.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from fitontest.data.cells.cells import Cells, ClassCells
from fitontest.data.cells.frame_rows import frame_in_words
from fitontest.data.cells.segments import samples_of_cells
from fitontest.data.columns import NAMES, Names
from fitontest.data.read import Data, read_arrays
from fitontest.data.reading.options import Layout, ReadingOfFiles
from fitontest.data.reading.table import CELLS, CellsWanted, Table
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.data.weights import WeightType, check_kind
from fitontest.data.written import Missing, Scale, Written, counting_from, taken_rows
from fitontest.results.checks import brief, choose
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput

READ = (ScoreSample, SimplexSample, Samples, Cells, Mapping)  # what is checked already, and says itself what it holds
NO_GROUPS = 'whose rows cannot be told apart any more; name them where cells are made, as Cells.of_frame(groups="site")'
NO_ROWS = "which have no rows any more; make cells of each segment, by Cells.of_frame(by=...), and take their dict"


@spell_out()
def read(
    y_true: Any,
    y_prob: ArrayInput = None,
    *,
    by: Any = None,
    cells: CellsWanted = "auto",
    missing: Missing = "refuse",
    scale: Scale = "probability",
    clip: bool = False,
    names: Names = NAMES,
    **options: Unpack[ReadingOfFiles],
) -> Data:
    """Check labels and predicted probabilities once, from arrays, a data frame or a file, for all other functions.

    Weights and cells are read too; what is returned are checked samples.

    What it returns is taken in place of `y_true`, without `y_prob`, by every function that measures, compares, plans or
    draws, so that rows that are used several times are checked once. The functions read their own ``y_true`` and
    ``y_prob`` by it.

    Parameters
    ----------
    y_true : array-like of shape (n,), data frame, str, Path, Cells, ClassCells or dict of these
        Labels. Or a data frame, eager or lazy, of any library that narwhals reads, or a file, whose columns `label` and
        `prob` name: a str or Path alone is a file, CSV, TSV or JSON lines (also compressed), Parquet, npz or xlsx, or a
        pattern of several Parquet files. Or cells; a dict of them is by segment. What `read` has returned is returned
        as it is.
    y_prob : array-like of shape (n,) or (n, K), optional
        Predicted probabilities of the positive class, in [0, 1], or with `reduction` of all classes.
    by : array-like of shape (n,) or (n, k), list of tuples, dict of columns, or str or list of str, optional
        The segment of each row, such as its region; of a frame or file the names of columns.
    cells : {"auto", "always", "never"}, default="auto"
        Whether the rows of a frame or file are reduced to `Cells` in one pass, in a memory that does not grow with
        them. "auto": those of lazy frames, of patterns, and of more than a million rows of Parquet or of an eager
        frame, unless whole rows are needed, as by "canonical".
    missing : {"refuse", "drop"} or int, default="refuse"
        What becomes of rows in which a label, score, weight, segment or group is missing. A warning says how many are
        left out; a number is how many may be.
    scale : {"probability", "percent", "log"}, default="probability"
        How the columns of scores of a file or frame are written: percents are divided by 100, and the exponential is
        taken of logarithms of probabilities.
    clip : bool, default=False
        Whether scores outside [0, 1] of a file or frame become 0 or 1. A warning says how many.
    names : Names, optional
        What the caller calls the arguments, for error messages.

    Returns
    -------
    ScoreSample, SimplexSample or Samples
        One sample of scores; with "canonical" one of distributions; with "classwise" `Samples` by class, and with `by`
        or a dict of cells `Samples` by segment.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> import polars, fitontest as fot
    >>> sample = fot.read([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8])
    >>> round(float(fot.calibration_error(sample, family=fot.families.make("slope1", n_bins=2))), 12)
    0.3
    >>> frame = polars.DataFrame({"y": [0, 1, 1, 1], "p": [0.1, 0.2, 0.7, 0.8], "w": [1.0, 0.5, 2.0, 1.5]})
    >>> fot.read(frame, label="y", prob="p", weight="w", weights="importances").total
    5.0
    """
    given_options: dict[str, Any] = dict(options)
    reading = {name: given_options[name] for name in ("weights", "reduction", "labels", "pos_label")}
    sample_weight, groups = options["sample_weight"], options["groups"]
    columns = {name: given_options[name] for name in ("label", "prob", "weight")}
    layout = {name: given_options[name] for name in Layout.__annotations__}
    for argument, value in ((names.y_prob, y_prob), ("prob", columns["prob"])):
        if isinstance(value, Mapping):
            raise ValueError(
                f"{argument} must be the scores of one model here; evaluate and ReliabilityDisplay take a dict of "
                f"several; got those of {brief([*value])}"
            )
    written = Written(scale, clip, missing)
    if isinstance(y_true, str | Path) or any(name is not None for name in columns.values()):
        arrays = {names.y_prob: y_prob, names.sample_weight: sample_weight}
        where = f"where {names.y_true} is a file or data frame, of which label, prob and weight name the columns"
        _refuse(arrays, where)
        table = Table.of(y_true, {**columns, "by": by, "groups": groups}, names, {**layout, **vars(written)})
        return table.read(**reading, cells=cells)
    _refuse(layout, "unless a file is read")
    choose(cells, CELLS, "cells")
    _refuse({"cells": None if cells == "auto" else cells}, "unless a data frame or a file is read")
    if isinstance(y_true, READ):
        more = {names.y_prob: y_prob, names.sample_weight: sample_weight, names.labels: options["labels"]}
        more |= {names.pos_label: options["pos_label"], names.by: by, names.groups: groups}
        return _read_before(y_true, more, options["reduction"], options["weights"], names)
    if y_prob is None and (frame := frame_in_words(y_true)) is not None:
        raise ValueError(
            f"label and prob must name the columns of a frame that is passed as {names.y_true} alone, as in "
            f"label='y', prob='p'; got {frame}"
        )
    _refuse(
        {"scale": scale if scale != "probability" else None, "clip": clip or None},
        "unless columns of a data frame or a file are read",
    )
    given = {names.y_true: y_true, names.y_prob: y_prob, names.sample_weight: sample_weight, names.groups: groups}
    segments = (
        {f"{names.by} {name}": column for name, column in by.items()} if isinstance(by, Mapping) else {names.by: by}
    )
    rows = written.kept_rows({**given, **segments})
    taken = taken_rows({**given, **segments}, rows)
    with counting_from(rows):
        return read_arrays(
            taken[names.y_true],
            taken[names.y_prob],
            taken[names.sample_weight],
            **reading,
            by={name: taken[f"{names.by} {name}"] for name in by} if isinstance(by, Mapping) else taken[names.by],
            groups=taken[names.groups],
            names=names,
        )


def _read_before(data: Any, more: dict[str, Any], reduction: str | None, weights: WeightType, names: Names) -> Data:
    """Return data that were read before, and refuse what would say again how they are to be read."""
    kind = type(data).__name__
    if more[names.by] is not None and isinstance(data, Cells | ClassCells):
        raise ValueError(f"{names.by} must be left out where {names.y_true} is {kind}, {NO_ROWS}")
    is_dict = isinstance(data, Mapping) and not isinstance(data, Samples | ClassCells)
    made = "a dict of cells" if is_dict else kind
    if more[names.groups] is not None and (is_dict or isinstance(data, Cells | ClassCells)):
        raise ValueError(f"{names.groups} must be left out where {names.y_true} is {made}, {NO_GROUPS}")
    check_kind(weights, names.weights, has_weights=True)
    more = more | {names.weights: None if weights == "auto" else weights}
    _refuse(more, f"where {names.y_true} is {made}, which is made already: say it where that is made, such as to read")
    found = samples_of_cells(data) if isinstance(data, Cells | Mapping) and not isinstance(data, Samples) else data
    if reduction not in (None, found.reduction):
        raise ValueError(
            f"{names.reduction} must be left out where {names.y_true} is {kind}: its reduction was chosen when it "
            f"was read; got {reduction!r}"
        )
    return found


def _refuse(values: dict[str, Any], where: str) -> None:
    """Raise ValueError for the first argument that is given."""
    for name, value in values.items():
        if value is not None:
            raise ValueError(f"{name} must be left out {where}; got {brief(value)}")
