"""The figures that a reader looks for: the error, and the usual figures beside it, each with a plain phrase."""

from dataclasses import dataclass
from math import isfinite, log
from typing import Any

from fitontest.data.read import Data
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.auc import AUC
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval, quote_with
from fitontest.measures.words import as_percent
from fitontest.results.quoting import Kind, in_decimals, split_quoted
from fitontest.results.text import capital
from fitontest.uncertainty.tendency import Tendency, tendency_of

CONFIDENCE = "confidence"


@dataclass(frozen=True)
class KeyFigure:
    """One figure of the rows, before calibration and after it.

    Attributes
    ----------
    name : str
    phrase : str
        What it says, in a few plain words.
    now, after : tuple of str
        The value of the scores as they are, and after calibration, each with what stands below it, such as an interval;
        empty where there is none.
    """

    name: str
    phrase: str
    now: tuple[str, ...]
    after: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the texts as JSON-ready values."""
        return {"name": self.name, "phrase": self.phrase, "now": list(self.now), "after": list(self.after)}


@dataclass(frozen=True)
class Measured:
    """The figures of one sample as texts: the value, and what stands below it."""

    error: tuple[str, ...]
    slope: tuple[str, ...]
    residual: tuple[str, ...]
    auc: tuple[str, ...]
    brier: tuple[str, ...]
    log_loss: tuple[str, ...]

    @classmethod
    def of(cls, estimate: Estimate, sample: ScoreSample, tendency: Tendency | None = None) -> "Measured":
        """Return the figures of a sample whose error has been estimated."""
        told = tendency_of(sample) if tendency is None else tendency
        area = () if sample.has_pooled_scores else (float(AUC().estimate(sample)),)  # which lost their order
        losses = (sample.mean_loss(name) for name in ("brier", "log_loss"))
        return cls(
            _split(estimate.in_words),
            () if told.slope is None else _with_ends(told.slope, told.slope_interval, "slope"),
            _with_ends(told.residual, told.residual_interval, "score"),
            tuple(in_decimals(area, "score")),
            *(tuple(in_decimals([loss], "score")) for loss in losses),
        )


def key_figures(before: Measured, sample: ScoreSample, after: Measured | None) -> list[KeyFigure]:
    """Return the figures of scores, or of confidences, in the order of a reader's questions.

    Parameters
    ----------
    before : Measured
        Of the scores as they are.
    sample : ScoreSample
        The rows.
    after : Measured or None
        Of the same rows after calibration.
    """
    confidence = sample.reduction == CONFIDENCE
    rate = sample.base_rate
    score, label, outcome = (
        ("confidence", "whether the prediction is right", "accuracy")
        if confidence
        else ("score", "label", "share of positives")
    )
    ranked = (
        "how often, of a right and a wrong prediction, the right one has the higher confidence"
        if confidence
        else "how often, of a positive and a negative row, the positive one has the higher score"
    )
    constant = f"always predicting the {outcome} has"
    spread = rate * (1.0 - rate)
    entropy = -sum(share * log(share) for share in (rate, 1.0 - rate) if share > 0)
    texts = (
        ("Calibration error", f"mean distance of the {score} from the frequency observed at it", "error"),
        ("Slope", "1 is ideal; below 1: predictions too extreme, above 1: not extreme enough", "slope"),
        ("Mean residual", f"{outcome} minus mean {score}; 0 is ideal, below 0: {score}s too high", "residual"),
        ("AUC", f"{ranked}; 0.5 is chance", "auc"),
        (
            "Brier score",
            f"mean squared distance of {score} and {label}; {constant} {in_decimals([spread], 'score')[0]}",
            "brier",
        ),
        ("Log loss", f"punishes sure errors the most; {constant} {in_decimals([entropy], 'score')[0]}", "log_loss"),
    )
    figures = []
    for name, phrase, key in texts:
        both = [getattr(one, key) for one in (before, after) if one is not None]
        if all(both):  # a number beside none says nothing
            figures.append(KeyFigure(name, phrase, *both))
    return figures


def means_in_words(sample: Data) -> str:
    """Return what the scores say on average, and what came true; "" of several classes."""
    if sample.base_rate is None:
        return ""
    mean, rate = as_percent(sample.mean_score, 3), as_percent(sample.base_rate, 3)
    if sample.reduction == CONFIDENCE:
        return f"On average the model gives its prediction {mean} confidence; {rate} of the predictions are right."
    return f"On average the scores predict {mean} positives; {rate} of the rows are positive."


def listed_figures(facts: dict[str, Any]) -> list[KeyFigure]:
    """Return figures that have no phrase, by their names."""
    return [KeyFigure(capital(name), "", (str(value),)) for name, value in facts.items()]


def _with_ends(value: float, interval: Interval | None, kind: Kind) -> tuple[str, ...]:
    """Return a value and its interval, as texts quote them."""
    return _split(quote_with(interval, value, kind)) if isfinite(value) else ("infinite",)


def _split(text: str) -> tuple[str, ...]:
    """Return what stands before brackets, and what stands in them."""
    return tuple(filter(None, split_quoted(text)))
