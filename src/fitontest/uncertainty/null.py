"""What a measure would be if the predictions were calibrated: labels redrawn from the predictions themselves.

The measure is estimated again, with everything that it fits fitted anew.
"""

from typing import Literal

import numpy as np

from fitontest.data.kinds import Data
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.measures.notes import AUTO_CLASSES, AUTO_DRAWS, AUTO_ROWS
from fitontest.numerics.random import check_seed
from fitontest.numerics.rounding import NOWHERE
from fitontest.results.checks import is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.text import count
from fitontest.results.typing import FloatArray, RandomState
from fitontest.uncertainty.dependence import bound_to, redraws_of, with_dependence


def with_null(estimate: Estimate, sample: Data, draws: int, random_state: RandomState) -> Estimate:
    """Return the estimate with its null distribution: the measure's values for labels drawn from the predictions.

    Parameters
    ----------
    estimate : Estimate
        Of the sample.
    sample : ScoreSample or SimplexSample
        Whole weights are rows, each with a label of its own; a row of any other weight gets one label.
    draws : int
        0 leaves the estimate as it is, and so does a measure that does not use the labels.
    random_state : int, RandomState or None
    """
    check_draws(draws)
    check_seed(random_state)
    if draws == 0 or not estimate.measure.uses_labels:
        return estimate
    estimate, too_few = with_dependence(estimate, sample)
    if too_few:
        return estimate
    redraws = redraws_of(bound_to(estimate.measure, sample))
    values = redraws.null_values(estimate.measure, draws, random_state)
    if np.isnan(values).all():
        what = f"{estimate.measure.name} has no value for any of {count(draws)} labellings drawn from the scores"
        warn_user(f"{what}: there is no null", CalibrationWarning)
        return estimate
    return estimate.with_uncertainty(null=compare_with(values, estimate.measure, estimate.value))


def compare_with(values: FloatArray, measure: Measure, observed: float) -> IfCalibrated:
    """Return what calibrated scores would have, beside the value of the real labels."""
    if measure.is_family_error:
        values = np.where(values <= NOWHERE, 0.0, values)
    return IfCalibrated(
        observed, values, measure.refits, measure.greater_is_better, measure.held_fixed, measure.two_sided
    )


def draws_of(measure: Measure, null_draws: int | Literal["auto"], rows: int, classes: int = 1) -> int:
    """Return the number of draws: what "auto" means for a measure and the rows of all classes together."""
    if isinstance(null_draws, str) and null_draws == "auto":
        return AUTO_DRAWS if measure.words.needs_null and rows <= AUTO_ROWS and classes <= AUTO_CLASSES else 0
    return null_draws


def check_null_draws(draws: object) -> None:
    """Raise ValueError unless `draws` is "auto" or a whole number, at least 0."""
    if not (isinstance(draws, str) and draws == "auto"):
        check_draws(draws, "null_draws", or_else=", or 'auto'")


def check_draws(draws: object, name: str = "null_draws", least: int = 0, or_else: str = "") -> None:
    """Raise ValueError unless `draws` is a whole number, at least `least`."""
    if not is_whole(draws) or draws < least:
        raise ValueError(f"{name} must be a whole number, at least {least}{or_else}; got {draws!r}")
