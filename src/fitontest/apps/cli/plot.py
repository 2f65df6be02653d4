"""``fitontest plot``: the diagrams of the scores in a file."""

from pathlib import Path
from typing import Any

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.evaluate import NULL_DRAWS
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import Given, of_class_scores
from fitontest.displays.base import Display
from fitontest.displays.planes import PLANES
from fitontest.displays.saving import check_path
from fitontest.displays.scales import ScaleName
from fitontest.families.base import family_class
from fitontest.measures.losses.rejection import DEFAULT_ALPHA
from fitontest.uncertainty.bands import BAND_DRAWS, BAND_LEVEL, KINDS, read_band
from fitontest.uncertainty.redrawing import Redrawing


@command()
@of_class_scores
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The picture: .png, .svg or .pdf.")
@click.option(
    "--kind",
    type=Choice(["reliability", "tce"]),
    default="reliability",
    show_default=True,
    help="Calibration maps against the diagonal, or the test-based diagram.",
)
@click.option(
    "--family",
    "families",
    multiple=True,
    help="Family of calibration maps, by default spline; repeat for several, side by side; 'all' for all but identity. "
    "One with classwise, and of several models.",
)
@click.option(
    "--scale",
    type=Choice(PLANES),
    default="auto",
    show_default=True,
    help="Axes of probabilities, of logits, or of observed over expected; auto is the last where a class is rare.",
)
@click.option(
    "--band",
    type=Choice([*KINDS, "none"]),
    help="A band of the maps of calibrated scores (consistency), or of the true map, at each score (confidence) or at "
    "all at once (simultaneous); by default one of confidence that is made in a moment.",
)
@click.option(
    "--band-draws",
    type=click.IntRange(min=0),
    help="Simulated sets of labels for the band: by default 200 with --band.",
)
@click.option("--partition", help="Bins of the test-based diagram, by default pava_bc.")
@click.option("--alpha", type=float, help=f"Level of the tests behind TCE, by default {DEFAULT_ALPHA}.")
@click.option("--name", help="What the diagram calls the scores, by default the name of their column.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of folds and simulated labels.")
@refusing
def plot(
    given: Given,
    output: Path,
    kind: str,
    families: tuple[str, ...],
    scale: ScaleName,
    band: str | None,
    band_draws: int | None,
    partition: str | None,
    alpha: float | None,
    name: str | None,
    random_state: int,
) -> None:
    """Draw a diagram of the scores in FILE.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. A reliability diagram shows the calibration
    map of each family, fitted to its rows; a test-based diagram (--kind tce) the predictions that the labels of their
    bin contradict. Scores of several classes, a column for each, need a --reduction: confidence gives one diagram,
    classwise one per class. Without one several --prob columns are several models, side by side.
    """
    check_path(output, "--output")
    if kind == "tce":
        _refuse_options_of("reliability", {"--family": families or None, "--band": band, "--band-draws": band_draws})
    else:
        _refuse_options_of("tce", {"--partition": partition, "--alpha": alpha})
    called = given.name if name is None else name
    banded = _band(band, band_draws or 0, random_state)
    drawn: Display
    if kind == "tce":
        drawn = _test_based(given, {"partition": partition, "alpha": alpha}, scale, random_state, called)
    elif given.are_models:
        drawn = _models(given, families or ("spline",), scale, banded, called)
    elif given.reduction == "classwise":
        drawn = _classwise(given, families or ("spline",), scale, banded, called)
    else:
        drawn = _reliability(given, families or ("spline",), scale, banded, called)
    drawn.save(output)
    say(f"Wrote {output}")


def _test_based(
    given: Given, options: dict[str, Any], scale: ScaleName, random_state: int, name: str | None
) -> Display:
    """Return the test-based diagram."""
    if given.are_models:
        raise ValueError(
            f"--prob must be one column with --kind tce, got {', '.join(given.probs)}: a model has its own"
        )
    if given.reduction == "classwise":
        raise ValueError("--reduction must be confidence or binary with --kind tce, got classwise: a class has its own")
    sample = given.read()
    chosen = {option: value for option, value in options.items() if value is not None}
    error = fot.tce(sample, null_draws=NULL_DRAWS, random_state=random_state, **chosen)
    return fot.displays.TCEDisplay(error, sample, scale=scale, name=name, pos_label=given.pos_label)


def _band(kind: str | None, draws: int, random_state: int) -> dict[str, Any]:
    """Return the options of the band; of the kind None there is none."""
    asked: Any = {None: "auto", "none": None}.get(kind, kind)
    chosen, wanted = read_band(asked, draws, BAND_LEVEL)
    return {"kind": chosen, "draws": wanted or BAND_DRAWS, "random_state": random_state}


def _reliability(
    given: Given, families: tuple[str, ...], scale: ScaleName, band: dict[str, Any], name: str | None
) -> Display:
    """Return the diagram of one family, or those of several side by side."""
    chosen = "all" if "all" in _known(families) else list(dict.fromkeys(families))
    sample = given.read()
    evaluation = fot.evaluate(sample, families=chosen, random_state=band["random_state"])
    named = dict(zip(evaluation.names, evaluation, strict=True))
    shown = [(title, error, sample) for title, error in named.items() if error.map and error.map.kind != "identity"]
    shown = shown or [(title, error, sample) for title, error in named.items()]
    verdict = evaluation.verdict
    if len(shown) > 1:
        title = name if verdict is None else f"{name}: {verdict.headline}"
        return fot.ReliabilityDisplay.side_by_side(shown, scale, title=title, band=band, pos_label=given.pos_label)
    ((_, error, _),) = shown
    return fot.ReliabilityDisplay.from_estimate(
        error, sample, scale=scale, band=band, name=name, pos_label=given.pos_label, verdict=verdict
    )


def _models(
    given: Given, families: tuple[str, ...], scale: ScaleName, band: dict[str, Any], name: str | None
) -> Display:
    """Return the diagrams of several models: on the same axes, or side by side."""
    family = _one_family(families, "with several models")
    models = fot.evaluate(given.read_models(), families=[family], random_state=band["random_state"])
    panels = [(model, models[model].estimates[0], models[model].sample) for model in models]
    verdicts = {model: models[model].verdict for model in models}
    return fot.ReliabilityDisplay.of_models(
        panels, scale=scale, title=name, band=band, pos_label=given.pos_label, verdicts=verdicts
    )


def _classwise(
    given: Given, families: tuple[str, ...], scale: ScaleName, band: dict[str, Any], name: str | None
) -> Display:
    """Return the diagrams of the classes, side by side."""
    family = _one_family(families, "with --reduction classwise")
    measure = fot.measures.PlugIn(family).seeded(band["random_state"])
    redrawing = Redrawing(random_state=band["random_state"])
    return fot.ReliabilityDisplay.of_classes(given.read(), measure, redrawing, scale=scale, name=name, band=band)


def _one_family(families: tuple[str, ...], where: str) -> str:
    """Return the one family that is drawn, or refuse several."""
    first, *others = dict.fromkeys(_known(families))
    if others or first == "all":
        raise ValueError(f"--family must be one family {where}, got {', '.join(families)}")
    return first


def _known(families: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of families, or refuse the unknown ones."""
    for family in families:
        if family != "all":
            family_class(family)
    return families


def _refuse_options_of(other: str, named: dict[str, object]) -> None:
    """Raise ValueError for options that would have no effect."""
    for option, value in named.items():
        if value is not None:
            raise ValueError(f"{option} must be left out unless --kind is {other}, got {value}")
