"""The options that name the labels and scores in a file, and the reading of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from fitontest.data.sample import Sample
from fitontest.data.tables import read_columns
from fitontest.typing import Label

Command = TypeVar("Command", bound=Callable[..., Any])

# How a CSV file may spell a column that DuckDB reads as booleans
_BOOLEANS = {"true": True, "t": True, "yes": True, "y": True, "false": False, "f": False, "no": False, "n": False}


def _one(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> str:  # noqa: ARG001
    """Return the one value of an option, of which click would silently take the last."""
    if len(values) > 1:
        raise click.BadParameter(f"must be given once, for two classes; got {', '.join(values)}")
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


def of_scores(command: Command) -> Command:
    """Give a command FILE, --label, --prob, --weight and --pos-label."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_scores(file: Path, label: str, prob: str, weight: str | None, pos_label: str | None) -> Sample:
    """Return the sample in the named columns of a file."""
    wanted = {"--label": label, "--prob": prob, **({"--weight": weight} if weight is not None else {})}
    columns = read_columns(file, wanted)
    labels = columns["--label"]
    return Sample(
        labels,
        columns["--prob"],
        columns.get("--weight"),
        pos_label=None if pos_label is None else as_label(pos_label, labels),
        names=(f"label column {label!r}", f"prob column {prob!r}", f"weight column {weight!r}"),
    )


def as_label(text: str, labels: NDArray[Any], option: str = "--pos-label") -> Label:
    """Read the text of an option in the type of the label column."""
    if labels.dtype.kind == "b":
        if text.lower() not in _BOOLEANS:
            raise ValueError(f"{option} must be one of {', '.join(_BOOLEANS)} for true/false labels, got {text!r}")
        return _BOOLEANS[text.lower()]
    if np.issubdtype(labels.dtype, np.number):
        try:
            return int(text) if labels.dtype.kind in "iu" and text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            raise ValueError(f"{option} must be a number for a column of numbers, got {text!r}") from None
    return text
