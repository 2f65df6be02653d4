"""A verdict in words: whether scores are calibrated as far as these rows can tell, and if not, in which direction."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fitontest.data.sample import Sample
from fitontest.measures.base import Estimate
from fitontest.measures.plug_in import PlugIn
from fitontest.results.text import short
from fitontest.uncertainty.tendency import Tendency, tendency_of

UNLIKELY = 0.05
HEADLINES = ("spline", "slope1", "isotonic", "beta", "platt")  # families whose error is quoted, the first that is there
NO_DIRECTION = "Miscalibrated, in no single direction"


@dataclass(frozen=True)
class Verdict:
    """What the rows say of the calibration of their scores, for a reader who wants one sentence.

    Attributes
    ----------
    family : str
        Whose error is quoted.
    estimate : Estimate
        With its interval and its null.
    tendency : Tendency
        In which direction the scores are wrong: the slope of Platt scaling and the difference of the means.

    Notes
    -----
    Scores are called calibrated within noise where the p-value of the family's error is above .05. The direction is
    named only below, and only where its own interval is clear of calibration.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> verdict = fot.evaluate(rng.random(2000) < 0.25 + p / 2, p, families=["platt"]).verdict
    >>> verdict.headline, verdict.calibrated
    ('Too bold', False)
    """

    family: str
    estimate: Estimate
    tendency: Tendency

    @property
    def p_value(self) -> float:
        """How often calibrated scores would have an error as large."""
        assert self.estimate.null is not None
        return self.estimate.null.p_value

    @property
    def calibrated(self) -> bool:
        """Whether calibrated scores could look so."""
        return self.p_value > UNLIKELY

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        if self.calibrated:
            return "Calibrated within noise"
        return " and ".join(self.tendency.words).capitalize() or NO_DIRECTION

    @property
    def reasons(self) -> list[str]:
        """Sentences with the numbers behind the headline."""
        return [self._error, *([] if self.calibrated else self._directions)]

    @property
    def _error(self) -> str:
        one, interval = self.estimate, self.estimate.interval
        of = "of the confidences " if one.base_rate_name == "accuracy" else ""
        text = f"the calibration error {of}by {self.family} is {short(one.quoted)}"
        if interval is not None:
            text += f" ({100 * interval.level:g} % interval {short(interval.low)} to {short(interval.high)})"
        null = self.estimate.null
        assert null is not None
        fewest = null.p_value * (1 + null.values.size) < 1.5  # no draw had as large an error
        most = "at most " if fewest else ""
        return f"{text}; calibrated scores would show as large an error in {most}{_percent(self.p_value)} of cases."

    @property
    def _directions(self) -> list[str]:
        return [text for text in (self._slope, self._mean) if text]

    @property
    def _slope(self) -> str:
        slope, interval = self.tendency.slope, self.tendency.slope_interval
        word = next((word for word in ("backwards", "too bold", "too timid") if word in self.tendency.words), None)
        if word is None or slope is None or interval is None:
            return ""
        text = (
            f"{word.capitalize()}: where the logit of the score grows by 1, that of the probability grows by "
            f"{short(slope)} ({short(interval.low)} to {short(interval.high)})."
        )
        if word == "backwards":
            text += " Are these the scores of the class that counts as positive?"
        return text

    @property
    def _mean(self) -> str:
        interval = self.tendency.residual_interval
        word = next((word for word in ("too high", "too low") if word in self.tendency.words), None)
        if word is None:
            return ""
        low, high = sorted((abs(interval.low), abs(interval.high)))
        size = f"{short(abs(self.tendency.residual))} ({short(low)} to {short(high)})"
        side = "above" if word == "too high" else "below"
        return f"{word.capitalize()}: the mean score is {size} {side} the {self.estimate.base_rate_name}."

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON-ready values."""
        return {
            "headline": self.headline,
            "calibrated": self.calibrated,
            "family": self.family,
            "p_value": self.p_value,
            "tendency": self.tendency.to_dict(),
            "text": str(self),
        }

    def __str__(self) -> str:
        first, *others = self.reasons
        return " ".join([f"{self.headline}: {first}", *others])


def _percent(share: float) -> str:
    """Return a share in percent, of two digits."""
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.2g} %"


def verdict_of(named: Iterable[tuple[str, Estimate]], sample: Sample) -> Verdict | None:
    """Return the verdict by the family that is best for it, or None where no family has an interval and a null."""
    able = {
        name: one
        for name, one in named
        if isinstance(one.measure, PlugIn) and one.null is not None and one.interval is not None
    }
    if not able:
        return None
    chosen = next((name for name in HEADLINES if name in able), next(iter(able)))
    return Verdict(chosen, able[chosen], tendency_of(sample, 1.0 - UNLIKELY))
