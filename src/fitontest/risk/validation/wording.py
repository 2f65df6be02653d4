"""The sentences of a validation on decisions: what miscalibration costs."""

from collections.abc import Mapping

from fitontest.measures.estimate import Estimate
from fitontest.results.quoting import PER, confidence, in_decimals
from fitontest.results.text import capital, count, sentence
from fitontest.risk.validation.statistics import at_threshold

UNIT = f"net true positives per {count(PER)}"


def decision_sentences(thresholds: tuple[float, ...], estimates: Mapping[str, Estimate]) -> list[str]:
    """Return where treating everybody is better, and what recalibration would gain at the threshold where it is most.

    Both as far as these rows show it.

    Parameters
    ----------
    thresholds : tuple of float
    estimates : dict of Estimate
        With the decision loss at each of them, where it has a value.
    """
    return [text for text in (_worse_than_all(thresholds, estimates), _gain(thresholds, estimates)) if text]


def _worse_than_all(thresholds: tuple[float, ...], estimates: Mapping[str, Estimate]) -> str:
    """Return at which thresholds treating everybody is shown better than the model."""
    gains = {t: estimates.get(at_threshold("gain_over_treating_all", t)) for t in thresholds}
    worse = [f"{t:g}" for t, gain in gains.items() if gain is not None and gain.interval and gain.interval.high < 0.0]
    if not worse:
        return ""
    return f"Treating everybody is better than these risks at a threshold of {' and '.join(worse)}."


def _gain(thresholds: tuple[float, ...], estimates: Mapping[str, Estimate]) -> str:
    """Return what recalibration would gain."""
    losses = {threshold: estimates.get(at_threshold("decision_loss", threshold)) for threshold in thresholds}
    known = {threshold: loss for threshold, loss in losses.items() if loss is not None}
    if not known:
        return ""
    shown = {t: loss for t, loss in known.items() if loss.interval is not None and loss.interval.low > 0.0}
    if shown:
        threshold, loss = max(shown.items(), key=lambda item: item[1].quoted)
        return f"At a threshold of {threshold:g} recalibration would gain {_gain_and_ends(loss)}."
    threshold, loss = max(known.items(), key=lambda item: _most(item[1]))
    where = f"at a threshold of {threshold:g}" if len(known) == 1 else "at these thresholds"
    if loss.interval is None and loss.value == 0.0:
        return sentence(f"{where}, recalibration changes no decision")
    if loss.interval is None:
        gain = f"{_per_thousand(loss.value)} {UNIT}"
        return f"{capital(where)} recalibration would gain {gain} by these very rows."
    most = f"at most {_per_thousand(loss.interval.high)} {UNIT}"
    return sentence(f"{where}, no gain of recalibration is shown: {most}")


def _most(loss: Estimate) -> float:
    return loss.value if loss.interval is None else loss.interval.high


def _gain_and_ends(loss: Estimate) -> str:
    """Return a gain with its interval, or the interval alone where that leaves out the value that is quoted."""
    interval = loss.interval
    assert interval is not None  # which shows the gain
    value, low, high = in_decimals([loss.quoted, interval.low, interval.high], "benefit")
    level = confidence(interval.level)
    if not interval.low <= loss.quoted <= interval.high:
        return f"{low} to {high} {UNIT} ({level})"
    return f"{value} {UNIT} ({level} {low} to {high})"


def _is_outside(loss: Estimate | None) -> bool:
    """Return whether the loss of these very rows is outside its interval."""
    ends = None if loss is None else loss.interval
    return loss is not None and ends is not None and not ends.low <= loss.value <= ends.high


def values_outside(thresholds: tuple[float, ...], estimates: Mapping[str, Estimate]) -> list[str]:
    """Return a sentence on decision losses that lie outside their intervals, which look like mistakes."""
    outside = [f"{t:g}" for t in thresholds if _is_outside(estimates.get(at_threshold("decision_loss", t)))]
    where = f"at {' and '.join(outside)} the loss by the map of these rows is outside its interval"
    return [sentence(f"{where}, which allows for label noise: the debiased loss is quoted")] if outside else []


def _per_thousand(net_benefit: float) -> str:
    """Return a net benefit of one row as that of a thousand."""
    return in_decimals([net_benefit], "benefit")[0]
