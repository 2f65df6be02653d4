"""The statistics of a validation, in the order in which reports list them.

Each is a registered measure, so that a validation has the values, intervals and p-values that these have by themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, make
from fitontest.measures.plug_in import PlugIn
from fitontest.results.exceptions import NoValueError, held_warnings, warn_user
from fitontest.results.quoting import Kind
from fitontest.uncertainty.redrawing import Redrawing, estimate_of, estimates_of

ICI = "ici"  # the mean distance from the calibration map
#: From the name of each error under a calibration map to its norm.
ERRORS = {ICI: "l1", "e50": "q50", "e90": "q90", "emax": "max"}
#: Statistics by name, beside those of errors and thresholds, in the order of a report.
BEFORE_ERRORS = ("observed_expected", "calibration_in_the_large", "calibration_intercept", "calibration_slope")
AFTER_ERRORS = ("spiegelhalter", "brier", "scaled_brier", "log_loss", "nagelkerke_r2", "auc")
#: What statistics are called in print, in its order, and of which kind they are.
PRINTED: dict[str, tuple[str, Kind]] = {
    "observed_expected": ("observed : expected events", "ratio"),
    "calibration_in_the_large": ("calibration in the large", "slope"),
    "calibration_slope": ("calibration slope", "slope"),
    "ici": ("ICI", "error"),
    "e50": ("E50", "error"),
    "e90": ("E90", "error"),
    "emax": ("Emax", "error"),
    "spiegelhalter": ("Spiegelhalter z", "slope"),
    "brier": ("Brier score", "score"),
    "scaled_brier": ("scaled Brier score", "score"),
    "auc": ("AUC", "score"),
}
ONE_CLASS = "y_true must hold both classes for the AUC, got one alone"
#: From the name of each statistic at a threshold to its measure and settings.
AT_THRESHOLDS: dict[str, tuple[str, dict[str, Any]]] = {
    "net_benefit": ("net_benefit", {}),
    "gain_over_treating_all": ("net_benefit", {"against": "all"}),
    "decision_loss": ("decision_loss", {}),
}


@dataclass(frozen=True, eq=False)
class Statistics:
    """The estimates of a validation, and why some statistics have no value.

    Attributes
    ----------
    estimates : dict of Estimate
        By name, in the order of a report.
    reasons : dict of str
        By the names of those without a value.
    """

    estimates: Mapping[str, Estimate]
    reasons: Mapping[str, str]


def at_threshold(name: str, threshold: float) -> str:
    """Return the name of a statistic at a threshold, such as ``"net_benefit(0.2)"``."""
    return f"{name}({threshold:g})"


def measures_of(family: Any, thresholds: Sequence[float], seed: int) -> dict[str, Measure]:
    """Return the measures of a validation by name, in the order of a report.

    Parameters
    ----------
    family : str or Family
        Of the calibration map that the errors are distances from.
    thresholds : sequence of float
        At which decisions are valued.
    seed : int
        Of what the family draws.
    """
    errors = {name: PlugIn(family, norm).seeded(seed) for name, norm in ERRORS.items()}
    decisions = {
        at_threshold(name, t): make(measure, threshold=t, **settings)
        for t in thresholds
        for name, (measure, settings) in AT_THRESHOLDS.items()
    }
    first, last = ({name: make(name) for name in names} for names in (BEFORE_ERRORS, AFTER_ERRORS))
    return {**first, **errors, **last, **decisions}


def statistics_of(sample: ScoreSample, measures: Mapping[str, Measure], level: float | None, seed: int) -> Statistics:
    """Return the estimates of measures, with intervals of a level unless it is None.

    What cannot be computed of these rows, such as a slope of separated classes, has a reason in place of a value.
    """
    redrawing = Redrawing.at(level, random_state=seed)
    fitted = {name: measure for name, measure in measures.items() if measure.fitting is not None}
    estimates: dict[str, Estimate] = {}
    reasons: dict[str, str] = {}
    with held_warnings() as held:  # several statistics of one map would say the same
        estimates |= zip(fitted, estimates_of(list(fitted.values()), sample, sample.reduction, redrawing), strict=True)
        for name, measure in measures.items():
            if name in fitted:
                continue
            wanted = redrawing if measure.has_own_interval else replace(redrawing, interval=None)
            try:
                estimate = estimate_of(measure, sample, sample.reduction, wanted)
            except NoValueError as error:
                reasons[name] = str(error)
                continue
            if not estimate.evidence.has_value:  # the AUC of one class is 0.5 for want of a value
                reasons[name] = ONE_CLASS
            else:
                estimates[name] = estimate
    for message, category in dict.fromkeys(held):
        warn_user(message, category)
    return Statistics({name: estimates[name] for name in measures if name in estimates}, reasons)
