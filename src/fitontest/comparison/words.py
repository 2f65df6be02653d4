"""A comparison in words: the table, what was chosen, by how much, and when doing nothing is as good."""

from typing import TYPE_CHECKING

import numpy as np

from fitontest.comparison.paired import Difference
from fitontest.comparison.record import Calibrator, Standing
from fitontest.comparison.rules import as_good_as_the_first
from fitontest.losses import LOG_LOSS_EPS, LOSS_NAMES
from fitontest.text_table import short, text_table

if TYPE_CHECKING:
    from fitontest.comparison.comparison import Comparison

FEW = 50  # rows of the smaller class below which even a paired comparison mostly sees noise


def in_words(comparison: "Comparison") -> str:
    """Return the table and the sentences."""
    tables = (_losses(comparison), _left(comparison))
    return "\n\n".join((f"{_title(comparison)}\n{tables[0]}", tables[1], "\n".join(_sentences(comparison))))


def _title(comparison: "Comparison") -> str:
    repeats = f", {comparison.repeats} repeats" if comparison.repeats > 1 else ""
    return (
        f"post-hoc calibrators by out-of-fold {LOSS_NAMES[comparison.scoring]} ({comparison.cv} folds{repeats}), "
        f"n = {comparison.n}, share of positives {short(comparison.base_rate, 4)}"
    )


def _losses(comparison: "Comparison") -> str:
    """Return the table of the losses and their differences."""
    loss = LOSS_NAMES[comparison.scoring]
    header = ["family", loss, "vs identity", "s.e.", "vs best", "s.e."]
    if comparison.n_test:
        header += [f"test {loss}", "vs identity", "s.e."]
    header += ["parameters", "fit (s)"]
    rows = []
    for one in comparison.calibrators:
        cells = [_marked(one, comparison), short(one.held_out.score, 4)]
        cells += [*_gap(one.held_out.to_identity), *_gap(one.held_out.to_best)]
        if one.test is not None:
            cells += [short(one.test.score, 4), *_gap(one.test.to_identity)]
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
        cells = [_marked(one, comparison), f"{one.parts.calibration:.5f}", short(one.parts.refinement, 4)]
        cells += [f"{value:.4f}" for value in one.errors.values()]
        rows.append(cells + ([] if one.quality is None else [f"{value:.4f}" for value in vars(one.quality).values()]))
    return text_table(header, rows)


def _marked(one: Calibrator, comparison: "Comparison") -> str:
    return f"{one.name} *" if one.name == comparison.chosen else one.name


def _gap(gap: Difference) -> tuple[str, str]:
    return ("-", "-") if gap == Difference(0.0, 0.0) else (f"{gap.mean:+.5f}", f"{gap.se:.5f}")


def _sentences(comparison: "Comparison") -> list[str]:
    chosen, first = comparison[comparison.chosen], comparison.calibrators[0]
    found = [_choice(comparison, chosen, first), _as_good(comparison, chosen)]
    if chosen.test is not None:
        found.append(_on_test(comparison, chosen, chosen.test))
    if comparison.scoring == "log_loss":
        found.append(f"Log loss clips predictions to [{LOG_LOSS_EPS:g}, 1 - {LOG_LOSS_EPS:g}].")
    if comparison.n_smaller_class < FEW:
        found.append(
            f"Only {comparison.n_smaller_class} rows are of the smaller class: so few mostly show noise, whatever the "
            "standard errors say."
        )
    return [sentence for sentence in found if sentence]


def _choice(comparison: "Comparison", chosen: Calibrator, first: Calibrator) -> str:
    loss, identity = LOSS_NAMES[comparison.scoring], comparison.do_nothing
    if chosen.name != identity:
        gain = chosen.held_out.to_identity
        text = (
            f"Chosen (*): {chosen.name}. Its {loss} is {_amount(-gain.mean, gain.se)} less than that of doing nothing."
        )
        if chosen.name != first.name:
            text += f" It is the simplest of those within one standard error of the smallest, that of {first.name}."
        return text
    if first.name == identity:
        return f"Chosen (*): {identity}, to do nothing. No family has a smaller {loss}."
    gap = comparison[first.name].held_out.to_identity
    return (
        f"Chosen (*): {identity}, to do nothing. The smallest {loss}, that of {first.name}, is only "
        f"{_amount(-gap.mean, gap.se)} less, not more than one standard error."
    )


def _as_good(comparison: "Comparison", chosen: Calibrator) -> str:
    near = [one.name for one in as_good_as_the_first(comparison.calibrators) if one.name != chosen.name]
    if not near:
        return "No other family is within one standard error of the smallest loss."
    return f"Within one standard error of the smallest loss, too: {', '.join(near)}."


def _on_test(comparison: "Comparison", chosen: Calibrator, standing: Standing) -> str:
    loss, gap, behind = LOSS_NAMES[comparison.scoring], standing.to_identity, standing.to_best
    than = "less" if gap.mean <= 0 else "MORE"
    text = f"On the test set ({comparison.n_test} rows): {loss} {short(standing.score, 4)}"
    if chosen.name != comparison.do_nothing:
        text += f", {_amount(abs(gap.mean), gap.se)} {than} than that of doing nothing"
    if behind.mean == 0:
        return f"{text}. No family does better there."
    oracle = min(comparison.calibrators, key=lambda one: one.test.score if one.test else np.inf)
    return f"{text}. The best there, {oracle.name}, is {_amount(behind.mean, behind.se)} better."


def _amount(mean: float, se: float) -> str:
    return f"{short(mean, 3)} (s.e. {short(se, 2)})"
