"""The ratio of observed to expected events of batches, with its interval."""

from collections.abc import Sequence

from fitontest.displays.comparison import Dot
from fitontest.displays.ratio_dots import LEVEL
from fitontest.monitor.history import Record
from fitontest.numerics.significance.exact_share import share_interval

LAST = 3  # batches that the text above a segment is of


def ratio_of(records: Sequence[Record], name: str = "") -> Dot | None:
    """Return the ratio of batches together; None where no events are expected, or rows are of several classes.

    The interval is that of Clopper and Pearson by the mean score, of as many independent rows as their exponents sum
    to: rows of a group count as one.

    Parameters
    ----------
    records : sequence of Record
    name : str, default=""
        Of the dot.
    """
    known = [record for record in records if record.n and record.events is not None and record.expected]
    if not known:
        return None
    n, events = sum(record.n for record in known), sum(record.events or 0 for record in known)
    expected, independent = sum(record.expected or 0.0 for record in known), sum(record.weight for record in known)
    low, high = share_interval(events / n * independent, independent, LEVEL)
    return Dot(name, events / expected, low * n / expected, high * n / expected)
