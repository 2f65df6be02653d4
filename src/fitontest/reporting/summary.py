"""What a report says first: sentences for a reader, and the few numbers behind them."""

from dataclasses import dataclass
from typing import Any

from fitontest.comparison.comparison import Comparison
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.interval import Interval
from fitontest.numerics.losses import LOSS_NAMES
from fitontest.reporting.several_classes import ClassesVerdict
from fitontest.results.text import percent, short

MOST_TIMES = 100  # the rows at hand, beyond which a number of rows that would tell is of no use
METHOD = (
    "The verdict rests on three statistics, whichever families are listed: the error under a spline, the error under "
    "an isotonic map, and how alike the residuals of neighbouring rows are. No method can bound an error that changes "
    "sign between neighbouring scores, each of which is seen once. So an interval holds errors that the map named "
    "beside it can follow, and the limit of the sentence on errors that persist all errors of that kind."
)


@dataclass(frozen=True)
class Summary:
    """The verdict with what follows from it.

    Attributes
    ----------
    verdict : Verdict or ClassesVerdict
    sample : ScoreSample, SimplexSample or Samples
        The rows that are judged.
    comparison : Comparison or None
        Of calibrators.
    segments : SegmentedEvaluation or None
    """

    verdict: Any
    sample: Any
    comparison: Comparison | None = None
    segments: SegmentedEvaluation | None = None

    @property
    def sentences(self) -> list[str]:
        """What a reader wants to know after the headline, a sentence or two each."""
        first, *others = self.verdict.reasons
        of_segments = [self.segments.measured().sentence()] if self.segments is not None and self.segments.draws else []
        return [first[0].upper() + first[1:], *others, *of_segments, *self._gain, *self._rows]

    @property
    def method(self) -> str:
        """On what the verdict rests."""
        return METHOD

    @property
    def glance(self) -> dict[str, str]:
        """The numbers of the headline by what they are called."""
        one, interval, limit = self.verdict.estimate, self._interval, self.verdict.limit
        return {
            "rows": f"{one.n:,}" + ("" if one.weighting is None else f" ({one.weighting.brief})"),
            one.base_rate_name: short(self.sample.base_rate),
            "mean score": short(self.sample.mean_score),
            "calibration error": short(one.quoted),
            f"{100 * interval.level:g} % interval": f"{short(interval.low)} to {short(interval.high)}",
            f"limit of errors over {percent(limit.share)} of the rows": short(limit.value),
            "joint p-value of calibration": short(self.verdict.p_value, 2),
        }

    @property
    def _interval(self) -> Interval:
        interval: Interval | None = self.verdict.estimate.interval
        assert interval is not None  # without one there is no verdict
        return interval

    @property
    def _rows(self) -> list[str]:
        """How many rows would say more: intervals shrink as one over the square root of the rows."""
        n, high = self.verdict.estimate.n, self._interval.high
        if not self.verdict.shown:
            likely = short((self.verdict.estimate.quoted + high) / 2)
            return [f"If the error is as found, about {4 * n:,} rows would show that it is at most {likely}."]
        text = f"Four times as many rows ({4 * n:,}) would halve the interval."
        needed = None if self.verdict.tendency.words else self._rows_for_direction()
        return [text if needed is None else f"{text} About {needed:,} would show a direction, if there is one."]

    def _rows_for_direction(self) -> int | None:
        """Return about how many rows would bring the slope off 1 or the residual off 0, with two digits."""
        tendency, n = self.verdict.tendency, self.verdict.estimate.n
        times = [_times(tendency.residual, tendency.residual_interval)]
        if tendency.slope is not None and tendency.slope_interval is not None:
            times.append(_times(tendency.slope - 1.0, tendency.slope_interval))
        least = min(times)
        return int(float(f"{n * least:.1e}")) if least <= MOST_TIMES else None

    @property
    def _gain(self) -> list[str]:
        """What a calibrator would gain, and which."""
        if self.comparison is None:
            return []
        best = self.comparison[self.comparison.chosen]
        if best.name == self.comparison.do_nothing:
            return ["No calibrator of those compared is shown to do better than to leave the scores as they are."]
        difference = best.held_out.to_identity
        loss = LOSS_NAMES[self.comparison.scoring]
        text = f"Calibration by {best.name} would lower the {loss} by {short(-difference.mean)}"
        return [f"{text} (standard error {short(difference.se, 2)}), on rows that it was not fitted to."]


class ClassesSummary(Summary):
    """The verdict on several classes with what follows from it."""

    verdict: ClassesVerdict

    @property
    def glance(self) -> dict[str, str]:
        """The numbers of the headline by what they are called."""
        return self.verdict.glance

    @property
    def method(self) -> str:
        """On what the verdict rests."""
        return self.verdict.method

    @property
    def _rows(self) -> list[str]:
        return []


def _times(distance: float, interval: Interval) -> float:
    """Return how many times the rows it takes until half the interval is no wider than a distance."""
    half = (interval.high - interval.low) / 2.0
    return (half / distance) ** 2 if distance else float("inf")
