"""How far families that are linear in logits cut them off: the setting `eps`, "auto" or a number.

A number is obeyed. "auto" follows the scores that a map is fitted to: where some of them are certain, exactly 0 or 1,
their logits are cut at one beyond the largest of the others (see `fitontest.families.certainty`); where none is, at the
last digit of floats, so that the scores are as they are. Each fit chooses for its own rows, each fold of a
cross-validation too, and the fitted map holds the number.
"""

from typing import Any, Literal, TypeAlias

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.certainty import certain_class_logit, certain_logit
from fitontest.numerics.links import sigmoid
from fitontest.results.checks import brief, is_real
from fitontest.results.typing import FloatArray

Eps: TypeAlias = float | Literal["auto"]
UNCUT = 1e-16  # where no score is certain


def read_eps(value: Any) -> float | None:
    """Return the number that is asked for, None for "auto", or refuse the setting."""
    if isinstance(value, str) and value == "auto":
        return None
    if not (is_real(value) and 0.0 < value < 0.5):
        raise ValueError(f'eps must be a number in (0, 0.5) or "auto", got {brief(value)}')
    return float(value)


def eps_of_scores(setting: Any, p: FloatArray, uncut: float = UNCUT) -> float:
    """Return where the scores of two classes are clipped, [eps, 1 - eps].

    Parameters
    ----------
    setting : float or "auto"
        As the family holds it.
    p : array
        The scores of positive weight that the map is fitted to.
    uncut : float, optional
        What "auto" is where no score is certain, or all are.
    """
    number = read_eps(setting)
    if number is not None:
        return number
    limit = certain_logit(p)
    return uncut if limit is None else float(sigmoid(np.array(-limit)))


def eps_of_sample(setting: Any, sample: ScoreSample, uncut: float = UNCUT) -> float:
    """Return the same for the rows of a sample that have a positive weight."""
    number = read_eps(setting)
    if number is not None:
        return number
    return eps_of_scores(setting, sample.p if sample.unit else sample.p[sample.w > 0], uncut)


def eps_of_classes(setting: Any, rows: SimplexSample, uncut: float = UNCUT) -> float:
    """Return the probability that stands for smaller ones of several classes, x = ln max(p, eps).

    "auto" is exp(-L) with L the size of the logits of zeros, so that a row (1, 0) of two classes has
    ln 1 - ln eps = L, the logit of its column by itself.
    """
    number = read_eps(setting)
    if number is not None:
        return number
    limit = certain_class_logit(rows.scores)
    return uncut if limit is None else float(np.exp(-limit))
