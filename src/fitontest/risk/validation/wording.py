"""The sentences of a validation: what is wrong with the risks, and what that costs."""

from collections.abc import Mapping

from fitontest.measures.estimate import Estimate
from fitontest.results.text import capital, count, percent, sentence, short
from fitontest.risk.validation.statistics import at_threshold
from fitontest.uncertainty.tendency import OVERCONFIDENT, REVERSED, TOO_HIGH, TOO_LOW, UNDERCONFIDENT, Tendency
from fitontest.uncertainty.verdict import Verdict

PER = 1_000  # patients, customers or rows, of whom net true positives are counted
UNIT = f"net true positives per {count(PER)}"
TIMES = 10.0  # observed events for each expected one, from which on they are no percentage
SPREAD = {
    OVERCONFIDENT: "too extreme",
    UNDERCONFIDENT: "not extreme enough",
    REVERSED: "in reverse order",
}


def risks_in_words(verdict: Verdict, estimates: Mapping[str, Estimate]) -> str:
    """Return what is wrong with the risks as the verdict has it, with the numbers that reports on risk models use.

    Parameters
    ----------
    verdict : Verdict
        On the same rows.
    estimates : dict of Estimate
        By the names of statistics.
    """
    words = verdict.directions
    ratio, slope = estimates.get("observed_expected"), estimates.get("calibration_slope")
    texts = []
    if TOO_HIGH in words or TOO_LOW in words:
        texts.append(_level_in_words(ratio, verdict.tendency, too_high=TOO_HIGH in words))
    texts += [f"{SPREAD[word]}{_in_brackets({'slope': slope})}" for word in words if word in SPREAD]
    if texts:
        return sentence(f"Risks are {', and '.join(texts)}")
    return sentence(f"{verdict.headline}{_in_brackets({'O:E': ratio, 'slope': slope})}")


def _level_in_words(ratio: Estimate | None, tendency: Tendency, *, too_high: bool) -> str:
    """Return by how many more or fewer events there were than expected."""
    text = f"too {'high' if too_high else 'low'}"
    ends = None if ratio is None else ratio.interval
    if ratio is None or ends is None or not (ends.high < 1.0 if too_high else ends.low > 1.0):
        return f"{text} ({tendency.residual_in_words.partition(';')[0]}))"  # the ratio does not show it
    events = f"{percent(abs(ratio.value - 1.0))} {'fewer' if too_high else 'more'} events than expected"
    if ratio.value >= TIMES:
        events = f"{short(ratio.value)} times as many events as expected"
    return f"{text}, with {events}{_in_brackets({'O:E': ratio})}"


def _in_brackets(estimates: Mapping[str, Estimate | None]) -> str:
    """Return values and their intervals behind a statement, each under its name; "" without a value."""
    texts = [f"{name} {_with_ends(one)}" for name, one in estimates.items() if one is not None]
    return f" ({'; '.join(texts)})" if texts else ""


def _with_ends(estimate: Estimate) -> str:
    ends = estimate.interval
    return short(estimate.value) + ("" if ends is None else f", {short(ends.low)} to {short(ends.high)}")


def decisions_in_words(thresholds: tuple[float, ...], estimates: Mapping[str, Estimate]) -> str:
    """Return what recalibration would gain at the threshold where that is most, as far as these rows show it.

    Parameters
    ----------
    thresholds : tuple of float
    estimates : dict of Estimate
        With the decision loss at each of them, where it has a value.
    """
    return " ".join(text for text in (_worse_than_all(thresholds, estimates), _gain(thresholds, estimates)) if text)


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
    interval, value = loss.interval, _per_thousand(loss.quoted)
    if interval is None:
        return f"{value} {UNIT}"
    ends = f"{_per_thousand(interval.low)} to {_per_thousand(interval.high)}"
    return f"{value} {UNIT} ({ends})" if interval.low <= loss.quoted <= interval.high else f"{ends} {UNIT}"


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
    """Return a net benefit of one row as that of a thousand, in whole numbers where these tell it."""
    number = PER * net_benefit
    return short(number, 2) if number < 9.5 else count(round(number))
