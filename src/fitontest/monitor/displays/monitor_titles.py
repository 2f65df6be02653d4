"""What the picture of a monitor says: the size of what is wrong, since when, and what the evidence is against."""

from fitontest.displays.ratio_dots import TOLERANCE
from fitontest.monitor.displays.batch_ratios import ratio_of
from fitontest.monitor.displays.monitor_artists import TimeAxis
from fitontest.monitor.evidence.facts import Facts
from fitontest.results.text import count, key_in_words
from fitontest.uncertainty.tendency import TOO_HIGH, TOO_LOW

MOST_NAMED = 3  # segments in a title


def title_of(facts: Facts, axis: TimeAxis) -> str:
    """Return whether there is an alarm, and how many more or fewer events there were than predicted."""
    if facts.alarm_since is None:
        batches = len(facts.batches)
        whole = ratio_of(facts.records)
        size = "" if whole is None else f": {change_in_words(whole.value)}"
        return f"No alarm after {batches} batch{'es' * (batches > 1)}{size}"
    return f"Alarm since {name_batch(facts, axis, facts.alarm_since)}: {_finding(facts, axis)}"


def _finding(facts: Facts, axis: TimeAxis) -> str:
    """Return what is wrong since the onset, the ratio where it is outside the tolerance and else the slope."""
    known, onset = facts.direction, facts.shown_onset
    if known is None or onset is None:
        if facts.refuted_by is not None:
            return "labels that the scores rule out"
        names = [key_in_words(key) for key in facts.named[:MOST_NAMED]]
        return f"in {', '.join(names)}" if names else "scores are wrong, in no single direction"
    since = f"since {name_batch(facts, axis, onset)}"
    if known.ratio is not None and abs(known.ratio - 1.0) > TOLERANCE:
        return f"{change_in_words(known.ratio)} {since}"
    words = [word for word in known.words if word not in (TOO_LOW, TOO_HIGH)]
    if words and known.slope is not None:
        return f"{words[0]} {since} (slope {known.slope:.2f})"
    return f"{'scores are wrong' if known.ratio is None else change_in_words(known.ratio)} {since}"


def change_in_words(ratio: float) -> str:
    """Return by how many percent there are more or fewer events than predicted.

    Examples
    --------
    >>> change_in_words(1.31), change_in_words(0.8), change_in_words(1.001)
    ('31 % more events than predicted', '20 % fewer events than predicted', 'as many events as predicted')
    """
    percent = round(100.0 * abs(ratio - 1.0))
    if percent == 0:
        return "as many events as predicted"
    return f"{percent:,} % {'more' if ratio > 1.0 else 'fewer'} events than predicted"


def name_batch(facts: Facts, axis: TimeAxis, k: int) -> str:
    """Return the time of a batch where the axis is one of time, else its name."""
    record = facts.records[k]
    name = record.time if axis.name == "Time" and record.time is not None else record.batch
    return f"batch {name}" if name.isdigit() else name


def alarm_lines(facts: Facts, axis: TimeAxis) -> list[str]:
    """Return what stands at the alarm: its batch, and since when something is likely to be wrong."""
    if facts.alarm_since is None:
        return []
    onset = facts.shown_onset
    since = [] if onset is None or onset > facts.alarm_since else [f"likely since {name_batch(facts, axis, onset)}"]
    return [f"alarm {name_batch(facts, axis, facts.alarm_since)}", *since]


def second_of(facts: Facts) -> str:
    """Return how many batches, rows and events there are, and what colours mean."""
    batches = len(facts.batches)
    rows = f"{batches} batch{'es' * (batches > 1)}, n = {count(facts.n)}"
    if facts.events is None:
        return f"{rows}, {facts.segments_in_words}"
    grey = f"grey: within {100 * TOLERANCE:g} %, orange: outside"
    return f"{rows}, {count(facts.events)} event{'s' * (facts.events != 1)}; 95 % CI; {grey}"


def hypothesis_in_words(facts: Facts) -> str:
    """Return what the evidence is against."""
    if facts.settings.max_error is not None:
        return f"a mean error of at most {facts.settings.max_error:g}"
    null = facts.settings.null.in_brief
    if null["null"] == "tolerance":
        unit = "" if null["unit"] == "probability" else " logits"
        return f"\N{LEFT DOUBLE QUOTATION MARK}within {null['eps']:g}{unit}\N{RIGHT DOUBLE QUOTATION MARK}"
    return "exact calibration" if null["null"] == "exact" else "the limits of the reference"
