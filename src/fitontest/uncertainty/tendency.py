"""In which direction scores are wrong: too high or too low, over- or underconfident, and how sure that is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.row_groups import RowGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import Line, line_of, uncertain_rows
from fitontest.measures.formula_interval import FEW, degrees_of
from fitontest.measures.interval import Interval
from fitontest.numerics.standard_error import outer_products_of_groups
from fitontest.results.text import short
from fitontest.significance.exact_share import share_interval
from fitontest.significance.normal import quantile
from fitontest.typing import FloatArray
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
        has fewer than 50 rows, the exact interval of the share of positives less the mean score. Where rows belong to
        groups the standard error is that of sums over groups (`fitontest.numerics.standard_error`), with the quantile
        of Student's t of effective groups - 1 degrees; exact intervals count the effective rows, n by the design
        effect. None of fewer than 10 effective groups; but where these are of a segment, and dependence is learnt from
        all rows, what correlation adds is computed (`_of_few_groups`).
    slope : float or None
        None where a line means nothing: among the uncertain rows are fewer than ten of a class, one distinct score, or
        separated classes.
    slope_interval : Interval or None
        By the normal approximation, with the sandwich covariance H^-1 M H^-1, H the curvature of the likelihood and M
        the sum of the outer products of the rows' gradients. Of K groups M is K / (K - 1) sum_k s_k s_k^T, s_k the sum
        of the gradients of a group, and the quantile that of Student's t as above. (statsmodels' ``cov_type="cluster"``
        multiplies M by (n - 1) / (n - 2) too, unless ``use_correction=False``, which leaves out K / (K - 1) as well.)
    certain : tuple of CertainScores
        What the rows of a score of exactly 0 say, and those of exactly 1; empty where there are none.
    reason : str
        Why there are no intervals, or "".

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
    certain: tuple[CertainScores, ...] = ()
    reason: str = ""

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
        words = self._in_words("slope", self.slope, self.slope_interval, "1", (OVERCONFIDENT, UNDERCONFIDENT, REVERSED))
        return f"{words[:-1]}; scores of 0 and 1 left out)" if self.certain else words

    @property
    def residual_in_words(self) -> str:
        """The mean residual in the same words."""
        return self._in_words("mean residual", self.residual, self.residual_interval, "0", (TOO_HIGH, TOO_LOW))

    def _in_words(self, name: str, value: float, interval: Interval | None, ideal: str, words: tuple[str, ...]) -> str:
        if interval is None:
            return f"{name} {short(value)} ({ideal} is ideal; no interval: {self.reason})"
        sure = "".join(f", {MEANINGS[word]}" for word in words if word in self.words)
        low, high = (_beside(end, ideal) for end in (interval.low, interval.high))
        return f"{name} {short(value)} ({low} to {high}; {ideal} is ideal{sure})"

    @property
    def words_by_source(self) -> dict[str, list[str]]:
        """The same words by the number that they are of, "slope" or "mean residual"."""
        sources = {"slope": (OVERCONFIDENT, UNDERCONFIDENT, REVERSED), "mean residual": (TOO_HIGH, TOO_LOW)}
        said = {source: [word for word in self.words if word in words] for source, words in sources.items()}
        return {source: words for source, words in said.items() if words}

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
            "slope": self.slope,
            "slope_interval": None if self.slope_interval is None else self.slope_interval.to_dict(),
            "words": self.words,
            "certain": [scores.to_dict() for scores in self.certain],
        }


def tendency_of(sample: ScoreSample, level: float = 0.95) -> Tendency:
    """Return in which direction the scores of a sample are wrong, with intervals of that level."""
    rows = sample.rows
    residual = float(rows.w @ (rows.y - rows.p)) / float(rows.w.sum())
    learnt = not nothing_learnt(sample)
    certain = certain_scores(sample, level)
    uncertain = uncertain_rows(sample)
    line = None if uncertain is None else line_of(uncertain)
    slope, of_slope = None, None
    if uncertain is not None and line is not None:
        slope = line.slope
        of_slope = _around(slope, _spread(line, uncertain, sample), uncertain.groups, level) if learnt else None
    interval = _residual_interval(sample, residual, level) if learnt else None
    return Tendency(residual, interval, slope, of_slope, certain, "" if learnt else NOT_LEARNT)


def _spread(line: Line, sample: ScoreSample, whole: ScoreSample) -> float:
    """Return the standard error of the slope, for uncertain rows and all rows, from which dependence is learnt."""
    if are_too_few(sample.groups):
        by_rows = line.products_of_rows(sample)
        products = _of_few_groups(by_rows, line.c, line.features, sample, icc_of(whole))
    else:
        products = line.products(sample)
    return float(np.sqrt(max(line.covariance(products)[0, 0], 0.0)))


def _residual_interval(sample: ScoreSample, residual: float, level: float) -> Interval:
    """Return the interval of the mean residual, the exact one where labels of a class are few."""
    if rows_of_smaller_class(sample) < FEW:
        return Interval(*exact_residuals(sample, level), level)
    rows, groups = sample.rows, sample.groups
    r, one = rows.y - rows.p - residual, np.ones((len(rows), 1))
    square = rows.w2 @ r**2
    if groups is not None and are_too_few(groups):
        square = _of_few_groups(square, rows.p, one, sample, icc_of(sample))[0, 0]
    elif groups is not None:
        square = outer_products_of_groups((rows.w * r)[:, None], groups.code)[0, 0]
    return _around(residual, float(np.sqrt(square)), groups, level, float(rows.w.sum()))


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


def _around(value: float, spread: float, groups: RowGroups | None, level: float, total: float = 1.0) -> Interval:
    """Return value +- q spread / total, with the quantile of the normal law, of groups of Student's t."""
    half = quantile(level, degrees_of(groups)) * spread / total
    return Interval(value - half, value + half, level)


def rows_of_smaller_class(sample: ScoreSample) -> float:
    """Return how many effective rows the class has that has fewer."""
    return effective_rows(sample) * min(sample.base_rate, 1.0 - sample.base_rate)


def exact_residuals(sample: ScoreSample, level: float) -> tuple[float, float]:
    """Return between which values the mean residual lies, by the exact interval of the share of positives."""
    n = effective_rows(sample)
    low, high = share_interval(n * sample.base_rate, n, level)
    return low - sample.mean_score, high - sample.mean_score


def _beside(end: float, ideal: str) -> str:
    """Return the end of an interval in as many digits as tell it from the ideal, on whose side of it the words hang."""
    texts = (short(end, digits) for digits in range(3, 17))
    return next((text for text in texts if end == float(ideal) or float(text.replace(",", "")) != float(ideal)), ideal)
