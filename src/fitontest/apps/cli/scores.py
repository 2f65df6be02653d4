"""The options that name the labels and scores in a file, of two classes or of several: the arguments of `read`."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.layout import of_layout
from fitontest.apps.cli.messages import say
from fitontest.data.columns import Names
from fitontest.data.files.layout import Layout
from fitontest.data.labels import ManyClassesError
from fitontest.data.predictions import REDUCTIONS
from fitontest.data.reading.models import read_models
from fitontest.data.reading.read import read
from fitontest.data.reading.table import CELLS, MOST_IN_MEMORY, CellsWanted, Table
from fitontest.data.samples import Samples
from fitontest.data.segment_unions import SEGMENTS_OF
from fitontest.data.simplex_sample import ALL_REDUCTIONS, CANONICAL
from fitontest.data.weights import MOST_COPIES, WEIGHT_TYPES, WeightType
from fitontest.results.typing import IntArray, Label
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE

NAMES = Names(
    y_prob="--prob",
    labels="--labels",
    pos_label="--pos-label",
    reduction="--reduction",
    weights="--weight-type",
    by="--by",
    groups="--group",
)
ADD_UP = 1e-6  # by how much probabilities of all classes that were rounded may miss 1
GROUP_HELP = (
    "Column that says which rows belong together, such as those of one patient, user or site. Intervals, p-values and "
    "folds then take groups, not rows, for independent. Repeat for rows that share the values of several columns, such "
    "as ids that are unique only within another column."
)
HOW = (
    "How several --prob columns are read: the highest probability of each row against whether its class is the label, "
    "each class against the rest, or the positive class of two"
)
REDUCTION = click.option(
    "--reduction",
    type=Choice(REDUCTIONS),
    help=f"{HOW}.",
)
ANY_REDUCTION = click.option(
    "--reduction",
    type=Choice(ALL_REDUCTIONS),
    help=f"{HOW}; canonical takes them as they are, as the probabilities of all classes.",
)
SEGMENTS = click.option(
    "--segments",
    type=Choice(SEGMENTS_OF),
    default="crossed",
    show_default=True,
    help="What several --by columns make: a segment of each combination of values, of each value of each column, or "
    "these and each combination of two columns.",
)
TOLERANCE = click.option(
    "--tolerance",
    type=float,
    default=DEFAULT_TOLERANCE.ratio,
    show_default=True,
    help="How far O:E and slope may be from 1 for scores to be close to calibrated.",
)
_OPTIONS = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.option("--label", required=True, help="Column with the labels."),
    click.option(
        "--prob",
        "probs",
        multiple=True,
        required=True,
        help="Column with the predicted probability of the positive class; repeat for a column per class, with "
        "--reduction.",
    ),
    click.option("--weight", help="Column with the weights of the rows."),
    click.option(
        "--weight-type",
        type=Choice(WEIGHT_TYPES),
        default="auto",
        show_default=True,
        help="What --weight means: counts, a row of weight 2 is two rows; importances, such as those of a survey, "
        f"whose scale means nothing; auto: counts where all are whole and at most {MOST_COPIES} on average.",
    ),
    click.option("--group", "groups", multiple=True, metavar="COLUMN", help=GROUP_HELP),
    REDUCTION,
    click.option(
        "--labels",
        help="Classes of the --prob columns, in their order, with commas between them. Default: as the columns are "
        "called, such as p_cat and p_dog, or else the labels, sorted.",
    ),
    click.option(
        "--pos-label",
        help="The positive label, unless the labels are 0/1, -1/1 or true/false (in CSV files also yes/no); of more "
        "than two it is held against all others.",
    ),
    click.option(
        "--cells",
        type=Choice(CELLS),
        default="auto",
        show_default=True,
        help="Whether the rows are reduced to counts in about 10,000 ranges of scores (cells), in a memory that does "
        f"not grow with them; auto: Parquet of more than {MOST_IN_MEMORY:,} rows. FILE may then be a pattern of "
        "several Parquet files, in quotes.",
    ),
)


@dataclass(frozen=True)
class Given:
    """Where a command finds the scores, and how they are read."""

    file: Path
    label: str
    probs: tuple[str, ...]
    weight: str | None
    weight_type: WeightType
    groups: tuple[str, ...]
    reduction: Any  # one of those that the command offers, or None
    labels: str | None
    pos_label: str | None
    cells: CellsWanted
    layout: Layout

    @property
    def name(self) -> str | None:
        """The name of the scores: that of their column, where it is one."""
        return self.probs[0] if len(self.probs) == 1 else None

    def read(self, by: tuple[str, ...] = (), labels: list[Label] | None = None) -> Any:
        """Return the data in the file, as `fitontest.read` does, and say how many cells the rows were reduced to.

        Parameters
        ----------
        by : tuple of str
            Columns whose values make segments.
        labels : list, optional
            The classes of the columns, where another file has said them.
        """
        named = split_classes(self.labels) if labels is None and self.labels is not None else labels
        data = read(self.file, prob=list(self.probs), labels=named, by=list(by) or None, **self._options)
        _say_cells(data)
        return data

    def kept_rows(self, by: tuple[str, ...] = ()) -> IntArray | None:
        """Return the rows that `read` leaves where it leaves out those in which a value is missing; None: all."""
        columns = {"label": self.label, "prob": list(self.probs), "weight": self.weight}
        columns |= {"by": list(by) or None, "groups": list(self.groups) or None}
        return Table.of(self.file, columns, NAMES, self.layout.options).kept_rows()

    @property
    def has_distributions(self) -> bool:
        """Whether the columns are taken as they are, as the probabilities of all classes."""
        return bool(self.reduction == CANONICAL)

    @property
    def are_models(self) -> bool:
        """Whether the --prob columns are the scores of several models for the same rows."""
        return len(self.probs) > 1 and self.reduction is None

    def read_models(self, by: tuple[str, ...] = ()) -> Any:
        """Return the data in the file: of several models the samples of each, whose scores a --prob column holds.

        Parameters
        ----------
        by : tuple of str
            Columns whose values make segments, of one model.
        """
        if not self.are_models:
            return self.read(by)
        if by:
            raise ValueError(f"--by must be left out with several models, got {', '.join(by)}")
        if len(set(self.probs)) < len(self.probs):
            raise ValueError(f"--prob must name every column once, got {', '.join(self.probs)}")
        if self.labels is not None:
            raise ValueError(f"--labels must be left out without --reduction, got {self.labels!r}")
        try:
            data = read_models(self.file, prob={name: name for name in self.probs}, **self._options)
        except ManyClassesError:  # the columns are those of the classes, which one model has
            return self.read()
        _refuse_classes(data)
        _say_cells(data)
        return data

    @property
    def _options(self) -> dict[str, Any]:
        """What `read` is told of the file, whatever its columns of scores are."""
        return {
            "label": self.label,
            "weight": self.weight,
            "weights": self.weight_type,
            "reduction": self.reduction,
            "pos_label": self.pos_label,
            "groups": list(self.groups) or None,
            "cells": self.cells,
            "names": NAMES,
            **self.layout.options,
        }


def of_any_scores(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options of scores of several classes, reduced or as they are, as one `Given`."""
    return of_class_scores(command, ANY_REDUCTION)


def of_gated_scores(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what `of_any_scores` gives, and say how many rows may be left out."""
    return of_class_scores(command, ANY_REDUCTION, "gate")


def of_class_scores(
    command: Callable[..., Any],
    reduction: Callable[..., Any] = REDUCTION,
    missing: Literal["rows", "gate"] = "rows",
) -> Callable[..., Any]:
    """Give a command FILE and the options of scores of several classes; it gets them as one `Given`."""

    @wraps(command)
    def run(**options: Any) -> Any:
        given = Given(**{field.name: options.pop(field.name) for field in fields(Given)})
        return command(given, **options)

    wrapped: Callable[..., Any] = of_layout(run, missing)
    for option in reversed(_OPTIONS):
        wrapped = (reduction if option is REDUCTION else option)(wrapped)
    return wrapped


def _refuse_classes(models: Samples) -> None:
    """Refuse columns that add up to 1 in each row: those of two classes, not the scores of models."""
    samples = list(models.values())
    if any(sample.aggregated for sample in samples):
        return
    if np.allclose(np.sum([sample.p for sample in samples], axis=0), 1.0, rtol=0.0, atol=ADD_UP):
        raise ValueError(
            "--prob must be one column, or one for each of several models, unless --reduction says how the columns of "
            f"classes are read; got {', '.join(map(str, models))}, which add up to 1 in each row"
        )


def _say_cells(data: Any) -> None:
    """Say how many cells the rows were reduced to, if they were."""
    if cells := sum(_count_cells(data)):
        say(f"{data.n:,} rows in {cells:,} cells", err=True)


def _count_cells(data: Any) -> Iterator[int]:
    """Yield the number of cells of each sample that is made of cells."""
    if data.kind is None:
        yield data.n_cells
    else:
        for sample in data.values():
            yield from _count_cells(sample)


def split_classes(text: str) -> list[str]:
    """Return the parts between commas; a part with a comma in it stands in quotes, as in a CSV file."""
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
