"""``fitontest sql``: a calibration map as expressions of SQL."""

from pathlib import Path

import click

from fitontest.apps.cli.apply import check_probs, read_map
from fitontest.apps.cli.command import command
from fitontest.apps.cli.messages import refusing
from fitontest.maps.stored import MAX_BYTES


@command()
@click.argument("map_file", metavar="MAP", type=click.Path(path_type=Path))
@click.option(
    "--prob",
    "probs",
    multiple=True,
    default=("p",),
    show_default=True,
    help="Column with the predicted probability of the positive class; for a map of several classes repeat for each, "
    "in the order in which it was fitted.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=MAX_BYTES,
    show_default=True,
    help="Size of MAP beyond which it is not read.",
)
@refusing
def sql(map_file: Path, probs: tuple[str, ...], max_bytes: int) -> None:
    """Print MAP, a calibration map, as an expression in SQL.

    It is a scalar expression in DuckDB's SQL, which can stand in any SELECT.

    MAP is the JSON file of a fitted calibration map. The value lies in [0, 1], and is NULL where the score is missing
    or outside [0, 1]. Of a map of several classes there is an expression for each, on a line of its own.
    """
    c_hat = read_map(map_file, max_bytes)
    check_probs(c_hat, probs)
    for line in c_hat.to_sql(probs) if c_hat.takes_classes else [c_hat.to_sql(probs[0])]:
        click.echo(line)
