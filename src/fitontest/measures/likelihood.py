"""Deviances, -2 times a log likelihood: of scores, of the base rate, and of the calibration line.

They are in units of an effective row: whole weights count rows, and importances stand for (sum w)^2 / sum w^2 of them.
Unlike the log loss nothing is clipped: a certain score of the other label has an infinite deviance.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import NoValueError
from fitontest.measures.cox import deviance, require_line
from fitontest.measures.evidence import Evidence
from fitontest.results.table import Section
from fitontest.results.text import p_in_words, short


def deviance_of_scores(sample: ScoreSample, measure: str) -> float:
    """Return -2 sum w ln(probability of the label), or raise NoValueError where a certain score is wrong.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    rows = sample.rows
    positive = rows.y > 0.5
    wrong = np.where(positive, rows.p <= 0.0, rows.p >= 1.0)
    if wrong.any():
        where = int(np.flatnonzero(wrong)[0])
        count = int(rows.n[wrong].sum())
        raise NoValueError(
            f"y_prob must not be exactly 0 for a positive nor 1 for a negative, since {measure} is infinite then, got "
            f"{rows.p[where]:g} for label {rows.y[where]:g} ({count} such rows)"
        )
    logs = np.log(np.where(positive, rows.p, 1.0))
    logs += np.log1p(-np.where(positive, 0.0, rows.p))
    return -2.0 * float(rows.w @ logs) / sample.row_weight


def deviance_of_base_rate(sample: ScoreSample, measure: str) -> float:
    """Return that of the share of positives as every score, or raise NoValueError where labels are of one class.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    rows = sample.rows
    share = float(rows.w @ rows.y) / float(rows.w.sum())
    if not 0.0 < share < 1.0:
        raise NoValueError(f"y_true must hold both classes for {measure}, got {share:.0f} alone")
    entropy = share * float(np.log(share)) + (1.0 - share) * float(np.log1p(-share))
    return -2.0 * rows_of(sample) * entropy


def rows_of(sample: ScoreSample) -> float:
    """Return how many rows weights stand for, the same in any order of the rows.

    Parameters
    ----------
    sample : ScoreSample
    """
    return float(sample.rows.w.sum()) / sample.row_weight


def deviance_of_line(sample: ScoreSample, measure: str) -> float:
    """Return that of the calibration line, where all certain scores are right: these have none.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    uncertain, line = require_line(sample, measure)
    return deviance(uncertain, line.intercept, line.slope) / sample.row_weight


@dataclass(frozen=True, kw_only=True, eq=False)
class LikelihoodRatio(Evidence):
    """A difference of deviances, and its p-value by the chi-square law.

    Attributes
    ----------
    chi_square : float
        The difference.
    degrees : int
        Of freedom.
    asymptotic_p_value : float or None
        None where rows belong to groups: likelihoods of rows do not tell how groups vary.
    """

    recorded = ("chi_square", "degrees", "asymptotic_p_value")

    chi_square: float
    degrees: int
    asymptotic_p_value: float | None

    def section(self) -> Section:
        """Return the test in a line."""
        tested = self.asymptotic_p_value
        p = "" if tested is None else f": {p_in_words(tested)}"
        of = f"{self.degrees} degree{'s' if self.degrees > 1 else ''} of freedom"
        return Section(notes=f"likelihood ratio {short(self.chi_square)}, {of}{p}")
