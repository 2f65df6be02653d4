"""``fitontest segments``: for which rows of a file the scores are wrong."""

from dataclasses import replace
from pathlib import Path

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.features import GivenFeatures, of_features
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import Given, of_any_scores
from fitontest.apps.cli.writing import FORMATS, check_output, of_format, of_verbose
from fitontest.displays.saving import check_path
from fitontest.results.checks import choose
from fitontest.results.writing import write_text
from fitontest.segments.find import AGAINST

SQL = "sql"


@command()
@of_any_scores
@of_features(
    "Columns with the features that describe segments, with commas between them; may be repeated. Default: all columns "
    "but those of labels, scores, weights and groups, and those whose values look like scores or ids."
)
@click.option(
    "--against",
    type=Choice(AGAINST),
    default="logistic",
    show_default=True,
    help="What segments are tested against: scores after one logistic map of all rows, or the scores as they are.",
)
@click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="How surely no segment is found where none is wrong: .95 means at most 5 % false alarms.",
)
@click.option("--draws", type=int, default=500, show_default=True, help="Simulated sets of labels.")
@click.option("--most", type=int, default=20, show_default=True, help="Segments at most.")
@click.option(
    "--conditions",
    type=int,
    default=2,
    show_default=True,
    help="Conditions of a segment at most; with 3 or more nodes of a tree are tested besides.",
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the simulated labels.")
@of_verbose("every column of the segments, and notes")
@of_format([*FORMATS, SQL])
@click.option("--save", type=click.Path(path_type=Path), help="Write the map that repairs the scores, as JSON.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw the segments: .png, .svg or .pdf.")
@refusing
def segments(
    given: Given,
    features: GivenFeatures,
    against: str,
    level: float,
    draws: int,
    most: int,
    conditions: int,
    random_state: int,
    verbose: bool,
    style: str,
    save: Path | None,
    picture: Path | None,
) -> None:
    """Find the groups of rows in FILE for which the scores are wrong.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. All conditions on one column, such as age >
    50, and all pairs of conditions on two columns are looked at, and p-values are adjusted for all of them. --format
    sql prints the repaired probability of a row as an expression in DuckDB's SQL, which needs one --prob column.
    """
    if style == SQL and given.name is None:
        raise ValueError(
            f"--format must be one of {', '.join(FORMATS)} with several --prob columns, of which no expression is "
            f"written (--save writes the map); got {SQL}"
        )
    if save is not None:
        choose(save.suffix.lower(), (".json",), "the ending of --save")
        check_output(save, "--save", {"FILE": given.file, "--plot": picture})
    if picture is not None:
        check_path(picture, "--plot")
        check_output(picture, "--plot", {"FILE": given.file})
    data = replace(given, cells="never").read()
    found = fot.segments.find_segments(
        data,
        X=features.read(given),
        against=against,  # type: ignore[arg-type] # one of those that click offers
        level=level,
        draws=draws,
        most=most,
        conditions=conditions,
        categorical_features=features.categorical_features,
        random_state=random_state,
    )
    text = found.to_sql(given.name) if style == SQL else FORMATS[style](found.table() if verbose else found)
    say(text.replace("against='scores'", "--against scores"))
    if save is not None:
        write_text(save, found.map_.to_json() + "\n")
        say(f"Wrote the map to {save}", err=True)
    if picture is not None:
        _draw(found, picture)


def _draw(found: fot.segments.FoundSegments, picture: Path) -> None:
    """Draw the segments, or say that there are none to draw."""
    if not any(item.by != "shape" for item in found):
        say(f"No segment to draw: {picture} was not written", err=True)
        return
    found.diagram().save(picture)
    say(f"Wrote {picture}", err=True)
