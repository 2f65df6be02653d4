"""``fitontest plan``: which evaluator to trust at a number of rows, and how many rows an answer needs."""

from pathlib import Path
from typing import Any

import click

from fitontest.apps.cli.command import command
from fitontest.apps.cli.layout import of_layout
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import NAMES
from fitontest.apps.cli.writing import FORMATS, of_format, of_verbose
from fitontest.apps.planning.planning import (
    DEFAULT_BASE_RATE,
    DEFAULT_N,
    POWER,
    QUICK,
    THOROUGH,
    WIDTH,
    plan_evaluation,
)
from fitontest.data.arrays import as_scores
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.tables import naming_lines, read_columns
from fitontest.data.reading.read import read
from fitontest.data.written import counting_from, taken_rows
from fitontest.results.typing import FloatArray

ERRORS = (0.0, 0.02, 0.05)


@command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--prob", help="Column of FILE with scores such as those to be evaluated.")
@click.option("--label", help="Column of FILE with labels, where there are any: of use with --group alone.")
@click.option(
    "--pos-label", help="The positive label of two, unless the labels are 0/1, -1/1 or true/false (in CSV also yes/no)."
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="COLUMN",
    help="Column of FILE that says which rows belong together, such as those of one patient, user or site, with "
    "--label. The plan is for rows in such groups. Repeat for rows that share the values of several columns.",
)
@click.option(
    "--n",
    "sizes",
    multiple=True,
    type=int,
    help=f"Number of rows; twice, four and eight times as many follow. Default: the rows of FILE, or {DEFAULT_N}. "
    "Repeat for just these numbers.",
)
@click.option(
    "--base-rate",
    type=float,
    help=f"Mean of beta-distributed scores, without FILE. Default: {DEFAULT_BASE_RATE}.",
)
@click.option("--error", "errors", multiple=True, type=float, default=ERRORS, show_default=True, help="True error.")
@click.option(
    "--family",
    "families",
    multiple=True,
    help="Family of maps that measures the error; repeat for several. Default: spline, isotonic and slope1; with "
    "--thorough also slope1 with 15 bins, platt and beta.",
)
@click.option(
    "--width",
    type=float,
    help=f"How many rows make the 95 % interval that wide, on average? {WIDTH} (+-{WIDTH / 2}) without --n, --width "
    "and --power.",
)
@click.option(
    "--power",
    type=float,
    help=f"How many rows find the errors in that share of evaluations? {POWER} without --n, --width and --power.",
)
@click.option(
    "--draws",
    type=int,
    help=f"Simulated evaluations for each figure. Default: {QUICK.draws}, with --thorough {THOROUGH.draws}.",
)
@click.option(
    "--thorough", is_flag=True, help="Simulate more, with six families: minutes, and half the simulation error."
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of scores and labels.")
@of_verbose("the rows needed and the figures of every family")
@of_format()
@of_layout
@refusing
def plan(
    file: Path | None,
    prob: str | None,
    label: str | None,
    pos_label: str | None,
    groups: tuple[str, ...],
    sizes: tuple[int, ...],
    base_rate: float | None,
    errors: tuple[float, ...],
    families: tuple[str, ...],
    width: float | None,
    power: float | None,
    draws: int | None,
    thorough: bool,
    random_state: int,
    verbose: bool,
    style: str,
    layout: Layout,
) -> None:
    """Say how many test rows a calibration error takes.

    Families of calibration maps are compared: which one measures the error best at each number of rows? Labels of known
    calibration error are simulated for scores drawn from FILE, which is CSV, TSV, JSON lines, Parquet or xlsx (- is
    standard input), or for beta-distributed scores. Nothing is needed of labels: a plan can be made before there are
    any.
    """
    if (file is None) != (prob is None):
        missing, given = ("--prob", f"FILE {file}") if prob is None else ("FILE", f"--prob {prob}")
        raise ValueError(f"{missing} must be given with {given}: the scores are a column of a file")
    if file is None and layout != STANDARD:
        raise ValueError("--sep, --encoding, --decimal and --max-unpacked must be left out without FILE")
    if groups and label is None:
        rule = "--group must be given with --label, which tells how alike rows of a group are"
        raise ValueError(f"{rule}; got {', '.join(groups)}")
    if label is not None and not groups:
        raise ValueError(f"--label must be left out without --group: plans look at labels of groups alone; got {label}")
    if pos_label is not None and label is None:
        raise ValueError(f"--pos-label must be left out without --label, got {pos_label}")
    scores: Any = None
    if file is not None and prob is not None:
        columns: dict[str, Any] = {"label": label, "prob": prob, "groups": list(groups), "pos_label": pos_label}
        scores = (
            _read_scores(file, prob, layout) if label is None else read(file, **columns, names=NAMES, **layout.options)
        )
    drawn: dict[str, Any] = {} if draws is None else {"draws": draws}  # by default as many as the depth says
    planned = plan_evaluation(
        scores,
        n=None if not sizes else sizes[0] if len(sizes) == 1 else sizes,
        base_rate=base_rate,
        errors=errors,
        families=families or None,
        width=width,
        power=power,
        thorough=thorough,
        random_state=random_state,
        **drawn,
    )
    say(FORMATS[style](planned.table() if verbose else planned))


def _read_scores(file: Path, prob: str, layout: Layout) -> FloatArray:
    column = read_columns(file, {"--prob": prob}, ("--prob",), layout)["--prob"]
    name = f"prob column {prob!r}"
    rows = layout.written.kept_rows({name: column})
    with naming_lines(file, {name: prob}, layout), counting_from(rows):
        return as_scores(layout.written.scores(taken_rows({name: column}, rows)[name], name), name)
