"""The sentences of a monitor: whether calibration is refuted, in which direction, and what to do."""

from collections.abc import Sequence
from decimal import ROUND_DOWN, Context
from math import exp, log, log10
from typing import Any, Protocol

from fitontest.measures.interval import INDEPENDENT_ROWS
from fitontest.monitoring.evidence.direction import Direction
from fitontest.monitoring.past import FEWEST
from fitontest.results.text import capital, count, percent, short
from fitontest.uncertainty.tendency import OVERCONFIDENT, REVERSED, TOO_HIGH, TOO_LOW, UNDERCONFIDENT

IDEALS = {"level": 0, "slope": 1}
Ends = tuple[float | None, float | None] | None
NO_LINE = " No line of the logits agrees with all batches: level or slope changed, or the truth is no line."
MANY_ROWS = 100_000  # from which on errors of no consequence are refuted
NO_CERTAIN_SCORES = "Keep scores inside (0, 1), or begin a monitor with a tolerance: 0 and 1 rule a label out."
SILENT = 3  # batches since the largest evidence from which on it is said that there was no more
MOST_NAMED = 5  # segments in the sentence
ROUNDING = 1e-9  # of numbers that are rounded down
LARGEST_PLAIN, LOWEST_WHOLE, LOWEST_PLAIN = 1e5, 9.95, 1e-3  # evidence that is printed without a power of ten
BETTORS = {
    "level": "a constant shift of the logits",
    "line": "a line of the logits",
    "bands": "shifts of bands of scores",
    "spline": "a smooth curve fitted to the batches before",
    "temperature": "another temperature",
    "class_shift": "more or less of one class",
    "isotonic": "steps fitted to the batches before",
}


class Told(Protocol):
    """What the sentences need of the evidence of a monitor."""

    @property
    def settings(self) -> Any: ...  # noqa: D102
    @property
    def log_e(self) -> float: ...  # noqa: D102
    @property
    def log_es(self) -> Sequence[float]: ...  # noqa: D102
    @property
    def log_limit(self) -> float: ...  # noqa: D102
    @property
    def batches(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def n(self) -> int: ...  # noqa: D102
    @property
    def events(self) -> int | None: ...  # noqa: D102
    @property
    def left_out(self) -> int: ...  # noqa: D102
    @property
    def alarm_since(self) -> int | None: ...  # noqa: D102
    @property
    def log_cusum(self) -> float: ...  # noqa: D102
    @property
    def cusum_alarm(self) -> bool: ...  # noqa: D102
    @property
    def onset(self) -> int | None: ...  # noqa: D102
    @property
    def direction(self) -> Direction | None: ...  # noqa: D102
    @property
    def level(self) -> Ends: ...  # noqa: D102
    @property
    def slope(self) -> Ends: ...  # noqa: D102
    @property
    def error_low(self) -> float: ...  # noqa: D102
    @property
    def refuted_by(self) -> str | None: ...  # noqa: D102
    @property
    def segments(self) -> Any: ...  # noqa: D102
    @property
    def segments_in_words(self) -> str: ...  # noqa: D102
    @property
    def keeps_lines(self) -> bool: ...  # noqa: D102
    @property
    def named(self) -> Sequence[Any]: ...  # noqa: D102
    @property
    def is_infinite(self) -> bool: ...  # noqa: D102


def e_in_words(log_e: float) -> str:
    """Return an amount of evidence as it is printed, of its natural logarithm.

    Examples
    --------
    >>> e_in_words(log(812.3)), e_in_words(log(0.384)), e_in_words(log(1.234e6)), e_in_words(1000.0), e_in_words(-9.0)
    ('812', '0.38', '1.2e+06', '2.0e+434', '1.2e-04')
    >>> e_in_words(0.0), e_in_words(float("inf"))
    ('1.0', 'infinite')
    """
    if log_e == float("inf"):
        return "infinite"
    if log(LOWEST_PLAIN) <= log_e < log(LARGEST_PLAIN):
        value = exp(log_e)
        return f"{value:,.0f}" if value >= LOWEST_WHOLE else f"{value:#.2g}".rstrip(".")
    power = int(log10(exp(1.0)) * log_e // 1)
    digits = f"{exp(log_e - power * log(10.0)):.1f}"
    return f"1.0e{power + 1:+03d}" if digits == "10.0" else f"{digits}e{power:+03d}"


def headline_of(told: Told) -> str:
    """Return what the batches so far say, in a few sentences for readers."""
    if not told.batches:
        return "No batch so far."
    parts = _of_alarm(told) if told.alarm_since is not None else _of_no_alarm(told)
    return " ".join([*parts, *_of_few_labels(told)])


def _of_alarm(told: Told) -> list[str]:
    """Return the sentences on an alarm."""
    since = told.batches[told.alarm_since or 0]
    if told.is_infinite:
        left = f"; of all other rows E = {e_in_words(told.log_e)}"
        first = f"{_hypothesis(told)} is refuted by labels that it rules out (E infinite): {told.refuted_by}{left}"
    elif told.settings.max_error is not None:
        above = f"The mean error was above {told.settings.max_error:g} in some batch"
        first = f"{above} (alarm since batch {since}, {_evidence(told)})"
    else:
        first = f"{_hypothesis(told)} is refuted since batch {since} ({_evidence(told)})"
    said = [text for text in (_direction(told), _lower_bound(told)) if text]
    sentences = [f"{first}{': ' if said and not told.is_infinite else '; ' if said else ''}{'; '.join(said)}."]
    return [*sentences, *_of_segments(told), *_advice(told)]


def _evidence(told: Told) -> str:
    """Return the evidence now, with the largest one where it has fallen to less than a tenth of it."""
    highest = max(told.log_es)
    if highest - told.log_e < log(10.0):
        return f"E = {e_in_words(told.log_e)}"
    at = told.batches[told.log_es.index(highest)]
    return f"E = {e_in_words(highest)} after batch {at}, {e_in_words(told.log_e)} now"


def _hypothesis(told: Told) -> str:
    """Return what is refuted, as the subject of a sentence."""
    null = told.settings.null.in_brief
    if null["null"] == "tolerance":
        unit = "" if null["unit"] == "probability" else " logits"
        return f"Calibration to within {null['eps']:g}{unit}"
    return "Calibration" if null["null"] == "exact" else "That rates are within the limits of the reference"


def _direction(told: Told) -> str:
    """Return in which direction the scores are wrong since the onset."""
    known = told.direction
    if known is None:
        return ""
    level = "" if known.ratio is None else f"{short(known.ratio, 2)} events for each expected one"
    slope = "" if known.slope is None else f"slope {known.slope:.2f}"
    texts = [
        f"{word} ({level if word in (TOO_HIGH, TOO_LOW) else slope})"
        for word in (TOO_LOW, TOO_HIGH, OVERCONFIDENT, UNDERCONFIDENT, REVERSED)
        if word in known.words
    ]
    if texts:
        return " and ".join(texts)
    if known.ratio is None:
        return known.detail or f"bets on {bettor_in_words(known.bettor)} gained most"
    return f"the shape of the calibration curve changed, as bets on {bettor_in_words(known.bettor)} show most"


def bettor_in_words(name: str) -> str:
    """Return in plain words on what a bettor bets."""
    return BETTORS.get(name, f"a map of family {name} fitted to the batches before")


def _lower_bound(told: Told) -> str:
    low = told.error_low
    return f"the error was at least {rounded_down(low)} in some batch" if low > 0.0 else ""


def rounded_down(bound: float) -> str:
    """Return a lower bound in [0, 1) with two significant digits, never above it.

    Examples
    --------
    >>> rounded_down(0.1099), rounded_down(0.0297), rounded_down(0.03), rounded_down(0.0)
    ('0.10', '0.029', '0.030', '0')
    """
    down = Context(prec=2, rounding=ROUND_DOWN)
    return str(down.create_decimal_from_float(bound * (1.0 + ROUNDING))) if bound > 0.0 else "0"


def _advice(told: Told) -> list[str]:
    """Return what to do; of batches that add no evidence, that they are to be looked at first."""
    highest = max(told.log_es)
    silent = len(told.log_es) - 1 - told.log_es.index(highest)
    if silent >= SILENT and (told.direction is not None or not told.is_infinite):
        return [
            f"The last {silent} batches add no evidence; the alarm stays. Look at them before the calibrator is refit."
        ]
    if told.direction is not None:
        return [f"Refit the calibrator on the batches since {told.direction.batch}."]
    return _advice_on_segments(told) or ([NO_CERTAIN_SCORES] if told.is_infinite and _is_exact(told) else [])


def _advice_on_segments(told: Told) -> list[str]:
    """Return since when to refit the calibrator in each segment that is named, as all rows together show no onset."""
    segments = {key: told.segments[key] for key in told.named[:MOST_NAMED]}
    onsets = {key: own.batches[own.onset] for key, own in segments.items() if own.onset is not None}
    texts = [f"{key_in_words(key)} since batch {onset}" for key, onset in onsets.items()]
    return [f"Refit the calibrator by segment: {', '.join(texts)}."] if texts else []


def _of_segments(told: Told) -> list[str]:
    """Return which segments are named."""
    if not told.segments:
        return []
    if not told.named:
        return [f"None of {told.segments_in_words} is named by e-BH."]
    texts = []
    for key in told.named[:MOST_NAMED]:
        own = told.segments[key]
        texts.append(f"{key_in_words(key)} (E {'infinite' if own.is_infinite else '= ' + e_in_words(own.log_e)})")
    more = len(told.named) - len(texts)
    others = f" and {more} more" if more else ""
    return [f"Named by e-BH, of {told.segments_in_words}: {', '.join(texts)}{others}."]


def key_in_words(key: Any) -> str:
    """Return the name of a segment: values of several columns, or one."""
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _of_no_alarm(told: Told) -> list[str]:
    """Return the sentences where there is no alarm, which is not evidence of calibration."""
    batches = len(told.batches)
    first = f"No alarm after {batches} batch{'es' * (batches > 1)} (E = {e_in_words(told.log_e)})"
    if told.settings.max_error is not None:
        first += f": a mean error of at most {told.settings.max_error:g} in every batch is not refuted"
    low = [capital(f"{_lower_bound(told)}.")] if told.error_low > 0.0 else []
    return [f"{first}.", *_of_change(told), *_left_open(told), *low, *(_of_segments(told) if told.named else [])]


def _left_open(told: Told) -> list[str]:
    """Return which levels and slopes all batches leave open, where that is known."""
    if not told.keeps_lines:
        return []
    if told.level is None or told.slope is None:
        return [NO_LINE.strip()]
    off = {name: leaves_out(getattr(told, name), ideal) for name, ideal in IDEALS.items()}
    texts = [
        f"{name} {ends_in_words(getattr(told, name))}{f' (not {ideal})' if off[name] else ''}"
        for name, ideal in IDEALS.items()
    ]
    sentences = [f"What the batches leave open: {', '.join(texts)}."]
    if any(off.values()) and _is_exact(told):
        alone = " and ".join(name for name, is_off in off.items() if is_off)
        sentences.append(f"By the {alone} alone the scores are off; the alarm is that of all bets together.")
    return sentences


def _is_exact(told: Told) -> bool:
    """Return whether what is tested is that every score is the rate."""
    return told.settings.max_error is None and told.settings.null.in_brief["null"] == "exact"


def _of_change(told: Told) -> list[str]:
    """Return that there is evidence since the onset, where there is without an alarm."""
    if not told.cusum_alarm or told.onset is None:
        return []
    since = told.batches[told.onset]
    return [f"But that of the batches since {since} alone is {e_in_words(told.log_cusum)}: see CUSUM."]


def _of_few_labels(told: Told) -> list[str]:
    """Return that there are few labels of a kind, where there are."""
    if told.events is None:
        return []
    negatives = told.n - told.events
    if min(told.events, negatives) >= FEWEST:
        return []
    return [f"There are {labels_in_words(told.events, negatives)} so far: fewer than {FEWEST} of a kind tell little."]


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


def ends_in_words(ends: Ends) -> str:
    """Return an interval, whose ends may be unknown.

    Examples
    --------
    >>> ends_in_words((-0.04, 0.05)), ends_in_words((None, 1.2)), ends_in_words((0.9, None)), ends_in_words(None)
    ('-0.04 to 0.05', 'at most 1.20', 'at least 0.90', 'none')
    >>> ends_in_words((None, None)), ends_in_words((-1e-17, 0.3))
    ('any', '0.00 to 0.30')
    """
    if ends is None:
        return "none"
    low, high = (None if end is None else f"{end + 0.0:.2f}".replace("-0.00", "0.00") for end in ends)
    if low is None or high is None:
        return "any" if low == high else f"at most {high}" if low is None else f"at least {low}"
    return f"{low} to {high}"


def size_in_words(told: Told) -> str:
    """Return the size of the stream, and what the alarm waits for."""
    rows = f"n = {count(told.n)}"
    if told.events is not None:
        rows += f", {count(told.events)} event{'' if told.events == 1 else 's'}"
    batches = f"{len(told.batches)} batch{'es' * (len(told.batches) != 1)}"
    return f"{batches}, {rows}; alarm at E >= {limit_of(told)}."


def onset_in_words(told: Told) -> str:
    """Return the evidence since the likeliest onset, and the estimates of it."""
    state = "at least" if told.cusum_alarm else "below"
    cusum = f"CUSUM {e_in_words(told.log_cusum)}, {state} its limit of {count(told.settings.run_length)}"
    together = " of all rows together" if told.segments else ""
    known = told.direction
    if known is None:
        return f"Evidence{together} since the likeliest onset: {cusum}."
    estimates = ([] if known.ratio is None else [f"observed : expected {short(known.ratio, 2)}"]) + (
        [] if known.slope is None else [f"slope {known.slope:.2f}"]
    )
    rows = f"n = {count(known.n)}{''.join(f', {text}' for text in estimates)}{' (point estimates)' * bool(estimates)}"
    return f"Since batch {known.batch}, the likeliest onset{together}: {cusum}; {rows}.{NO_LINE * (told.level is None)}"


def limit_of(told: Told) -> str:
    """Return the evidence of an alarm as it is printed."""
    return f"{exp(told.log_limit):.4g}"


def notes_of(told: Told, *, lives: int = 0) -> list[str]:
    """Return what the numbers mean, and what they rest on.

    Parameters
    ----------
    told : Told
    lives : int, default=0
        Models that were monitored before this one.
    """
    alpha = told.settings.alpha
    share, run = percent(alpha), count(told.settings.run_length)
    looked = f"E and p may be looked at after every batch: a false alarm at any time has probability at most {share}."
    lines = "Level, slope: shift and slope of the logits that all batches leave open if they never changed."
    errors = "Error >=: in some batch so far the mean error was at least this."
    of_scores = [f"{lines} {errors} Both hold at all times, each with a confidence of {100.0 * (1.0 - alpha):g} %."]
    notes = [
        f"{looked} That there is no alarm is no evidence of calibration.",
        *(of_scores if told.keeps_lines else []),
        f"CUSUM: calibrated scores reach {run} once in {run} batches or more rarely, on average.",
        *_of_reference(told),
        *_of_names(told),
        *_of_many_rows(told),
        *_of_dependence(told),
    ]
    whose = "their" if lives > 1 else "its"
    before = f"{count(lives)} model{'s' * (lives > 1)} before this one: {whose} batches are not counted here."
    return [*([before] if lives else []), *(notes if told.batches else [])]


def _of_names(told: Told) -> list[str]:
    """Return what E is made of where there are segments, and what it means that they are named."""
    if not told.segments:
        return []
    share = percent(told.settings.alpha)
    mean = f"half of a weighted mean of {told.segments_in_words} and of 1 for those that may still appear"
    made = f"E is half of that of all rows together, and {mean}."
    named = "Named are those that e-BH lists by the evidence now:"
    return [f"{made} {named} at one report at most {share} of the names are wrong, on average."]


def _of_dependence(told: Told) -> list[str]:
    """Return what must be independent for the evidence to hold."""
    layout = told.settings.layout
    if not layout.groups:
        return [INDEPENDENT_ROWS]
    returning = "A group of an earlier batch is refused: its labels may be known to the bets."
    if layout.once:
        which = f"Rows of a group of an earlier batch are left out ({count(told.left_out)} so far)"
        returning = f"{which}: their labels may be known to the bets."
    return [f"Rows of a group count as one row together; groups must be independent. {returning}"]


def _of_reference(told: Told) -> list[str]:
    """Return what a reference allows, and what of alpha it costs."""
    null = told.settings.null.in_brief
    if null["null"] != "band":
        return []
    sample = f"Reference: {count(null['reference_n'])} rows, {count(null['reference_events'])} events."
    tested = "Tested are the limits that they leave to rates that never fall as the score rises."
    return [f"{sample} {tested} These take {percent(null['band_alpha'])} of alpha, which p has on top of 1 / E."]


def _of_many_rows(told: Told) -> list[str]:
    """Return that small errors are refuted too, where there are very many rows and each of them counts."""
    if told.n < MANY_ROWS or not _is_exact(told):
        return []
    low = f"at least {rounded_down(told.error_low)} in some batch" if told.error_low > 0.0 else "not bounded yet"
    known = f": the mean error is {low}" if told.keeps_lines else ""
    small = f"Of {count(told.n)} rows errors of no consequence are refuted too{known}."
    return [f"{small} Monitor(tolerance=...) or Monitor(max_error=...) has an alarm for larger errors alone."]
