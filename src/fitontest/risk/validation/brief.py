"""A validation in at most eight lines, and what its words and numbers mean."""

from typing import Any

from fitontest.data.repeated_rows import Repeats
from fitontest.evaluation.explained import explained
from fitontest.results.number_lines import NumberLine, number_lines
from fitontest.results.quoting import Kind, in_decimals
from fitontest.results.short_print import short_print
from fitontest.results.table import Section
from fitontest.results.text import capital, count, percent, sentence
from fitontest.risk.validation.statistics import ICI
from fitontest.risk.validation.wording import decision_sentences
from fitontest.uncertainty.sizes import OF_SLOPE
from fitontest.uncertainty.verdict import FAMILY

FITTED = "By the very rows that the model was fitted to:"
OF_R = ("loess", "lowess")  # families whose uncorrected error R prints
ERRORS = (
    "ICI, E50, E90 and Emax: mean, median, .9 quantile and maximum of the distance of the risks from a {family} fitted "
    "to these rows, over the rows, less what chance adds."
)
ACCURACY = (
    "Brier score: the mean squared distance of the risks from the labels; scaled: by how much it is smaller than that "
    "of the share of events for all. AUC: the share of pairs of an event and a non-event in which the event has the "
    "larger risk. Both are worse where outcomes are harder to tell, and no test of calibration."
)
LINES = (
    "Calibration in the large: the shift of the logits of the risks that fits the labels best; 0 is ideal. "
    "Spiegelhalter z: the Brier score less what calibrated risks would have, in standard deviations."
)
DECISIONS = (
    "Net benefit at a threshold t: true positives less false ones times t / (1 - t), of treating rows whose risk is at "
    "least t; per 1,000 rows. Lost by miscalibration: what recalibrating first would add to it."
)


def brief(validation: Any) -> Section:
    """Return the verdict with the four numbers that reports begin with, and what the thresholds say."""
    verdict, optimism = validation.verdict, validation.optimism
    doubts = validation.data_notes if Repeats.of(validation.sample).is_doubt else []
    opening = f"{validation.opening}. {rows_of(validation)}."
    lead = [*([] if validation.name is None else [f"{validation.name}:"]), *map(sentence, doubts)]
    lead += [opening] if optimism is None else [optimism.sentence, f"{FITTED} {opening}"]
    further = [] if verdict is None else [*verdict.causes, *map(sentence, validation.data_notes), *verdict.left_open]
    further += validation.group_lines
    said = decision_sentences(validation.thresholds, validation.statistics)
    return short_print(lead, number_lines(_numbers(validation)), said, [one for one in further if one not in lead])


def rows_of(validation: Any) -> str:
    """Return how many rows, groups and events there are."""
    sample, groups = validation.sample, validation.groups
    rows = f"n = {count(validation.n)}"
    if groups is not None and not groups.sizes.are_single:
        rows += f" in {count(groups.sizes.groups)} groups"
    if not sample.whole:
        return f"{rows}, {percent(sample.base_rate)} events"
    events = round(sample.total * sample.base_rate)
    return f"{rows}, {count(events)} event{'' if events == 1 else 's'} ({percent(sample.base_rate)})"


def _numbers(validation: Any) -> list[NumberLine]:
    """Return O:E, slope, ICI and AUC."""
    verdict, family = validation.verdict, validation.family
    ratio = None if verdict is None else verdict.sizes.ratio
    words = [] if verdict is None else verdict.sizes.slope_words
    is_said = ratio is not None and ratio.of == "events" and ratio.quoted in verdict.opening
    of_ratio = ratio.in_words if ratio is not None and ratio.is_visible else ""
    lines = [] if is_said else [_line(validation, "observed_expected", "O:E", "ratio", of_ratio)]
    lines.append(_line(validation, "calibration_slope", "Slope", "slope", ", ".join(OF_SLOPE[one] for one in words)))
    label = "ICI" if family == FAMILY else f"ICI ({family})"
    lines.append(_line(validation, ICI, label, "error", _uncorrected(validation)))
    return [*lines, _line(validation, "auc", "AUC", "score", "")]


def _line(validation: Any, name: str, label: str, kind: Kind, remark: str) -> NumberLine:
    estimate = validation.statistics.get(name)
    if estimate is None:
        return NumberLine(label, None, kind=kind, remark=f"none: {validation.reasons.get(name, 'not measured')}")
    ends = None if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
    return NumberLine(label, estimate.quoted, ends, validation.level, kind, remark)


def _uncorrected(validation: Any) -> str:
    """Return the ICI without its correction, as R prints it, and what that is of calibrated risks."""
    estimate = validation.statistics.get(ICI)
    if estimate is None or estimate.debiased is None:
        return ""
    value, *null = in_decimals([estimate.value, *([] if estimate.null is None else [estimate.null.mean])])
    as_in = "as in val.prob: " if validation.family.startswith(OF_R) else "uncorrected "
    return f"{as_in}{value}{f', by chance alone {null[0]}' if null else ''}"


def explain_validation(validation: Any) -> list[str]:
    """Return what the words and numbers of a validation mean, a paragraph each."""
    verdict = validation.verdict
    of_verdict = [] if verdict is None else explained([(ICI, validation.statistics[ICI])], verdict, [])
    optimism = [] if validation.optimism is None else validation.optimism.notes
    words = [LINES, ERRORS.format(family=validation.family), ACCURACY, *([DECISIONS] if validation.thresholds else [])]
    return [*of_verdict, *words, *map(capital, validation.notes), *optimism]
