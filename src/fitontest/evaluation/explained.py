"""The words and numbers of an evaluation, explained in plain sentences with this result's own values."""

from collections.abc import Sequence

from fitontest.measures.side_by_side import Named
from fitontest.results.quoting import in_decimals
from fitontest.results.text import capital, count, percent, sentence
from fitontest.uncertainty.verdict import FAMILY, Verdict

FAMILIES = (
    "The families of .table() answer the same question with different maps: where their errors agree, the number "
    "depends little on what is assumed about the true map."
)


def explained(named: Named, verdict: Verdict, notes: Sequence[str]) -> list[str]:
    """Return what the words and numbers of a verdict mean, a paragraph each.

    Parameters
    ----------
    named : list of (str, Estimate)
        The estimates of the evaluation with their names.
    verdict : Verdict
        On the same rows.
    notes : sequence of str
        What must be known of the rows and of the values.
    """
    tendency = verdict.tendency
    return [
        f"{verdict.opening}.",
        _of_test(verdict),
        *verdict.beside_interval,
        _of_error(verdict),
        *_of_ratio(verdict),
        _of_slope(verdict),
        sentence(tendency.residual_in_words),
        *tendency.certain_words,
        *verdict.causes,
        _of_tolerance(verdict),
        *verdict.others,
        *verdict.not_ruled_out,
        *_of_families(named),
        *map(sentence, notes),
    ]


def _of_test(verdict: Verdict) -> str:
    """Return what the p-value is of."""
    return (
        f"{capital(verdict.decision)}: of {count(verdict.test.draws)} sets of labels drawn from the scores, as they "
        f"would be if these were calibrated, so large a share looks as bad by the worst of four statistics. "
        f"{verdict.each_p_value}"
    )


def _of_error(verdict: Verdict) -> str:
    """Return what the error is, and what its values are called."""
    estimate, interval, null = verdict.estimate, verdict.interval, verdict.estimate.null
    (raw,) = in_decimals([estimate.value])
    text = (
        f"Calibration error {estimate.in_words}: how far the scores are from the probabilities on average, by a "
        f"{FAMILY} fitted to these rows, less what chance adds. Its float() is {raw}, the plug-in, without "
        "that correction"
    )
    text += "" if null is None else f"; of calibrated scores that would be {in_decimals([null.mean])[0]} on average"
    rough = "" if interval.roughness is None else f" {sentence(interval.roughness.in_words())}"
    return f"{text}.{rough}"


def _of_ratio(verdict: Verdict) -> list[str]:
    """Return what O:E is, and of which label."""
    ratio = verdict.sizes.ratio
    if ratio is None:
        return []
    which = "" if ratio.of == "events" else f"; {ratio.noun} are counted because they are rarer"
    return [f"{ratio.quoted}: {ratio.noun} observed over those that the scores predict, 1 is ideal{which}."]


def _of_slope(verdict: Verdict) -> str:
    """Return what the slope is, or why there is none."""
    tendency = verdict.tendency
    if tendency.slope is None:
        return f"No slope, since {tendency.obstacle}."
    left_out = " Scores of exactly 0 and 1 are left out." if tendency.certain else ""
    return (
        f"{capital(verdict.sizes.slope_quoted)}: of the line that fits the labels best in the logits of the scores. 1 "
        f"is ideal; below 1 the scores are too extreme (overconfident), above 1 not extreme enough.{left_out}"
    )


def _of_tolerance(verdict: Verdict) -> str:
    """Return when scores are close to calibrated, and why these are not."""
    sizes = verdict.sizes
    ratio, slope = percent(sizes.tolerance.ratio), percent(sizes.tolerance.slope)
    (most,) = in_decimals([sizes.most_error])
    rule = (
        f"Close to calibrated: the intervals of O:E within {ratio} and of the slope within {slope} of 1, an upper "
        f"limit of the error of at most {most}, and no scores that are surely wrong by more than 0.05"
    )
    return (
        f"{rule}. All of it holds here."
        if sizes.is_close
        else f"{rule}. It does not hold here: {'; '.join(sizes.obstacles)}."
    )


def _of_families(named: Named) -> list[str]:
    """Return what several families are."""
    if sum(one.measure.is_family_error for _, one in named) < 2:
        return []
    return [FAMILIES]
