"""What a report says first: sentences for a reader on what was found."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from fitontest.apps.reporting.key_figures import KeyFigure, Measured, key_figures, listed_figures
from fitontest.apps.reporting.rows_needed import MOST_TIMES
from fitontest.apps.reporting.several_classes import ClassesVerdict
from fitontest.data.known_groups import rows_in_words
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.interval import Interval

METHOD = (
    "The verdict rests on four statistics, whichever families are listed: the error under a spline, the error under an "
    "isotonic map, how alike the residuals of neighbouring rows are, and how much better a line in logits fits. No "
    "method can bound an error that changes sign between neighbouring scores, each of which is seen once. So an "
    "interval holds errors that the map named beside it can follow, and the limit of the sentence on errors that "
    "persist all errors of that kind."
)


@dataclass(frozen=True)
class Summary:
    """The verdict with what follows from it.

    Attributes
    ----------
    verdict : Verdict or ClassesVerdict
    segments : SegmentedEvaluation or None
    """

    verdict: Any
    segments: SegmentedEvaluation | None = None

    @property
    def sentences(self) -> list[str]:
        """What a reader wants to know after the headline, a sentence or two each."""
        first, *others = self.verdict.reasons
        of_segments = "" if self.segments is None else segments_in_words(self.segments)
        return [first[0].upper() + first[1:], *others, *([of_segments] if of_segments else []), *self._rows]

    def figures(self, evaluation: Evaluation, after: Evaluation | None) -> list[KeyFigure]:
        """Return the figures of an evaluation, beside those after calibration, each with a plain phrase."""
        calibrated = None if after is None else Measured.of(after.estimates[0], after.sample)
        before = Measured.of(self.verdict.estimate, evaluation.sample, self.verdict.tendency)
        return key_figures(before, evaluation.sample, calibrated)

    @property
    def method(self) -> str:
        """On what the verdict rests."""
        return METHOD

    @property
    def _rows(self) -> list[str]:
        """How many rows would show a direction, where there is an error and none is shown."""
        if not self.verdict.shown or self.verdict.tendency.words:
            return []
        needed = self._rows_for_direction()
        if needed is None:
            return []
        rows = rows_in_words(needed, self.verdict.estimate.groups)
        return [f"About {rows} would show a direction, if there is one."]

    def _rows_for_direction(self) -> int | None:
        """Return about how many rows would bring the slope off 1 or the residual off 0, with two digits."""
        tendency, n = self.verdict.tendency, self.verdict.estimate.n
        times = [_times(tendency.residual, tendency.residual_interval)]
        if tendency.slope is not None and isfinite(tendency.slope):
            times.append(_times(tendency.slope - 1.0, tendency.slope_interval))
        least = min(times)
        return int(float(f"{n * least:.1e}")) if least <= MOST_TIMES else None


class ClassesSummary(Summary):
    """The verdict on several classes with what follows from it."""

    verdict: ClassesVerdict

    def figures(self, evaluation: Evaluation, after: Evaluation | None) -> list[KeyFigure]:  # noqa: ARG002 - of two
        """Return the numbers of the headline."""
        return listed_figures(self.verdict.glance)

    @property
    def method(self) -> str:
        """On what the verdict rests."""
        return self.verdict.method

    @property
    def _rows(self) -> list[str]:
        return []


def segments_in_words(segments: SegmentedEvaluation) -> str:
    """Return in which segments miscalibration is shown, or "" where they were not tested."""
    return segments.measured().sentence() if segments.draws else ""


def _times(distance: float, interval: Interval | None) -> float:
    """Return how many times the rows it takes until half the interval is no wider than a distance."""
    if interval is None:
        return float("inf")
    half = (interval.high - interval.low) / 2.0
    return (half / distance) ** 2 if distance else float("inf")
