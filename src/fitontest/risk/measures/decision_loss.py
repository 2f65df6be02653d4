"""The calibration error in units of net benefit: what recalibrating first would gain at a threshold."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.counted_sample import count_rows
from fitontest.data.dependence import are_too_few
from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import check_family, read_family
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import register
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.exceptions import without_warnings
from fitontest.results.table import Section
from fitontest.results.text import percent, short
from fitontest.results.typing import FloatArray, RandomState
from fitontest.risk.loss_bounds import LossBounds, excess_of
from fitontest.risk.measures.decision_regret import FAMILY, DecisionRegret
from fitontest.risk.measures.threshold import check_threshold

#: Why texts quote the plug-in value of a loss at one threshold, and not the debiased one.
PLUG_IN = "the plug-in value is quoted, since taking off label noise gains nothing at one threshold"


@register("decision_loss")
@dataclass(frozen=True, eq=False)
class DecisionLoss(DecisionRegret):
    r"""What miscalibration costs where a threshold decides: the net benefit that recalibrating first would gain.

    L(t) = NB(c_hat >= t) - NB(p >= t) = mean(|c_hat(p) - t| 1[c_hat(p) and p on different sides of t]) / (1 - t)

    with the map c_hat of a family that is fitted to these rows, cut to [0, 1]. Only rows on the wrong side of t count:
    an error of calibration that changes no decision costs nothing.

    Parameters
    ----------
    threshold : float in [0, 1), default=0.5
        t, the risk from which on a row is treated; see `NetBenefit`.
    family : str, Family or CalibrationMap, default="isotonic"
        A family is cloned and fitted to the sample; a map is used as it is.

    Raises
    ------
    ValueError
        A threshold outside [0, 1); what is no family.

    Notes
    -----
    In true positives per row, as the net benefit. 0 is an answer: no row is on the wrong side of t, as where no score
    reaches it and the map does neither.

    The interval is that of the true loss of these scores, inverted against redrawn labels on the scale of the root,
    since the loss grows with the square of the error. The value that is quoted is that of the map, raw: at one
    threshold a debiased one was no nearer to the truth, as one direction of truths says little of one place. The
    debiased value is kept beside it, as ``debiased``; it is quoted where the interval leaves out that of the map, which
    then cannot follow the labels. The upper end is at most what the labels beside the threshold leave open, exactly
    (`fitontest.risk.loss_bounds`), where rows are independent and the true map is not rougher than a spline or
    an isotonic map can follow; the interval then says that it is ``cut``.

    Of 1,000 rows the 95 % interval under "isotonic" held the true loss at t = .1, .3 and .5 in 97 % of 200 simulated
    sets of each of four truths, in 95.5 % at least. Under "spline" it is narrower, and held that of smooth truths in 91
    to 98 % of 80 sets, but that of a wave and of stairs at .1 in 83 and 87 % (docs/measurements/decisions.md, by
    `benchmarks/decision_coverage.py`).

    Its areas are known errors: ``2 int (1 - t) L(t) dt`` is the mean of (c - p)^2, and ``int L(t) / t dt`` the mean
    Kullback-Leibler divergence of p from c. For thresholds of a beta law there is `CostWeightedError`.

    References
    ----------
    Schervish (1989), A general method for comparing probability assessors, Annals of Statistics 17.
    https://doi.org/10.1214/aos/1176347398
    Van Calster, Vickers (2015), Calibration of risk prediction models: impact on decision-analytic performance, Medical
    Decision Making 35. https://doi.org/10.1177/0272989X14547233

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> loss = fot.measure(rng.random(2000) < p**2, p, "decision_loss", threshold=0.3)
    >>> true = np.mean((p >= 0.3) * (p**2 < 0.3) * (0.3 - p**2)) / 0.7
    >>> bool(loss.interval.low < true < loss.interval.high)
    True
    """

    call = "decision_loss"

    threshold: float = 0.5
    family: Any = FAMILY

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        check_family(self.family, maps=True)

    def losses(self, p: FloatArray, c: FloatArray) -> FloatArray:
        """Return |c - t| / (1 - t) where c and p are on different sides of t, else 0.

        Parameters
        ----------
        p, c : arrays that broadcast
            Scores and probabilities.
        """
        t = float(self.threshold)
        loss = np.where(p >= t, -1.0, 1.0) * (c - t)  # below 0 where c is on the side of p
        np.maximum(loss, 0.0, out=loss)
        loss /= 1.0 - t
        return loss

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the mean loss under the fitted calibration map, or under the one that was given."""
        c_hat, fitted = self.fitted_to(sample)
        rows, t = sample.rows, float(self.threshold)
        c = np.clip(c_hat.evaluate(rows.p), 0.0, 1.0)
        total = rows.w.sum()
        changes = (c >= t).astype(float) - (rows.p >= t)
        evidence = ChangedDecisions(
            map=c_hat,
            estimator=fitted,
            partition=getattr(fitted, "partition_", None),
            share_changed=float(rows.w @ np.abs(changes) / total),
            gain_on_these_rows=float(rows.w @ (changes * (rows.y - t)) / total / (1.0 - t)),
        )
        return Estimate.of(self, sample, float(rows.w @ self.losses(rows.p, c) / total), evidence)

    def exact_bounds(self, sample: Any, entries: Entries, direction: FloatArray, level: float) -> LossBounds:
        """Return what labels beside the threshold leave open, where the true map does not fall, or as a spline can."""
        t = float(self.threshold)
        return LossBounds.of(sample, t, level, excess_of(entries.p, entries.w, direction, t))

    def held_out_gain(
        self, sample: ScoreSample, cv: int = 10, random_state: RandomState = 0
    ) -> tuple[float, float | None]:
        """Return by how much recalibrating raises the net benefit of held-out rows, and the standard error of that.

        The mean of (1[c_hat >= t] - 1[p >= t]) (y - t) / (1 - t), each row with the map of a fit without its fold. It
        may be negative. Few rows change sides, so that value -+ 1.96 standard errors is no interval to rely on.

        Parameters
        ----------
        sample : ScoreSample
        cv : int, default=10
            Number of folds; rows of one group share a fold.
        random_state : int, RandomState or None, default=0
            Of the folds.

        Returns
        -------
        gain : float
        standard_error : float or None
            With the maps held fixed; None of fewer than 10 effective groups.
        """
        if self.held_fixed:
            raise ValueError("family must be one that can be fitted without a fold, got a calibration map")
        rows, folds = count_rows(sample).present.in_folds(cv, random_state)
        with without_warnings():  # a fold tells nothing that the whole does not
            c = np.clip(rows.hold_out(read_family(self.family), folds), 0.0, 1.0)
        t, groups = float(self.threshold), rows.groups
        changes = (c >= t).astype(float) - (rows.p >= t)
        gain = changes * (rows.codes - t) / (1.0 - t)
        codes = None if groups is None or are_too_few(groups) else groups.code
        value, error = mean_and_error(gain, rows.w, rows.w2, codes)
        return value, None if are_too_few(groups) else error


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangedDecisions(Evidence):
    """The map that decides otherwise than the scores, and for how many rows.

    Attributes
    ----------
    map : CalibrationMap
    estimator : Family or None
        The fitted family; None where a map was given.
    partition : Partition or None
        The bins of the map, where there are any.
    share_changed : float
        Weighted share of the rows on different sides of the threshold.
    gain_on_these_rows : float
        By how much the net benefit of the labels themselves is larger after recalibration. A map that is fitted to
        these rows gains by chance too.
    """

    recorded = ("share_changed", "gain_on_these_rows")

    share_changed: float
    gain_on_these_rows: float

    def section(self) -> Section:
        """Return how many decisions change, and why the value is that of the map."""
        changed = f"recalibration changes the decision of {percent(self.share_changed)} of the rows"
        gained = f"and gains {short(self.gain_on_these_rows)} on these rows"
        return Section(notes=f"{changed} {gained}; {PLUG_IN}")

    def to_dict(self) -> dict[str, Any]:
        """Return these facts and the map."""
        return {**self.record(), "map": self.map.to_dict()}
