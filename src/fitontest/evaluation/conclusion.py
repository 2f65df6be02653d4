"""An evaluation in at most eight lines: the verdict first, then three numbers, and what must be known of the rows."""

from collections.abc import Sequence

from fitontest.data.known_groups import KnownGroups
from fitontest.measures.side_by_side import Named
from fitontest.results.number_lines import NumberLine, number_lines
from fitontest.results.quoting import confidence, quote
from fitontest.results.short_print import short_print
from fitontest.results.table import Section
from fitontest.results.text import count, p_in_words, percent, sentence
from fitontest.uncertainty.sizes import OF_SLOPE
from fitontest.uncertainty.verdict import FAMILY, Verdict

RARE = 0.05  # share, below which events are counted


def conclude(named: Named, verdict: Verdict, notes: Sequence[str] = (), doubts: Sequence[str] = ()) -> Section:
    """Return the verdict on an evaluation with its numbers.

    Parameters
    ----------
    named : list of (str, Estimate)
        The estimates of the evaluation with their names.
    verdict : Verdict
        On the same rows.
    notes : sequence of str
        What must be known of the rows.
    doubts : sequence of str
        Those notes that are said before the verdict, which would mislead a reader who stops there.
    """
    lead = [*map(sentence, doubts), f"{verdict.opening}. {rows_of(verdict)}."]
    body = number_lines(_numbers(verdict, named))
    asked = [*_families(named, verdict), *_others(named)]
    further = [
        *verdict.causes,
        *[
            one.brief
            for one in verdict.tendency.certain
            if one.brief and f"scores of {one.score} " not in verdict.opening
        ],
        *[note for note in notes if note not in doubts],
        *verdict.left_open,
    ]
    return short_print(lead, body, asked, further)


def rows_of(verdict: Verdict) -> str:
    """Return of which rows a verdict is.

    Parameters
    ----------
    verdict : Verdict
    """
    one = verdict.estimate
    rate, known = one.base_rate or 0.0, one.groups
    rows = f"n = {count(one.n)}"
    if known is not None and not known.sizes.are_single:
        rows += f" in {count(known.sizes.groups)} groups"
    if one.reduction == "confidence":
        return f"{rows}, right in {percent(rate)}, stated {percent(rate - verdict.tendency.residual)}"
    share, name = (rate, "events") if rate <= 1.0 - RARE else (1.0 - rate, "non-events")
    if share >= RARE or one.weighting is not None:
        return f"{rows}, {percent(share)} {name}"
    number = round(share * one.n)
    return f"{rows}, {count(number)} {name[:-1] if number == 1 else name} ({percent(share)})"


def _numbers(verdict: Verdict, named: Named) -> list[NumberLine]:
    """Return error, O:E and slope; of rare events the error last, and O:E only where the verdict has not said it."""
    rate = verdict.estimate.base_rate or 0.0
    error, ratio, slope = _error(verdict, named), _ratio(verdict), _slope(verdict)
    return [*ratio, slope, error] if min(rate, 1.0 - rate) < RARE else [error, *ratio, slope]


def _error(verdict: Verdict, named: Named) -> NumberLine:
    """Return the error that is quoted; of which family where that is none of those measured."""
    is_listed = any(one is verdict.estimate for _, one in named)
    estimate, interval = verdict.estimate, verdict.interval
    known = estimate.groups
    widened = "" if known is None or known.sizes.are_single else "widened for the groups"
    label = f"Calibration error{'' if is_listed else f' ({FAMILY}, l1)'}"
    ends = interval.low, interval.high
    remark = "" if interval.roughness is None else "a spline does not fit"
    return NumberLine(label, estimate.quoted, ends, interval.level, remark=remark, beside=widened)


def _ratio(verdict: Verdict) -> list[NumberLine]:
    ratio = verdict.sizes.ratio
    if ratio is None or ratio.quoted in verdict.opening:
        return []
    interval = ratio.interval
    ends = None if interval is None else (interval.low, interval.high)
    remark = ratio.in_words if ratio.is_visible else ""
    return [NumberLine(ratio.title, ratio.value, ends, kind="ratio", remark=remark)]


def _slope(verdict: Verdict) -> NumberLine:
    tendency = verdict.tendency
    interval = tendency.slope_interval
    if tendency.slope is None:
        return NumberLine("Slope", None, kind="slope", remark=f"none: {tendency.obstacle}")
    ends = None if interval is None else (interval.low, interval.high)
    remark = ", ".join(OF_SLOPE[word] for word in verdict.sizes.slope_words)
    return NumberLine("Slope", tendency.slope, ends, kind="slope", remark=remark)


def _families(named: Named, verdict: Verdict) -> list[str]:
    """Return the errors of the families, in one line, where that which is quoted is none of them."""
    families = [(name, one) for name, one in named if one.measure.is_family_error]
    if any(one is verdict.estimate for _, one in families):
        return []
    norms = {one.norm for _, one in families}
    norm = f", {norms.pop()}" if len(norms) == 1 else ""
    texts = [f"{name} {one.in_words}" for name, one in families]
    return [f"By family{norm}: {'; '.join(texts)}."] if texts else []


def _others(named: Named) -> list[str]:
    """Return the values of measures that are no errors under families, in one line."""
    texts = []
    for name, one in named:
        if one.measure.is_family_error:
            continue
        null, printed, interval = one.null, one.measure.printed, one.interval
        value = f"{name} {printed(one.quoted)}"
        if interval is not None and one.measure.ideal == 1.0:  # a ratio or a slope
            value = f"{name} {quote(one.quoted, interval.low, interval.high, interval.level, 'ratio')}"
        elif interval is not None:
            value += f" ({confidence(interval.level)} {printed(interval.low)} to {printed(interval.high)})"
        if null is not None:
            two_sided = "two-sided " if null.two_sided else ""
            value += f" (if calibrated {printed(null.mean)}; {two_sided}{p_in_words(null.p_value)})"
        texts.append(value)
    return [f"Other measures: {'; '.join(texts)}."] if texts else []


def lines_without(groups: KnownGroups, said: Sequence[str]) -> list[str]:
    """Return how rows hang together, a sentence each, without what has been said."""
    return [line for line in groups.lines if line.removesuffix(".") not in said]
