r"""Where labels come from: whether they are the scores' own predictions, or those that the scores were fitted to.

Labels that somebody took from the column of predictions are the scores cut at 1/2, or of several classes the class of
the largest score. So they are doubted where all are, which calibrated labels would be with a probability of at most
1e-4, and where scores of both classes come within a tenth of each other: a gap may be that of classes which scores do
separate.

A logistic regression, and most maps, leave nothing of sum (y - p) and sum (y - p) logit p in the rows that they are
fitted to, so that O:E and the calibration slope are 1. With v = p (1 - p), x = logit p less its mean weighted by v, and

    z_1 = sum w (y - p) / sqrt(sum w^2 v),   z_2 = sum w (y - p) x / sqrt(sum w^2 v x^2),

calibrated scores of other rows have both within 3e-4 of 0 once in ten million times, as far as there are ten different
scores or more: of fewer the sums have few values. Scores that are rounded to four digits stay within that.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from fitontest.data.ordering import Rows
from fitontest.results.typing import FloatArray

UNLIKELY = log(1e-4)
NEAR = 0.1  # between scores of both classes
FEWEST_SCORES = 10
EXACT = 3e-4  # standard errors


@dataclass(frozen=True)
class LabelOrigin:
    """What rows tell of where their labels come from; parts of the rows add up to what all have in common.

    Attributes
    ----------
    predicted : bool
        Whether all labels are those that the scores predict.
    fitted : bool
        Whether the scores fit the labels as those of a model fit the rows that it has learnt from.
    of_classes : bool
        Whether the scores are the largest of several.

    Examples
    --------
    >>> p = np.linspace(0.01, 0.99, 50)
    >>> LabelOrigin.of(Rows.of(p, (p > 0.5).astype(float), np.ones(50), whole=True)).note
    'the labels are the scores cut at .5: are they predictions?'
    """

    predicted: bool = False
    fitted: bool = False
    of_classes: bool = False

    @classmethod
    def of(cls, rows: Rows, *, of_classes: bool = False) -> "LabelOrigin":
        """Return what sorted rows tell.

        Parameters
        ----------
        rows : Rows
            In the order of the scores.
        of_classes : bool, default=False
            Whether the scores are the largest of several, and labels say whether its class is right.
        """
        predicted = _are_right(rows) if of_classes else _are_cut(rows)
        return cls(predicted, not of_classes and _are_fitted(rows), of_classes)

    def __add__(self, other: "LabelOrigin") -> "LabelOrigin":
        """Return what both parts tell."""
        return LabelOrigin(
            self.predicted and other.predicted, self.fitted and other.fitted, self.of_classes or other.of_classes
        )

    @property
    def note(self) -> str:
        """What is to be asked of the labels, or ""."""
        if self.predicted:
            of = "those of the largest scores" if self.of_classes else "the scores cut at .5"
            return f"the labels are {of}: are they predictions?"
        if self.fitted:
            return "O:E and slope are 1 but for rounding: were these rows used for the fit?"
        return ""


NO_ORIGIN = LabelOrigin()


def _are_cut(rows: Rows) -> bool:
    """Return whether labels are the scores cut at 1/2, which no calibration explains."""
    positive = rows.y > 0.0
    if not positive.any() or positive.all():
        return False
    low, high = rows.p[~positive].max(), rows.p[positive].min()
    return bool(low <= 0.5 <= high and 0.0 < high - low <= NEAR) and _is_unlikely(np.maximum(rows.p, 1.0 - rows.p))


def _are_right(rows: Rows) -> bool:
    return bool(np.all(rows.y >= 1.0)) and _is_unlikely(rows.p)


def _is_unlikely(probabilities: FloatArray) -> bool:
    """Return whether events of these probabilities hardly all happen."""
    return bool(np.log(np.maximum(probabilities, 1e-300)).sum() <= UNLIKELY)


def _are_fitted(rows: Rows) -> bool:
    """Return whether nothing is left of the residuals, nor of their products with the logits."""
    residual = float(rows.w @ (rows.y - rows.p))
    variance = rows.p * (1.0 - rows.p)
    spread = np.sqrt(float(rows.w**2 @ variance))
    if not spread > 0.0 or abs(residual) > EXACT * spread:
        return False
    inner = variance > 0.0
    p, y, w, v = rows.p[inner], rows.y[inner], rows.w[inner], variance[inner]
    if np.count_nonzero(np.diff(p)) < FEWEST_SCORES - 1:
        return False
    x = np.log(p) - np.log1p(-p)
    x = x - (w * v) @ x / (w @ v)
    return bool(abs(float(w @ ((y - p) * x))) <= EXACT * np.sqrt(float(w**2 @ (v * x * x))))
