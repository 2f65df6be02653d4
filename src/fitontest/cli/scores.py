"""The options that name the labels and scores in a file, of two classes or of several, and the reading of them."""

import csv
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from fitontest.cli.layout import of_layout
from fitontest.data.arrays import as_scores
from fitontest.data.csv_files import BOOLEANS, Layout
from fitontest.data.distributions import CANONICAL, Distributions
from fitontest.data.predictions import REDUCTIONS, ClassSamples, Names, read_classes, read_data, reduced
from fitontest.data.sample import Sample
from fitontest.data.tables import naming_lines, read_columns
from fitontest.segments.segments import Segments
from fitontest.typing import Label

HOW = (
    "How several --prob columns are read: the highest probability of each row against whether its class is the label, "
    "each class against the rest, or the positive class of two"
)
REDUCTION = click.option(
    "--reduction",
    type=click.Choice(REDUCTIONS),
    help=f"{HOW}.",
)
ANY_REDUCTION = click.option(
    "--reduction",
    type=click.Choice([*REDUCTIONS, CANONICAL]),
    help=f"{HOW}; canonical takes them as they are, as the probabilities of all classes.",
)
WHOLE = click.option(
    "--reduction",
    type=click.Choice([CANONICAL]),
    help="How several --prob columns are read: as the probabilities of all classes, in the order of --classes.",
)
_OPTIONS = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.option("--label", required=True, help="Column with the labels."),
    click.option(
        "--prob",
        "probs",
        multiple=True,
        required=True,
        help="Column with the predicted probability of the positive class; repeat for a column per class.",
    ),
    click.option("--weight", help="Column with the weights of the rows."),
    REDUCTION,
    click.option(
        "--classes",
        help="Classes of the --prob columns, in their order, with commas between them. Default: the labels, sorted.",
    ),
    click.option(
        "--pos-label",
        help="The positive label of two, unless the labels are 0/1, -1/1 or true/false (in CSV files also yes/no).",
    ),
)


@dataclass(frozen=True)
class Given:
    """Where a command finds the scores, and the reading of them."""

    file: Path
    label: str
    probs: tuple[str, ...]
    weight: str | None
    reduction: str | None
    classes: str | None
    pos_label: str | None
    layout: Layout

    @property
    def classwise(self) -> bool:
        """Whether each class is held against the rest."""
        return self.reduction == "classwise"

    @property
    def canonical(self) -> bool:
        """Whether the distributions over the classes are taken as they are."""
        return self.reduction == CANONICAL

    @property
    def name(self) -> str | None:
        """The name of the scores: that of their column, where it is one."""
        return self.probs[0] if len(self.probs) == 1 else None

    def data(self) -> Sample | ClassSamples | Distributions:
        """Return the data in the file: of several classes with classwise or canonical, else one sample."""
        if self.canonical:
            return self.distributions()
        with self._naming_lines():
            columns, labels, pos_label = self._read()
            return read_data(columns, self.reduction, labels, pos_label, self._names)

    def segments(self, by: tuple[str, ...]) -> Segments:
        """Return the segments that the values of columns make."""
        if self.classwise or self.canonical:
            raise ValueError(
                f"--by must be left out with --reduction {self.reduction}: segments are of one sample each"
            )
        with self._naming_lines():
            columns, labels, pos_label = self._read()
            values = read_columns(self.file, {f"--by {name}": name for name in by}, (), self.layout)
            return Segments.of_rows(
                columns, [*values.values()], self.reduction, labels, pos_label, self._names, ", ".join(by)
            )

    def sample(self) -> Sample:
        """Return the one sample in the file, or that the reduction makes of it."""
        with self._naming_lines():
            columns, labels, pos_label = self._read()
            return reduced(columns, self.reduction, labels, pos_label, self._names)

    def distributions(self) -> Distributions:
        """Return the predictions of all classes in the file, as they are."""
        return self.distributions_of(None)

    def distributions_of(self, classes: list[Label] | None) -> Distributions:
        """Return the predictions of given classes, which stand in the order of the columns."""
        if self.pos_label is not None:
            raise ValueError(f"--pos-label must be left out with --reduction canonical, got {self.pos_label}")
        with self._naming_lines():
            columns, labels, _ = self._read()
            return Distributions.of(
                read_classes(columns, labels if classes is None else np.array(classes), self._names)
            )

    def _naming_lines(self) -> AbstractContextManager[None]:
        names = {self._names.y_true: self.label, **{_prob(prob): prob for prob in self.probs}}
        weight = {} if self.weight is None else {self._names.sample_weight: self.weight}
        return naming_lines(self.file, names | weight, self.layout)

    @property
    def _names(self) -> Names:
        return Names(
            f"label column {self.label!r}",
            _prob(self.probs[0]) if len(self.probs) == 1 else "--prob",
            f"weight column {self.weight!r}",
            "--classes",
            "--pos-label",
            "--reduction",
            self.probs,
        )

    def _read(self) -> tuple[Any, Any, Any]:
        """Return the columns, the classes and the positive class, in the type of the labels."""
        if len(set(self.probs)) < len(self.probs):
            raise ValueError(f"--prob must name every column once, got {', '.join(self.probs)}")
        keys = {prob: f"--prob {prob}" if len(self.probs) > 1 else "--prob" for prob in self.probs}
        wanted = {"--label": self.label, **{key: prob for prob, key in keys.items()}}
        wanted |= {"--weight": self.weight} if self.weight is not None else {}
        values = read_columns(self.file, wanted, (*keys.values(), "--weight"), self.layout)
        labels, scores = values["--label"], [values[key] for key in keys.values()]
        if len(scores) > 1:
            each = zip(self.probs, scores, strict=True)
            matrix: Any = np.column_stack([as_scores(column, _prob(prob)) for prob, column in each])
        else:
            (matrix,) = scores
        named = None if self.classes is None else split_classes(self.classes)
        classes = None if named is None else [as_label(one, labels, "--classes") for one in named]
        pos_label = None if self.pos_label is None else as_label(self.pos_label, labels)
        return (labels, matrix, values.get("--weight")), classes, pos_label


def of_any_scores(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options of scores of several classes, reduced or as they are, as one `Given`."""
    return of_class_scores(command, ANY_REDUCTION)


def of_whole_scores(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options of scores of two classes, or of several as they are, as one `Given`."""
    return of_class_scores(command, WHOLE)


def of_class_scores(command: Callable[..., Any], reduction: Callable[..., Any] = REDUCTION) -> Callable[..., Any]:
    """Give a command FILE and the options of scores of several classes; it gets them as one `Given`."""

    @wraps(command)
    def run(**options: Any) -> Any:
        given = Given(**{field.name: options.pop(field.name) for field in fields(Given)})
        return command(given, **options)

    wrapped: Callable[..., Any] = of_layout(run)
    for option in reversed(_OPTIONS):
        wrapped = (reduction if option is REDUCTION else option)(wrapped)
    return wrapped


def _prob(column: str) -> str:
    return f"prob column {column!r}"


def split_classes(text: str) -> list[str]:
    """Return the parts between commas; a part with a comma in it stands in quotes, as in a CSV file."""
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]


def as_label(text: str, labels: NDArray[Any], option: str = "--pos-label") -> Label:
    """Read the text of an option in the type of the label column."""
    if labels.dtype.kind == "b":
        if text.lower() not in BOOLEANS:
            raise ValueError(f"{option} must be one of {', '.join(BOOLEANS)} for true/false labels, got {text!r}")
        return BOOLEANS[text.lower()]
    if np.issubdtype(labels.dtype, np.number):
        try:
            return int(text) if labels.dtype.kind in "iu" and text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            raise ValueError(f"{option} must be a number for a column of numbers, got {text!r}") from None
    return text
