"""The texts of a diagram: the labels of its axes, and the description of an error in its legend and its title."""

import textwrap
from collections.abc import Iterable

from fitontest.measures.estimate import Estimate
from fitontest.measures.plug_in import FittedMap
from fitontest.results.text import debiased_and_raw, short, visible
from fitontest.results.typing import Label

WIDTH = 58  # letters in a line of a legend
TITLE_WIDTH = 84  # letters in the title of a test-based diagram
SHORTEST_NAME = 12  # letters that a name in it has at least
CUT_OFF = "\N{HORIZONTAL ELLIPSIS}"

CONFIDENCE_LABELS = ("Confidence (highest predicted probability)", "Accuracy (observed frequency)")


def name_axes(pos_label: Label | None, reduction: str | None = None) -> tuple[str, str]:
    """Return the labels of the axis of scores and of that of observed frequencies."""
    if reduction == "confidence":
        return CONFIDENCE_LABELS
    of_class = _name_class(pos_label, reduction)
    return f"Predicted probability{of_class}", f"Observed frequency{of_class}"


def without_formulas(text: str) -> str:
    """Return a text of the user's as matplotlib must get it to draw it as it is: dollars do not begin a formula."""
    return visible(text).replace("$", r"\$")


def _name_class(pos_label: Label | None, reduction: str | None) -> str:
    """Return the part of an axis label that names the positive class, or nothing for class 1."""
    if reduction == "classwise":
        return " of the class"
    return "" if pos_label is None or pos_label in (1, "1") else f" (positive: {without_formulas(str(pos_label))})"


def describe_error(error: Estimate, width: int = WIDTH) -> list[str]:
    """Return the description of an estimate in a legend: the error of its map, then its interval and the rows.

    Of an estimate without a map all of it is one line, unless `width` letters do not hold it.
    """
    interval = describe_interval(error)
    if error.map is None:
        return _join_parts([describe_measure(error), *interval], width)
    rows = f"n = {error.n:,}" + ("" if error.weighting is None else f" ({error.weighting.brief})")
    if not isinstance(error.evidence, FittedMap):
        return _join_parts([describe_measure(error), *interval, rows], width)
    estimator = error.estimator
    piece = "segment" if estimator is not None and estimator.has_knots else "bin"
    bins = "" if error.n_bins is None else f", {_count(error.n_bins, piece)}"
    if error.n_bins == 1 and error.shifts_by_gap:
        bins += " (difference of the means)"
    given = "" if estimator is not None else ", a given map"
    head, quoted = f"{error.measure.name}{bins}{given}", _quote_error(error)
    together = f"{head}: {quoted}"
    known = error.groups
    facts = [] if known is None else [fact for fact in (known.how_many, known.how_alike) if fact]
    quoted_lines = [together] if len(together) <= width else [head, quoted]
    return [*quoted_lines, *_join_parts([*interval, rows], width), *_join_parts(facts, width)]


def _quote_error(error: Estimate) -> str:
    """Return the debiased value and the raw one, after the name of what is not the mean distance of a map."""
    named = name_error(error)
    if error.debias:
        return f"{named} {error.measure.printed(error.value)}"
    quoted = debiased_and_raw(error.debiased, error.value)
    return quoted if named == "error" else f"{named} {quoted}"


def describe_interval(error: Estimate) -> list[str]:
    """Return the interval of the debiased value and what was refitted for it, or nothing."""
    interval, printed = error.interval, error.measure.printed
    if interval is None or error.debiased is None:
        return []
    of = "" if interval.target == "true error" else " of its own error"
    ends = f"{100 * interval.level:g} %{of}: {printed(interval.low)} to {printed(interval.high)}"
    refitted = [] if interval.stand_in is None else [f"refitted: {interval.stand_in}"]
    return [ends, *refitted]


def _join_parts(parts: list[str], width: int) -> list[str]:
    """Return the parts in lines of as many as `width` letters hold."""
    lines = parts[:1]
    for part in parts[1:]:
        longer = f"{lines[-1]}, {part}"
        lines[-1:] = [longer] if len(longer) <= width else [lines[-1], part]
    return lines


def _count(number: int | None, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def describe_measure(estimate: Estimate) -> str:
    """Return the title of a measure and its value."""
    return f"{estimate.measure.title} {estimate.measure.printed(estimate.value)}"


def _describe_other(estimate: Estimate) -> str:
    """Return title and value of a measure beside the error that is drawn; its map and its bins are other ones."""
    family = "" if estimate.map is None else f", {estimate.measure.name}"
    bins = "" if estimate.n_bins is None else f", {_count(estimate.n_bins, 'bin')}"
    return f"{describe_measure(estimate)}{family}{bins}"


def name_error(error: Estimate) -> str:
    """Return the name of a plug-in error. That of a family that shifts bins is the ECE."""
    norm = "" if error.norm == "l1" else f" ({error.norm})"
    ece = error.shifts_by_gap and error.norm == "l1"
    return f"{'debiased ' if error.debias else ''}{'ECE' if ece else 'error'}{norm}"


def format_legend_label(name: str | None, error: Estimate, others: Iterable[Estimate] = ()) -> str:
    """Return the name of the scores, the description of the error and the values of other measures, in lines."""
    lines = (
        ([] if name is None else [without_formulas(name)])
        + describe_error(error)
        + [_describe_other(one) for one in others]
    )
    return "\n".join(textwrap.fill(line, WIDTH) for line in lines)


def describe_null(error: Estimate) -> str:
    """Return a short description of the error of calibrated scores."""
    null = error.null
    if null is None:
        return ""
    return f"if calibrated {error.measure.printed(null.mean)} (p = {short(null.p_value, 2)})"


def format_title(error: Estimate, name: str | None) -> str:
    """Return the title of a test-based diagram in one line: the name of the scores, the error, and its test."""
    test, rows = f"{error.test} test at {error.alpha:g}", f"n = {error.n:,}"
    if error.groups is not None and not error.groups.sizes.are_single:
        test += " as of independent rows"
        rows += f" in {error.groups.sizes.groups:,} groups"
    facts = [describe_measure(error), describe_null(error), test, rows]
    value = ", ".join(fact for fact in facts if fact)
    if name is None:
        return value
    room = max(TITLE_WIDTH - len(value) - 2, SHORTEST_NAME)
    shown = visible(name)
    return f"{shown if len(shown) <= room else shown[: room - 1] + CUT_OFF}: {value}"
