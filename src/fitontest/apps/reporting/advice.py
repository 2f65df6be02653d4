"""What to do, in this order: about a drift, about segments, and with one map for all rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fitontest.apps.reporting.first_screen import ratio_quoted
from fitontest.apps.reporting.one_map import PartAfter
from fitontest.apps.reporting.periods import Drift
from fitontest.apps.reporting.rows_needed import rows_needed
from fitontest.apps.reporting.several_classes import ClassesVerdict
from fitontest.data.known_groups import rows_in_words
from fitontest.data.segment_names import enumerate_names
from fitontest.evaluation.comparison.calibrators import Calibrator
from fitontest.evaluation.comparison.candidates import is_mixture
from fitontest.evaluation.comparison.comparison import Comparison, describe_mixture
from fitontest.measures.estimate import Estimate
from fitontest.numerics.losses import LOSS_NAMES
from fitontest.results.quoting import in_decimals
from fitontest.results.text import capital, short
from fitontest.uncertainty.verdict import Verdict

CLEAR = 2.0  # standard errors by which a calibrator must lower the loss
LARGEST_SMALL, SMALL_SHARE = 0.05, 0.2  # a small error is at most the first, and the second of the rarer outcome
RECALIBRATE = "recalibrate"  # kinds of steps
REPAIR = "repair"
CALIBRATE, NO_NEED, OPEN = "calibrate", "no need", "open"
ALL_ROWS = "One map for all rows"
MOST_NAMED = 3  # segments


@dataclass(frozen=True)
class Step:
    """One thing to do.

    Attributes
    ----------
    kind : {"recalibrate", "repair", "calibrate", "no need", "open"}
    title : str
        A few words.
    sentences : tuple of str
        The number that it is about, and why, a sentence each.
    """

    kind: str
    title: str
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the step as JSON-ready values."""
        return {"kind": self.kind, "title": self.title, "sentences": list(self.sentences)}


@dataclass(frozen=True)
class Advice:
    """What to do, in this order: about a drift, about segments, with one map for all rows.

    Attributes
    ----------
    steps : tuple of Step
        The last one is that of one map for all rows.
    """

    steps: tuple[Step, ...]

    @property
    def kind(self) -> str:
        """That of the first step."""
        return self.steps[0].kind

    @property
    def title(self) -> str:
        """The first step in a few words."""
        return self.steps[0].title

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of all steps."""
        return tuple(sentence for step in self.steps for sentence in step.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return the steps as JSON-ready values."""
        return {"steps": [step.to_dict() for step in self.steps]}


def advise_on_drift(drift: Drift | None, after: PartAfter | None) -> list[Step]:
    """Return what to do about a drift, or nothing.

    Parameters
    ----------
    drift : Drift or None
    after : PartAfter or None
        The rows since then after one map of all rows.
    """
    if drift is None:
        return []
    before = in_decimals([drift.ratio_before.value], "ratio")[0]
    text = f"{drift.ratio.title} {ratio_quoted(drift.ratio)} since then, {before} before."
    left = "" if after is None or after.after is None else in_decimals([after.after.value], "ratio")[0]
    more = [f"{ALL_ROWS} leaves it at {left} on held-out rows."] if left else []
    return [Step(RECALIBRATE, f"Drift: recalibrate on rows from {drift.since} on", (text, *more))]


def advise_on_segments(sizes: Mapping[str, tuple[str, str]]) -> list[Step]:
    """Return what to do about segments that one map of all rows leaves wrong, or nothing.

    Parameters
    ----------
    sizes : mapping of str to (str, str)
        By segment, the worst first, the number that is outside the tolerance, and what one map of all rows makes of it,
        or "".
    """
    if not sizes:
        return []
    named = list(sizes.items())[:MOST_NAMED]
    said = "; ".join(
        f"{name} {size}{f', {left} after one map for all rows' if left else ''}" for name, (size, left) in named
    )
    where = " (on held-out rows)" if any(left for _, (_, left) in named) else ""
    title = f"Segments: a map of its own for each of {enumerate_names(list(sizes), MOST_NAMED)}"
    if len(sizes) == 1:
        title = f"Segment: give {named[0][0]} a map of its own"
    return [Step(REPAIR, title, (f"{said}{where}.",))]


@dataclass(frozen=True)
class Adviser:
    """What the advice rests on.

    Attributes
    ----------
    verdict : Verdict or ClassesVerdict
    comparison : Comparison or None
        Of calibrators.
    after : Estimate or None
        The error of the verdict again, of the map of the chosen calibrator.
    base_rate : float or None
        Share of positives, or accuracy; None of several classes.
    not_compared : str
        Why calibrators were not compared, or "".
    first : tuple of Step
        What comes before one map for all rows.
    parts : dict of PartAfter
        What one map of all rows makes of segments and periods, by what they are called.
    """

    verdict: Verdict | ClassesVerdict
    comparison: Comparison | None
    after: Estimate | None
    base_rate: float | None
    not_compared: str = ""
    first: tuple[Step, ...] = ()
    parts: dict[str, PartAfter] = field(default_factory=dict)

    @property
    def advice(self) -> Advice:
        """What to do, in this order."""
        last = self._of_all_rows()
        worse = [(name, part) for name, part in self.parts.items() if part.is_worse] if last.kind == CALIBRATE else []
        if worse:
            told = (_worse_in_words(name, part) for name, part in worse[:MOST_NAMED])
            last = replace(
                last, sentences=(f"It would make worse, on held-out rows: {'; '.join(told)}.", *last.sentences)
            )
        if not self.first:
            return Advice((last,))
        title = "not now" if worse else f"{last.title[0].lower()}{last.title[1:]}"
        return Advice((*self.first, replace(last, title=f"{ALL_ROWS}: {title}")))

    def _of_all_rows(self) -> Step:
        """Return what to do first.

        Calibrate where miscalibration is shown and the calibrator that is chosen lowers the held-out loss by more than
        two standard errors, and the error. No need where no error larger than a small one is left open, and no
        calibrator gains so much. Otherwise the rows cannot tell.
        """
        if self.comparison is None:
            return self._without_comparison()
        name = self.comparison.chosen
        if self.verdict.shown and self._gains and not self._left_as_large:
            return Step(CALIBRATE, f"Calibrate with {name}", (self._before_and_after, self._gain))
        if self._is_small and not (self._gains and self.verdict.shown):
            return Step(NO_NEED, self._no_need, (f"{self._size}.", self._gain))
        return Step(OPEN, "Cannot tell yet", (f"{self._size}.", *self._rows, self._gain))

    def _without_comparison(self) -> Step:
        reason = self.not_compared or "Calibrators were not compared, so that it is not known what one would gain."
        if self._is_small and not self.verdict.shown:
            return Step(NO_NEED, "No need to calibrate", (f"{self._size}.", reason))
        if self.verdict.shown and not self._is_small and self.base_rate not in (0.0, 1.0):
            text = f"The calibration error is {self.verdict.estimate.in_words}."
            return Step(CALIBRATE, "Calibrate the scores", (text, reason))
        return Step(OPEN, "Cannot tell yet", (f"{self._size}.", *self._rows, reason))

    @property
    def _no_need(self) -> str:
        return "No need to calibrate: the error is small" if self.verdict.shown else "No need to calibrate"

    @property
    def small(self) -> float:
        """The largest error that is called small: .05, or a fifth of the share of the rarer outcome if that is less."""
        if self.base_rate is None:
            return LARGEST_SMALL
        return min(LARGEST_SMALL, SMALL_SHARE * min(self.base_rate, 1.0 - self.base_rate))

    @property
    def _high(self) -> float | None:
        """The largest error that the interval leaves open."""
        return self.verdict.high

    @property
    def _is_small(self) -> bool:
        return self._high is not None and self._high <= self.small

    @property
    def _chosen(self) -> Calibrator:
        assert self.comparison is not None
        return self.comparison[self.comparison.chosen]

    @property
    def _gains(self) -> bool:
        """Whether the chosen calibrator is clearly better than to leave the scores as they are."""
        assert self.comparison is not None
        gain = self._chosen.held_out.to_identity
        return self._chosen.name != self.comparison.do_nothing and -gain.mean > CLEAR * gain.se

    @property
    def _left_as_large(self) -> bool:
        """Whether the error after calibration is no smaller than before."""
        return self.after is not None and self.after.quoted >= self.verdict.estimate.quoted

    @property
    def _before_and_after(self) -> str:
        before = f"{capital(self.verdict.estimate.measure.title)} {self.verdict.estimate.in_words}"
        if self.after is None:
            return f"{before} before calibration."
        interval, after = self.after.interval, self.after.in_words
        if self.after.debiased is None:
            return f"{before} before \N{RIGHTWARDS ARROW} {after} after, on rows it was not fitted to."
        reason = f" There is no interval: {self.after.interval_reason}." if interval is None else ""
        return f"{before} before \N{RIGHTWARDS ARROW} {after} after, of the calibrator of all rows.{reason}"

    @property
    def _gain(self) -> str:
        """What the chosen calibrator gains on rows that it was not fitted to."""
        assert self.comparison is not None
        loss, chosen = LOSS_NAMES[self.comparison.scoring], self._chosen
        identity = self.comparison[self.comparison.do_nothing]
        if chosen.name == identity.name:
            return (
                "No calibrator of those compared predicts rows it was not fitted to better than the scores as they are."
            )
        gain = chosen.held_out.to_identity
        values = f"{short(identity.held_out.score)} \N{RIGHTWARDS ARROW} {short(chosen.held_out.score)}"
        mixture = f", a mixture of {describe_mixture(chosen.family)}" if is_mixture(chosen.family) else ""
        if self._gains:
            return (
                f"{capital(loss)} {values}, lower by {short(-gain.mean)} (standard error {short(gain.se, 2)}), by "
                f"{chosen.name}{mixture}."
            )
        return (
            f"The best calibrator, {chosen.name}, changes the {loss} by {short(gain.mean)} (standard error "
            f"{short(gain.se, 2)}): not clearly more than chance."
        )

    @property
    def _size(self) -> str:
        """What is known of the size of the error."""
        high = self._high
        first = "Miscalibration is shown" if self.verdict.shown else "No miscalibration is shown"
        if high is None:
            return first
        if self._is_small:
            joint = ", but" if self.verdict.shown else ", and"
            return f"{first}{joint} {self._kind_of_errors} above {short(high)} are ruled out"
        joint = ", and" if self.verdict.shown else ", but"
        return f"{first}{joint} {self._kind_of_errors} up to {short(high)} cannot be ruled out"

    @property
    def _kind_of_errors(self) -> str:
        """Which errors the interval is of: no interval rules out errors that change sign between neighbouring rows."""
        interval = self.verdict.interval
        smooth = interval is not None and interval.roughness is None
        return "smooth errors" if smooth else "errors of this kind"

    @property
    def _rows(self) -> tuple[str, ...]:
        """About how many rows would tell whether the error is small; nothing where that is not known."""
        if self.verdict.interval is None or self._is_small:
            return ()
        needed = rows_needed(self.verdict.estimate, self.verdict.interval, self.small, None)
        if needed is None:
            return ()
        rows = rows_in_words(needed, self.verdict.estimate.groups)
        return (f"About {rows} would tell whether it is at most {short(self.small)}.",)


def _worse_in_words(name: str, part: PartAfter) -> str:
    """Return how much worse one map of all rows makes a part."""
    loss = f"log loss +{short(part.loss.mean, 2)}, standard error {short(part.loss.se, 2)}"
    if part.before is None or part.after is None:
        return f"{name} ({loss})"
    ratios = in_decimals([part.before.value, part.after.value], "ratio")
    return f"{name} ({part.before.title} {ratios[0]} becomes {ratios[1]}; {loss})"
