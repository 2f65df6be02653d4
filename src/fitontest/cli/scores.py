"""The options that name the labels and scores in a file, of two classes or of several, and the reading of them."""

import csv
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from fitontest.cells.cells import Cells, ClassCells
from fitontest.cells.segments import samples_of_cells
from fitontest.cli.layout import of_layout
from fitontest.cli.messages import say
from fitontest.data.arrays import as_scores
from fitontest.data.class_columns import read_class_order
from fitontest.data.predictions import REDUCTIONS, Names, read_classes
from fitontest.data.read import Data, one_sample, read_arrays
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import CANONICAL, SimplexSample
from fitontest.data.weights import MOST_COPIES, WEIGHT_TYPES, Weights, WeightType, check_kind, read_weights
from fitontest.files.csv_files import BOOLEANS, Layout
from fitontest.files.tables import (
    PARQUET,
    count_rows_in_parquet,
    distinct_in_parquet,
    is_parquet,
    is_pattern,
    naming_lines,
    read_columns,
)
from fitontest.typing import Label

CELLS = ("auto", "always", "never")
MOST_IN_MEMORY = 1_000_000  # rows, beyond which "auto" reads Parquet as cells
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
    type=click.Choice(["confidence", "binary", CANONICAL]),
    help="How several --prob columns are read: the highest probability of each row against whether its class is the "
    "label, the positive class of two, or as the probabilities of all classes, in the order of --classes.",
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
    click.option(
        "--weight-type",
        type=click.Choice(WEIGHT_TYPES),
        default="auto",
        show_default=True,
        help="What --weight means: counts, a row of weight 2 is two rows; importances, such as those of a survey, "
        f"whose scale means nothing; auto: counts where all are whole and at most {MOST_COPIES} on average.",
    ),
    REDUCTION,
    click.option(
        "--classes",
        help="Classes of the --prob columns, in their order, with commas between them. Default: as the columns are "
        "called, such as p_cat and p_dog, or else the labels, sorted.",
    ),
    click.option(
        "--pos-label",
        help="The positive label of two, unless the labels are 0/1, -1/1 or true/false (in CSV files also yes/no).",
    ),
    click.option(
        "--cells",
        type=click.Choice(CELLS),
        default="auto",
        show_default=True,
        help="Whether the rows are reduced to about 10,000 cells of scores in one pass, in a memory that does not grow "
        f"with them; auto: Parquet of more than {MOST_IN_MEMORY:,} rows. FILE may then be a pattern of several Parquet "
        "files, in quotes.",
    ),
)


@dataclass(frozen=True)
class Given:
    """Where a command finds the scores, and the reading of them."""

    file: Path
    label: str
    probs: tuple[str, ...]
    weight: str | None
    weight_type: WeightType
    reduction: str | None
    classes: str | None
    pos_label: str | None
    cells: str
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

    def data(self) -> Data:
        """Return the data in the file: of several classes with classwise or canonical, else one sample."""
        if self.canonical:
            return self.distributions()
        return (
            samples_of_cells(self._cells(), reduction=self.reduction)
            if self._reads_cells
            else self._rows(self.reduction)
        )

    def segments(self, by: tuple[str, ...]) -> Any:
        """Return the segments that the values of columns make."""
        if self.classwise or self.canonical:
            raise ValueError(
                f"--by must be left out with --reduction {self.reduction}: segments are of one sample each"
            )
        return (
            samples_of_cells(self._cells(by), ", ".join(by), self.reduction)
            if self._reads_cells
            else self._rows(self.reduction, by)
        )

    def sample(self) -> ScoreSample:
        """Return the one sample in the file, or that the reduction makes of it."""
        return one_sample(self.data(), self._names)

    def _rows(self, reduction: str | None, by: tuple[str, ...] = ()) -> Data:
        """Return the rows in the file as samples."""
        with self._naming_lines():
            columns, labels, pos_label = self._read()
            named = {f"--by {name}": name for name in by}
            values = read_columns(self.file, named, (), self.layout) if by else {}
            segments = {name: values[key] for key, name in named.items()} or None
            settings: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "by": segments}
            return read_arrays(*columns, reduction=reduction, names=self._names, **settings)

    def distributions(self) -> SimplexSample:
        """Return the predictions of all classes in the file, as they are."""
        return self.distributions_of(None)

    def distributions_of(self, classes: list[Label] | None) -> SimplexSample:
        """Return the predictions of given classes, which stand in the order of the columns."""
        if self._is_pattern or self.cells == "always":
            raise ValueError("--cells must not be asked for with --reduction canonical, which needs whole rows")
        if self.pos_label is not None:
            raise ValueError(f"--pos-label must be left out with --reduction canonical, got {self.pos_label}")
        with self._naming_lines():
            columns, labels, _ = self._read()
        with self._naming_lines():
            return SimplexSample.of(
                read_classes(columns, labels if classes is None else np.array(classes), self._names)
            )

    @property
    def _is_pattern(self) -> bool:
        return is_pattern(self.file) and not self.file.exists()

    @cached_property
    def _reads_cells(self) -> bool:
        """Whether the rows are reduced to cells while they are read."""
        if self.cells == "never":
            if self._is_pattern:
                raise ValueError(f"FILE must be one file with --cells never, got the pattern {self.file}")
            return False
        if self._is_pattern:
            if not str(self.file).lower().endswith((".parquet", ".pq")):
                raise ValueError(f"FILE must be one file unless it is a pattern of Parquet files, got {self.file}")
            return True
        if not is_parquet(self.file):
            if self.cells == "always":
                raise ValueError(f"FILE must be Parquet with --cells always, got {self.file}")
            return False
        return self.cells == "always" or count_rows_in_parquet(self.file) > MOST_IN_MEMORY

    def _cells(self, by: tuple[str, ...] | None = None) -> Any:
        """Return the cells of the file, of each class with classwise, of each segment with `by`, and say how many."""
        self.layout.refuse_for(PARQUET)
        self._check_probs()
        check_kind(self.weight_type, "--weight-type", has_weights=self.weight is not None)
        if self.reduction is None and len(self.probs) > 1:
            raise ValueError(f"--prob must be given once unless there is a --reduction, got {', '.join(self.probs)}")
        labels = pos_label = None
        if self.reduction is not None or self.pos_label is not None:
            known = distinct_in_parquet(self.file, "--label", self.label)
            pos_label = None if self.pos_label is None else as_label(self.pos_label, known)
            if self.reduction is not None:
                named = None if self.classes is None else split_classes(self.classes)
                labels = (
                    read_class_order(self.probs, known.tolist(), "--prob", "--classes")
                    if named is None
                    else [as_label(one, known, "--classes") for one in named]
                )
        elif self.classes is not None:
            raise ValueError(f"--classes must be left out unless there is a --reduction, got {self.classes}")
        cells = Cells.of_file(
            self.file,
            label=self.label,
            prob=self.probs[0] if self.reduction is None else list(self.probs),
            weight=self.weight,
            weights=self.weight_type,
            by=by,
            pos_label=pos_label,
            reduction=self.reduction,
            labels=labels,
        )
        rows, count = _counted(cells)
        say(f"{rows:,} rows in {count:,} cells", err=True)
        return cells

    def _check_probs(self) -> None:
        if len(set(self.probs)) < len(self.probs):
            raise ValueError(f"--prob must name every column once, got {', '.join(self.probs)}")

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
        self._check_probs()
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
        return (labels, matrix, self._weights(values.get("--weight"))), classes, pos_label

    def _weights(self, values: Any) -> Weights | None:
        """Return the weights with what they are said to mean."""
        check_kind(self.weight_type, "--weight-type", has_weights=values is not None)
        if values is None:
            return None
        return read_weights(values, self._names.sample_weight, self.weight_type, "--weight-type")


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


def _counted(cells: Any) -> tuple[int, int]:
    """Return the rows and the cells of all segments, or of one class of several, which share their rows."""
    if isinstance(cells, ClassCells):
        return next(iter(cells.values())).n, sum(map(len, cells.values()))
    parts = list(cells.values()) if isinstance(cells, dict) else [cells]
    return sum(part.n for part in parts), sum(map(len, parts))


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
