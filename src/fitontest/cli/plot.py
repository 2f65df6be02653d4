"""``fitontest plot``: the diagrams of the scores in a file."""

from functools import partial
from pathlib import Path

import click

from fitontest.cli.measuring import NULL_DRAWS
from fitontest.cli.messages import notes, progress, refusing
from fitontest.cli.scores import of_scores, read_scores
from fitontest.displays.base import Display
from fitontest.displays.consistency import check_band
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.saving import check_path
from fitontest.displays.scales import NAMES, ScaleName
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.displays.tce import TCEDisplay
from fitontest.errors.bin_losses import DEFAULT_ALPHA, Rejection
from fitontest.errors.triplet import Triplet, general_error
from fitontest.evaluation import evaluation_of
from fitontest.sample import Sample

LEVEL = 0.9


@click.command()
@of_scores
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The picture: .png, .svg or .pdf.")
@click.option(
    "--kind",
    type=click.Choice(["reliability", "tce"]),
    default="reliability",
    show_default=True,
    help="Calibration maps against the diagonal, or the test-based diagram.",
)
@click.option(
    "--family",
    "families",
    multiple=True,
    default=["slope1"],
    show_default=True,
    help="Family of maps; repeat for several, side by side. 'all' for all.",
)
@click.option("--scale", type=click.Choice(NAMES), default="probability", show_default=True, help="Scale of the axes.")
@click.option(
    "--band-draws",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Redrawings of the labels for a band that shows where maps of calibrated scores lie.",
)
@click.option("--partition", default="pava_bc", show_default=True, help="Bins of the test-based diagram.")
@click.option("--alpha", type=float, default=DEFAULT_ALPHA, show_default=True, help="Level of the tests behind TCE.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of folds and redrawings.")
@refusing
def plot(
    file: Path,
    label: str,
    prob: str,
    weight: str | None,
    pos_label: str | None,
    output: Path,
    kind: str,
    families: tuple[str, ...],
    scale: ScaleName,
    band_draws: int,
    partition: str,
    alpha: float,
    random_state: int,
) -> None:
    """Draw a diagram of the scores in FILE.

    FILE is CSV, TSV (also gzipped) or Parquet. A reliability diagram shows the calibration map of each family, fitted
    to its rows; a test-based diagram (--kind tce) the predictions that the labels of their bin contradict.
    """
    check_path(output)
    sample = read_scores(file, label, prob, weight, pos_label)
    with notes():
        drawn: Display
        if kind == "tce":
            triplet = Triplet(Rejection(alpha), partition, percent=True)
            watched = partial(progress, label="draws")
            error = general_error(sample, triplet, NULL_DRAWS, random_state, watched)
            drawn = TCEDisplay(error, sample, scale=scale, name=prob, pos_label=pos_label)
        else:
            drawn = _reliability(sample, families, scale, band_draws, random_state, prob, pos_label)
        drawn.save(output)
    click.echo(f"Wrote {output}")


def _reliability(
    sample: Sample,
    families: tuple[str, ...],
    scale: ScaleName,
    band_draws: int,
    random_state: int,
    name: str,
    pos_label: str | None,
) -> Display:
    """Return the diagram of one family, or those of several side by side."""
    check_band(band_draws, LEVEL)
    asked = None if "all" in families else list(dict.fromkeys(families))
    evaluation = evaluation_of(sample, asked, "l1", random_state, partial(progress, label="families"))
    displays = {}
    for error in evaluation:
        made = ReliabilityDisplay(error, sample, scale=scale, name=name, pos_label=pos_label)
        if band_draws:
            watched = partial(progress, label=f"draws of {error.family}")
            made.add_band(sample, draws=band_draws, level=LEVEL, random_state=random_state, follow=watched)
        displays[error.family] = made
    return made if len(displays) == 1 else SmallMultiples(displays)
