"""What a reader sees first: where the page comes from, one sentence, and five numbers at most."""

from dataclasses import dataclass
from typing import Any

from fitontest.apps.reporting.periods import Drift
from fitontest.apps.reporting.several_classes import ClassesVerdict
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import words_of
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.auc import AUC
from fitontest.measures.interval import Interval, quote_with
from fitontest.results.quoting import Kind, split_quoted
from fitontest.results.text import count
from fitontest.uncertainty.event_ratio import EventRatio, Rarer, event_ratio, rarer_label
from fitontest.uncertainty.tendency import TOO_HIGH, TOO_LOW, tendency_of
from fitontest.uncertainty.verdict import Verdict

MOST = 5  # numbers
LEVEL = 0.95
COUNTS = ("rows", "classes")  # which the line above says


@dataclass(frozen=True)
class Number:
    """A number of the first screen.

    Attributes
    ----------
    value, name, detail : str
        The number, what it is of, and its interval or what else stands below it.
    """

    value: str
    name: str
    detail: str = ""

    @classmethod
    def of(cls, value: float, interval: Interval | None, name: str, kind: Kind) -> "Number":
        """Return a number with its interval; of an error whose interval begins at 0 that alone."""
        return cls.quoted(quote_with(interval, value, kind), name)

    @classmethod
    def quoted(cls, text: str, name: str) -> "Number":
        """Return a number as texts quote it, its interval in brackets."""
        value, detail = split_quoted(text)
        return cls(value, name, detail)


@dataclass(frozen=True)
class FirstScreen:
    """What the first screen is made of.

    Attributes
    ----------
    verdict : Verdict or ClassesVerdict
    sample : ScoreSample, or other data
        That was judged.
    segments : SegmentedEvaluation or None
    drift : Drift or None
    """

    verdict: Verdict | ClassesVerdict
    sample: Any
    segments: SegmentedEvaluation | None = None
    drift: Drift | None = None

    @property
    def sentence(self) -> str:
        """How large the miscalibration is, in which segment it is worst, and since when there is a drift."""
        worst = "" if self.segments is None else self.segments.worst_in_words
        drift = "" if self.drift is None else _drift_in_words(self.drift)
        return f"{'; '.join(part for part in (self._verdict_in_words, worst, drift) if part)}."

    @property
    def _verdict_in_words(self) -> str:
        """The verdict, with how many more events there are where that is what is wrong; numbers below have the rest."""
        verdict = self.verdict
        if isinstance(verdict, ClassesVerdict):
            return verdict.headline
        if not (verdict.shown or verdict.close):
            return verdict.opening
        ratio = verdict.sizes.ratio
        says_level = verdict.close or {TOO_HIGH, TOO_LOW} & {*verdict.directions}
        if ratio is not None and ratio.is_visible and says_level:
            return f"{verdict.headline}: {ratio.in_words}"
        return verdict.headline if verdict.close else f"{verdict.headline}: calibration error {verdict.size}"

    @property
    def numbers(self) -> list[Number]:
        """O:E first, that of the worst segment and that since a drift; then slope, error and AUC, five at most."""
        verdict = self.verdict
        if isinstance(verdict, ClassesVerdict):
            shown = [(name, text) for name, text in verdict.glance.items() if name not in COUNTS]
            return [Number.quoted(str(text), name) for name, text in shown[:MOST]]
        ratio, tendency, error = verdict.sizes.ratio, verdict.tendency, verdict.estimate
        found = [] if ratio is None else [Number.quoted(ratio_quoted(ratio), _ratio_name(ratio.noun))]
        found += [*self._of_segment(), *self._of_drift()]
        if tendency.slope is not None:
            found.append(Number.of(tendency.slope, tendency.slope_interval, "calibration slope", "slope"))
        ranked = [] if self.sample.has_pooled_scores else [_auc(self.sample)]
        found += [Number.quoted(error.in_words, "calibration error")] if len(found) + len(ranked) < MOST else []
        return [*found, *ranked][:MOST]

    def _of_segment(self) -> list[Number]:
        """Return O:E of the worst segment, or its slope where that is outside the tolerance."""
        if self.segments is None or not self.segments.outside:
            return []
        worst, parts = self.segments.outside[0], self.segments.segments
        name = words_of([*parts], parts.columns)[worst.segment]
        size = size_of(parts[worst.segment], worst.name, rarer_label(parts.whole))
        return [Number.quoted(size, f"{name}{', slope' if worst.name == 'slope' else ''}")]

    def _of_drift(self) -> list[Number]:
        if self.drift is None:
            return []
        return [Number.quoted(ratio_quoted(self.drift.ratio), f"since {self.drift.since}")]


def size_of(sample: ScoreSample, name: str, of: Rarer) -> str:
    """Return the slope, or else O:E, with its own interval; "" without one."""
    if name == "slope":
        tendency = tendency_of(sample)
        return "" if tendency.slope is None else quote_with(tendency.slope_interval, tendency.slope, "slope")
    ratio = event_ratio(sample, of=of)
    return "" if ratio is None else ratio_quoted(ratio)


def ratio_quoted(ratio: EventRatio) -> str:
    """Return O:E with its interval, without its name."""
    return quote_with(ratio.interval, ratio.value, "ratio")


def _drift_in_words(drift: Drift) -> str:
    """Return how many more or fewer events there are since a drift."""
    return f"{drift.ratio.in_words.replace(f' {drift.ratio.noun}', '')} since {drift.since}"


def _ratio_name(noun: str) -> str:
    return "observed / expected" if noun == "events" else f"observed / expected {noun}"


def _auc(sample: ScoreSample) -> Number:
    """Return the AUC with its interval."""
    area = AUC().estimate(sample)
    return Number.of(float(area), area.evidence.interval_at(LEVEL), "AUC", "score")


def source_in_words(title: str, provenance: dict[str, Any], sample: Any, periods: Samples | None) -> list[str]:
    """Return where a page comes from: title, model and file, rows and events, the time that they are of, and its date.

    Parameters
    ----------
    title : str
    provenance : dict
        Of the report.
    sample : ScoreSample, or other data
    periods : Samples or None
    """
    file = provenance["notes"].get("file", "")
    rows = f"{count(sample.n)} rows"
    if sample.base_rate is not None and sample.reduction != "confidence" and sample.shared.whole:
        rows += f", {count(round(sample.shared.total * sample.base_rate))} events"
    if periods is not None:
        first, *_, last = [*periods, *periods]
        rows += f", {first} to {last}" if last != first else f", {first}"
    return [
        part
        for part in (title, provenance["model"], file if file not in title else "", rows, provenance["date"])
        if part
    ]
