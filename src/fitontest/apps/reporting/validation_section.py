"""The part of a report that those who validate risk models look for: their statistics, and decisions at thresholds.

The rows, the family of maps, the level and the draws are those of the verdict, so that ICI and its interval are the
error of the headline. Unless there are thresholds, what takes further refits, E50, E90 and Emax, is left out.
"""

from dataclasses import replace
from typing import Any

from fitontest.apps.reporting.figures import Picture
from fitontest.apps.reporting.options import ReportOptions
from fitontest.data.read import is_one_sample
from fitontest.results.table import Section
from fitontest.risk.validation.pictures import decision_picture
from fitontest.risk.validation.validate import validate, validation_of_error
from fitontest.risk.validation.validation import Validation
from fitontest.risk.validation.wording import decision_sentences

HEADING = "Validation"
CONFIDENCE = "confidence"
SCORES = "scores"  # what the legend calls them


def validation_of(data: Any, verdict: Any, options: ReportOptions) -> Validation | None:
    """Return the validation of the rows that a report judges; None where there is not one score of a positive class.

    Parameters
    ----------
    data : sample, or samples
    verdict : Verdict or ClassesVerdict
        On these rows.
    options : ReportOptions

    Raises
    ------
    ValueError
        Thresholds for rows that have no validation.
    """
    if not is_one_sample(data) or data.reduction == CONFIDENCE or verdict.interval is None:
        if options.thresholds:
            raise ValueError(
                "thresholds must be left out unless there is one score of a positive class in each row, got "
                f"reduction={data.reduction!r}"
            )
        return None
    if not options.thresholds:
        return validation_of_error(data, verdict.estimate, options.level, options.seed)
    validation: Validation = validate(
        data,
        thresholds=options.thresholds,
        family=verdict.family,
        level=options.level,
        random_state=options.seed,
    )
    return validation


def validation_sections(validation: Validation) -> list[Section]:
    """Return the tables of a validation, without the verdict, which the page begins with."""
    first, *others = validation.table().sections()
    return [replace(first, lead=""), *others]


def decisions_sentence(validation: Validation | None) -> str:
    """Return what recalibration would gain at the thresholds, "" without any."""
    return "" if validation is None else " ".join(decision_sentences(validation.thresholds, validation.statistics))


def decision_pictures(validation: Validation) -> list[Picture]:
    """Return the decision curve where there are thresholds."""
    if not validation.thresholds:
        return []
    svg, text = decision_picture(
        {SCORES: validation.sample}, validation.thresholds, level=validation.level, seed=validation.random_state
    )
    return [Picture("decisions", "decision curve", text, svg)]
