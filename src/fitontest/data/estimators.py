"""The predictions of a fitted classifier: the probabilities of the positive class, or those of all classes."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import as_matrix
from fitontest.data.labels import chosen_positive
from fitontest.results.checks import as_plain
from fitontest.results.typing import FloatArray, Label


def probabilities(
    estimator: Any, x: Any, reduction: str | None, pos_label: Label | None
) -> tuple[FloatArray, dict[str, Any]]:
    """Return the predicted probabilities and the options by which an error or a diagram is to read them.

    Without a reduction they are those of the positive class, else those of all. Of two classes the second is positive
    unless `pos_label` names the first.
    """
    if reduction is None:
        scores, positive = scores_of(estimator, x, pos_label)
        return scores, {"pos_label": positive}
    scores, classes = matrix_of(estimator, x)
    if reduction == "binary" and len(classes) == 2:
        pos_label = chosen_positive(classes, pos_label, classes[1])
    return scores, {"reduction": reduction, "labels": classes, "pos_label": pos_label}


def scores_of(estimator: Any, x: Any, pos_label: Label | None) -> tuple[FloatArray, Label]:
    """Return the predicted probabilities of the positive class, by default the second one, and that class."""
    proba, classes = matrix_of(estimator, x)
    if len(classes) != 2:
        raise ValueError(
            f"estimator must be a classifier of two classes, got one of {len(classes)}: {classes}; or say by reduction "
            f"how several classes are read"
        )
    positive = chosen_positive(classes, pos_label, classes[1])
    return proba[:, classes.index(positive)], positive


def matrix_of(estimator: Any, x: Any) -> tuple[FloatArray, list[Label]]:
    """Return the predicted probabilities of all classes, and the classes."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(f"estimator must have predict_proba, got {estimator!r}")
    check_is_fitted(estimator)
    classes = [as_plain(label) for label in estimator.classes_]
    proba, _ = as_matrix(estimator.predict_proba(x), "estimator.predict_proba(X)")
    return proba, classes
