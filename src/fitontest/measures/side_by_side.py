"""Estimates side by side as printed tables: the plug-in errors of families, then other measures."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from fitontest.measures.estimate import Estimate, notes_of_value
from fitontest.measures.interval import BY_NOISE, POPULATION
from fitontest.results.quoting import confidence
from fitontest.results.several import grouped
from fitontest.results.table import Section
from fitontest.results.text import count, same_decimals, sentence, short

NO_RANKING = "Estimates of one quantity by different maps, not a ranking: smaller is not better"
BY_DEFINITION = ", and identity is 0 by definition"
SE_NOTE = (
    "s.e. (map fixed): spread of the mean distance over fresh scores under this very map. A map fitted on these rows "
    "has more: a lower bound, not an error bar."
)
NOISE_NOTE = f"debiased by the mean square of label noise; interval: {BY_NOISE}"
INTERVAL_NOTE = (
    "debiased: error corrected for label noise (median-unbiased). Interval: true errors not rejected at {rejected} %."
)
OWN_NOTE = "The intervals are for what each family can see of the error, not for all of it."
WIDENED_NOTE = "follows the scores badly, so that its interval was widened to hold that of the {by}."
UNLIKELY = 0.05
CLASSES_NOTE = "Means over the classes, each against the rest and each counting the same."
CLASS_HEADER = ("smallest", "in class", "largest", "in class")

Named: TypeAlias = list[tuple[str, Estimate]]


def tables_of(named: Named, *, by_class: bool, data_notes: Sequence[str] = (), judged: bool = False) -> list[Section]:
    """Return the table of the families and that of the other measures.

    `by_class`: of means over classes. `data_notes` are of all estimates, and stand below the first table. `judged`:
    whether a verdict follows, which says what the p-values come to.
    """
    families = [(name, estimate) for name, estimate in named if _is_of_scores(estimate)]
    others = [(name, estimate) for name, estimate in named if not _is_of_scores(estimate)]
    parts = []
    if families:
        parts.append(_families_by_class(families) if by_class else _families_table(families, judged=judged))
    if others:
        title = "" if families else _rows_in_words(named[0][1])
        parts.append(_measures_by_class(others, title) if by_class else _measures_table(others, title))
    lines = [note_lines(part) for part in (families, others) if part]
    lines[0] += data_notes
    return [
        replace(part, notes="\n".join([*first, *([part.notes] if part.notes else [])]))
        for part, first in zip(parts, lines, strict=True)
    ]


def _is_of_scores(estimate: Estimate) -> bool:
    """Return whether an estimate is a plug-in error of scores, which the table of families is of."""
    return estimate.measure.is_family_error and estimate.measure.classes == "two"


def note_lines(named: Named, notes_of: Callable[[Estimate], list[tuple[str, str]]] = notes_of_value) -> list[str]:
    """Return the notes of estimates, a line each, with the names and the classes that they are of."""
    names = grouped((found, name) for name, estimate in named for found in notes_of(estimate))
    return [f"{', '.join([*each, where] if where else each)}: {note}" for (where, note), each in names.items()]


def _rows_in_words(estimate: Estimate) -> str:
    """Return of what data an estimate is."""
    if estimate.classes:
        return f"mean over {len(estimate.classes)} classes, n = {count(estimate.n)}"
    reduction = "" if estimate.reduction is None else f"reduction {estimate.reduction}, "
    if estimate.base_rate is None:
        return f"{reduction}{estimate.n_classes} classes, n = {count(estimate.n)}"
    return f"{reduction}n = {count(estimate.n)}, {estimate.base_rate_name} {short(estimate.base_rate)}"


def _families_table(named: Named, *, judged: bool) -> Section:
    """Return the table of plug-in errors, with their intervals where there are any, else with standard errors."""
    norm, norms = _norms(named)
    title = f"calibration error{norm}, {_rows_in_words(named[0][1])}"
    intervals, raw = interval_columns(named) or _Columns(), _Columns(("raw",), lambda one: error_cells(one)[1:])
    without_errors = intervals.header or all(one.groups is not None and one.groups.too_few for _, one in named)
    errors = _Columns() if without_errors else _standard_errors()
    nulls = _nulls(named)
    bins = _Columns(("bins",), lambda one: (_bins(one),))
    parts = (norms, intervals, raw, errors, bins, _fitted(named), nulls)
    header = ["family", *(title for part in parts for title in part.header)]
    body = [[name, *(text for part in parts for text in part.cells(one))] for name, one in named]
    notes = [_ranking(named), intervals.note, errors.note, *reason_lines(named), nulls.note]
    lead = "" if judged else _verdict(named)
    return Section(title, header, body, "\n".join(note for note in notes if note), lead)


def _ranking(named: Named) -> str:
    """Return that families are no ranking, where there are several."""
    if len(named) == 1:
        return ""
    has_identity = any(one.value == 0.0 and name.startswith("identity") for name, one in named)
    return f"{NO_RANKING}{BY_DEFINITION if has_identity else ''}."


def _measures_table(named: Named, title: str) -> Section:
    """Return the table of other measures."""
    intervals, nulls = interval_columns(named) or _Columns(), _nulls(named)
    header = ["measure", "value", *intervals.header, "bins", *nulls.header]
    body = [
        [name, one.measure.printed(one.value), *intervals.cells(one), _bins(one), *nulls.cells(one)]
        for name, one in named
    ]
    notes = (_greater_is_better(named), intervals.note, *reason_lines(named), nulls.note)
    return Section(title, header, body, "\n".join(note for note in notes if note))


def error_cells(estimate: Estimate) -> tuple[str, str]:
    """Return the debiased and the raw value of an error, with the same number of decimals, as texts quote them."""
    measure, debiased = estimate.measure, estimate.debiased
    if debiased is None:
        return "-", measure.printed(estimate.value)
    if measure.words.printed is not short:  # with a unit
        return measure.printed(debiased), measure.printed(estimate.value)
    first, second = same_decimals((debiased, estimate.value))
    return first, second


def _bins(estimate: Estimate) -> str:
    return "-" if estimate.n_bins is None else count(estimate.n_bins)


def _families_by_class(named: Named) -> Section:
    """Return the table of the class-wise means of plug-in errors."""
    norm, norms = _norms(named)
    title = f"class-wise calibration error{norm}: {_rows_in_words(named[0][1])}"
    nulls = _class_nulls(named)
    header = ["family", *norms.header, "mean error", *CLASS_HEADER, *nulls.header]
    body = [[name, *norms.cells(one), *_class_cells(one), *nulls.cells(one)] for name, one in named]
    return Section(title, header, body, "\n".join(filter(None, (CLASSES_NOTE, _ranking(named)))))


def _measures_by_class(named: Named, title: str) -> Section:
    """Return the table of the class-wise means of other measures."""
    nulls = _class_nulls(named)
    header = ["measure", "mean", *CLASS_HEADER, *nulls.header]
    body = [[name, *_class_cells(one), *nulls.cells(one)] for name, one in named]
    return Section(title, header, body, _greater_is_better(named))


def _greater_is_better(named: Named) -> str:
    """Return of which measures greater values are better, since of errors smaller ones are."""
    names = [name for name, one in named if one.measure.greater_is_better]
    return f"Greater is better: {', '.join(names)}." if names else ""


class _Columns(NamedTuple):
    """Columns that a table has only where there is something to say, and a note on them."""

    header: tuple[str, ...] = ()
    cells: Callable[[Estimate], tuple[str, ...]] = lambda _: ()
    note: str = ""


def _norms(named: Named) -> tuple[str, _Columns]:
    """Return the norm of all errors as a part of the title, or else a column of their norms."""

    def norm(estimate: Estimate) -> tuple[str, ...]:
        return (f"{estimate.norm}{', debiased' if estimate.debias else ''}",)

    of_all = {norm(estimate) for _, estimate in named}
    return ("", _Columns(("norm",), norm)) if len(of_all) > 1 else (f" ({norm(named[0][1])[0]})", _Columns())


def interval_columns(named: Named) -> _Columns | None:
    """Return the debiased errors and their intervals, or None where there are none."""
    intervals = [(name, one.interval) for name, one in named if one.interval is not None]
    if not intervals:
        return None
    levels = {interval.level for _, interval in intervals}
    level = confidence(levels.pop()) if len(levels) == 1 else "interval"

    redrawn = [interval for _, interval in intervals if not interval.method]
    header = ("debiased", level) if redrawn else (level,)

    def cells(estimate: Estimate) -> tuple[str, ...]:
        interval, printed = estimate.interval, estimate.measure.printed
        debiased = (error_cells(estimate)[0],) if redrawn else ()
        if interval is None:
            return tuple("-" for _ in header)
        return *debiased, f"{printed(interval.low)} to {printed(interval.high)}"

    by_noise = [name for name, one in named if one.interval is not None and one.measure.is_seminorm]
    inverted = [interval for name, interval in intervals if not interval.method and name not in by_noise]
    rejected = " or ".join(f"{100 * (1 - level):g}" for level in sorted({one.level for one in inverted}))
    lines = [INTERVAL_NOTE.format(rejected=rejected)] if inverted else []
    if by_noise:
        lines.append(f"{', '.join(by_noise)}: {NOISE_NOTE}." if inverted else sentence(NOISE_NOTE))
    if by_formula := [name for name, interval in intervals if interval.method]:
        lines.append(f"{', '.join(by_formula)}: interval of the value in {POPULATION}, by a formula.")
    if any(interval.target != "true error" for interval in redrawn):
        lines.append(OWN_NOTE)
    for family in dict.fromkeys(interval.stand_in for _, interval in intervals if interval.stand_in is not None):
        stood_for = [name for name, interval in intervals if interval.stand_in == family]
        names = ", ".join(stood_for)
        lines.append(f"{names}: for the interval, the faster family {family} was fitted to the simulated labels.")
    lines += _widened_lines(named)
    return _Columns(header, cells, "\n".join(lines))


def _widened_lines(named: Named) -> list[str]:
    """Return whose intervals hold more than the family itself says, and why."""
    widened: dict[str, list[str]] = {}
    for name, one in named:
        interval = one.interval
        if interval is None or interval.widened_by is None:
            continue
        if interval.follows_badly:
            why = WIDENED_NOTE.format(by="family vector" if interval.widened_by == "vector" else "spline")
        elif interval.roughness is not None:
            why = interval.source
        else:  # of a stand-in, of which a line of its own says so
            continue
        widened.setdefault(why, []).append(name)
    return [f"{', '.join(names)}: {why}{'' if why.endswith('.') else '.'}" for why, names in widened.items()]


def reason_lines(named: Named) -> list[str]:
    """Return a line for each reason why estimates have no interval although one was asked for."""
    names: dict[str, list[str]] = {}
    for name, estimate in named:
        too_few = estimate.groups is not None and estimate.groups.too_few  # which is said once of all
        if estimate.interval is None and estimate.interval_reason and not too_few:
            names.setdefault(estimate.interval_reason, []).append(name)
    return [f"{', '.join(each)}: no interval, for {reason}." for reason, each in names.items()]


def _standard_errors() -> _Columns:
    """Return the standard errors that hold the map fixed."""

    def cells(estimate: Estimate) -> tuple[str]:
        return ("-" if estimate.se_map_fixed is None else short(estimate.se_map_fixed, 2),)

    return _Columns(("s.e. (map fixed)",), cells, SE_NOTE)


def _fitted(named: Named) -> _Columns:
    """Return whether the map was fitted here, where that is not true of all."""
    if all(one.fitted_on_these_rows for _, one in named):
        return _Columns()
    return _Columns(("fitted here",), lambda one: ("yes" if one.fitted_on_these_rows else "no",))


def _verdict(named: Named) -> str:
    """Return in words whether calibrated scores could look so, where intervals were asked for."""
    p_values = {name: one.null.p_value for name, one in named if one.null is not None and one.interval is not None}
    if not p_values:
        return ""
    least = min(p_values, key=lambda name: p_values[name])
    found = [name for name, value in p_values.items() if value <= UNLIKELY]
    if not found:
        return f"Calibrated scores could look so: the smallest p-value is {short(p_values[least], 2)} ({least})."
    if len(found) == len(p_values):
        return f"Calibrated scores would hardly look so: every p-value is at most {UNLIKELY}."
    reason = f"the p-value is at most {UNLIKELY}"
    if len(found) == 1:
        reason += ", as it is for one family in twenty by chance"
    return f"Calibrated scores would hardly look so to {', '.join(found)}: {reason}. To the others they could look so."


def _nulls(named: Named) -> _Columns:
    """Return what calibrated scores would have, its spread, and how many draws are at least as bad."""
    draws = max(0 if estimate.null is None else estimate.null.values.size for _, estimate in named)
    if draws == 0:
        return _Columns()

    def cells(estimate: Estimate) -> tuple[str, ...]:
        null = estimate.null
        if null is None:
            return "-", "-", "-"
        spread = "-" if null.values.size == 1 else estimate.measure.printed(null.sd, 2)
        return estimate.measure.printed(null.mean), spread, short(null.p_value, 2)

    note = f"p-value: from {count(draws)} draws of the labels, so at least {short(1 / (1 + draws), 2)}."
    return _Columns(("if calibrated", "s.d.", "p-value"), cells, "\n".join(filter(None, (note, _two_sided(named)))))


def _two_sided(named: Named) -> str:
    """Return which p-values are two-sided."""
    both = [(name, one.measure.ideal) for name, one in named if one.measure.two_sided and one.null is not None]
    names, around = ([name for name, ideal in both if (ideal is None) == of] for of in (True, False))
    lines = [f"Two-sided p-values, since these measure accuracy: {', '.join(names)}."] if names else []
    lines += [f"Two-sided p-values, since either side of the ideal is an error: {', '.join(around)}."] if around else []
    return "\n".join(lines)


def _class_nulls(named: Named) -> _Columns:
    """Return the mean over the classes of what calibrated scores would have."""

    def cells(estimate: Estimate) -> tuple[str, ...]:
        nulls = [each.null for each in (estimate.classes or {}).values()]
        means = [null.mean for null in nulls if null is not None]
        return (estimate.measure.printed(sum(means) / len(means)) if means else "-",)

    drawn = any(each.null is not None for _, estimate in named for each in (estimate.classes or {}).values())
    return _Columns(("mean if calibrated",), cells) if drawn else _Columns()


def _class_cells(estimate: Estimate) -> list[str]:
    """Return the mean over the classes, and in which it is smallest and largest."""
    values = {label: float(each) for label, each in (estimate.classes or {}).items()}
    least, most = min(values, key=lambda label: values[label]), max(values, key=lambda label: values[label])
    printed = estimate.measure.printed
    return [printed(estimate.value), printed(values[least]), str(least), printed(values[most]), str(most)]
