"""The net benefit of decisions at a threshold: true positives less false ones at what they cost."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.formula_interval import degrees_of, independent_rows
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.numerics.significance.normal import quantile
from fitontest.numerics.standard_error import free_squares, mean_and_error
from fitontest.results.checks import check_flag
from fitontest.results.exceptions import NoValueError
from fitontest.results.table import Section
from fitontest.results.text import percent, short
from fitontest.risk.measures.threshold import check_threshold, odds

METHOD = "value -+ the normal quantile times the standard error, of two rows more of each label"
BY_STUDENT = "value -+ the quantile of Student's t times the standard error, of two rows more of each label"
MORE_ROWS = 2.0  # of each label, that intervals take to be decided on beyond those that are


@register("net_benefit")
@dataclass(frozen=True)
class NetBenefit(Measure):
    r"""What treating everybody with a score from a threshold on gains over treating nobody, in true positives per row.

    NB(t) = TP / n - FP / n * t / (1 - t) = mean g,  g_i = 1[p_i >= t] (y_i - (1 - y_i) t / (1 - t)).

    A row is treated where its score is at least t. Greater is better: the most is the share of positives. It measures
    accuracy as well as calibration, and its p-value is two-sided.

    Parameters
    ----------
    threshold : float in [0, 1), default=0.5
        t, the risk from which on a row is treated. It says what a false positive costs: t / (1 - t) true positives.
    standardised : bool, default=False
        Divide by the share of positives: the share of what knowing every label would gain.
    against : {None, "all"}, default=None
        Over treating nobody, or over treating everybody, whose net benefit is mean(y - (1 - y) t / (1 - t)).

    Raises
    ------
    ValueError
        A threshold outside [0, 1); a standardised net benefit of no positive rows.

    Notes
    -----
    No map is fitted, so that the standard error is exact: s.d.(g) / sqrt(n). That of the standardised one is
    s.d.((g - sNB y) / mean y) / sqrt(n), by the delta method. Where rows belong to groups it is of sums over groups,
    and the quantile of the interval is that of Student's t; where weights are uneven squares are freed of what each row
    decides of the mean, and the quantile is that of Student's t of effective rows - 1 degrees. Labels that are redrawn
    from the scores, for a null, have what the scores would gain if they were calibrated.

    Where hardly a row is treated, as beyond all scores, the rows hardly vary, and an interval by their standard error
    would be far too sure: with none it would have no width. Its ends are those of a variance with two rows more of each
    label, (s.e.)^2 + 2 (1 + (t / (1 - t))^2) / n^2, which elsewhere changes nothing to speak of (plus four, as for a
    share; Agresti, Coull); of rows that belong to groups n is how many independent ones tell as much. Ends are cut to
    what a net benefit can be: at least -t / (1 - t) and at most 1, over treating everybody the same with the other
    sign.

    Over thresholds at once, for several models and with bands: `decision_curve`.

    References
    ----------
    Vickers, Elkin (2006), Decision curve analysis: a novel method for evaluating prediction models, Medical Decision
    Making 26. https://doi.org/10.1177/0272989X06295361
    Agresti, Coull (1998), Approximate is better than "exact" for interval estimation of binomial proportions, The
    American Statistician 52. https://doi.org/10.1080/00031305.1998.10480550

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.8, 0.05]
    >>> benefit = fot.measure(y, p, "net_benefit", threshold=0.2)
    >>> round(float(benefit), 12), round(benefit.standard_error, 4)
    (0.35, 0.2408)
    >>> round(float(fot.measure(y, p, "net_benefit", threshold=0.2, against="all")), 12)
    0.1
    """

    greater_is_better = True
    two_sided = True
    has_own_interval = True

    threshold: float = 0.5
    standardised: bool = False
    against: Literal["all"] | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        check_flag(self.standardised, "standardised")
        if self.against is not None and not (isinstance(self.against, str) and self.against == "all"):
            raise ValueError(f"against must be None, for treating nobody, or 'all', got {self.against!r}")

    @property
    def words(self) -> Words:
        """How it is called, always with its threshold."""
        title = f"{'standardised ' if self.standardised else ''}net benefit"
        more = "" if self.against is None else ", against treating all"
        return Words(title=title, settings_in_words=f"threshold {self.threshold:g}{more}")

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the net benefit, with the standard error of a mean over the rows."""
        rows, groups, cost = sample.rows, sample.groups, odds(float(self.threshold))
        treated = rows.p >= self.threshold
        worth = rows.y - (1.0 - rows.y) * cost  # of treating each row
        gain = np.where(treated, worth, 0.0)
        if self.against == "all":
            gain = gain - worth
        codes = None if groups is None or are_too_few(groups) else groups.code
        squares = free_squares(rows.w, rows.w2)
        value, error = mean_and_error(gain, rows.w, squares, codes)
        if self.standardised:
            rate = float(rows.w @ rows.y / rows.w.sum())
            if not rate > 0.0:
                raise NoValueError("y_true must hold a positive row for a standardised net benefit, got none")
            value = value / rate
            _, error = mean_and_error((gain - value * rows.y) / rate, rows.w, squares, codes)
        added = variance_of_more_rows(cost, rows_that_tell(sample)) / (rate if self.standardised else 1.0) ** 2
        evidence = TreatedRows(
            standard_error=None if are_too_few(groups) else error,
            share_treated=float(rows.w @ treated / rows.w.sum()),
            degrees=degrees_of(sample),
            value=value,
            reach=float(np.sqrt(error**2 + added)),
            limits=possible(cost, rate if self.standardised else 1.0, over_all=self.against == "all"),
        )
        return Estimate.of(self, sample, value, evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class TreatedRows(Evidence):
    """How far a net benefit may be trusted.

    Attributes
    ----------
    standard_error : float or None
        Of the value; None of fewer than 10 effective groups.
    share_treated : float
        Weighted share of the rows from the threshold on.
    degrees : float
        Degrees of freedom of Student's t: the effective groups less one, of uneven weights the effective rows less one,
        else infinite.
    value : float
    reach : float
        The standard error with two rows more of each label.
    limits : tuple of float
        The least and the largest value that there can be.
    """

    recorded = ("standard_error", "share_treated")

    standard_error: float | None
    share_treated: float
    degrees: float
    value: float
    reach: float
    limits: tuple[float, float]

    def interval_at(self, level: float) -> ErrorInterval | None:
        """Return the value -+ a quantile times its standard error, or None of too few groups.

        Parameters
        ----------
        level : float in (0, 1)
        """
        if self.standard_error is None:
            return None
        half = quantile(level, self.degrees) * self.reach
        method = METHOD if np.isinf(self.degrees) else BY_STUDENT
        low, high = max(self.value - half, self.limits[0]), min(self.value + half, self.limits[1])
        return ErrorInterval.by_formula(low, high, level, method)

    @property
    def interval_reason(self) -> str:
        """Why there is no interval, or ""."""
        return NOT_LEARNT if self.standard_error is None else ""

    def section(self) -> Section:
        """Return standard error and treated rows in a line."""
        error = "" if self.standard_error is None else f"standard error {short(self.standard_error, 2)}; "
        return Section(notes=f"{error}treated: {percent(self.share_treated)} of the rows")

    def to_dict(self) -> dict[str, Any]:
        """Return these facts."""
        return self.record()


def variance_of_more_rows(cost: Any, rows: float) -> Any:
    """Return what two rows more of each label add to the variance of a net benefit: 2 (1 + cost^2) / n^2.

    At a cost of 0 it is 0, since everybody is treated, whatever the rows.

    Parameters
    ----------
    cost : float or array
        t / (1 - t).
    rows : float
        n, the independent rows that tell as much.
    """
    return np.where(cost > 0.0, MORE_ROWS * (1.0 + cost**2) / rows**2, 0.0)


def rows_that_tell(sample: ScoreSample) -> float:
    """Return how many independent rows tell as much as these; of too few groups, which have no interval, all."""
    return sample.effective_rows if are_too_few(sample.groups) else independent_rows(sample)


def possible(cost: Any, rate: float = 1.0, *, over_all: bool = False) -> tuple[Any, Any]:
    """Return the least and the largest value that a net benefit can have: all rows wrongly decided, or all rightly.

    Parameters
    ----------
    cost : float or array
        t / (1 - t).
    rate : float, default=1.0
        The share of positives, where the net benefit is divided by it; 1 where it is not.
    over_all : bool, default=False
        Over treating everybody: at worst all positive rows are not treated.
    """
    return (-1.0, cost / rate) if over_all else (-cost / rate, 1.0)
