"""What the picture of a monitor says: the size of what is wrong, since when, and what the evidence is against."""

from fitontest.monitor.displays.monitor_artists import TimeAxis
from fitontest.monitor.evidence.facts import Facts
from fitontest.monitor.evidence.wording import distance_in_words
from fitontest.results.text import count, key_in_words
from fitontest.uncertainty.tendency import TOO_HIGH, TOO_LOW

MOST_NAMED = 3  # segments in a title


def title_of(facts: Facts, axis: TimeAxis) -> str:
    """Return whether there is an alarm, and how many more or fewer events there were than predicted."""
    if facts.alarm_since is None:
        batches = len(facts.batches)
        whole = facts.ratio_of(facts.records)
        size = "" if whole is None else f": {whole.quoted}"
        return f"No alarm after {batches} batch{'es' * (batches > 1)}{size}"
    return f"Alarm since {name_batch(facts, axis, facts.alarm_since)}: {_finding(facts, axis)}"


def _finding(facts: Facts, axis: TimeAxis) -> str:
    """Return what is wrong since the onset, the ratio where it is outside the tolerance and else the slope."""
    known, onset = facts.direction, facts.shown_onset
    if known is None or onset is None:
        if facts.refuted_by is not None:
            return "labels that the scores rule out"
        return _of_named(facts).strip("; ") or "scores are wrong, in no single direction"
    since = f"since {name_batch(facts, axis, onset)}"
    ratio = facts.since
    if ratio is not None and abs(ratio.value - 1.0) > facts.near:
        return f"{ratio.in_words} {since}{_of_named(facts)}"
    words = [word for word in known.words if word not in (TOO_LOW, TOO_HIGH)]
    if words and known.slope is not None:
        return f"{words[0]} {since} (slope {known.slope:.2f}){_of_named(facts)}"
    return f"{'scores are wrong' if ratio is None else ratio.in_words} {since}{_of_named(facts)}"


def _of_named(facts: Facts) -> str:
    """Return in which segments calibration is refuted."""
    if len(facts.named) == len(facts.segments) > 1:
        return f"; refuted in all {facts.segments_in_words}"
    names = [key_in_words(key) for key in facts.named[:MOST_NAMED]]
    more = f" and {len(facts.named) - MOST_NAMED} more" if len(facts.named) > MOST_NAMED else ""
    return f"; refuted in {', '.join(names)}{more}" if names else ""


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
    grey = f"grey: within {100 * facts.near:g} %, orange: outside"
    return f"{rows}, {count(facts.events)} event{'s' * (facts.events != 1)}; 95 % CI; {grey}"


def hypothesis_in_words(facts: Facts) -> str:
    """Return what the evidence is against."""
    if facts.settings.max_error is not None:
        return f"a mean error of at most {facts.settings.max_error:g}"
    null = facts.settings.null.in_brief
    if null["null"] == "tolerance":
        within = f"within \N{PLUS-MINUS SIGN}{distance_in_words(null)}"
        return f"\N{LEFT DOUBLE QUOTATION MARK}{within}\N{RIGHT DOUBLE QUOTATION MARK}"
    return "exact calibration" if null["null"] == "exact" else "the limits of the reference"
