"""``fitontest plot``: the diagrams of the scores in a file."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from fitontest.cli.measuring import NULL_DRAWS, tested
from fitontest.cli.messages import notes, progress, refusing
from fitontest.cli.scores import of_scores, read_scores
from fitontest.displays.base import Display
from fitontest.displays.saving import check_path
from fitontest.displays.scales import NAMES, ScaleName
from fitontest.displays.small_multiples import side_by_side
from fitontest.displays.tce import TCEDisplay
from fitontest.errors.bin_losses import DEFAULT_ALPHA
from fitontest.errors.triplet import tce_triplet
from fitontest.evaluation import evaluation_of
from fitontest.families.base import family_class
from fitontest.sample import Sample


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
    help="Family of maps, by default slope1; repeat for several, side by side; 'all' for all.",
)
@click.option("--scale", type=click.Choice(NAMES), default="probability", show_default=True, help="Scale of the axes.")
@click.option(
    "--band-draws",
    type=click.IntRange(min=0),
    help="Redrawings of the labels for a band that shows where maps of calibrated scores lie.",
)
@click.option("--partition", help="Bins of the test-based diagram, by default pava_bc.")
@click.option("--alpha", type=float, help=f"Level of the tests behind TCE, by default {DEFAULT_ALPHA}.")
@click.option("--name", help="What the diagram calls the scores, by default the name of their column.")
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
    band_draws: int | None,
    partition: str | None,
    alpha: float | None,
    name: str | None,
    random_state: int,
) -> None:
    """Draw a diagram of the scores in FILE.

    FILE is CSV, TSV (also gzipped) or Parquet. A reliability diagram shows the calibration map of each family, fitted
    to its rows; a test-based diagram (--kind tce) the predictions that the labels of their bin contradict.
    """
    check_path(output, "--output")
    if kind == "tce":
        _refuse_options_of("reliability", {"--family": families or None, "--band-draws": band_draws})
    else:
        _refuse_options_of("tce", {"--partition": partition, "--alpha": alpha})
    sample = read_scores(file, label, prob, weight, pos_label)
    called = prob if name is None else name
    with notes():
        drawn: Display
        if kind == "tce":
            given: dict[str, Any] = {"partition": partition, "alpha": alpha}
            triplet = tce_triplet(**{option: value for option, value in given.items() if value is not None})
            error = tested(sample, triplet, NULL_DRAWS, random_state)
            drawn = TCEDisplay(error, sample, scale=scale, name=called, pos_label=pos_label)
        else:
            asked = families or ("slope1",)
            drawn = _reliability(sample, asked, scale, band_draws or 0, random_state, called, pos_label)
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
    for family in families:
        if family != "all":
            family_class(family)  # refuses unknown names
    asked = None if "all" in families else list(dict.fromkeys(families))
    evaluation = evaluation_of(sample, asked, "l1", random_state, partial(progress, label="families"))
    several = side_by_side(evaluation, sample, scale, name=name, pos_label=pos_label)
    for title, display in several.displays.items():
        if band_draws:
            watched = partial(progress, label=f"draws of {title}")
            display.add_band(sample, draws=band_draws, random_state=random_state, follow=watched)
    return several if len(several.displays) > 1 else display


def _refuse_options_of(other: str, named: dict[str, object]) -> None:
    """Raise ValueError for options that would have no effect."""
    for option, value in named.items():
        if value is not None:
            raise ValueError(f"{option} must be left out unless --kind is {other}, got {value}")
