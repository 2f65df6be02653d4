"""``fitontest compare``: which calibrator to put behind the scores in a file."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.features import GivenFeatures, of_features
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import Given, of_any_scores
from fitontest.apps.cli.writing import FORMATS, check_output, is_same, of_format, of_verbose
from fitontest.displays.saving import check_path
from fitontest.evaluation.comparison.calibrators import AUTO, RULES
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.comparison.options import EVALUATORS
from fitontest.numerics.losses import LOSSES
from fitontest.results.checks import choose
from fitontest.results.writing import write_text

FAMILY_HELP = (
    "Candidate; repeat for several. Default: the quick families, which are identity, temperature, platt, beta, "
    "isotonic, spline, venn_abers and those of other packages that say so. With "
    "--reduction canonical: identity, bias_corrected, dirichlet, matrix, one_vs_rest (of beta), shared_isotonic, "
    "temperature, vector; families of two classes are fitted to each class against the rest."
)


@command()
@of_any_scores
@click.option("--test", type=click.Path(path_type=Path), help="A second file with the same columns, to evaluate on.")
@click.option("--family", "families", multiple=True, help=FAMILY_HELP)
@of_features(
    "Columns with features, with commas between them, or * for all that no other option names; may be repeated. "
    "Calibrators that see them are then candidates too, and the segment is shown in which each is most wrong."
)
@click.option("--cv", type=click.IntRange(min=2), default=10, show_default=True, help="Number of folds.")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Cross-validations.")
@click.option("--scoring", type=Choice(sorted(LOSSES, reverse=True)), default="log_loss", show_default=True)
@click.option(
    "--rule",
    type=Choice(sorted(RULES, reverse=True)),
    default=AUTO,
    show_default=True,
    help="auto: one_se with fewer than 500 rows; with more stack, but one_se where the mixture has no smaller loss. "
    "stack: the mixture of all, or to do nothing where it predicts no better. one_se: of the maps that keep the "
    "ranking the simplest within one standard error of the best. All three leave scores alone whose calibration is "
    "not rejected. best: the best (to do nothing, unless that is worse by more than one standard error).",
)
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    help=f"Family that measures the error after calibration, or 'none'; repeat for several. Default: "
    f"{', '.join(EVALUATORS)}.",
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds.")
@of_verbose("the losses and errors of all candidates below the choice")
@of_format()
@click.option("--save", type=click.Path(path_type=Path), help="Write the chosen map, fitted to all rows, as JSON.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw the comparison: .png, .svg or .pdf.")
@refusing
def compare(
    given: Given,
    features: GivenFeatures,
    test: Path | None,
    families: tuple[str, ...],
    cv: int,
    repeats: int,
    scoring: Literal["log_loss", "brier"],
    rule: Literal["auto", "stack", "one_se", "best"],
    evaluators: tuple[str, ...],
    random_state: int,
    verbose: bool,
    style: str,
    save: Path | None,
    picture: Path | None,
) -> None:
    """Compare recalibration methods and choose one.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input, with scores of rows that the classifier was
    not trained on. Families of calibration maps are compared out of fold, by paired differences; to do nothing is
    always a candidate. `fitontest apply` applies a map that was saved. Of several classes, with a --prob column for
    each, --reduction canonical compares maps of all of them at once, classwise a map for each class against the rest,
    and confidence those of the highest probability.
    """
    file = given.file
    if test is not None and is_same(file, test):
        raise ValueError(
            f"--test must be another file than FILE, got {test}: rows that a map was fitted to cannot test it"
        )
    if save is not None:
        choose(save.suffix.lower(), (".json",), "the ending of --save")
        check_output(save, "--save", {"FILE": file, "--test": test, "--plot": picture})
    if picture is not None:
        check_path(picture, "--plot")
        check_output(picture, "--plot", {"FILE": file, "--test": test})
    if given.are_models:
        raise ValueError(
            f"--prob must be given once, for two classes, unless there is a --reduction; got {', '.join(given.probs)}. "
            "Calibrators are compared for the scores of one model; evaluate takes several models"
        )
    shown = _read_evaluators(evaluators)
    given = replace(given, cells="never") if features.names else given
    data = given.read()
    tested = None if test is None else replace(given, file=test).read(labels=data.classes)
    comparison = fot.compare_calibrators(
        data,
        test=tested if not features.names or test is None else (tested, features.read(given, test)),
        X=features.read(given) if features.names else None,
        categorical_features=features.categorical_features,
        families=families or None,
        cv=cv,
        repeats=repeats,
        scoring=scoring,
        rule=rule,
        evaluators=shown,
        random_state=random_state,
    )
    say(re.sub(r'rule="(\w+)"', r"--rule \1", FORMATS[style](comparison.table() if verbose else comparison)))
    _write(comparison, save, picture)


def _read_evaluators(evaluators: tuple[str, ...]) -> tuple[str, ...]:
    """Return the default evaluators, the given ones, or none."""
    if "none" not in evaluators:
        return evaluators or EVALUATORS
    if len(evaluators) > 1:
        raise ValueError(f"--evaluator must not name others beside none, got {', '.join(evaluators)}")
    return ()


def _write(comparison: Comparison, save: Path | None, picture: Path | None) -> None:
    """Write the map and the diagram where paths are given, and report it on standard error, apart from the table."""
    if save is not None:
        write_text(save, comparison.chosen_.map_.to_json() + "\n")
        say(f"Wrote the map of {comparison.chosen} to {save}", err=True)
    if picture is not None:
        comparison.diagram().save(picture)
        say(f"Wrote {picture}", err=True)
