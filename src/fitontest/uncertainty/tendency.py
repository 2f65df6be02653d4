"""In which direction scores are wrong: too high or too low, over- or underconfident, and how sure that is."""

from dataclasses import dataclass
from math import isinf
from typing import Any, Protocol

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import line_of, separation_of, uncertain_rows, why_no_line
from fitontest.measures.formula_interval import FEW, NOTHING_VARIES, degrees_of, error_of_mean
from fitontest.measures.interval import Interval
from fitontest.measures.mean_given_scores import MeanGivenScores
from fitontest.measures.separation import SEPARATED, Separation
from fitontest.numerics.significance.normal import p_value, quantile
from fitontest.results.frames import finite_or_none
from fitontest.results.quoting import Kind, in_decimals
from fitontest.results.text import p_in_words, short
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.certain_scores import CertainScores, certain_scores
from fitontest.uncertainty.effective_rows import effective_rows, icc_of, nothing_learnt

WORTH_SAYING = 0.01  # share of certain scores

OVERCONFIDENT = "overconfident"
UNDERCONFIDENT = "underconfident"
REVERSED = "ranks in reverse"
TOO_HIGH = "scores too high"
TOO_LOW = "scores too low"
#: What a slope, or a mean residual, says where its whole interval is on one side of the ideal.
MEANINGS = {
    OVERCONFIDENT: "below 1: predictions too extreme",
    UNDERCONFIDENT: "above 1: predictions not extreme enough",
    REVERSED: "below 0: are these the scores of the class that counts as positive?",
    TOO_HIGH: "below 0: scores too high",
    TOO_LOW: "above 0: scores too low",
}


@dataclass(frozen=True)
class Tendency:
    """In which direction scores are wrong: calibration slope and mean residual, with intervals.

    A line in the logit of the scores, and the difference of the means.

    The slope is that of Platt scaling, logit c = slope logit p + intercept, fitted by maximum likelihood to the
    uncertain rows, those of a score strictly between 0 and 1: below 1 the scores are overconfident, farther apart than
    the probabilities; above 1 underconfident; below 0 they rank in reverse. The logit of a certain score is infinite,
    and any number in its place would decide the slope: certain scores are tested by themselves. The residual is the
    mean label less the mean score of all rows: below 0 the scores are too high on average.

    Attributes
    ----------
    residual : float
        sum w (y - p) / sum w.
    residual_interval : Interval or None
        By the normal approximation, with the standard error sqrt(sum w^2 (y - p - residual)^2) / sum w; where a class
        has fewer than 50 rows, the interval of the mean probability that is exact given the scores, less the mean score
        (`fitontest.measures.mean_given_scores`). Where weights are uneven the standard error is at least that of labels
        drawn from their line, and the quantile that of Student's t of effective rows - 1 degrees. Where rows belong to
        groups the standard error is that of sums over groups (`fitontest.numerics.standard_error`), with the quantile
        of Student's t of effective groups - 1 degrees; exact intervals count the effective rows, n by the design
        effect. None of fewer than 10 effective groups; but where these are of a segment, and dependence is learnt from
        all rows, what correlation adds is computed (`_of_few_groups`). None where nothing varies.
    slope : float or None
        Infinite where a threshold separates the classes. None where a line means nothing: among the uncertain rows are
        fewer than ten of a class, or one distinct score.
    slope_interval : Interval or None
        Of an infinite slope the exact one (`fitontest.measures.separation`), which reaches to infinity. Else
        By the normal approximation, with the sandwich covariance H^-1 M H^-1, H the curvature of the likelihood and M
        the sum of the outer products of the rows' gradients. Of K groups M is K / (K - 1) sum_k s_k s_k^T, s_k the sum
        of the gradients of a group, and the quantile that of Student's t as above. (statsmodels' ``cov_type="cluster"``
        multiplies M by (n - 1) / (n - 2) too, unless ``use_correction=False``, which leaves out K / (K - 1) as well.)
        Where weights are uneven, or few labels vary (`Line.is_of_few`), the quantile is that of effective rows - 1
        degrees, and the standard error at least that of a true line.
    slope_p_value, residual_p_value : float or None
        Two-sided, of the slope 1 and of the mean residual 0: 1 - level of the widest interval that leaves it out.
    certain : tuple of CertainScores
        What the rows of a score of exactly 0 say, and those of exactly 1; empty where there are none.
    reason : str
        Why there are no intervals, or "".
    obstacle : str
        Why there is no slope, or "".

    Notes
    -----
    Of calibrated scores in 100 groups of 30 rows, 20 of 50 and 10 of 100, with labels that are alike in a group beyond
    their scores (latent correlation .15, .15 and .05), the interval of the residual held 0 in 95 to 96 % of 300
    simulated data sets, and that of the slope 1 in 93 to 95 %; without groups these were 64 to 76 % and 86 to 90 %
    (`benchmarks/grouped_tendencies.py`).

    References
    ----------
    Liang, Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika 73.
    https://doi.org/10.1093/biomet/73.1.13

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> tendency = tendency_of(fot.ScoreSample(rng.random(2000) < 0.25 + p / 2, p))
    >>> tendency.words, tendency.slope_interval.high < 1
    (['overconfident'], True)
    """

    residual: float
    residual_interval: Interval | None
    slope: float | None
    slope_interval: Interval | None
    slope_p_value: float | None = None
    residual_p_value: float | None = None
    certain: tuple[CertainScores, ...] = ()
    reason: str = ""
    obstacle: str = ""

    @property
    def words(self) -> list[str]:
        """What is sure of the direction: among the words "overconfident", "underconfident" and so on, in this order."""
        slope, residual = self.slope_interval, self.residual_interval
        sure = {
            OVERCONFIDENT: slope is not None and 0.0 <= slope.high < 1.0,
            UNDERCONFIDENT: slope is not None and slope.low > 1.0,
            REVERSED: slope is not None and slope.high < 0.0,
            TOO_HIGH: residual is not None and residual.high < 0.0,
            TOO_LOW: residual is not None and residual.low > 0.0,
        }
        return [word for word, is_sure in sure.items() if is_sure]

    @property
    def slope_in_words(self) -> str:
        """The slope with its interval, the ideal and what the side means on which it surely lies; "" without one."""
        if self.slope is None:
            return ""
        interval, of = self.slope_interval, (OVERCONFIDENT, UNDERCONFIDENT, REVERSED)
        words = self._in_words("slope", self.slope, interval, "1", of)
        if isinf(self.slope) and interval is not None:
            end = f"at least {short(interval.low)}" if self.slope > 0.0 else f"at most {short(interval.high)}"
            words = f"slope infinite, since {SEPARATED} ({end}; 1 is ideal{self._sure(of)})"
        return f"{words[:-1]}; scores of 0 and 1 left out)" if self.certain else words

    @property
    def residual_in_words(self) -> str:
        """The mean residual in the same words."""
        return self._in_words("mean residual", self.residual, self.residual_interval, "0", (TOO_HIGH, TOO_LOW))

    def _in_words(self, name: str, value: float, interval: Interval | None, ideal: str, words: tuple[str, ...]) -> str:
        kind: Kind = "slope" if name == "slope" else "score"
        if interval is None:
            text = in_decimals([value], kind)[0]
            return f"{name} {text} ({ideal} is ideal; no interval: {self.reason or NOTHING_VARIES})"
        text, *ends = in_decimals([value, interval.low, interval.high], kind)
        low, high = (_beside(*end, ideal) for end in zip((interval.low, interval.high), ends, strict=True))
        return f"{name} {text} ({low} to {high}; {ideal} is ideal{self._sure(words)})"

    def _sure(self, words: tuple[str, ...]) -> str:
        return "".join(f", {MEANINGS[word]}" for word in words if word in self.words)

    @property
    def words_by_source(self) -> dict[str, str]:
        """The same words by the number that they are of, "slope" or "mean residual", each with its p-value."""
        sources = {
            "slope": (self.slope_p_value, (OVERCONFIDENT, UNDERCONFIDENT, REVERSED)),
            "mean residual": (self.residual_p_value, (TOO_HIGH, TOO_LOW)),
        }
        said = {}
        for source, (tested, words) in sources.items():
            found = ", ".join(word for word in self.words if word in words)
            if found:
                said[source] = found if tested is None else f"{found} ({p_in_words(tested)})"
        return said

    @property
    def certain_words(self) -> list[str]:
        """A sentence on the scores of exactly 0, and one on those of exactly 1.

        Only where they are at least 1 % of the weight, or where a label refutes them: of a few right ones nothing
        follows.
        """
        return [str(scores) for scores in self.certain if scores.refuted or scores.share >= WORTH_SAYING]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-ready values."""
        return {
            "residual": self.residual,
            "residual_interval": None if self.residual_interval is None else self.residual_interval.to_dict(),
            "slope": finite_or_none(self.slope),
            "slope_interval": None if self.slope_interval is None else self.slope_interval.to_dict(),
            "slope_p_value": self.slope_p_value,
            "residual_p_value": self.residual_p_value,
            "words": self.words,
            "certain": [scores.to_dict() for scores in self.certain],
        }


def tendency_of(sample: ScoreSample, level: float = 0.95) -> Tendency:
    """Return in which direction the scores of a sample are wrong, with intervals of that level."""
    residual, found = _residual_of(sample)
    slope, steep = _slope_of(sample)
    interval, tested = (found.interval(level), found.p_value) if found else (None, None)
    slope_interval, slope_tested = (steep.interval(level), steep.p_value) if steep else (None, None)
    reason = NOT_LEARNT if nothing_learnt(sample) else ""
    certain = certain_scores(sample, level)
    obstacle = why_no_line(sample) if slope is None else ""
    return Tendency(residual, interval, slope, slope_interval, slope_tested, tested, certain, reason, obstacle)


class Known(Protocol):
    """What is known of a number beside its value."""

    @property
    def p_value(self) -> float:
        """Two-sided, of the ideal value."""

    def interval(self, level: float) -> Interval:
        """Return the interval of a level."""


@dataclass(frozen=True)
class _Around:
    """A number that is normal, or by Student's t, about its true value.

    Attributes
    ----------
    value, ideal, spread : float
    degrees : float
    """

    value: float
    ideal: float
    spread: float
    degrees: float

    @property
    def p_value(self) -> float:
        return p_value((self.value - self.ideal) / self.spread, self.degrees)

    def interval(self, level: float) -> Interval:
        half = quantile(level, self.degrees) * self.spread
        return Interval(self.value - half, self.value + half, level)


@dataclass(frozen=True)
class _Exact:
    """A number whose exact interval is that of another one less a constant."""

    of: MeanGivenScores | Separation
    less: float = 0.0

    @property
    def p_value(self) -> float:
        return self.of.p_value

    def interval(self, level: float) -> Interval:
        low, high = self.of.interval(level)
        return Interval(low - self.less, high - self.less, level)


def _slope_of(sample: ScoreSample) -> tuple[float | None, Known | None]:
    """Return the slope of the uncertain rows, and what is known of it."""
    uncertain = uncertain_rows(sample)
    if uncertain is None:
        return None, None
    learnt = not nothing_learnt(sample)
    line = line_of(uncertain)
    if line is None:
        separation = separation_of(uncertain)
        return (None, None) if separation is None else (separation.slope, _Exact(separation) if learnt else None)
    if not learnt:
        return line.slope, None
    if are_too_few(uncertain.groups):
        by_rows = line.products_of_rows(uncertain)
        products = _of_few_groups(by_rows, line.c, line.features, uncertain, icc_of(sample))
        spread = float(np.sqrt(max(line.covariance(products)[0, 0], 0.0)))
    else:
        spread = float(line.errors(uncertain)[0])
    return line.slope, _Around(
        line.slope, 1.0, spread, degrees_of(uncertain, few=line.is_of_few(uncertain))
    ) if spread > 0.0 else None


def _residual_of(sample: ScoreSample) -> tuple[float, Known | None]:
    """Return the mean residual and what is known of it, exactly given the scores where labels of a class are few."""
    rows, groups = sample.rows, sample.groups
    residual = sample.mean_residual
    if nothing_learnt(sample):
        return residual, None
    spread = error_of_mean(sample, 1.0 - rows.p - residual, -rows.p - residual)
    if groups is not None and spread == residual == 0.0 and not are_too_few(groups):  # rows of each group cancel
        return residual, None
    if rows_of_smaller_class(sample) < FEW:
        return residual, _Exact(MeanGivenScores.of(sample, effective_rows(sample)), sample.mean_score)
    if are_too_few(groups):
        one = np.ones((len(rows), 1))
        by_rows = rows.w2 @ (rows.y - rows.p - residual) ** 2
        square = _of_few_groups(by_rows, rows.p, one, sample, icc_of(sample))[0, 0]
        spread = float(np.sqrt(square)) / float(rows.w.sum())
    return residual, _Around(residual, 0.0, spread, degrees_of(sample)) if spread > 0.0 else None


def _of_few_groups(products: Any, c: FloatArray, x: FloatArray, sample: ScoreSample, icc: float) -> FloatArray:
    """Return what outer products of rows become where rows of a group are correlated, as other rows have taught.

    M + icc sum_k [s_k s_k^T - sum_{i in k} w_i^2 v_i^2 x_i x_i^T] with s_k = sum_{i in k} w_i v_i x_i, v^2 = c (1 - c).

    Parameters
    ----------
    products : array of shape (d, d) or float
        M, of rows that are independent.
    c : array of shape (m,)
        Probabilities of the labels.
    x : array of shape (m, d)
        By what the residual of each row is multiplied.
    sample : ScoreSample
        The rows, in groups of which there are few.
    icc : float
        Correlation of the residuals of two rows of one group.
    """
    rows, groups = sample.rows, sample.groups
    assert groups is not None
    deviation = np.sqrt(c * (1.0 - c))
    sums = np.stack([groups.sums(column) for column in (x * (rows.w * deviation)[:, None]).T], axis=1)
    own = (x * (rows.w2 * deviation**2)[:, None]).T @ x
    return np.asarray(products + icc * (sums.T @ sums - own))


def rows_of_smaller_class(sample: ScoreSample) -> float:
    """Return how many effective rows the class has that has fewer."""
    return effective_rows(sample) * min(sample.base_rate, 1.0 - sample.base_rate)


def _beside(end: float, text: str, ideal: str) -> str:
    """Return the end of an interval in as many digits as tell it from the ideal, on whose side of it the words hang."""
    texts = (text, *(short(end, digits) for digits in range(3, 17)))
    return next((text for text in texts if end == float(ideal) or float(text.replace(",", "")) != float(ideal)), ideal)
