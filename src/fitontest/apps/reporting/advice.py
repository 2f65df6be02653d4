"""What to do first: calibrate, and with what; nothing; or wait for more rows."""

from dataclasses import dataclass, replace
from typing import Any

from fitontest.apps.reporting.rows_needed import rows_needed
from fitontest.apps.reporting.several_classes import ClassesVerdict
from fitontest.data.known_groups import rows_in_words
from fitontest.evaluation.comparison.calibrators import Calibrator
from fitontest.evaluation.comparison.candidates import is_mixture
from fitontest.evaluation.comparison.comparison import Comparison, describe_mixture
from fitontest.measures.estimate import Estimate
from fitontest.numerics.losses import LOSS_NAMES
from fitontest.results.text import capital, short
from fitontest.uncertainty.verdict import Verdict

CLEAR = 2.0  # standard errors by which a calibrator must lower the loss
LARGEST_SMALL, SMALL_SHARE = 0.05, 0.2  # a small error is at most the first, and the second of the rarer outcome
CALIBRATE, NO_NEED, OPEN, REPAIR = "calibrate", "no need", "open", "repair"


@dataclass(frozen=True)
class Advice:
    """What to do first, with the reasons.

    Attributes
    ----------
    kind : {"calibrate", "no need", "open", "repair"}
    title : str
        A few words.
    sentences : tuple of str
        Why, a sentence each.
    """

    kind: str
    title: str
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as JSON-ready values."""
        return {"kind": self.kind, "title": self.title, "sentences": list(self.sentences)}


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
    of_segments : str
        In which segments miscalibration is shown, or "".
    of_features : str
        In which segments of the features scores are wrong, or "".
    """

    verdict: Verdict | ClassesVerdict
    comparison: Comparison | None
    after: Estimate | None
    base_rate: float | None
    not_compared: str = ""
    of_segments: str = ""
    of_features: str = ""

    @property
    def advice(self) -> Advice:
        """What to do first, for all rows together; where there are segments with what is shown of them."""
        advice = self._of_all_rows()
        if self.of_segments:
            advice = replace(advice, sentences=(*advice.sentences, self.of_segments))
        if not self.of_features:
            return advice
        if advice.kind == CALIBRATE:
            return replace(advice, sentences=(*advice.sentences, self.of_features))
        return Advice(REPAIR, "Repair segments of the features", (self.of_features, *advice.sentences))

    def _of_all_rows(self) -> Advice:
        """Return what to do first.

        Calibrate where miscalibration is shown and the calibrator that is chosen lowers the held-out loss by more than
        two standard errors, and the error. No need where no error larger than a small one is left open, and no
        calibrator gains so much. Otherwise the rows cannot tell.
        """
        if self.comparison is None:
            return self._without_comparison()
        name = self.comparison.chosen
        if self.verdict.shown and self._gains and not self._left_as_large:
            return Advice(CALIBRATE, f"Calibrate with {name}", (self._before_and_after, self._gain))
        if self._is_small and not (self._gains and self.verdict.shown):
            return Advice(NO_NEED, self._no_need, (f"{self._size}.", self._gain))
        return Advice(OPEN, "Cannot tell yet", (f"{self._size}.", *self._rows, self._gain))

    def _without_comparison(self) -> Advice:
        reason = self.not_compared or "Calibrators were not compared, so that it is not known what one would gain."
        if self._is_small and not self.verdict.shown:
            return Advice(NO_NEED, "No need to calibrate", (f"{self._size}.", reason))
        if self.verdict.shown and not self._is_small and self.base_rate not in (0.0, 1.0):
            text = f"The calibration error is {self.verdict.estimate.in_words}."
            return Advice(CALIBRATE, "Calibrate the scores", (text, reason))
        return Advice(OPEN, "Cannot tell yet", (f"{self._size}.", *self._rows, reason))

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
