"""The measurements behind the commands, with progress bars and notes."""

from functools import partial

import click

from fitontest.cli.messages import notes, progress
from fitontest.cli.reporting import ClasswiseReport, Report
from fitontest.data.predictions import Predictions
from fitontest.data.sample import Sample
from fitontest.evaluation import classwise_evaluation_of, evaluation_of
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.classwise import mean_of
from fitontest.measures.triplet import Triplet, general_error, tce_triplet

NULL_DRAWS = 100  # enough for the mean to a tenth of the spread


def report(
    sample: Sample,
    families: list[str] | None,
    norm: str,
    random_state: int,
    test: tuple[float, int] | None,
    reduction: str | None = None,
) -> Report:
    """Measure everything with progress bars; warnings become notes."""
    watched = partial(progress, label="families")
    with notes():
        evaluation = evaluation_of(sample, families, norm, random_state, watched, reduction=reduction)
        if test is None or not _counts_rows(sample):
            return Report(evaluation, None)
        return Report(evaluation, _tce(sample, test, random_state).under(reduction))


def classwise_report(
    scores: Predictions, families: list[str] | None, norm: str, random_state: int, test: tuple[float, int] | None
) -> ClasswiseReport:
    """Measure everything for each class against the rest, with progress bars; warnings become notes."""
    watched = partial(progress, label="classes")
    with notes():
        evaluation = classwise_evaluation_of(scores, families, norm, random_state, watched)
        if test is None or not _counts_rows(scores.against_rest(0)):
            return ClasswiseReport(evaluation, None)
        errors = {label: _tce(sample, test, random_state) for label, sample in scores.one_vs_rest()}
        return ClasswiseReport(evaluation, mean_of(errors))


def _counts_rows(sample: Sample) -> bool:
    """Tell whether there is a test-based error, with a note where weights count no rows."""
    if not sample.whole:
        click.echo("Note: no TCE, because a test counts rows and the weights are not whole numbers", err=True)
    return sample.whole


def _tce(sample: Sample, test: tuple[float, int], random_state: int) -> BinnedError:
    alpha, null_draws = test
    return tested(sample, tce_triplet(alpha=alpha), null_draws, random_state)


def tested(sample: Sample, triplet: Triplet, null_draws: int, random_state: int) -> BinnedError:
    """Return an error with its value if calibrated."""
    return general_error(sample, triplet, null_draws, random_state, partial(progress, label="draws"))
