"""The statistics of several centres pooled: their mean, how much centres differ, and what a further one may show.

O:E is pooled as its logarithm, the AUC as its logit, and the slope as it is, by random effects
(`fitontest.numerics.random_effects`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from fitontest.measures.estimate import Estimate
from fitontest.numerics.random_effects import FEWEST, FEWEST_TO_PREDICT, RandomEffects
from fitontest.results.frames import Records
from fitontest.results.quoting import Kind, confidence, in_decimals, quote, split_quoted
from fitontest.results.table import Section, Table
from fitontest.results.text import count, short

HALF = 0.5  # events that stand for none, whose logarithm does not exist
METHOD = "random effects, REML, Hartung-Knapp"
Effect = tuple[float, float]  # with its variance


class Rule(NamedTuple):
    """How a statistic is pooled."""

    called: str
    scale: str  # of what tau^2 is the variance
    kind: Kind
    effect: Callable[[Estimate], Effect | None]
    back: Callable[[float], float]


def _log_ratio(estimate: Estimate) -> Effect | None:
    """Return log O:E and its variance, of no event that of half a one."""
    known: Any = estimate.evidence
    if known.observed == 0.0:
        return float(np.log(HALF / known.expected)), 1.0 / HALF
    error = known.standard_error or known.label_error
    return None if error is None else (float(np.log(known.ratio)), error**2)


def _slope(estimate: Estimate) -> Effect | None:
    error = getattr(estimate.evidence, "standard_error", None)
    return (estimate.value, error**2) if error else None


def _logit_area(estimate: Estimate) -> Effect | None:
    error, area = getattr(estimate.evidence, "standard_error", None), estimate.value
    if not error or not 0.0 < area < 1.0:
        return None
    return float(logit(area)), float(error / (area * (1.0 - area))) ** 2


RULES = {
    "observed_expected": Rule("O:E", "log O:E", "ratio", _log_ratio, np.exp),
    "calibration_slope": Rule("slope", "slope", "slope", _slope, float),
    "auc": Rule("AUC", "logit AUC", "score", _logit_area, expit),
}


@dataclass(frozen=True)
class PooledStatistic:
    """A statistic of several centres.

    Attributes
    ----------
    name : str
    effects : RandomEffects
        On the scale on which it is pooled.
    level : float
        Of both intervals.
    left_out : tuple of str
        The centres whose statistic has no value or no standard error.
    """

    name: str
    effects: RandomEffects
    level: float
    left_out: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        """How it is pooled."""
        return RULES[self.name]

    @property
    def value(self) -> float:
        """The mean of the centres, on the scale of the statistic itself."""
        return float(self.rule.back(self.effects.mean))

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the mean."""
        low, high = self.effects.interval(self.level)
        return float(self.rule.back(low)), float(self.rule.back(high))

    @property
    def prediction(self) -> tuple[float, float] | None:
        """Between which values that of a further centre lies, or None of fewer than five."""
        ends = self.effects.prediction(self.level)
        return None if ends is None else (float(self.rule.back(ends[0])), float(self.rule.back(ends[1])))

    @property
    def in_words(self) -> str:
        """The mean, the spread and the prediction interval, as a paper quotes them."""
        mean, ends = split_quoted(quote(self.value, *self.interval, self.level, self.rule.kind))
        spread = f"tau^2 of {self.rule.scale} {short(self.effects.tau2, 2)}"
        if self.prediction is None:
            return f"{self.rule.called} {mean} ({ends}; {spread})"
        further = " to ".join(in_decimals(self.prediction, self.rule.kind))
        return f"{self.rule.called} {mean} ({ends}; {spread}; {100 * self.level:g} % prediction interval {further})"


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Table):
    """The statistics of several centres, pooled by random effects.

    Attributes
    ----------
    statistics : dict of PooledStatistic
        "observed_expected", "calibration_slope" and "auc", as far as two centres have them.
    centres : int
        How many there are.
    level : float
        Of the intervals.

    Notes
    -----
    tau^2, the variance between centres, is of log O:E, of the slope, and of the logit of the AUC; it is estimated by
    restricted maximum likelihood. The confidence interval of the mean is that of Hartung and Knapp. From five centres
    on there is a prediction interval, for the statistic of a further centre like these. The standard error of log O:E
    is that of the residuals, or where a centre has few events the usual one, sqrt((1 - O/n) / O); a centre without
    events counts as half a one. What a centre does not have, such as a slope where a score separates the labels, is
    left out.

    References
    ----------
    Debray et al. (2019), A framework for meta-analysis of prediction model studies with binary and time-to-event
    outcomes, Statistical Methods in Medical Research 28. https://doi.org/10.1177/0962280218785504
    Debray et al. (2023), Transparent reporting of multivariable prediction models developed or validated using
    clustered data: TRIPOD-Cluster checklist, BMJ 380. https://doi.org/10.1136/bmj-2022-071018

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> centre, p = np.repeat(list("ABCDEF"), 300), rng.beta(2, 4, 1800)
    >>> y = rng.random(1800) < p ** np.repeat([0.7, 0.8, 0.9, 1.0, 1.1, 1.2], 300)
    >>> pooled = fot.risk.validate(y, p, by=centre, family="platt").pooled
    >>> ratio = pooled.statistics["observed_expected"]
    >>> round(ratio.value, 2), bool(ratio.prediction[0] < ratio.interval[0] < 1.0)
    (1.02, True)
    """

    statistics: Mapping[str, PooledStatistic]
    centres: int
    level: float

    @classmethod
    def of(cls, validations: Iterable[Any], level: float) -> "Pooled | None":
        """Return what the validations of several centres come to, or None where no two have a statistic.

        Parameters
        ----------
        validations : iterable of Validation
            Of rows that are in one centre each.
        level : float
        """
        centres = list(validations)
        found = {name: _pool(name, centres, level) for name in RULES}
        known = {name: one for name, one in found.items() if one is not None}
        return cls(known, len(centres), level) if known else None

    def rows(self) -> Records:
        """Return a record for each statistic, on its own scale; tau2 is on that on which it is pooled."""
        nothing = (None, None)
        return [
            {
                "statistic": name,
                "value": one.value,
                **dict(zip(("low", "high"), one.interval, strict=True)),
                "level": self.level,
                "tau2": one.effects.tau2,
                "tau2_of": one.rule.scale,
                **dict(zip(("prediction_low", "prediction_high"), one.prediction or nothing, strict=True)),
                "centres": one.effects.centres,
                "left_out": ", ".join(one.left_out) or None,
            }
            for name, one in self.statistics.items()
        ]

    def sections(self) -> list[Section]:
        """Return the table."""
        predicts = any(one.prediction is not None for one in self.statistics.values())
        header = ["statistic", "mean", confidence(self.level), "tau^2"]
        header += [f"{100 * self.level:g} % prediction"] if predicts else []
        notes = [] if predicts else [f"A prediction interval takes {FEWEST_TO_PREDICT} segments."]
        left_out = {one.rule.called: ", ".join(one.left_out) for one in self.statistics.values()}
        notes += [f"{called}: without {names}." for called, names in left_out.items() if names]
        title = f"Pooled over {count(self.centres)} segments ({METHOD}):"
        body = [self._line(one, predicts=predicts) for one in self.statistics.values()]
        return [Section(title, header, body, "\n".join(notes))]

    def _line(self, one: PooledStatistic, *, predicts: bool) -> list[str]:
        value, *ends = in_decimals((one.value, *one.interval, *(one.prediction or ())), one.rule.kind)
        last = [] if not predicts else [" to ".join(ends[2:]) or "-"]
        return [
            one.rule.called,
            value,
            " to ".join(ends[:2]),
            f"{short(one.effects.tau2, 2)} ({one.rule.scale})",
            *last,
        ]

    @property
    def brief(self) -> str:
        """The mean of the first statistic, and its prediction interval if there is one, in a short line."""
        first = next(iter(self.statistics.values()))
        mean = f"Pooled {first.rule.called} {quote(first.value, *first.interval, self.level, first.rule.kind)}"
        if first.prediction is None:
            return f"{mean}."
        ends = " to ".join(in_decimals(first.prediction, first.rule.kind))
        return f"{mean}; a further segment like these: {ends}."

    @property
    def in_words(self) -> str:
        """The means, spreads and prediction intervals in a sentence for a paper."""
        listed = ", ".join(one.in_words for one in self.statistics.values())
        return f"Pooled over {count(self.centres)} segments ({METHOD}): {listed}."


def _pool(name: str, centres: Iterable[Any], level: float) -> PooledStatistic | None:
    """Return a statistic of those centres that have it, or None of fewer than two."""
    known, left_out = [], []
    for centre in centres:
        estimate = centre.statistics.get(name)
        effect = None if estimate is None or estimate.interval is None else RULES[name].effect(estimate)
        if effect is None:
            left_out.append(str(centre.name))
        else:
            known.append(effect)
    if len(known) < FEWEST:
        return None
    return PooledStatistic(name, RandomEffects.of(*zip(*known, strict=True)), level, tuple(left_out))
