"""The options that name the columns of features in a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fitontest.apps.cli.messages import say
from fitontest.apps.cli.no_features import find_no_features
from fitontest.apps.cli.scores import Given, split_classes
from fitontest.data.files.features import column_names, read_features
from fitontest.maps.rules.columns import CategoricalFeatures
from fitontest.results.several import grouped

OTHERS = "*"  # all columns that no other option names
CATEGORICAL = click.option(
    "--categorical",
    multiple=True,
    help="Columns of numbers that are names of categories, such as codes, with commas between them; may be repeated.",
)


@dataclass(frozen=True)
class GivenFeatures:
    """Which columns of a file are features.

    Attributes
    ----------
    names : list of str
        As they were given; "*" for all that no other option names; none for those of them that do not look like scores
        or ids by their values.
    categorical : list of str
    """

    names: list[str]
    categorical: list[str]

    @property
    def categorical_features(self) -> CategoricalFeatures:
        """Which columns are categories, as functions take it."""
        return self.categorical or "from_dtype"

    def read(self, given: Given, file: Path | None = None, by: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the columns of features of a file.

        Parameters
        ----------
        given : Given
            How the file is read, and what other columns are.
        file : Path, optional
            By default that of `given`.
        by : tuple of str
            Columns whose values make segments, as they were read.
        """
        names = _others(given) if self.names == [OTHERS] else self.names or _likely(given, self.categorical)
        given = given if file is None else replace(given, file=file)
        source = given.file
        unknown = [name for name in self.categorical if name not in names]
        if unknown:
            raise ValueError(f"--categorical must be among --columns, {', '.join(names)}; got {unknown[0]}")
        columns = read_features(source, names, {"--label": given.label}, given.layout)
        rows = given.kept_rows(by)
        return columns if rows is None else {name: column[rows] for name, column in columns.items()}


def of_features(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command the options of features, which it gets as one `GivenFeatures`.

    Parameters
    ----------
    help_text : str
        What the columns are for.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(given: Given, columns: tuple[str, ...], categorical: tuple[str, ...], **options: Any) -> Any:
            return command(given, features=GivenFeatures(_split(columns), _split(categorical)), **options)

        return click.option("--columns", multiple=True, help=help_text)(CATEGORICAL(run))

    return add


def _split(options: tuple[str, ...]) -> list[str]:
    """Return the names in options that may hold several with commas between them."""
    return [name for option in options for name in split_classes(option)]


def _others(given: Given) -> list[str]:
    """Return the columns of the file that no other option names."""
    named = {given.label, *given.probs, given.weight, *given.groups}
    others = [name for name in column_names(given.file, {"--label": given.label}, given.layout) if name not in named]
    if not others:
        raise ValueError(f"--columns must name columns of features, got none in {given.file}")
    return others


def _likely(given: Given, categorical: Sequence[str]) -> list[str]:
    """Return the columns that no other option names, but those that look like scores or ids, and say which these are.

    Parameters
    ----------
    given : Given
    categorical : sequence of str
        Columns that are features whatever they look like.
    """
    others, label = _others(given), {"--label": given.label}
    columns = read_features(given.file, [name for name in others if name not in categorical], label, given.layout)
    looks = find_no_features(columns, read_features(given.file, given.probs, label, given.layout))
    alike = grouped((look, name) for name, look in looks.items())
    left_out = "; ".join(f"{', '.join(names)} (like {look})" for look, names in alike.items())
    if len(looks) == len(others):
        raise ValueError(f"--columns must name columns of features, got none but, by their values, {left_out}")
    if looks:
        say(f"Left out by their values: {left_out}. --columns takes what you name", err=True)
    return [name for name in others if name not in looks]
