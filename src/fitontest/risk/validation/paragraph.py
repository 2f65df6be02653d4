"""A validation as the paragraph of a paper: in the past tense, with the numbers, their intervals, and their method."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import quote_with
from fitontest.results.quoting import PER, Kind, confidence
from fitontest.results.text import count, percent, sentence
from fitontest.risk.validation.statistics import AT_THRESHOLDS, ICI, at_threshold
from fitontest.uncertainty.tendency import OVERCONFIDENT, REVERSED, TOO_HIGH, TOO_LOW, UNDERCONFIDENT
from fitontest.uncertainty.verdict import Verdict


class Name(NamedTuple):
    """What a statistic is called in a list and in a sentence, and how it is quoted."""

    short: str
    full: str
    kind: Kind


NAMES = {
    "observed_expected": Name("O:E", "the ratio of observed to expected events (O:E)", "ratio"),
    "calibration_slope": Name("slope", "the calibration slope", "slope"),
    "calibration_in_the_large": Name("calibration in the large", "calibration in the large", "slope"),
    ICI: Name("ICI", "the integrated calibration index (ICI)", "error"),
    "auc": Name("AUC", "the AUC", "score"),
    "brier": Name("Brier score", "the Brier score", "score"),
    "scaled_brier": Name("scaled Brier score", "the scaled Brier score", "score"),
}
CALIBRATION = ("observed_expected", "calibration_slope", "calibration_in_the_large", ICI)
DISCRIMINATION = ("auc",)
OVERALL = ("brier", "scaled_brier")
WRONG = {
    TOO_HIGH: "too high",
    TOO_LOW: "too low",
    OVERCONFIDENT: "too extreme",
    UNDERCONFIDENT: "not extreme enough",
    REVERSED: "in reverse order",
}
WHOLE_NUMBERS = 9.5  # per 1,000, from which on net benefits have no decimals


def paragraph_of(validation: Any) -> str:
    """Return the paragraph.

    Parameters
    ----------
    validation : Validation
    """
    fitted = "" if validation.optimism is None else ", to which the model had been fitted"
    sentences = [
        f"The risks of {rows_in_words(validation)} were validated{fitted}.",
        _sentence_of(validation, CALIBRATION),
        _decision(validation.verdict),
        _sentence_of(validation, (*DISCRIMINATION, *OVERALL)),
        *(_at_threshold(validation, threshold) for threshold in validation.thresholds),
        "" if validation.optimism is None else validation.optimism.sentence,
        _method(validation),
    ]
    return " ".join(part for part in sentences if part)


def rows_in_words(validation: Any) -> str:
    """Return how many rows, groups and events there are.

    Parameters
    ----------
    validation : Validation
    """
    sample, groups = validation.sample, validation.groups
    rows = f"{count(validation.n)} rows{'' if groups is None else f' in {count(groups.sizes.groups)} groups'}"
    share = percent(sample.base_rate)
    return (
        f"{rows} ({f'{count(events_of(validation))} events, {share}' if sample.whole else f'{share} events by weight'})"
    )


def events_of(validation: Any) -> int:
    """Return the number of events, of rows whose weights count them."""
    events: float = validation.sample.total * validation.sample.base_rate
    return round(events)


def quoted(validation: Any, name: str) -> str:
    """Return a statistic with its interval as texts quote it, or "" where it has no value.

    Parameters
    ----------
    validation : Validation
    name : str
        Of `NAMES`.
    """
    estimate, kind = validation.statistics.get(name), NAMES[name].kind
    if estimate is None or kind == "error":
        return "" if estimate is None else estimate.in_words
    return quote_with(estimate.interval, estimate.value, kind)


def listed(validation: Any, names: tuple[str, ...]) -> str:
    """Return the statistics that have a value, under short names.

    Parameters
    ----------
    validation : Validation
    names : tuple of str
        Of `NAMES`.
    """
    return "; ".join(f"{NAMES[name].short} {text}" for name in names if (text := quoted(validation, name)))


def benefits_at(validation: Any, threshold: float) -> tuple[str, str, str]:
    """Return the net benefit at a threshold, that beyond treating all, and what miscalibration loses, per 1,000 rows.

    Parameters
    ----------
    validation : Validation
    threshold : float
    """
    benefit, beyond, loss = (validation.statistics.get(at_threshold(name, threshold)) for name in AT_THRESHOLDS)
    return _per_thousand(benefit), _per_thousand(beyond), _per_thousand(loss)


def _sentence_of(validation: Any, names: tuple[str, ...]) -> str:
    parts = [f"{NAMES[name].full} {text}" for name in names if (text := quoted(validation, name))]
    if not parts:
        return ""
    full = next(NAMES[name].full for name in names if quoted(validation, name))
    parts[0] = parts[0].replace(full, f"{full} was", 1)
    return sentence(f"{', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}")


def _decision(verdict: Verdict | None) -> str:
    """Return whether calibration was rejected, and in which direction risks were wrong."""
    if verdict is None:
        return ""
    words = [WRONG.get(word, word) for word in verdict.directions]
    found = ""
    if words:
        found = f": risks were {' and '.join(words)}"
    elif verdict.close:
        found = "; on the whole risks were close to calibrated"
    elif verdict.shown:
        found = f": {verdict.headline[0].lower()}{verdict.headline[1:]}"
    return sentence(f"{verdict.decision.replace(' is ', ' was ', 1)}{found}")


def _at_threshold(validation: Any, threshold: float) -> str:
    benefit, beyond, loss = benefits_at(validation, threshold)
    return (
        f"At a threshold of {threshold:g} the net benefit per 1,000 rows was {benefit}, that beyond treating all "
        f"{beyond}, and miscalibration lost {loss} of it."
    )


def _per_thousand(estimate: Estimate | None) -> str:
    """Return a net benefit with its interval, or the interval alone where the value is not in it."""
    if estimate is None:
        return "unknown"
    ends, value = estimate.interval, estimate.quoted
    numbers = [PER * number for number in (value, *(() if ends is None else (ends.low, ends.high)))]
    decimals = 0 if max(map(abs, numbers)) >= WHOLE_NUMBERS else 1
    text, *limits = (f"{round(number, decimals) + 0.0:,.{decimals}f}" for number in numbers)  # of -0 no sign
    if ends is None:
        return text
    reach = " to ".join(limits)
    is_inside = ends.low <= value <= ends.high
    return f"{text} ({confidence(ends.level)} {reach})" if is_inside else f"{reach} ({confidence(ends.level)})"


def _method(validation: Any) -> str:
    """Return by what the numbers were computed."""
    parts = []
    if (ici := validation.statistics.get(ICI)) is not None:
        tests = "" if ici.interval is None else "; its interval inverts tests with redrawn labels"
        parts.append(
            f"The ICI is the mean distance from a calibration curve (family {validation.family}), corrected for "
            f"chance{tests}."
        )
    if validation.groups is not None:
        parts.append("Intervals take groups, not rows, for independent.")
    return " ".join([*parts, sentence(computed_with())])


def computed_with() -> str:
    """Return the name of the package, and the version that is installed."""
    try:
        return f"computed with fitontest {version('fitontest')}"
    except PackageNotFoundError:  # it is used from a folder
        return "computed with fitontest"
