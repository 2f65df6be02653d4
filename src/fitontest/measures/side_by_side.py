"""Estimates side by side as printed tables: the plug-in errors of families, then other measures."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from fitontest.measures.base import Estimate, notes_of_value
from fitontest.measures.plug_in import PlugIn
from fitontest.results.table import Section, cell
from fitontest.results.text import short

FAMILIES_NOTE = """\
Estimates of one quantity by different maps, not a ranking: smaller is not better, and identity is 0 by definition.
s.e. (map fixed): spread of the mean distance over fresh scores under this very map. A map fitted on these rows has
more uncertainty than that, often far more: the number is a lower bound, not an error bar."""
CLASSES_NOTE = """\
Means over the classes, each against the rest and each counting the same. The families are estimates of one quantity by
different maps, not a ranking: smaller is not better, and identity is 0 by definition."""
CLASS_HEADER = ("smallest", "in class", "largest", "in class")

Named: TypeAlias = list[tuple[str, Estimate]]


def tables_of(named: Named, *, by_class: bool, data_notes: Sequence[str] = ()) -> list[Section]:
    """Return the table of the families and that of the other measures.

    `by_class`: of means over classes. `data_notes` are of all estimates, and stand below the first table.
    """
    families = [(name, estimate) for name, estimate in named if isinstance(estimate.measure, PlugIn)]
    others = [(name, estimate) for name, estimate in named if not isinstance(estimate.measure, PlugIn)]
    parts = []
    if families:
        parts.append(_families_by_class(families) if by_class else _families_table(families))
    if others:
        title = "" if families else _rows_in_words(named[0][1])
        parts.append(_measures_by_class(others, title) if by_class else _measures_table(others, title))
    lines = [note_lines(part) for part in (families, others) if part]
    lines[0] += data_notes
    return [
        replace(part, notes="\n".join([*first, *([part.notes] if part.notes else [])]))
        for part, first in zip(parts, lines, strict=True)
    ]


def note_lines(named: Named, notes_of: Callable[[Estimate], list[tuple[str, str]]] = notes_of_value) -> list[str]:
    """Return the notes of estimates, a line each, with the names and the classes that they are of."""
    names: dict[tuple[str, str], list[str]] = {}
    for name, estimate in named:
        for found in notes_of(estimate):
            names.setdefault(found, []).append(name)
    return [f"{', '.join([*each, where] if where else each)}: {note}" for (where, note), each in names.items()]


def _rows_in_words(estimate: Estimate) -> str:
    """Return of what data an estimate is."""
    if estimate.classes is not None:
        return f"mean over {len(estimate.classes)} classes, n = {estimate.n}"
    reduction = "" if estimate.reduction is None else f"reduction {estimate.reduction}, "
    share = "accuracy" if estimate.reduction == "confidence" else "share of positives"
    return f"{reduction}n = {estimate.n}, {share} {estimate.base_rate:.4g}"


def _families_table(named: Named) -> Section:
    """Return the table of plug-in errors."""
    norm, norms = _norms(named)
    title = f"calibration error{norm}, {_rows_in_words(named[0][1])}"
    header = ["family", *norms.header, "error", "s.e. (map fixed)", "bins", "fitted here"]
    nulls = _nulls(named)
    body = [
        [
            name,
            *norms.cells(estimate),
            f"{estimate.value:#.3g}",
            "-" if estimate.se_map_fixed is None else f"{estimate.se_map_fixed:#.2g}",
            cell(estimate.n_bins),
            "yes" if estimate.fitted_on_these_rows else "no",
            *nulls.cells(estimate),
        ]
        for name, estimate in named
    ]
    return Section(title, [*header, *nulls.header], body, FAMILIES_NOTE + nulls.note)


def _measures_table(named: Named, title: str) -> Section:
    """Return the table of other measures."""
    nulls = _nulls(named)
    header = ["measure", "value", "bins", *nulls.header]
    body = [
        [name, estimate.measure.printed(estimate.value), cell(estimate.n_bins), *nulls.cells(estimate)]
        for name, estimate in named
    ]
    return Section(title, header, body, nulls.note.lstrip())


def _families_by_class(named: Named) -> Section:
    """Return the table of the class-wise means of plug-in errors."""
    norm, norms = _norms(named)
    title = f"class-wise calibration error{norm}: {_rows_in_words(named[0][1])}"
    nulls = _class_nulls(named)
    header = ["family", *norms.header, "mean error", *CLASS_HEADER, *nulls.header]
    body = [[name, *norms.cells(one), *_class_cells(one), *nulls.cells(one)] for name, one in named]
    return Section(title, header, body, CLASSES_NOTE)


def _measures_by_class(named: Named, title: str) -> Section:
    """Return the table of the class-wise means of other measures."""
    nulls = _class_nulls(named)
    header = ["measure", "mean", *CLASS_HEADER, *nulls.header]
    return Section(title, header, [[name, *_class_cells(one), *nulls.cells(one)] for name, one in named])


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

    note = f"\np-value: from {draws} draws of the labels, so at least {short(1 / (1 + draws), 2)}."
    return _Columns(("if calibrated", "s.d.", "p-value"), cells, note)


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
