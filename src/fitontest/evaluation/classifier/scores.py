"""The responses of a fitted estimator, as one score in [0, 1] for each class.

An estimator gives probabilities or decision values, for the classes it was fitted to, in one column or in
several. Here every response becomes a matrix with a column for each class, and decision values become scores by the
sigmoid, so that on the logit scale they are themselves again. For a family of several classes, which is fitted to all
of them at once, they become scores by the softmax.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import in_unit_interval
from fitontest.numerics.links import sigmoid
from fitontest.numerics.softmax import softmax
from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray, IntArray

METHODS = ("predict_proba", "decision_function")
LARGEST = 15.0  # decision values up to here, 1e-9 apart, stay apart under the sigmoid; it is 1.0 from 37 on
FAINT = 1e-6  # decision values below here are rounded by the sigmoid, in the tenth digit and beyond


def find_method(estimator: Any, response_method: object) -> str:
    """Return the method whose responses are calibrated, or refuse an estimator that lacks it."""
    chosen = choose(response_method, ("auto", *METHODS), "response_method")
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        hint = "; a class must be called, to make an instance" if isinstance(estimator, type) else ""
        raise ValueError(f"estimator must be a scikit-learn classifier, got {estimator!r}{hint}")
    able = [method for method in METHODS if hasattr(estimator, method)]
    if not able:
        raise ValueError(f"estimator must have predict_proba or decision_function, got {estimator!r}, which has none")
    if chosen == "auto":
        return able[0]
    if chosen not in able:
        raise ValueError(
            f"response_method must be a method of the estimator or 'auto', got {chosen!r} with {estimator!r}"
        )
    return chosen


def positions(estimator: Any, classes: NDArray[Any]) -> IntArray:
    """Return where in `classes` the classes stand that the fitted estimator knows, in its own order."""
    where = {label: k for k, label in enumerate(classes.tolist())}
    known = np.asarray(estimator.classes_).tolist()
    unknown = [label for label in known if label not in where]
    if unknown:
        raise ValueError(f"estimator must have classes_ that occur in y, got {unknown} beside {list(where)}")
    return np.array([where[label] for label in known], dtype=np.intp)


def respond(estimator: Any, X: Any, method: str, classes: NDArray[Any]) -> FloatArray:
    """Return the response of a fitted estimator with a column for each class, before it becomes a score.

    A class that the estimator was not fitted to has probability 0, or the decision value minus infinity.
    """
    known = positions(estimator, classes)
    response = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if known.size == 1:  # the class is certain, whatever the response looks like
        never, certain = (0.0, 1.0) if method == "predict_proba" else (-np.inf, np.inf)
        raw = np.full((response.shape[0], classes.size), never)
        raw[:, known] = certain
        return raw
    if method == "decision_function" and known.size == 2:
        margin = response[:, 0] if response.ndim == 2 and response.shape[1] == 1 else response
        response = np.stack((-margin, margin), axis=-1) if margin.ndim == 1 else response
    if response.ndim != 2 or response.shape[1] != known.size:
        hint = " (an SVC needs decision_function_shape='ovr')" if method == "decision_function" else ""
        raise ValueError(
            f"estimator must have a {method} with one column for each of its {known.size} classes, got an array of "
            f"shape {response.shape}{hint}"
        )
    raw = np.full((response.shape[0], classes.size), 0.0 if method == "predict_proba" else -np.inf)
    raw[:, known] = response
    return raw


@dataclass(frozen=True, eq=False)
class Reading:
    """How responses become scores: probabilities as they are, decision values by the sigmoid of value / divisor.

    Attributes
    ----------
    method : str
    divisors : array of shape (K,)
        1 for every class, unless decision values were so large, or so small, that the sigmoid would make them equal.
    together : bool
        Whether decision values become scores by the softmax of all instead.
    """

    method: str
    divisors: FloatArray
    together: bool = False

    @classmethod
    def of(cls, method: str, raw: FloatArray, w: FloatArray | None) -> "Reading":
        """Return the reading for the rows that the families will be fitted to; rows of weight 0 do not count."""
        divisors = np.ones(raw.shape[1])
        if method == "decision_function":
            present = raw if w is None else raw[w > 0]
            sizes = np.where(np.isfinite(present), np.abs(present), 0.0)
            largest = sizes.max(axis=0, initial=0.0)
            divisors = np.where(largest > LARGEST, largest / LARGEST, 1.0)
            divisors = np.where((largest < FAINT) & (largest > 0.0), largest, divisors)
        return cls(method, divisors)

    @property
    def logs(self) -> bool:
        """Whether the logarithms of the scores are known better than the scores."""
        return self.together and self.method == "decision_function"

    def log_scores(self, raw: FloatArray) -> FloatArray:
        """Return decision values as logits, less the largest of a row; a class of which nothing is known has -inf.

        One decision value for two classes is a margin, and its sigmoid the score, as for families of two classes.
        """
        if np.isnan(raw).any() or (raw == np.inf).any():
            in_unit_interval(raw.reshape(-1), "decision_function of the estimator", raw.shape)
        if raw.shape[1] == 2 and np.array_equal(raw[:, 0], -raw[:, 1]):  # a margin, of which the sigmoid is meant
            raw = raw / 2.0
        return np.asarray(raw - raw.max(axis=1, keepdims=True))

    def scores(self, raw: FloatArray) -> FloatArray:
        """Return the scores, or refuse responses that are no numbers or no probabilities."""
        if self.logs:
            return softmax(self.log_scores(raw))
        if self.method == "decision_function":
            raw = sigmoid(raw / self.divisors)
        return np.stack([in_unit_interval(column, f"{self.method} of the estimator") for column in raw.T], axis=1)
