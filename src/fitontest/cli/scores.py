"""The options that name the labels and scores in a file, and the reading of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from fitontest.cli.layout import of_layout
from fitontest.data.csv_files import BOOLEANS, Layout
from fitontest.data.sample import Sample
from fitontest.data.tables import naming_lines, read_columns
from fitontest.typing import Label


def _one(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> str:  # noqa: ARG001
    """Return the one value of an option, of which click would silently take the last."""
    if len(values) > 1:
        instead = "of more classes, compare on one class against the rest, or use a CalibratedClassifier in Python"
        raise click.BadParameter(f"must be given once, for two classes; got {', '.join(values)}; {instead}")
    return values[0]


_OPTIONS = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.option("--label", required=True, help="Column with the labels of two classes."),
    click.option(
        "--prob",
        multiple=True,
        required=True,
        callback=_one,
        help="Column with the predicted probability of the positive class.",
    ),
    click.option("--weight", help="Column with the weights of the rows."),
    click.option(
        "--pos-label",
        help="The positive label, unless the labels are 0/1, -1/1 or true/false (in CSV files also yes/no).",
    ),
)


def of_scores(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE, --label, --prob, --weight, --pos-label and the layout of the file."""
    command = of_layout(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_scores(file: Path, label: str, prob: str, weight: str | None, pos_label: str | None, layout: Layout) -> Sample:
    """Return the sample in the named columns of a file."""
    wanted = {"--label": label, "--prob": prob, **({"--weight": weight} if weight is not None else {})}
    columns = read_columns(file, wanted, ("--prob", "--weight"), layout)
    labels = columns["--label"]
    names = (f"label column {label!r}", f"prob column {prob!r}", f"weight column {weight!r}")
    with naming_lines(file, dict(zip(names, wanted.values(), strict=False)), layout):
        return Sample(
            labels,
            columns["--prob"],
            columns.get("--weight"),
            pos_label=None if pos_label is None else as_label(pos_label, labels),
            names=names,
        )


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
