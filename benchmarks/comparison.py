"""A comparison: one call of ours against one that answers the same question, and what it is asked to reach."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import NDArray

from report import number
from timing import paired

Array = NDArray[Any]
Fit = Callable[[Array, Array], Any]

HEADER = ("operation", "n", "ours (ms)", "competitor (ms)", "ours / theirs", "target", "verdict", "difference")


@dataclass(frozen=True)
class Target:
    """What a comparison is asked to reach; None asks nothing."""

    ratio: float | None = None
    ms: float | None = None

    def __str__(self) -> str:
        parts = [f"<= {self.ms:g} ms"] if self.ms is not None else []
        if self.ratio is not None:
            parts.append(f"<= {self.ratio:g}" if self.ratio >= 1 else f"<= 1/{1 / self.ratio:g}")
        return ", ".join(parts) or "-"

    def judge(self, ms: float, ratio: float) -> str:
        """Return "met", "not met", or "-" where nothing is asked."""
        if self.ratio is None and self.ms is None:
            return "-"
        met = (self.ratio is None or ratio <= self.ratio) and (self.ms is None or ms <= self.ms)
        return "met" if met else "not met"


@dataclass(frozen=True)
class Comparison:
    """Our call and theirs on the same scores and labels."""

    operation: str
    competitor: str
    p: Array
    y: Array
    ours: Fit
    theirs: Fit
    difference: Callable[[Any, Any], float]
    target: Target
    pairs: int

    def row(self, pairs: int | None) -> list[str]:
        """Run it and return its row of the table."""
        ours, theirs = partial(self.ours, self.p, self.y), partial(self.theirs, self.p, self.y)
        difference = self.difference(ours(), theirs())  # also the run that warms both up
        times = paired(ours, theirs, pairs or self.pairs)
        return [
            self.operation,
            f"{len(self.p):,}",
            number(times.ours_ms),
            f"{self.competitor}: {number(times.theirs_ms)}",
            number(times.ratio),
            str(self.target),
            self.target.judge(times.ours_ms, times.ratio),
            number(difference),
        ]
