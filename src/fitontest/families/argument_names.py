"""The names under which ``fit`` takes scores and labels: its own, those of the metrics, and scikit-learn's.

Estimators call the scores p (or P), metrics y_prob, scikit-learn X. The names are exchanged before the call, so that
the signature, which metadata routing and completion read, stays that of an estimator.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def takes_names_of_metrics(scores: str) -> Callable[[F], F]:
    """Return a decorator of a method ``fit(scores, y, ...)`` that takes these two by other names too.

    Parameters
    ----------
    scores : str
        What the method calls the scores.

    Examples
    --------
    >>> class Model:
    ...     @takes_names_of_metrics("p")
    ...     def fit(self, p, y):
    ...         return p, y
    >>> Model().fit(y_true=[0, 1], y_prob=[0.2, 0.7])
    ([0.2, 0.7], [0, 1])
    """
    names = {"y_prob": (scores, 0), "X": (scores, 0), "y_true": ("y", 1)}  # with the places of the arguments

    def exchange(fit: F) -> F:
        @wraps(fit)
        def fit_by_name(self: Any, *args: Any, **kwargs: Any) -> Any:
            for other in names.keys() & kwargs.keys():
                own, place = names[other]
                if own in kwargs or len(args) > place:
                    raise ValueError(f"{other} must be left out where {own} is given: both mean the same")
                kwargs[own] = kwargs.pop(other)
            return fit(self, *args, **kwargs)

        return fit_by_name  # type: ignore[return-value]

    return exchange
