"""What the axes of scores and of frequencies are called."""

from fitontest.typing import Label

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
