"""Cumulated residuals: the errors ECCE and KS, which need no bins and no family.

With u_1 < ... < u_G the distinct scores, r_g the sum of w (y - p) at score u_g, W the sum of the weights and
S_k = (r_1 + ... + r_k) / W, S_0 = 0, the ECCE is the range of S, and KS its largest absolute value.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.brownian import maximum_tail, range_tail
from fitontest.results.table import Section
from fitontest.results.text import p_in_words, short
from fitontest.results.typing import FloatArray, IntArray

Statistic = Literal["range", "maximum"]
CERTAIN = "scores of exactly 0 or 1 are contradicted by their labels, which no chance explains"


@register("ecce")
@register("ks", statistic="maximum")
@dataclass(frozen=True)
class CumulativeError(Measure):
    """The largest error that adds up over neighbouring scores, without bins: ECCE or Kolmogorov-Smirnov, in [0, 1].

    With the residuals w (y - p) cumulated in the order of the scores, S_k their sum up to the k-th distinct score over
    the sum of all weights, and S_0 = 0:

        ECCE = max_k S_k - min_k S_k        KS = max_k |S_k|.

    The ECCE (Kuiper's statistic) is the largest |sum of w (y - p)| / W over all intervals of scores, and
    KS <= ECCE <= 2 KS.

    Parameters
    ----------
    statistic : {"range", "maximum"}, default="range"
        "range" is the ECCE, "maximum" is KS.

    Notes
    -----
    Residuals of equal scores are added before they are cumulated, so that the order of the rows means nothing; the
    authors' programs take tied rows in the order in which they come.

    Of true probabilities c it is that of the cumulated w (c - p), which is at most the mean distance E|c - p|: an error
    of level is read in full, of slope by half, and k waves by a share of 1 / (2 k). So the lower end of its interval is
    a lower bound of the mean distance too, whatever the shape of the error.

    The error is a seminorm of the residuals. Its distance from that of the true probabilities is at most the same of
    the noise, |ECCE - ECCE(c)| <= ECCE(y - c): the interval is the value, less and more what noise exceeds in 5 % of
    draws. No calibration map is fitted for it. Noise is that of calibrated labels, times the root of
    sum w^2 (y - p)^2 / sum w^2 p (1 - p) where labels vary more than calibrated ones. The debiased value is
    sqrt(max(0, ECCE^2 - E0)), with E0 the mean square of the noise.

    Labels are drawn at least 1,000 times for them; of more than 100,000 rows sums of labels are drawn as normal
    numbers. In `Estimate.evidence` stands the p-value by the law of Brownian motion too, which is too large where few
    distinct scores occur, and too small for few rows of rare events.

    References
    ----------
    Arrieta-Ibarra, Gujral, Tannen, Tygert, Xu (2022), Metrics of calibration for probabilistic predictions, JMLR
    23(351). https://doi.org/10.48550/arXiv.2205.09680
    Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley (2021), Calibration of neural networks using splines, ICLR,
    of KS. https://doi.org/10.48550/arXiv.2006.12800

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 1, 0, 1], [0.6, 0.8, 0.2, 0.4]
    >>> ecce = fot.measure(y, p, "ecce")
    >>> round(ecce.value, 12), round(fot.measure(y, p, "ks").value, 12), round(ecce.evidence.standardised, 6)
    (0.15, 0.1, 0.67082)
    """

    is_seminorm: ClassVar[bool] = True
    statistic: Statistic = "range"

    @property
    def words(self) -> Words:
        """Its abbreviation."""
        return Words(title="ECCE" if self.statistic == "range" else "KS")

    @property
    def is_raw(self) -> bool:
        """Label noise adds to it."""
        return True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the range, or the largest size."""
        distinct = sample.distinct
        steps = (distinct.wy - distinct.w * distinct.p) / sample.total
        value = float(self.sizes(steps[None])[0])
        sigma = float(np.sqrt(distinct.w2 @ (distinct.p * (1.0 - distinct.p)))) / sample.total
        note = CERTAIN if sigma == 0.0 and value > 0.0 else ""
        evidence = CumulatedResiduals(
            note=note, sample=sample, statistic=self.statistic, error=value, standard_deviation=sigma
        )
        return Estimate.of(self, sample, value, evidence)

    def target(self, sample: ScoreSample, c: FloatArray) -> float:
        """Return the statistic of the cumulated w (c - p)."""
        order = np.argsort(sample.p, kind="stable")
        p, steps = sample.p[order], (sample.w * (c - sample.p))[order]
        first = np.flatnonzero(np.concatenate(([True], p[1:] != p[:-1])))
        return float(self.sizes(np.add.reduceat(steps, first)[None] / sample.w.sum())[0])

    def ceiling(self, sample: ScoreSample) -> float:
        """Return how far all residuals together can lead: up where all labels are 1, or down where all are 0."""
        mean = float(sample.w @ sample.p / sample.w.sum())
        return max(mean, 1.0 - mean)

    def values(self, redraws: ScoreRedraws, labels: IntArray) -> FloatArray:  # type: ignore[override]
        """Return the values of many sets of labels, whose sums are computed together."""
        entries = redraws.entries
        steps = entries.distinct_wy(labels) - (entries.distinct_w * entries.distinct_p)[:, None]
        return self.sizes(np.ascontiguousarray(steps.T) / entries.w.sum())

    def sizes(self, steps: FloatArray) -> FloatArray:
        """Return the statistic of each row of steps.

        Parameters
        ----------
        steps : array of shape (B, G)
            Residuals of the distinct scores over the sum of all weights, in the order of the scores.

        Returns
        -------
        sizes : array of shape (B,)
        """
        walk = np.cumsum(steps, axis=1)
        high, low = np.maximum(walk.max(axis=1), 0.0), np.minimum(walk.min(axis=1), 0.0)
        return np.asarray(high - low if self.statistic == "range" else np.maximum(high, -low))

    def law(self, x: FloatArray | float) -> FloatArray:
        """Return how often calibrated scores exceed x standard deviations, where there are many distinct ones.

        Parameters
        ----------
        x : array or float
            The value over its `CumulatedResiduals.standard_deviation`.
        """
        return range_tail(x) if self.statistic == "range" else maximum_tail(x)


@dataclass(frozen=True, kw_only=True, eq=False)
class CumulatedResiduals(Evidence):
    """The residuals cumulated in the order of the scores.

    Attributes
    ----------
    sample : ScoreSample
        The rows.
    statistic : {"range", "maximum"}
    error : float
        The value.
    standard_deviation : float
        Of the sum of all residuals over the sum of the weights, if scores are calibrated and rows independent:
        sqrt(sum w^2 p (1 - p)) / sum w.
    """

    recorded = ("standard_deviation", "standardised", "asymptotic_p_value")

    sample: ScoreSample = field(repr=False)
    statistic: Statistic
    error: float
    standard_deviation: float

    @property
    def standardised(self) -> float | None:
        """The value in standard deviations; None where all scores are 0 or 1."""
        return self.error / self.standard_deviation if self.standard_deviation > 0.0 else None

    @property
    def asymptotic_p_value(self) -> float | None:
        """By the law of Brownian motion; None where rows belong together, and where all scores are 0 or 1."""
        if self.standardised is None or self.sample.groups is not None:
            return None
        return float(CumulativeError(self.statistic).law(self.standardised))

    @cached_property
    def walk(self) -> tuple[FloatArray, FloatArray]:
        """The share of the weight up to each distinct score, and S there, each from 0; arrays of shape (G + 1,)."""
        distinct = self.sample.distinct
        share = np.concatenate(([0.0], np.cumsum(distinct.w))) / self.sample.total
        steps = (distinct.wy - distinct.w * distinct.p) / self.sample.total
        return share, np.concatenate(([0.0], np.cumsum(steps)))

    def section(self) -> Section:
        """Return the value in standard deviations, with the p-value by the law."""
        if self.standardised is None:
            return Section()
        tested = self.asymptotic_p_value
        law = "" if tested is None else f"; by the law of Brownian motion: {p_in_words(tested)}"
        return Section(notes=f"{short(self.standardised)} standard deviations{law}")
