"""An evaluation in about seven lines: the verdict first, then each family, and what must be known of the rows."""

from collections.abc import Sequence

from fitontest.data.known_groups import KnownGroups
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import INDEPENDENT
from fitontest.measures.side_by_side import OWN_NOTE, Named, error_cells, reason_lines
from fitontest.results.table import WIDTH, Section
from fitontest.results.text import count, sentence, short
from fitontest.uncertainty.agreement import agreement_of
from fitontest.uncertainty.verdict import FAMILY, Verdict

WHERE = "Words: docs/which_number.md; all columns: print(evaluation.table()), or --verbose."


def conclude(
    named: Named,
    verdict: Verdict,
    notes: Sequence[str] = (),
    groups: KnownGroups | None = None,
    *,
    doubts: Sequence[str] = (),
) -> Section:
    """Return the verdict on an evaluation with a line for each family.

    Parameters
    ----------
    named : list of (str, Estimate)
        The estimates of the evaluation with their names.
    verdict : Verdict
        On the same rows.
    notes : sequence of str
        What must be known to read the values, a line each.
    groups : KnownGroups or None, optional
        Of the rows.
    doubts : sequence of str
        Those notes that are said before the verdict, which would mislead a reader who stops there.
    """
    families = [(name, one) for name, one in named if one.measure.is_family_error]
    others = [(name, one) for name, one in named if not one.measure.is_family_error]
    is_listed = any(one is verdict.estimate for _, one in families)
    lead = [
        *map(sentence, doubts),
        _first(verdict),
        _error(verdict, is_listed=is_listed),
        *_direction(verdict),
        *verdict.causes,
        *verdict.beside_interval,
    ]
    body: list[list[str]] = []
    if len(families) > 1 or not is_listed:
        lead.append(str(agreement_of(families, verdict.estimate)) or f"By family{_norm(families)}:")
        body = [_cells(name, one) for name, one in families]
    lines = [
        *_others(others),
        *_warnings(families, verdict),
        *reason_lines(families),
        *[note for note in notes if note not in doubts],
        *([] if verdict.shown else verdict.not_ruled_out),
        *([last_line(judged=True)] if groups is None else [*lines_without(groups, doubts), WHERE]),
    ]
    return Section(lead="\n".join(lead), body=body, notes="\n".join(lines))


def last_line(*, judged: bool) -> str:
    """Return where more is said, of rows without groups that these must be independent where there are intervals."""
    return f"{INDEPENDENT}. {WHERE}" if judged else WHERE


def _first(verdict: Verdict) -> str:
    """Return the headline, whether calibration is rejected, and of which rows."""
    one = verdict.estimate
    rate = one.base_rate or 0.0
    text = f"{verdict.headline}: {verdict.decision}"
    if one.reduction == "confidence":
        confidence = rate - verdict.tendency.residual
        return f"Accuracy {short(rate)}, mean confidence {short(confidence)}. {text}."
    return f"{text}; n = {count(one.n)}, share of positives {short(rate)}."


def _error(verdict: Verdict, *, is_listed: bool) -> str:
    """Return the error that is quoted; of which family and norm where that is none of those listed below."""
    of = "" if is_listed else f" ({FAMILY}, l1)"
    null = verdict.estimate.null
    calibrated = "" if null is None else f"; if calibrated: {short(null.mean)} (raw)"
    rows = f"; n = {count(verdict.estimate.n)}" if verdict.estimate.reduction == "confidence" else ""
    return f"Calibration error{of}: {verdict.size}{calibrated}{rows}."


def _direction(verdict: Verdict) -> list[str]:
    """Return the slope and the mean residual, in one line where it holds both."""
    tendency = verdict.tendency
    parts = [tendency.slope_in_words or f"no slope, since {tendency.obstacle}", tendency.residual_in_words]
    interval = tendency.residual_interval
    if interval is not None and interval.level != verdict.interval.level:
        parts[-1] += f", both at {100 * interval.level:g} %"
    together = "; ".join(parts)
    return [sentence(line) for line in ([together] if len(together) < WIDTH else parts)]


def _cells(name: str, one: Estimate) -> list[str]:
    """Return the debiased value of a family and its interval."""
    if one.interval is None or one.debiased is None:
        return [name, f"raw {one.measure.printed(one.value)}", ""]
    printed = one.measure.printed
    return [name, error_cells(one)[0], f"{printed(one.interval.low)} to {printed(one.interval.high)}"]


def lines_without(groups: KnownGroups, said: Sequence[str]) -> list[str]:
    """Return how rows hang together, a sentence each, without what has been said."""
    return [line for line in groups.lines if line.removesuffix(".") not in said]


def _norm(families: Named) -> str:
    """Return the norm of the errors of the families, in brackets, where it is one."""
    norms = {one.norm for _, one in families}
    return f" ({norms.pop()})" if len(norms) == 1 else ""


def _others(others: Named) -> list[str]:
    """Return the values of measures that are no errors under families, in one line."""
    texts = []
    for name, one in others:
        null, printed = one.null, one.measure.printed
        value = f"{name} {printed(one.value)}"
        if one.interval is not None and one.debiased is not None:
            ends = f"{printed(one.interval.low)} to {printed(one.interval.high)}"
            debiased, raw = error_cells(one)
            value = f"{name} debiased {debiased} (raw {raw}), {100 * one.interval.level:g} % interval {ends}"
        elif one.interval is not None:
            ends = f"{printed(one.interval.low)} to {printed(one.interval.high)}"
            value += f", {100 * one.interval.level:g} % interval {ends}"
        if null is not None:
            two_sided = "two-sided " if null.two_sided else ""
            value += f" (if calibrated {printed(null.mean)}; {two_sided}p = {short(null.p_value, 2)})"
        texts.append(value)
    between = "; " if any(", " in text for text in texts) else ", "
    return [f"Other measures: {between.join(texts)}."] if texts else []


def _warnings(families: Named, verdict: Verdict) -> list[str]:
    """Return what makes the numbers worth less, or other ones than they seem."""
    lines = []
    rough = verdict.interval.roughness
    others = [
        (name, one.interval) for name, one in families if one.interval is not None and one is not verdict.estimate
    ]
    if rough is not None:
        is_held = any(interval.widened_by is not None for _, interval in others)
        also = "; the other intervals were widened to hold it" if is_held else ""
        lines.append(sentence(f"{rough.in_words()}{also}"))
    elif badly := [name for name, interval in others if interval.follows_badly]:
        which = ", ".join(badly)
        lines.append(f"Interval widened to hold that of the spline, as the family follows the scores badly: {which}.")
    lines += [scores.brief for scores in verdict.tendency.certain if scores.brief]
    if any(one.interval is not None and one.interval.target != "true error" for _, one in families):
        lines.append(OWN_NOTE)
    return lines
