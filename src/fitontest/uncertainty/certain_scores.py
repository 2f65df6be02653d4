"""Certain scores, those of exactly 0 or 1: how many there are, and how many of their labels are wrong.

A certain score has an infinite logit, so that no slope in the logit describes its rows. What it claims can be tested by
itself, and exactly: calibrated scores of 0 have no positive at all, so that a single one refutes them at every level.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import betainc

from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.interval import Interval
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.frames import attributes
from fitontest.results.text import percent, short
from fitontest.uncertainty.effective_rows import effective_rows, nothing_learnt

BY_ROUNDING = 0.01  # probability of as many wrong labels, from which on rounding may be why
LEAST_ON_GRID = 3  # distinct scores between 0 and 1 that make a grid
OFF_GRID = 1e-3  # steps by which scores of single precision may miss it


@dataclass(frozen=True)
class CertainScores:
    """Rows whose score is exactly 0 or exactly 1, and how many of them have the other label.

    Attributes
    ----------
    score : {0, 1}
    rows : float
        How many rows have it: the sum of whole weights, which count rows, and (sum w)^2 / sum w^2 of importances.
        Where rows belong to groups, how many independent ones tell as much: these by the design effect.
    share : float
        Their share of the weight of all rows.
    wrong_share : float
        The share of wrong labels in their weight: of positives at 0, of negatives at 1.
    wrong_interval : Interval or None
        Where the probability of a wrong label lies, by the exact interval of Clopper and Pearson; None where rows
        belong to fewer than 10 effective groups.
    step : float
        The step of the grid on which the other scores lie, as rounded ones do and shares of a number of votes; 0 where
        they lie on none. On a grid a score of 0 may stand for anything below half a step.
    of_confidence : bool
        Whether they are confidences, whose label is whether the prediction is right.

    Examples
    --------
    >>> import fitontest as fot
    >>> zeros, = certain_scores(fot.ScoreSample([0] * 99 + [1] + [0, 1] * 50, [0.0] * 100 + [0.5] * 100))
    >>> zeros.share, zeros.wrong_share, zeros.refuted
    (0.5, 0.01, True)
    >>> str(zeros).partition(": ")[0]
    '50 % of the scores are exactly 0; 1 % of those rows are positive (95 % CI 0.025 to 5.4 %), more than none'
    """

    score: Literal[0, 1]
    rows: float
    share: float
    wrong_share: float
    wrong_interval: Interval | None
    step: float = 0.0
    of_confidence: bool = False

    @property
    def refuted(self) -> bool:
        """Whether a label contradicts a score of exactly 0 or 1.

        Calibrated scores have no such label, so that the exact p-value is 0.
        """
        return self.wrong_share > 0.0

    @property
    def beyond_rounding(self) -> bool:
        """Whether there are more wrong labels than rounding of the scores can explain.

        Rounding to the step of the grid would bring about as many in at most 1 % of cases.
        """
        if not self.refuted or self.step == 0.0:
            return self.refuted
        if self.wrong_interval is None:
            return False
        wrong = self.wrong_share * self.rows
        return bool(betainc(wrong, self.rows - wrong + 1.0, self.step / 2.0) <= BY_ROUNDING)

    def __str__(self) -> str:
        label = self._wrong
        first = f"{percent(self.share)} of the {self._kind} are exactly {self.score}"
        if not self.refuted:
            return f"{first}; none of those rows is {label} ({self._ends})."
        if not self.beyond_rounding:
            return (
                f"{first}; {percent(self.wrong_share)} of those rows are {label}, which rounding to steps of "
                f"{short(self.step)} may have brought about."
            )
        return (
            f"{first}; {percent(self.wrong_share)} of those rows are {label} ({self._ends}), more than none: no map in "
            "logits can use them as they are."
        )

    @property
    def _ends(self) -> str:
        """The interval in words, or why there is none."""
        interval = self.wrong_interval
        if interval is None:
            return f"no interval: {NOT_LEARNT}"
        low = percent(interval.low).removesuffix(" %") if self.refuted else "0"
        return f"{100.0 * interval.level:g} % CI {low} to {percent(interval.high)}"

    @property
    def brief(self) -> str:
        """The same in one short line where a label is wrong, else ""."""
        if not self.refuted:
            return ""
        first = f"{percent(self.share)} of the {self._kind} are exactly {self.score}"
        rows = f"{first}, and {percent(self.wrong_share)} of those rows are {self._wrong}"
        if self.beyond_rounding:
            return f"{rows}: of calibrated {self._kind} none would be."
        return f"{rows}, which rounding to steps of {short(self.step)} may have brought about."

    @property
    def _kind(self) -> str:
        """What the scores are called."""
        return "confidences" if self.of_confidence else "scores"

    @property
    def _wrong(self) -> str:
        """What a row is whose label contradicts the score."""
        return (("right", "wrong") if self.of_confidence else ("positive", "negative"))[self.score]

    def to_dict(self) -> dict[str, object]:
        """Return the numbers as JSON-ready values."""
        return {
            **attributes(self, "score", "rows", "share", "wrong_share"),
            "wrong_interval": None if self.wrong_interval is None else self.wrong_interval.to_dict(),
            **attributes(self, "refuted", "step", "beyond_rounding"),
        }


def certain_scores(sample: ScoreSample, level: float = 0.95) -> tuple[CertainScores, ...]:
    """Return what there is to say of the scores of exactly 0 and of those of exactly 1, leaving out which do not occur.

    Parameters
    ----------
    sample : ScoreSample
        Scores and labels of two classes.
    level : float, default=0.95
        Of the intervals.
    """
    rows = sample.rows  # sorted by score, so that either kind is at an end
    zeros = slice(0, int(np.searchsorted(rows.p, 0.0, side="right")))
    ones = slice(int(np.searchsorted(rows.p, 1.0, side="left")), len(rows))
    kinds: tuple[tuple[Literal[0, 1], slice], ...] = ((0, zeros), (1, ones))
    return tuple(_of_score(sample, score, at, level) for score, at in kinds if at.stop > at.start)


def _of_score(sample: ScoreSample, score: Literal[0, 1], at: slice, level: float) -> CertainScores:
    rows = sample.rows
    w = rows.w[at]
    weight, effective = float(w.sum()), effective_rows(sample, at)
    wrong = float(w[rows.y[at] != score].sum())
    share = weight / float(rows.w.sum())
    of_confidence = sample.reduction == "confidence"
    interval = None
    if not nothing_learnt(sample):
        interval = Interval(*share_interval(effective * wrong / weight, effective, level), level)
    step = _step(sample, score)
    return CertainScores(score, effective, share, wrong / weight, interval, step, of_confidence)


def _step(sample: ScoreSample, score: Literal[0, 1]) -> float:
    """Return the step of the grid on which the uncertain scores lie, counted from 0 or from 1, or 0."""
    p = sample.distinct.p
    inside = p[(p > 0.0) & (p < 1.0)]
    if inside.size < LEAST_ON_GRID:
        return 0.0
    distance = inside if score == 0 else 1.0 - inside
    step = float(distance.min())
    multiples = distance / step
    return step if float(np.abs(multiples - np.rint(multiples)).max()) <= OFF_GRID else 0.0
