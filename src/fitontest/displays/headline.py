"""The texts of a diagram: the labels of its axes, and what its legend and its title say of an error."""

import textwrap

from fitontest.families.slope1 import Slope1
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.plug_in_error import PlugInError
from fitontest.results.text import short
from fitontest.typing import Label

WIDTH = 40  # letters in a line of a legend
TITLE_WIDTH = 52  # letters in a line of the title of a test-based diagram

CONFIDENCE = ("Confidence (highest predicted probability)", "Accuracy (observed frequency)")


def axis_labels(pos_label: Label | None, reduction: str | None = None) -> tuple[str, str]:
    """Return the labels of the axis of scores and of that of observed frequencies."""
    if reduction == "confidence":
        return CONFIDENCE
    of_class = _of_class(pos_label, reduction)
    return f"Predicted probability{of_class}", f"Observed frequency{of_class}"


def _of_class(pos_label: Label | None, reduction: str | None) -> str:
    """Return what tells the positive class, where that is not obvious."""
    if reduction == "classwise":
        return " of the class"
    return "" if pos_label is None or pos_label in (1, "1") else f" (positive: {pos_label})"


def headline(error: PlugInError) -> list[str]:
    """Return what a legend says of an error, in two short lines."""
    estimator = error.estimator
    piece = "segment" if estimator is not None and estimator.has_knots else "bin"
    bins = "" if error.n_bins is None else f", {error.n_bins} {piece}{'' if error.n_bins == 1 else 's'}"
    given = "" if error.fitted_on_these_rows else ", a given map"
    return [f"{error.family}{bins}{given}", f"{_name(error)} {short(error.value)}, n = {error.n:,}"]


def _name(error: PlugInError) -> str:
    """Return what the error is called: bins of slope 1 have the ECE."""
    norm = "" if error.norm == "l1" else f" ({error.norm})"
    ece = isinstance(error.estimator, Slope1) and error.norm == "l1"
    return f"{'debiased ' if error.debiased else ''}{'ECE' if ece else 'error'}{norm}"


def called(name: str | None, error: PlugInError) -> str:
    """Return the headline under the name of the scores."""
    lines = ([] if name is None else [name]) + headline(error)
    return "\n".join(textwrap.fill(line, WIDTH) for line in lines)


def if_calibrated(null: IfCalibrated) -> str:
    """Return what calibrated scores would have, in few words."""
    p = f"p-value {short(null.p_value, 2)}, {null.values.size} draws"
    return f"if calibrated: {short(null.mean)} % ({p})"


def title_of(error: BinnedError, name: str | None) -> str:
    """Return the title of a test-based diagram: the error under the name of the scores, and how it was found."""
    words = f"TCE {short(error.value)} %"
    lines = [words if name is None else f"{name}: {words}"]
    lines += [f"{error.test} test, alpha {error.alpha:g}", f"{error.n_bins} bins, n = {error.n:,}"]
    if error.null is not None:
        lines.append(if_calibrated(error.null))
    return "\n".join(textwrap.fill(line, TITLE_WIDTH) for line in lines)
