"""The texts of a diagram: the labels of its axes, and the description of an error in its legend and its title."""

import textwrap

from fitontest.families.slope1 import Slope1
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.plug_in_error import PlugInError
from fitontest.results.text import short
from fitontest.typing import Label

WIDTH = 40  # letters in a line of a legend
TITLE_WIDTH = 52  # letters in a line of the title of a test-based diagram

CONFIDENCE_LABELS = ("Confidence (highest predicted probability)", "Accuracy (observed frequency)")


def name_axes(pos_label: Label | None, reduction: str | None = None) -> tuple[str, str]:
    """Return the labels of the axis of scores and of that of observed frequencies."""
    if reduction == "confidence":
        return CONFIDENCE_LABELS
    of_class = _name_class(pos_label, reduction)
    return f"Predicted probability{of_class}", f"Observed frequency{of_class}"


def _name_class(pos_label: Label | None, reduction: str | None) -> str:
    """Return the part of an axis label that names the positive class, or nothing for class 1."""
    if reduction == "classwise":
        return " of the class"
    return "" if pos_label is None or pos_label in (1, "1") else f" (positive: {pos_label})"


def describe_error(error: PlugInError) -> list[str]:
    """Return the description of an error in a legend, in two short lines."""
    estimator = error.estimator
    piece = "segment" if estimator is not None and estimator.has_knots else "bin"
    bins = "" if error.n_bins is None else f", {error.n_bins} {piece}{'' if error.n_bins == 1 else 's'}"
    given = "" if error.fitted_on_these_rows else ", a given map"
    return [f"{error.family}{bins}{given}", f"{_name_error(error)} {short(error.value)}, n = {error.n:,}"]


def _name_error(error: PlugInError) -> str:
    """Return the name of the error. That of bins of slope 1 is the ECE."""
    norm = "" if error.norm == "l1" else f" ({error.norm})"
    ece = isinstance(error.estimator, Slope1) and error.norm == "l1"
    return f"{'debiased ' if error.debiased else ''}{'ECE' if ece else 'error'}{norm}"


def format_legend_label(name: str | None, error: PlugInError) -> str:
    """Return the name of the scores and the description of the error, in lines."""
    lines = ([] if name is None else [name]) + describe_error(error)
    return "\n".join(textwrap.fill(line, WIDTH) for line in lines)


def describe_null(null: IfCalibrated) -> str:
    """Return a short description of the error of calibrated scores."""
    p = f"p-value {short(null.p_value, 2)}, {null.values.size} draws"
    return f"if calibrated: {short(null.mean)} % ({p})"


def format_title(error: BinnedError, name: str | None) -> str:
    """Return the title of a test-based diagram: the name of the scores, the error, and how it was measured."""
    value = f"TCE {short(error.value)} %"
    lines = [value if name is None else f"{name}: {value}"]
    lines += [f"{error.test} test, alpha {error.alpha:g}", f"{error.n_bins} bins, n = {error.n:,}"]
    if error.null is not None:
        lines.append(describe_null(error.null))
    return "\n".join(textwrap.fill(line, TITLE_WIDTH) for line in lines)
