"""The ratio of observed to expected events of parts of the rows, such as segments, as a dot plot."""

from collections.abc import Iterable

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.comparison import ComparisonDisplay, Dot
from fitontest.results.text import count
from fitontest.uncertainty.event_ratio import OF_CONFIDENCES, Rarer, event_ratio
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE

TOLERANCE = DEFAULT_TOLERANCE.ratio
LEVEL = 0.95
MANY = 20  # parts, of which intervals are those that hold together
HEAD = "O:E (95 % CI)"


def ratio_display(
    parts: Iterable[tuple[str, ScoreSample]],
    whole: ScoreSample | None = None,
    *,
    keep_order: bool = False,
    of: Rarer = "events",
    tolerance: float = TOLERANCE,
) -> ComparisonDisplay:
    """Return the dot plot of parts of the rows, not yet drawn; parts without expected events are left out.

    Parameters
    ----------
    parts : iterable of (str, ScoreSample)
    whole : ScoreSample, optional
        All rows, which come last.
    keep_order : bool, default=False
        Whether parts stay in the order given.
    of : {"events", "non-events"}, default="events"
        Which label is counted.
    tolerance : float, default=0.1
        How far a ratio may be from 1.
    """
    given = list(parts)
    together = len(given) > MANY
    level = 1.0 - (1.0 - LEVEL) / len(given) if together else LEVEL
    dots = [dot for name, sample in given if (dot := ratio_dot(name, sample, level, of)) is not None]
    if not dots:
        raise ValueError("segments must hold one of which events are expected, for a ratio to draw; got none")
    noun = OF_CONFIDENCES[of] if given[0][1].reduction == "confidence" else of
    last = None if whole is None else ratio_dot("all rows", whole, LEVEL, of, is_whole=True)
    within = 1.0 - tolerance, 1.0 + tolerance
    outside = [dot for dot in dots if dot.state(within) == "outside"]
    display = ComparisonDisplay(
        [*dots, *([] if last is None else [last])],
        title=_title(outside, len(dots), noun, tolerance),
        label="Observed / expected" if noun == "events" else f"Observed / expected {noun}",
        reference=1.0,
        tolerance=within,
        is_ratio=True,
        keep_order=keep_order,
    )
    how = f"95 % intervals that hold for all {len(given)} together" if together else "95 % intervals, of each by itself"
    display.second = "; ".join(part for part in (f"grey: within {100 * tolerance:g} %; {how}", display.second) if part)
    return display


def _title(outside: list[Dot], total: int, noun: str, tolerance: float) -> str:
    if not outside:
        return f"None of {count(total)} shown outside \N{PLUS-MINUS SIGN}{100 * tolerance:g} %"
    worst = max(outside, key=lambda dot: max(dot.value, 1.0 / max(dot.value, 1e-9)))
    change = f"{100 * abs(worst.value - 1.0):.0f} % {'more' if worst.value > 1.0 else 'fewer'} {noun} than predicted"
    others = f"; {len(outside) - 1} more outside" if len(outside) > 1 else ""
    return f"{worst.name}: {change}{others}"


def ratio_dot(
    name: str, sample: ScoreSample, level: float, of: Rarer = "events", *, is_whole: bool = False
) -> Dot | None:
    """Return the ratio of a part of the rows with its interval, rows and events, or None where nothing is expected."""
    ratio = event_ratio(sample, level, of)
    if ratio is None:
        return None
    ends = None if ratio.interval is None else (ratio.interval.low, ratio.interval.high)
    beside = "" if ends is None else f" ({ends[0]:.2f} to {ends[1]:.2f})"
    columns = {HEAD: f"{ratio.value:.2f}{beside}", "rows": count(sample.n)}
    if sample.whole:
        share = sample.base_rate if of == "events" else 1.0 - sample.base_rate
        columns[ratio.noun.split()[0]] = count(round(sample.total * share))
    low, high = (None, None) if ends is None else ends
    return Dot(name, ratio.value, low, high, columns, is_whole)
