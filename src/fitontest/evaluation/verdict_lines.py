"""Verdicts side by side, a line each: of several models, or of several classes."""

from collections.abc import Iterable

from fitontest.measures.words import as_percent
from fitontest.results.table import cell
from fitontest.results.text import count, debiased_and_raw, short, signed
from fitontest.uncertainty.verdict import Verdict

IDEALS = "slope: 1 is ideal, below 1 predictions are too extreme. mean residual: {} less mean {}."


def header_of(of_what: str, verdicts: Iterable[Verdict], p_value: str = "p-value") -> list[str]:
    """Return the header of lines of verdicts, whose intervals have one level."""
    level = as_percent(next(iter(verdicts)).interval.level, 3)
    interval = f"{level.removesuffix('.0 %').removesuffix(' %')} % interval"
    return [of_what, "verdict", "calibration error", interval, "slope", "mean residual", p_value, "n"]


def line_of(name: str, verdict: Verdict, headline: str, p_value: float) -> list[str]:
    """Return the line of a verdict; headline and p-value may be adjusted for the number of lines."""
    estimate, interval, tendency = verdict.estimate, verdict.interval, verdict.tendency
    return [
        name,
        headline,
        debiased_and_raw(estimate.debiased, estimate.value),
        f"{short(interval.low)} to {short(interval.high)}",
        cell(tendency.slope),
        signed(tendency.residual),
        short(p_value, 2),
        count(estimate.n),
    ]
