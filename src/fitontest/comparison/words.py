"""A comparison in words: the tables, what was chosen, by how much, and when doing nothing is as good."""

from typing import TYPE_CHECKING

import numpy as np

from fitontest.comparison.paired import Difference
from fitontest.comparison.record import Calibrator, Standing
from fitontest.comparison.rules import as_good_as_the_first
from fitontest.numerics.losses import LOG_LOSS_EPS, LOSS_NAMES
from fitontest.results.text import text_table

if TYPE_CHECKING:
    from fitontest.comparison.comparison import Comparison

FEW = 50  # rows of the smaller class below which even a paired comparison mostly sees noise
NOTES = """\
vs identity, vs best: paired differences of the loss, with their standard errors; minus is better. parameters: free
numbers of the map, by which the rule one_se calls it simple. calibration + refinement = loss: what a map of the family
{decomposition}, fitted to the predictions, would still gain, and the rest. error (...): what that family finds left."""
FEW_IN_A_FOLD = 100  # rows below which fold maps differ so much that the errors of their pooled predictions mislead


def in_words(comparison: "Comparison") -> str:
    """Return the tables and the sentences."""
    notes = NOTES.format(decomposition=comparison.decomposition)
    tables = f"{_title(comparison)}\n{_losses(comparison)}\n\n{_left(comparison)}\n{notes}"
    return "\n\n".join((tables, "\n".join(_sentences(comparison))))


def _title(comparison: "Comparison") -> str:
    repeats = f", {comparison.repeats} repeats" if comparison.repeats > 1 else ""
    return (
        f"post-hoc calibrators by out-of-fold {LOSS_NAMES[comparison.scoring]} ({comparison.cv} folds{repeats}), "
        f"n = {comparison.n}, share of positives {comparison.base_rate:.4g}"
    )


def _losses(comparison: "Comparison") -> str:
    """Return the table of the losses and their differences."""
    loss = LOSS_NAMES[comparison.scoring]
    header = ["family", loss, "vs identity", "s.e.", "vs best", "s.e."]
    if comparison.n_test:
        header += [f"test {loss}", "vs identity", "s.e.", "vs best", "s.e."]
    header += ["parameters", "fit (s)"]
    rows = []
    for one in comparison.calibrators:
        cells = [_marked(one, comparison), *_standing(one.held_out)]
        cells += [] if one.test is None else _standing(one.test)
        parameters = f"{one.n_parameters:g}" if np.isfinite(one.n_parameters) else "-"
        rows.append([*cells, parameters, f"{one.fit_seconds:.3f}"])
    return text_table(header, rows)


def _left(comparison: "Comparison") -> str:
    """Return the table of what is left after calibration."""
    first = comparison.calibrators[0]
    where = "test set" if comparison.n_test else "out of fold"
    header = [f"after ({where})", "calibration", "refinement", *(f"error ({name})" for name in first.errors)]
    header += [] if first.quality is None else ["map error", "true error after"]
    rows = []
    for one in comparison.calibrators:
        numbers = [one.parts.calibration, one.parts.refinement, *one.errors.values()]
        numbers += [] if one.quality is None else vars(one.quality).values()
        rows.append([_marked(one, comparison), *(f"{round(number, 5) + 0.0:.5f}" for number in numbers)])
    return text_table(header, rows)


def _marked(one: Calibrator, comparison: "Comparison") -> str:
    return f"{one.name} *" if one.name == comparison.chosen else one.name


def _standing(standing: Standing) -> list[str]:
    return [f"{standing.score:.5f}", *_gap(standing.to_identity), *_gap(standing.to_best)]


def _gap(gap: Difference) -> tuple[str, str]:
    return ("-", "-") if gap == Difference(0.0, 0.0) else (f"{gap.mean:+.5f}", f"{gap.se:.5f}")


def _sentences(comparison: "Comparison") -> list[str]:
    chosen, first = comparison[comparison.chosen], comparison.calibrators[0]
    found = [_choice(comparison, chosen, first), _as_good(comparison, chosen, first)]
    if chosen.test is not None:
        found.append(_on_test(comparison, chosen, chosen.test))
    if comparison.scoring == "log_loss":
        found.append(f"Log loss clips predictions to [{LOG_LOSS_EPS:g}, 1 - {LOG_LOSS_EPS:g}].")
    return [*(sentence for sentence in found if sentence), *_warnings(comparison, chosen)]


def _choice(comparison: "Comparison", chosen: Calibrator, first: Calibrator) -> str:
    loss, identity = LOSS_NAMES[comparison.scoring], comparison.do_nothing
    gap = first.held_out.to_identity
    if first.name == identity:
        return f"Chosen (*): {identity}, to do nothing. No family has a smaller {loss}."
    if chosen.name == identity:
        return (
            f"Chosen (*): {identity}, to do nothing. The smallest {loss}, that of {first.name}, is only "
            f"{_amount(-gap.mean, gap.se)} less: not more than one standard error."
        )
    gain = chosen.held_out.to_identity
    text = f"Chosen (*): {chosen.name}. Its {loss} is {_amount(-gain.mean, gain.se)} less than that of doing nothing."
    if chosen.name == first.name:
        return text
    behind = chosen.held_out.to_best
    less = _amount(behind.mean, behind.se)
    return (
        f"{text} The smallest is that of {first.name}, {less} less: within one standard error of it, {chosen.name} has "
        "the fewest parameters."
    )


def _as_good(comparison: "Comparison", chosen: Calibrator, first: Calibrator) -> str:
    said = (chosen.name, first.name)
    near = [one.name for one in as_good_as_the_first(comparison.calibrators) if one.name not in said]
    if not near:
        return ""
    return f"Not clearly worse than {first.name} either, by that measure: {', '.join(near)}."


def _on_test(comparison: "Comparison", chosen: Calibrator, standing: Standing) -> str:
    loss, gap, behind = LOSS_NAMES[comparison.scoring], standing.to_identity, standing.to_best
    than = "less" if gap.mean <= 0 else "MORE"
    text = f"On the test set ({comparison.n_test} rows): {loss} {standing.score:.5f}"
    if chosen.name != comparison.do_nothing:
        text += f", {_amount(abs(gap.mean), gap.se)} {than} than that of doing nothing"
    if behind.mean == 0:
        return f"{text}. No family does better there."
    oracle = min(comparison.calibrators, key=lambda one: one.test.score if one.test else np.inf)
    return f"{text}. The best there, {oracle.name}, is {_amount(behind.mean, behind.se)} better."


def _warnings(comparison: "Comparison", chosen: Calibrator) -> list[str]:
    """Return what a user should know before the map goes anywhere."""
    found = []
    if comparison.backwards:
        found.append("positives have lower scores than negatives, on average. Are these of the other class?")
    if comparison.n_smaller_class < FEW:
        few = f"only {comparison.n_smaller_class} rows are of the smaller class"
        found.append(f"{few}. So few mostly show noise, whatever the standard errors say.")
    if chosen.certain > 0:
        often = f"{chosen.name} says exactly 0 or 1 for {chosen.certain:.2%} of the rows"
        found.append(f"{often}. Where one of them is wrong, the log loss is infinite unless it is clipped.")
    if comparison.n_test is None and comparison.n / comparison.cv < FEW_IN_A_FOLD:
        found.append("the folds are small, so what is found left after calibration is partly how their maps differ.")
    return [f"Note: {note}" for note in found]


def _amount(mean: float, se: float) -> str:
    """Return a mean and its standard error with as many decimals as the latter deserves."""
    decimals = 5 if se == 0 else int(np.clip(1 - np.floor(np.log10(se)), 1, 12))
    return f"{mean:.{decimals}f} (s.e. {se:.{decimals}f})"
