"""The sentences of a monitor: whether calibration is refuted, in which direction, and what to do."""

from collections.abc import Mapping
from math import exp, log
from typing import Any

from fitontest.monitor.evidence.facts import Facts
from fitontest.monitor.evidence.numbers import e_in_words, ends_in_words, rounded_down
from fitontest.monitor.history import Ends
from fitontest.monitor.past import FEWEST
from fitontest.results.text import capital, count, key_in_words, percent
from fitontest.uncertainty.tendency import OVERCONFIDENT, REVERSED, TOO_HIGH, TOO_LOW, UNDERCONFIDENT

IDEALS = {"level": 0, "slope": 1}
NO_LINE = " No line of the logits agrees with all batches: level or slope changed, or the truth is no line."
MANY_ROWS = 100_000  # from which on errors of no consequence are refuted
NO_CERTAIN_SCORES = (
    "Keep scores inside (0, 1), or begin a monitor with a tolerance in probability: 0 and 1 rule a label out."
)
SILENT = 3  # batches since the largest evidence from which on it is said that there was no more
MOST_NAMED = 5  # segments in the sentence
BETTORS = {
    "level": "a constant shift of the logits",
    "line": "a line of the logits",
    "bands": "shifts of bands of scores",
    "spline": "a smooth curve fitted to the batches before",
    "isotonic": "steps fitted to the batches before",
}


def headline_of(facts: Facts) -> str:
    """Return what the batches so far say, in a few sentences for readers."""
    if not facts.batches:
        return "No batch so far."
    parts = _of_alarm(facts) if facts.alarm_since is not None else _of_no_alarm(facts)
    return " ".join([*parts, *few_labels_in_words(facts)])


def _of_alarm(facts: Facts) -> list[str]:
    """Return the sentences on an alarm."""
    since = facts.batches[facts.alarm_since or 0]
    if facts.is_infinite:
        left = f"; of all other rows E = {e_in_words(facts.log_e)}"
        first = f"{hypothesis(facts)} is refuted by labels that it rules out (E infinite): {facts.refuted_by}{left}"
    elif facts.settings.max_error is not None:
        whose = f" of all rows or of a {facts.settings.layout.keys}" if facts.segments else ""
        above = f"The mean error{whose} was above {facts.settings.max_error:g} in some batch"
        first = f"{above} (alarm since batch {since}, {_evidence(facts)})"
    else:
        first = f"{hypothesis(facts)} is refuted since batch {since} ({_evidence(facts)})"
    said = [text for text in (direction_in_words(facts), _lower_bound(facts)) if text]
    sentences = [f"{first}{': ' if said and not facts.is_infinite else '; ' if said else ''}{'; '.join(said)}."]
    return [*sentences, *named_in_words(facts), *advice(facts)]


def _evidence(facts: Facts) -> str:
    """Return the evidence now, with the largest one where it has fallen to less than a tenth of it."""
    highest = max(facts.log_es)
    if highest - facts.log_e < log(10.0):
        return f"E = {e_in_words(facts.log_e)}"
    at = facts.batches[facts.log_es.index(highest)]
    return f"E = {e_in_words(highest)} after batch {at}, {e_in_words(facts.log_e)} now"


def hypothesis(facts: Facts) -> str:
    """Return what is refuted, as the subject of a sentence."""
    null = facts.settings.null.in_brief
    if null["null"] == "tolerance":
        return f"Calibration to within {distance_in_words(null)}"
    return "Calibration" if null["null"] == "exact" else "That rates are within the limits of the reference"


def distance_in_words(null: Mapping[str, Any]) -> str:
    """Return how far rates may be from scores, of what a tolerance says of itself.

    Examples
    --------
    >>> [distance_in_words({"eps": 0.1, "unit": unit}) for unit in ("ratio", "probability", "logit")]
    ['10 %', '0.1', '0.1 logits']
    """
    if null["unit"] == "ratio":
        return f"{100.0 * null['eps']:g} %"
    return f"{null['eps']:g}{' logits' if null['unit'] == 'logit' else ''}"


def direction_in_words(facts: Facts) -> str:
    """Return in which direction the scores are wrong since the onset."""
    known = facts.direction
    if known is None:
        return ""
    level = "" if facts.since is None else facts.since.quoted
    slope = "" if known.slope is None else f"slope {known.slope:.2f}"
    words = [word for word in (TOO_LOW, TOO_HIGH, OVERCONFIDENT, UNDERCONFIDENT, REVERSED) if word in known.words]
    if facts.since is not None and abs(facts.since.value - 1.0) <= facts.near:  # as the title of the picture has it
        words = [word for word in words if word not in (TOO_LOW, TOO_HIGH)] or words
    texts = [f"{word} ({level if word in (TOO_HIGH, TOO_LOW) else slope})" for word in words]
    if texts:
        return " and ".join(texts)
    if facts.since is None:
        return f"bets on {bettor_in_words(known.bettor)} gained most"
    return f"the shape of the calibration curve changed, as bets on {bettor_in_words(known.bettor)} show most"


def bettor_in_words(name: str) -> str:
    """Return in plain words on what a bettor bets."""
    return BETTORS.get(name, f"a map of family {name} fitted to the batches before")


def _lower_bound(facts: Facts) -> str:
    """Return the bound, which is of all rows: that of a segment, by which there may be an alarm, is in its own line."""
    low, whose = facts.error_low, " of all rows together" if facts.segments else ""
    return f"the error{whose} was at least {rounded_down(low)} in some batch" if low > 0.0 else ""


def advice(facts: Facts) -> list[str]:
    """Return what to do; of batches that add no evidence, that they are to be looked at first."""
    highest = max(facts.log_es)
    silent = len(facts.log_es) - 1 - facts.log_es.index(highest)
    if silent >= SILENT and (facts.direction is not None or not facts.is_infinite):
        return [
            f"The last {silent} batches add no evidence; the alarm stays. Look at them before the calibrator is refit."
        ]
    if facts.direction is not None:
        return [f"Refit the calibrator on the batches since {facts.direction.batch}."]
    return _advice_on_segments(facts) or ([NO_CERTAIN_SCORES] if facts.is_infinite else [])


def _advice_on_segments(facts: Facts) -> list[str]:
    """Return since when to refit the calibrator in each segment that is named, as all rows together show no onset."""
    segments = {key: facts.segments[key] for key in facts.named[:MOST_NAMED]}
    # the rest of a segment with labels that are ruled out may have little evidence, whose onset says nothing
    onsets = {key: own.shown_onset if own.is_infinite else own.onset for key, own in segments.items()}
    known = {key: segments[key].batches[k] for key, k in onsets.items() if k is not None}
    texts = [f"{key_in_words(key)} since batch {onset}" for key, onset in known.items()]
    return [f"Refit the calibrator by segment: {', '.join(texts)}."] if texts else []


def named_in_words(facts: Facts) -> list[str]:
    """Return which segments are named."""
    if not facts.segments:
        return []
    if not facts.named:
        return [f"None of {facts.segments_in_words} is named by e-BH."]
    texts = []
    for key in facts.named[:MOST_NAMED]:
        own = facts.segments[key]
        texts.append(f"{key_in_words(key)} (E {'infinite' if own.is_infinite else '= ' + e_in_words(own.log_e)})")
    more = len(facts.named) - len(texts)
    others = f" and {more} more" if more else ""
    return [f"Named by e-BH, of {facts.segments_in_words}: {', '.join(texts)}{others}."]


def _of_no_alarm(facts: Facts) -> list[str]:
    """Return the sentences where there is no alarm, which is not evidence of calibration."""
    batches = len(facts.batches)
    first = f"No alarm after {batches} batch{'es' * (batches > 1)} (E = {e_in_words(facts.log_e)})"
    if facts.settings.max_error is not None:
        whose = f", of all rows and of each {facts.settings.layout.keys}," if facts.segments else ""
        first += f": a mean error of at most {facts.settings.max_error:g} in every batch{whose} is not refuted"
    low = [capital(f"{_lower_bound(facts)}.")] if facts.error_low > 0.0 else []
    return [
        f"{first}.",
        *change_in_words(facts),
        *_left_open(facts),
        *low,
        *(named_in_words(facts) if facts.named else []),
    ]


def _left_open(facts: Facts) -> list[str]:
    """Return which levels and slopes all batches leave open."""
    if facts.level is None or facts.slope is None:
        return [NO_LINE.strip()]
    off = {name: leaves_out(getattr(facts, name), ideal) for name, ideal in IDEALS.items()}
    texts = [
        f"{name} {ends_in_words(getattr(facts, name))}{f' (not {ideal})' if off[name] else ''}"
        for name, ideal in IDEALS.items()
    ]
    sentences = [f"What the batches leave open: {', '.join(texts)}."]
    if any(off.values()) and _is_exact(facts):
        alone = " and ".join(name for name, is_off in off.items() if is_off)
        sentences.append(f"By the {alone} alone the scores are off; the alarm is that of all bets together.")
    return sentences


def _is_exact(facts: Facts) -> bool:
    """Return whether what is tested is that every score is the rate."""
    return facts.settings.max_error is None and facts.settings.null.in_brief["null"] == "exact"


def change_in_words(facts: Facts) -> list[str]:
    """Return that there is evidence since the onset, where there is without an alarm."""
    if not facts.cusum_alarm or facts.onset is None:
        return []
    since = facts.batches[facts.onset]
    return [f"But that of the batches since {since} alone is {e_in_words(facts.log_cusum)}: see CUSUM."]


def few_labels_in_words(facts: Facts) -> list[str]:
    """Return that there are few labels of a kind, where there are."""
    if facts.events is None:
        return []
    negatives = facts.n - facts.events
    if min(facts.events, negatives) >= FEWEST:
        return []
    return [f"There are {labels_in_words(facts.events, negatives)} so far: fewer than {FEWEST} of a kind tell little."]


def labels_in_words(positives: int, negatives: int) -> str:
    """Return how many labels of each kind there are.

    Examples
    --------
    >>> labels_in_words(1, 2300)
    '1 positive and 2,300 negatives'
    """
    kinds = ((positives, "positive"), (negatives, "negative"))
    return " and ".join(f"{count(rows)} {kind}{'s' * (rows != 1)}" for rows, kind in kinds)


def leaves_out(ends: Ends, ideal: float) -> bool:
    """Return whether a value is outside an interval, whose ends may be unknown."""
    if ends is None:
        return True
    low, high = ends
    return (low is not None and low > ideal) or (high is not None and high < ideal)


def size_in_words(facts: Facts) -> str:
    """Return the size of the stream, and what the alarm waits for."""
    rows = f"n = {count(facts.n)}"
    if facts.events is not None:
        rows += f", {count(facts.events)} event{'' if facts.events == 1 else 's'}"
    batches = f"{len(facts.batches)} batch{'es' * (len(facts.batches) != 1)}"
    return f"{batches}, {rows}; alarm at E >= {limit_of(facts)}."


def onset_in_words(facts: Facts) -> str:
    """Return the evidence since the likeliest onset, and the estimates of it."""
    state = "at least" if facts.cusum_alarm else "below"
    cusum = f"CUSUM {e_in_words(facts.log_cusum)}, {state} its limit of {count(facts.settings.run_length)}"
    together = " of all rows together" if facts.segments else ""
    known = facts.direction
    if known is None:
        return f"Evidence{together} since the likeliest onset: {cusum}."
    estimates = ([] if facts.since is None else [facts.since.quoted]) + (
        [] if known.slope is None else [f"slope {known.slope:.2f}"]
    )
    no_line = NO_LINE * (facts.level is None)
    rows = f"n = {count(known.n)}{''.join(f', {text}' for text in estimates)}{' (point estimates)' * bool(estimates)}"
    return f"Since batch {known.batch}, the likeliest onset{together}: {cusum}; {rows}.{no_line}"


def limit_of(facts: Facts) -> str:
    """Return the evidence of an alarm as it is printed."""
    return f"{exp(facts.log_limit):,.4g}"


def notes_of(facts: Facts) -> list[str]:
    """Return what the numbers mean, and what they rest on."""
    alpha, lives = facts.settings.alpha, facts.lives
    share, run = percent(alpha), count(facts.settings.run_length)
    looked = f"E and p may be looked at after every batch: a false alarm at any time has probability at most {share}."
    lines = "Level, slope: shift and slope of the logits that all batches leave open if they never changed."
    errors = "Error >=: in some batch so far the mean error was at least this."
    notes = [
        f"{looked} That there is no alarm is no evidence of calibration.",
        f"{lines} {errors} Both hold at all times, each with a confidence of {100.0 * (1.0 - alpha):g} %.",
        f"CUSUM: calibrated scores reach {run} once in {run} batches or more rarely, on average.",
        *_of_reference(facts),
        *_of_names(facts),
        *_of_many_rows(facts),
        *_of_dependence(facts),
    ]
    whose = "their" if lives > 1 else "its"
    before = f"{count(lives)} model{'s' * (lives > 1)} before this one: {whose} batches are not counted here."
    return [*([before] if lives else []), *(notes if facts.batches else [])]


def _of_names(facts: Facts) -> list[str]:
    """Return what E is made of where there are segments, and what it means that they are named."""
    if not facts.segments:
        return []
    share = percent(facts.settings.alpha)
    mean = f"half of a weighted mean of {facts.segments_in_words} and of 1 for those that may still appear"
    made = f"E is half of that of all rows together, and {mean}."
    named = "Named are those that e-BH lists by the evidence now:"
    return [f"{made} {named} at one report at most {share} of the names are wrong, on average."]


def _of_dependence(facts: Facts) -> list[str]:
    """Return what must be independent for the evidence to hold."""
    layout = facts.settings.layout
    if not layout.groups:
        return []
    returning = "A group of an earlier batch is refused: its labels may be known to the bets."
    if layout.once:
        which = f"Rows of a group of an earlier batch are left out ({count(facts.left_out)} so far)"
        returning = f"{which}: their labels may be known to the bets."
    return [f"Rows of a group count as one row together; groups must be independent. {returning}"]


def _of_reference(facts: Facts) -> list[str]:
    """Return what a reference allows, and how often it fails."""
    null = facts.settings.null.in_brief
    if null["null"] != "band":
        return []
    sample = f"Reference: {count(null['reference_n'])} rows, {count(null['reference_events'])} events."
    tested = "Tested are the limits that they leave to rates that never fall as the score rises."
    fails = f"These fail with a probability of at most {percent(null['band_alpha'])}, which p has on top of 1 / E."
    return [f"{sample} {tested} {fails}"]


def _of_many_rows(facts: Facts) -> list[str]:
    """Return that small errors are refuted too, where there are very many rows and each of them counts."""
    if facts.n < MANY_ROWS or not _is_exact(facts):
        return []
    low = f"at least {rounded_down(facts.error_low)} in some batch" if facts.error_low > 0.0 else "not bounded yet"
    small = f"Of {count(facts.n)} rows errors of no consequence are refuted too: the mean error is {low}."
    return [f"{small} Monitor(tolerance=...) or Monitor(max_error=...) has an alarm for larger errors alone."]
