"""What tells a batch from others: its name, its time, and a digest of its rows."""

from collections.abc import Sequence
from datetime import date, datetime
from hashlib import blake2b
from math import isfinite, log
from typing import Any

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from fitontest.data.cells.cell_sums import CellSums
from fitontest.monitor.batches.batch import OF_BATCH
from fitontest.monitor.state import Seen
from fitontest.results.checks import as_plain, brief, is_real, is_whole

BY_CHANCE = 1e-9  # probability of the labels of a batch above which an equal batch may be another one
DATE = "the date"  # as messages call kinds of times
TIME = "the time"
DIGITS = 6  # of the sums in a digest; the same rows in another order differ in the last bits


def read_name(batch: object, seen: Sequence[Seen]) -> str:
    """Return the name of a batch, by default the next number that is free, or refuse one that was counted.

    Parameters
    ----------
    batch : str, int, date or None
    seen : sequence of Seen
        The batches before.
    """
    names = {each.name for each in seen}
    if batch is None:
        number = len(seen) + 1
        while str(number) in names:
            number += 1
        return str(number)
    if isinstance(batch, date | np.datetime64):
        name = _in_iso(batch)
    elif is_whole(batch) or isinstance(batch, str):
        name = str(batch)
    else:
        raise ValueError(f"batch must be a text, a whole number or a date, got {brief(batch)}")
    if not name.strip():
        raise ValueError(f"batch must be a name that is not empty or missing, got {brief(batch)}")
    if name in names:
        raise ValueError(f"batch must be new, got {brief(name)}, which was counted before")
    return name


def read_time(time: object, seen: Sequence[Seen]) -> str | None:
    """Return the time of a batch as text, or refuse one that is before that of the last batch that had one.

    Texts that read as numbers, ISO dates or ISO times are these; other texts are compared as texts.

    Parameters
    ----------
    time : datetime, date, number, str or None
    seen : sequence of Seen
        The batches before.
    """
    if time is None:
        return None
    if isinstance(time, date | np.datetime64):
        text = _in_iso(time)
    elif isinstance(time, str) or (is_real(time) and isfinite(time)):
        text = str(as_plain(time))
    else:
        raise ValueError(f"time must be a date, a time, a finite number or a text, got {brief(time)}")
    if not text.strip():
        raise ValueError(f"time must be a time that is not missing, got {brief(time)}")
    last = next((each for each in reversed(seen) if each.time is not None), None)
    if last is not None and last.time is not None:
        _check_order(text, last.time, last.name)
    return text


def digest_of(sums: CellSums) -> str:
    """Return a digest of the rows of a batch by cell, whatever their order and whoever counted them.

    Parameters
    ----------
    sums : CellSums
        Of the batch as it was read, before any of its groups is left out.
    """
    if not len(sums):
        return ""
    cells = sums.pooled(OF_BATCH)
    digest = blake2b(digest_size=16)
    for column in (cells.key, cells.rows):
        digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    totals = [float(cells.wp.sum()), *cells.w.sum(axis=0).tolist(), *cells.w2.sum(axis=0).tolist()]
    digest.update(" ".join(f"{total:.{DIGITS}g}" for total in totals).encode())
    return digest.hexdigest()


def refuse_repeated(sums: CellSums, digest: str, seen: Sequence[Seen]) -> None:
    """Raise ValueError for the rows of a batch before under another name.

    Two batches may honestly be equal: a few rows, or the same subjects with the same scores and no event in either. So
    a batch is refused only if labels like its own come up again with a probability of at most 1e-9, both at its scores
    and at its share of positives.

    Parameters
    ----------
    sums : CellSums
    digest : str
        Of it, as `digest_of` returns it.
    seen : sequence of Seen
        The batches before.
    """
    before = next((each for each in seen if each.digest and each.digest == digest), None)
    if before is not None and log_chance(sums) <= log(BY_CHANCE):
        raise ValueError(
            f"a batch must have new rows, got those of the batch {brief(before.name)}, which was counted before"
        )


def log_chance(sums: CellSums) -> float:
    """Return the log probability of the labels by cell, given the scores, at these or at one rate, the larger one."""
    cells = sums.pooled(OF_BATCH)
    positive, rows = cells.rows[:, 1].astype(np.float64), cells.rows.sum(axis=1).astype(np.float64)
    ways = gammaln(rows + 1.0) - gammaln(positive + 1.0) - gammaln(rows - positive + 1.0)
    rate = positive.sum() / rows.sum()
    each = [ways + xlogy(positive, q) + xlog1py(rows - positive, -q) for q in (cells.p, rate)]
    return float(max(logs.sum() for logs in each))


def _in_iso(time: Any) -> str:
    """Return a date or a time as ISO text, "" for a missing one."""
    if time != time:  # NaT of pandas and numpy
        return ""
    if isinstance(time, np.datetime64):
        is_date = np.datetime_data(time)[0] in ("Y", "M", "W", "D")
        time = time.astype("datetime64[D]" if is_date else "datetime64[us]").item()
    return str(time.isoformat())


def _day_of(moment: date) -> date:
    """Return the day of a date or of a time without a zone."""
    return moment.date() if isinstance(moment, datetime) else moment


def _check_order(text: str, last: str, name: str) -> None:
    """Raise ValueError for a time that is before the last one, or that cannot be compared with it."""
    (kind, value), (kind_before, before) = as_time(text), as_time(last)
    if {kind, kind_before} == {DATE, TIME}:  # such as '2026-10-31' after a Timestamp of pandas
        kind, value, kind_before, before = DATE, _day_of(value), DATE, _day_of(before)
    if kind != kind_before:
        raise ValueError(
            f"time must be of one kind for all batches, got {kind} {brief(text)} after {kind_before} {brief(last)} of "
            f"batch {brief(name)}"
        )
    if value < before:
        raise ValueError(
            f"time must not be before that of the last batch, {last} of {brief(name)}, got {text}: they come in order"
        )


def as_time(text: str) -> tuple[str, Any]:
    """Return what kind of time a text is, and its value."""
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if isfinite(number):
            return "the number", number
    try:
        return DATE, date.fromisoformat(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "the text", text
    return (TIME if moment.tzinfo is None else "the time with a zone"), moment
