"""A monitor in at most eight lines, and what its words and columns mean."""

from collections.abc import Sequence
from math import log

from fitontest.monitor.evidence.batch_table import name_of_ratio, ratio_in_words
from fitontest.monitor.evidence.facts import Facts
from fitontest.monitor.evidence.numbers import e_in_words
from fitontest.monitor.evidence.wording import (
    advice,
    change_in_words,
    direction_in_words,
    few_labels_in_words,
    headline_of,
    hypothesis,
    limit_of,
    named_in_words,
    notes_of,
    onset_in_words,
    size_in_words,
)
from fitontest.results.quoting import confidence
from fitontest.results.short_print import short_print
from fitontest.results.table import Section
from fitontest.results.text import count, percent

LARGEST = log(1e6)  # evidence, beyond which more is no surer
LAST = 2  # batches whose ratios are printed
COLUMNS = (
    "E: the evidence after a batch, by which the wealth of bets against the scores has grown. p: one over the largest "
    "E so far. Onset: the batch since which the evidence grew most; alarm: that at which it reached its limit."
)


def brief_of(facts: Facts) -> Section:
    """Return whether there is an alarm and of which size, what the last batches show, and what to do."""
    if not facts.batches:
        return short_print([headline_of(facts)])
    further = [*few_labels_in_words(facts), *named_in_words(facts)]
    lines = [_first(facts), _size(facts), *_last(facts), *further, *_next(facts)]
    return short_print([line for line in lines if line])


def _first(facts: Facts) -> str:
    """Return whether there is an alarm, and what is wrong since when."""
    if facts.alarm_since is None:
        first = f"No alarm after {count(len(facts.batches))} batch{'es' * (len(facts.batches) != 1)}."
        return " ".join([first, *change_in_words(facts)])
    alarm = f"Alarm since {_named(facts.batches[facts.alarm_since])}"
    if facts.is_infinite:
        return f"{alarm}: labels that are ruled out, {facts.refuted_by}."
    since, onset = facts.since, facts.shown_onset
    if since is not None and onset is not None and abs(since.value - 1.0) > facts.near and _shows_level(facts):
        return f"{alarm}: {since.in_words} since {_named(facts.batches[onset])} ({since.quoted})."
    said = direction_in_words(facts)
    return f"{alarm}: {said}." if said else f"{alarm}."


def _named(batch: str) -> str:
    """Return what a batch is called in a sentence."""
    return f"batch {batch}" if batch.isdigit() else batch


def _shows_level(facts: Facts) -> bool:
    """Return whether the rows since the onset show that scores are too low or too high."""
    return facts.direction is not None and any(word.startswith("scores too") for word in facts.direction.words)


def _size(facts: Facts) -> str:
    """Return how much was seen, and the evidence against what is tested."""
    rows = size_in_words(facts).partition(";")[0]
    evidence = "infinite" if facts.is_infinite else "> 1e6" if facts.log_e > LARGEST else e_in_words(facts.log_e)
    most = facts.settings.max_error
    tested = hypothesis(facts) if most is None else f"a mean error of at most {most:g}"
    return f'{rows}. Evidence {evidence} against "{tested}"; alarm at {limit_of(facts)}.'


def _last(facts: Facts) -> list[str]:
    """Return the ratios of the last batches."""
    ratios = {record.batch: facts.ratio_of([record]) for record in facts.records[-LAST:]}
    if all(ratio is None for ratio in ratios.values()):
        return []
    texts = [f"{ratio_in_words(ratio, with_interval=True)} in {_named(batch)}" for batch, ratio in ratios.items()]
    return [f"Last {name_of_ratio([*ratios.values()])} ({confidence(0.95)}): {', '.join(texts)}."]


def _next(facts: Facts) -> list[str]:
    """Return what to do after an alarm."""
    return [f"Next: {text[0].lower()}{text[1:]}" for text in advice(facts)] if facts.alarm else []


def explain_monitor(facts: Facts) -> Sequence[str]:
    """Return what the words and columns of a monitor mean, a paragraph each."""
    if not facts.batches:
        return [headline_of(facts), *notes_of(facts)]
    near = f"Grey in the picture: O:E within {percent(facts.near)} of 1."
    return [headline_of(facts), size_in_words(facts), onset_in_words(facts), COLUMNS, near, *notes_of(facts)]
