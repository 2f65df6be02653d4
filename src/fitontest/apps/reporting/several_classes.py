"""What a report says of several classes: of whole distributions, and of cells of each class against the rest."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.evaluation.evaluation import Evaluation
from fitontest.measures.estimate import Estimate
from fitontest.results.text import percent, short
from fitontest.uncertainty.joint import UNLIKELY
from fitontest.uncertainty.verdict import NOT_SHOWN

NO_CONFIDENCE = (
    "The confidence, the largest score of each row, is not judged: cells of classes do not keep which scores belong to "
    "one row."
)
METHOD_OF_DISTRIBUTIONS = (
    "The verdict rests on the ECE in joint bins, whichever families are listed: predictions that are near make a bin, "
    "and in each bin the mean prediction is held against the shares of the labels. It sees no error that changes sign "
    "within a bin. Its p-value is how often labels that are drawn from the predictions look as bad."
)
METHOD_OF_CLASSES = (
    "The verdict rests on each class against the rest: on the joint test of the error under a spline, the error under "
    "an isotonic map, and how alike the residuals of neighbouring scores are. The p-values are adjusted by Holm for "
    "the number of classes."
)


@dataclass(frozen=True, repr=False)
class ClassesVerdict:
    """What rows say of the calibration of the probabilities of several classes.

    Attributes
    ----------
    estimate : Estimate
        The error that is quoted: the ECE on the simplex, or the mean over the classes of the error under a spline.
    headline : str
        The verdict in a few words.
    shown : bool
        Whether miscalibration is shown, by a p-value of at most .05.
    p_value : float
        How often calibrated predictions would look as bad; of classes the smallest, adjusted for their number.
    reasons : tuple of str
        Sentences with the numbers behind the headline.
    glance : dict of str
        The numbers of the headline by what they are called.
    method : str
        On what the verdict rests.
    high : float or None
        The largest error that cannot be ruled out: the upper end of the interval, of classes the largest one.
    """

    interval: ClassVar[None] = None  # there is none of several numbers

    estimate: Estimate
    headline: str
    shown: bool
    p_value: float
    reasons: tuple[str, ...]
    glance: dict[str, str]
    method: str
    high: float | None = None

    @classmethod
    def of_distributions(cls, evaluation: Evaluation, confidence: Evaluation) -> "ClassesVerdict":
        """Return the verdict on whole distributions.

        Parameters
        ----------
        evaluation : Evaluation
            Whose first estimate is the ECE on the simplex, with its interval and null.
        confidence : Evaluation
            Of the largest probability of each row.
        """
        sample: Any = evaluation.data
        ece, largest = evaluation.estimates[0], confidence.sample
        assert ece.null is not None  # there is one where an interval was asked for
        p_value = ece.null.p_value
        shown = p_value <= UNLIKELY
        most = "at most " if p_value < 1.5 / (1 + ece.null.values.size) else ""  # no draw looked as bad
        text = (
            f"the ECE in joint bins is {ece.in_words}: so far are the shares of the labels from "
            f"the mean predictions of its cells, in total variation. Calibrated predictions would look as bad in "
            f"{most}{percent(p_value)} of cases."
        )
        reasons = [text]
        if confidence.verdict is not None:
            first, *_ = confidence.verdict.reasons
            reasons.append(f"Of the confidence alone: {confidence.verdict.headline}; {first}")
        glance = {
            "accuracy": short(largest.base_rate),
            "mean confidence": short(largest.mean_score),
            "ECE in joint bins": ece.in_words,
            "p-value of calibration": short(p_value, 2),
        }
        headline = "Miscalibration shown" if shown else NOT_SHOWN
        counts = {**_counts(ece, len(sample.classes)), **glance}
        return cls(ece, headline, shown, p_value, tuple(reasons), counts, METHOD_OF_DISTRIBUTIONS, _high(ece))

    @classmethod
    def of_classes(cls, evaluation: Evaluation) -> "ClassesVerdict":
        """Return the verdict on classes, each against the rest, of which no rows are known.

        Parameters
        ----------
        evaluation : Evaluation
            Of the classes, whose first estimate is the mean of the errors under a spline, with their intervals.
        """
        mean = evaluation.estimates[0]
        found = evaluation.class_verdicts
        if found is None:
            raise ValueError("families must hold one whose error has an interval, got none")
        tested, shown = found.verdicts, found.shown
        smallest = min(found.adjusted_p_values.values())
        least = short(smallest, 2)
        said = f"no miscalibration is shown in any class: the smallest Holm p-value of the joint test is {least}."
        if shown:
            said = (
                f"miscalibration is shown in {', '.join(map(str, shown))} (Holm p-value of the joint test at most "
                f"{UNLIKELY})."
            )
        worst = max(tested, key=lambda label: tested[label].estimate.quoted)
        largest = tested[worst].estimate.in_words
        reasons = (said, f"The largest error is that of class {worst}: {largest}.", NO_CONFIDENCE)
        glance = {
            "mean error over the classes": mean.in_words,
            f"largest error, of class {worst}": largest,
            "smallest Holm p-value": least,
        }
        headline = f"Miscalibration shown in {len(shown)} of {found.of} classes" if shown else NOT_SHOWN
        counts = {**_counts(mean, found.of), **glance}
        highs = [high for verdict in tested.values() if (high := _high(verdict.estimate)) is not None]
        return cls(mean, headline, bool(shown), smallest, reasons, counts, METHOD_OF_CLASSES, max(highs, default=None))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON-ready values."""
        return {
            "headline": self.headline,
            "miscalibration_shown": self.shown,
            "p_value": self.p_value,
            "text": str(self),
        }

    def __str__(self) -> str:
        return " ".join([f"{self.headline}:", *self.reasons])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline!r}, p_value={short(self.p_value, 2)})"


def _high(estimate: Estimate) -> float | None:
    """Return the upper end of an interval, or None where there is none."""
    return None if estimate.interval is None else estimate.interval.high


def _counts(estimate: Estimate, classes: int) -> dict[str, str]:
    """Return how many rows and classes there are."""
    weighting = "" if estimate.weighting is None else f" ({estimate.weighting.brief})"
    return {"rows": f"{estimate.n:,}{weighting}", "classes": str(classes)}
