"""The measurements behind the commands, with progress bars and notes."""

from functools import partial

import click

from fitontest.cli.messages import notes, progress
from fitontest.errors.binned_error import BinnedError
from fitontest.errors.triplet import Triplet, general_error, tce_triplet
from fitontest.evaluation import evaluation_of
from fitontest.report import Report
from fitontest.sample import Sample

NULL_DRAWS = 100  # enough for the mean to a tenth of the spread


def report(
    sample: Sample, families: list[str] | None, norm: str, random_state: int, test: tuple[float, int] | None
) -> Report:
    """Measure everything with progress bars; warnings become notes."""
    with notes():
        evaluation = evaluation_of(sample, families, norm, random_state, partial(progress, label="families"))
        return Report(evaluation, None if test is None else tce_of(sample, *test, random_state))


def tce_of(sample: Sample, alpha: float, null_draws: int, random_state: int) -> BinnedError | None:
    """Return the test-based error with its value if calibrated; none, with a note, where weights count no rows."""
    if not sample.whole:
        click.echo("Note: no TCE, because a test counts rows and the weights are not whole numbers", err=True)
        return None
    return tested(sample, tce_triplet(alpha=alpha), null_draws, random_state)


def tested(sample: Sample, triplet: Triplet, null_draws: int, random_state: int) -> BinnedError:
    """Return an error with its value if calibrated."""
    return general_error(sample, triplet, null_draws, random_state, partial(progress, label="draws"))
