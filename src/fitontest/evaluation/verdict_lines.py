"""Verdicts on several models side by side, a line each."""

from collections.abc import Iterable

from fitontest.results.quoting import confidence, in_decimals
from fitontest.results.text import count, p_alone
from fitontest.uncertainty.verdict import Verdict


def header_of(verdicts: Iterable[Verdict]) -> list[str]:
    """Return the header of lines of verdicts on the same labels, whose intervals have one level."""
    first = next(iter(verdicts))
    ratio = "O:E" if first.sizes.ratio is None else first.sizes.ratio.title
    return ["model", "verdict", "calibration error", confidence(first.interval.level), ratio, "slope", "p-value", "n"]


def line_of(name: str, verdict: Verdict) -> list[str]:
    """Return the line of a verdict."""
    estimate, interval, sizes = verdict.estimate, verdict.interval, verdict.sizes
    error, low, high = in_decimals([estimate.quoted, interval.low, interval.high])
    slope = sizes.tendency.slope
    return [
        name,
        verdict.headline,
        error,
        f"{low} to {high}",
        "-" if sizes.ratio is None else in_decimals([sizes.ratio.value], "ratio")[0],
        "-" if slope is None else in_decimals([slope], "slope")[0],
        p_alone(verdict.p_value),
        count(estimate.n),
    ]
