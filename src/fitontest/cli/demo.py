"""``fitontest demo``: two classifiers on real data, in numbers and pictures."""

from pathlib import Path

import click

from fitontest.cli.demo_data import QUESTION, scored_classifiers
from fitontest.cli.measuring import NULL_DRAWS, report
from fitontest.cli.messages import refusing
from fitontest.cli.reporting import as_table
from fitontest.data.sample import Sample
from fitontest.displays.tce import TCEDisplay
from fitontest.measures.losses.base import DEFAULT_ALPHA

FOLDER = Path("fitontest-demo")


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Folder for the figures, made if it is not there.",
)
@refusing
def demo(output: Path) -> None:
    """Show the errors of two classifiers on real data, and write their diagrams."""
    output.mkdir(parents=True, exist_ok=True)
    click.echo(QUESTION)
    written = []
    for scored in scored_classifiers():
        sample = Sample(scored.y_true, scored.y_prob)
        found = report(sample, None, "l1", 0, (DEFAULT_ALPHA, NULL_DRAWS))
        click.echo(f"\n{scored.name}\n{as_table(found)}")
        stem = scored.name.lower().replace(" ", "_")
        written.append(found.evaluation.diagrams().save(output / f"{stem}_reliability.png"))
        if found.tce is not None:
            written.append(TCEDisplay(found.tce, sample, name=scored.name).save(output / f"{stem}_tce.png"))
    click.echo(
        "\nerror: mean distance between the scores and the fitted calibration map; flat bins also count the spread of\n"
        "the scores within a bin. bins: how many, chosen from the data where a family has bins."
    )
    click.echo("\nReliability diagrams of all families, and test-based ones, are in")
    for path in written:
        click.echo(f"  {path}")
