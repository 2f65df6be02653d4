"""The ratio of observed to expected events of batches, with its interval."""

from collections.abc import Sequence

from fitontest.measures.interval import Interval
from fitontest.monitor.history import Record
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.uncertainty.event_ratio import EventRatio, Rarer

LEVEL = 0.95


def rarer_of(records: Sequence[Record]) -> Rarer:
    """Return which label is rarer by the scores of the first batch with rows, so that it stays the same."""
    first = next((record for record in records if record.n and record.expected is not None), None)
    return "non-events" if first is not None and (first.expected or 0.0) > 0.5 * first.n else "events"


def ratio_of(records: Sequence[Record], of: Rarer = "events", *, of_confidence: bool = False) -> EventRatio | None:
    """Return the ratio of batches together; None where nothing is expected, or rows are of several classes.

    The interval is that of Clopper and Pearson by the mean score, of as many independent rows as their exponents sum
    to: rows of a group count as one.

    Parameters
    ----------
    records : sequence of Record
    of : {"events", "non-events"}, default="events"
        Whose ratio.
    of_confidence : bool, default=False
        Whether events are right predictions.
    """
    known = [record for record in records if record.n and record.events is not None]
    n, observed = sum(record.n for record in known), sum(record.events or 0 for record in known)
    expected, independent = sum(record.expected or 0.0 for record in known), sum(record.weight for record in known)
    if of == "non-events":
        observed, expected = n - observed, n - expected
    if expected <= 0.0:
        return None
    low, high = (end * n / expected for end in share_interval(observed / n * independent, independent, LEVEL))
    return EventRatio(observed / expected, Interval(low, high, LEVEL), of, of_confidence)
